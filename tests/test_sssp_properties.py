"""What must hold of shortest paths on any graph, whatever it looks like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from answers import TYPES, graph_of, truth
from conftest import examples
from steppe.planning import capabilities

METHODS = capabilities.WEIGHTED
SOURCE = 0


@pytest.fixture(scope="module", autouse=True)
def _threads_are_used():
    """However small the graph, and with more threads than this machine has."""
    patch = pytest.MonkeyPatch()
    patch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    patch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    yield
    patch.undo()


@st.composite
def cases(draw, floats=True):
    """A small graph (n, edges, dtype) with loops, parallel and missing edges; weights that tie, vanish and round."""
    n = draw(st.integers(1, 12))
    dtype = draw(st.sampled_from(TYPES if floats else TYPES[:2]))
    vertex = st.integers(0, n - 1)
    if np.dtype(dtype).kind == "i":
        weight = st.one_of(st.integers(0, 4), st.integers(0, 2**31 - 1 if dtype is np.int32 else 2**58))
    else:
        width = 32 if dtype is np.float32 else 64
        weight = st.one_of(
            st.integers(0, 4).map(float),
            st.floats(0, 100, width=width),
            st.sampled_from([1e-30, 0.1, 1e30, float("inf")]),
        )
    edges = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=40))
    return n, edges, dtype


def solve(n, edges, dtype, **options):
    return sp.sssp(graph_of(n, edges, dtype), SOURCE, **{"method": "dijkstra", **options})


quick = settings(max_examples=examples(120), deadline=None)


@quick
@given(cases(), st.sampled_from(METHODS), st.sampled_from([1, 2, 5]), st.booleans())
def test_every_method_gives_the_oracles_bits_and_a_proof(case, method, threads, record):
    r = solve(*case, method=method, threads=threads, record_paths=record)
    assert np.array_equal(r.distances, truth(*case))
    r.predecessors  # noqa: B018 - so that they are proven too
    r.verify()


@quick
@given(cases(), st.floats(5e-324, 1e300), st.sampled_from([1, 3]))
def test_delta_has_no_influence(case, delta, threads):
    r = solve(*case, method="delta-stepping", delta=delta, threads=threads)
    assert np.array_equal(r.distances, solve(*case).distances)


@quick
@given(cases(), st.randoms(use_true_random=False))
def test_new_numbers_for_the_vertices_change_nothing(case, random):
    n, edges, dtype = case
    names = list(range(n))
    random.shuffle(names)
    g = graph_of(n, [(names[u], names[v], w) for u, v, w in edges], dtype)
    r = sp.sssp(g, names[SOURCE], method="delta-stepping")
    assert np.array_equal(r.distances[names], solve(*case).distances)


@quick
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(case, random):
    n, edges, dtype = case
    shuffled = list(edges)
    random.shuffle(shuffled)
    a, b = solve(*case), solve(n, shuffled, dtype, method="delta-stepping")
    assert np.array_equal(a.distances, b.distances)
    assert np.array_equal(a.predecessors, b.predecessors)


@quick
@given(cases(floats=False))
def test_twice_the_weights_twice_the_distances(case):
    n, edges, _ = case
    once, twice = (solve(n, [(u, v, k * w) for u, v, w in edges], np.int64) for k in (1, 2))
    assert np.array_equal(once.reachable, twice.reachable)
    assert np.array_equal(2 * once.distances[once.reachable], twice.distances[twice.reachable])


@quick
@given(cases().filter(lambda case: np.dtype(case[2]).kind == "f"))
def test_scaling_by_a_power_of_two_scales_floats_exactly(case):
    n, edges, dtype = case
    edges = [(u, v, w) for u, v, w in edges if w == 0 or 1e-20 < w < 1e20 or w == np.inf]
    a, b = solve(n, edges, dtype), solve(n, [(u, v, w * 2**20) for u, v, w in edges], dtype, method="delta-stepping")
    assert np.array_equal(a.distances * dtype(2**20), b.distances)
    assert np.array_equal(a.predecessors, b.predecessors)


@quick
@given(cases(), st.data())
def test_one_more_edge_never_makes_a_path_longer(case, data):
    n, edges, dtype = case
    u, v = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    more = [*edges, (u, v, data.draw(st.integers(0, 9)))]
    before, after = solve(*case).distances, solve(n, more, dtype, method="delta-stepping").distances
    assert (after <= before).all()


@quick
@given(cases(floats=False), st.data())
def test_the_way_back_is_as_long_in_the_reverse_graph(case, data):
    g = graph_of(*case)
    v = data.draw(st.integers(0, g.num_vertices - 1))
    there = sp.sssp(g, SOURCE).distance(v)
    back = sp.sssp(g.reverse, v, method="delta-stepping").distance(SOURCE)
    assert there == back


@quick
@given(cases(floats=False), st.data())
def test_triangle_inequality(case, data):
    g = graph_of(*case)
    v = data.draw(st.integers(0, g.num_vertices - 1))
    one, two = sp.sssp(g, SOURCE), sp.sssp(g, v)
    if one.reachable[v]:
        for x in np.flatnonzero(two.reachable):
            assert int(one.distances[x]) <= int(one.distances[v]) + int(two.distances[x])


@quick
@given(cases(), st.sampled_from(METHODS), st.data())
def test_cutoff_and_targets_take_a_part_of_the_whole(case, method, data):
    g, whole = graph_of(*case), solve(*case)
    reached = whole.distances[whole.reachable].tolist()
    bound = data.draw(st.sampled_from(reached))
    r = sp.sssp(g, SOURCE, method=method, cutoff=bound).verify()
    assert np.array_equal(r.reachable, whole.reachable & (whole.distances <= bound))
    assert np.array_equal(r.distances[r.reachable], whole.distances[r.reachable])
    target = int(data.draw(st.sampled_from(np.flatnonzero(whole.reachable).tolist())))
    part = sp.sssp(g, SOURCE, method=method, targets=[target], record_paths=True).verify()
    assert np.array_equal(part.reachable, whole.reachable & (whole.distances <= whole.distances[target]))


@quick
@given(cases())
def test_hops_are_distances_of_weight_one(case):
    n, edges, _ = case
    ones = [(u, v, 1) for u, v, _ in edges]
    g = graph_of(n, ones, np.int32)
    hops = sp.bfs(g, SOURCE, threads=2)
    for method in METHODS:
        r = sp.sssp(g, SOURCE, method=method)
        assert np.array_equal(r.reachable, hops.reachable)
        assert np.array_equal(r.distances[r.reachable], hops.distances[r.reachable])


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["float32", "float64", (0, 6), (1, 2**31 - 1)]))
def test_methods_and_threads_agree_bit_for_bit_on_larger_graphs(seed, weights):
    n = 20 + seed % 2_000
    g = sp.generate.random(n, n * (1 + seed % 9), weights=weights, seed=seed)
    expected = sp.sssp(g, seed % n, method="dijkstra").verify().distances
    for method in METHODS[1:]:
        for threads in (1, 2, 7):
            assert np.array_equal(sp.sssp(g, seed % n, method=method, threads=threads).distances, expected)
