"""SciPy's .npz: sparse matrices in CSR, CSC or COO as ``scipy.sparse.save_npz`` writes them; SciPy is not needed.

A graph is written as CSR. What a matrix has no place for goes into arrays of our own beside it, which SciPy ignores:
``steppe_directed``, ``steppe_weighted``, ``steppe_labels``, ``steppe_coordinates`` and ``steppe_geographic``. As in SciPy,
entries that a COO matrix lists twice are added up. Nothing is believed: sizes are compared before memory is taken for
them, rows are proven, and "not directed" is checked.
"""

from __future__ import annotations

import io
import math
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import DistanceOverflowError, FormatError, GraphError
from ..graph.build import graph_of_rows
from ..graph.graph import Graph
from . import text
from .format import Format

if TYPE_CHECKING:
    from .format import ReadOptions
    from .source import Source

_NAMES = (
    *("format", "shape", "data", "indices", "indptr", "row", "col"),
    *("steppe_directed", "steppe_weighted", "steppe_labels", "steppe_coordinates", "steppe_geographic"),
)


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an ``.npz`` file."""
    try:
        arrays = _arrays(source)
    except FormatError:
        raise
    except Exception as error:
        raise source.error(f"not a readable .npz archive: {error}") from error
    try:
        graph = _placed(_graph(arrays, source), arrays)
    except KeyError as error:
        raise source.error(f"expected a sparse matrix of scipy.sparse.save_npz; there is no array {error}") from error
    except FormatError:
        raise
    except (GraphError, ValueError, TypeError, OverflowError, DistanceOverflowError) as error:
        raise source.error(str(error)) from error
    return text.redirected(graph, options.directed)


def _placed(graph: Graph, arrays: dict[str, Any]) -> Graph:
    if "steppe_coordinates" not in arrays:
        return graph
    geographic = bool(arrays["steppe_geographic"].item())
    return graph.with_coordinates(arrays["steppe_coordinates"], geographic=geographic)


def _arrays(source: Source) -> dict[str, Any]:
    """Unpack the arrays that are asked for; their sizes, and what their headers claim, are looked at before memory is taken.

    An archive's directory may lie, but nothing beyond the size that it tells is unpacked: the rest is an error of its checksum. That does not hold
    for other packings than NumPy's own, which are refused.
    """
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        members = {member.filename: member for member in archive.infolist()}
        wanted = [members[name + ".npy"] for name in _NAMES if name + ".npy" in members]
        source.allow_unpacked(sum(member.file_size for member in wanted), "an .npz archive")
        for member in wanted:
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{member.filename} is neither stored nor deflated")
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                header = (
                    np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                )
                shape, _, dtype = header(file)
                here, claimed = member.file_size - file.tell(), math.prod(shape) * dtype.itemsize
            if here != claimed:
                raise ValueError(f"{member.filename} has {here} bytes of data, and claims {claimed}")
            with archive.open(member) as file:
                arrays[member.filename.removesuffix(".npy")] = np.lib.format.read_array(file, allow_pickle=False)
                file.read(1)  # the checksum is compared at the end
    return arrays


def _graph(arrays: dict[str, Any], source: Source) -> Graph:
    layout = arrays["format"].item()
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    if arrays["shape"].dtype.kind not in "iu":
        raise GraphError(f"expected a shape of whole numbers, found {arrays['shape'].dtype}")
    shape = [int(k) for k in arrays["shape"]]
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"expected a square matrix, found shape {tuple(shape)}")
    if layout not in ("csr", "csc", "coo"):
        raise GraphError(f"expected a matrix of format csr, csc or coo, found {layout}")
    n, data = shape[0], arrays["data"]
    if "steppe_weighted" in arrays and not arrays["steppe_weighted"].item():
        data = None
    if layout == "coo":
        if n < 0:
            raise GraphError(f"a matrix of {n} rows")
        source.allow(n, text.VERTEX_BYTES, "rows of a matrix", listed=2 * len(arrays["row"]))
        row, column = arrays["row"], arrays["col"]
        return Graph.from_edges(*_summed(row, column, data), num_vertices=n)
    if len(arrays["indptr"]) != n + 1:
        raise GraphError(f"expected an indptr of {n + 1} numbers, found {len(arrays['indptr'])}")
    both_ways = "steppe_directed" in arrays and not arrays["steppe_directed"].item()
    labels = arrays.get("steppe_labels")
    rows = (arrays["indptr"], arrays["indices"], data)
    graph = graph_of_rows(Graph, *rows, labels=labels, directed=not both_ways)
    return graph if layout == "csr" else graph.reverse


def _summed(row: text.Array, column: text.Array, data: text.Array | None) -> tuple[text.Array, text.Array, Any]:
    """Return the entries of a COO matrix, those of the same place added up."""
    if not (row.ndim == column.ndim == 1 and len(row) == len(column) and data is not None and len(data) == len(row)):
        return row, column, data
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    first = np.flatnonzero(np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1]))[: len(row)])
    if len(first) == len(row):
        return row, column, data[order]
    return row[first], column[first], np.add.reduceat(data[order], first)


def write(graph: Graph, file: IO[bytes], _suffix: str) -> None:
    """Write a CSR matrix that ``scipy.sparse.load_npz`` reads; an unweighted graph's entries are 1."""
    own = {"steppe_directed": np.array(graph.directed), "steppe_weighted": np.array(graph.weights is not None)}
    if graph.labels is not None:
        own["steppe_labels"] = plain_labels(graph)
    if graph.coordinates is not None:
        own |= {"steppe_coordinates": graph.coordinates, "steppe_geographic": np.array(graph.is_geographic)}
    weights = np.ones(graph.num_edges, dtype=np.int32) if graph.weights is None else graph.weights
    narrow = graph.num_edges < 2**31 and graph.indices.dtype == np.int32
    buffer = io.BytesIO()  # numpy seeks, compressed files do not
    np.savez(
        buffer,
        indices=graph.indices,
        indptr=graph.indptr.astype(np.int32) if narrow else graph.indptr,
        format=np.array(b"csr"),
        shape=np.array([graph.num_vertices] * 2, dtype=np.int64),
        data=weights,
        **own,  # type: ignore[arg-type]
    )
    file.write(buffer.getbuffer())


def plain_labels(graph: Graph) -> text.Array:
    """Return the labels as an array of numbers or strings; refuse objects, which only pickle could keep."""
    assert graph.labels is not None  # noqa: S101 - the callers have looked
    labels: text.Array = graph.labels
    if labels.dtype == object:
        if not all(isinstance(label, str) and not label.endswith("\0") for label in labels):
            raise GraphError("labels that are neither numbers nor strings cannot be kept in a file")
        labels = labels.astype(np.str_) if len(labels) else np.empty(0, dtype="U1")
    return labels


FORMAT = Format("SciPy .npz", (".npz",), read, write, aliases={".scipy": ".npz"}, magic={".npz": rb"PK\x03\x04"})
