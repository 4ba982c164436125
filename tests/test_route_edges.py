"""Routes at the edges of their types: every dtype, with and without landmarks, against an oracle in Python's numbers.

The distance of a route is the least sum over all paths: exact for integers, added from the source on and rounded after
every step for floats. Rounding never turns an order round, so a plain Dijkstra in the weights' type finds that sum.
``python tests/test_route_edges.py SEED COUNT`` asks for as many graphs as wanted.
"""

import heapq
import itertools
import json
import math
import subprocess
import sys
from collections import Counter

import numpy as np

import steppe as sp
from conftest import examples
from steppe import _core
from steppe.cpu import routes
from steppe.prepared import landmarks
from steppe.prepared.account import VERTEX
from test_landmarks import give
from test_route import graph

TOP = 2**63 - 2  # the largest distance
FLOAT32, FLOAT64 = float(np.finfo(np.float32).max), sys.float_info.max
NASTY = {
    "int32": [0, 1, 2, 3, 7, 2**16, 2**24, 2**28, 2**29, 2**30, 2**31 - 2, 2**31 - 1],
    "int64": [0, 1, 3, 2**31, 2**32 - 1, 2**32, 2**53, 2**60, 2**61, 2**62 - 1, 2**62, TOP - 1, TOP, TOP + 1],
    "float32": [
        *(0.0, -0.0, 1e-45, 3e-45, 1e-40, 1.1754944e-38, 2.0**-24, 0.1, 0.2, 0.3, 0.7, 1.0, 3.0, 2.0**24, 1e7),
        *(2.0**102, 2.0**103, 1e30, 3e37, 1e38, 3e38, FLOAT32 / 2, FLOAT32, math.inf),
    ],
    "float64": [
        *(0.0, -0.0, 5e-324, 1.5e-323, 1e-310, 2.3e-308, 1e-308, 2.0**-53, 0.1, 0.2, 0.3, 0.7, 1.0, 3.0, 2.0**53, 1e16),
        *(2.0**969, 2.0**970, 1e300, 3e307, 1e308, 1.7e308, FLOAT64 / 2, FLOAT64, math.inf),
    ],
}


def oracle(g, source):
    """The distance of every vertex that has a finite one, or an integer of any size."""
    exact = (lambda x: np.float32(x).item()) if g.weights.dtype == np.float32 else (lambda x: x)
    starts, ends, weights = g.indptr.tolist(), g.indices.tolist(), g.weights.tolist()
    distances, queue = {}, [(0, source)]
    while queue:
        d, u = heapq.heappop(queue)
        if u in distances:
            continue
        distances[u] = d
        for e in range(starts[u], starts[u + 1]):
            # float32: the sum of two in float64, rounded once more, is the rounded sum.
            if ends[e] not in distances and (total := exact(d + weights[e])) < math.inf:
                heapq.heappush(queue, (total, ends[e]))
    return distances


