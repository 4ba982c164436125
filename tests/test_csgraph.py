"""steppe.csgraph beside scipy.sparse.csgraph: SciPy's own tests, random matrices of every kind, errors, and what is kept."""

import gc
import inspect
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as ss
from scipy.sparse import csgraph as theirs

import steppe as sp
from simple_paths import simple_paths
from steppe import csgraph as ours
from steppe.csgraph import matrices

NONE = -9999


def test_scipys_own_tests_pass(tmp_path):
    """All of them, and they do reach our functions: the calls are counted."""
    suites = [f"scipy.sparse.csgraph.tests.test_{name}" for name in ("shortest_path", "traversal")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "scipy_suite", "-p", "no:cacheprovider", "--pyargs", *suites],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout
    assert int(passed.group(1)) >= 90
    assert not re.search(r"failed|skipped|xfailed", done.stdout), done.stdout
    calls = json.loads(re.search(r"^calls (.*)$", done.stdout, re.MULTILINE).group(1))
    assert calls["shortest_path"] >= 100
    assert calls["dijkstra"] >= 50
    assert set(calls) >= {"bellman_ford", "johnson", "yen", "construct_dist_matrix", "breadth_first_tree"}


def test_signatures_are_scipys():
    """SciPy's are compiled, and keep theirs in the first line of the docstring."""
    for name in ours.__all__:
        if inspect.isclass(getattr(ours, name)):
            continue
        first = inspect.getdoc(getattr(theirs, name)).partition("\n\n")[0]
        asked = [p.partition("=")[0].strip() for p in re.search(r"\((.*)\)", first, re.DOTALL).group(1).split(",")]
        assert [n for n in asked if n != "*"] == list(inspect.signature(getattr(ours, name)).parameters), name


def matrix(rng, kind, n, *, negative=False):
    """A random matrix; weights are few small numbers, so that there are ties and zeros."""
    count = int(rng.integers(0, 3 * n + 1))
    u, v = rng.integers(0, n, (2, count), dtype=np.int32)  # SciPy's yen takes no others
    w = rng.choice([0, 0.5, 1, 2, 3, 1e-9], count)
    if negative:
        height = rng.integers(0, 4, n)
        w = w + height[u] - height[v]  # some below 0, no cycle is
    if kind in ("dense", "masked", "list"):
        dense = np.zeros((n, n))
        dense[u, v] = w
        if kind == "masked":
            mask = np.ones((n, n), dtype=bool)
            mask[u, v] = False
            return np.ma.masked_array(dense, mask)
        dense[rng.random((n, n)) < 0.1] = rng.choice([np.inf, np.nan])
        return dense.tolist() if kind == "list" else dense
    if kind == "csr with duplicates":
        order = np.argsort(u, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))]).astype(np.int32)
        return ss.csr_array((w[order], v[order], indptr), shape=(n, n))
    made = ss.coo_array((w, (u, v)), shape=(n, n))
    if kind == "integers":
        return ss.csr_matrix((np.rint(w).astype(np.int16), (u, v)), shape=(n, n))
    if kind == "float32":
        return ss.csr_array(made, dtype=np.float32)
    return made.asformat(kind)


KINDS = ["csr", "csc", "coo", "lil", "dense", "list", "masked", "csr with duplicates", "integers", "float32"]


