"""Columns: tables of other libraries, by the Arrow PyCapsule interface where they speak it: buffers are looked at where they lie.

pandas' plain numbers are NumPy arrays already, and need no Arrow. Objects that Arrow has no type for (names among numbers) come as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from .labels import as_labels

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_FORMATS = {
    "t": "times",
    "d": "decimals",
    "z": "bytes",
    "Z": "bytes",
    "n": "nothing",
    "+": "lists or structs",
    "e": "half floats",
}


@dataclass(frozen=True)
class Column:
    """One column: names, or numbers (or any objects) in chunks; and which of them are missing (None: none is)."""

    name: Any
    rows: int
    chunks: list[Array] | None = None
    names: _core.Names | None = None
    missing: Mask | None = None

    @property
    def is_integer(self) -> bool:
        """Whether it holds whole numbers that need no labels of another kind."""
        return self.chunks is not None and all(chunk.dtype.kind in "iu" for chunk in self.chunks)

    def numbers(self, purpose: str) -> list[Array]:
        """Return its chunks, which must be numbers."""
        if self.chunks is not None and self.missing is not None and any(c.dtype == object for c in self.chunks):
            here = np.asarray([0 if hole else x for x, hole in zip(self.array(), self.missing, strict=True)])
            if here.dtype.kind in "iufb":
                return [here]
        if self.chunks is None or any(chunk.dtype.kind not in "iufb" for chunk in self.chunks):
            raise GraphError(f"column {self.name!r} does not hold numbers, which {purpose} must be")
        return self.chunks

    def array(self) -> Array:
        """Return all of it as one array, of Python strings where it holds names; None where one is missing."""
        if self.chunks is not None:
            return self.chunks[0] if len(self.chunks) == 1 else np.concatenate(self.chunks or [np.empty(0, np.int32)])
        assert self.names is not None  # noqa: S101 - one or the other
        there = np.arange(self.rows) if self.missing is None else np.flatnonzero(~self.missing)
        texts = np.full(self.rows, None, dtype=object)
        texts[there] = _core.take_names(self.names, self.names, there)
        return texts


def library_of(frame: object) -> str:
    """Return the name of the library a table is of."""
    return type(frame).__module__.partition(".")[0].lstrip("_")


def columns_of(frame: Any, wanted: list[Any]) -> dict[Any, Column]:
    """Return the columns of a table that were asked for."""
    library = library_of(frame)
    if library == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if library == "cudf":
        frame = frame[wanted].to_arrow()
    known = getattr(frame, "columns", frame)
    if not isinstance(known, Mapping) and not isinstance(frame, Mapping):
        known = frame.column_names if hasattr(frame, "column_names") else known
        if hasattr(known, "__len__") and all(isinstance(name, (str, int)) for name in known):
            _check_names(wanted, list(known))
    if isinstance(frame, Mapping):
        _check_names(wanted, list(frame))
        return {name: _of_array(name, as_labels(frame[name])) for name in wanted}
    if library == "pandas":
        return {name: _of_series(name, frame[name]) for name in wanted}
    if library == "polars":  # column by column: a whole frame is put together anew where it has several chunks
        return {name: _of_table(name, _core.Table(frame[name].__arrow_c_stream__()), 0) for name in wanted}
    if not hasattr(frame, "__arrow_c_stream__"):
        raise GraphError(
            f"from_frame takes a table of pandas, Polars, PyArrow, DuckDB or any library that speaks the Arrow PyCapsule interface, "
            f"or a dict of columns, not {type(frame).__name__}"
        )
    if library == "pyarrow" and hasattr(frame, "select"):
        frame = frame.select(wanted)
    elif library == "duckdb":
        frame = frame.project(", ".join('"' + name.replace('"', '""') + '"' for name in wanted))
    table = _core.Table(frame.__arrow_c_stream__())
    _check_names(wanted, table.names)
    return {name: _of_table(name, table, table.names.index(name)) for name in wanted}


def _check_names(wanted: list[Any], known: list[Any]) -> None:
    for name in wanted:
        if known.count(name) != 1:
            what = "has no column" if name not in known else "has more than one column"
            raise GraphError(f"the table {what} {name!r}; its columns are {', '.join(map(repr, known))}")


def _of_array(name: Any, array: Array) -> Column:
    if array.ndim != 1:
        raise GraphError(f"column {name!r} must be one-dimensional, not of shape {array.shape}")
    missing = np.zeros(0, dtype=np.bool_)
    if array.dtype.kind == "f":
        missing = np.isnan(array)
    if array.dtype.kind == "O":
        missing = np.fromiter((x is None or bool(x != x) for x in array), dtype=np.bool_, count=len(array))  # noqa: PLR0124 - NaN
    return Column(name, len(array), [array], missing=missing if missing.any() else None)


def _of_series(name: Any, series: Any) -> Column:
    if not (isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb") and hasattr(
        series, "__arrow_c_stream__"
    ):
        try:
            table = _core.Table(series.__arrow_c_stream__())
            if not table.is_indexed(0) or table.format(0) in ("u", "U", "vu"):
                return _of_table(name, table, 0)
        except (ImportError, TypeError, ValueError):
            pass  # no pyarrow, or objects of several kinds
    return _of_array(name, as_labels(series.to_numpy()))


def _of_table(name: Any, table: _core.Table, place: int) -> Column:
    rows, kind = table.rows, table.format(place)
    missing = None
    if table.has_missing(place):
        mask = np.empty(rows, dtype=np.uint8)
        missing = mask.view(np.bool_) if table.bits(place, True, mask) else None
    if kind in ("u", "U", "vu"):
        return Column(name, rows, names=table.strings(place), missing=missing)
    if table.is_indexed(place):
        raise GraphError(f"column {name!r} is a dictionary of something else than strings: decode it first")
    if kind == "b":
        values = np.empty(rows, dtype=np.uint8)
        table.bits(place, False, values)
        return Column(name, rows, [values.view(np.bool_)], missing=missing)
    if len(kind) > 1 or kind not in "cCsSiIlLfg":
        what = _FORMATS.get(kind[0], kind)
        raise GraphError(f"column {name!r} holds {what}: cast it to numbers or strings first")
    chunks = table.numbers(place)
    if kind in "fg" and any(_has_nan(chunk) for chunk in chunks):
        nan = np.concatenate([np.isnan(chunk) for chunk in chunks])
        missing = nan if missing is None else nan | missing
    return Column(name, rows, chunks, missing=missing)


def _has_nan(chunk: Array) -> bool:
    """Look piece by piece: a mask of the whole would take a byte an edge."""
    return any(bool(np.isnan(chunk[i : i + 2**18]).any()) for i in range(0, len(chunk), 2**18))
