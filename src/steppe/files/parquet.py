"""Parquet, opened for :mod:`.columnar`: decoded row group by row group, one for each thread at a time.

Rows, and what the pages of the wanted columns unpack to (:mod:`.parquet_size`), are compared with the file first. Names are read as a dictionary and
numbers: a small file can name one long string in a million rows.
"""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..graph.columns import columns_of
from ..machine import threads
from . import columnar, parquet_size
from .arrow import number_type, table_columns
from .columnar import GROUP
from .format import Format
from .source import RATIO, UNPACKED

if TYPE_CHECKING:
    from types import ModuleType

    from ..graph.columns import Column
    from ..graph.graph import Graph
    from .columnar import Load
    from .source import Source


def open_parquet(pa: ModuleType, source: Source) -> tuple[Any, Load]:
    """Return the schema, and what loads columns by their names."""
    buffer = pa.py_buffer(source.data)
    file = pa.parquet.ParquetFile(pa.BufferReader(buffer))
    sizes = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
    if min(sizes, default=0) < 0 or sum(sizes) != file.metadata.num_rows:
        raise ValueError("the sizes of its row groups are not that of the whole")
    firsts = np.cumsum([0, *sizes]).tolist()

    def opened(names: list[str] | None = None) -> Any:
        return pa.parquet.ParquetFile(pa.BufferReader(buffer), metadata=file.metadata, read_dictionary=names)

    def load(names: list[str]) -> dict[str, Column]:
        kinds = {name: number_type(pa, file.schema_arrow.field(name).type) for name in names}
        strings = [name for name in names if _holds_strings(pa, file.schema_arrow.field(name).type)]
        row = sum(4 if name in strings else 1 if kinds[name] is None else kinds[name]().itemsize for name in names)
        leaves = [file.schema.column(at).path for at in range(len(file.schema))]
        source.allow_unpacked(row * sum(sizes), "a Parquet file")
        pages = parquet_size.measure(source.data, [leaves.index(name) for name in names])
        source.allow_unpacked(pages.size, "a Parquet file")
        if strings and not pages.plain:
            return table_columns(pa, _bounded(pa, source, opened(), names, pages.largest), names)
        if strings or None in kinds.values():
            return table_columns(pa, opened(strings).read(columns=names, use_threads=True), names)
        # Numbers: every stretch of row groups to its place in the whole, and gone.
        whole = {name: np.empty(sum(sizes), dtype=kind) for name, kind in kinds.items()}

        def fill(groups: range) -> bool:
            first, end = firsts[groups.start], firsts[groups.stop]
            found = opened().read_row_groups(list(groups), columns=names, use_threads=False)
            if found.num_rows != end - first:
                raise ValueError(
                    f"row groups {groups.start} to {groups.stop - 1} have {found.num_rows} rows, not {end - first}"
                )
            for name in names:
                place = first
                for chunk in found[name].chunks:
                    if chunk.null_count:
                        return False
                    whole[name][place : place + len(chunk)] = chunk.to_numpy()
                    place += len(chunk)
            return True

        stretches = _stretches_of(firsts)
        with ThreadPoolExecutor(max(1, min(threads.resolve(None), len(stretches)))) as pool:
            complete = all(list(pool.map(fill, stretches)))
        if not complete:  # something is missing: numbers have no room for that
            return table_columns(pa, file.read(columns=names, use_threads=True), names)
        return columns_of(whole, names)

    return file.schema_arrow, load


def _stretches_of(firsts: list[int]) -> list[range]:
    """Return row groups in stretches that are read together: there may be a million of a row each.

    >>> _stretches_of([0, 5, 9, 3_000_000, 3_000_001])
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    stretches, begin = [], 0
    for at in range(1, len(firsts)):
        if at + 1 == len(firsts) or firsts[at + 1] - firsts[begin] > GROUP:
            stretches.append(range(begin, at))
            begin = at
    return stretches


def _bounded(pa: ModuleType, source: Source, file: Any, names: list[str], longest: int) -> Any:
    """Read strings that may be far longer than their pages, but each no longer than a page, so few at a time that the bound holds."""
    batches, size = [], 0
    rows = max(1, min(1 << 16, source.most // max(1, longest * len(names))))
    for batch in file.iter_batches(rows, columns=names, use_threads=False):
        size += batch.nbytes
        source.allow_unpacked(size, "a Parquet file")
        batches.append(batch)
    return pa.Table.from_batches(batches, schema=pa.schema([file.schema_arrow.field(name) for name in names]))


def _holds_strings(pa: ModuleType, kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(str(kind) in ("string", "large_string", "string_view"))


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write a Parquet file, packed no denser than it is read without ``max_bytes``."""
    pa, schema = columnar.schema_of(graph, suffix)
    # Where it would be too dense it is packed less. Snappy packs 21 times at most.
    target = columnar.end_names(graph)["target"]
    less = {name: "snappy" if name == target else "zstd" for name in schema.names}
    others = [name for name in schema.names if name != target]
    enough = (_unpacked(graph, schema) - UNPACKED) // RATIO
    for packing in ({"compression": "zstd"}, {"compression": less, "use_dictionary": others}):
        held = _Held(file, enough)
        columnar.write_batches(pa, graph, pa.parquet.ParquetWriter(held, schema, **packing), schema)
        if held.parts is None:
            return
    plain = pa.parquet.ParquetWriter(file, schema, compression="none", use_dictionary=False)
    columnar.write_batches(pa, graph, plain, schema)


class _Held(io.RawIOBase):
    """Holds back what is written until there are ``enough`` bytes of it; then it passes all on to the file."""

    def __init__(self, file: IO[bytes], enough: int) -> None:
        self.file, self.enough, self.size = file, enough, 0
        self.parts: list[bytes] | None = []  # what is held back; None: nothing any more
        self.write(b"")

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def write(self, data: Any) -> int:
        self.size += len(data)
        if self.parts is None:
            return self.file.write(data)
        self.parts.append(bytes(data))
        if self.size >= self.enough:
            self.file.write(b"".join(self.parts))
            self.parts = None
        return len(data)


def _unpacked(graph: Graph, schema: Any) -> int:
    """Return what reading a file unpacks, at most: numbers, and of names their numbers and letters."""
    rows = (
        graph.num_edges
        if graph.directed
        else sum(len(columnar.once(graph, *part)[0]) for part in columnar.stretches(graph))
    )
    size = rows * sum(field.type.bit_width // 8 or 1 if str(field.type) != "string" else 8 for field in schema)
    if str(schema.field(0).type) == "string":
        lengths = np.array([len(label.encode()) for label in graph.labels.tolist()])  # type: ignore[union-attr]
        size += int((lengths * graph.degrees).sum()) + int(lengths[graph.indices].sum())
    return size


FORMAT = Format(
    "Parquet",
    (".parquet",),
    partial(columnar.read, open_file=open_parquet),
    write,
    aliases={".pq": ".parquet"},
    magic={".parquet": rb"PAR1"},
    takes=columnar.TAKES,
)
