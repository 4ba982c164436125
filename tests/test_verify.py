"""verify accepts exactly the right answers. Every kind of damage must be noticed: what cannot fail proves nothing."""

import sys
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra as scipy_dijkstra

import oracle
import steppe as sp
from answers import TYPES, array_of, graph_of, paths_of, truth
from conftest import examples
from graphs import FLOAT, HUGE, NAMED, NEGATIVE, grid
from steppe import _core

check = sys.modules["steppe.cpu.proof"].check
SOURCE = np.array([0])

CASES = [(name, dtype) for name in NAMED for dtype in [*TYPES, None, "hops"]]
CASES += [(name, np.int64) for name in HUGE] + [(name, dtype) for name in FLOAT for dtype in (np.float32, np.float64)]
TABLES = NAMED | HUGE | FLOAT


def ids(case):
    return f"{case[0]}-{getattr(case[1], '__name__', case[1])}"


@pytest.fixture(autouse=True, scope="module", params=[True, False], ids=["avx512", "plain"])
def vectors(request):
    """Look at eight edges at once, or at one; a processor without AVX-512 does the latter twice."""
    before = _core.testing.use_avx512(request.param)
    yield
    _core.testing.use_avx512(before)


def accepted(graph, distances, sources=SOURCE, **options):
    try:
        check(graph, np.asarray(sources), distances, **options)
    except sp.VerificationError:
        return False
    return True


@pytest.fixture(params=CASES, ids=ids)
def case(request):
    name, dtype = request.param
    n, edges = TABLES[name]
    weights = np.int32 if dtype == "hops" else dtype
    return graph_of(n, edges, weights), truth(n, edges, dtype), dtype == "hops"


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_right_answers_are_accepted(case, threads):
    graph, distances, hops = case
    check(graph, SOURCE, distances, hops=hops, threads=threads)


def test_every_change_of_one_distance_is_rejected(case):
    graph, distances, hops = case
    unreached = inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    for v in range(len(distances)):
        values = {0, 1, unreached, unreached if distances.dtype.kind == "f" else unreached - 1}
        if distances[v] != unreached:
            values |= {distances[v] + 1, distances[v] - 1}
            if distances.dtype.kind == "f":
                values |= {np.nextafter(distances[v], distances.dtype.type(x)) for x in (-inf, inf)} | {np.nan, -inf}
        for value in values:
            damaged = distances.copy()
            damaged[v] = value
            if damaged[v] != distances[v]:
                assert not accepted(graph, damaged, hops=hops), (v, value)


def test_wholesale_damage_is_rejected(case):
    graph, distances, hops = case
    zeros = np.zeros_like(distances)
    if (distances != 0).any():
        assert not accepted(graph, zeros, hops=hops)
    shifted = np.where(distances == distances.max(), distances, distances + 1)
    shifted[0] = 1
    assert not accepted(graph, shifted, hops=hops), "the source is not at 0"


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("threads", [1, 2])
def test_both_vertex_widths_agree(case, width, threads):
    graph, distances, hops = case
    weights = None if hops else graph.weights
    indices = graph.indices.astype(width)
    pred = np.empty(graph.num_vertices, dtype=width)
    rows, question = _core.Rows(graph.indptr, indices, weights), _core.Question(SOURCE, threads=threads)
    _core.canonical_predecessors(rows, question, distances, False, 1 if hops else graph.min_weight, pred)
    assert _core.verify(rows, question, distances, pred, graph.has_negative)[0] == _core.Fault.none
    assert _core.verify(rows, question, distances, None, graph.has_negative)[0] == _core.Fault.none
    if graph.num_vertices > 1:
        damaged = distances.copy()
        damaged[1] = 0 if distances[1] else 3
        assert _core.verify(rows, question, damaged, None, graph.has_negative)[0] != _core.Fault.none


# Predecessors -------------------------------------------------------------------------------------------------------


def valid_tree(n, edges, sources, distances, pred):
    """Say whether pred is a tree of tight edges, in the obvious way."""
    tight = {(u, v) for u, v, w in edges if distances[u] + w == distances[v] != inf}
    for v in range(n):
        if v in sources or distances[v] == inf:
            if pred[v] != -1:
                return False
            continue
        seen, at = set(), v
        while at not in sources:
            if at in seen or (pred[at], at) not in tight:
                return False
            seen.add(at)
            at = pred[at]
    return True


