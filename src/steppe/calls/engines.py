"""Engines: a plan is carried out. Here, and nowhere else, a plan's engine becomes a call of it.

There is one way back: edges that turn out not to fit a device are streamed. That is a second plan, made of what was learnt.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ..cpu import external, search
from ..errors import DeviceMemoryError
from ..planning.distance_types import lengths_of_hops
from ..planning.explain import Explanation
from ..planning.question import Answer, Question, cut_at_targets

if TYPE_CHECKING:
    from .. import gpu
    from ..graph.graph import Graph
    from ..planning.plan import Plan

log = logging.getLogger("steppe")


def carry_out(
    graph: Graph,
    question: Question,
    plan: Plan,
    *,
    device: gpu.Device | None = None,
    memory_limit: int | None = None,
    hops: bool = False,
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
    if plan.prepares:
        graph.prepare(threads=plan.threads)
    prepared = time.perf_counter() - begun
    asked = question.planned(plan)
    if plan.engine == "cpu":
        answer = search.run(graph, asked, plan.method)
    elif plan.engine == "external":
        answer = external.run(graph, asked, plan.method, memory_limit)
    else:
        answer, plan = _on_device(graph, asked, plan, device)
    if plan.method == "bfs" and not hops:
        answer = replace(answer, distances=lengths_of_hops(answer.distances))
    if hops or not graph.has_negative:  # else a path to a target may lead through vertices beyond it
        question, answer = cut_at_targets(question, answer)
    measured = answer.explained | ({"prepare_seconds": prepared} if plan.prepares else {})
    return question, answer, Explanation.of(plan, measured, time.perf_counter() - begun)


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
            log.warning("%s: streaming the edges instead (%s)", plan.method, error)
        room = device.memory.room
        plan = replace(plan, engine="streamed", note="edges did not fit after all, and are streamed")
    for held in (graph, graph.reverse_if_known()):
        if held is not None:
            forget(device, held)
    return loop.run(device, graph, question, plan.method, room=room), plan
