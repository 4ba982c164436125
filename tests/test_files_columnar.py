"""Parquet and Arrow files: read by names of columns, written with attributes, refused when damaged."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from test_files import arcs, put

ROADS = pa.table({"km": [1.5, 2.0, 9.25], "to": ["B", "C", "C"], "minutes": [5, 7, 20], "from": ["A", "B", "A"]})
TIMES = [("A", "B", 5), ("A", "C", 20), ("B", "C", 7)]


def stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


WRITERS = {
    "x.parquet": lambda table, path: pq.write_table(table, path, row_group_size=2),
    "x.pq": lambda table, path: pq.write_table(table, path, compression="none"),
    "x.feather": lambda table, path: pa.feather.write_feather(table, path, chunksize=2),
    "x.arrow": lambda table, path: pa.feather.write_feather(table, path, compression="uncompressed"),
    "x.arrows": stream,
    "x": pq.write_table,
}


@pytest.mark.parametrize("name", WRITERS)
def test_columns_by_name(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](ROADS, path)
    g = sp.read(path, weight="minutes", attributes=["km"])
    assert arcs(g) == TIMES
    assert g.attributes == ("km",)
    r = sp.sssp(g, "A")
    assert r.along("km").tolist() == [0.0, 1.5, 3.5]
    assert r.edge_ids("C").tolist() == [0, 1]
    assert arcs(sp.read(path, source="to", target="from", weight=False)) == [("B", "A"), ("C", "A"), ("C", "B")]
    with pytest.raises(sp.FormatError, match="which column is the weight"):
        sp.read(path)
    with pytest.raises(sp.FormatError, match="no column 'hours'"):
        sp.read(path, weight="hours")


@pytest.mark.parametrize("name", ["x.parquet", "x.feather", "x.arrows"])
def test_missing_values(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](pa.table({"u": [1, None, 3], "v": [2, 2, 1], "w": [1.5, 2.5, None]}), path)
    with pytest.raises(sp.FormatError, match="row 1 has no"):
        sp.read(path)
    g = sp.read(path, missing="drop")
    assert arcs(g) == [(1, 2, 1.5)]


def test_dictionaries_and_small_types(tmp_path):
    table = pa.table(
        {
            "source": pa.array(["a", "b", "a"]).dictionary_encode(),
            "target": pa.array(["b", "c", "c"]).dictionary_encode(),
            "cost": pa.array([1, 2, 3], pa.uint8()),
        }
    )
    for name in ("x.parquet", "x.feather", "x.arrows"):
        WRITERS[name](table, tmp_path / name)
        assert arcs(sp.read(tmp_path / name)) == [("a", "b", 1), ("a", "c", 3), ("b", "c", 2)]


ends = st.one_of(st.integers(0, 40), st.integers(-(2**62), 2**62))


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.tuples(ends, ends, st.floats(0, 100, width=32), st.integers(-(2**63), 2**63 - 1))),
    st.sampled_from([None, "int32", "int64", "float32", "float64"]),
    st.sampled_from(["plain", "labels", "names", "attributes"]),
    st.booleans(),
    st.sampled_from([".parquet", ".arrow", ".parquet.gz"]),
)
def test_round_trip(tmp_path_factory, rows, dtype, kind, directed, suffix):
    u, v, w, extra = (np.array(x) for x in (zip(*rows, strict=True) if rows else ([], [], [], [])))
    weights = None if dtype is None else w.astype(dtype)
    if kind == "plain":
        u, v = np.abs(u.astype(np.int64)) % 41, np.abs(v.astype(np.int64)) % 41
        g = sp.Graph.from_edges(u, v, weights, directed=directed, num_vertices=45)
    elif kind == "attributes":
        columns = {"u": u.astype(np.int64), "v": v.astype(np.int64), "x": extra.astype(np.int64)}
        if weights is not None:
            columns["w"] = weights
        options = {"directed": directed, "attributes": ["x"]}
        g = sp.Graph.from_frame(columns, "u", "v", None if weights is None else "w", **options)
    else:
        names = (lambda x: x.astype(str).astype(object)) if kind == "names" else (lambda x: x.astype(np.int64))
        g = sp.Graph.from_edges(names(u), names(v), weights, directed=directed, relabel=True)
    path = tmp_path_factory.mktemp("columnar") / ("x" + suffix)
    sp.write(g, path)
    back = sp.read(path, attributes=["x"] if kind == "attributes" else [])
    assert back.num_vertices == g.num_vertices
    assert back.directed == g.directed
    assert (back.weights is None) == (g.weights is None)
    if g.weights is not None:
        assert back.weights.dtype == g.weights.dtype
    assert sorted(arcs(back)) == sorted(arcs(g))
    if kind == "attributes":
        of = [
            sorted(zip(x.edges()[0], x.edges()[1], x.attribute("x")[x._edge_ids_at(x._once()[3])], strict=True))
            for x in (g, back)
        ]
        assert of[0] == of[1]


def test_what_cannot_be_kept_is_refused(tmp_path):
    lonely = sp.Graph.from_edges([0], [1], relabel=True).subgraph([0])
    assert lonely.num_edges == 0
    named = sp.Graph.from_csr([0, 1, 1, 1], [1], labels=np.array(["a", "b", "c"], dtype=object))
    with pytest.raises(sp.GraphError, match="vertex c has no edge"):
        sp.write(named, tmp_path / "x.parquet")
    mixed = sp.Graph.from_csr([0, 1, 1], [1], labels=np.array(["a", 7], dtype=object))
    with pytest.raises(sp.GraphError, match="labels of one kind"):
        sp.write(mixed, tmp_path / "x.arrow")
    assert not list(tmp_path.iterdir())


def test_damaged_files_are_refused(tmp_path):
    """Every cut and many flipped bytes: a FormatError that names the file, or a graph; nothing else."""
    rng = np.random.default_rng(1)
    for name in ("x.parquet", "x.feather", "x.arrow", "x.arrows"):
        path = tmp_path / name
        WRITERS[name](ROADS, path)
        whole = path.read_bytes()
        refused = 0
        damaged = [whole[:cut] for cut in range(1, len(whole), max(1, len(whole) // 40))]
        for _ in range(120):
            data = bytearray(whole)
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
            damaged.append(bytes(data))
        for data in damaged:
            try:
                sp.sssp(sp.read(put(tmp_path, name, data), weight="minutes"), "A")
            except sp.FormatError as error:
                assert error.file  # noqa: PT017
                refused += 1
            except sp.GraphError:  # the name of a vertex was changed
                pass
        assert refused > len(damaged) // 4


def test_offsets_of_a_file_are_not_followed_blindly(tmp_path):
    offsets = pa.py_buffer(np.array([0, 1, 2**30, 3], dtype=np.int32))
    names = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"abc"))
    batch = pa.RecordBatch.from_arrays([names, names], names=["source", "target"])
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(sp.FormatError, match="not a readable Arrow"):
        sp.read(path)


def test_claims_are_checked(tmp_path):
    few = pa.table({"source": np.zeros(40_000_000, dtype=np.int8), "target": np.zeros(40_000_000, dtype=np.int8)})
    path = tmp_path / "x.parquet"
    pq.write_table(few, path)
    assert path.stat().st_size < 400_000
    with pytest.raises(sp.FormatError, match="max_bytes="):
        sp.read(path)
    for note, words in (("{", "none of ours"), ("[]", "none of ours"), ('{"directed": 1}', "none of ours")):
        pq.write_table(ROADS.replace_schema_metadata({"steppe": note}), path)
        with pytest.raises(sp.FormatError, match=words):
            sp.read(path, weight="km")
    small = pa.table({"source": [1, 9], "target": [2, 3]})
    for vertices, words in ((5, "beyond the vertices"), (2**61, "max_bytes=")):
        note = {"directed": True, "vertices": vertices, "first": 0, "wide": False}
        pq.write_table(small.replace_schema_metadata({"steppe": json.dumps(note)}), path)
        with pytest.raises(sp.FormatError, match=words):
            sp.read(path)
