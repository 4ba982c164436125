"""MatrixFolder: a matrix written in blocks of rows to a folder: a Zarr store, or Parquet parts of (source, target, distance).

The folder grows as ``NAME.rows`` and gets its name in one step when it is complete. A block is one file, written under another name and renamed,
so that it is there as a whole or not at all. A journal in the folder names the question and has a line for every block: its rows and the digest of
its file, sealed with the question. Who goes on believes nothing but digests, as with ``.npy`` files (``matrix_file.py``): a file that does not match
its line is written again.

A Zarr store is of version 2, without compression, a chunk for each block: the header is a few words of JSON, so that no package is needed to write
one, and every reader of Zarr knows it. Parquet parts are made by pyarrow and have the reachable pairs, by their labels.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import place
from .matrix_file import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
JOURNAL = ".steppe-rows"
BLOCK = 16 << 20
"""Bytes of a block, about."""


class MatrixFolder:
    """A matrix of this shape and dtype in the folder ``path``, begun or gone on with.

    Parameters
    ----------
    path : path
        ``NAME.zarr`` or ``NAME.parquet``. A finished folder of that name is replaced when this one is finished, and not before.
    shape, dtype, question
        As for :class:`~steppe.files.matrix_file.MatrixFile`.
    graph, sources, columns
        Whose labels the pairs of Parquet parts have; ``columns`` None: every vertex.

    Raises
    ------
    ValueError
        An unfinished folder is there and answers another question, or is not ours.
    BlockingIOError
        Another process is writing it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        question: tuple[Any, ...],
        *,
        graph: Graph,
        sources: Array,
        columns: Array | None,
    ) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "this is a file, and a folder would take its place", str(path))
        self.growing = self.path.with_name(self.path.name + ".rows")
        self.shape, self.dtype = shape, dtype
        self.rows = min(max(8, BLOCK // max(1, shape[1] * dtype.itemsize)), 1 << 16)
        self._labels = graph, sources, columns
        self._question = digest_of((shape, dtype, self.rows, self.path.suffix, *question))
        self._done = np.zeros(-(-shape[0] // self.rows), dtype=bool)
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
        os.write(self._fd, f"{number} {digest} {self._seal(number, digest)}\n".encode())
        self._done[number] = True

    def finish(self) -> Path:
        """Give the folder its name; return it."""
        for file in self.growing.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        place.sync_folder(self.growing)
        before = self.path.with_name(self.path.name + ".before")
        if self.path.exists():
            shutil.rmtree(before, ignore_errors=True)
            self.path.rename(before)
        self.growing.rename(self.path)
        place.sync_folder(self.path.parent)
        shutil.rmtree(before, ignore_errors=True)
        (self.path / JOURNAL).unlink()
        return self.path

    def _open(self) -> int:
        try:
            self.growing.mkdir()
        except FileExistsError:
            if self.growing.is_symlink() or not self.growing.is_dir():
                raise ValueError(f"{self.growing} is not a folder: remove it to begin anew") from None
            if any(self.growing.iterdir()) and not (self.growing / JOURNAL).exists():
                raise ValueError(f"{self.growing} is no unfinished matrix: remove it to begin anew") from None
        fd = os.open(self.growing / JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND | place.CAREFUL, 0o666)
        try:
            place.lock(fd)
        except BlockingIOError:
            os.close(fd)
            raise BlockingIOError(errno.EAGAIN, "another process is writing this matrix", str(self.path)) from None
        return fd

    def _begin(self) -> None:
        """Find out which blocks are there."""
        lines = (self.growing / JOURNAL).read_bytes().decode(errors="replace").split("\n")
        head = f"steppe rows {self._question.hex()}"
        if lines[0] != head:
            if lines[0].startswith("steppe rows ") and len(lines) > 1:
                raise ValueError(
                    f"{self.growing} is unfinished and answers another question (graph, sources, targets, cutoff or dtype differ): "
                    "remove it to begin anew"
                )
            os.ftruncate(self._fd, 0)  # torn before the first block
            os.write(self._fd, f"{head}\n".encode())
            lines = [head, ""]
        if lines[-1]:
            os.write(self._fd, b"\n")  # a torn line stays one
        for line in lines[1:]:
            number, _, rest = line.partition(" ")
            digest, _, seal = rest.partition(" ")
            if not number.isdigit() or int(number) >= len(self._done) or seal != self._seal(int(number), digest):
                continue
            with contextlib.suppress(FileNotFoundError):
                data = (self.growing / self._name(int(number))).read_bytes()
                self._done[int(number)] = hashlib.blake2b(data, digest_size=16).hexdigest() == digest
        for torn in self.growing.glob("*.tmp"):
            torn.unlink()
        if self.path.suffix == ".zarr":
            self._put(".zarray", json.dumps(self._header(), indent=1).encode())

    def _header(self) -> dict[str, Any]:
        far = "Infinity" if self.dtype.kind == "f" else int(np.iinfo(self.dtype).max)
        return {
            "zarr_format": 2,
            "shape": list(self.shape),
            "chunks": [self.rows, max(1, self.shape[1])],
            "dtype": self.dtype.str,
            "compressor": None,
            "filters": None,
            "fill_value": far,
            "order": "C",
        }

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
        return hashlib.blake2b(f"{number}|{digest}".encode(), key=self._question, digest_size=16).hexdigest()

    def _close(self) -> None:
        """Close the journal; a folder without blocks is not worth keeping."""
        if self.growing.is_dir() and {file.name for file in self.growing.iterdir()} <= {JOURNAL, ".zarray"}:
            shutil.rmtree(self.growing, ignore_errors=True)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
