"""Call: which of the public functions was called, as far as that decides anything."""

from __future__ import annotations

from enum import Enum


class Call(Enum):
    """A public function that needs a plan; ``Call("sssp")`` is ``Call.SSSP``."""

    SSSP = "sssp"
    BFS = "bfs"
    NEAREST = "nearest"
    SEARCH = "search"
    """One search from several sources, of which nobody asks which is nearest: what SciPy's and NetworkX's names need."""
    ROUTE = "route"
    DISTANCES = "distances"
    ALL_PAIRS = "all_pairs"

    def __init__(self, value: str) -> None:
        self.hops = value == "bfs"
        """Whether edges are counted, whatever their weights."""
        self.many = value in ("distances", "all_pairs")
        """Whether the answer is a matrix: a search for each row."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"a plan is made for one of {', '.join(CALLS)}, not {value!r}")


CALLS = tuple(call.value for call in Call if call is not Call.SEARCH)
"""What :func:`steppe.plan` makes a plan for."""
