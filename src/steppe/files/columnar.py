"""Columnar files: Parquet and Arrow (IPC files and streams, Feather), tables with an edge in each row; pyarrow is needed.

Columns are recognised by their names as in ``.csv`` files (:mod:`.heading`), and become a graph as :meth:`Graph.from_frame` makes one: numbers are
read where Arrow has them, edges know their ids and attributes. Parquet is decoded row group by row group, one for each thread at a time.
A file may lie about its sizes: rows are counted against the file before memory is taken for them, and every Arrow array is proven before native
code follows its offsets.

What is written has both ends (labels), the weight and the attributes of each edge, an undirected edge once. What a table has no word for (undirected,
isolated vertices, int64 where int32 would do) stands in its metadata under ``steppe``.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, SteppeError
from ..graph.columns import columns_of
from ..graph.frame import graph_of_columns
from ..graph.graph import Graph
from ..machine import threads
from . import heading, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from ..graph.columns import Column
    from .source import Source
    from .wanted import Wanted

    Load = Callable[[list[str]], dict[str, Column]]

KINDS = (".parquet", ".arrow")
MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow"}
_GROUP = 1 << 21  # edges of a row group: large enough to pack well, small enough that a few fit beside the graph


def _pyarrow() -> ModuleType:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise SteppeError("Parquet and Arrow files need the pyarrow package: pip install steppe[parquet]") from error
    module: ModuleType = pa
    return module


def read(source: Source, *, format: str, directed: bool | None, wanted: Wanted) -> Graph:  # noqa: A002
    """Read a Parquet or Arrow file."""
    if wanted.decimal is not None:
        raise GraphError(f"{format} files hold numbers, not text: leave decimal= out")
    pa = _pyarrow()
    try:
        schema, rows, load = (_open_parquet if format == ".parquet" else _open_arrow)(pa, source)
        note, known = _note(source, schema), list(schema.names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, format, error) from error
    given = None if note is None else bool(note["directed"])
    title = heading.read(source, known, None, directed if given is None else given, wanted)
    places = [*title.places, *(at for _, at in title.attributes)]
    names = list(dict.fromkeys(known[at] for at in places))
    if len(names) < len({*places}):
        raise source.error(f"there are several columns of one name: {', '.join(map(repr, known))}")
    if rows is not None:
        source.allow(rows, 8 * len(names), "rows")
    try:
        columns = load(names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, format, error) from error
    ends = [columns[known[at]] for at in title.places]
    span = None
    if note is not None and note["vertices"] is not None:
        source.allow(note["vertices"], text.VERTEX_BYTES, "vertices of a note")
        span = range(note["first"], note["first"] + note["vertices"])
    try:
        return graph_of_columns(
            Graph,
            ends[0],
            ends[1],
            ends[2] if len(ends) > 2 else None,
            {name: columns[name] for name, _ in title.attributes},
            directed=given is not False if directed is None else directed,
            missing=wanted.missing,
            span=span,
            narrow=note is None or not note["wide"],
            quick=True,
        )
    except GraphError as error:
        raise source.error(str(error)) from error


def _unreadable(source: Source, format: str, error: Exception) -> Exception:  # noqa: A002
    if isinstance(error, GraphError):
        return error if hasattr(error, "file") else source.error(str(error))
    return source.error(f"not a readable {format[1:].capitalize()} file: {' '.join(str(error).split())[:200]}")


def _open_parquet(pa: ModuleType, source: Source) -> tuple[Any, int | None, Load]:
    buffer = pa.py_buffer(source.data)

    def opened() -> Any:
        return pa.parquet.ParquetFile(pa.BufferReader(buffer))

    file = opened()
    sizes = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
    if min(sizes, default=0) < 0 or sum(sizes) != file.metadata.num_rows:
        raise ValueError("the sizes of its row groups are not that of the whole")

    def load(names: list[str]) -> dict[str, Column]:
        kinds = [_plain(pa, file.schema_arrow.field(name).type) for name in names]
        if not all(kinds):
            return _table_columns(pa, file.read(columns=names, use_threads=True), names)
        # Numbers: every row group to its place in the whole, and gone.
        whole = {name: np.empty(sum(sizes), dtype=kind) for name, kind in zip(names, kinds, strict=True)}
        firsts = np.cumsum([0, *sizes]).tolist()

        def group(at: int) -> bool:
            found = opened().read_row_group(at, columns=names, use_threads=False)
            if found.num_rows != sizes[at]:
                raise ValueError(f"row group {at} has {found.num_rows} rows, not {sizes[at]}")
            first = firsts[at]
            for name in names:
                place = first
                for chunk in found[name].chunks:
                    if chunk.null_count:
                        return False
                    whole[name][place : place + len(chunk)] = chunk.to_numpy()
                    place += len(chunk)
            return True

        with ThreadPoolExecutor(max(1, min(threads.resolve(None), len(sizes)))) as pool:
            complete = all(list(pool.map(group, range(len(sizes)))))
        if not complete:  # something is missing: numbers have no room for that
            return _table_columns(pa, file.read(columns=names, use_threads=True), names)
        return columns_of(whole, names)

    return file.schema_arrow, file.metadata.num_rows, load


def _table_columns(pa: ModuleType, table: Any, names: list[str]) -> dict[str, Column]:
    if table.num_rows:
        return columns_of(table, names)
    # A stream without rows tells no types.
    return columns_of({name: np.empty(0, dtype=_plain(pa, table.field(name).type) or object) for name in names}, names)


def _plain(pa: ModuleType, kind: Any) -> Any:
    """Return NumPy's type for a column of plain numbers; None for anything else."""
    plain = pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)
    return kind.to_pandas_dtype() if plain else None


