"""GraphML and Pajek: read as NetworkX reads them, written so that NetworkX reads them, refused with the line."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from test_files import arcs, put

HEAD = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEYS = """<key id="a" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>
<key id="b" for="edge" attr.name="km" attr.type="int"/>
"""
NODES = """<graph edgedefault="undirected">
<node id="x"/>
<node id="y"><data key="c">text</data></node>
<node id="z"/>
"""
EDGES = """<edge source="x" target="y"><data key="b">7</data></edge>
<edge source="y" target="z"><data key="a">1</data><data key="b"> 8 </data></edge>
"""
TAIL = "</graph>\n</graphml>\n"
GRAPHML = HEAD + KEYS + NODES + EDGES + TAIL
PAJEK = '*Vertices 3\n1 "x" 0.1 0.2\n2 "y"\n3 "z z"\n*Edges\n1 2 2.5 c Blue\n2 3 1\n'


def test_graphml(tmp_path):
    path = put(tmp_path, "x.graphml", GRAPHML)
    g = sp.read(path)
    assert not g.directed
    assert arcs(g) == [("x", "y", 2.5), ("y", "x", 2.5), ("y", "z", 1.0), ("z", "y", 1.0)]
    assert arcs(sp.read(path, weight="km")) == [("x", "y", 7), ("y", "x", 7), ("y", "z", 8), ("z", "y", 8)]
    assert arcs(sp.read(path, weight=False, directed=True)) == [("x", "y"), ("y", "z")]
    g = sp.read(path, attributes=["km"])
    assert sp.sssp(g, "z").along("km").tolist() == [15, 8, 0]
    mixed = sp.read(put(tmp_path, "y.graphml", GRAPHML.replace('<edge source="x"', '<edge directed="true" source="x"')))
    assert mixed.directed
    assert arcs(mixed) == [("x", "y", 2.5), ("y", "z", 1.0), ("z", "y", 1.0)]
    late = HEAD + KEYS + '<graph edgedefault="directed">' + EDGES + '<node id="z"/><node id="y"/><node id="x"/>' + TAIL
    assert arcs(sp.read(put(tmp_path, "z.xml", late))) == [("x", "y", 2.5), ("y", "z", 1.0)]  # by its content


BAD_GRAPHML = {
    "bombs": (
        '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>\n<graphml/>',
        2,
        "document type",
    ),
    "files": ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>', 1, "document type"),
    "an encoding": (GRAPHML.replace("?>", ' encoding="UXF-8"?>'), 1, "not readable XML"),
    "not closed": (GRAPHML.replace("</graph>", ""), 12, "not well-formed"),
    "cut off": (GRAPHML[:-30], 10, "not well-formed"),
    "another root": ("<svg/>", 1, "expected <graphml>"),
    "no graph": (HEAD + "</graphml>", 3, "expected a <graph>"),
    "no default way": (GRAPHML.replace(' edgedefault="undirected"', ""), 5, "edgedefault"),
    "a node twice": (GRAPHML.replace('id="z"', 'id="x"'), 8, "listed twice"),
    "an unknown node": (GRAPHML.replace('target="z"', 'target="q"'), 10, "'q', which is not listed"),
    "no target": (GRAPHML.replace(' target="z"', ""), 10, "expected an id"),
    "no number": (GRAPHML.replace(">1<", ">one<"), 10, "expected a number for 'weight'"),
    "nan": (GRAPHML.replace(">1<", ">nan<"), 10, "expected a number"),
    "no weight": (GRAPHML.replace("<default>2.5</default>", ""), 9, "no 'weight'"),
    "hyperedge": (GRAPHML.replace(TAIL, "<hyperedge/>" + TAIL), 11, "hyperedges"),
    "a graph in a node": (
        GRAPHML.replace('<node id="z"/>', '<node id="z"><graph edgedefault="directed"/></node>'),
        8,
        "one graph",
    ),
}


@pytest.mark.parametrize("name", BAD_GRAPHML)
def test_what_graphml_refuses(tmp_path, name):
    content, line, words = BAD_GRAPHML[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, "x.graphml", content))
    assert caught.value.line == line


def test_keys_are_asked_for_by_name(tmp_path):
    path = put(tmp_path, "x.graphml", GRAPHML.replace('"weight"', '"time"'))
    with pytest.raises(sp.FormatError, match="which key is the weight: 'time' and 'km'"):
        sp.read(path)
    assert sp.read(path, weight="time").weights.tolist() == [2.5, 2.5, 1.0, 1.0]
    with pytest.raises(sp.FormatError, match="no key 'x'"):
        sp.read(path, weight="x")


def test_pajek(tmp_path):
    g = sp.read(put(tmp_path, "x.net", PAJEK))
    assert not g.directed
    assert arcs(g) == [("x", "y", 2.5), ("y", "x", 2.5), ("y", "z z", 1.0), ("z z", "y", 1.0)]
    text = '% c\n*Network n\n*vertices 4\n*ARCS :1 "r"\n1 2\n*Edges\n2 3\n*arcslist\n1 3 4\n*Edgeslist\n4 3\n'
    mixed = sp.read(put(tmp_path, "y.net", text))
    assert mixed.directed
    assert arcs(mixed) == [(1, 2), (1, 3), (1, 4), (2, 3), (3, 2), (3, 4), (4, 3)]
    matrix = sp.read(put(tmp_path, "z", "*Vertices 2\n*Matrix\n0 5\n1.5 0\n"))
    assert arcs(matrix) == [(1, 2, 5.0), (2, 1, 1.5)]
    twins = sp.read(put(tmp_path, "w.net", '*Vertices 2\n1 "a"\n2 "a"\n*Arcs\n1 2 3\n'))
    assert arcs(twins) == [(1, 2, 3)]  # labels that tell nothing apart are not taken


def test_where_pajeks_vertices_are(tmp_path):
    lines = ('1 "a b" 0.25 0.5 0.0 ellipse', "2 b 1 -2.5", '3 "c" 1e2 0 ic Red')
    g = sp.read(put(tmp_path, "x.net", "\n".join(["*Vertices 3", *lines, "*Edges", "1 2 4"])))
    assert g.labels.tolist() == ["a b", "b", "c"]
    assert g.coordinates.tolist() == [[0.25, 0.5], [1, -2.5], [100, 0]]
    assert not g.is_geographic
    for other in ('3 "c" 1e2', '3 "c"', '3 "c" x y', '3 "c" nan 1', '3 "c" 1e999 1'):
        some = sp.read(put(tmp_path, "x.net", "\n".join(["*Vertices 3", *lines[:2], other, "*Edges", "1 2 4"])))
        assert some.coordinates is None
        assert some.labels.tolist() == ["a b", "b", "c"]
    alike = [f'{at} "{at}x" 0.0 0.0 ellipse' for at in (1, 2)]  # as NetworkX writes them
    assert sp.read(put(tmp_path, "x.net", "\n".join(["*Vertices 2", *alike, "*Arcs", "1 2"]))).coordinates is None


BAD_PAJEK = {
    "no vertices": ("*Arcs\n1 2\n", 1, r"\*Vertices first"),
    "no number": ("*Vertices\n", 1, "their number"),
    "something else": ("1 2 3\n", 1, "first"),
    "twice": ('*Vertices 2\n1 "a"\n1 "b"\n', 3, "listed twice"),
    "beyond": ("*Vertices 2\n*Arcs\n1 3\n", 3, "a vertex of 1…2, found '3'"),
    "zero": ("*Vertices 2\n*Edges\n0 1\n", 3, "a vertex of 1…2"),
    "quote": ('*Vertices 2\n1 "a\n', 2, "closing quote"),
    "one end": ("*Vertices 2\n*Arcs\n1\n", 3, "two vertices"),
    "weight": ("*Vertices 2\n*Arcs\n1 2 x\n", 3, "weight"),
    "rows": ("*Vertices 2\n*Matrix\n0 1\n", 3, "2 rows"),
    "columns": ("*Vertices 2\n*Matrix\n0 1 2\n", 3, "rows of 2 numbers"),
    "section": ("*Vertices 2\n*Partition x\n1\n", 2, r"expected \*Vertices"),
    "a claim": (f"*Vertices {2**50}\n", 1, "max_bytes="),
}


@pytest.mark.parametrize("name", BAD_PAJEK)
def test_what_pajek_refuses(tmp_path, name):
    content, line, words = BAD_PAJEK[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, "x.net", content))
    assert caught.value.line == line


edges = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0, 1e6, width=32)), unique_by=lambda e: frozenset(e[:2])
)


@settings(max_examples=examples(80), deadline=None)
@given(
    edges,
    st.sampled_from([None, "int32", "int64", "float32", "float64"]),
    st.sampled_from(["plain", "numbers", "names"]),
    st.booleans(),
    st.sampled_from([".graphml", ".net", ".graphml.gz"]),
)
def test_round_trip_and_networkx(tmp_path_factory, rows, dtype, kind, directed, suffix):
    u, v, w = (np.array(x) for x in (zip(*rows, strict=True) if rows else ([], [], [])))
    u, v = u.astype(np.int64), v.astype(np.int64)
    weights = None if dtype is None else w.astype(dtype)
    if kind == "plain":
        g = sp.Graph.from_edges(u, v, weights, directed=directed, num_vertices=12)
    else:
        names = np.array([f"<Köln & {i}>" if kind == "names" else 3 * i - 4 for i in range(10)], dtype=object)
        u, v = (names[x] if kind == "names" else names[x].astype(np.int64) for x in (u, v))
        g = sp.Graph.from_edges(u, v, weights, directed=directed, relabel=True)
    path = tmp_path_factory.mktemp("xml") / ("x" + suffix)
    sp.write(g, path)
    back = sp.read(path)
    assert back.directed == g.directed
    assert back.num_vertices == g.num_vertices
    assert arcs(back) == arcs(g)
    assert (back.weights is None) == (g.weights is None)
    if g.weights is not None:
        assert back.weights.dtype == g.weights.dtype
    if suffix == ".graphml":
        theirs = nx.read_graphml(path)
        assert theirs.is_directed() == g.directed
        assert sorted(theirs) == sorted(str(g.label(i)) for i in range(g.num_vertices))
        found = sorted((a, b) for a, b in (theirs.edges if g.directed else nx.DiGraph(theirs).edges))
        assert found == sorted((str(x[0]), str(x[1])) for x in set(arcs(g)))
    if suffix == ".net" and g.num_edges and kind == "names":
        assert sorted(nx.read_pajek(path)) == g.labels.tolist()


def test_files_of_networkx(tmp_path):
    theirs = nx.gnm_random_graph(30, 80, seed=1, directed=True)
    for i, (u, v) in enumerate(theirs.edges):
        theirs.edges[u, v]["weight"] = i + 1
    nx.write_graphml(theirs, tmp_path / "x.graphml")
    nx.write_pajek(theirs, tmp_path / "x.net")
    expected = sorted((u, v, w) for u, v, w in theirs.edges(data="weight"))
    for name in ("x.graphml", "x.net"):
        g = sp.read(tmp_path / name)
        assert arcs(g) == expected
        assert g.num_vertices == 30


def test_attributes_are_written(tmp_path):
    table = {"u": ["a", "b"], "v": ["b", "c"], "w": [1, 2], "km": [0.5, 1.5]}
    g = sp.Graph.from_frame(table, "u", "v", "w", attributes=["km"])
    sp.write(g, tmp_path / "x.graphml")
    assert sp.sssp(sp.read(tmp_path / "x.graphml", attributes=["km"]), "a").along("km").tolist() == [0.0, 0.5, 2.0]


@pytest.mark.parametrize("suffix", [".graphml", ".net"])
@pytest.mark.parametrize("labels", [["1", "2"], ["a", 2], ["a\n", "b"], [2**62, 3]])
def test_labels_that_cannot_be_kept(tmp_path, suffix, labels):
    g = sp.Graph.from_csr([0, 1, 1], [1], labels=np.array(labels, dtype=object if "a" in str(labels) else None))
    with pytest.raises(sp.GraphError, match=r"cannot (keep|tell)"):
        sp.write(g, tmp_path / ("x" + suffix))
