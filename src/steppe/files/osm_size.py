"""What a file of OpenStreetMap unpacks to, counted before pyosmium reads it: pyosmium itself knows no bound.

``.osm.gz`` and ``.osm.bz2`` are unpacked once for their size alone, a few megabytes at a time. A ``.osm.pbf`` file is a list of blobs, and each tells
the size of what is packed in it; whoever unpacks it takes no more memory than that, and finds another size an error. So nothing is unpacked here.
"""

from __future__ import annotations

import bz2
import gzip
import zlib
from typing import IO, TYPE_CHECKING

from ..errors import FormatError
from .source import most_unpacked, too_large
from .unpack import varint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEP = 1 << 22
_HEADER, _BLOB = 1 << 16, 1 << 25  # the largest that the format allows: bytes of a blob's header, and of a blob


def check(file: Path, kind: str, max_bytes: int | None) -> None:
    """Refuse a file that unpacks to more than ``max_bytes``; ``kind``: its format, where its name does not tell."""
    name = kind or file.name.lower()
    size = file.stat().st_size
    most, what = max(size, most_unpacked(size, max_bytes)), "a file of OpenStreetMap"
    if not name.endswith(("pbf", "gz", "bz2")):
        return
    total = 0
    with file.open("rb") as stream:
        try:
            for part in _blobs(stream, size) if name.endswith("pbf") else _packed(stream, name):
                total += part
                if total > most:
                    raise FormatError(too_large(size, what, "unpack to more than", most), file=str(file))
        except (EOFError, OSError, ValueError, zlib.error) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"not a readable file of OpenStreetMap: {error}", file=str(file)) from error


def _packed(stream: IO[bytes], name: str) -> Iterator[int]:
    with gzip.GzipFile(fileobj=stream) if name.endswith("gz") else bz2.BZ2File(stream) as unpacked:
        while part := unpacked.read(_STEP):
            yield len(part)


def _blobs(stream: IO[bytes], size: int) -> Iterator[int]:
    """Yield what each blob unpacks to: its field ``raw_size``, or the length of ``raw`` where it is not packed."""
    at = 0
    while at < size:
        stream.seek(at)
        length = int.from_bytes(_exactly(stream, 4), "big")
        if length > _HEADER:
            raise ValueError(f"a blob has a header of {length} bytes")
        count = [value for field, value in _fields(stream, at + 4, at + 4 + length) if field == 3]
        at += 4 + length
        if len(count) != 1 or count[0] > _BLOB:
            raise ValueError("a blob has no size, or a size that is not allowed")
        yield max((value for field, value in _fields(stream, at, at + count[0]) if field in (1, 2)), default=0)
        at += count[0]


def _fields(stream: IO[bytes], at: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (number, value or length) of the fields of a message of Protocol Buffers; of what they hold nothing is read."""
    while at < end:
        stream.seek(at)
        head = stream.read(20)
        key, used = varint(head, 0)
        kind = key & 7
        if kind not in (0, 2):
            raise ValueError(f"a field of type {kind}")
        value, used = varint(head, used)
        at += used
        yield key >> 3, value
        at += value if kind == 2 else 0
    if at != end:
        raise ValueError("a blob ends in the middle of a field")


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError("the file ends in the middle of a blob")
    return data
