"""What the columns of a Parquet file unpack to, counted before pyarrow takes memory for them.

A column is a list of pages, and before each stands a header (Thrift's compact protocol) with the size of what is packed in the page: that is the
memory which is taken for it. The sizes in the footer say the same, but nobody compares them. So the headers are walked through; no page is unpacked.
Layout: parquet.apache.org/docs/file-format, github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .unpack import varint

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator

    Data = bytes | mmap.mmap

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _STRUCT = 1, 2, 3, 7, 8, 9, 12
_NUMBERS = (4, 5, 6)
_PLAIN = {0, 2, 3, 4, 8}  # PLAIN, RLE and dictionaries: in other encodings a string may begin as the one before it
_DEEPEST = 8


class Pages(NamedTuple):
    """The pages of some columns."""

    size: int  # bytes that they unpack to
    largest: int  # of the largest page
    plain: bool  # whether all strings stand in their pages, or in a dictionary, as they are


def measure(data: Data, columns: list[int]) -> Pages:
    """Return what these columns (by their places among the leaves of the schema) unpack to; ValueError where that cannot be told."""
    size, largest, plain = 0, 0, True
    try:
        for chunks in _row_groups(data):
            for column in columns:
                chunk = chunks[column]
                plain = plain and _PLAIN.issuperset(chunk.get(2) or ())
                for unpacked in pages(data, chunk):
                    size, largest = size + unpacked, max(largest, unpacked)
    except (EOFError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("the footer or the header of a page is damaged") from error
    return Pages(size, largest, plain)


def _row_groups(data: Data) -> Iterator[list[dict[int, Any]]]:
    """Yield the metadata of the columns of each row group, out of the footer: pyarrow ends the process where it shows some that are damaged."""
    begin = len(data) - 8 - int.from_bytes(data[len(data) - 8 : len(data) - 4], "little")
    if begin < 0:
        raise ValueError("the footer is longer than the file")
    footer, _ = _struct(data, begin, 0)
    for group in footer.get(4) or ():
        yield [chunk.get(3, {}) for chunk in group[1]]


def pages(data: Data, chunk: dict[int, Any]) -> Iterator[int]:
    """Yield what each page of a column in a row group unpacks to."""
    values, length, at, first = (chunk.get(field) or 0 for field in (5, 7, 9, 11))
    at = first if 0 < first < at else at
    end = at + length
    if not 0 <= at <= end or end > len(data):
        raise ValueError("a column lies outside of the file")
    while at < end:
        header, at = _struct(data, at, 0)
        unpacked, packed = header.get(2), header.get(3)
        if not isinstance(unpacked, int) or not isinstance(packed, int) or unpacked < 0 or packed < 0:
            raise ValueError("a page without a size")
        # Memory is taken for as many values as a page claims to have. An entry of a dictionary has four bytes at least.
        for kind, most in ((5, values), (8, values), (7, unpacked // 4)):
            about = header.get(kind)
            if isinstance(about, dict) and not 0 <= (about.get(1) or 0) <= most:
                raise ValueError(f"a page claims {about.get(1)} values, of {most} that there can be")
        at += packed
        yield unpacked


def _struct(data: Data, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a struct that are numbers, structs or lists of them, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    if depth > _DEEPEST:
        raise ValueError("the header of a page is too deep")
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(data, at)
        value, at = _value(data, at, head & 15, depth)
        known = fields.get(number)
        fields[number] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value


def _value(data: Data, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE):
        return None, at
    if kind in _NUMBERS:
        return _zigzag(data, at)
    if kind == _BINARY:
        length, at = varint(data, at)
        return None, at + length
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind in (_BYTE, _DOUBLE):
        return None, at + (1 if kind == _BYTE else 8)
    if kind != _LIST:
        raise ValueError("the footer or the header of a page holds what none has")
    head = data[at]
    count, at = (head >> 4, at + 1) if head < 0xF0 else varint(data, at + 1)
    if count > len(data) - at:
        raise ValueError("a list is longer than the file")
    items = []
    for _ in range(count):
        value, at = (None, at + 1) if head & 15 in (_TRUE, _FALSE) else _value(data, at, head & 15, depth)
        items.append(value)
    return items, at


def _zigzag(data: Data, at: int) -> tuple[int, int]:
    value, at = varint(data, at)
    return value >> 1 ^ -(value & 1), at
