"""Unpacking: .gz, .bz2, .xz and .zst data, with a bound on what may come out of them.

A few kilobytes can unpack to gigabytes. So nothing is unpacked at once: the packed bytes are fed, and the unpacked ones taken, in steps, and
the first step beyond the bound ends it. All of them may hold several streams one after another, and a stream that breaks off is an error.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from ..errors import SteppeError

if TYPE_CHECKING:
    import mmap
    from types import ModuleType

MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}
_BZ2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # after the magic and a digit: a first block, or the end
_STEP = 1 << 22  # bytes to unpack at a time
_FED = 1 << 16  # packed bytes to feed at a time: what a stream leaves over is copied, and there may be many short ones
_XZ_LEAST, _XZ_MOST = (
    66 << 20,
    1 << 28,
)  # for the dictionary: the largest level of xz needs 65 MiB, however small the file
_ZST_WINDOW, _ZST_MOST = (
    1 << 26,
    1 << 31,
)  # the largest window that is taken for any file; and for one that may unpack to as much
_ZST_BLOCK, _ZST_LEAST = 1 << 17, 4  # four bytes can be a block of 128 KiB


class BrokenError(Exception):
    """The packed data are damaged or end too early."""


class TooLargeError(Exception):
    """The data unpack to more than the bound, or need more memory to do so. Its text says which."""


def packing_of(data: bytes | mmap.mmap) -> str:
    """Return the suffix of the packing that data begin as, or nothing."""
    found = next((suffix for suffix, magic in MAGIC.items() if data[: len(magic)] == magic), "")
    return "" if found == ".bz2" and data[4:10] not in _BZ2_BLOCKS else found


def unpack(data: memoryview, packing: str, most: int) -> bytes:
    """Return the unpacked data; raise where they are broken, or more than ``most`` bytes."""
    out = BytesIO()
    try:
        {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zstd}[packing](data, out, most)
    except (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
        if isinstance(error, lzma.LZMAError) and "emory usage limit" in str(error):
            raise TooLargeError("take memory to unpack of more than") from error
        raise BrokenError(str(error)) from error
    return out.getvalue()


def _put(out: BytesIO, part: bytes, most: int) -> None:
    if out.tell() + len(part) > most:
        raise TooLargeError("unpack to more than")
    out.write(part)


def _gzip(data: memoryview, out: BytesIO, most: int) -> None:
    while data:
        if data[0] == 0:  # padding behind the last member
            if any(data):
                raise BrokenError("neither zeros nor another member behind the end")
            return
        member, at, fed = zlib.decompressobj(wbits=31), 0, b""
        while not member.eof:
            if not fed:
                fed = bytes(data[at : at + _FED])
                at += len(fed)
                if not fed:
                    raise BrokenError("the data end too early")
            _put(out, member.decompress(fed, _STEP), most)
            fed = member.unconsumed_tail
        data = data[at - len(member.unused_data) :]


def _stream(
    stream: bz2.BZ2Decompressor | lzma.LZMADecompressor, data: memoryview, out: BytesIO, most: int
) -> memoryview:
    """Unpack one stream, and return what follows it."""
    at = 0
    while not stream.eof:
        fed = b""
        if stream.needs_input:
            fed = bytes(data[at : at + _FED])
            at += len(fed)
            if not fed:
                raise BrokenError("the data end too early")
        _put(out, stream.decompress(fed, _STEP), most)
    return data[at - len(stream.unused_data) :]


def _bz2(data: memoryview, out: BytesIO, most: int) -> None:
    while data:
        data = _stream(bz2.BZ2Decompressor(), data, out, most)


def _xz(data: memoryview, out: BytesIO, most: int) -> None:
    memory = min(max(most, _XZ_LEAST), _XZ_MOST)
    while data:
        if data[0] == 0 and not any(data):
            if len(data) % 4:
                raise BrokenError("padding that is no multiple of four bytes")
            return
        data = _stream(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=memory), data, out, most)


def varint(data: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    r"""Return the number of seven bits a byte that begins there, and where it ends.

    >>> varint(b"\xac\x02", 0)
    (300, 2)
    """
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise EOFError("the file ends in the middle of a number")
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise ValueError("a number of more than ten bytes")


def zstandard() -> ModuleType:
    """Return the package that knows .zst, or say how to get it."""
    try:
        import zstandard as package
    except ImportError as error:
        raise SteppeError("files ending in .zst need the zstandard package: pip install steppe[zstd]") from error
    return package


def _zstd(data: memoryview, out: BytesIO, most: int) -> None:
    package = zstandard()
    window = min(max(most, _ZST_WINDOW), _ZST_MOST)
    while data:  # frame by frame: a stream reader would take a truncated last frame for the end
        frame = package.ZstdDecompressor(max_window_size=window).decompressobj()
        at = 0
        while not frame.eof:
            # So little that even the densest blocks stay near the bound.
            room = (most - out.tell()) // _ZST_BLOCK * _ZST_LEAST
            fed = bytes(data[at : at + min(max(room, 64), _FED)])
            at += len(fed)
            if not fed:
                raise BrokenError("the data end in the middle of a frame")
            try:
                part = frame.decompress(fed)
            except package.ZstdError as error:
                if "too much memory" in str(error):
                    raise TooLargeError("take memory to unpack of more than") from error
                raise BrokenError(str(error)) from error
            _put(out, part, most)
        data = data[at - len(frame.unused_data) :]
