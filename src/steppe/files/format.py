"""A format of graph files: its names, what it looks like, which options of :func:`steppe.read` it takes, and how it is read and written.

Each format is a module with one :class:`Format`; :mod:`.formats` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from ..errors import GraphError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from ..graph.graph import Graph
    from .source import Source

ColumnRef = str | int
"""A column: its name in the heading, or its position, counted from 0."""

PLAIN = ("directed", "coordinates", "encoding")
COLUMNS = ("source", "target", "weight", "attributes", "missing", "decimal")
_WITHOUT = {
    **dict.fromkeys(PLAIN, "have their own directions, coordinates and encoding"),
    **dict.fromkeys(COLUMNS, "have no columns to choose from"),
    "profile": "are not from OpenStreetMap",
}


@dataclass(frozen=True)
class ReadOptions:
    """What the caller of :func:`steppe.read` asks for; None: whatever the file, or the format, says.

    Attributes
    ----------
    suffix : str
        The one of the format's suffixes that the file has, or that ``format=`` names.
    weight
        False: edges have no weights.
    """

    suffix: str = ""
    directed: bool | None = None
    coordinates: str | os.PathLike[str] | None = None
    encoding: str | None = None
    source: ColumnRef | None = None
    target: ColumnRef | None = None
    weight: ColumnRef | Literal[False] | None = None
    attributes: tuple[ColumnRef, ...] = ()
    missing: str = "error"
    decimal: str | None = None
    profile: str | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> ReadOptions:
        """Return the options among the arguments of a function, if they make sense before a file is read."""
        made = cls(**{name: given[name] for name in cls.__dataclass_fields__ if name != "suffix"})
        if made.missing not in ("error", "drop"):
            raise ValueError(f'missing must be "error" or "drop", not {made.missing!r}')
        if made.decimal not in (None, ".", ","):
            raise ValueError(f'decimal must be "." or ",", not {made.decimal!r}')
        if isinstance(made.attributes, str) or not isinstance(made.attributes, Iterable):
            raise GraphError(f"attributes must be a list of columns, not {made.attributes!r}")
        extra = tuple(made.attributes)
        for name in ("source", "target", "weight"):
            column = getattr(made, name)
            if column is True or not (column is None or column is False or isinstance(column, str | int)):
                raise GraphError(f"{name} must be the name or the position of a column, not {column!r}")
        if made.source is False or made.target is False:
            raise GraphError("an edge has a source and a target")
        if not all(isinstance(column, str | int) and not isinstance(column, bool) for column in extra):
            raise GraphError(f"attributes must be names or positions of columns, not {made.attributes!r}")
        return replace(made, attributes=tuple(dict.fromkeys(extra)))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were asked for by name."""
        return tuple(p for p in (self.source, self.target, self.weight, *self.attributes) if isinstance(p, str))

    @property
    def chooses_columns(self) -> bool:
        """Whether anything was said about columns."""
        return any(getattr(self, name) != getattr(ReadOptions, name) for name in COLUMNS)


@dataclass(frozen=True)
class Format:
    r"""A format of graph files.

    Attributes
    ----------
    name : str
        As its users call it.
    suffixes : tuple of str
        The suffixes of its files, and names for ``format=``.
    read : callable
        ``read(source, options)`` returns the graph that a :class:`.Source` holds.
    write : callable, optional
        ``write(graph, file, suffix)`` writes a graph to an open file; None: this format is read only.
    aliases : mapping
        Other suffixes, and the one of ``suffixes`` that each stands for.
    magic : mapping
        Regular expressions for the first bytes of a file, by the suffix that they tell; they count more than the file's own suffix.
    looks : mapping
        The same for the first line that is no comment, where nothing else tells.
    takes : tuple of str
        The options of :func:`steppe.read` that it takes. Others are refused.
    beside : tuple of str
        Suffixes of files that belong to one of this format. The first is written with it: ``write`` gets it as a fourth argument.
    opens : bool
        Whether ``read`` opens the file by its path. Such a format is told by the name alone.

    Examples
    --------
    >>> from steppe import Graph
    >>> toy = Format("Toy", (".toy",), lambda source, options: Graph.from_edges([0], [1]), magic={".toy": rb"TOY\n"})
    >>> toy.refuse(ReadOptions(".toy", weight="km"))
    Traceback (most recent call last):
    ...
    steppe.errors.GraphError: .toy files have no columns to choose from: leave weight= out
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, ReadOptions], Graph]
    write: Callable[..., None] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    magic: Mapping[str, bytes] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)
    takes: tuple[str, ...] = PLAIN
    beside: tuple[str, ...] = ()
    opens: bool = False

    def refuse(self, options: ReadOptions) -> None:
        """Raise where an option was given that the format does not take."""
        for name, without in _WITHOUT.items():
            if name not in self.takes and getattr(options, name) != getattr(ReadOptions, name):
                if name == "decimal" and "source" in self.takes:
                    without = "hold numbers, not text"  # noqa: PLW2901
                raise GraphError(f"{options.suffix} files {without}: leave {name}= out")
