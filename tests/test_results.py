"""Results speak one language: UNREACHABLE, labels, verify() and explain(), progress, limits; the same for every call."""

import copy
import json
import operator
import pickle

import numpy as np
import pytest

import steppe as sp

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64]
COMPARE = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compare", COMPARE, ids=lambda f: f.__name__)
def test_arrays_of_every_width(dtype, compare):
    largest = np.iinfo(dtype).max
    array = np.array([0, 1, largest - 1, largest], dtype=dtype)
    expected = [bool(compare(int(x), int(largest))) for x in array]
    assert compare(array, sp.UNREACHABLE).tolist() == expected
    assert compare(sp.UNREACHABLE, array).tolist() == [bool(compare(int(largest), int(x))) for x in array]
    assert bool(compare(array[3], sp.UNREACHABLE)) == expected[3]


def test_it_is_a_number_like_any_other():
    assert sp.UNREACHABLE == 2**63 - 1
    assert isinstance(sp.UNREACHABLE, int)
    assert repr(sp.UNREACHABLE) == str(2**63 - 1)
    assert sp.UNREACHABLE - 1 == 2**63 - 2
    assert hash(sp.UNREACHABLE) == hash(2**63 - 1)
    assert json.dumps(sp.UNREACHABLE) == str(2**63 - 1)
    assert pickle.loads(pickle.dumps(sp.UNREACHABLE)) is sp.UNREACHABLE  # noqa: S301
    assert copy.deepcopy(sp.UNREACHABLE) is sp.UNREACHABLE
    assert np.full(2, sp.UNREACHABLE).dtype == np.int64
    assert np.minimum(np.array([3]), sp.UNREACHABLE).tolist() == [3]
    assert (np.array([1.5, np.inf]) == sp.UNREACHABLE).tolist() == [False, False]
    array = np.zeros(2, dtype=np.int64)
    array[0] = sp.UNREACHABLE
    assert np.add(array, 0, out=array).max() == sp.UNREACHABLE


def test_every_call(tmp_path):
    g = sp.Graph.from_edges([0, 1], [1, 2], [5, 7], num_vertices=4)
    for answer in (sp.sssp(g, 0), sp.bfs(g, 0), sp.nearest(g, [0, 1])):
        assert (answer.distances == sp.UNREACHABLE).tolist() == [False, False, False, True]
        assert (answer.distances < sp.UNREACHABLE).tolist() == [True, True, True, False]
        assert answer.distance(3) == sp.UNREACHABLE
    assert sp.route(g, 0, 3).distance == sp.UNREACHABLE
    for dtype in ("int64", "uint16", "int8"):
        matrix = sp.distances(g, [0, 3], dtype=dtype)
        assert (matrix == sp.UNREACHABLE).tolist() == [[False, False, False, True], [True, True, True, False]]
    kept = sp.all_pairs(g, dtype="uint8", out=tmp_path / "m.npy")
    assert int((kept == sp.UNREACHABLE).sum()) == 9


NO_ANSWERS = {"Block", "DeviceInfo", "Explanation", "Graph", "PartitionedGraph", "PathList", "Plan", "Progress", "Ray"}
"""Public classes that are no answer of a whole call."""


def test_every_answer_is_proven_and_explained():
    classes = {name for name in sp.__all__ if isinstance(getattr(sp, name), type)}
    results = {name for name in classes - NO_ANSWERS if not issubclass(getattr(sp, name), Exception)}
    g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3], num_vertices=4)
    g = g.with_coordinates([(0, 0), (1, 0), (1, 1), (0, 1)])
    answers = [
        sp.sssp(g, 0),
        sp.bfs(g, 0, reverse=True),
        sp.nearest(g, [0, 1]),
        sp.nearest(g, [0, 1], k=2),
        sp.nearest(g, [0, 1], offsets=[3, 0]),
        sp.isochrones(g, 0, [5, 8]),
        sp.route(g, 0, 2),
        sp.k_shortest_paths(g, 0, 2, 2)[1],
        sp.all_shortest_paths(g, 0, 2),
        sp.all_pairs(g, predecessors=True),
        sp.distances(g, [0], along=[]),
    ]
    assert {type(answer).__name__ for answer in answers} | {"PartitionedPaths"} == results
    for answer in answers:
        assert answer.verify() is answer
        assert isinstance(answer.explain(), sp.Explanation)
        assert answer.explain().method
        assert answer.explain().seconds > 0


def test_paths_that_are_not_all_are_noticed():
    paths = sp.all_shortest_paths(sp.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [1, 1, 1, 1]), 0, 3)
    paths._before[3].pop()
    with pytest.raises(sp.VerificationError, match="not all"):
        paths.verify()


