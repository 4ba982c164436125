"""MatrixFile: a matrix written in blocks of rows to a ``.npy`` file, so that it can be continued after an interruption.

The matrix grows in ``NAME.npy.rows``; a ``NAME.npy`` that is there is replaced only where the caller says so (``overwrite=True``), and stays until
the new one takes its place, in one step. The growing file has three parts: a mark of ours, for which the header of a ``.npy`` file is put at the end;
the rows; and a journal, cut off at the end. The journal has the question that the matrix answers (:mod:`.store`), and an entry for every block: its
rows and the digest of its bytes, sealed with the question. A growing file with neither mark nor journal is not ours, and left alone.

Of a matrix that is continued only digests count. A block whose bytes do not match its entry, because it never reached the disk, was truncated or
changed, is computed again; so is a block whose entry is torn. Therefore nothing has to be written in a certain order, and nothing waits for the disk
before the end. The space is allocated before anything is computed, and rows are written, not mapped: a full disk is an error, not a signal.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import shutil
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ResultSizeError, StoreError
from . import file_system
from .store import ANEW, StoreQuestion, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

Array = npt.NDArray[Any]
_MAGIC = b"steppe rows 3\n\0\0"
_FRONT = struct.Struct(
    "<16s16sQ"
)  # magic, key of the question, where the journal begins: in place of the header while the file grows
_HEAD = struct.Struct("<16s16sQ")  # magic, key, length of the question, which follows
_ENTRY = struct.Struct("<QQ16s16s")  # first row, last row + 1, digest of the block, seal
_PIECE = 8 << 20


class MatrixFile:
    """A matrix of this shape and dtype in the file ``path``, begun or continued.

    Parameters
    ----------
    path : path
        The ``.npy`` file.
    shape : tuple
        Rows × columns.
    dtype : dtype
        The type stored.
    question : dict
        The parts of what the matrix answers, as for :class:`.store.StoreQuestion`.
    overwrite : bool
        A file of that name is replaced when this one is finished, and not before; an unfinished one that answers another question is begun anew.

    Raises
    ------
    StoreError
        A file of that name is there, or an unfinished one that answers another question or is not ours.
    BlockingIOError
        Another process is writing it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        question: Mapping[str, Any],
        *,
        overwrite: bool = False,
    ) -> None:
        self.path = Path(path)
        self._overwrite = overwrite
        if self.path.suffix != ".npy":
            raise ValueError(f"out must be the name of a .npy file, or of a .zarr or .parquet folder: {str(path)!r}")
        self._final, self._old = file_system.resolve(self.path)
        if self._old is not None and not stat.S_ISREG(self._old.st_mode):
            raise OSError(errno.ESPIPE, "this is a pipe or a device, and a matrix needs a file", str(path))
        self._check_free()
        self.growing = self._final.with_name(self._final.name + ".rows")
        size = f"{shape[0]:,} × {shape[1]:,}"
        self._asked = StoreQuestion({"format": ".npy", "shape": size, "dtype": dtype, **question})
        self._header = npy_header(shape, dtype)
        self._row = shape[1] * dtype.itemsize
        self._end = len(self._header) + shape[0] * self._row
        self._front = _FRONT.pack(_MAGIC, self._asked.key, self._end).ljust(len(self._header), b"\0")
        self._done = np.zeros(shape[0], dtype=bool)
        self._entries = 0
        self._worthless = False  # nothing in it that would be missed
        self._fd = self._open()
        try:
            self._begin()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    def __enter__(self) -> MatrixFile:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        self._close()
        if (
            isinstance(error, OSError)
            and error.errno is not None
            and str(error.filename) in ("None", str(self.growing))
        ):
            error.filename = str(self.path)  # people know it by this name
            del error.filename2  # set to None it would be printed

    rows: int | None = None  # of a block: as many as are convenient

    def missing(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of rows that are not there yet."""
        edges = np.flatnonzero(np.diff(np.concatenate([[True], self._done, [True]]).astype(np.int8)))
        yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)

    def write(self, begin: int, block: Array) -> None:
        """Store rows, the first of which is row ``begin``."""
        end = begin + len(block)
        data = np.ascontiguousarray(block).reshape(-1).view(np.uint8).data if block.size else memoryview(b"")
        self._put(len(self._header) + begin * self._row, data)
        digest = hashlib.blake2b(data, digest_size=16).digest()
        entry = _ENTRY.pack(begin, end, digest, self._seal(self._entries, begin, end, digest))
        self._put(self._entry_at(self._entries), memoryview(entry))
        self._entries += 1
        self._done[begin:end] = True
        self._worthless = False

    def finish(self) -> Array:
        """Give the file its name and return it, mapped for reading."""
        self._check_free()  # somebody may have written it meanwhile
        journal = self._get(self._end, self._entry_at(self._entries) - self._end)
        os.fsync(self._fd)  # the long wait, while every row can still be proved
        try:
            self._put(0, memoryview(self._header))
            os.ftruncate(self._fd, self._end)
            os.fsync(self._fd)
            if os.name == "nt":  # which renames no open file
                os.close(self._fd)
                self._fd = -1
            self.growing.replace(self._final)
            self._worthless = False
        except OSError:
            with contextlib.suppress(OSError):  # so that the next call finds all rows done
                self._put(self._end, memoryview(journal))
                self._put(0, memoryview(self._front))
            raise
        file_system.sync_folder(self._final.parent)
        result: Array = np.load(self.path, mmap_mode="r")
        return result

    def _check_free(self) -> None:
        """Refuse a name that has a file, unless it may be written over; an empty file holds nothing to lose."""
        if not self._overwrite and self._final.exists() and self._final.stat().st_size:
            raise StoreError(f"{self.path} is there already: overwrite=True writes over it")

    def _open(self) -> int:
        """Open the growing file, new or old, and lock it."""
        careful = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | file_system.CAREFUL
        while True:
            try:
                fd = os.open(self.growing, careful | os.O_CREAT | os.O_EXCL, 0o600 if self._old else 0o666)
            except FileExistsError:
                try:
                    fd = os.open(self.growing, careful)
                except FileNotFoundError:
                    continue  # finished by somebody else meanwhile
                except OSError as error:
                    if error.errno != errno.ELOOP:
                        raise
                    raise StoreError(f"{self.growing} is a symbolic link: move it away") from None
            except OSError as error:
                error.filename = str(self.path)
                raise
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise StoreError(f"{self.growing} is not a file: move it away")
                file_system.lock(fd)
                if file_system.same(fd, self.growing):
                    return fd
            except BlockingIOError:
                os.close(fd)
                raise BlockingIOError(errno.EAGAIN, "another process is writing this matrix", str(self.path)) from None
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)  # its owner has finished it meanwhile: it is somebody's matrix now

    def _begin(self) -> None:
        """Find out which rows are there; make room for all."""
        size = os.fstat(self._fd).st_size
        if size and self._ours(size):
            self._verify_blocks()
            return
        self._worthless = not size
        needed, free = self._end, shutil.disk_usage(self._final.parent).free
        if needed > free + size:
            message = f"{self.path} takes {needed:,} bytes, the disk has {free:,}"
            raise ResultSizeError(message, needed=needed, free=free)
        self._worthless = True
        os.ftruncate(self._fd, 0)
        file_system.keep_mode(self._fd, self._old)
        self._put(0, memoryview(self._front))
        head = _HEAD.pack(_MAGIC, self._asked.key, len(self._asked.text)) + self._asked.text
        self._put(self._end, memoryview(head))
        self._allocate()

    def _allocate(self) -> None:
        if not hasattr(os, "posix_fallocate"):
            return
        end = self._entry_at(len(self._done) // 4 + 1)  # a block has four rows or more
        for begin in range(0, end, 1 << 30):  # in pieces, between which Ctrl-C is heard
            try:
                os.posix_fallocate(self._fd, begin, min(1 << 30, end - begin))
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
                    raise

    def _ours(self, size: int) -> bool:
        """Tell whether there is a journal of this question. Refuse the file where there is another one, or nothing that says it is ours."""
        head = self._get(0, 1 << 16)
        marked = head.startswith(_MAGIC) and len(head) >= _FRONT.size
        end = _FRONT.unpack_from(head)[2] if marked else _end_of(head)
        found = self._get(end, _HEAD.size) if 0 <= end < size else b""
        if found.startswith(_MAGIC) and len(found) == _HEAD.size:
            _, key, length = _HEAD.unpack(found)
            text = self._get(end + _HEAD.size, min(length, 1 << 16))
            if key_of(text) == key:
                if key == self._asked.key and end == self._end:
                    return True
                if not self._overwrite:
                    raise self._asked.refusal(self.growing, text, finished=False)
                return False
        if marked:
            return False  # truncated: no row of it can be proved
        older = found.startswith(_MAGIC[:11])
        if not older and (end != self._end or not head.startswith(self._header)):
            raise StoreError(f"{self.growing} is no unfinished matrix: move it away")
        if not self._overwrite:
            what = "was begun by another version of steppe" if older else "has no journal, and may be another's file"
            raise StoreError(f"{self.growing} {what}: {ANEW}")
        return False

    def _verify_blocks(self) -> None:
        """Compare every block in the journal with its digest."""
        while len(entry := self._get(self._entry_at(self._entries), _ENTRY.size)) == _ENTRY.size:
            begin, end, digest, seal = _ENTRY.unpack(entry)
            if seal != self._seal(self._entries, begin, end, digest) or not begin < end <= len(self._done):
                break
            self._entries += 1
            if not self._done[begin:end].all() and self._hash(begin, end) == digest:
                self._done[begin:end] = True
        self._allocate()

    def _hash(self, begin: int, end: int) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        first, last = (len(self._header) + row * self._row for row in (begin, end))
        for at in range(first, last, _PIECE):
            digest.update(self._get(at, min(_PIECE, last - at)))
        return digest.digest()

    def _seal(self, *parts: int | bytes) -> bytes:
        text = b"|".join(part if isinstance(part, bytes) else b"%d" % part for part in parts)
        return hashlib.blake2b(text, key=self._asked.key, digest_size=16).digest()

    def _entry_at(self, number: int) -> int:
        return self._end + _HEAD.size + len(self._asked.text) + number * _ENTRY.size

    def _get(self, at: int, count: int) -> bytes:
        os.lseek(self._fd, at, os.SEEK_SET)
        parts = []
        while count and (part := os.read(self._fd, count)):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _put(self, at: int, data: memoryview) -> None:
        os.lseek(self._fd, at, os.SEEK_SET)
        while len(data):
            data = data[os.write(self._fd, data) :]

    def _close(self) -> None:
        """Close the file; one without rows is not worth keeping."""
        if self._worthless and os.name != "nt":
            self.growing.unlink(missing_ok=True)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
        if self._worthless and os.name == "nt":
            self.growing.unlink(missing_ok=True)


def npy_header(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """Return the first bytes of a ``.npy`` file."""
    file = io.BytesIO()
    words = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, words)
    return file.getvalue()


def _end_of(head: bytes) -> int:
    """Return where the rows of a ``.npy`` file that starts like this end; -1 if it is none."""
    file = io.BytesIO(head)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            return -1
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError:
        return -1
    return file.tell() + int(np.prod(shape, dtype=object)) * dtype.itemsize