def test_every_change_of_one_predecessor_is_judged_rightly():
    for n, edges in NAMED.values():
        graph, distances = graph_of(n, edges, np.int32), truth(n, edges, np.int32)
        right = oracle.dijkstra(n, edges, [0])
        pred = np.array(oracle.predecessors(n, edges, [0], right), dtype=np.int32)
        check(graph, SOURCE, distances, predecessors=pred)
        for v in range(n):
            for p in [*range(-2, n + 1), 2**31 - 1, -(2**31)]:
                damaged = pred.copy()
                damaged[v] = p
                good = valid_tree(n, edges, [0], right, damaged.tolist())
                assert accepted(graph, distances, predecessors=damaged) == good, (v, p)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_zero_weight_ring_cut_off_from_the_source_is_rejected(threads):
    n, edges = 5, [(0, 1, 4), (2, 3, 0), (3, 2, 0), (3, 4, 1), (1, 2, 9)]
    graph = graph_of(n, edges, np.int32)
    right = np.array([0, 4, 13, 13, 14])
    held_up = np.array([0, 4, 7, 7, 8])  # 2 and 3 claim each other
    check(graph, SOURCE, right, threads=threads)
    with pytest.raises(sp.VerificationError, match="vertex 2 is at distance 7, but no path") as error:
        check(graph, SOURCE, held_up, threads=threads)
    assert error.value.vertex == 2
    for ring in ([-1, 0, 3, 2, 3], [-1, 0, 1, 2, 3]):
        assert not accepted(graph, held_up, predecessors=np.array(ring, dtype=np.int32), threads=threads)
    ring = np.array([-1, 0, 3, 2, 3], dtype=np.int32)
    with pytest.raises(sp.VerificationError, match="predecessors of vertex 2 run in a circle"):
        check(graph, SOURCE, right, predecessors=ring, threads=threads)


def test_a_predecessor_ring_of_zero_weights_in_a_right_answer_is_rejected():
    graph = graph_of(*NAMED["zero cycle"], np.int64)
    distances = truth(*NAMED["zero cycle"], np.int64)
    check(graph, SOURCE, distances, predecessors=np.array([-1, 0, 1, 2, 3, 4], dtype=np.int32))
    with pytest.raises(sp.VerificationError, match="circle"):
        check(graph, SOURCE, distances, predecessors=np.array([-1, 3, 1, 2, 3, 4], dtype=np.int32))


def test_an_absorbed_float_ring_is_rejected():
    n, edges = 4, [(0, 1, 4.0), (2, 3, 1e-30), (3, 2, 1e-30), (1, 2, 9.0)]
    graph = graph_of(n, edges, np.float64)
    assert accepted(graph, np.array([0, 4, 13, 13.0]))
    assert not accepted(graph, np.array([0, 4, 7, 7.0]))
    assert not accepted(graph, np.array([0, 4, 7, 7.0]), predecessors=np.array([-1, 0, 3, 2], dtype=np.int32))


def test_messages_name_labels():
    graph = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    for damaged, said in [
        ([0, 5, 9], "edge 'b' → 'c' of weight 3 improves 9 to 8"),
        ([0, 5, 7], "vertex 'c' is at distance 7, but no path of that length"),
        ([1, 5, 8], "source 'a' is at distance 1, not 0"),
        ([0, 5, sp.UNREACHABLE], "vertex 'c' counts as unreached, but an edge of weight 9 leads to it from 'a'"),
        ([0, 5, -2], "vertex 'c' is -2, but no weight is negative|improves"),
    ]:
        with pytest.raises(sp.VerificationError, match=said):
            check(graph, SOURCE, np.array(damaged))
    right = np.array([0, 5, 8])
    for pred, said in [
        ([-1, 0, 0], "predecessor of vertex 'c' is 'a', but no edge between them leads from 0 to 8"),
        ([-1, 2, 1], "no edge 'c' → 'b'"),
        ([1, 0, 1], "vertex 'a' is unreached or a source, but its predecessor is 1"),
        ([-1, -1, 1], "vertex 'b' is at distance 5, but its predecessor is -1"),
    ]:
        with pytest.raises(sp.VerificationError, match=said):
            check(graph, SOURCE, right, predecessors=np.array(pred, dtype=np.int32))


def test_wrong_types_shapes_sources_and_sentinels_are_rejected():
    graph = graph_of(*NAMED["unreachable"], np.int32)
    distances = truth(*NAMED["unreachable"], np.int32)
    check(graph, SOURCE, distances)
    assert not accepted(graph, distances.astype(np.float64))
    assert not accepted(graph, distances[:-1])
    assert not accepted(graph, distances, predecessors=np.full(6, -1, dtype=np.int64))
    for wrong in ([1], [99], [-1], [], [0, 1]):
        assert not accepted(graph, distances, sources=np.array(wrong, dtype=np.int64))
    for sentinel in (sp.UNREACHABLE - 1, 2**31 - 1, -1):
        assert not accepted(graph, np.where(distances == sp.UNREACHABLE, sentinel, distances))


# Cutoffs, several sources, negative weights ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_a_cutoff_is_inclusive(dtype):
    n, edges = grid(6, 7)
    graph, full = graph_of(n, edges, dtype), truth(n, edges, dtype)
    unreached = full.dtype.type(inf if full.dtype.kind == "f" else sp.UNREACHABLE)
    for bound in [0, *sorted(set(full.tolist()))[::4], 26.5, 1000, inf]:
        masked = np.where(full <= bound, full, unreached)
        check(graph, SOURCE, masked, bound=bound)
        if (full <= bound).sum() > 1 and bound < full.max():
            assert not accepted(graph, full, bound=bound), "something beyond the cutoff"
            assert not accepted(graph, masked), "without the cutoff it is incomplete"
            assert not accepted(graph, np.where(full < full[full <= bound].max(), full, unreached), bound=bound)


