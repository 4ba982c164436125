"""Arrow: IPC files and streams (Feather), opened for :mod:`.columnar`: only the columns that are wanted are unpacked.

What the file unpacks to is compared with its size first (:mod:`.arrow_size`), and every array is proven before native code follows its offsets.
"""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..graph.columns import columns_of
from . import arrow_size, columnar
from .format import Format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ..graph.columns import Column
    from ..graph.graph import Graph
    from .columnar import Load
    from .source import Source


def open_arrow(pa: ModuleType, source: Source) -> tuple[Any, Load]:
    """Return the schema, and what loads columns by their names."""
    found = arrow_size.measure(source.data)
    source.allow_unpacked(found.size, "an Arrow file")
    open_ = pa.ipc.open_file if bytes(source.data[: len(arrow_size.MAGIC)]) == arrow_size.MAGIC else pa.ipc.open_stream
    schema = open_(pa.BufferReader(pa.py_buffer(source.data))).schema

    def load(names: list[str]) -> dict[str, Column]:
        source.allow_unpacked(
            found.rows, "an Arrow file"
        )  # a byte each at least, which some kinds of columns need not have
        places = [schema.get_field_index(name) for name in names]
        # What is not packed is not copied either, unless some of the columns are left out.
        options = pa.ipc.IpcReadOptions(included_fields=places if found.packed else None)
        reader = open_(pa.BufferReader(pa.py_buffer(source.data)), options=options)
        batches, proof = [], _Proof(pa, source)
        for batch in _batches(reader):
            chosen = batch.select(names)
            for name in names:
                proof.check(name, chosen[name])
            batches.append(chosen)
        table = pa.Table.from_batches(batches, schema=pa.schema([schema.field(name) for name in names]))
        return table_columns(pa, table, names)

    return schema, load


class _Proof:
    """Proves arrays of a file: offsets, dictionaries and UTF-8, which native code will follow. A dictionary that batches share is proven once."""

    def __init__(self, pa: ModuleType, source: Source) -> None:
        self.pa, self.source = pa, source
        self.known: dict[str, tuple[Any, ...]] = {}  # where the dictionary of a column is
        self.size = 0

    def check(self, name: str, array: Any) -> None:
        if not self.pa.types.is_dictionary(array.type):
            self._count_views(array)
            array.validate(full=True)
            return
        values = array.dictionary
        array.validate()
        place = (len(values), values.offset, *(b and (b.address, b.size) for b in values.buffers()))
        if place != self.known.get(name):
            self.check(name, values)
            self.known[name] = place
        array.indices.validate(full=True)
        import pyarrow.compute as pc

        ends = pc.min_max(array.indices).as_py()
        if ends["min"] is not None and (ends["min"] < 0 or ends["max"] >= len(values)):
            raise ValueError("a row names an entry that the dictionary does not have")

    def _count_views(self, array: Any) -> None:
        """Count strings that lie anywhere, each as often as it is named."""
        if str(array.type) == "string_view" and len(array) and array.buffers()[1] is not None:
            views = np.frombuffer(array.buffers()[1], dtype="<i4")[
                4 * array.offset : 4 * (array.offset + len(array)) : 4
            ]
            self.size += int(views.sum(dtype=np.int64))
            self.source.allow_unpacked(self.size, "an Arrow file")


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        for at in range(reader.num_record_batches):
            yield reader.get_batch(at)
    else:
        yield from reader


def table_columns(pa: ModuleType, table: Any, names: list[str]) -> dict[str, Column]:
    """Return the columns of a table, which may have no rows."""
    if table.num_rows:
        return columns_of(table, names)
    # A stream without rows tells no types.
    return columns_of(
        {name: np.empty(0, dtype=number_type(pa, table.field(name).type) or object) for name in names}, names
    )


def number_type(pa: ModuleType, kind: Any) -> Any:
    """Return NumPy's type for a column of plain numbers; None for anything else."""
    plain = pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)
    return kind.to_pandas_dtype() if plain else None


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write an Arrow file."""
    pa, schema = columnar.schema_of(graph, suffix)
    columnar.write_batches(pa, graph, pa.ipc.new_file(file, schema), schema)


FORMAT = Format(
    "Arrow",
    (".arrow",),
    partial(columnar.read, open_file=open_arrow),
    write,
    aliases=dict.fromkeys((".feather", ".ipc", ".arrows"), ".arrow"),
    magic={".arrow": rb"ARROW1|\xff{4}"},
    takes=columnar.TAKES,
)
