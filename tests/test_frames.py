"""Tables in and out: every library gives the same graph, ids stay what they are, and what comes back is of the library that came."""

import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import _core
from steppe.graph.frame import rows_of_chunks

ROADS = {
    "from": ["Ulm", "Bonn", "Ulm", "01234", "Köln am Rhein, Hauptbahnhof"],
    "to": ["Bonn", "Trier", "01234", "Ulm", "Bonn"],
    "min": [240, 95, 7, 7, 30],
    "km": [420.5, 165.0, 3.25, 3.5, 34.0],
    "lanes": [2, 3, 1, 1, 4],
}


def duck(columns):
    return duckdb.from_arrow(pa.table(columns))


def chunked(columns):
    return pa.concat_tables([pa.table({k: v[i : i + 2] for k, v in columns.items()}) for i in range(0, 5, 2)])


FRAMES = {
    "dict": (dict, None),
    "pandas": (pd.DataFrame, pd.DataFrame),
    "pandas objects": (lambda c: pd.DataFrame(c).astype({"from": object, "to": object}), pd.DataFrame),
    "pandas categories": (lambda c: pd.DataFrame(c).astype({"from": "category"}), pd.DataFrame),
    "pandas arrow": (lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"), pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "polars lazy": (pl.LazyFrame, pl.DataFrame),
    "polars categories": (lambda c: pl.DataFrame(c).with_columns(pl.col("to").cast(pl.Categorical)), pl.DataFrame),
    "polars slice": (lambda c: pl.DataFrame({k: [v[0], *v] for k, v in c.items()})[1:], pl.DataFrame),
    "polars chunks": (lambda c: pl.concat([pl.DataFrame(c)[:2], pl.DataFrame(c)[2:]], rechunk=False), pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
    "pyarrow chunks": (chunked, pa.Table),
    "pyarrow large": (
        lambda c: pa.table(c).cast(pa.table(c).schema.set(0, pa.field("from", pa.large_string()))),
        pa.Table,
    ),
    "pyarrow reader": (
        lambda c: pa.RecordBatchReader.from_batches(pa.table(c).schema, pa.table(c).to_batches()),
        pa.Table,
    ),
    "duckdb": (duck, duckdb.DuckDBPyRelation),
}


@pytest.fixture(params=FRAMES, ids=str)
def kind(request):
    return FRAMES[request.param]


def test_every_library_gives_the_same_graph(kind):
    make, library = kind
    g = sp.Graph.from_frame(make(ROADS), "from", "to", "min", attributes=["km", "lanes"])
    h = sp.Graph.from_edges(ROADS["from"], ROADS["to"], ROADS["min"], relabel=True)
    assert g.labels.tolist() == h.labels.tolist() == sorted(set(ROADS["from"] + ROADS["to"]))
    for name in ("indptr", "indices", "weights"):
        assert np.array_equal(getattr(g, name), getattr(h, name))
    assert (g.min_weight, g.max_weight, g.mean_weight) == (h.min_weight, h.max_weight, h.mean_weight)
    assert g.edge_ids.tolist() == h.edge_ids.tolist()
    r = sp.sssp(g, "Ulm").verify()
    assert r.distance("01234") == 7
    assert r.edge_ids("Trier").tolist() == [0, 1]
    assert r.along("km")[g.index("Trier")] == 585.5
    assert r.along("lanes").dtype == np.int64
    frames = [r.to_frame(), sp.nearest(g, ["Bonn"]).to_frame(), sp.route(g, "Ulm", "Trier").to_frame(), g.to_frame()]
    assert {type(frame) for frame in frames} == {library or pd.DataFrame}


def rows(frame):
    """A table of any library as a list of dicts; NaN and NA are None."""
    if isinstance(frame, pd.DataFrame):
        return [{k: None if pd.isna(v) else v for k, v in row.items()} for row in frame.to_dict("records")]
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    return (frame if isinstance(frame, pa.Table) else frame.to_arrow_table()).to_pylist()


def test_what_the_tables_hold(kind):
    g = sp.Graph.from_frame(kind[0](ROADS), "from", "to", "min", attributes=["km"], directed=False)
    assert rows(sp.sssp(g, "Ulm", cutoff=300).to_frame()) == [
        {"vertex": "01234", "distance": 7, "predecessor": "Ulm"},
        {"vertex": "Bonn", "distance": 240, "predecessor": "Ulm"},
        {"vertex": ROADS["from"][4], "distance": 270, "predecessor": "Bonn"},
        {"vertex": "Ulm", "distance": 0, "predecessor": None},
    ]
    assert rows(sp.route(g, "Trier", "Ulm").to_frame()) == [
        {"source": "Trier", "target": "Bonn", "weight": 95, "edge": 1},
        {"source": "Bonn", "target": "Ulm", "weight": 240, "edge": 0},
    ]
    nearest = rows(sp.nearest(g, ["Bonn", "Ulm"]).to_frame())
    assert [row["source"] for row in nearest] == ["Ulm", "Bonn", "Bonn", "Bonn", "Ulm"]
    edges = rows(g.to_frame())
    assert sorted(row["edge"] for row in edges) == [0, 1, 2, 3, 4]
    assert all(row["km"] == ROADS["km"][row["edge"]] and row["weight"] == ROADS["min"][row["edge"]] for row in edges)
    assert rows(g.to_arrow()) == edges


def test_integers_are_read_where_they_lie():
    u, v, w = np.array([3, 1, 2, 1]), np.array([1, 2, 3, 3]), np.array([5, 6, 7, 8])
    for frame in (
        pl.DataFrame({"u": u, "v": v, "w": w}),
        pa.table({"u": u, "v": v, "w": w}),
        pd.DataFrame({"u": u, "v": v, "w": w}),
    ):
        g = sp.Graph.from_frame(frame, "u", "v", "w", attributes=["w"])
        assert g.labels.tolist() == [1, 2, 3]
        assert isinstance(g._labels.values, range)
        assert g.weights.dtype == np.int32
        (source,), (target,), base = g._known_origin._ends()
        assert (source.tolist(), target.tolist(), base) == (u.tolist(), v.tolist(), 1)
        assert not source.flags.owndata
        assert sp.sssp(g, 1).edge_ids(3).tolist() == [3]
    table = pa.table({"u": u, "v": v})
    g = sp.Graph.from_frame(table, "u", "v")
    assert g._known_origin._ends()[0][0].ctypes.data == table["u"].chunk(0).buffers()[1].address


@pytest.mark.parametrize(
    "ids",
    [[0, 1, 2], [5, 6, 7], [-3, -2, -1], [0, 10, 2**40], [-(2**62), 7, 2**62], [1, 2, 4], [2**63 + 1, 5, 6], [7, 7, 7]],
)
def test_ids_of_any_size(ids):
    kind = np.uint64 if max(ids) >= 2**63 else np.int64
    u, v = np.array([ids[2], ids[0], ids[1]], dtype=kind), np.array([ids[0], ids[1], ids[2]], dtype=kind)
    for frame in (pl.DataFrame({"u": u, "v": v}), {"u": u, "v": v}):
        g = sp.Graph.from_frame(frame, "u", "v")
        labels = list(range(3)) if g.labels is None else g.labels.tolist()
        assert labels == sorted(set(ids))
        for i, place in enumerate(g.edge_ids.tolist()):
            at = int(np.searchsorted(g.indptr, i, side="right")) - 1
            assert (labels[at], labels[g.indices[i]]) == (int(u[place]), int(v[place]))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame, dict])
