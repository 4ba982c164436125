"""Johnson: rows of a matrix where some weights are negative, by searches on weights that are not (``prepared/johnson.py`` changes them).

Every path from s to t is longer by h[s] - h[t] in the changed graph, and so the shortest stay the shortest: all methods for weights that are
not negative apply, and h is taken back from what they find.

Where a cycle is negative there are no potentials. Whether it matters depends on the source, so each is then searched for itself, which tells.
The same where the changed weights, or sums of them, do not fit in 64 bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DistanceOverflowError
from ..planning.call import Call
from ..planning.distance_types import UNREACHABLE
from ..planning.explain import Learnt
from ..planning.facts import facts_of, machine_for
from ..planning.options import Options
from ..planning.plan import plan_for
from ..planning.request import Request
from ..prepared.making import make, ready

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.question import Question

Array = npt.NDArray[Any]


def run(graph: Graph, question: Question, columns: Array | None, into: Array, learnt: Learnt) -> bool:
    """Fill ``into`` with rows, as ``many.run`` does; False: there are no potentials, and nothing was written."""
    from . import many  # which calls this

    made = make(graph, "johnson")
    if made is None:
        return False
    changed, potentials = made.value
    facts = facts_of(changed)
    rows = Request(call=Call.DISTANCES, options=Options(blocks=True), rows=len(question.sources), columns=into.shape[1])
    plan = plan_for(facts, rows, machine_for(facts, question.threads))
    ready(changed, plan, question.threads)
    own = Learnt()
    try:
        many.run(changed, replace(question, delta=plan.delta), plan, columns, into, own)
    except DistanceOverflowError:
        return False
    learnt.note = "; ".join(filter(None, (f"changed weights by {plan.method}", own.measured(plan)["fallback"])))
    there = potentials if columns is None else potentials[columns]
    for i, source in enumerate(question.sources):
        row = into[i]
        np.add(row, there - potentials[source], out=row, where=row != UNREACHABLE)
    return True
