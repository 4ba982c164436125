"""Columnar files: Parquet and Arrow (IPC files and streams, Feather), tables with an edge in each row; pyarrow is needed.

Columns are recognised by their names as in ``.csv`` files (:mod:`.heading`), and become a graph as :meth:`Graph.from_frame` makes one: numbers are
read where Arrow has them, edges know their ids and attributes. Parquet is decoded row group by row group, one for each thread at a time.
A file may lie about its sizes: rows, and what pages and buffers unpack to, are compared with the file before memory is taken for them, and every
Arrow array is proven before native code follows its offsets (:mod:`.parquet`, :mod:`.arrow`).

What is written has both ends (labels), the weight and the attributes of each edge, an undirected edge once. What a table has no word for (undirected,
isolated vertices, int64 where int32 would do, and which columns are the ends, the weight and the attributes) stands in its metadata under ``steppe``.
A Parquet file is packed no denser than it is read without ``max_bytes``.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, SteppeError
from ..graph.columns import columns_of
from ..graph.frame import graph_of_columns
from ..graph.graph import Graph
from . import heading, text
from .arrow import open_arrow
from .parquet import GROUP, open_parquet
from .source import RATIO, UNPACKED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from .column_choice import ColumnChoice
    from .source import Source

KINDS = (".parquet", ".arrow")
MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow"}


def _pyarrow() -> ModuleType:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise SteppeError("Parquet and Arrow files need the pyarrow package: pip install steppe[parquet]") from error
    module: ModuleType = pa
    return module


def read(source: Source, *, format: str, directed: bool | None, wanted: ColumnChoice) -> Graph:  # noqa: A002
    """Read a Parquet or Arrow file."""
    if wanted.decimal is not None:
        raise GraphError(f"{format} files hold numbers, not text: leave decimal= out")
    pa = _pyarrow()
    try:
        schema, load = (open_parquet if format == ".parquet" else open_arrow)(pa, source)
        note, known = _note(source, schema), list(schema.names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, format, error) from error
    given = None if note is None else bool(note["directed"])
    wanted = _as_noted(wanted, note)
    title = heading.read(source, known, None, directed if given is None else given, wanted)
    places = [*title.places, *(at for _, at in title.attributes)]
    names = list(dict.fromkeys(known[at] for at in places))
    if len(names) < len({*places}):
        raise source.error(f"there are several columns of one name: {', '.join(map(repr, known))}")
    try:
        columns_of(
            pa.schema([schema.field(name) for name in names]).empty_table(), names
        )  # what holds no numbers or names
        columns = load(names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, format, error) from error
    ends = [columns[known[at]] for at in title.places]
    span = None
    if note is not None and note["vertices"] is not None:
        source.allow(note["vertices"], text.VERTEX_BYTES, "vertices of a note", listed=2 * ends[0].rows)
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


def _unreadable(source: Source, format: str, error: Exception) -> BaseException:  # noqa: A002
    if isinstance(error, MemoryError):
        return error
    if isinstance(error, GraphError):
        return error if hasattr(error, "file") else source.error(str(error))
    return source.error(f"not a readable {format[1:].capitalize()} file: {' '.join(str(error).split())[:200]}")


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
        names = [note[end] for end in ("source", "target", "weight") if note.get(end) is not None]
        if not all(isinstance(name, str) for name in (*names, *note.get("attributes", []))):
            raise ValueError("columns have names")
        return {**note, "vertices": None if vertices is None else int(vertices), "first": int(first)}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise source.error(f"the metadata 'steppe' are none of ours: {error}") from None


def _as_noted(wanted: ColumnChoice, note: dict[str, Any] | None) -> ColumnChoice:
    """Return the columns to read: those that the caller asks for, or else those that the note names."""
    if note is None or note.get("source") is None:
        return wanted
    weight = False if note.get("weight") is None else note["weight"]
    return replace(
        wanted,
        source=note["source"] if wanted.source is None else wanted.source,
        target=note.get("target") if wanted.target is None else wanted.target,
        weight=weight if wanted.weight is None else wanted.weight,
        attributes=wanted.attributes or tuple(note.get("attributes", ())),
    )


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
        **_ends(graph),
        "attributes": [str(name) for name in graph.attributes],
    }
    if first < 0 and note["vertices"] is not None:
        raise GraphError(f"{format} files cannot keep vertices below 0 that have no edge; write .steppe")
    columns = _columns(pa, graph, 0, 0)
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in columns.items()], metadata={"steppe": json.dumps(note)}
    )
    if format == ".arrow":
        _write_batches(pa, graph, pa.ipc.new_file(file, schema), schema)
        return
    # So dense that it would not be read without max_bytes, the file is packed less. Snappy packs 21 times at most.
    target = _ends(graph)["target"]
    less = {name: "snappy" if name == target else "zstd" for name in schema.names}
    others = [name for name in schema.names if name != target]
    enough = (_unpacked(graph, schema) - UNPACKED) // RATIO
    for packing in ({"compression": "zstd"}, {"compression": less, "use_dictionary": others}):
        held = _Held(file, enough)
        _write_batches(pa, graph, pa.parquet.ParquetWriter(held, schema, **packing), schema)
        if held.parts is None:
            return
    plain = pa.parquet.ParquetWriter(file, schema, compression="none", use_dictionary=False)
    _write_batches(pa, graph, plain, schema)


def _write_batches(pa: ModuleType, graph: Graph, writer: Any, schema: Any) -> None:
    with writer:
        for begin, end in _stretches(graph):
            writer.write_batch(pa.RecordBatch.from_pydict(_columns(pa, graph, begin, end), schema=schema))


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
    rows = graph.num_edges if graph.directed else sum(len(_once(graph, *part)[0]) for part in _stretches(graph))
    size = rows * sum(field.type.bit_width // 8 or 1 if str(field.type) != "string" else 8 for field in schema)
    if str(schema.field(0).type) == "string":
        lengths = np.array([len(label.encode()) for label in graph.labels.tolist()])  # type: ignore[union-attr]
        size += int((lengths * graph.degrees).sum()) + int(lengths[graph.indices].sum())
    return size


def _stretches(graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield ranges of stored edges."""
    for begin in range(0, graph.num_edges, GROUP):
        yield begin, min(begin + GROUP, graph.num_edges)