def test_types_of_numbers(dtype, make):
    w = np.array([1, 0, 1], dtype=dtype)
    ends = dtype if dtype[0] in "iu" else "i8"
    columns = {"u": np.array([2, 0, 1], dtype=ends), "v": np.array([0, 1, 2], dtype=ends), "w": w}
    g = sp.Graph.from_frame(make(columns), "u", "v", "w", attributes=["w"])
    h = sp.Graph.from_edges(columns["u"], columns["v"], w)
    assert g.weights.dtype == h.weights.dtype
    assert g.weights.tolist() == h.weights.tolist()
    assert sp.sssp(g, 0).along("w").tolist() == [0, 0, 1]


def test_mixed_ids_are_names():
    frame = pd.DataFrame({"u": [1, "1", "01"], "v": ["a", 1, "1"]})
    g = sp.Graph.from_frame(frame, "u", "v")
    assert set(g.labels.tolist()) == {1, "1", "01", "a"}
    assert sp.sssp(g, "01").path("a").tolist() == ["01", "1", 1, "a"]
    g = sp.Graph.from_frame({"u": ["x", "y"], "v": [1, 2]}, "u", "v")  # names here, numbers there
    assert set(g.labels.tolist()) == {"x", "y", 1, 2}
    g = sp.Graph.from_frame(pl.DataFrame({"u": ["x", "y"], "v": [1, 2]}), "u", "v")
    assert set(g.labels.tolist()) == {"x", "y", 1, 2}


