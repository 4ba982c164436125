"""Kept: the preparations of one graph, and in what state each is. The one place where they are kept until the graph goes, or is told to forget."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..machine import locks
from .preparation import Made, State
from .registry import PREPARATIONS, preparation

if TYPE_CHECKING:
    from collections.abc import Iterator


class Slot:
    """The place of one preparation: what was made, or why nothing was.

    Its lock belongs to whoever makes it, all the while. A child of ``fork`` finds it open, and ``maker`` names another process: nothing is
    being made there.
    """

    __slots__ = ("limit", "lock", "made", "maker", "reason", "spent")

    def __init__(self) -> None:
        self.lock = locks.make()
        self.maker = 0
        self.made: Made | None = None
        self.spent = self.limit = 0.0
        self.reason = ""

    @property
    def state(self) -> State:
        """What a plan knows of it."""
        status = "made" if self.made else "unsuited" if self.reason else "refused" if self.limit else "absent"
        return State(status, self.spent, self.limit, self.reason)

    def __str__(self) -> str:
        if self.made is not None:
            detail = ", ".join(f"{name} {_number(value)}" for name, value in self.made.detail.items())
            return f"{self.made.seconds:9.3f} s {self.made.bytes:15,} bytes  {detail}".rstrip()
        if self.maker == os.getpid():
            return "is being made"
        if self.reason:
            return f"none: {self.reason}"
        spent = f"{self.spent:.2g} s spent without it" if self.spent else "not made"
        return f"{spent}; given up after {self.limit:.2g} s" if self.limit else spent


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


class Prepared(Mapping[str, Made]):
    """What has been made for a graph, by name. ``print()`` shows a short table, with what is being made or was refused.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.generate.grid(20, 20).prepare()
    >>> list(g.prepared), g.prepared["packed"].bytes
    (['packed'], 12800)
    """

    __slots__ = ("_of_shape", "_of_weights")

    def __init__(self, of_shape: dict[str, Slot]) -> None:
        self._of_shape, self._of_weights = of_shape, dict[str, Slot]()

    def slot(self, name: str) -> Slot:
        """Return the place of a preparation."""
        slot = self._of_weights.get(name) or self._of_shape.get(name)
        if slot is None:
            slots = self._of_shape if preparation(name).level == "shape" else self._of_weights
            slot = slots.setdefault(name, Slot())
        return slot

    def states(self) -> dict[str, State]:
        """Return the state of each that anybody has asked for."""
        return {name: slot.state for slots in (self._of_shape, self._of_weights) for name, slot in slots.copy().items()}

    def __getitem__(self, name: str) -> Made:
        made = self.get(name)
        if made is None:
            raise KeyError(name)
        return made

    def get(self, name: str, default: Made | None = None) -> Made | None:  # type: ignore[override]
        """Return what was made, or the default."""
        slot = self._of_weights.get(name) or self._of_shape.get(name)
        return default if slot is None or slot.made is None else slot.made

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (known.name for known in PREPARATIONS if known.name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        known = [one.name for one in PREPARATIONS if one.name in self._of_shape or one.name in self._of_weights]
        width = max(map(len, known), default=0)
        return "\n".join(f"{name:<{width}}  {self.slot(name)}" for name in known) or "nothing is prepared"
