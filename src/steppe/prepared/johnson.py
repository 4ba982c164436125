"""Johnson's weights: a graph whose weights are not negative, and the potentials that its weights were changed by.

One Bellman-Ford search from all vertices at once gives every vertex a potential h, never above 0. With the weight of each edge u → v changed to
w + h[u] - h[v] no weight is negative, every path from s to t changes by the same h[s] - h[t], and so the shortest stay the shortest. For integers
this is exact; floats would be rounded three times more. Where a cycle is negative there are no potentials, and where a changed weight does not
fit in 62 bits they are not used. D. B. Johnson, JACM 24 (1977).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .preparation import Estimate, Made, Preparation, Unsuited

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.facts import Facts

ROUNDS, EDGE = 8, 4e-9
"""How often Bellman-Ford reads an edge, as a rule, and the seconds of that."""


def suits(facts: Facts) -> str:
    """Return why such a graph has none, or nothing."""
    return "" if facts.is_integer and facts.has_negative else "it is for negative integers"


def estimate(facts: Facts) -> Estimate:
    """Return what it costs."""
    kept = 8 * facts.vertices + facts.edges * facts.weight
    return Estimate(facts.edges * ROUNDS * EDGE, kept, beside=facts.edges * (24 - facts.weight))


def make(graph: Graph, limit: float, threads: int) -> Made:
    """Find the potentials and change the weights; the value is the graph with these, and the potentials."""
    del limit, threads
    if not (graph.is_integer and graph.has_negative):
        raise Unsuited("it is for negative integers")
    n = graph.num_vertices
    potentials = np.empty(n, dtype=np.int64)
    before = np.empty(n, dtype=graph.indices.dtype)
    found = _core.bellman_ford(graph._native, _core.Question(np.arange(n, dtype=np.int64)), potentials, before)
    largest = int(graph.max_weight) - int(potentials.min(initial=0))
    if found.status != _core.BellmanFordStatus.done or largest >= 2**62:
        raise Unsuited("a cycle is negative, or a changed weight does not fit in 62 bits")
    assert graph.weights is not None  # noqa: S101 - some are negative
    weights = graph.weights.astype(np.int64)
    weights += np.repeat(potentials, graph.degrees)
    weights -= potentials[graph.indices]
    if largest < 2**31:
        weights = weights.astype(np.int32)
    changed = type(graph)._make(graph.indptr, graph.indices, weights, labels=None, directed=True, shape=graph._shape)
    return Made((changed, potentials), weights.nbytes + potentials.nbytes)


JOHNSON = Preparation(
    name="johnson",
    serves=("distances", "all_pairs"),
    methods={"johnson": "needed"},
    suits=suits,
    estimate=estimate,
    make=make,
)
