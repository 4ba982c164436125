"""Columnar files: Parquet and Arrow (IPC files and streams, Feather), tables with an edge in each row; pyarrow is needed.

Columns are recognised by their names as in ``.csv`` files (:mod:`.heading`), and become a graph as :meth:`Graph.from_frame` makes one: numbers are
read where Arrow has them, edges know their ids and attributes. Parquet is decoded row group by row group, one for each thread at a time.
A file may lie about its sizes: rows, and what pages and buffers unpack to, are compared with the file before memory is taken for them, and every
Arrow array is proven before native code follows its offsets (:mod:`.parquet`, :mod:`.arrow`).

What is written has both ends (labels), the weight and the attributes of each edge, an undirected edge once. What a table has no word for (undirected,
isolated vertices, int64 where int32 would do, and which columns are the ends, the weight and the attributes) stands in its metadata under ``steppe``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, SteppeError
from ..graph.columns import columns_of
from ..graph.frame import graph_of_columns
from ..graph.graph import Graph
from . import heading, text
from .format import COLUMNS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from ..graph.columns import Column
    from .format import ReadOptions
    from .source import Source

    Load = Callable[[list[str]], dict[str, Column]]
GROUP = 1 << 21
"""Edges of a row group or batch: large enough to pack well, small enough that a few fit beside the graph."""
TAKES = tuple(option for option in (*PLAIN, *COLUMNS) if option != "decimal")


def _pyarrow() -> ModuleType:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise SteppeError("Parquet and Arrow files need the pyarrow package: pip install steppe[parquet]") from error
    module: ModuleType = pa
    return module


def read(source: Source, options: ReadOptions, open_file: Callable[[ModuleType, Source], tuple[Any, Load]]) -> Graph:
    """Read a Parquet or Arrow file, which ``open_file`` opens."""
    pa = _pyarrow()
    try:
        schema, load = open_file(pa, source)
        note, known = _note(source, schema), list(schema.names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, options.suffix, error) from error
    title = heading.read(source, known, None, _as_noted(options, note))
    places = [*title.places, *(at for _, at in title.attributes)]
    names = list(dict.fromkeys(known[at] for at in places))
    if len(names) < len({*places}):
        raise source.error(f"there are several columns of one name: {', '.join(map(repr, known))}")
    try:
        columns_of(pa.schema(map(schema.field, names)).empty_table(), names)  # refuses what holds no numbers or names
        columns = load(names)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(source, options.suffix, error) from error
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
            directed=(note is None or note["directed"]) if options.directed is None else options.directed,
            missing=options.missing,
            span=span,
            narrow=note is None or not note["wide"],
            quick=True,
        )
    except GraphError as error:
        raise source.error(str(error)) from error


def _unreadable(source: Source, suffix: str, error: Exception) -> BaseException:
    if isinstance(error, MemoryError):
        return error
    if isinstance(error, GraphError):
        return error if hasattr(error, "file") else source.error(str(error))
    return source.error(f"not a readable {suffix[1:].capitalize()} file: {' '.join(str(error).split())[:200]}")


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


def _as_noted(options: ReadOptions, note: dict[str, Any] | None) -> ReadOptions:
    """Return the columns to read: those that the caller asks for, or else those that the note names."""
    if note is None:
        return options
    options = replace(options, directed=note["directed"])
    if note.get("source") is None:
        return options
    weight = False if note.get("weight") is None else note["weight"]
    return replace(
        options,
        source=note["source"] if options.source is None else options.source,
        target=note.get("target") if options.target is None else options.target,
        weight=weight if options.weight is None else options.weight,
        attributes=options.attributes or tuple(note.get("attributes", ())),
    )


# Writing ------------------------------------------------------------------------------------------------------------


def schema_of(graph: Graph, suffix: str) -> tuple[ModuleType, Any]:
    """Return pyarrow, and the schema of the table to write: a row for each edge, an undirected one once."""
    pa, lonely = _pyarrow(), text.isolated(graph)
    numbered = graph._labels is None or isinstance(graph._labels.values, range)
    if len(lonely) and not numbered:
        raise GraphError(
            f"vertex {graph.label(int(lonely[0]))} has no edge and would be lost in {suffix}; write .steppe"
        )
    first = int(graph.label(0)) if numbered and graph.num_vertices else 0
    note = {
        "directed": graph.directed,
        "vertices": graph.num_vertices if len(lonely) else None,
        "first": first,
        "wide": graph.weights is not None and graph.weights.dtype == np.int64,
        **end_names(graph),
        "attributes": [str(name) for name in graph.attributes],
    }
    if first < 0 and note["vertices"] is not None:
        raise GraphError(f"{suffix} files cannot keep vertices below 0 that have no edge; write .steppe")
    columns = _columns(pa, graph, 0, 0)
    fields = [pa.field(name, column.type) for name, column in columns.items()]
    return pa, pa.schema(fields, metadata={"steppe": json.dumps(note)})


def write_batches(pa: ModuleType, graph: Graph, writer: Any, schema: Any) -> None:
    """Write all edges with a writer of pyarrow, and close it."""
    with writer:
        for begin, end in stretches(graph):
            writer.write_batch(pa.RecordBatch.from_pydict(_columns(pa, graph, begin, end), schema=schema))


def stretches(graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield ranges of stored edges."""
    for begin in range(0, graph.num_edges, GROUP):
        yield begin, min(begin + GROUP, graph.num_edges)


def once(graph: Graph, begin: int, end: int) -> tuple[text.Array, text.Array, text.Array]:
    """Return places, sources and targets of the stored edges ``begin`` to ``end``, of an undirected edge the one from its smaller end."""
    places = np.arange(begin, end)
    sources = np.searchsorted(graph.indptr, places, side="right") - 1
    targets = graph.indices[begin:end]
    if graph.directed:
        return places, sources, targets
    once = sources <= targets
    return places[once], sources[once], targets[once]


def end_names(graph: Graph) -> dict[str, str | None]:
    """Return the names of the columns for the ends and the weight: as they are called, unless an attribute is called so.

    >>> end_names(Graph.from_frame({"source": [0], "b": [1]}, "source", "b", attributes=["source"]))
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
    places, sources, targets = once(graph, begin, end)
    names = end_names(graph)
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