def _once(graph: Graph, begin: int, end: int) -> tuple[text.Array, text.Array, text.Array]:
    """Return places, sources and targets of the stored edges ``begin`` to ``end``, of an undirected edge the one from its smaller end."""
    places = np.arange(begin, end)
    sources = np.searchsorted(graph.indptr, places, side="right") - 1
    targets = graph.indices[begin:end]
    if graph.directed:
        return places, sources, targets
    once = sources <= targets
    return places[once], sources[once], targets[once]


def _ends(graph: Graph) -> dict[str, str | None]:
    """Return the names of the columns for the ends and the weight: as they are called, unless an attribute is called so.

    >>> _ends(Graph.from_frame({"source": [0], "b": [1]}, "source", "b", attributes=["source"]))
    {'source': '_source', 'target': 'target', 'weight': None}
    """
    names: dict[str, str | None] = {}
    for end in ("source", "target", "weight"):
        name = end
        while name in map(str, graph.attributes):
            name = "_" + name
        names[end] = name if end != "weight" or graph.weights is not None else None
    return names


def _columns(pa: ModuleType, graph: Graph, begin: int, end: int) -> dict[str, Any]:
    """Return the columns of the stored edges ``begin`` to ``end``."""
    places, sources, targets = _once(graph, begin, end)
    names = _ends(graph)
    columns = {str(names["source"]): _labels(pa, graph, sources), str(names["target"]): _labels(pa, graph, targets)}
    if graph.weights is not None:
        columns[str(names["weight"])] = pa.array(graph.weights[places])
    ids = graph._edge_ids_at(places) if graph.attributes else places
    for name in graph.attributes:
        values = graph.attribute(name)[ids]
        if str(name) in columns:
            raise GraphError(f"attributes must have different names, and two are called {str(name)!r}")
        columns[str(name)] = pa.array(values.astype(np.float32) if values.dtype == np.float16 else values)
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
