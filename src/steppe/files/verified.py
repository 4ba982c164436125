"""Believed: a file of a partition, opened once and compared with its digest before anybody reads from it.

What is compared is what is used: the bytes that were read, or the mapping itself, so a file put in the place of another in between changes
nothing. A large file is mapped under guard (:mod:`steppe.files.mapped`); a process remembers those that it has compared, by their identity,
and compares them once. Small ones are read, and compared each time.
"""

from __future__ import annotations

import hashlib
import io
import stat
import time
import tokenize
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from . import mapped

if TYPE_CHECKING:
    import mmap
    from pathlib import Path

Array = npt.NDArray[Any]
_PIECE = 8 << 20
_HEAD = 4096  # bytes, of which the header of an array takes 128
_known: set[tuple[Any, ...]] = set()  # (identity, digest) of files that were compared


def digest_of(data: bytes | mmap.mmap) -> str:
    """Return the digest of bytes.

    >>> digest_of(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    digest = hashlib.blake2b(digest_size=16)
    with memoryview(data) as view:
        for begin in range(0, len(view), _PIECE):
            digest.update(view[begin : begin + _PIECE])
    return digest.hexdigest()


def digest_of_file(path: Path) -> str:
    """Return the digest of a file, read in pieces."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def contents(path: Path, entry: dict[str, Any]) -> bytes | mmap.mmap:
    """Return all of a file whose size and digest the manifest tells; FormatError where they are others."""
    try:
        there = path.stat()  # before it is opened: a pipe would keep us for ever
        if not stat.S_ISREG(there.st_mode):
            raise FormatError("expected a file of the partition, and this is none", file=str(path))
        _expect_size(path, entry, there.st_size)
        data = mapped.open_bytes(path)
    except OSError as error:
        what = "is missing" if isinstance(error, FileNotFoundError) else "cannot be opened"
        raise FormatError(f"a file of the partition {what}: {error.strerror}", file=str(path)) from None
    _expect_size(path, entry, len(data))
    mapping = data if isinstance(data, mapped.Mapping) else None
    key = None if mapping is None else (*mapping.identity, entry["digest"])
    if key is None or key not in _known:
        if digest_of(data) != entry["digest"]:
            raise FormatError("the file is damaged: its digest does not match the manifest", file=str(path))
        check_unchanged(data, path)
        # A file written a moment ago may be written to again without a change of its time.
        if mapping is not None and time.time_ns() - max(mapping.identity[3:]) > 2 * 10**9:
            if len(_known) > 4 * 4096:
                _known.clear()
            _known.add((*mapping.identity, entry["digest"]))
    return data


def _expect_size(path: Path, entry: dict[str, Any], found: int) -> None:
    if found != entry["bytes"]:
        raise FormatError(f"expected {entry['bytes']} bytes, found {found}: the file is damaged", file=str(path))


def check_unchanged(data: bytes | mmap.mmap, path: Path) -> None:
    """Raise FormatError if a file was written to or truncated since it was mapped."""
    if isinstance(data, mapped.Mapping) and (happened := data.change()):
        raise FormatError(f"the file {happened} since it was opened", file=str(path))


def array(data: bytes | mmap.mmap, path: Path, count: int) -> Array:
    """Return the array that an ``.npy`` file holds, where it lies: one dimension, so many entries, no objects."""
    head = io.BytesIO(data[:_HEAD])
    try:
        version = np.lib.format.read_magic(head)
        shape, _, dtype = np.lib.format.read_array_header_1_0(head)
    except (ValueError, TypeError, SyntaxError, EOFError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise FormatError(f"not a readable .npy file: {error}", file=str(path)) from None
    begin = head.tell()
    fine = version == (1, 0) and shape == (count,) and begin % 64 == 0 and dtype.kind in "biufSUmM"
    if not fine or not dtype.itemsize or begin + count * dtype.itemsize != len(data):
        raise FormatError("the file is damaged: it has another shape or type", file=str(path))
    return np.frombuffer(data, dtype, count, begin) if count else np.empty(0, dtype=dtype)
