"""Where bytes come from: files, packed or not, and standard input.

A file is read into memory of our own, by all cores: somebody may write to it or cut it off while it is parsed, and a mapped file would then change
under the parser or end the process. Only a ``.steppe`` graph is mapped: it opens in the time of one system call. What is compressed (recognised by
its first bytes; its suffix must agree) is unpacked on the way.

A small file may claim to be large: by packing a gigabyte into kilobytes, or by a header that counts a billion vertices and lists none. ``max_bytes``
bounds what is taken on its word alone. Every size is compared with that of the file as it lies on the disk, however often it is packed: by ``.gz``,
and within by an archive (``.npz``) or the pages of a column (``.parquet``, ``.arrow``).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

import numpy as np

from ..errors import FormatError, GraphError
from ..machine import threads
from .unpack import MAGIC as _MAGIC
from .unpack import BrokenError, TooLargeError, packing_of, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

_MAPPED = b"\x93STEPPE\n"
_HEAD = 4096
_STEP = 1 << 24  # bytes that one thread reads at a time
RATIO, UNPACKED, CLAIMED = 64, 1 << 20, 1 << 26
"""Unless ``max_bytes`` says otherwise, a file unpacks to at most 64 times its size + 1 MiB, and what it counts but does not list may make arrays of
64 times its size + 64 MiB."""


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
    size : int
        Bytes of the file itself: packed, if it is.

    With ``opened=False`` there are neither data nor a size: the format opens the file itself.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int | None = None,
        encoding: str | None = None,
        opened: bool = True,
    ) -> None:
        self.max_bytes = max_bytes
        self.path = None if os.fspath(path) in ("-", b"-") else Path(os.fsdecode(path))
        self.name = "<stdin>" if self.path is None else str(self.path)
        self.suffix, self.packing = ("", "") if self.path is None else split_suffix(self.path)
        if opened:
            self._open(encoding)

    def _open(self, encoding: str | None) -> None:
        data: bytes | mmap.mmap
        if self.path is not None:
            data = _read(self, self.path)
        elif sys.stdin is None:
            raise self.error("standard input is closed")
        else:
            data = _drain(self, sys.stdin.buffer, self.max_bytes)
        if not len(data):
            raise self.error("the file is empty")
        self.size = len(data)
        found = packing_of(data)
        if self.packing and found != self.packing:
            raise self.error(f"expected {self.packing[1:]} data, as its name says")
        self.data = self._unpack(data, found) if found else data
        if not len(self.data):
            raise self.error("the file is empty")
        if encoding is not None:
            self.data = self._recoded(encoding)
        self.start = 3 if self.data[:3] == b"\xef\xbb\xbf" else 0  # a byte-order mark is no text

    @classmethod
    def holding(cls, path: Path, data: bytes | mmap.mmap) -> Self:
        """Return a file whose bytes somebody has opened already, and which is not packed."""
        self = cls.__new__(cls)
        self.path, self.name, self.suffix, self.packing = path, str(path), path.suffix, ""
        self.data, self.size, self.max_bytes, self.start = data, len(data), None, 0
        return self

    @property
    def most(self) -> int:
        """Bytes that the file may unpack to."""
        return most_unpacked(self.size, self.max_bytes)

    def _unpack(self, data: bytes | mmap.mmap, packing: str) -> bytes:
        try:
            return unpack(memoryview(data), packing, self.most)
        except BrokenError as error:
            raise self.error(f"damaged or truncated {packing[1:]} data: {error}") from error
        except TooLargeError as error:
            raise self.error(too_large(self.size, f"{packing[1:]} data", str(error), self.most)) from None

    def allow_unpacked(self, size: int, what: str) -> None:
        """Refuse what says of itself that it unpacks to ``size`` bytes, if the file may not; ``what`` is packed in it."""
        if size > max(self.most, self.size):  # what is no larger than the file is not taken on its word
            raise self.error(too_large(self.size, what, f"unpack to {size:,}, more than", self.most))

    def _recoded(self, encoding: str) -> bytes:
        """Return the text in UTF-8."""
        data = bytes(self.data)
        try:
            return data.decode(encoding).encode()
        except LookupError:
            raise GraphError(f"unknown encoding {encoding!r}") from None
        except UnicodeError as error:
            line = data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else None
            raise self.error(f"expected text in {encoding}: {error}", line) from None

    def allow(self, count: int, size: int, what: str, line: int | None = None, *, listed: int = 0) -> None:
        """Refuse ``count`` of something, ``size`` bytes each, that the file claims to have; ``listed``: how many of them its lines can have named."""
        most = RATIO * self.size + CLAIMED if self.max_bytes is None else self.max_bytes
        if max(0, count - listed) * size > most:
            raise self.error(
                f"{count:,} {what} take more than {most:,} bytes, and the file has {self.size:,}: pass max_bytes= to read it all the same",
                line,
            )

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
            yield at, number, self.data[at:end].decode("utf-8", "replace").strip() if end > at else ""
            at = end + 1

    def beside(self, suffix: str) -> Source | None:
        """Return the file of the same name with another suffix, if there is one: packed as this one is, or the only one there is."""
        if self.path is None:
            return None
        name = self.path.name[: self.path.name.lower().rindex(self.suffix)]
        own = self.path.with_name(name + suffix + self.path.name[len(self.path.name) - len(self.packing) :])
        others = [self.path.with_name(name + suffix + packing) for packing in ("", *_MAGIC)]
        found = [own] if own.exists() else [other for other in others if other.exists()]
        if len(found) > 1:
            names = " and ".join(other.name for other in found)
            raise self.error(f"cannot tell which belongs to this file: {names}")
        return Source(found[0], max_bytes=self.max_bytes) if found else None


def most_unpacked(size: int, max_bytes: int | None) -> int:
    """Return the bytes that a file of ``size`` bytes may unpack to.

    >>> most_unpacked(1000, None), most_unpacked(1000, 5000)
    (1112576, 5000)
    """
    return RATIO * size + UNPACKED if max_bytes is None else max_bytes


def too_large(size: int, what: str, claim: str, most: int) -> str:
    """Return what is said of a file that unpacks to more than it may."""
    return f"{size:,} bytes of {what} {claim} {most:,}: pass max_bytes= to read it all the same"


def split_suffix(path: Path) -> tuple[str, str]:
    """Return the suffix that names the format and the one that names the compression.

    >>> split_suffix(Path("NY.gr.gz"))
    ('.gr', '.gz')
    """
    packing = path.suffix.lower()
    if packing in _MAGIC:
        return Path(path.stem).suffix.lower(), packing
    return packing, ""


def _read(source: Source, path: Path) -> bytes | mmap.mmap:
    """Return what is in a file: mapped if it is a ``.steppe`` graph, a copy otherwise."""
    with path.open("rb", buffering=0) as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode) or not before.st_size:  # a pipe or a device, or one of /proc
            endless = stat.S_ISCHR(before.st_mode) and not file.isatty()
            most = CLAIMED if endless and source.max_bytes is None else source.max_bytes
            return _drain(source, file, most)
        head = file.read(_HEAD)
        if head.startswith(_MAPPED):
            with contextlib.suppress(OSError, ValueError):
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(head) == _HEAD and not any(head):  # as a file with a hole begins; no format does
            raise source.error(f"expected a graph, found {_HEAD} bytes of zeros")
        data = _copy(source, file, before.st_size)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise source.error("the file changed while it was read")
    return data


def _copy(source: Source, file: IO[bytes], size: int) -> mmap.mmap:
    """Read a file of ``size`` bytes, several threads a stretch each: most of the time goes into the pages of the copy."""
    try:
        private = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}  # on Windows it always is
        data = mmap.mmap(-1, size, **private)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"{source.name}: {size:,} bytes do not fit in memory") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            data.madvise(mmap.MADV_HUGEPAGE)

    def fill(begin: int) -> bool:
        end = min(begin + _STEP, size)
        with memoryview(data) as view:
            while begin < end:
                if hasattr(os, "preadv"):
                    count = os.preadv(file.fileno(), [view[begin:end]], begin)
                else:
                    file.seek(begin)
                    count = file.readinto(view[begin:end])  # type: ignore[attr-defined]
                if not count:
                    return False
                begin += count
        return True

    steps = range(0, size, _STEP)
    team = min(threads.resolve(None), len(steps)) if hasattr(os, "preadv") else 1
    if team > 1:
        with ThreadPoolExecutor(team) as pool:
            whole = all(pool.map(fill, steps))
    else:
        whole = all(map(fill, steps))
    if not whole:
        raise source.error("the file changed while it was read: it has become shorter")
    return data


def _drain(source: Source, file: IO[bytes], most: int | None) -> bytes:
    """Read what has no size to its end, or to the bound."""
    if most is None:
        return file.read()
    parts, size = [], 0
    while part := file.read(min(_STEP, most + 1 - size)):
        parts.append(part)
        size += len(part)
        if size > most:
            raise source.error(f"more than {most:,} bytes: pass max_bytes= to read more")
    return b"".join(parts)
