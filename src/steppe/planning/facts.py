"""Facts: all that a plan may know, as plain values, so that a plan can be made (and tested) without a graph, a device or a machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core
from ..machine import memory
from ..machine import threads as _threads
from ..prepared.account import may_prepare
from ..prepared.preparation import ABSENT, MADE, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph.graph import Graph


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a graph.

    Attributes
    ----------
    vertices, edges : int
        Counts; of edges, stored arcs.
    vertex, weight : int
        Bytes of one; a weight has 0 where there are none.
    is_integer, has_negative, all_ones : bool
        Of the weights: integers or none; some below zero; every edge of length 1.
    min_weight, max_weight : float
        Of the edges that exist.
    typical_weight : float
        What the mean would be if the lightest edges of every vertex told of the rest (``cpp/rows/typical.hpp``).
    directed, symmetric : bool
        Whether in-edges are another set of rows; whether every edge is known to have an opposite of the same weight.
    is_mapped : bool
        The edges lie in a file.
    prepared : mapping
        The states of preparations, by name; those that nobody has asked for are not in it. The reverse of an undirected graph is there.
    can_prepare, roadlike : bool
        Whether rows can be packed, and whether there are few edges a vertex.
    parts : int
        Parts that the graph lies in; 0: it is one piece.
    crowding : float
        How many times as many edges a vertex has that an edge leads to as one has on average: hundreds where there are hubs. 1 where nobody asks.
    """

    vertices: int
    edges: int
    vertex: int = 4
    weight: int = 4
    is_integer: bool = True
    has_negative: bool = False
    all_ones: bool = False
    min_weight: float = 1
    max_weight: float = 1
    typical_weight: float = 1.0
    directed: bool = True
    symmetric: bool = False
    is_mapped: bool = False
    prepared: Mapping[str, State] = field(default_factory=dict)
    can_prepare: bool = True
    roadlike: bool = False
    parts: int = 0
    crowding: float = 1.0

    def state(self, name: str) -> State:
        """Return the state of a preparation."""
        return self.prepared.get(name, ABSENT)

    def has(self, name: str) -> bool:
        """Whether a preparation has been made."""
        return self.state(name).status == "made"

    @property
    def distance(self) -> int:
        """Bytes of a distance as it is told."""
        return 8 if self.is_integer else self.weight

    @property
    def degree(self) -> float:
        """Edges of a vertex, on average."""
        return self.edges / max(1, self.vertices)

    @property
    def bytes(self) -> int:
        """Bytes of the rows."""
        return 8 * (self.vertices + 1) + self.edges * (self.vertex + self.weight)


def facts_of(graph: Graph) -> Facts:
    """Return the facts of a graph; nothing is computed for it that costs a pass."""
    derived = graph.derived
    now = graph.prepared.states()
    if graph._reverse_if_known() is not None:
        now["reverse"] = MADE
    known, symmetric = derived.facts, bool(not graph.directed or derived.symmetric)
    if known is not None and known.prepared == now and known.symmetric == symmetric:
        return known  # the rest never changes
    weights = graph._rows[2]
    ones = weights is None or (graph.is_integer and graph.min_weight == graph.max_weight == 1)
    derived.facts = Facts(
        vertices=graph.num_vertices,
        edges=graph.num_edges,
        vertex=graph._rows[1].dtype.itemsize,
        weight=0 if weights is None else weights.dtype.itemsize,
        is_integer=graph.is_integer,
        has_negative=graph.has_negative,
        all_ones=ones,
        min_weight=graph.min_weight,
        max_weight=graph.max_weight,
        typical_weight=graph._typical_weight,
        directed=graph.directed,
        symmetric=symmetric,
        is_mapped=graph.is_mapped,
        prepared=now,
        can_prepare=graph.can_prepare,
        roadlike=graph.num_edges <= 4 * graph.num_vertices,
        crowding=_crowding(graph) if known is None else known.crowding,
    )
    return derived.facts


CROWDING_FROM = 5_000_000
"""Vertices from which it is looked whether there are hubs: only searches in blocks ask for it."""


def _crowding(graph: Graph) -> float:
    """Return the mean degree of the vertices that edges lead to over that of all, from a sample: few pages of a file are touched."""
    n, m = graph.num_vertices, graph.num_edges
    if n < CROWDING_FROM or m < n:
        return 1.0
    indptr, indices = graph._rows[:2]
    blocks = np.arange(128) * (m // 128)
    targets = indices[(blocks[:, None] + np.arange(16)).ravel()]
    return max(1.0, float((indptr[targets + 1] - indptr[targets]).mean()) * n / m)


class Machine(NamedTuple):
    """What is known of the machine at this moment.

    Attributes
    ----------
    threads, idle : int
        CPUs this process may use, and those of them that nobody else keeps busy.
    asked : bool
        The caller has said how many threads there are to be.
    memory : int or None
        Bytes that are free; None: nobody says.
    may_prepare : bool
        False where ``STEPPE_PREPARE=0`` keeps searches from preparing a graph by themselves.
    vectors : {"avx512", "avx2", "none"}
        What products of dense matrices are made with.
    """

    threads: int = 1
    idle: int = 1
    asked: bool = False
    memory: int | None = None
    may_prepare: bool = True
    vectors: str = "avx512"


def machine_for(facts: Facts, threads: int | None) -> Machine:
    """Look at the machine: at what else is running only for large graphs, where that costs little beside the search."""
    allowed = _threads.resolve(threads)
    large = facts.edges >= _threads.LARGE
    idle = _threads.free() if large and allowed > 1 else allowed
    return Machine(
        threads=allowed,
        idle=idle,
        asked=threads is not None,
        memory=memory.available() if large or (facts.is_mapped and facts.bytes > memory.SMALL) else None,
        may_prepare=may_prepare(),
        vectors=_core.min_plus_vectors(),
    )


@dataclass(frozen=True, kw_only=True)
class DeviceFacts:
    """What is known of a device.

    Attributes
    ----------
    name : str
        Its name.
    free : int
        Bytes that may still be taken on it.
    needs : dict
        For each method the bytes it would still have to take: its arrays, and the graph's rows unless they are there already.
    frontier_from : float or None
        Edges a vertex from which rounds beat buckets, as ``steppe tune`` has measured it there; None: it has not.
    """

    name: str
    free: int
    needs: Mapping[str, int] = field(default_factory=dict)
    frontier_from: float | None = None
