"""Options: what a caller may choose. A public function makes them of its arguments, and from there on they travel together."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from ..machine.memory import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .call import Call
    from .progress import Progress


@dataclass(frozen=True, kw_only=True)
class Options:
    """What public functions take beside the graph and the sources; their docstrings say what each means. None and "auto": as the plan decides.

    A function has no use for most of them. ``blocks`` says that rows are handed over one block after the other.
    """

    method: str = "auto"
    device: str | None = None
    delta: float | None = None
    cutoff: float | None = None
    targets: Any = None
    record_paths: bool = False
    reverse: bool = False
    threads: int | None = None
    memory_limit: int | None = None
    progress: bool | Callable[[Progress], object] | None = None
    result: str = "host"
    engine: Any = None
    pairs: bool = False
    reduce: Any = None
    predecessors: bool = False
    sparse: bool = False
    along: Any = None
    blocks: bool = False
    dtype: Any = None
    out: Any = None
    overwrite: bool = False
    unreachable: float | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the options among the arguments of a public function, which are its ``locals()`` in its first line.

        The other arguments come along, and nobody looks at them: to leave them out, or to go through __init__, takes a tenth of a small search.
        """
        made = cls.__new__(cls)
        vars(made).update(DEFAULTS)
        vars(made).update(arguments)
        made.__post_init__()
        return made

    def __post_init__(self) -> None:
        """Check what can be checked without a graph."""
        if self.cutoff is not None and not self.cutoff >= 0:
            raise ValueError(f"cutoff must be a number and not negative: {self.cutoff!r}")
        if self.delta is not None and not (0 < self.delta < math.inf):
            raise ValueError(f"delta must be a positive number: {self.delta!r}")
        if isinstance(self.memory_limit, str):
            object.__setattr__(self, "memory_limit", size_of(self.memory_limit))

    @property
    def bounded(self) -> bool:
        """Whether there is a cutoff."""
        return self.cutoff is not None

    @property
    def form(self) -> str:
        """What is wanted of a matrix: "" is the matrix itself."""
        if self.pairs:
            return "pairs"
        return "reduce" if self.reduce is not None else "predecessors" if self.predecessors else ""

    @property
    def in_blocks(self) -> bool:
        """Whether a matrix is never held as a whole."""
        return self.sparse or self.blocks or self.out is not None or self.reduce is not None

    def may_stop(self, call: Call) -> bool:
        """Tell whether a search may end at targets: of a matrix, where each source has its own, or leaves a tree to follow."""
        return (self.pairs or self.along is not None) if call.many else self.targets is not None

    def deciding(self) -> tuple[object, ...]:
        """Return what a plan may depend on, to tell whether two calls have the same plan."""
        return (_decides(self), *(given is not None for given in _decides_whether(self)))


DEFAULT = Options()
"""Those of a caller who chose nothing."""

DEFAULTS = {option.name: option.default for option in fields(Options)}

ONLY_WHETHER = ("cutoff", "targets", "progress", "engine", "reduce", "along", "out")
"""Options of which a plan asks only whether they are given. No plan keeps them alive."""

_decides = attrgetter(*(name for name in DEFAULTS if name not in ONLY_WHETHER))
_decides_whether = attrgetter(*ONLY_WHETHER)
