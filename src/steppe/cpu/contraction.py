"""Contraction: a graph like roads, its vertices taken out one after the other (cpp/matrix/contraction.hpp), made once for many rows and kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..graph.derived import Cost

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.question import Question

Array = npt.NDArray[Any]


def make(graph: Graph, most: int) -> bool:
    """Contract the graph, unless it has been; False: it would be more than ``most`` looks at an arc (0: as many as it takes)."""
    with graph._lock:
        derived = graph.derived
        if derived.contraction is not None:
            return True
        limit = most or 2**62
        if limit <= derived.contraction_tried:
            return False
        begun = time.perf_counter()
        derived.contraction = _core.contract(graph._native, limit)
        if derived.contraction is None:
            derived.contraction_tried = limit
            return False
        derived.costs["contraction"] = Cost(time.perf_counter() - begun, derived.contraction.bytes)
        return True


def run(graph: Graph, question: Question, columns: Array | None, into: Array) -> bool:
    """Fill ``into`` with rows, as ``many.run`` does; False: the graph has not been contracted, and nothing was written."""
    made = graph.derived.contraction
    if made is None:
        return False
    _core.swept_rows(made, question.core(graph), columns, into.reshape(-1).view(np.int64))
    return True
