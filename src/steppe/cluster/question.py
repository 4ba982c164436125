"""WorkerQuestion: a question as workers get it; and the errors of workers that were lost."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


GHOST = 3
"""To send the value of a ghost costs as much as to read so many edges."""


@dataclass(frozen=True, eq=False)
class WorkerQuestion:
    """One question about a partitioned graph.

    Attributes
    ----------
    id : int
        By which the workers know the question and its answer.
    sources : ndarray of int64
        Places (positions in the order of the parts), at least one.
    hops : bool
        Every edge counts 1.
    bound : int, float or None
        The inclusive cutoff.
    width, longest : float
        The width of the buckets within a part; the length of the longest edge, or more.
    delta : float
        A superstep relaxes values up to the least unfinished one of all parts plus this.
    graph : str
        The digest of the graph's manifest.
    narrow : bool
        Sums have 32 bits; the search starts again with 64 where one overflows.
    pulls : bool
        Rows are sorted by weight and the graph is undirected: the search may be finished by pulling.
    targets : ndarray of int64, or None
        Places; the search ends when all of them have their distances.
    checkpoint : Path or None
        A folder in which values are saved now and then.
    every : float
        Seconds between two checkpoints.
    """

    id: int
    sources: npt.NDArray[np.int64]
    hops: bool
    bound: int | float | None
    width: float
    longest: float
    delta: float
    graph: str
    narrow: bool = False
    pulls: bool = False
    targets: npt.NDArray[np.int64] | None = None
    checkpoint: Path | None = None
    every: float = 30.0
    key: bytes = field(default=b"", init=False)

    def __post_init__(self) -> None:
        """Make the key of checkpoints: a digest of everything that the values depend on."""
        words = repr((self.graph, self.hops, self.bound, self.narrow)).encode() + self.sources.tobytes()
        object.__setattr__(self, "key", hashlib.blake2b(words, digest_size=16).digest())


class WorkersLostError(Exception):
    """Workers died, do not answer, or do not know the question; messages to them are lost.

    Attributes
    ----------
    dead : set of int
        Workers that must be replaced.
    without_state : set of int
        Workers that live, but must be given the question again.
    """

    def __init__(self, dead: set[int], without_state: set[int]) -> None:
        super().__init__(f"workers lost: {sorted(dead | without_state)}")
        self.dead, self.without_state = dead, without_state


class UnknownQuestionError(Exception):
    """A worker does not know the question: the worker was replaced after the search began."""


Message = list[tuple[int, Any, Any]]
"""Sent from one worker to another: a list of (part, vertices of it, values)."""
