"""Guard: a check before every command that it does not write to a file that it reads, under whatever name.

The parameters of a command have in their types which of them name files (:class:`Names`). Before the command runs, all files that it reads, with
those that belong to them, are compared with all that it writes: as files, so that links, ``./x`` and other spellings do not matter. Standard input
and output count too, where they are files; and where they are closed, a command that needs them is refused.
"""

from __future__ import annotations

import codecs
import functools
import io
import os
import stat
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from ..errors import GraphError
from ..files import formats
from ..files.source import split_suffix
from ..files.unpack import MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

closed: set[str] = set()
"""Standard streams that were closed when the process began."""


class Names(Enum):
    """What files a parameter of a command names, as a part of its type: ``Annotated[str, typer.Option(…), Names.READ]``."""

    READ = "a file that is read"
    LISTED = "vertices, or @FILE with a list of them"
    WRITTEN = "a file or folder that is written"


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the check before it."""
    named = {
        parameter: sign
        for parameter, kind in get_type_hints(command, include_extras=True).items()
        for sign in getattr(kind, "__metadata__", ())
        if isinstance(sign, Names)
    }

    @functools.wraps(command)
    def checked(**given: Any) -> Any:
        files: dict[Names, list[str]] = {sign: [] for sign in Names}
        for parameter, sign in named.items():
            value = given[parameter]
            files[sign] += [] if value is None else [value] if isinstance(value, str) else value
        read = files[Names.READ] + [text[1:] for text in files[Names.LISTED] if text.startswith("@")]
        check_files(read, files[Names.WRITTEN], given.get("file_format"), given.get("to_format"))
        return command(**given)

    checked.__annotations__ = get_type_hints(command, include_extras=True)
    return checked


def check_files(
    read: list[str], written: list[str], file_format: str | None = None, to_format: str | None = None
) -> None:
    """Refuse to write over a file that is read, to write two things to one place, and to use a closed stream."""
    for names, stream in ((read, "input"), (written, "output")):
        if names.count("-") > 1:
            raise ValueError(f"standard {stream} cannot serve two files at once: give a name for one of them")
    if "-" in read and "stdin" in closed:
        raise ValueError("standard input is closed: give a file instead of -")
    if set(written) <= {"-"} and "stdout" in closed:
        raise ValueError("standard output is closed, and the answer would go nowhere")
    outs = list(_with_those_beside(written, to_format))
    for file in _with_those_beside(read, file_format):
        for out in outs:
            if _meet(file, out):
                raise GraphError(f"{out} is the file that is read: give what is written another name")
        if _same(_stat(file, sys.stdin), _stat("-", sys.stdout)):
            raise GraphError("standard output leads to the file that is read: give what is written another name")
    for at, out in enumerate(outs):
        if out != "-" and any(os.path.realpath(out) == os.path.realpath(other) for other in outs[:at]):
            raise GraphError(f"{out} would be written twice: give two names")


def _with_those_beside(names: Iterable[str], given: str | None) -> Iterator[str]:
    """Yield the names, and those of the files that belong to them."""
    for name in names:
        yield name
        suffix, packing = split_suffix(Path(name))
        stem = name[: len(name) - len(packing) - len(suffix)]
        for other in formats.beside(suffix, given or "") if name != "-" else ():
            yield from (stem + other + packed for packed in ("", *MAGIC))


def _meet(file: str, out: str) -> bool:
    """Return whether a file that is read is written, too, or lies in a folder that is."""
    if out == "-":
        return False  # standard output is compared elsewhere
    there = _stat(out, sys.stdout)
    if there is not None and stat.S_ISDIR(there.st_mode) and file != "-":
        return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(out))
    return _same(_stat(file, sys.stdin), there)


def _same(file: os.stat_result | None, out: os.stat_result | None) -> bool:
    return file is not None and out is not None and stat.S_ISREG(file.st_mode) and os.path.samestat(file, out)


def _stat(name: str, stream: Any) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno()) if name == "-" else Path(name).stat()
    except (OSError, ValueError, AttributeError):  # it is not there, or the stream is no file
        return None


def open_streams() -> None:
    """Give standard streams that are closed a place that leads nowhere, and let every character be written to those that are open.

    Without the first the next file that is opened would get the number of the closed stream, and what is meant for that would be written
    into the file. A locale that knows ASCII alone gets UTF-8; other encodings get escapes for what they do not know.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            closed.add(name)
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(nowhere, True)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if ascii_only else None, errors="backslashreplace")