def arcs(rng):
    """The ends of a small graph's edges: a street, a ring, a grid, or anything; and how many vertices it has."""
    n = int(rng.integers(2, 26) if rng.integers(4) else rng.integers(100, 200))
    kind = rng.integers(4)
    pairs = [(a, a + 1) for a in range(n - 1)]
    if kind == 1:
        pairs.append((n - 1, 0))
    elif kind == 2:
        side = max(2, int(n**0.5))
        n = side * side
        pairs = [(a, a + 1) for a in range(n) if a % side < side - 1] + [(a, a + side) for a in range(n - side)]
    elif kind == 3:
        pairs = rng.integers(0, n, (int(rng.integers(0, 5 * n)), 2)).tolist()
    extra = rng.integers(0, n, (int(rng.integers(0, 1 + n // 3)), 2)).tolist()
    return n, pairs + extra


def nasty(rng, dtype):
    """A graph whose weights come from few values, or are common ones with a few extremes among them."""
    n, pairs = arcs(rng)
    directed = bool(rng.integers(2))
    if directed and rng.integers(4):  # two-way streets that cost more one way
        pairs = pairs + [(b, a) for a, b in pairs]
    palette = rng.choice(len(NASTY[dtype]), int(rng.integers(1, 5)))
    weights = [NASTY[dtype][i] for i in palette[rng.integers(0, len(palette), len(pairs))]]
    if rng.integers(3) == 0:
        common = rng.integers(1, 1000, len(pairs)).tolist()
        weights = [w if rng.random() < 0.1 else c for w, c in zip(weights, common, strict=True)]
    if dtype.startswith("int") and rng.integers(3) == 0:  # so spread that sums pass every power of two
        top = NASTY[dtype][int(rng.integers(5, len(NASTY[dtype])))] // int(rng.integers(1, 9))
        weights = rng.integers(0, top, len(pairs), endpoint=True).tolist()
    if dtype.startswith("float") and rng.integers(4) == 0:  # near the largest, in steps of its last places
        top = np.finfo(dtype).max / rng.integers(1, 2 * n)
        weights = [float(top * (1 - rng.integers(0, 9) * np.finfo(dtype).eps)) for _ in pairs]
    return graph(n, [(*pair, w) for pair, w in zip(pairs, weights, strict=True)], dtype, directed=directed)


def anew(g, marks):
    """Makes the next query the first: one that leaves the narrow type makes all after it wide."""
    g.derived.router = None
    if marks is not None:
        give(g, marks)


def check_pairs(g, rng, count, label, marks):
    """Asks for pairs in any order and counts the outcomes. With landmarks given, each query is a first one."""
    n = g.num_vertices
    expected = {s: oracle(g, s) for s in rng.permutation(n)[:12].tolist()}
    pairs = list(itertools.product(expected, range(n)))
    for i in rng.permutation(len(pairs)).tolist()[:100]:
        s, t = pairs[i]
        want = expected[s].get(t)
        if marks is not None:
            anew(g, marks)
        try:
            found = sp.route(g, label(s), label(t))
        except sp.DistanceOverflowError:
            assert g.is_integer, (s, t, want)
            assert (want or 0) > TOP, (s, t, want)
            count["too long"] += 1
            continue
        found.verify()
        assert found.reachable == (want is not None), (s, t, want, found)
        if want is None:
            assert found.distance == (sp.UNREACHABLE if g.is_integer else math.inf)
            count["no path"] += 1
        else:
            assert found.distance == want, (s, t, want, found)
            count["landmarks" if "landmarks" in g.prepared else "plain"] += 1


def check_seed(seed, dtype, count):
    rng = np.random.default_rng([seed, sorted(NASTY).index(dtype)])
    g = nasty(rng, dtype)
    label = lambda v: v  # noqa: E731
    if rng.integers(3) == 0:
        names = np.array([f"v{i}" for i in range(g.num_vertices)])
        u = np.repeat(np.arange(g.num_vertices), g.degrees)
        named = sp.Graph.from_edges(names[u], names[g.indices], g.weights, relabel=True)
        if named.num_vertices == g.num_vertices:
            g, label = named, named.label
    before = _core.testing.use_avx512(bool(rng.integers(2)))
    try:
        ready, marks = rng.integers(4), None
        if ready == 1:
            assert g.prepare(routes=True) is g
        elif ready == 2 and routes.router_of(g).takes_landmarks:
            marks = landmarks.choose(g)
        elif ready == 3:  # they are made in the middle of a query
            g.prepared.slot("landmarks").spent = (
                landmarks.seconds(g.num_vertices, 2 * landmarks.COUNT) - int(rng.integers(1, 50)) * VERTEX
            )
        with np.errstate(over="ignore"):
            check_pairs(g, rng, count, label, marks)
    except BaseException:
        sys.stderr.write(
            f"seed {seed}, {dtype}: {g!r}\n{g.indptr.tolist()} {g.indices.tolist()} {g.weights.tolist()}\n"
        )
        raise
    finally:
        _core.testing.use_avx512(before)


def sweep(first, number):
    """Checks that many graphs of each type; returns how many answers there were, by kind."""
    counts = {}
    for dtype in NASTY:
        counts[dtype] = Counter()
        for seed in range(first, first + number):
            check_seed(seed, dtype, counts[dtype])
    return counts


def test_nasty_weights_in_a_process_of_their_own():
    """A search that hangs is killed with its process."""
    done = subprocess.run(
        [sys.executable, __file__, "0", str(examples(100))], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    counts = json.loads(done.stdout)
    for dtype, count in counts.items():
        kinds = {"plain", "landmarks", "no path"} | ({"too long"} if dtype == "int64" else set())
        assert {kind for kind in count if count[kind] >= examples(100)} >= kinds, counts  # no idle test


if __name__ == "__main__":
    sys.stdout.write(json.dumps(sweep(int(sys.argv[1]), int(sys.argv[2]))))
