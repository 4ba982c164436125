"""What a caller says about the columns of a table: which are the ends of an edge, which its weight, and which ride along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors import GraphError

ColumnRef = str | int
"""A column: its name in the heading, or its position, counted from 0."""


@dataclass(frozen=True)
class ColumnChoice:
    """The columns asked for; None: whatever the heading, or the format, says.

    Attributes
    ----------
    weight
        False: edges have no weights.
    """

    source: ColumnRef | None = None
    target: ColumnRef | None = None
    weight: ColumnRef | Literal[False] | None = None
    attributes: tuple[ColumnRef, ...] = ()
    missing: str = "error"
    decimal: str | None = None

    @classmethod
    def checked(
        cls,
        source: ColumnRef | None,
        target: ColumnRef | None,
        weight: ColumnRef | bool | None,
        attributes: Iterable[ColumnRef],
        missing: str,
        decimal: str | None,
    ) -> ColumnChoice:
        """Return what was given, if it makes sense before a file is read."""
        if missing not in ("error", "drop"):
            raise ValueError(f'missing must be "error" or "drop", not {missing!r}')
        if decimal not in (None, ".", ","):
            raise ValueError(f'decimal must be "." or ",", not {decimal!r}')
        if isinstance(attributes, str) or not isinstance(attributes, Iterable):
            raise GraphError(f"attributes must be a list of columns, not {attributes!r}")
        extra = tuple(attributes)
        for name, place in {"source": source, "target": target, "weight": weight}.items():
            if place is True or not (place is None or place is False or isinstance(place, str | int)):
                raise GraphError(f"{name} must be the name or the position of a column, not {place!r}")
        if source is False or target is False:
            raise GraphError("an edge has a source and a target")
        if not all(isinstance(place, str | int) and not isinstance(place, bool) for place in extra):
            raise GraphError(f"attributes must be names or positions of columns, not {attributes!r}")
        return cls(source, target, weight, tuple(dict.fromkeys(extra)), missing, decimal)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were asked for by name."""
        return tuple(p for p in (self.source, self.target, self.weight, *self.attributes) if isinstance(p, str))

    @property
    def is_default(self) -> bool:
        """Whether nothing was asked for."""
        return self == ColumnChoice()

    def refuse(self, kind: str, *allowed: str) -> None:
        """Raise where something was asked for that a format does not have."""
        for name, default in vars(ColumnChoice()).items():
            if name not in allowed and getattr(self, name) != default:
                raise GraphError(f"{kind} files have no columns to choose from: leave {name}= out")
