"""Attributes of edges through files: whatever they are called, a file of ours gives back the weight and all attributes, as they were."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steppe as sp
from steppe.files import heading

KEEPING = [".parquet", ".arrow", ".graphml", ".parquet.gz", ".graphml.xz"]
WITHOUT = [".csv", ".tsv", ".txt", ".e", ".gr", ".mtx", ".npz", ".steppe"]
NAMES = [
    "metres",
    "length",
    "seconds",
    "km",
    "Length (km)",
    "cost",
    "w",
    "weight",
    "time",
    "source",
    "to",
    "oneway",
    "type",
    "id",
    "x",
]


def made(names, *, weighted, directed, dtype=np.int64):
    columns = {"a": np.array([0, 1, 1, 3]), "b": np.array([1, 2, 2, 0]), "minutes": np.array([4, 5, 6, 7])}
    for at, name in enumerate(names):
        columns[name] = (np.array([100, 200, 300, 400]) + at).astype(dtype)
    weight = "minutes" if weighted else None
    return sp.Graph.from_frame(columns, "a", "b", weight, attributes=names, directed=directed)


def edges(g):
    """Ends, weight and attributes of every edge, in an order of their own."""
    places = g._once()[3]
    ids = g._edge_ids_at(places)
    columns = [*g._once()[:2], *([] if g.weights is None else [g.weights[places]])]
    columns += [g.attribute(name)[ids] for name in g.attributes]
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
@pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "unweighted"])
@pytest.mark.parametrize("suffix", KEEPING)
def test_names_that_look_like_weights(tmp_path, suffix, weighted, directed):
    several = [[name] for name in NAMES] + [["metres", "seconds", "way"], NAMES[:3], ["weight", "length"]]
    for names in several:
        if suffix.startswith(".graphml") and weighted and "weight" in names:
            continue
        g = made(names, weighted=weighted, directed=directed)
        path = tmp_path / f"x{suffix}"
        sp.write(g, path)
        back = sp.read(path)
        assert back.attributes == tuple(names)
        assert back.directed == directed
        assert (back.weights is None) == (not weighted)
        assert edges(back) == edges(g), names
        again = sp.read(path, weight=names[0]) if names[0] not in ("source", "weight") else back
        assert again.weights is None if again is back and not weighted else again.weights is not None


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".graphml"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", "bool"])
def test_types_of_attributes(tmp_path, suffix, dtype):
    g = made(["metres"], weighted=False, directed=True, dtype=dtype)
    sp.write(g, tmp_path / f"x{suffix}")
    back = sp.read(tmp_path / f"x{suffix}")
    assert back.attribute("metres").dtype == g.attribute("metres").dtype
    assert edges(back) == edges(g)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".graphml"])
def test_numbers_at_the_edge(tmp_path, suffix):
    values = np.array([np.inf, -np.inf, 5e-324, -1.7976931348623157e308])
    g = sp.Graph.from_frame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "x": values}, "a", "b", attributes=["x"])
    sp.write(g, tmp_path / f"x{suffix}")
    assert edges(sp.read(tmp_path / f"x{suffix}")) == edges(g)
    huge = sp.Graph.from_frame(
        {"a": [0], "b": [1], "x": np.array([2**63], dtype=np.uint64)}, "a", "b", attributes=["x"]
    )
    if suffix == ".graphml":
        with pytest.raises(sp.GraphError, match=r"beyond 2\^63"):
            sp.write(huge, tmp_path / "y.graphml")
    else:
        sp.write(huge, tmp_path / f"y{suffix}")
        assert sp.read(tmp_path / f"y{suffix}").attribute("x").tolist() == [2**63]
    half = sp.Graph.from_frame({"a": [0], "b": [1], "x": np.array([0.5], dtype=np.float16)}, "a", "b", attributes=["x"])
    sp.write(half, tmp_path / f"z{suffix}")
    assert sp.read(tmp_path / f"z{suffix}").attribute("x").tolist() == [0.5]


@pytest.mark.parametrize("suffix", WITHOUT)
def test_formats_without_attributes_keep_the_weight(tmp_path, suffix):
    for weighted in (True, False):
        g = made(["metres", "seconds"], weighted=weighted, directed=True)
        sp.write(g, tmp_path / f"x{suffix}")
        back = sp.read(tmp_path / f"x{suffix}")
        assert (back.weights is None) == (g.weights is None)
        assert back.num_edges == g.num_edges
        assert g.weights is None or np.array_equal(back.weights, g.weights)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".graphml"])
def test_a_caller_may_choose(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    sp.write(made(["metres", "seconds"], weighted=True, directed=True), path)
    assert sp.read(path, attributes=["seconds"]).attributes == ("seconds",)
    by_metres = sp.read(path, weight="metres")
    assert by_metres.weights.tolist() == [100, 200, 300, 400]
    assert by_metres.attributes == ("metres", "seconds")
    assert sp.read(path, weight=False).weights is None
    with pytest.raises(sp.FormatError, match="hours"):
        sp.read(path, weight="hours")


def test_words_that_mean_a_weight_are_all_tried():
    assert {heading.role(name) for name in NAMES} >= {"w", "s", "t", ">", "-", "?"}


def test_tables_of_others_are_still_asked_about(tmp_path):
    pq.write_table(pa.table({"source": [0], "target": [1], "weight": [1], "metres": [2]}), tmp_path / "x.parquet")
    with pytest.raises(sp.FormatError, match="which column is the weight"):
        sp.read(tmp_path / "x.parquet")
    note = '{"directed": true, "vertices": null, "first": 0, "wide": false, "source": "source", "target": "target", "weight": %s, "attributes": %s}'
    for weight, attributes, words in (
        ("7", "[]", "none of ours"),
        ("null", "[1]", "none of ours"),
        ('"km"', "[]", "no column 'km'"),
    ):
        table = pa.table({"source": [0], "target": [1], "metres": [2]})
        pq.write_table(table.replace_schema_metadata({"steppe": note % (weight, attributes)}), tmp_path / "x.parquet")
        with pytest.raises(sp.FormatError, match=words):
            sp.read(tmp_path / "x.parquet")
