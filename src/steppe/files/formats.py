"""All formats, and which of them a file has: by ``format=``, by its first bytes, its suffix or its first line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GraphError
from . import (
    adjacency,
    arrow,
    dimacs,
    edge_list,
    gap,
    graphalytics,
    graphml,
    matrix_market,
    metis,
    npz,
    osm,
    pajek,
    parquet,
    steppe_file,
    tntp,
)
from .source import split_suffix

if TYPE_CHECKING:
    from collections.abc import Callable

    from .format import Format
    from .source import Source

FORMATS: tuple[Format, ...] = (
    osm.FORMAT,
    steppe_file.FORMAT,
    parquet.FORMAT,
    arrow.FORMAT,
    npz.FORMAT,
    matrix_market.FORMAT,
    graphml.FORMAT,
    pajek.FORMAT,
    tntp.FORMAT,
    dimacs.FORMAT,
    dimacs.COORDINATES,
    edge_list.TABLE,
    edge_list.GAP,
    graphalytics.FORMAT,
    metis.FORMAT,
    adjacency.FORMAT,
    gap.FORMAT,
)
"""Every format; of those that a file looks like, the first is taken."""

_ALIASES = {alias: suffix for one in FORMATS for alias, suffix in one.aliases.items()}
_BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}
_TEXT = ".txt"  # a suffix that tells nothing


def listed(*, written: bool = False) -> str:
    """Return the names of all formats, or of those that are written, with commas between them."""
    return ", ".join(suffix[1:] for suffix, one in _BY_SUFFIX.items() if not written or one.write is not None)


def named(name: str) -> tuple[Format, str]:
    """Return the format that a suffix names, and that suffix without disguise.

    >>> form, suffix = named("Matrix-Market")
    >>> form.name, suffix
    ('Matrix Market', '.mtx')
    """
    suffix = "." + name.lower().lstrip(".").replace("-", "").replace("_", "")
    suffix = _ALIASES.get(suffix, suffix)
    if suffix not in _BY_SUFFIX:
        raise GraphError(f"unknown format {name!r}; known are {listed()}")
    return _BY_SUFFIX[suffix], suffix


def writer(name: str) -> tuple[Callable[..., None], str, tuple[str, ...]]:
    """Return what writes the format that a suffix names, the suffix, and that of the file beside it, if it has one."""
    form, suffix = named(name)
    if form.write is None:
        raise GraphError(f"{suffix} files are read, not written; write one of {listed(written=True)}")
    return form.write, suffix, form.beside[:1]


def of_name(path: str | os.PathLike[str]) -> str:
    """Return the suffix by which a file's name tells its format; an empty text, if it does not.

    >>> of_name("NY.gr.gz"), of_name("town.osm.pbf"), of_name("roads.feather"), of_name("roads")
    ('.gr', '.osm.pbf', '.arrow', '')
    """
    file = Path(os.fsdecode(path))
    name = file.name.lower().removesuffix(split_suffix(file)[1])
    found = max((suffix for suffix in (*_BY_SUFFIX, *_ALIASES) if name.endswith(suffix)), key=len, default="")
    return _ALIASES.get(found, found)


def opens(suffix: str) -> bool:
    """Return whether the format of this suffix opens files itself."""
    return suffix in _BY_SUFFIX and _BY_SUFFIX[suffix].opens


def beside(*names: str) -> set[str]:
    """Return the suffixes of files that belong to a file of any of these formats.

    >>> sorted(beside(".e")), beside("", ".gr")
    (['.properties', '.v'], set())
    """
    forms = [_BY_SUFFIX.get("." + name.lower().lstrip(".")) for name in names]
    return {other for form in forms if form is not None for other in form.beside}


def recognise(source: Source, suffix: str, *, given: bool) -> tuple[Format, str]:
    """Return the format of a file; ``given``: the caller says that it has this suffix, and not its name."""
    if opens(suffix):
        return _BY_SUFFIX[suffix], suffix
    head = bytes(source.data[source.start : source.start + 4096])
    found = next((at for one in FORMATS for at, magic in one.magic.items() if re.match(magic, head)), "")
    if given:
        if found == ".mtx" != suffix:  # most text formats take its banner for a comment, and its sizes for an edge
            raise source.error(f"this is a Matrix Market file, not {suffix}", 1)
        return _BY_SUFFIX[suffix], suffix
    if not found:
        found = suffix if suffix not in ("", _TEXT) else _looks_like(source, head, suffix)
    return _BY_SUFFIX[found], found


def _looks_like(source: Source, head: bytes, suffix: str) -> str:
    """Return the suffix of the format that a text seems to have."""
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    content = next((line for line in lines if line and not line.startswith(("#", "%", "//"))), None)
    if content is None and any(lines):
        return _TEXT  # comments alone: an edge list without edges
    for one in FORMATS:
        if suffix in one.suffixes:
            return suffix
        for found, looks in one.looks.items():
            if content is not None and re.match(looks, content):
                return found
    raise source.error(f"cannot tell the format from its name or content; pass format=, one of {listed()}")
