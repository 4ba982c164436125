"""What an Arrow file or stream unpacks to, counted before pyarrow takes memory for it.

Buffers of Arrow may be packed (LZ4, Zstandard), and a file may name the same batch a million times. Both are told by the messages: a table of
FlatBuffers each, with the number of rows and the place and length of every buffer. A packed buffer begins with the length of what is packed in it,
and that is the memory that is taken for it. So the messages are walked through, those that the footer of a file names or those that follow each
other in a stream, and nothing is unpacked. Layouts: arrow.apache.org/docs/format/Columnar.html, flatbuffers.dev/internals.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator

    Data = bytes | mmap.mmap

MAGIC = b"ARROW1"
_CONTINUES = 0xFFFFFFFF
_BLOCK = struct.Struct("<qi4xq")  # where a message is, bytes of its metadata, bytes of its body
_DICTIONARY, _BATCH = 2, 3
_OLD = b"ARROW:experimental_compression"  # how packed buffers were marked before the format had a word for it


class Messages(NamedTuple):
    """All batches and dictionaries of a file."""

    size: int  # bytes that they unpack to
    rows: int
    packed: bool  # whether there is something to unpack


def measure(data: Data) -> Messages:
    """Return what all batches and dictionaries unpack to; ValueError where that cannot be told."""
    size, rows, packed = 0, 0, False
    try:
        for at, length, body in _messages(data):
            part = _measured(data, at, length, body)
            size, rows, packed = size + part.size, rows + part.rows, packed or part.packed
    except (struct.error, IndexError) as error:
        raise ValueError(f"a message is damaged: {error}") from error
    return Messages(size, rows, packed)


def _messages(data: Data) -> Iterator[tuple[int, int, int]]:
    """Yield where the table of each message is, how long, and where its body is."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        at = 0
        while at + 4 <= len(data):
            found = _prefix(data, at)
            if not found[1]:
                return
            begin, length = found
            table = _Table.root(data, begin)
            yield begin, length, begin + length
            at = begin + length + max(0, table.number(3, "<q"))
        return
    (length,) = struct.unpack_from("<i", data, len(data) - len(MAGIC) - 4)
    begin = len(data) - len(MAGIC) - 4 - length
    if length < 0 or begin < 0:
        raise ValueError("the footer does not fit in the file")
    footer = _Table.root(data, begin)
    for slot in (2, 3):
        first, count = footer.vector(slot)
        for k in range(count):
            at, long, _ = _BLOCK.unpack_from(data, first + k * _BLOCK.size)
            if at < 0 or long < 0:
                raise ValueError("a block of the footer lies outside of the file")
            yield *_prefix(data, at), at + long


def _prefix(data: Data, at: int) -> tuple[int, int]:
    """Return where the table of a message begins, and its length."""
    (length,) = struct.unpack_from("<I", data, at)
    at += 4
    if length == _CONTINUES:
        (length,) = struct.unpack_from("<I", data, at)
        at += 4
    if length > len(data) - at:
        raise ValueError("a message is longer than the file")
    return at, length


def _measured(data: Data, at: int, length: int, body: int) -> Messages:
    """Return bytes and rows of one message."""
    message = _Table.root(data, at)
    kind = message.number(1, "<B")
    if kind not in (_DICTIONARY, _BATCH):
        return Messages(0, 0, False)
    long = message.number(3, "<q")
    if not 0 <= long <= len(data) - body:
        raise ValueError("the body of a message goes beyond the file")
    batch = message.table(2)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    if batch is None:
        raise ValueError("a message without a batch")
    first, count = batch.vector(2)
    packed = batch.table(3) is not None or _OLD in bytes(data[at : at + length])
    places = np.frombuffer(data, "<i8", 2 * count, first).reshape(-1, 2) if count else np.empty((0, 2), np.int64)
    if (places < 0).any():
        raise ValueError("a buffer lies outside of the file")
    total = sum(places[:, 1].tolist())
    if packed:
        total = 0
        for offset, size in places.tolist():
            # A length of -1 says that this one is not packed.
            claimed = struct.unpack_from("<q", data, body + offset)[0] if size else 0
            total += max(size, claimed)
    return Messages(max(total, long), batch.number(0, "<q") if kind == _BATCH else 0, packed)


class _Table:
    """A table of FlatBuffers: fields by their slots, as places in the data."""

    def __init__(self, data: Data, at: int) -> None:
        self.data, self.at = data, at
        (back,) = struct.unpack_from("<i", data, at)
        self.fields = at - back
        if not 0 <= self.fields <= len(data) - 4:
            raise ValueError("a table lies outside of the file")
        (self.size,) = struct.unpack_from("<H", data, self.fields)

    @classmethod
    def root(cls, data: Data, at: int) -> _Table:
        return cls(data, at + struct.unpack_from("<I", data, at)[0])

    def _place(self, slot: int) -> int:
        at = 4 + 2 * slot
        offset = struct.unpack_from("<H", self.data, self.fields + at)[0] if at + 2 <= self.size else 0
        return self.at + offset if offset else 0

    def number(self, slot: int, kind: str) -> int:
        """Return a number; 0 where it is left out."""
        at = self._place(slot)
        return int(struct.unpack_from(kind, self.data, at)[0]) if at else 0

    def table(self, slot: int) -> _Table | None:
        """Return the table that a field leads to."""
        at = self._place(slot)
        return _Table.root(self.data, at) if at else None

    def vector(self, slot: int) -> tuple[int, int]:
        """Return where the elements of a vector begin, and how many there are."""
        at = self._place(slot)
        if not at:
            return 0, 0
        at += struct.unpack_from("<I", self.data, at)[0]
        return at + 4, int(struct.unpack_from("<I", self.data, at)[0])