def _open_arrow(pa: ModuleType, source: Source) -> tuple[Any, int | None, Load]:
    reader: Any
    buffer = pa.BufferReader(pa.py_buffer(source.data))
    if bytes(source.data[:6]) == b"ARROW1":
        reader = pa.ipc.open_file(buffer)
    else:
        reader = pa.ipc.open_stream(buffer)

    def load(names: list[str]) -> dict[str, Column]:
        batches = []
        for batch in _batches(reader):
            chosen = batch.select(names)
            chosen.validate(full=True)  # offsets, dictionaries and UTF-8: native code will follow them
            batches.append(chosen)
        table = pa.Table.from_batches(batches, schema=pa.schema([reader.schema.field(name) for name in names]))
        return _table_columns(pa, table, names)

    return reader.schema, None, load


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        for at in range(reader.num_record_batches):
            yield reader.get_batch(at)
    else:
        yield from reader


def _note(source: Source, schema: Any) -> dict[str, Any] | None:
    """Return what :func:`write` said about the graph; a claim like any other."""
    said = (schema.metadata or {}).get(b"steppe")
    if said is None:
        return None
    try:
        note = json.loads(said)
        vertices, first = note["vertices"], note["first"]
        right = vertices is None or (0 <= int(vertices) < 2**62 and 0 <= int(first) < 2**62)
        if not right or type(note["directed"]) is not bool or type(note["wide"]) is not bool:
            raise ValueError("it says something else")
        return {**note, "vertices": None if vertices is None else int(vertices), "first": int(first)}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise source.error(f"the metadata 'steppe' are none of ours: {error}") from None


# Writing ------------------------------------------------------------------------------------------------------------


def write(graph: Graph, file: IO[bytes], format: str) -> None:  # noqa: A002
    """Write a Parquet or Arrow file, a row for each edge, an undirected one once."""
    pa = _pyarrow()
    touched = graph.degrees > 0
    touched[graph.indices] = True
    lonely = np.flatnonzero(~touched)
    numbered = graph._labels is None or isinstance(graph._labels.values, range)
    if len(lonely) and not numbered:
        raise GraphError(
            f"vertex {graph.label(int(lonely[0]))} has no edge and would be lost in {format}; write .steppe"
        )
    first = int(graph.label(0)) if numbered and graph.num_vertices else 0
    note = {
        "directed": graph.directed,
        "vertices": graph.num_vertices if len(lonely) else None,
        "first": first,
        "wide": graph.weights is not None and graph.weights.dtype == np.int64,
    }
    if first < 0 and note["vertices"] is not None:
        raise GraphError(f"{format} files cannot keep vertices below 0 that have no edge; write .steppe")
    columns = _columns(pa, graph, 0, 0)
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in columns.items()], metadata={"steppe": json.dumps(note)}
    )
    if format == ".parquet":
        with pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for begin, end in _stretches(graph):
                writer.write_batch(pa.RecordBatch.from_pydict(_columns(pa, graph, begin, end), schema=schema))
    else:
        with pa.ipc.new_file(file, schema) as writer:
            for begin, end in _stretches(graph):
                writer.write_batch(pa.RecordBatch.from_pydict(_columns(pa, graph, begin, end), schema=schema))


def _stretches(graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield ranges of stored edges."""
    for begin in range(0, graph.num_edges, _GROUP):
        yield begin, min(begin + _GROUP, graph.num_edges)


def _columns(pa: ModuleType, graph: Graph, begin: int, end: int) -> dict[str, Any]:
    """Return the columns of the stored edges ``begin`` to ``end``, of an undirected edge the one from its smaller end."""
    places = np.arange(begin, end)
    sources = np.searchsorted(graph.indptr, places, side="right") - 1
    targets = graph.indices[begin:end]
    if not graph.directed:
        once = sources <= targets
        places, sources, targets = places[once], sources[once], targets[once]
    columns = {"source": _labels(pa, graph, sources), "target": _labels(pa, graph, targets)}
    if graph.weights is not None:
        columns["weight"] = pa.array(graph.weights[places])
    if graph.attributes:
        ids = graph.edge_ids_at(places)
        for name in graph.attributes:
            if str(name) in columns:
                raise GraphError(f"an attribute cannot be called {name!r} in a file that has a column of that name")
            columns[str(name)] = pa.array(graph.attribute(name)[ids])
    return columns


def _labels(pa: ModuleType, graph: Graph, vertices: text.Array) -> Any:
    labels = graph.labels
    if labels is None or labels.dtype.kind in "iuf":
        return pa.array(graph.labels_of(vertices))
    for label in labels.tolist() if labels.dtype == object else ():
        if not isinstance(label, str):
            raise GraphError(
                f"columnar files keep labels of one kind, numbers or strings, not {label!r}; write .steppe"
            )
    return pa.array(graph.labels_of(vertices).tolist(), pa.string())
