"""One host loop for each algorithm, the graph's edges in the device's memory; the kernels have the same names.

A loop is loaded when it, or its size in bytes, is first needed: importing steppe loads none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...graph.graph import Graph
    from ...planning.question import Answer, Question
    from ..device import Device

__all__ = ["MANY_METHODS", "METHODS", "bytes_needed", "lengths_of_hops", "rows_of_matrix", "run"]

METHODS = {"frontier": "frontier", "delta-stepping": "delta_stepping", "bellman-ford": "bellman_ford", "bfs": "bfs"}
"""The module of each method. (Edge sweeps and predecessors answer other questions: edge.py, predecessors.py.)"""


MANY_METHODS = {"delta-stepping": "many", "edge-sweep": "edge"}
"""The module of each method that computes a matrix."""


def run(device: Device, graph: Graph, question: Question, method: str) -> Answer:
    """Search with all edges on the device; by "bfs" the distances are hops (int32)."""
    answer: Answer = import_module(f".{METHODS[method]}", __name__).run(device, graph, question)
    return answer


def lengths_of_hops(device: Device, hops: Any) -> Any:
    """Return hops on a device as distances there."""
    from ..exchange import DeviceArray

    lengths = device.alloc(len(hops), "i8")
    device.launch(device.program("fill"), "lengths", len(hops), hops.buffer, len(hops), lengths)
    return DeviceArray(lengths)


def rows_of_matrix(method: str, device: Device, graph: Graph, sources: Any, **options: Any) -> None:
    """Compute the rows of a matrix by "delta-stepping" or "edge-sweep"; options as theirs."""
    module = import_module(f".{MANY_METHODS[method]}", __name__)
    module.run(device, graph, sources, **options)


def bytes_needed(
    method: str,
    *,
    n: int,
    m: int,
    weights: DTypeLike | None,
    groups: int,
    record_paths: bool = False,
    sources: int = 1,
    targets: int = 0,
    chunks: int | None = None,
    wide: bool = False,
    **more: Any,
) -> int:
    """Return the bytes that a search takes on a device at its peak, the graph's rows and all; no device is needed to know.

    Parameters
    ----------
    method
        A name of `METHODS`, "edge-sweep" or "predecessors".
    n, m, weights
        Vertices, edges, and the type of the weights (None: there are none).
    groups
        `Device.max_groups`: 32 times `DeviceInfo.units`.
    sources, targets
        How many different ones there are; of "edge-sweep": the rows of a batch.
    chunks
        `work.chunks_of(graph.degrees)`; without it the most that n and m allow.
    wide
        The search again in 64 bits, after sums have outgrown 32.
    more
        "bfs": ``backwards=True`` where in-edges are known (`Graph._reverse_if_known`), ``directed``. "edge-sweep": ``directed``.
        "predecessors": ``hops``; ``uniform=True`` where all edges have one positive integer weight.

    Examples
    --------
    >>> bytes_needed("bfs", n=100, m=400, weights=None, groups=64)
    4208
    """
    from . import work
    from .sizes import SIZES

    chunks = work.most_chunks(n, m) if chunks is None else chunks
    facts = {"groups": groups, "sources": sources, "targets": targets, "chunks": chunks, "wide": wide}
    return SIZES[method](n=n, m=m, weights=weights, record_paths=record_paths, **facts, **more)
