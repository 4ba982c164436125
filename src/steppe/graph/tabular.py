"""Tabular: answers as tables, in the library that the graph's own table was of."""

from __future__ import annotations

import html
from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]
_SHOWN = 10  # rows of a table in a notebook


def make_frame(library: str | None, columns: dict[str, Array]) -> Any:
    """Return columns as a table of ``library``, or of pandas where that is none that has tables; None in objects is a missing value.

    >>> import numpy as np
    >>> make_frame("pyarrow", {"a": np.array([1, 2])}).column_names
    ['a']
    """
    if library == "polars":
        import polars as pl

        return pl.DataFrame({name: _listed(column) for name, column in columns.items()})
    if library == "pyarrow":
        return make_arrow(columns)
    if library == "duckdb":
        import duckdb

        return duckdb.from_arrow(make_arrow(columns))
    if library == "cudf":  # never run on a GPU by this project's tests
        import cudf

        return cudf.DataFrame.from_arrow(make_arrow(columns))
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame() gives a pandas table: pip install pandas, or use to_arrow()") from error
    return pd.DataFrame(
        {name: pd.array(column.tolist()) if column.dtype == object else column for name, column in columns.items()}
    )


def make_arrow(columns: dict[str, Array]) -> Any:
    """Return columns as a ``pyarrow.Table``."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError("to_arrow() gives a PyArrow table: pip install pyarrow") from error
    return pa.table({name: pa.array(_listed(column)) for name, column in columns.items()})


def _listed(column: Array) -> Any:
    """Return objects and strings as a list, of which every library makes its own types."""
    return column.tolist() if column.dtype.kind in "OU" else column


class Tabular:
    """The part of an answer that makes a table of it."""

    graph: Any

    def _columns(self) -> dict[str, Array]:
        """Return the columns by name, all of one length."""
        raise NotImplementedError

    def _library(self) -> str | None:
        """Return the library whose table came in."""
        library: str | None = self.graph._library
        return library

    def to_frame(self) -> Any:
        """Return a table, of the library that the graph was made from with :meth:`Graph.from_frame`; otherwise a pandas ``DataFrame``."""
        return make_frame(self._library(), self._columns())

    def to_arrow(self) -> Any:
        """Return the same as a ``pyarrow.Table``."""
        return make_arrow(self._columns())

    def _repr_html_(self) -> str:
        """Return a short table for notebooks."""
        return html_of(repr(self), self._columns())


def html_of(caption: str, columns: dict[str, Array]) -> str:
    """Return the first rows of a table in HTML."""
    count = len(next(iter(columns.values()))) if columns else 0

    def row(cells: list[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    shown = [column[:_SHOWN].tolist() for column in columns.values()]
    body = "".join(row(list(cells), "td") for cells in zip(*shown, strict=True))
    more = f"<p>… {count - _SHOWN:,} more rows</p>" if count > _SHOWN else ""
    return f"<table><caption>{html.escape(caption)}</caption>{row(list(columns), 'th')}{body}</table>{more}"
