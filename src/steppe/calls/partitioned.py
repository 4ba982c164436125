"""Partitioned: the calls whose graph lies in parts. WorkerQuestion, planned and carried out here; the plan says by whom."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cluster.engine import engine_of, local_workers
from ..cluster.paths import PartitionedPaths
from ..cluster.question import GHOST, WorkerQuestion
from ..cluster.rounds import Rounds, next_number
from ..errors import GraphError, NegativeWeightError
from ..planning.distance_types import inclusive
from ..planning.explain import Explanation
from ..planning.facts import Facts, Machine
from ..planning.plan import Plan, plan_for
from ..planning.progress import teller
from ..planning.request import Request

if TYPE_CHECKING:
    from ..cluster.engine import Ray
    from ..files.partitioned import PartitionedGraph
    from ..planning.call import Call
    from ..planning.options import Options

REFUSED = ("device", "record_paths", "reverse", "threads", "memory_limit", "result")
"""Options that only a graph in one piece takes."""


def facts_of_parts(graph: PartitionedGraph) -> Facts:
    """Return what a plan may know of a graph in parts: its manifest."""
    weight = graph.weight_dtype
    return Facts(
        vertices=graph.num_vertices,
        edges=graph.num_edges,
        vertex=4 if graph.num_vertices < 2**31 else 8,
        weight=0 if weight is None else weight.itemsize,
        is_integer=graph.is_integer,
        has_negative=graph.has_negative,
        all_ones=weight is None,
        min_weight=graph.min_weight,
        max_weight=graph.max_weight,
        typical_weight=graph.typical_weight,
        # Supersteps are narrower where a search may be finished by pulling: not where ghosts are so many that it never pays.
        can_pull=graph.is_sorted and 2 * GHOST * graph.num_ghosts < graph.num_edges,
        directed=graph.directed,
        is_mapped=True,
        parts=graph.num_parts,
    )


def plan_parts(graph: PartitionedGraph, call: Call, options: Options) -> Plan:
    """Return the plan of a call on a graph in parts."""
    try:
        return plan_for(facts_of_parts(graph), Request(call=call, options=options), Machine())
    except NegativeWeightError:
        raise NegativeWeightError(
            "a graph in parts needs non-negative weights: search the Graph or the file that was partitioned, with bellman-ford"
        ) from None


def solve_parts(graph: PartitionedGraph, call: Call, sources: Any, options: Options, **others: Any) -> PartitionedPaths:
    """Search from one source or several; ``others`` are options of the call that only a graph in one piece takes."""
    begun = time.perf_counter()
    others |= {name: getattr(options, name) for name in REFUSED}
    refused = [f"{name}=" for name, value in others.items() if value not in (None, False, "host")]
    if refused:
        raise ValueError(
            f"a graph in parts is searched by delta-stepping from all sources at once: leave out {', '.join(refused)}"
        )
    graph.check_unchanged()
    starts = np.unique(graph.indices_of(sources))
    if len(starts) == 0:
        raise GraphError("a search needs a source")
    ends = None
    if options.targets is not None:
        ends = graph.places_of(np.unique(graph.indices_of(options.targets)))
        if len(ends) == 0:
            raise ValueError("targets is empty: leave it out to search for every vertex")
    runner = engine_of(options.engine)
    plan = plan_parts(graph, call, options)
    bound = None if options.cutoff is None else inclusive(options.cutoff, graph.distance_dtype(hops=call.hops))
    workers = local_workers(graph) if runner is None else runner.workers_of(graph)
    tell = teller(options.progress, graph.num_edges, "edges")
    question = _worker_question(graph, starts, ends, plan, bound, runner, hops=call.hops)
    rounds = Rounds(workers, question, tell)
    if runner is not None:
        runner.prepare(rounds)
    rounds.run(lambda: None)
    share = 1 - rounds.busy / rounds.spent if rounds.spent else 0.0
    told = rounds.counts | {"wait_share": max(0.0, share), "edges_touched": rounds.counts["edges_relaxed"]}
    told["relaxations_per_edge"] = round(told["edges_relaxed"] / max(1, graph.num_edges), 3)
    told |= {"parts": graph.num_parts, "threads": rounds.worker_count}
    return PartitionedPaths._of(graph, starts, rounds, Explanation.of(plan, told, time.perf_counter() - begun))


def _worker_question(
    graph: PartitionedGraph,
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64] | None,
    plan: Plan,
    bound: int | float | None,
    runner: Ray | None,
    *,
    hops: bool,
) -> WorkerQuestion:
    return WorkerQuestion(
        id=next_number(),
        sources=graph.places_of(starts),
        hops=hops,
        bound=bound,
        width=float(plan.part_delta or 1.0),
        longest=1.0 if hops else float(graph.max_weight),
        delta=float(plan.delta or 1.0),
        graph=graph.digest,
        narrow=not hops and graph.weight_dtype == np.int32,
        targets=ends,
        pulls=plan.pulls,
        checkpoint=None if runner is None else runner.checkpoint_of(graph),
        every=30.0 if runner is None else runner.checkpoint_every,
    )
