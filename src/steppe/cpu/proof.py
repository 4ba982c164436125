"""Proof: an answer is shown to be right, without searching again.

One sweep over the edges shows that no edge improves a distance (none is too large) and that every reached vertex hangs
from a source through edges exactly as long as the difference of their ends' distances (none is too small). The
algorithm is in ``cpp/proof/verify.hpp``; this file turns what it finds into a sentence that names vertices by labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import Fault
from ..errors import VerificationError
from ..machine import threads as _threads
from ..planning.distance_types import distance_dtype, inclusive

if TYPE_CHECKING:
    from ..graph.graph import Graph

Array = npt.NDArray[Any]


def check(
    graph: Graph,
    sources: npt.NDArray[np.int64],
    distances: Array,
    *,
    predecessors: Array | None = None,
    bound: int | float | None = None,
    hops: bool = False,
    threads: int | None = None,
) -> None:
    """Prove plain arrays, one entry per vertex; the parameters are those of ``Paths._make``."""
    n = graph.num_vertices
    weights = None if hops else graph.weights
    expected = distance_dtype(graph, hops=hops)
    if distances.dtype != expected or distances.shape != (n,):
        raise VerificationError(
            f"distances are {distances.dtype} of shape {distances.shape}; the graph asks for {expected} of shape ({n},)"
        )
    if predecessors is not None and (predecessors.dtype != graph.indices.dtype or predecessors.shape != (n,)):
        raise VerificationError(
            f"predecessors are {predecessors.dtype} of shape {predecessors.shape}; "
            f"the graph asks for {graph.indices.dtype} of shape ({n},)"
        )
    if len(sources) == 0 or sources.min() < 0 or sources.max() >= n:
        raise VerificationError(f"the sources {sources.tolist()} are not vertices of a graph of {n}")
    negative = weights is not None and graph.has_negative
    limit = None if bound is None else inclusive(bound, distances.dtype)
    if limit is not None and negative:
        # A path to a vertex within the bound may lead through vertices beyond it, of which the answer says nothing.
        raise ValueError("an answer with a cutoff cannot be proven where weights are negative")
    starts = np.ascontiguousarray(sources, dtype=np.int64)
    question = _core.Question(starts, bound=limit, threads=_threads.resolve(threads))
    tree = None if predecessors is None else np.ascontiguousarray(predecessors)
    fault, vertex, other = _core.verify(graph._native, question, np.ascontiguousarray(distances), tree, negative)
    if fault != Fault.none:
        if predecessors is not None and fault in (Fault.predecessor, Fault.not_tight, Fault.cycle):
            message = _about_predecessors(fault, vertex, graph=graph, distances=distances, predecessors=predecessors)
        else:
            message = _about_distances(
                fault, vertex, other, graph=graph, distances=distances, weights=weights, bound=bound
            )
        raise VerificationError(message, graph.label(vertex))


def _about_distances(
    fault: Fault, vertex: int, other: int, *, graph: Graph, distances: Array, weights: Array | None, bound: float | None
) -> str:
    """Say in words what is wrong with the distances."""
    name, d = repr(graph.label(vertex)), distances[vertex].item()
    plain = {
        Fault.source: f"source {name} is at distance {d}, not 0",
        Fault.not_a_number: f"the distance of vertex {name} is {d}",
        Fault.negative: f"the distance of vertex {name} is {d}, but no weight is negative",
        Fault.beyond_bound: f"vertex {name} is at distance {d}, beyond the cutoff {bound}",
        Fault.not_hung: f"vertex {name} is at distance {d}, but no path of that length leads to it from a source",
    }
    if fault in plain:
        return plain[fault]
    to, row = repr(graph.label(other)), slice(graph.indptr[vertex], graph.indptr[vertex + 1])
    w = 1 if weights is None else weights[row][graph.indices[row] == other].min().item()
    if fault == Fault.unreached:
        return f"vertex {to} counts as unreached, but an edge of weight {w} leads to it from {name} at distance {d}"
    return f"edge {name} → {to} of weight {w} improves {distances[other].item()} to {d + w}"


def _about_predecessors(fault: Fault, vertex: int, *, graph: Graph, distances: Array, predecessors: Array) -> str:
    """Say in words what is wrong with the predecessors."""
    name, d, p = repr(graph.label(vertex)), distances[vertex].item(), int(predecessors[vertex])
    if fault == Fault.cycle:
        return f"the predecessors of vertex {name} run in a circle and never reach a source"
    if fault == Fault.predecessor:
        state = f"is at distance {d}" if p < 0 or p >= graph.num_vertices else "is unreached or a source"
        return f"vertex {name} {state}, but its predecessor is {p}"
    before = repr(graph.label(p))
    if vertex not in graph.indices[graph.indptr[p] : graph.indptr[p + 1]]:
        return f"the predecessor of vertex {name} is {before}, but there is no edge {before} → {name}"
    at = distances[p].item()
    return f"the predecessor of vertex {name} is {before}, but no edge between them leads from {at} to {d}"
