"""Weights of any sign over edges in a file, within a byte budget: against the search in memory, bit for bit."""

import numpy as np
import pytest

import graphs
import steppe as sp
from steppe.cpu import external

DTYPES = pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])


def mapped(graph, folder):
    sp.write(graph, folder / "g.steppe")
    return sp.read(folder / "g.steppe")


def smallest(graph, **options):
    """Return the least memory_limit that will do."""
    with pytest.raises(sp.MemoryLimitError) as caught:
        sp.sssp(graph, 0, memory_limit=1, **options)
    return caught.value.needed


def mixed(n, m, dtype, seed):
    """Return a graph with negative weights and no negative cycle: w(u, v) = c(u, v) + p(u) - p(v), c >= 0."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, m))
    height = rng.integers(0, 1000, n)
    weights = rng.integers(0, 300, m) + height[u] - height[v]
    return sp.Graph.from_edges(u, v, weights.astype(dtype), num_vertices=n)


@DTYPES
def test_the_answer_is_that_of_memory(dtype, tmp_path):
    copy = mixed(4000, 40_000, dtype, seed=1)
    graph = mapped(copy, tmp_path)
    assert graph.has_negative
    expected = sp.sssp(copy, 0, device="cpu").distances
    least = smallest(graph)
    for limit in (least, least + 50_000, 1 << 30):
        for record in (False, True):
            answer = sp.sssp(graph, 0, memory_limit=limit, record_paths=record).verify()
            assert answer.distances.tobytes() == expected.tobytes()
            told = answer.explain()
            assert told.peak_bytes <= limit
            assert (told.method, told.threads, told.note) == ("bellman-ford", 1, "edges stay in their file")
    assert told.passes > 1
    assert told.bytes_copied <= graph.num_edges * (4 + np.dtype(dtype).itemsize)


def test_one_byte_too_few(tmp_path):
    graph = mapped(mixed(1000, 9000, np.int32, seed=2), tmp_path)
    least = smallest(graph)
    sp.sssp(graph, 0, memory_limit=least).verify()
    with pytest.raises(sp.MemoryLimitError, match=f"smallest that will do is {least:,}"):
        sp.sssp(graph, 0, memory_limit=least - 1)


def test_a_list_that_spans_many_pieces(tmp_path):
    n = 60_000
    spokes = np.arange(1, n)
    u = np.concatenate([np.zeros(n - 1, int), spokes])
    v = np.concatenate([spokes, spokes // 2])
    copy = sp.Graph.from_edges(u, v, np.concatenate([100 + spokes % 97, 2 - spokes % 7]))
    assert copy.has_negative
    graph = mapped(copy, tmp_path)
    answer = sp.sssp(graph, 0, memory_limit=smallest(graph)).verify()
    assert answer.distances.tobytes() == sp.sssp(copy, 0, device="cpu").distances.tobytes()
    assert answer.explain().parts > 50


@DTYPES
@pytest.mark.parametrize("length", [1, 2, 700])
def test_a_negative_cycle_is_named(dtype, length, tmp_path):
    n = 3000
    path = np.arange(n - 1)
    ring = np.arange(1000, 1000 + length)
    u = np.concatenate([path, ring])
    v = np.concatenate([path + 1, np.roll(ring, -1)])
    weights = np.concatenate([np.full(n - 1, 5), np.zeros(length)])
    weights[-1] = -5 * length  # the ring's other edges weigh nothing
    graph = mapped(sp.Graph.from_edges(u, v, weights.astype(dtype)), tmp_path)
    with pytest.raises(sp.NegativeCycleError) as caught:
        sp.sssp(graph, 0, memory_limit=10**6)
    cycle = caught.value.cycle
    assert sorted(cycle) == ring.tolist()
    assert all((b - a) % length in (0, 1) for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    beyond = sp.sssp(graph, 1000 + length, memory_limit=10**6).verify()  # it cannot be reached from there
    assert beyond.reachable.sum() == n - 1000 - length


@pytest.mark.parametrize("name", graphs.NEGATIVE)
def test_named_graphs(name, tmp_path):
    n, edges = graphs.NEGATIVE[name]
    u, v, weights = zip(*edges, strict=True)
    graph = sp.Graph.from_edges(u, v, weights, num_vertices=n)
    ours = sp.sssp(mapped(graph, tmp_path), 0, memory_limit=10**6).verify()
    assert ours.distances.tobytes() == sp.sssp(graph, 0, device="cpu").distances.tobytes()


def test_overflow_is_seen(tmp_path):
    big = 2**62
    for weights in ([-big, -big, -big], [big, big, -1]):
        graph = mapped(sp.Graph.from_edges([0, 1, 2], [1, 2, 3], weights), tmp_path)
        with pytest.raises(sp.DistanceOverflowError):
            sp.sssp(graph, 0, memory_limit=10**6)
    # A sum that passed the type does not matter where another way leads.
    graph = mapped(sp.Graph.from_edges([0, 1, 0, 3], [1, 2, 2, 0], [big, big, 7, -1]), tmp_path)
    assert sp.sssp(graph, 0, memory_limit=10**6).distances[:3].tolist() == [0, big, 7]


def test_rounding_is_an_error_and_no_wrong_answer(tmp_path):
    """Rings whose exact length is more than 0, but which rounding lets fall: right, or refused; never a cycle."""
    refused = 0
    for i, start in enumerate(np.random.default_rng(1).uniform(0, 100, 40).tolist()):
        edges = [(3, 0, start), (0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.3)]
        u, v, weights = (np.array(column) for column in zip(*edges, strict=True))
        copy = sp.Graph.from_edges(u, v, weights)
        folder = tmp_path / str(i)
        folder.mkdir()
        try:
            answer = sp.sssp(mapped(copy, folder), 3, memory_limit=10**6)
        except sp.NegativeCycleError:
            raise
        except sp.SteppeError:
            refused += 1
        else:
            assert answer.distances.tobytes() == sp.sssp(copy, 3, device="cpu").distances.tobytes()
    assert 0 < refused < 40, "no case has the rounding this test is about, or all have"


def test_targets_and_progress(tmp_path):
    graph = mapped(mixed(4000, 40_000, np.int32, seed=3), tmp_path)
    everywhere = sp.sssp(graph, 0, memory_limit=10**7).distances
    seen = []
    answer = sp.sssp(graph, 0, targets=[5, 9], memory_limit=10**7, progress=lambda step: seen.append(step.done))
    assert answer.distances.tobytes() == everywhere.tobytes()
    assert seen == sorted(seen)


def test_a_mapped_graph_that_would_fill_memory_stays_in_its_file(tmp_path, monkeypatch):
    graph = mapped(mixed(4000, 40_000, np.int32, seed=4), tmp_path)
    monkeypatch.setattr(external.memory, "SMALL", 0)  # small graphs are asked about, too
    monkeypatch.setattr(external.memory, "available", lambda: graph.nbytes)
    assert sp.sssp(graph, 0).verify().explain().note == "edges stay in their file"