def test_indices_have_a_form_in_labels():
    g = sp.Graph.from_edges(["a", "b", "x"], ["b", "c", "y"], [5, 3, 1], relabel=True)
    r = sp.sssp(g, "a")
    assert r.predecessors.tolist() == [-1, 0, 1, -1, -1]
    assert r.predecessor_labels.tolist() == [None, "a", "b", None, None]
    assert (r.predecessor("c"), r.predecessor("a"), r.predecessor("y")) == ("b", None, None)
    near = sp.nearest(g, ["b", "x"]).verify()
    assert near.source_index.tolist() == [-1, 1, 1, 3, 3]
    assert near.sources.tolist() == [None, "b", "b", "x", "x"]
    assert near.explain().method == "dijkstra"
    assert near.explain().seconds > 0


def test_a_wrong_winner_is_noticed():
    g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1, 5, 2, 1], directed=False)
    near = sp.nearest(g, [0, 4])
    wrong = sp.Nearest(near.graph, near.distances, near.source_index.copy(), near.paths)
    wrong.source_index[1] = 4
    with pytest.raises(sp.VerificationError, match="vertex 1"):
        wrong.verify()


@pytest.mark.pocl
def test_routes_and_nearest_on_a_device():
    g = sp.generate.grid(30, 40, seed=2)
    for target in (0, 7, 1199):
        here, there = sp.route(g, 3, target).verify(), sp.route(g, 3, target, device="opencl").verify()
        assert here.distance == there.distance
        assert there.explain().device.startswith("opencl")
        assert here.explain().method == "bidirectional"
    here, there = sp.nearest(g, [3, 600]), sp.nearest(g, [3, 600], device="opencl").verify()
    assert np.array_equal(here.distances, there.distances)
    assert np.array_equal(here.source_index, there.source_index)
    assert not sp.route(sp.Graph.from_edges([0], [1], [2], num_vertices=3), 0, 2, device="opencl")
    small = sp.nearest(g, [3, 600], memory_limit=200_000)
    assert small.explain().engine == "external"
    assert np.array_equal(here.source_index, small.verify().source_index)


def test_progress_is_told_by_all(monkeypatch):
    g, seen = sp.generate.grid(30, 40, seed=2), []
    sp.route(g, 0, 1199, progress=seen.append)
    assert seen[-1].unit == "vertices"
    assert 0 < seen[-1].done <= 1200 == seen[-1].total
    for call in (lambda p: sp.sssp(g, 0, progress=p), lambda p: sp.nearest(g, [0], progress=p)):
        assert np.array_equal(call(True).distances, call(False).distances)  # no terminal: no bar
        with pytest.raises(TypeError, match="progress must be True or a function"):
            call("loud")


def test_a_plain_bar_without_rich(monkeypatch):
    import io
    import sys

    from steppe.planning.progress import Bar

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setitem(sys.modules, "rich", None)
    screen = Terminal()
    bar = Bar(screen)
    bar(sp.Progress(10, 100))
    assert screen.getvalue() == ""
    bar.start -= 2
    bar(sp.Progress(50, 100, "sources", "half way"))
    assert screen.getvalue().strip().startswith("50% 50 sources, half way, 2 s")
    bar.close()
    assert screen.getvalue().endswith("\r" + " " * 78 + "\r")


def test_a_matrix_within_a_limit(tmp_path):
    g = sp.generate.grid(20, 20, seed=2)
    right = sp.all_pairs(g)
    assert np.array_equal(sp.all_pairs(g, memory_limit=2_000_000), right)
    with pytest.raises(sp.ResultSizeError, match="out="):
        sp.all_pairs(g, memory_limit=1_000_000)
    assert np.array_equal(sp.all_pairs(g, memory_limit=20_000, out=tmp_path / "m.npy"), right)


@pytest.mark.pocl
@pytest.mark.parametrize("dtype", [None, np.int32, np.int64, np.float32, np.float64])
def test_a_search_on_a_device_builds_its_tree_there(dtype, monkeypatch):
    edges = np.random.default_rng(3).integers(0, 300, (2, 2000))
    weights = None if dtype is None else (np.arange(2000) % 7).astype(dtype) * (2**33 if dtype is np.int64 else 1)
    g = sp.Graph.from_edges(*edges, weights, num_vertices=300)
    here = sp.sssp(g, 0, device="cpu").predecessors, sp.bfs(g, 0, device="cpu").predecessors
    monkeypatch.setattr("steppe.cpu.tree.predecessors", None)  # nobody may ask the CPU
    there = sp.sssp(g, 0, device="opencl"), sp.bfs(g, 0, device="opencl")
    for expected, answer in zip(here, there, strict=True):
        assert np.array_equal(answer.predecessors, expected)
        assert answer.predecessors.dtype == expected.dtype
        answer.verify()


@pytest.mark.pocl
def test_a_tree_without_room_on_the_device_is_built_on_the_cpu():
    g = sp.generate.grid(30, 40, seed=2)
    answer = sp.sssp(g, 0, device="opencl")
    answer._device.memory.limit, kept = answer._device.memory.used, answer._device.memory.limit
    try:
        assert np.array_equal(answer.predecessors, sp.sssp(g, 0, device="cpu").predecessors)
    finally:
        answer._device.memory.limit = kept
