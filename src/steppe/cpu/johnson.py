"""Johnson: rows of a matrix where some weights are negative: one search for potentials, then quick ones on weights that are not.

One Bellman-Ford search from all vertices at once gives every vertex a potential h, never above 0. With the weight of each edge u → v changed to
w + h[u] - h[v] no weight is negative, every path from s to t changes by the same h[s] - h[t], and so the shortest stay the shortest: all methods for
weights that are not negative apply, and h is taken back from what they find. For integers this is exact. Floats would round three times more,
and the answer would be nobody's: they keep one Bellman-Ford search for each source.

Where a cycle is negative there is no potential. Whether it matters depends on the source, so each is then searched for itself, which tells. The same
where the changed weights, or sums of them, do not fit in 64 bits. D. B. Johnson, JACM 24 (1977).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import BellmanFordStatus
from ..errors import DistanceOverflowError
from ..graph.graph import Graph
from ..planning.call import Call
from ..planning.distance_types import UNREACHABLE
from ..planning.facts import facts_of, machine_for
from ..planning.options import Options
from ..planning.plan import Request, plan_for
from . import contraction

if TYPE_CHECKING:
    from ..planning.question import Question

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Reweighted:
    """A graph without negative weights, and the potentials that made it; both None where there are none."""

    graph: Graph | None
    potentials: npt.NDArray[np.int64] | None


def reweighted(graph: Graph) -> Reweighted:
    """Return the graph with changed weights, made once and kept."""
    with graph._lock:
        if graph.derived.reweighted is None:
            graph.derived.reweighted = _reweight(graph)
        kept: Reweighted = graph.derived.reweighted
        return kept


def _reweight(graph: Graph) -> Reweighted:
    n = graph.num_vertices
    potentials = np.empty(n, dtype=np.int64)
    before = np.empty(n, dtype=graph.indices.dtype)
    question = _core.Question(np.arange(n, dtype=np.int64))
    found = _core.bellman_ford(graph._native, question, potentials, before)
    if found.status != BellmanFordStatus.done:
        return Reweighted(None, None)
    largest = int(graph.max_weight) - int(potentials.min(initial=0))
    if largest >= 2**62:
        return Reweighted(None, None)
    assert graph.weights is not None  # noqa: S101 - some are negative
    weights = graph.weights.astype(np.int64)
    weights += np.repeat(potentials, graph.degrees)
    weights -= potentials[graph.indices]
    if largest < 2**31:
        weights = weights.astype(np.int32)
    return Reweighted(Graph._make(graph.indptr, graph.indices, weights, labels=None, directed=True), potentials)


def run(graph: Graph, question: Question, columns: Array | None, into: Array) -> bool:
    """Fill ``into`` with rows, as ``many.run`` does; False: there are no potentials, and nothing was written."""
    from .many import run as run_many  # which calls this

    made = reweighted(graph)
    if made.graph is None or made.potentials is None:
        return False
    facts = facts_of(made.graph)
    rows = Request(call=Call.DISTANCES, options=Options(blocks=True), rows=len(question.sources), columns=into.shape[1])
    plan = plan_for(facts, rows, machine_for(facts, question.threads))
    if plan.method == "contraction":
        contraction.make(made.graph, plan.work_limit)
    if plan.prepares:
        made.graph.prepare(threads=question.threads)
    try:
        run_many(made.graph, replace(question, delta=plan.delta), plan.method, columns, into)
    except DistanceOverflowError:
        return False
    changed = made.potentials if columns is None else made.potentials[columns]
    for i, source in enumerate(question.sources):
        row = into[i]
        np.add(row, changed - made.potentials[source], out=row, where=row != UNREACHABLE)
    return True
