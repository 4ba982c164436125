"""MatrixFile: a matrix written in blocks of rows to a ``.npy`` file, so that it can be gone on with after an interruption.

The matrix grows in ``NAME.npy.rows``; a finished ``NAME.npy`` stays until the new one takes its place, in one step. The growing file has three
parts: the header of a ``.npy`` file; the rows; and a journal, cut off at the end. The journal names the question the matrix answers (a digest of
graph, sources, targets, …) and has an entry for every block: its rows and the digest of its bytes, sealed with the question.

Who goes on believes nothing but digests. A block whose bytes do not match its entry, because it never reached the disk, was truncated or changed,
is computed again; so is a block whose entry is torn. Therefore nothing has to be written in a certain order, and nothing waits for the disk
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

from ..errors import ResultSizeError
from ..graph.graph import Graph
from . import place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

Array = npt.NDArray[Any]
_MAGIC = b"steppe rows 2\n\0\0"
_HEAD = struct.Struct("<16s16s16s")  # magic, question, seal
_ENTRY = struct.Struct("<QQ16s16s")  # first row, last row + 1, digest of the block, seal
_PIECE = 8 << 20


class MatrixFile:
    """A matrix of this shape and dtype in the file ``path``, begun or gone on with.

    Parameters
    ----------
    path : path
        The ``.npy`` file. A finished one of that name is replaced when this one is finished, and not before.
    shape : tuple
        Rows × columns.
    dtype : dtype
        The type stored.
    question : tuple
        What the matrix answers, graph and arrays: a file begun for another question is not gone on with.

    Raises
    ------
    ValueError
        An unfinished file is there and answers another question, or is not ours.
    BlockingIOError
        Another process is writing it.
    """

    def __init__(
        self, path: str | PathLike[str], shape: tuple[int, int], dtype: np.dtype[Any], question: tuple[Any, ...]
    ) -> None:
        self.path = Path(path)
        if self.path.suffix != ".npy":
            raise ValueError(f"out must be the name of a .npy file, or of a .zarr or .parquet folder: {str(path)!r}")
        self._final, self._old = place.resolve(self.path)
        if self._old is not None and not stat.S_ISREG(self._old.st_mode):
            raise OSError(errno.ESPIPE, "this is a pipe or a device, and a matrix needs a file", str(path))
        self.growing = self._final.with_name(self._final.name + ".rows")
        self._question = digest_of((shape, dtype, *question))
        self._header = npy_header(shape, dtype)
        self._row = shape[1] * dtype.itemsize
        self._end = len(self._header) + shape[0] * self._row
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
        journal = self._get(self._end, self._entry_at(self._entries) - self._end)
        os.ftruncate(self._fd, self._end)
        try:
            os.fsync(self._fd)
            if os.name == "nt":  # which renames no open file
                os.close(self._fd)
                self._fd = -1
            self.growing.replace(self._final)
            self._worthless = False
        except OSError:
            with contextlib.suppress(OSError):
                self._put(self._end, memoryview(journal))  # so that the next call finds all rows done
            raise
        place.sync_folder(self._final.parent)
        result: Array = np.load(self.path, mmap_mode="r")
        return result

    def _open(self) -> int:
        """Open the growing file, new or old, and lock it."""
        careful = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | place.CAREFUL
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
                    raise ValueError(f"{self.growing} is a symbolic link: remove it to begin anew") from None
            except OSError as error:
                error.filename = str(self.path)
                raise
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise ValueError(f"{self.growing} is not a file: remove it to begin anew")
                place.lock(fd)
                if _same(fd, self.growing):
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
            self._believe()
            return
        self._worthless = not size
        needed, free = self._end, shutil.disk_usage(self._final.parent).free
        if needed > free + size:
            message = f"{self.path} takes {needed:,} bytes, the disk has {free:,}"
            raise ResultSizeError(message, needed=needed, free=free)
        self._worthless = True
        place.keep_mode(self._fd, self._old)
        self._put(0, memoryview(self._header))
        self._put(self._end, memoryview(_HEAD.pack(_MAGIC, self._question, self._seal())))
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
        """Tell whether there is a journal of this question; refuse the file where there is another one, or none at all."""
        head = self._get(0, 1 << 16)
        if head[: len(self._header)] == self._header:
            end = self._end
        else:
            end = _end_of(head)
        found = self._get(end, _HEAD.size) if 0 <= end < size else b""
        if found == _HEAD.pack(_MAGIC, self._question, self._seal()) and end == self._end:
            return True
        if found.startswith(_MAGIC):
            raise ValueError(
                f"{self.growing} is unfinished and answers another question (graph, sources, targets, cutoff or dtype differ): "
                "remove it to begin anew"
            )
        if end != self._end:
            raise ValueError(f"{self.growing} is no unfinished matrix: remove it to begin anew")
        return False  # truncated: no row of it can be proved

    def _believe(self) -> None:
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
        return hashlib.blake2b(text, key=self._question, digest_size=16).digest()

    def _entry_at(self, number: int) -> int:
        return self._end + _HEAD.size + number * _ENTRY.size

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


def _same(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.lstat())
    except FileNotFoundError:
        return False


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


def digest_of(parts: tuple[Any, ...]) -> bytes:
    """Return a digest of graphs, arrays and plain values: what a matrix answers."""
    digest = hashlib.blake2b(digest_size=16)

    def add(part: Any) -> None:
        if isinstance(part, Graph):
            for array in (part.indptr, part.indices, part.weights):
                add(array)
        elif isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(repr(part).encode())

    for part in parts:
        add(part)
    return digest.digest()
