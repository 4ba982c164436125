"""One host loop for each algorithm, the graph's edges in the device's memory; the kernels have the same names."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Answer, Question
    from ..device import Device

METHODS = {"frontier": "frontier", "delta-stepping": "delta_stepping", "bellman-ford": "bellman_ford", "bfs": "bfs"}
"""The module of each method; it is loaded when the method is first asked for."""


def run(device: Device, graph: Graph, question: Question, method: str) -> Answer:
    """Search with all edges on the device; by "bfs" the distances are hops (int32)."""
    answer: Answer = import_module(f".{METHODS[method]}", __name__).run(device, graph, question)
    return answer
