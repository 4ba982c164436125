"""TNTP networks: columns, the first thru node by hand-counted answers, and refusals with the line."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from test_files import arcs, put

# Sioux Falls: its links and free flow times (which are its lengths), as published; capacities are left at 1 here.
SIOUX_FALLS = """
1-2 6, 1-3 4, 2-6 5, 3-4 4, 3-12 4, 4-5 2, 4-11 6, 5-6 4, 5-9 5, 6-8 2, 7-8 3, 7-18 2, 8-9 10, 8-16 5, 9-10 3, 10-11 5, 10-15 6, 10-16 4, 10-17 8,
11-12 6, 11-14 4, 12-13 3, 13-24 4, 14-15 5, 14-23 4, 15-19 3, 15-22 3, 16-17 2, 16-18 3, 17-19 2, 18-20 4, 19-20 4, 20-21 6, 20-22 5, 21-22 2,
21-24 3, 22-23 4, 23-24 2"""


def network(links, *, nodes, zones, first):
    """A file as the collection has them."""
    head = [f"<NUMBER OF ZONES> {zones}", f"<NUMBER OF NODES> {nodes}", f"<FIRST THRU NODE> {first}"]
    head += [
        f"<NUMBER OF LINKS> {len(links)}",
        "<ORIGINAL HEADER>~ \tInit node \tTerm node \t;",
        "<END OF METADATA>",
        "",
        "",
    ]
    head += ["~ \tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;"]
    return "\n".join(head + [f"\t{u}\t{v}\t1\t{w * 2}\t{w}\t0.15\t4\t0\t0\t1\t;" for u, v, w in links]) + "\n"


def test_sioux_falls(tmp_path):
    streets = [(*map(int, ends.split("-")), int(w)) for ends, w in (x.split() for x in SIOUX_FALLS.split(","))]
    links = sorted(streets + [(v, u, w) for u, v, w in streets])
    g = sp.read(put(tmp_path, "SiouxFalls_net.tntp", network(links, nodes=24, zones=24, first=1)))
    assert (g.num_vertices, g.num_edges, g.directed) == (24, 76, True)
    assert g.labels.tolist() == list(range(1, 25))
    assert arcs(g) == links
    r = sp.sssp(g, 1)
    assert r.distance(20) == 22  # 1 2 6 8 7 18 20: 6 + 5 + 2 + 3 + 2 + 4
    assert r.path(20).tolist() == [1, 2, 6, 8, 7, 18, 20]
    assert r.along("length")[19] == 44
    oracle = nx.DiGraph()
    oracle.add_weighted_edges_from(links)
    for source, found in nx.all_pairs_dijkstra_path_length(oracle):
        assert sp.sssp(g, source).distances.tolist() == [found[v] for v in range(1, 25)]
    assert g.attributes == ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type")
    assert sp.sssp(sp.read(tmp_path / "SiouxFalls_net.tntp", weight="length"), 1).distance(20) == 44


RING = [(1, 3, 1), (3, 2, 1), (2, 4, 1), (4, 1, 1), (3, 4, 10), (4, 3, 10)]


def test_no_path_passes_a_centroid(tmp_path):
    """1 and 2 are zones: the short way from 3 to 4 leads through 2, and is closed."""
    text = network(RING, nodes=4, zones=2, first=3)
    g = sp.read(put(tmp_path, "x.tntp", text))
    assert g.labels.tolist() == [1, 2, 3, 4, -1, -2]
    assert g.num_edges == 6
    three = sp.sssp(g, 3)
    assert three.distance(4) == 10  # not 3 2 4
    assert three.distance(-2) == 1
    assert three.distance(-1) == 11  # 3 4 1, not 3 2 4 1
    one = sp.sssp(g, 1)
    assert one.path(-2).tolist() == [1, 3, -2]
    assert one.distance(-2) == 2
    assert one.distance(4) == 11  # 1 3 4
    assert one.distance(-1) == 12  # 1 3 4 1: a round trip; staying at home is 1 to 1
    assert sp.distances(g, [1, 2], [-1, -2]).tolist() == [[12, 2], [2, 12]]
    assert one.along("length")[g.index(-1)] == 24
    open_net = sp.read(put(tmp_path, "y.tntp", text.replace("NODE> 3", "NODE> 1")))
    assert sp.sssp(open_net, 3).distance(4) == 2
    with pytest.raises(sp.GraphError, match="centroids"):
        sp.read(tmp_path / "x.tntp", directed=False)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(0, 9)), max_size=30), st.integers(1, 8))
def test_against_a_search_that_stops_at_centroids(tmp_path_factory, links, first):
    path = put(tmp_path_factory.mktemp("tntp"), "x.tntp", network(links, nodes=7, zones=1, first=first))
    g = sp.read(path)
    for source in range(1, 8):
        best = {}
        queue = [(0, source, True)]
        while queue:  # a plain search: only the source itself may be left if it is a centroid
            d, node, start = min(queue)
            queue.remove((d, node, start))
            if (node, start) in best:
                continue
            best[node, start] = d
            if start or node >= first:
                queue += [(d + w, v, False) for u, v, w in links if u == node]
        found = sp.sssp(g, source)
        for node in range(1, 8):
            expected = best.get((node, False))
            if node >= first:
                expected = 0 if node == source else expected
                label = node
            else:
                label = -node
            reached = bool(found.reachable[g.index(label)])
            assert (found.distance(label) if reached else None) == expected


GOOD = network(RING, nodes=4, zones=2, first=3)
BAD = {
    "no metadata": ("1 2 3 4 5 6 7 8 9 10 ;\n", 1, "expected metadata"),
    "no nodes": (GOOD.replace("NODES", "NOTES"), 10, "NUMBER OF NODES"),
    "links": (GOOD.replace("LINKS> 6", "LINKS> 7"), 4, "is 7, but there are 6"),
    "node 0": (GOOD.replace("\t3\t4\t", "\t0\t4\t"), 14, "a whole number from 1 on"),
    "node -1": (GOOD.replace("\t3\t4\t", "\t-1\t4\t"), 14, "a whole number from 1 on"),
    "a node beyond 2^62": (GOOD.replace("\t3\t4\t", f"\t{2**62}\t4\t"), 14, "a whole number from 1 on"),
    "thru": (GOOD.replace("NODE> 3", "NODE> 6"), 3, "first thru node of 1…5"),
    "no number": (GOOD.replace("\t10\t0.15", "\tx\t0.15"), 14, "free_flow_time"),
    "nan": (GOOD.replace("\t10\t0.15", "\tnan\t0.15"), 14, "free_flow_time"),
    "columns": (GOOD.replace("\t4\t0\t0\t1\t;", "\t4\t0\t0\t;", 1), 10, "10 columns"),
    "trips": ("<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 5\n<END OF METADATA>\n", 2, "trips"),
    "a claim": (GOOD.replace("NODES> 4", f"NODES> {2**40}"), 2, "max_bytes="),
    "twice": (GOOD.replace("<END", "<NUMBER OF NODES> 5\n<END"), 6, "once"),
}


@pytest.mark.parametrize("first", [1, 3])
def test_nodes_beyond_the_number_stated(tmp_path, first):
    """They are vertices as all others, under their own numbers; ``about`` tells of them, and goes where the graph goes."""
    links = [*RING, (4, 10**12, 2), (10**12, 7, 3), (7, 1, 1)]
    g = sp.read(put(tmp_path, "x.tntp", network(links, nodes=4, zones=2, first=first)))
    split = [-1, -2] if first == 3 else []
    assert g.labels.tolist() == [1, 2, 3, 4, 7, 10**12, *split]
    assert g.num_edges == len(links)
    assert sp.sssp(g, 4).path(7).tolist() == [4, 10**12, 7]
    assert sp.sssp(g, 4).distance(-1 if split else 1) == 1
    assert sp.sssp(g, 10**12).distance(-1 if split else 1) == 4
    assert g.metadata == {"nodes_stated": 4, "nodes_beyond": 2, "first_line_beyond": 16}
    assert g.coordinates is None
    with pytest.raises(sp.GraphError, match="this graph has none"):
        g.nearest_vertex(0, 0)
    for other in (g.reverse, g.with_weights("length"), g.subgraph([3, 4, 7]), pickle.loads(pickle.dumps(g))):  # noqa: S301
        assert other.metadata == g.metadata
        assert other.coordinates is None
    placed = g.with_coordinates(np.zeros((len(g), 2)))
    assert placed.metadata == g.metadata
    assert placed.coordinates is not None
    for suffix in (".steppe", ".npz"):
        sp.write(g, tmp_path / f"y{suffix}")
        back = sp.read(tmp_path / f"y{suffix}")
        assert (back.metadata, back.coordinates) == ({}, None)
    good = sp.read(put(tmp_path, "z.tntp", network(RING, nodes=4, zones=2, first=first)))
    assert good.metadata == {}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(tmp_path, name):
    content, line, words = BAD[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, "x.tntp", content))
    assert caught.value.line == line


def test_columns_are_asked_for_by_name(tmp_path):
    path = put(tmp_path, "x.tntp", GOOD)
    assert sp.read(path, weight=False).weights is None
    assert sp.read(path, attributes=["toll"]).attributes == ("toll",)
    with pytest.raises(sp.GraphError, match="no column 'km'"):
        sp.read(path, weight="km")
    with pytest.raises(sp.GraphError, match="leave source= out"):
        sp.read(path, source="init_node")
    with pytest.raises(sp.GraphError, match="read, not written"):
        sp.write(sp.read(path), tmp_path / "y.tntp")
    assert np.array_equal(sp.read(put(tmp_path, "net", GOOD)).indices, sp.read(path).indices)  # by its content
