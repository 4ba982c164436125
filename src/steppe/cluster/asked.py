"""Asked: a question as the workers get it, and what they say when they have lost something."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


GHOST = 3
"""To tell the value of a ghost costs as much as to look at so many edges."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One question about a partitioned graph.

    Attributes
    ----------
    number : int
        Which answer of the workers' it is.
    sources : ndarray of int64
        Places, at least one.
    hops : bool
        Every edge counts 1.
    bound : int, float or None
        The inclusive cutoff.
    width, longest : float
        Of the buckets within a part; no edge is longer than the second.
    delta : float
        How far beyond the least value that waits anywhere a superstep goes.
    graph : str
        The digest of the graph's manifest.
    narrow : bool
        Sums are made in 32 bits, and all begins again in 64 where one outgrows them.
    pulls : bool
        Rows are sorted and lead both ways: the search may be finished by pulling.
    targets : ndarray of int64, or None
        Places; the search ends when all of them have their distances.
    checkpoint : Path or None
        A folder in which values are kept now and then.
    every : float
        Seconds between two checkpoints.
    """

    number: int
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
        """Tell checkpoints of different questions apart: by everything that the values depend on."""
        words = repr((self.graph, self.hops, self.bound, self.narrow)).encode() + self.sources.tobytes()
        object.__setattr__(self, "key", hashlib.blake2b(words, digest_size=16).digest())


class WorkersLostError(Exception):
    """Workers died, hang, or no longer know the question; what they were sent is lost with them.

    Attributes
    ----------
    dead : set of int
        Those that must be replaced.
    forgetful : set of int
        Those that are there, but must be asked again from the beginning.
    """

    def __init__(self, dead: set[int], forgetful: set[int]) -> None:
        super().__init__(f"workers lost: {sorted(dead | forgetful)}")
        self.dead, self.forgetful = dead, forgetful


class ForgottenError(Exception):
    """A worker is asked about a question that it does not know: it has been replaced meanwhile."""


Message = list[tuple[int, Any, Any]]
"""What goes from one worker to another: (part, vertices of it, values)."""
