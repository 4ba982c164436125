"""Registry: all preparations, each behind those that it requires."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .contraction import CONTRACTION
from .johnson import JOHNSON
from .landmarks import LANDMARKS
from .packed import PACKED
from .reverse import REVERSE

if TYPE_CHECKING:
    from .preparation import Preparation, Role

PREPARATIONS: tuple[Preparation, ...] = (REVERSE, PACKED, LANDMARKS, CONTRACTION, JOHNSON)


def preparation(name: str) -> Preparation:
    """Return the preparation of this name."""
    for known in PREPARATIONS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in PREPARATIONS)
    raise ValueError(f"a preparation is one of {names}, not {name!r}")


@cache
def serving(call: str, method: str) -> tuple[tuple[Preparation, Role], ...]:
    """Return the preparations that mean something to a method of a call, and what."""
    return tuple(
        (known, known.methods[method]) for known in PREPARATIONS if call in known.serves and method in known.methods
    )
