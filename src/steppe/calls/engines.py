"""Engines: a question is asked, planned, carried out and wrapped. Here, and nowhere else, a plan's engine becomes a call of it.

There is one way back: edges that turn out not to fit a device are streamed. That is a second plan, made of what was learnt.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cpu import external, search
from ..errors import DeviceMemoryError
from ..paths import Paths
from ..planning.distance_types import lengths_of_hops
from ..planning.explain import Explanation
from ..planning.options import DEFAULT
from ..planning.question import Answer, Question, ask, cut_at_targets
from ..prepared.account import search_seconds, spend
from ..prepared.making import ready
from .plan import planned

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import gpu
    from ..graph.graph import Graph
    from ..planning.call import Call
    from ..planning.options import Options
    from ..planning.plan import Plan

log = logging.getLogger("steppe")

ATTEMPTS = 8
"""How often a search is streamed anew, in three quarters of the room each time, where the driver refuses memory."""


def refuse_engine(engine: object) -> None:
    """Raise where a cluster is asked to search a graph in one piece."""
    if engine is not None:
        raise ValueError(
            'engine= searches graphs in parts: write one with steppe.partition(graph, "folder"), and give what it returns'
        )


def solve(
    graph: Graph,
    call: Call,
    sources: npt.NDArray[np.int64],
    options: Options = DEFAULT,
) -> Paths:
    """Answer a call that is one search, from one source or several."""
    graph = graph.reverse if options.reverse else graph
    question = ask(graph, call, sources, options)
    plan, device = planned(graph, call, options)
    if options.result != "host":
        _check_result(options, device)
    question, answer, explanation = carry_out(graph, call, options, question, plan, device)
    if len(sources) > 1 and graph.has_negative and options.result == "host":
        # With negative weights one source may be nearer to another than that is to itself: then it is no root, but hangs like any vertex.
        question = replace(question, sources=sources[answer.distances[sources] == 0])
    return Paths._answered(graph, question, answer, explanation, hops=call.hops, threads=options.threads, device=device)


def _check_result(options: Options, device: gpu.Device | None) -> None:
    if options.result != "device":
        raise ValueError(f'result must be "host" or "device", not {options.result!r}')
    if device is None:
        raise ValueError('result="device" needs a search on a device: give device="cuda" or "opencl"')
    if options.targets is not None or options.record_paths:
        raise ValueError('result="device" has the distances of a whole search: leave out targets and record_paths')


def carry_out(
    graph: Graph, call: Call, options: Options, question: Question, plan: Plan, device: gpu.Device | None
) -> tuple[Question, Answer, Explanation]:
    """Search as planned, and cut the answer behind the furthest target.

    Returns
    -------
    Question
        As it was answered: with the bound that the targets gave it.
    Answer
        In hops (int32) if those were asked for, else in the type of the distances.
    Explanation
        The plan and what was measured.
    """
    begun = time.perf_counter()
    making = bool(plan.making)
    plan = ready(graph, plan, options.threads)  # all that the caller allows: the search may be better off with one
    prepared = time.perf_counter() - begun
    asked = question.planned(plan)
    if plan.engine == "cpu":
        answer = search.run(graph, asked, plan.method)
    elif plan.engine == "external":
        answer = external.run(graph, asked, plan.method, options.memory_limit)
    else:
        answer, plan = _on_device(graph, asked, plan, device)
    if plan.method == "bfs" and not call.hops:
        answer = replace(answer, distances=_lengths(answer.distances, device, asked))
    if asked.result == "device" and device is not None and plan.engine == "streamed":
        from ..gpu.exchange import DeviceArray

        there: Any = DeviceArray(device.upload(answer.distances))
        answer = replace(answer, distances=there)
    if call.hops or not graph.has_negative:  # else a path to a target may lead through vertices beyond it
        question, answer = cut_at_targets(question, answer)
    measured = answer.explained | ({"prepare_seconds": prepared} if making else {})
    if plan.missing:
        share = measured.get("edges_touched", 0) / max(1, graph.num_edges)
        packed = "packed" in plan.uses
        spend(graph, plan.missing, share * search_seconds(graph.num_edges, graph.num_vertices, packed=packed))
    if graph.num_edges:
        measured["relaxations_per_edge"] = round(measured.get("edges_relaxed", 0) / graph.num_edges, 3)
    return question, answer, Explanation.of(plan, measured, time.perf_counter() - begun)


def _lengths(hops: Any, device: gpu.Device | None, question: Question) -> Any:
    """Return hops as distances, where they are."""
    if isinstance(hops, np.ndarray):
        return lengths_of_hops(hops)
    from ..gpu import loops

    assert device is not None and question.result == "device"  # noqa: S101, PT018 - hence they are there
    return loops.lengths_of_hops(device, hops)


def _on_device(graph: Graph, question: Question, plan: Plan, device: gpu.Device | None) -> tuple[Answer, Plan]:
    from ..gpu import loops
    from ..gpu.rows import forget
    from ..gpu.stream import loop

    assert device is not None  # noqa: S101 - the plan was made for it
    room = None
    if plan.engine == "device":
        device.memory.room = None
        try:
            return loops.run(device, graph, question, plan.method), plan
        except DeviceMemoryError as error:
            log.warning("%s: streaming the edges instead (%s)", plan.method, str(error))
        room = device.memory.room
        plan = replace(plan, engine="streamed", note="edges did not fit after all, and are streamed")
    for held in (graph, graph._reverse_if_known()):
        if held is not None:
            forget(device, held)
    for attempt in range(ATTEMPTS):
        device.memory.room = None
        try:
            return loop.run(device, graph, question, plan.method, room=room), plan
        except DeviceMemoryError as error:
            if attempt == ATTEMPTS - 1 or not _may_fit_smaller(device, error):
                raise
            # The words only: a log that kept the error would keep the arrays of what has failed.
            log.warning("%s: streaming in smaller parts (%s)", plan.method, str(error))
        # The driver had less than was thought: it rounds up, loads code, and serves others, too.
        known = [limit for limit in (room, device.memory.room, device.memory.limit) if limit is not None]
        room = device.memory.used + 3 * (min(known) - device.memory.used) // 4
    raise AssertionError("the last attempt has returned or raised")


def _may_fit_smaller(device: gpu.Device, error: DeviceMemoryError) -> bool:
    """Whether it was the driver that refused, not our own plan, which has tried the smallest parts already."""
    return device.memory.room is not None or error.needed == 0
