"""The NetworkX backend beside NetworkX: its own tests, every function on random graphs of every kind, and what is declined."""

import inspect
import itertools
import json
import math
import os
import pickle
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import steppe as sp
import steppe.networkx as backend
from _steppe_networkx import FUNCTIONS, get_info
from steppe.networkx.graph import ConvertedGraph
from steppe.networkx.results import LazyPaths

SUITES = [
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.traversal",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.centrality.tests.test_closeness_centrality",
    "networkx.algorithms.centrality.tests.test_harmonic_centrality",
    "networkx.algorithms.tests.test_voronoi",
    "networkx.algorithms.tests.test_wiener",
]


@pytest.fixture(autouse=True)
def no_word_about_the_cache():
    """NetworkX warns whenever it uses a conversion again; here all are meant to be."""
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


def test_networkxs_own_tests_pass(tmp_path):
    """All of them; at least 95 of 100 calls to what we declare are answered by us."""
    paths = {"PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "networkx_suite", "-p", "no:cacheprovider", "--pyargs", *SUITES],
        cwd=tmp_path,
        env=os.environ | paths | {"NETWORKX_TEST_BACKEND": "steppe", "NETWORKX_FALLBACK_TO_NX": "True"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) >= 400
    assert "xfailed" not in done.stdout
    used, fallen = (
        json.loads(re.search(rf"^{word} (.*)$", done.stdout, re.MULTILINE).group(1)) for word in ("used", "fallen")
    )
    # A few tests ask for the diameter thousands of times; the others must do without their help.
    few = {name: min(count, 100) for name, count in used.items()}
    assert sum(few.values()) / (sum(few.values()) + sum(fallen.values())) >= 0.95
    assert len(used) >= len(FUNCTIONS) - 2


def test_what_is_declared_is_there_and_has_networkxs_signature():
    assert set(get_info()["functions"]) == set(FUNCTIONS)
    for name in FUNCTIONS:
        theirs = getattr(nx, name).orig_func
        assert (
            inspect.signature(getattr(backend, name)).parameters.keys() == inspect.signature(theirs).parameters.keys()
        )
    points = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["entry-points"]
    assert points == {
        "networkx.backends": {"steppe": "steppe.networkx"},
        "networkx.backend_info": {"steppe": "_steppe_networkx:get_info"},
    }


def test_importing_networkx_does_not_import_steppe():
    code = "import sys, networkx; print('steppe' in networkx.config.backends, [m for m in sys.modules if m.startswith(('steppe', '_steppe'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True ['_steppe_networkx']"


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def made(rng, kind, n, *, weights=(0, 1, 2, 3), connected=False):
    """A random graph with labels of several types; some edges have no weight."""
    names = [("v", i) if i % 3 == 0 else f"v{i}" if i % 3 == 1 else i for i in range(n)]
    G = kind()
    G.add_nodes_from(names[i] for i in rng.permutation(n))
    for _ in range(int(rng.integers(0, 3 * n + 1))):
        u, v = (names[i] for i in rng.integers(0, n, 2))
        data = {"weight": rng.choice(weights).item()} if rng.random() < 0.8 else {}
        G.add_edge(u, v, **data)
    if connected:
        for a, b in zip(names, names[1:] + names[:1], strict=True):
            G.add_edge(a, b, weight=1)
    return G


def settled(value):
    """A result as plain containers, and no number of NumPy's in it."""
    if isinstance(value, Mapping):
        return {k: settled(v) for k, v in value.items()}
    if isinstance(value, Iterator | list | tuple):
        return [settled(v) for v in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    assert not isinstance(value, np.generic)
    return value


def outcome(call, *args, **options):
    try:
        return settled(call(*args, **options))
    except (nx.NetworkXException, ValueError) as error:
        return type(error), str(error)


LENGTHS = [
    "single_source_dijkstra_path_length",
    "single_source_bellman_ford_path_length",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
]


@pytest.mark.parametrize("kind", KINDS)
def test_lengths_equal_networkxs(kind):
    rng = np.random.default_rng(1)
    for n in (1, 2, 6, 10) * 4:
        G = made(rng, kind, n)
        nodes = list(G)
        s, t = nodes[0], nodes[-1]
        for name in LENGTHS:
            assert outcome(getattr(nx, name), G, s, backend="steppe") == outcome(getattr(nx, name), G, s)
        for weight in (None, "weight", "none has it"):
            for options in ({}, {"source": s}, {"target": t}, {"source": s, "target": t}):
                for method in ("dijkstra", "bellman-ford"):
                    asked = {"weight": weight, "method": method, **options}
                    got = outcome(nx.shortest_path_length, G, **asked, backend="steppe")
                    assert got == outcome(nx.shortest_path_length, G, **asked), asked
        for cutoff in (-1, 0, 1, 1.5, 3):
            for name in LENGTHS[::2]:
                got = outcome(getattr(nx, name), G, s, cutoff=cutoff, backend="steppe")
                assert got == outcome(getattr(nx, name), G, s, cutoff=cutoff), (name, cutoff)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_shortest_and_lazy(kind):
    rng = np.random.default_rng(2)
    for n in (1, 3, 9) * 4:
        G = made(rng, kind, n)
        s = next(iter(G))
        far, paths = nx.single_source_dijkstra(G, s, backend="steppe")
        want = nx.single_source_dijkstra_path_length(G, s)
        assert far == want
        assert isinstance(paths, LazyPaths)
        assert paths.keys() == want.keys()
        for node, path in paths.items():
            assert path[0] == s
            assert path[-1] == node
            assert _length(G, path) == want[node]
        # Without weights, the very paths that NetworkX finds, in its order.
        assert dict(nx.single_source_shortest_path(G, s, backend="steppe")) == nx.single_source_shortest_path(G, s)
        assert list(nx.bfs_edges(G, s, backend="steppe")) == list(nx.bfs_edges(G, s))
        H = made(rng, kind, n, weights=(1, 2, 3))
        for t in G:
            listed = sorted(map(str, _listed(H, s, t, backend="steppe")))
            assert listed == sorted(map(str, _listed(H, s, t)))
            assert nx.has_path(G, s, t, backend="steppe") == nx.has_path(G, s, t)


def test_a_mapping_of_paths_is_like_a_dictionary():
    G = nx.path_graph(4)
    paths = nx.single_source_shortest_path(G, 0, backend="steppe")
    assert paths == {0: [0], 1: [0, 1], 2: [0, 1, 2], 3: [0, 1, 2, 3]} == paths
    assert repr(paths) == repr(dict(paths))
    paths[2].append(9)  # a list of one's own
    assert paths[2] == [0, 1, 2]
    paths[2] = ["other"]
    del paths[3]
    assert dict(pickle.loads(pickle.dumps(paths))) == {0: [0], 1: [0, 1], 2: ["other"]}  # noqa: S301
    with pytest.raises(KeyError):
        paths["nowhere"]
    assert 3 not in paths


def _listed(G, s, t, **options):
    try:
        return list(nx.all_shortest_paths(G, s, t, weight="weight", **options))
    except nx.NetworkXNoPath:
        return ["none"]


def _length(G, path):
    def lightest(u, v):
        data = G[u][v]
        return min(d.get("weight", 1) for d in data.values()) if G.is_multigraph() else data.get("weight", 1)

    return sum(lightest(u, v) for u, v in itertools.pairwise(path))


@pytest.mark.parametrize("kind", KINDS)
def test_measures_equal_networkxs(kind):
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 9) * 3:
        for connected in (True, False):
            G = made(rng, kind, n, weights=(1, 2, 3), connected=connected)
            for weight in (None, "weight"):
                for name in ("eccentricity", "diameter", "radius", "periphery", "wiener_index"):
                    got = outcome(getattr(nx, name), G, weight=weight, backend="steppe")
                    assert got == outcome(getattr(nx, name), G, weight=weight), name
                for name in ("average_shortest_path_length", "center"):
                    got = outcome(getattr(nx, name), G, weight=weight, backend="steppe")
                    want = outcome(getattr(nx, name), G, weight=weight)
                    assert got == want or sorted(map(str, got)) == sorted(map(str, want)), name
                for name in ("closeness_centrality", "harmonic_centrality"):
                    got = getattr(nx, name)(G, distance=weight, backend="steppe")
                    assert got == pytest.approx(getattr(nx, name)(G, distance=weight), rel=1e-12), name
            centers = list(G)[: max(1, n // 3)]
            cells = nx.voronoi_cells(G, set(centers), backend="steppe")
            assert set().union(*cells.values()) == set(G)
            far = nx.multi_source_dijkstra_path_length(G, set(centers))
            for center, cell in cells.items():
                for node in cell:
                    assert (center == "unreachable") == (node not in far)
                    assert node not in far or nx.dijkstra_path_length(G, center, node) == far[node]


def test_negative_weights_and_cycles():
    rng = np.random.default_rng(4)
    seen = set()
    for n in (1, 3, 5, 8) * 8:
        G = made(rng, nx.DiGraph, n, weights=(-1, 1, 2, 3, 4))
        s = next(iter(G))
        for name in ("single_source_bellman_ford_path_length", "negative_edge_cycle"):
            args = (G, s) if "single" in name else (G,)
            got = outcome(getattr(nx, name), *args, backend="steppe")
            assert got == outcome(getattr(nx, name), *args), name
            seen.add(str(got)[:8])
        try:
            cycle = nx.find_negative_cycle(G, s, backend="steppe")
        except nx.NetworkXError:
            continue
        assert cycle[0] == cycle[-1]
        assert _length(G, cycle) < 0
    assert len(seen) > 3
    G = nx.DiGraph([(0, 1, {"weight": -1})])
    with pytest.raises(NotImplementedError) as caught:
        nx.dijkstra_path(G, 0, 1, backend="steppe")
    assert "negative" in str(caught.value.__cause__)


def test_integers_stay_integers_however_long():
    G = nx.Graph()
    G.add_edge("a", "b", weight=2**53)
    G.add_edge("b", "c", weight=1)
    found = nx.single_source_dijkstra_path_length(G, "a", backend="steppe")
    assert found == {"a": 0, "b": 2**53, "c": 2**53 + 1}
    assert {type(d) for d in found.values()} == {int}


def test_weight_functions_and_hidden_edges():
    G = nx.Graph([(0, 1, {"km": 5}), (1, 2, {"km": 3}), (0, 2, {"km": 20})])
    assert nx.dijkstra_path_length(G, 0, 2, weight=lambda u, v, d: d["km"] * 2, backend="steppe") == 16
    hidden = nx.dijkstra_path(G, 0, 2, weight=lambda u, v, d: None if d["km"] == 5 else d["km"], backend="steppe")
    assert hidden == [0, 2]
    G[0][1]["km"] = 100  # functions are asked each time: nothing stale is used
    assert nx.dijkstra_path_length(G, 0, 2, weight=lambda u, v, d: d["km"], backend="steppe") == 20


@pytest.mark.parametrize("weight", [None, math.inf, math.nan, "a", 1j, 2**70])
def test_what_cannot_be_a_weight_is_declined_with_a_reason(weight):
    G = nx.Graph([(0, 1, {"weight": weight})])
    with pytest.raises(NotImplementedError) as caught:
        nx.dijkstra_path_length(G, 0, 1, backend="steppe")
    assert "weight" in str(caught.value.__cause__)


def test_reasons():
    G = nx.path_graph(3)
    assert "heuristic" in backend.can_run("astar_path", (G, 0, 2), {"heuristic": lambda u, v: 0})
    assert "sorts" in backend.can_run("bfs_edges", (G, 0), {"sort_neighbors": sorted})
    assert "tells" in backend.can_run("generic_bfs_edges", (G, 0, lambda v: []), {})
    assert backend.can_run("bellman_ford_predecessor_and_distance", (G, 0), {"heuristic": True}) is True
    assert backend.can_run("shortest_path", (G, 0, 2), {}) is True
    assert "fewer than" in backend.should_run("shortest_path", (G,), {})
    assert backend.should_run("shortest_path", (nx.path_graph(600),), {}) is True


def test_conversions_are_kept_until_the_graph_changes():
    G = nx.path_graph(50)
    nx.set_edge_attributes(G, 2, "weight")
    assert nx.dijkstra_path_length(G, 0, 49, backend="steppe") == 98
    (kept,) = G.__networkx_cache__["backends"]["steppe"].values()
    assert isinstance(kept, ConvertedGraph)
    nx.config.warnings_to_ignore.discard("cache")
    with pytest.warns(UserWarning, match="cache"):
        assert nx.shortest_path_length(G, 0, 49, backend="steppe") == 49  # the weighted one has hops, too
    G.add_edge(0, 49, weight=1)
    assert nx.dijkstra_path_length(G, 0, 49, backend="steppe") == 1


def test_views_and_native_reading():
    G = made(np.random.default_rng(8), nx.MultiDiGraph, 12)
    views = [G, G.reverse(copy=False), G.subgraph(list(G)[:7]), nx.subgraph_view(G, filter_edge=lambda u, v, k: k == 0)]
    for view in views:
        s = next(iter(view))
        got = nx.single_source_dijkstra_path_length(view, s, backend="steppe")
        assert got == nx.single_source_dijkstra_path_length(view, s)
        assert sp.sssp(sp.Graph.from_networkx(view), s).to_dict() == got
    back = backend.convert_to_nx(backend.convert_from_nx(nx.Graph(G)))
    assert set(back.nodes) == set(G)
    assert nx.utils.edges_equal(back.edges, nx.Graph(G).edges)


def test_reading_nodes_that_are_equal_but_not_the_same():
    """1.0 and True are the node 1 to a dictionary."""
    G = nx.Graph([(0, 1, {"weight": 2}), (1.0, 2, {"weight": 3}), (2, True, {"weight": 1})])
    assert nx.dijkstra_path_length(G, 0, 2, backend="steppe") == nx.dijkstra_path_length(G, 0, 2) == 3
    H = nx.DiGraph()
    H.add_nodes_from(range(3))
    H.add_edge(0, 2.0, weight=4)
    assert sp.sssp(sp.Graph.from_networkx(H), 0).distance(2) == 4


def test_numbers_of_every_kind_are_read():
    G = nx.Graph()
    values = [1, True, np.int8(2), np.uint64(3), np.float32(0.5), 2.5, np.float64(1.5)]
    for i, value in enumerate(values):
        G.add_edge(i, i + 1, weight=value)
    assert nx.dijkstra_path_length(G, 0, len(values), backend="steppe") == sum(float(v) for v in values)
    G.add_edge(0, 1, weight=2**60 + 1)  # exact as an integer, not as the float it would become
    with pytest.raises(sp.GraphError, match="not exact"):
        sp.Graph.from_networkx(G)


def test_errors_are_networkxs():
    G = nx.DiGraph([(0, 1)])
    calls = [
        lambda **o: nx.shortest_path(G, 0, 9, **o),
        lambda **o: nx.shortest_path(G, 9, 0, **o),
        lambda **o: nx.shortest_path(G, 1, 0, **o),
        lambda **o: nx.dijkstra_path(G, 1, 0, **o),
        lambda **o: nx.dijkstra_path_length(G, 9, 0, **o),
        lambda **o: nx.bidirectional_dijkstra(G, 1, 0, **o),
        lambda **o: nx.multi_source_dijkstra(G, [], **o),
        lambda **o: nx.shortest_path(G, 0, 1, weight="weight", method="x", **o),
        lambda **o: nx.bellman_ford_path(G, 1, 0, **o),
        lambda **o: list(nx.bfs_edges(G, 9, **o)),
        lambda **o: nx.eccentricity(G, **o),
        lambda **o: nx.average_shortest_path_length(G, **o),
        lambda **o: nx.single_source_shortest_path(G, 9, **o),
        lambda **o: list(nx.all_shortest_paths(G, 1, 0, **o)),
    ]
    for call in calls:
        mine = outcome(call, backend="steppe")
        assert isinstance(mine, tuple)
        assert mine == outcome(call), call
