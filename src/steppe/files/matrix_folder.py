"""MatrixFolder: a matrix written in blocks of rows to a folder: a Zarr store, or Parquet parts of (source, target, distance).

The folder grows as ``NAME.rows`` and gets its name in one step when it is complete. A block is one file, written under another name and renamed, so
that it is there as a whole or not at all. A journal in the folder has the question (:mod:`.store`) and a line for every block: its number and the
digest of its file, sealed with the question. Of a matrix that is continued only digests count, as with ``.npy`` files (``matrix_file.py``): a file
that does not match its line is written again. The journal stays in the finished folder, under a name that readers of Zarr and Parquet pass over: by
it a folder is known as ours. A finished folder that answers the same question, every block of it proved, is handed back as it is.

Nothing is written over that is not ours, and nothing finished, unless the caller says ``overwrite=True``. Then the old folder is set aside under a
name that nobody can guess, beside a mark of ours, and removed when the new one has its place.

A Zarr store is of version 2, without compression, a chunk for each block: the header is a few words of JSON, so that no package is needed to write
one, and every reader of Zarr knows it. Parquet parts are made by pyarrow and have the reachable pairs, by their labels.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import StoreError
from . import file_system
from .store import ANEW, StoreQuestion, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
JOURNAL = ".steppe-rows"
BLOCK = 16 << 20
"""Bytes of a block, about."""

_MAGIC = "steppe rows 3 "
_BLOCK = re.compile(r"(\.zarray|\d+\.0|part-\d{6,}\.parquet)(\.tmp)?")
"""Files that we write into a growing folder, beside its journal."""

_ASIDE = ".steppe-aside"
"""The mark beside an old folder that was set aside: the name it had."""


class MatrixFolder:
    """A matrix of this shape and dtype in the folder ``path``, begun or continued.

    Parameters
    ----------
    path : path
        ``NAME.zarr`` or ``NAME.parquet``. A symbolic link stays one: what it leads to is written.
    shape, dtype, question
        As for :class:`~steppe.files.matrix_file.MatrixFile`.
    graph, sources, columns
        Whose labels the pairs of Parquet parts have; ``columns`` None: every vertex.
    overwrite : bool
        A folder of that name is replaced when this one is finished, and not before; an unfinished one that answers another question is begun anew.

    Raises
    ------
    StoreError
        A folder of that name is there and is not ours or answers another question, or so is an unfinished one.
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
        graph: Graph,
        sources: Array,
        columns: Array | None,
        overwrite: bool = False,
    ) -> None:
        self.path = Path(path)
        with contextlib.suppress(FileNotFoundError):
            self.path.stat()  # links that lead in a circle are an error
        self._final = Path(os.path.realpath(path))
        if self._final.exists() and not self._final.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "this is a file, and a folder would take its place", str(path))
        if os.path.ismount(self._final):
            raise StoreError(f"{path} is where a disk is mounted, which cannot be replaced: give a folder on that disk")
        self.growing = self._final.with_name(self._final.name + ".rows")
        self.shape, self.dtype = shape, dtype
        self.rows = min(max(8, BLOCK // max(1, shape[1] * dtype.itemsize)), 1 << 16)
        self._labels, self._overwrite = (graph, sources, columns), overwrite
        form = {"format": self.path.suffix, "shape": f"{shape[0]:,} × {shape[1]:,}", "dtype": dtype}
        self._asked = StoreQuestion({**form, "rows of a block": self.rows, **question})
        self._done = np.zeros(-(-shape[0] // self.rows), dtype=bool)
        self._lines: dict[int, str] = {}  # of the journal, for each block
        self._fd = -1
        self._ours = False  # the growing folder
        self._finished = self._is_there()
        if self._finished:
            return
        self._fd = self._open()
        try:
            self._begin()
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> MatrixFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def missing(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of rows that are not there yet, in whole blocks of ``rows``."""
        edges = np.flatnonzero(np.diff(np.concatenate([[True], self._done, [True]]).astype(np.int8)))
        for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            yield first * self.rows, min(self.shape[0], last * self.rows)

    def write(self, begin: int, block: Array) -> None:
        """Store a block of rows, the first of which is row ``begin``."""
        data = self._zarr(block) if self.path.suffix == ".zarr" else self._parquet(begin, block)
        number = begin // self.rows
        self._put(self._name(number), data)
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        self._lines[number] = f"{number} {digest} {self._seal(number, digest)}\n"
        os.write(self._fd, self._lines[number].encode())
        self._done[number] = True

    def finish(self) -> Path:
        """Give the folder its name; return it."""
        if self._finished:
            return self.path
        self._tidy()
        for file in self.growing.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        file_system.sync_folder(self.growing)
        if os.name == "nt":  # which renames no folder with an open file, and onto no folder
            os.close(self._fd)
            self._fd = -1
        aside = None
        if self._final.is_dir():
            if any(self._final.iterdir()):
                if not self._overwrite:
                    raise StoreError(f"{self.path} was made by somebody else meanwhile: overwrite=True writes over it")
                aside = self._set_aside()
            elif os.name == "nt":
                self._final.rmdir()
        try:
            self.growing.rename(self._final)
        except BaseException:
            if aside is not None:
                (aside / "folder").rename(self._final)
                shutil.rmtree(aside, ignore_errors=True)
            raise
        file_system.sync_folder(self._final.parent)
        self._remove_asides()
        return self.path

    def _tidy(self) -> None:
        """Put the journal into the order of the blocks, so that the same matrix is the same folder, however it was come by."""
        wanted = self._head() + "".join(self._lines[number] for number in sorted(self._lines)).encode()
        if _bytes_of(self.growing / JOURNAL) == wanted:
            return
        tidy = self.growing / f"{JOURNAL}.tmp"
        fd = os.open(tidy, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | file_system.CAREFUL, 0o666)
        try:
            file_system.lock(fd)  # before it is seen under its name
            os.write(fd, wanted)
            if tidy.stat().st_size != len(wanted):
                raise OSError(errno.ENOSPC, "the journal could not be written as a whole", str(self.path))
            tidy.replace(self.growing / JOURNAL)
        except BaseException:
            os.close(fd)
            tidy.unlink(missing_ok=True)
            raise
        os.close(self._fd)
        self._fd = fd

    def _head(self) -> bytes:
        """Return the first two lines of the journal."""
        return f"{_MAGIC}{self._asked.key.hex()}\n".encode() + self._asked.text + b"\n"

    def _set_aside(self) -> Path:
        """Move the old folder into one of ours, from which it can be brought back; return that."""
        aside = self._final.with_name(f".{self._final.name[:40]}.steppe-{secrets.token_hex(8)}.aside")
        aside.mkdir(0o700)
        try:
            (aside / _ASIDE).write_bytes(os.fsencode(self._final.name))
            self._final.rename(aside / "folder")
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        return aside

    def _remove_asides(self) -> None:
        """Remove the old folder, and those that a process left which died before it could."""
        pattern = re.compile(rf"\.{re.escape(self._final.name[:40])}\.steppe-[0-9a-f]{{16}}\.aside")
        with contextlib.suppress(OSError):
            for aside in [file for file in self._final.parent.iterdir() if pattern.fullmatch(file.name)]:
                mark, name = _bytes_of(aside / _ASIDE), os.fsencode(self._final.name)
                bare = {file.name for file in aside.iterdir()} <= {_ASIDE} and name.startswith(
                    mark
                )  # nothing was moved yet
                if bare or mark == name:
                    shutil.rmtree(aside, ignore_errors=True)

    def _is_there(self) -> bool:
        """Tell whether the folder is finished and answers this question; refuse every other one that has something in it."""
        if self._overwrite or not self._final.is_dir() or not any(self._final.iterdir()):
            return False
        text, lines = _read_journal(self._final)
        if text is None:
            raise StoreError(
                f"{self.path} is there already, and nothing in it says that steppe wrote it: overwrite=True deletes all that is in it"
            )
        if key_of(text) != self._asked.key:
            raise self._asked.refusal(self.path, text, finished=True)
        self._verify_blocks(self._final, lines)
        changed = "" if self._done.all() else self._name(int(np.argmin(self._done)))
        if self.path.suffix == ".zarr" and _bytes_of(self._final / ".zarray") != self._header_bytes():
            changed = ".zarray"
        if changed:
            raise StoreError(
                f"{self.path} is finished, but was changed since (in {changed}): overwrite=True writes over it"
            )
        return True

    def _open(self) -> int:
        """Make the growing folder, or open the one that is there; lock its journal."""
        journal = self.growing / JOURNAL
        while True:
            try:
                self.growing.mkdir()
                if self._final.is_dir():  # it is nobody else's before, and not after
                    self.growing.chmod(stat.S_IMODE(self._final.stat().st_mode))
            except FileExistsError:
                if self.growing.is_symlink() or not self.growing.is_dir():
                    raise StoreError(f"{self.growing} is not a folder: move it away") from None
                if any(self.growing.iterdir()) and (journal.is_symlink() or not journal.is_file()):
                    raise StoreError(f"{self.growing} is no unfinished matrix: move it away") from None
            try:
                fd = os.open(journal, os.O_RDWR | os.O_CREAT | os.O_APPEND | file_system.CAREFUL, 0o666)
            except FileNotFoundError:
                continue  # finished by somebody else meanwhile
            try:
                file_system.lock(fd)
                if file_system.same(fd, journal):
                    return fd
            except BlockingIOError:
                os.close(fd)
                raise BlockingIOError(errno.EAGAIN, "another process is writing this matrix", str(self.path)) from None
            os.close(fd)  # its owner has finished it meanwhile

    def _begin(self) -> None:
        """Find out which blocks are there."""
        data = _bytes_of(self.growing / JOURNAL)
        text, lines = _read_journal(self.growing)
        torn = _MAGIC.encode().startswith(data[: len(_MAGIC)])
        if text is None and not torn:
            if not data.startswith(_MAGIC[:12].encode()):
                raise StoreError(f"{self.growing} is no unfinished matrix: move it away")
            if not self._overwrite:
                raise StoreError(f"{self.growing} was begun by another version of steppe: {ANEW}")
        if text is not None and key_of(text) != self._asked.key and not self._overwrite:
            raise self._asked.refusal(self.growing, text, finished=False)
        self._ours = True
        if text is not None and key_of(text) == self._asked.key:
            if data[-1:] != b"\n":
                os.write(self._fd, b"\n")  # a torn line stays one
            self._verify_blocks(self.growing, lines)
        else:  # another question, or torn before the first block
            for file in self.growing.iterdir():
                if _BLOCK.fullmatch(file.name):
                    file.unlink()
            os.ftruncate(self._fd, 0)
            os.write(self._fd, self._head())
        for file in self.growing.iterdir():
            if file.name == f"{JOURNAL}.tmp" or (_BLOCK.fullmatch(file.name) and file.suffix == ".tmp"):
                file.unlink()
        if self.path.suffix == ".zarr":
            self._put(".zarray", self._header_bytes())

    def _verify_blocks(self, folder: Path, lines: list[str]) -> None:
        """Compare every block of the journal with its digest."""
        for line in lines:
            number, _, rest = line.partition(" ")
            digest, _, seal = rest.partition(" ")
            if not number.isdecimal() or int(number) >= len(self._done) or seal != self._seal(int(number), digest):
                continue
            data = _bytes_of(folder / self._name(int(number)))
            self._done[int(number)] = hashlib.blake2b(data, digest_size=16).hexdigest() == digest
            self._lines[int(number)] = f"{line}\n"

    def _header_bytes(self) -> bytes:
        """Return what Zarr wants to know of the array."""
        far = "Infinity" if self.dtype.kind == "f" else int(np.iinfo(self.dtype).max)
        header = {
            "zarr_format": 2,
            "shape": list(self.shape),
            "chunks": [self.rows, max(1, self.shape[1])],
            "dtype": self.dtype.str,
            "compressor": None,
            "filters": None,
            "fill_value": far,
            "order": "C",
        }
        return json.dumps(header, indent=1).encode()

    def _name(self, number: int) -> str:
        return f"{number}.0" if self.path.suffix == ".zarr" else f"part-{number:06}.parquet"

    def _zarr(self, block: Array) -> bytes:
        """Return a chunk: the last one is filled up, as the format wants it."""
        missing = self.rows - len(block)
        return block.tobytes() + bytes(missing * block.shape[1] * block.dtype.itemsize)

    def _parquet(self, begin: int, block: Array) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        graph, sources, columns = self._labels
        far = np.inf if block.dtype.kind == "f" else np.iinfo(block.dtype).max
        row, column = np.nonzero(block != far)
        target = column if columns is None else columns[column]
        table = pa.table(
            {
                "source": graph.labels_of(sources[begin + row]),
                "target": graph.labels_of(target),
                "distance": block[row, column],
            }
        )
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]

    def _put(self, name: str, data: bytes) -> None:
        temporary = self.growing / f"{name}.tmp"
        temporary.write_bytes(data)
        temporary.replace(self.growing / name)

    def _seal(self, number: int, digest: str) -> str:
        return hashlib.blake2b(f"{number}|{digest}".encode(), key=self._asked.key, digest_size=16).hexdigest()

    def _close(self) -> None:
        """Close the journal; a growing folder without blocks is not worth keeping."""
        if self._fd < 0:
            return
        with contextlib.suppress(OSError):
            if self._ours and {file.name for file in self.growing.iterdir()} <= {JOURNAL, ".zarray"}:
                for name in (".zarray", JOURNAL):
                    (self.growing / name).unlink(missing_ok=True)
                self.growing.rmdir()
        os.close(self._fd)
        self._fd = -1


def _bytes_of(file: Path) -> bytes:
    """Return what is in a file; nothing where there is none."""
    return file.read_bytes() if file.is_file() else b""


def _read_journal(folder: Path) -> tuple[bytes | None, list[str]]:
    """Return the text of the question and the lines of the blocks; None where there is no journal of ours, or a torn one."""
    lines = _bytes_of(folder / JOURNAL).decode(errors="replace").split("\n")
    text = lines[1].encode() if len(lines) > 1 else b""
    known = lines[0] == f"{_MAGIC}{key_of(text).hex()}"
    return (text, lines[2:]) if known else (None, [])
