"""Question and Answer: what an engine is asked, and what it gives back, on the CPU and on every device.

Vertices are 0…n-1 here; labels belong to the public functions. An engine is a function that takes a graph and a question and returns an
:class:`Answer` with the final distances: the dtype of :func:`steppe.planning.distance_types.distance_dtype`, the sentinel where a vertex is
not reached, nothing beyond ``question.bound``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..graph.advice import advice
from ..graph.graph import Graph
from .distance_types import distance_dtype, inclusive, unreachable
from .options import DEFAULT, Options
from .progress import Tell, teller

if TYPE_CHECKING:
    from .call import Call
    from .plan import Plan

Array = npt.NDArray[Any]


def _none() -> npt.NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Question:
    """One question, the same for one source, many sources and every engine.

    Attributes
    ----------
    sources : ndarray of int64
        At least one vertex; distances are from the nearest, in a matrix from each.
    targets : ndarray of int64
        Vertices at which a search may stop when all are settled, or the columns of a matrix; empty: none.
    bound : int, float or None
        The inclusive cutoff in the type of the distances; None: none.
    delta : float or None
        Bucket width; None: the engine's own.
    fixed_delta : bool
        Whether the width stays, whatever the search finds: somebody asked for it.
    record_paths : bool
        Whether predecessors are recorded during the search.
    threads : int
        Threads of the CPU it may use.
    progress : callable or None
        Called now and then with what has been done so far.
    result : {"host", "device"}
        Where the distances are wanted; the second is an engine's that has them there.
    """

    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64] = field(default_factory=_none)
    bound: int | float | None = None
    delta: float | None = None
    record_paths: bool = False
    threads: int = 1
    progress: Tell | None = None
    fixed_delta: bool = False
    result: str = "host"

    def core(self, graph: Graph, *, delta: float | None = None, progress: Tell | None = None) -> _core.Question:
        """Return the same question for the native core; None: as it is asked here."""
        return _core.Question(
            self.sources,
            self.targets,
            bound=self.bound,
            delta=(self.delta or 0.0) if delta is None else delta,
            typical_weight=graph._typical_weight,
            max_weight=float(graph.max_weight),
            threads=self.threads,
            progress=self.progress if progress is None else progress,
            fixed_delta=self.fixed_delta,
        )

    def planned(self, plan: Plan) -> Question:
        """Return the question as a plan wants it asked: with its width and threads."""
        fixed = self.delta is not None or plan.method == "dijkstra"
        made = Question.__new__(Question)  # what replace() does, in a tenth of the time of a small search
        vars(made).update(vars(self), delta=plan.delta, threads=plan.threads, fixed_delta=fixed)
        return made


@dataclass(frozen=True)
class Answer:
    """What an engine gives back: final arrays, and the fields of :class:`~steppe.Explanation` it knows.

    ``predecessors`` are those that were to be recorded; ``canonical`` ones are given where the search came by them.
    """

    distances: Array
    predecessors: Array | None = None
    explained: dict[str, Any] = field(default_factory=dict)
    canonical: Array | None = None


def ask(graph: Graph, call: Call, sources: npt.NDArray[np.int64], options: Options = DEFAULT) -> Question:
    """Return the question of a call: labels are vertices now, and a cutoff is a distance. A matrix has its targets in its columns."""
    ends = None
    if options.targets is not None and not call.many:
        ends = graph.indices_of(options.targets)
        if len(ends) == 0:
            raise ValueError("targets is empty: leave it out to search for every vertex")
    cutoff, total = options.cutoff, (len(sources), "sources") if call.many else (graph.num_edges, "edges")
    return Question(
        sources=sources,
        targets=_none() if ends is None else ends,
        bound=None if cutoff is None else inclusive(cutoff, distance_dtype(graph, hops=call.hops)),
        delta=options.delta,
        record_paths=options.record_paths,
        progress=teller(options.progress, *total),
        result=options.result,
    )


def check_graph(graph: object) -> None:
    """Refuse what is no graph, and tell what to write."""
    if not isinstance(graph, Graph):
        raise TypeError(f"this call takes a steppe.Graph, not a {type(graph).__name__}: write {advice(graph)}")


def source_of(graph: Graph, source: Any) -> npt.NDArray[np.int64]:
    """Return one source as a question has it."""
    check_graph(graph)
    if isinstance(source, (list, set)) or (isinstance(source, np.ndarray) and source.ndim):  # a tuple may be a label
        raise GraphError(
            "one source is searched from at a time: distances(graph, sources) gives a row for each of several, "
            "nearest(graph, sources) the nearest of them for every vertex"
        )
    if graph.num_vertices == 0:
        raise GraphError(f"vertex {source!r} is not in the graph: it has no vertices")
    return np.array([graph.index(source)], dtype=np.int64)


def cut_at_targets(question: Question, answer: Answer) -> tuple[Question, Answer]:
    """Leave out what lies beyond the furthest target, so that the answer does not depend on how far the search went.

    When a target was not reached the search was complete, and nothing is cut.
    """
    if len(question.targets) == 0:
        return question, answer
    distances = answer.distances
    sentinel = unreachable(distances.dtype)
    furthest = distances[question.targets].max()
    if furthest == sentinel:
        return question, answer
    beyond = distances > furthest
    distances[beyond] = sentinel
    for predecessors in (answer.predecessors, answer.canonical):
        if predecessors is not None:
            predecessors[beyond] = -1
    return replace(question, bound=furthest.item()), answer