MISSING = {
    "from": ["a", None, "b", "c", "b"],
    "to": ["b", "z", "c", "a", "a"],
    "w": [1.0, 2.0, None, 4.0, math.nan],
    "extra": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("make", [pd.DataFrame, lambda c: pl.DataFrame(c, strict=False), pa.table, duck, dict])
def test_missing_values(make):
    with pytest.raises(sp.GraphError, match=r"row 1 has no 'from': missing=\"drop\""):
        sp.Graph.from_frame(make(MISSING), "from", "to", "w")
    with pytest.raises(sp.GraphError, match="row 2 has no 'w'"):
        sp.Graph.from_frame(make(MISSING), "to", "to", "w")
    g = sp.Graph.from_frame(make(MISSING), "from", "to", "w", attributes=["extra"], missing="drop")
    assert g.labels.tolist() == ["a", "b", "c"]  # z stood in a dropped row alone
    assert g.num_edges == 2
    r = sp.sssp(g, "c")
    assert r.edge_ids("b").tolist() == [3, 0]
    assert r.along("extra").tolist() == [4, 5, 0]
    assert r.along([10, 0, 0, 40, 0]).tolist() == [40, 50, 0]
    with pytest.raises(ValueError, match='"error" or "drop"'):
        sp.Graph.from_frame(make(MISSING), "from", "to", missing="ignore")


def test_missing_integers():
    frame = pl.DataFrame({"u": [0, None, 1, 2], "v": [1, 5, 2, None], "w": [1, 2, 3, 4]})
    g = sp.Graph.from_frame(frame, "u", "v", "w", missing="drop")
    assert (g.num_vertices, g.weights.tolist(), g.edge_ids.tolist()) == (3, [1, 3], [0, 2])
    g = sp.Graph.from_frame(frame.to_pandas(), "u", "v", "w", missing="drop")  # floats there: 0.0 is 0
    assert sp.sssp(g, 0).distance(2) == 4


def test_clear_errors():
    frame = pl.DataFrame(ROADS)
    cases = [
        (frame, ("from", "zu"), {}, "no column 'zu'; its columns are 'from', 'to', 'min'"),
        (frame, ("from", "to", "to"), {}, "column 'to' does not hold numbers, which weights must be"),
        (frame, ("from", "to"), {"attributes": ["from"]}, "does not hold numbers, which an attribute must be"),
        (frame, ("from", "to"), {"attributes": "km"}, "attributes must be a list"),
        (
            frame.with_columns(pl.lit("2026-01-01").str.to_date().alias("day")),
            ("from", "day"),
            {},
            "holds times: cast it",
        ),
        (7, ("from", "to"), {}, "or a dict of columns, not int"),
        ({"from": [1, 2], "to": [1]}, ("from", "to"), {}, "ragged edges"),
        (pl.DataFrame({"u": [0], "v": [1], "w": [-math.inf]}), ("u", "v", "w"), {}, "the weight of row 0 is -inf"),
        (pa.table([[1], [2], [3]], names=["u", "v", "u"]), ("u", "v"), {}, "more than one column 'u'"),
        (duck({"u": [1], "v": [2]}).project("u, v, 1.5::DECIMAL(4, 1) AS w"), ("u", "v", "w"), {}, "holds decimals"),
    ]
    for table, names, options, message in cases:
        with pytest.raises(sp.GraphError, match=message):
            sp.Graph.from_frame(table, *names, **options)
    with pytest.raises(sp.GraphError, match=r"no attribute 'miles'; there are 'km', 'lanes'"):
        sp.Graph.from_frame(frame, "from", "to", attributes=["km", "lanes"]).attribute("miles")


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_empty_tables(make):
    g = sp.Graph.from_frame(
        make({"u": np.empty(0, np.int64), "v": np.empty(0, np.int64), "w": np.empty(0)}), "u", "v", "w"
    )
    assert (g.num_vertices, g.num_edges) == (0, 0)
    g = sp.Graph.from_frame(
        make({"u": pa.array([], pa.string()).to_pandas(), "v": pa.array([], pa.string()).to_pandas()}), "u", "v"
    )
    assert (g.num_vertices, g.num_edges, g.edge_ids.tolist()) == (0, 0, [])


names = st.text(max_size=20) | st.sampled_from(["", "a", "a" * 16, "a" * 17, "a" * 18, "ä" * 9, "\0", "a\0", "x" * 300])


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(names, names), min_size=1, max_size=30), st.integers(1, 4))
def test_names_of_any_length_as_python_sorts_them(pairs, pieces):
    """Short names are compared in their slots, long ones in their buffers; both layouts, in chunks; "" and NUL are names."""
    u, v = (list(x) for x in zip(*pairs, strict=True))
    cuts = [range(i * len(u) // pieces, (i + 1) * len(u) // pieces) for i in range(pieces)]
    arrow = pa.table(
        {
            k: pa.chunked_array([pa.array([x[i] for i in cut], pa.string()) for cut in cuts])
            for k, x in (("u", u), ("v", v))
        }
    )
    views = arrow.cast(pa.schema([("u", pa.string_view()), ("v", pa.string_view())]))
    for frame in (arrow, views, pl.DataFrame({"u": u, "v": v})):
        g = sp.Graph.from_frame(frame, "u", "v")
        labels = g.labels.tolist()
        assert labels == sorted(set(u) | set(v))
        sources = np.repeat(np.arange(len(labels)), g.degrees)
        found = sorted((i, labels[a], labels[b]) for a, b, i in zip(sources, g.indices, g.edge_ids, strict=True))
        assert found == [(i, a, b) for i, (a, b) in enumerate(pairs)]


def test_many_names_on_all_threads():
    rng = np.random.default_rng(5)
    m = 200_000
    number = rng.integers(0, 60_000, (2, m))
    u, v = (pa.array([f"stop {x:07d} of a long street" if x % 3 else str(x) for x in side]) for side in number)
    key = 99
    answers = []
    for threads in (1, 2, 7):
        table = _core.Table(pa.table({"u": u, "v": v}).__arrow_c_stream__())
        a, b = np.empty(m, np.int32), np.empty(m, np.int32)
        first = _core.number_names(table.strings(0), table.strings(1), a, b, key, threads)
        answers.append((a, b, len(first)))
    for other in answers[1:]:
        assert np.array_equal(answers[0][0], other[0])
        assert np.array_equal(answers[0][1], other[1])
    labels, codes = np.unique(np.array(u.to_pylist() + v.to_pylist(), dtype=object), return_inverse=True)
    assert len(labels) == answers[0][2]
    assert np.array_equal(codes, np.concatenate(answers[0][:2]))


@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_rows_from_chunks_are_those_of_whole_arrays(data):
    n, m = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 40))
    ids = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    u, v = np.array(data.draw(ids), dtype=np.int64), np.array(data.draw(ids), dtype=np.int64)
    w = np.array(data.draw(st.lists(st.sampled_from([0, 1, 5, 2**31]), min_size=m, max_size=m)), dtype=np.int64)
    w = w.astype(
        data.draw(st.sampled_from(["int64", "int32" if w.max(initial=0) < 2**31 else "int64", "float32", "float64"]))
    )
    directed, base = data.draw(st.booleans()), data.draw(st.sampled_from([0, 1, -4, 2**40]))
    cut = sorted(data.draw(st.lists(st.integers(0, m), max_size=3)))
    from steppe.graph.frame import EdgeEnds

    chunks = [np.split(x, cut) for x in (u + base, v + base, w)]
    made = rows_of_chunks(EdgeEnds(chunks[0], chunks[1], base, n, None), chunks[2], directed=directed)
    g = sp.Graph.from_edges(u, v, w, num_vertices=n, directed=directed)
    for ours, theirs in zip(made, (g.indptr, g.indices, g.weights), strict=False):
        assert np.array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    assert made[3] is not None
    assert made[3][:2] == (g.min_weight, g.max_weight)