def check_tree(A, directed, found, before):
    """A matrix of predecessors is right if the way it tells is as long as the distance."""
    reached = np.isfinite(found) & ~np.eye(len(found), dtype=bool)
    assert np.array_equal(before != NONE, reached)
    if not directed and (matrices.as_csr(A).data == 0).any():
        return  # where edges of length 0 are none in SciPy's construct_dist_matrix
    built = ours.construct_dist_matrix(A, before, directed=directed)
    np.testing.assert_allclose(built[reached], found[reached], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_equal_scipys(kind):
    rng = np.random.default_rng(len(kind))
    for n in (1, 2, 5, 9, 12) * 3:
        A = matrix(rng, kind, n)
        for directed in (True, False):
            for unweighted in (True, False):
                options = {"directed": directed, "unweighted": unweighted}
                want = theirs.dijkstra(A, **options)
                for name in ("dijkstra", "bellman_ford", "johnson"):
                    got = getattr(ours, name)(A, **options)
                    assert got.dtype == np.float64
                    assert np.array_equal(got, want), (name, options, A)
                B = A.tocsr() if kind == "coo" else np.array(A) if kind == "list" else A  # which SciPy refuses here
                for name in ("floyd_warshall", "shortest_path"):
                    got = getattr(ours, name)(A, **options)
                    np.testing.assert_allclose(got, getattr(theirs, name)(B, **options), atol=1e-12)
                if not unweighted:
                    found, before = ours.dijkstra(A, directed=directed, return_predecessors=True)
                    assert before.dtype == np.int32
                    check_tree(A, directed, found, before)


@pytest.mark.parametrize("kind", KINDS)
def test_some_sources_limits_and_the_nearest(kind):
    rng = np.random.default_rng(7 + len(kind))
    for n in (1, 3, 10, 14):
        A = matrix(rng, kind, n)
        for indices in (0, -1, [0, n - 1], np.arange(n)[:, None], [], 0.0):
            for limit in (0, 1, 2.5, np.inf):
                options = {"indices": indices, "limit": limit}
                want = theirs.dijkstra(A, **options)
                assert np.array_equal(ours.dijkstra(A, **options), want)
                far, before, winners = ours.dijkstra(A, **options, min_only=True, return_predecessors=True)
                assert np.array_equal(far, theirs.dijkstra(A, **options, min_only=True))
                assert np.array_equal(ours.dijkstra(A, **options, min_only=True), far)
                assert before.dtype == winners.dtype == np.int32
                rows = ours.dijkstra(A)
                for v in range(n):
                    assert np.isinf(far[v]) == (winners[v] == NONE)
                    assert winners[v] == NONE or rows[winners[v], v] == far[v]
                    assert before[v] == NONE or winners[before[v]] == winners[v]


def test_negative_weights():
    rng = np.random.default_rng(3)
    for n in (2, 6, 11) * 6:
        A = matrix(rng, "csr", n, negative=True)
        want = theirs.bellman_ford(A)
        for method in ("BF", "J", "FW", "auto"):
            found, before = ours.shortest_path(A, method=method, return_predecessors=True)
            np.testing.assert_allclose(found, want, atol=1e-9)
            reached = np.isfinite(found) & (before != NONE)
            built = ours.construct_dist_matrix(A, before)
            np.testing.assert_allclose(built[reached], found[reached], atol=1e-9)
        if A.nnz and A.data.min() < 0:
            with pytest.warns(UserWarning, match="Graph has negative weights"):
                np.testing.assert_allclose(ours.dijkstra(A), want, atol=1e-9)


def test_negative_cycles_are_an_error_of_both_kinds():
    A = np.array([[0, -1, 0, 0], [0, 0, -1, 0], [-1.0, 0, 0, 0], [0, 0, 0, 0]])
    for error in (theirs.NegativeCycleError, sp.NegativeCycleError, ValueError):
        for method in ("BF", "J", "FW", "auto"):
            with pytest.raises(error, match="Negative cycle") as caught:
                ours.shortest_path(A, method=method)
            assert set(caught.value.cycle) == {0, 1, 2}
    with pytest.raises(theirs.NegativeCycleError, match="Negative cycle in nodes"):
        ours.floyd_warshall(A)
    with pytest.warns(UserWarning, match="negative"), pytest.raises(theirs.NegativeCycleError):
        ours.dijkstra(A)  # SciPy's never returns
    with pytest.raises(theirs.NegativeCycleError):
        ours.yen(A, 0, 1, 1)
    assert ours.bellman_ford(A, indices=3).tolist() == [np.inf, np.inf, np.inf, 0]  # which does not reach the cycle
    with pytest.raises(theirs.NegativeCycleError):
        ours.johnson(A, indices=3)
    assert np.array_equal(ours.floyd_warshall([[-1.0]]), theirs.floyd_warshall([[-1.0]]))


def test_traversals_are_scipys():
    rng = np.random.default_rng(11)
    for kind in KINDS:
        for n in (1, 2, 7, 13) * 4:
            A = matrix(rng, kind, n)
            start = int(rng.integers(n))
            for name in ("breadth_first", "depth_first"):
                for directed in (True, False):
                    got = getattr(ours, f"{name}_order")(A, start, directed)
                    want = getattr(theirs, f"{name}_order")(A, start, directed)
                    for mine, other in zip(got, want, strict=True):
                        assert mine.dtype == other.dtype
                        assert np.array_equal(mine, other), (name, directed, kind)
                    tree, other = (getattr(m, f"{name}_tree")(A, start, directed) for m in (ours, theirs))
                    assert type(tree) is type(other)
                    assert np.array_equal(tree.toarray(), other.toarray()), (name, directed, kind)
                alone = getattr(ours, f"{name}_order")(A, start, return_predecessors=False)
                assert np.array_equal(alone, getattr(theirs, f"{name}_order")(A, start, return_predecessors=False))


def test_yen_lists_all_paths_in_order():
    """Beside a list of all of them: SciPy's own, where weights are 0, may tell lengths below 0."""
    rng = np.random.default_rng(5)
    seen = 0
    for kind in KINDS:
        for n in (2, 6, 7):
            A = matrix(rng, kind, n)
            entries = matrices.as_csr(A).tocoo()
            s, t = (int(x) for x in rng.integers(0, n, 2))
            for directed, unweighted in itertools.product((True, False), repeat=2):
                lightest = {}
                for u, v, w in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
                    for pair in ((u, v),) if directed else ((u, v), (v, u)):
                        lightest[pair] = 1 if unweighted else min(w, lightest.get(pair, w))
                paths = simple_paths(lightest, s, t)
                got, before = ours.yen(A, s, t, 12, directed=directed, unweighted=unweighted, return_predecessors=True)
                assert got.dtype == np.float64
                np.testing.assert_allclose(got, sorted(paths.values())[:12], atol=1e-12)
                assert before.shape == (len(got), n)
                ways = set()
                for length, row in zip(got.tolist(), before, strict=True):
                    way = [t]
                    while row[way[-1]] != NONE:
                        way.append(int(row[way[-1]]))
                    ways.add(tuple(way))
                    assert paths[tuple(reversed(way))] == pytest.approx(length)
                assert len(ways) == len(got)
                seen += len(got) > 2
    assert seen > 10


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.dijkstra(np.zeros(3)),
        lambda m: m.dijkstra(np.zeros((2, 3))),
        lambda m: m.dijkstra(ss.csr_array((2, 3))),
        lambda m: m.dijkstra(np.ones((2, 2)), indices=5),
        lambda m: m.johnson(np.ones((2, 2)), indices=-3),
        lambda m: m.bellman_ford(np.ones((2, 2)), indices=[0, 2]),
        lambda m: m.dijkstra(np.ones((2, 2)), limit=-1),
        lambda m: m.dijkstra(np.ones((2, 2)), limit="a"),
        lambda m: m.shortest_path(np.ones((2, 2)), "X"),
        lambda m: m.shortest_path(np.ones((2, 2)), "FW", indices=[0]),
        lambda m: m.yen(np.ones((2, 2)), 0, 2, 1),
        lambda m: m.construct_dist_matrix(np.ones((3, 3)), np.zeros((2, 2), np.int32)),
        lambda m: m.construct_dist_matrix(np.ones((2, 2)), np.zeros((2, 2), np.int64)),
    ],
)
def test_errors_are_scipys(call):
    raised = []
    for module in (theirs, ours):
        with pytest.raises((ValueError, TypeError)) as caught:
            call(module)
        raised.append(caught.value)
    assert type(raised[1]) is type(raised[0])
    assert str(raised[1]).partition("dtype")[0] == str(raised[0]).partition("dtype")[0]


