"""Results: arrays as NetworkX returns them: dictionaries of Python numbers by node, and paths as lists, each made on demand."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..planning.distance_types import unreachable

if TYPE_CHECKING:
    from .graph import ConvertedGraph

Array = npt.NDArray[Any]


def reached(distances: Array) -> Array:
    """Return the vertices that have a distance, nearest first: the order of NetworkX's dictionaries, but for ties."""
    vertices = np.flatnonzero(distances != unreachable(distances.dtype))
    return vertices[np.argsort(distances[vertices], kind="stable")]


def lengths(graph: ConvertedGraph, distances: Array, order: Array | None = None) -> dict[Any, Any]:
    """Return {node: distance} of the nodes that were reached, in an order."""
    if order is None:
        order = reached(distances)
    nodes = graph.nodes
    return dict(zip([nodes[v] for v in order.tolist()], distances[order].tolist(), strict=True))


class LazyPaths(MutableMapping[Any, list[Any]]):
    """{node: path}, where a path is made on demand, again each time.

    All paths of a search have many more nodes than the graph; a tree has one entry for each. NetworkX spends most of its time on making all paths.
    A path that is assigned stays, as in a dictionary: some of NetworkX's functions change what others return.
    """

    __slots__ = ("_backwards", "_before", "_graph", "_known")

    def __init__(self, graph: ConvertedGraph, before: Array, order: Array, *, backwards: bool = False) -> None:
        self._graph, self._before, self._backwards = graph, before, backwards
        self._known: dict[Any, list[Any] | None] = dict.fromkeys(graph.nodes[v] for v in order.tolist())

    def __getitem__(self, node: Any) -> list[Any]:
        known = self._known[node]
        if known is not None:
            return known
        nodes, before = self._graph.nodes, self._before
        v = self._graph.place[node]
        path = []
        while v >= 0:
            path.append(nodes[v])
            v = int(before[v])
        return path if self._backwards else path[::-1]

    def __setitem__(self, node: Any, path: list[Any]) -> None:
        self._known[node] = path

    def __delitem__(self, node: Any) -> None:
        del self._known[node]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, node: object) -> bool:
        return node in self._known

    def __repr__(self) -> str:
        return repr(dict(self))