def test_several_sources():
    n, edges = NAMED["disconnected"]
    graph, distances = graph_of(n, edges, np.int32), truth(n, edges, np.int32, sources=(0, 4))
    check(graph, np.array([0, 4]), distances)
    check(graph, np.array([4, 0, 4]), distances)
    assert not accepted(graph, distances, sources=[0])
    assert not accepted(graph, distances, sources=[0, 4, 6])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NEGATIVE)
def test_negative_weights(name, dtype):
    n, edges = NEGATIVE[name]
    right = oracle.bellman_ford(n, edges, [0])
    graph, distances = graph_of(n, edges, dtype), array_of(right, dtype)
    pred = np.array(oracle.predecessors(n, edges, [0], right), dtype=np.int32)
    check(graph, SOURCE, distances)
    check(graph, SOURCE, distances, predecessors=pred)
    for v in range(n):
        for step in (-8, -3, -1, 1, 2):
            damaged = distances.copy()
            damaged[v] += step
            assert not accepted(graph, damaged)
            assert not accepted(graph, damaged, predecessors=pred)
        for p in range(-1, n):
            changed = pred.copy()
            changed[v] = p
            good = valid_tree(n, edges, [0], right, changed.tolist())
            assert accepted(graph, distances, predecessors=changed) == good


def test_integers_do_not_wrap():
    n, edges = 4, [(0, 1, 2**62), (1, 2, 2**62), (2, 3, 5)]
    graph = graph_of(n, edges, np.int64)
    for second in (-(2**63), 2**63 - 1, 2**63 - 2, 0):
        assert not accepted(graph, np.array([0, 2**62, second, 2**63 - 1]))
    check(graph, SOURCE, np.array([0, 2**62, 2**63 - 1, 2**63 - 1]), bound=2**62)


# Random graphs --------------------------------------------------------------------------------------------------------

EDGES = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 3)), max_size=30),
    )
)


@settings(deadline=None, max_examples=examples(200))
@given(EDGES, st.sampled_from([*TYPES, None, "hops"]), st.data())
def test_accepted_means_right(table, dtype, data):
    """The certificate is complete and sound: of all distance arrays exactly the right one passes."""
    n, edges = table
    paths = paths_of(n, edges, dtype)
    paths.verify(threads=data.draw(st.sampled_from([1, 2])))
    paths.predecessors  # noqa: B018  (asked for, so that verify checks them too)
    paths.verify()
    guess = paths.distances.copy()
    for v in data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4)):
        guess[v] = data.draw(st.sampled_from([0, 1, 2, 3, 4, paths.unreachable]))
    assert accepted(paths.graph, guess, hops=paths.hops) == np.array_equal(guess, paths.distances)


@settings(deadline=None, max_examples=examples(200))
@given(EDGES, st.data())
def test_accepted_tree_means_tree(table, data):
    n, edges = table
    right = oracle.dijkstra(n, edges, [0])
    pred = oracle.predecessors(n, edges, [0], right)
    for v in data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4)):
        pred[v] = data.draw(st.integers(-1, n - 1))
    graph = graph_of(n, edges, np.int32)
    judged = accepted(graph, array_of(right, np.int32), predecessors=np.array(pred, dtype=np.int32))
    assert judged == valid_tree(n, edges, [0], right, pred)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_large_graphs_against_scipy(threads):
    """All threads have blocks of their own, a row is cut in pieces; the fault named is the same one."""
    rng = np.random.default_rng(7)
    n, m = 20_000, 120_000
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    u[:3000] = 17  # a long row
    w = rng.integers(1, 50, m)
    order = np.unique(u * n + v, return_index=True)[1]  # SciPy adds parallel edges up
    u, v, w = u[order], v[order], w[order]
    graph = sp.Graph.from_edges(u, v, w, num_vertices=n)
    d = scipy_dijkstra(csr_array((w.astype(float), (u, v)), shape=(n, n)), indices=17)
    distances = np.where(np.isinf(d), float(2**62), d).astype(np.int64)
    distances[np.isinf(d)] = sp.UNREACHABLE
    check(graph, np.array([17]), distances, threads=threads)
    faults = rng.choice(np.flatnonzero(~np.isinf(d)), 40, replace=False)
    faults = faults[faults != 17]
    for f in faults:
        for step in (-1, 1):
            damaged = distances.copy()
            damaged[f] += step
            assert not accepted(graph, damaged, sources=[17], threads=threads)
    damaged = distances.copy()
    damaged[faults] = -1
    with pytest.raises(sp.VerificationError) as error:
        check(graph, np.array([17]), damaged, threads=threads)
    with pytest.raises(sp.VerificationError) as alone:
        check(graph, np.array([17]), damaged, threads=1)
    assert error.value.vertex == alone.value.vertex