def test_all_weights_of_a_chunk_are_no_edges():
    frame = pl.concat(
        [pl.DataFrame({"u": [0], "v": [1], "w": [math.inf]}), pl.DataFrame({"u": [1], "v": [2], "w": [5.0]})],
        rechunk=False,
    )
    g = sp.Graph.from_frame(frame, "u", "v", "w")
    assert (g.min_weight, g.max_weight, g.mean_weight) == (5.0, 5.0, 5.0)


def test_a_frame_that_was_changed_is_noticed():
    frame = pd.DataFrame({"u": [2, 0, 1], "v": [0, 1, 2]})
    g = sp.Graph.from_frame(frame, "u", "v")
    g._known_origin._ends()[0][0].setflags(write=True)
    g._known_origin._ends()[0][0][0] = 1
    with pytest.raises(sp.GraphError, match="were changed since"):
        _ = g.edge_ids


def test_a_stream_is_read_once():
    stream = pa.table({"a": [1]}).__arrow_c_stream__()
    _core.Table(stream)
    with pytest.raises(ValueError, match="read before"):
        _core.Table(stream)
    with pytest.raises((ValueError, TypeError)):
        _core.Table(7)


def test_pickles_have_attributes():
    import pickle

    g = sp.Graph.from_frame(pl.DataFrame(ROADS), "from", "to", "min", attributes=["km"])
    h = pickle.loads(pickle.dumps(g))  # noqa: S301
    assert sp.sssp(h, "Ulm").along("km").tolist() == sp.sssp(g, "Ulm").along("km").tolist()
    assert isinstance(h.to_frame(), pl.DataFrame)


