"""Where bytes come from: files, packed or not, and standard input.

A plain file is mapped, not read: the parser's threads touch it in parallel, and a ``.steppe`` graph opens in the time
of one system call. What is compressed (recognised by its first bytes; its suffix must agree) is unpacked into memory.
"""

from __future__ import annotations

import gzip
import lzma
import mmap
import os
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FormatError, SteppeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    import numpy.typing as npt

_MAGIC = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}


class Source:
    """The unpacked bytes of a file, with the name by which errors speak of it.

    Attributes
    ----------
    name : str
        For messages.
    path : Path or None
        None for standard input.
    suffix : str
        Lower case, without a compression suffix: ``".gr"`` for ``NY.gr.gz``.
    data : bytes or mmap
        All of it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = None if os.fspath(path) == "-" else Path(path)
        if self.path is None:
            self.name, self.suffix, packing = "<stdin>", "", ""
            data: bytes | mmap.mmap = sys.stdin.buffer.read()
        else:
            self.name = str(path)
            self.suffix, packing = split_suffix(self.path)
            data = _map(self.path)
        if not len(data):
            raise self.error("the file is empty")
        found = next((suffix for suffix, magic in _MAGIC.items() if data[: len(magic)] == magic), "")
        if packing and found != packing:
            raise self.error(f"expected {packing[1:]} data, as its name says")
        self.data = self._unpack(bytes(data), found) if found else data
        self.start = 3 if self.data[:3] == b"\xef\xbb\xbf" else 0  # a byte-order mark is no text

    def _unpack(self, data: bytes, packing: str) -> bytes:
        try:
            if packing == ".gz":
                return gzip.decompress(data)
            return lzma.decompress(data) if packing == ".xz" else _unpack_zstd(data)
        except (OSError, EOFError, zlib.error, lzma.LZMAError, _BrokenError) as error:
            raise self.error(f"damaged or truncated {packing[1:]} data: {error}") from error

    @property
    def array(self) -> npt.NDArray[np.uint8]:
        """The bytes as an array."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return the error to raise."""
        return FormatError(message, file=self.name, line=line)

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """Yield (offset, number from 1, stripped text) of every line."""
        at, number = self.start, 0
        while at < len(self.data):
            end = self.data.find(b"\n", at)
            end = len(self.data) if end < 0 else end
            number += 1
            yield at, number, self.data[at:end].decode("utf-8", "replace").strip()
            at = end + 1

    def beside(self, suffix: str) -> Source | None:
        """Return the file of the same name with another suffix, packed or not, if there is one."""
        if self.path is None:
            return None
        name = self.path.name[: self.path.name.lower().rindex(self.suffix)]
        for packing in ("", *_MAGIC):
            other = self.path.with_name(name + suffix + packing)
            if other.exists():
                return Source(other)
        return None


def split_suffix(path: Path) -> tuple[str, str]:
    """Return the suffix that names the format and the one that names the compression.

    >>> split_suffix(Path("NY.gr.gz"))
    ('.gr', '.gz')
    """
    packing = path.suffix.lower()
    if packing in _MAGIC:
        return Path(path.stem).suffix.lower(), packing
    return packing, ""


def _map(path: Path) -> bytes | mmap.mmap:
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return file.read()  # empty, or a pipe or device that has no size
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return file.read()


class _BrokenError(Exception):
    pass


def _zstandard() -> ModuleType:
    try:
        import zstandard
    except ImportError as error:
        raise SteppeError("files ending in .zst need the zstandard package: pip install steppe[zstd]") from error
    return zstandard


def _unpack_zstd(data: bytes) -> bytes:
    zstandard = _zstandard()
    parts = []
    while data:  # frame by frame: a stream reader would take a truncated last frame for the end
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(data))
        except zstandard.ZstdError as error:
            raise _BrokenError(str(error)) from error
        if not frame.eof:
            raise _BrokenError("the data end in the middle of a frame")
        data = frame.unused_data
    return b"".join(parts)