def test_bad_matrices_are_errors():
    with pytest.raises(ValueError, match="i_start"):
        ours.breadth_first_order(np.ones((2, 2)), 5)
    with pytest.raises(ValueError, match="circle"):
        ours.construct_dist_matrix(np.ones((3, 3)), np.array([[NONE, 2, 1]] * 3, dtype=np.int32))
    broken = ss.csr_array(np.ones((3, 3)))
    broken.indices[0] = 7
    for call in (ours.dijkstra, lambda A: ours.breadth_first_order(A, 0)):
        with pytest.raises(ValueError, match=r"range|vertex|indices"):
            call(broken)


def test_empty_and_overwrite():
    assert ours.dijkstra(np.zeros((0, 0))).shape == (0, 0)
    found, before = ours.floyd_warshall(np.zeros((0, 0)), return_predecessors=True)
    assert found.shape == before.shape == (0, 0)
    A = np.array([[0, 1, 9], [0, 0, 1], [0, 0, 0.0]])
    kept = A.copy()
    assert ours.floyd_warshall(A) is not A
    assert np.array_equal(A, kept)
    assert ours.floyd_warshall(A, overwrite=True) is A
    assert A.tolist() == [[0, 1, 2], [np.inf, 0, 1], [np.inf, np.inf, 0]]


def test_a_graph_is_kept_while_its_matrix_is_unchanged():
    A = ss.csr_array(np.array([[0, 5, 9], [0, 0, 3], [0, 0, 0.0]]))
    first = matrices.kept_of(A)
    assert matrices.kept_of(A) is first
    assert ours.dijkstra(A, indices=0).tolist() == [0, 5, 8]
    changes = [
        lambda: A.data.__setitem__(0, 1),
        lambda: A.indices.__setitem__(slice(0, 2), [2, 1]),
        lambda: A.indptr.__setitem__(2, 2),
    ]
    for change in changes:  # in place: nothing but the values tells
        before = matrices.kept_of(A)
        change()
        assert matrices.kept_of(A) is not before
        assert np.array_equal(ours.dijkstra(A), theirs.dijkstra(A))
    dense = np.array([[0, 5.0], [0, 0]])
    assert ours.dijkstra(dense)[0, 1] == 5
    dense[0, 1] = 7
    assert ours.dijkstra(dense)[0, 1] == 7


def test_nothing_is_kept_of_a_matrix_that_is_gone():
    gc.collect()
    before = len(matrices._kept)
    A = ss.csr_array(np.ones((3, 3)))
    ours.dijkstra(A)
    ours.dijkstra([[0, 1], [0, 0]])  # a list cannot be referred to weakly
    assert len(matrices._kept) == before + 1
    del A
    gc.collect()
    assert len(matrices._kept) == before


def test_distances_of_large_weights_warn_of_nothing():
    """Whether sums are exact is asked of the largest weight, which may be near the largest float."""
    from scipy.sparse import csr_array

    large = csr_array(([1e308], ([1], [2])), shape=(3, 3))
    before = np.array([[-9999, -9999, -9999], [-9999, -9999, 1], [-9999, -9999, -9999]], dtype=np.int32)
    assert ours.construct_dist_matrix(large, before)[1, 2] == 1e308