def test_graphs_go_out():
    g = sp.Graph.from_edges([0, 0, 1, 2, 2], [1, 1, 2, 0, 2], [5, 3, 4.5, math.inf, 0])
    csr = g.to_scipy()
    assert (csr.indptr.tolist(), csr.indices.tolist(), csr.data.tolist()) == (
        g.indptr.tolist(),
        g.indices.tolist(),
        g.weights.tolist(),
    )
    assert sp.Graph.from_scipy(csr).num_edges == 5
    back = g.to_networkx()
    assert sorted(back.edges(data="weight")) == [(0, 1, 3.0), (1, 2, 4.5), (2, 2, 0.0)]
    assert sp.sssp(sp.Graph.from_networkx(back), 0).distances.tolist() == sp.sssp(g, 0).distances.tolist()
    h = sp.Graph.from_edges([0, 1], [1, 2], directed=False)
    assert sorted(h.to_networkx().edges()) == [(0, 1), (1, 2)]
    assert not h.to_networkx().is_directed()
    assert h.to_scipy().data.tolist() == [1, 1, 1, 1]


def test_notebooks_get_a_table():
    g = sp.Graph.from_edges([f"<{i}>" for i in range(20)], [f"<{i + 1}>" for i in range(20)], relabel=True)
    for thing in (g, sp.sssp(g, "<0>"), sp.nearest(g, ["<0>"]), sp.route(g, "<0>", "<9>")):
        text = thing._repr_html_()
        assert text.startswith("<table>")
        assert "&lt;0&gt;" in text
        assert "<0>" not in text
    assert "more rows" in g._repr_html_()


def test_a_table_of_pairs():
    roads = pl.DataFrame(
        {"a": ["x", "y", "x"], "b": ["y", "z", "z"], "min": [5, 5, 20], "metres": [900, 800, 3], "toll": [0.5, 0.25, 0]}
    )
    g = sp.Graph.from_frame(roads, "a", "b", "min", attributes=["metres", "toll"])
    made = sp.distances(g, ["x", "y"], ["z", "x"], along=["metres", "toll"])
    assert repr(made) == "<DistanceMatrix: 2 × 2, distances, metres, toll>"
    assert made["metres"].tolist() == [[1700, 0], [800, sp.UNREACHABLE]]
    assert made["toll"].tolist() == [[0.75, 0.0], [0.25, np.inf]]
    assert list(made) == ["metres", "toll"]
    assert len(made) == 2
    assert made.reachable.tolist() == [[True, True], [True, False]]
    frame = made.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == [("x", "z", 10, 1700, 0.75), ("x", "x", 0, 0, 0.0), ("y", "z", 5, 800, 0.25)]
    assert frame.columns == ["source", "target", "distance", "metres", "toll"]
    assert made.to_arrow().num_rows == 3
    assert "1700" in made._repr_html_()
    long = sp.distances(sp.Graph.from_edges([0], [1], [7]), [0], along=[]).to_frame()
    assert isinstance(long, pd.DataFrame)
    assert long.to_dict("list") == {"source": [0, 0], "target": [0, 1], "distance": [0, 7]}
