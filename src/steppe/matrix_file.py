"""MatrixFile: a matrix written row by row to a ``.npy`` file, so that it can be gone on with after an interruption.

Beside an unfinished ``NAME.npy`` stands ``NAME.npy.rows``: how many rows are done, and a digest of the question they answer. It is written
after the rows are on the disk, replaced as a whole, and removed at the end; so whatever happens, the rows it counts are there and are right.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import ResultSizeError
from .graph import Graph

if TYPE_CHECKING:
    from os import PathLike

Array = npt.NDArray[Any]


class MatrixFile:
    """A matrix of this shape and dtype in the file ``path``, begun or gone on with.

    Parameters
    ----------
    path : path
        The ``.npy`` file. A finished one of that name is replaced.
    shape : tuple
        Rows × columns.
    dtype : dtype
        The type stored.
    question : tuple
        What the matrix answers, graph and arrays: a file begun for another question is not gone on with.

    Attributes
    ----------
    done : int
        The rows that are there already.
    """

    done: int

    def __init__(
        self, path: str | PathLike[str], shape: tuple[int, int], dtype: np.dtype[Any], question: tuple[Any, ...]
    ) -> None:
        self.path = Path(path)
        if self.path.suffix != ".npy":
            raise ValueError(f"out must be the name of a .npy file: {str(path)!r}")
        self.marker = self.path.with_name(self.path.name + ".rows")
        self._digest = _digest((shape, dtype, *question))
        self.done = self._rows_done()
        if self.done == 0:
            needed, free = shape[0] * shape[1] * dtype.itemsize, shutil.disk_usage(self.path.parent).free
            if needed > free:
                raise ResultSizeError(f"{path} takes {needed:,} bytes, the disk has {free:,}", needed=needed, free=free)
            # Marked before anything is written over: a file that was there and finished is not taken for rows of ours.
            self._mark(0)
            self._rows = np.lib.format.open_memmap(self.path, mode="w+", dtype=dtype, shape=shape)
        else:
            self._rows = np.lib.format.open_memmap(self.path, mode="r+")
            if self._rows.shape != shape or self._rows.dtype != dtype:
                raise ValueError(f"{self.path} is not the file that {self.marker.name} tells of: remove one of them")

    def write(self, begin: int, block: Array) -> None:
        """Store rows, the first of which is row ``begin``."""
        self._rows[begin : begin + len(block)] = block
        self._rows.flush()
        self._mark(begin + len(block))

    def finish(self) -> Array:
        """Close the file and return it, mapped for reading."""
        del self._rows
        self.marker.unlink()
        result: Array = np.load(self.path, mmap_mode="r")
        return result

    def _rows_done(self) -> int:
        if not (self.marker.exists() and self.path.exists()):
            return 0
        try:
            told = json.loads(self.marker.read_text())
            digest, rows = told["question"], int(told["rows"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.marker} cannot be read: remove it to begin anew") from error
        if digest != self._digest:
            raise ValueError(
                f"{self.path} is unfinished and answers another question (graph, sources, targets, cutoff or dtype differ): "
                f"remove {self.marker.name} to begin anew"
            )
        return rows

    def _mark(self, rows: int) -> None:
        draft = self.marker.with_name(self.marker.name + ".new")
        draft.write_text(json.dumps({"question": self._digest, "rows": rows}))
        draft.replace(self.marker)


def _digest(parts: tuple[Any, ...]) -> str:
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
    return digest.hexdigest()
