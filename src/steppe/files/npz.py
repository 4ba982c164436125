"""SciPy's .npz: sparse matrices in CSR, CSC or COO as ``scipy.sparse.save_npz`` writes them; SciPy is not needed.

A graph is written as CSR. What a matrix has no place for goes into arrays of our own beside it, which SciPy ignores:
``steppe_directed``, ``steppe_weighted`` and ``steppe_labels``.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError
from ..graph import Graph
from ..labels import Labels
from . import text

if TYPE_CHECKING:
    from .source import Source


def read(source: Source, *, directed: bool | None) -> Graph:
    """Read an ``.npz`` file."""
    try:
        with np.load(io.BytesIO(source.data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError) as error:
        raise source.error(f"not a readable .npz archive: {error}") from error
    try:
        graph = _graph(arrays)
    except KeyError as error:
        raise source.error(f"expected a sparse matrix of scipy.sparse.save_npz; there is no array {error}") from error
    except (GraphError, ValueError, TypeError, OverflowError) as error:
        raise source.error(str(error)) from error
    return text.redirected(graph, directed)


def _graph(arrays: dict[str, Any]) -> Graph:
    layout = arrays["format"].item()
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    shape = [int(k) for k in arrays["shape"]]
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"expected a square matrix, found shape {tuple(shape)}")
    if layout not in ("csr", "csc", "coo"):
        raise GraphError(f"expected a matrix of format csr, csc or coo, found {layout}")
    n, data = shape[0], arrays["data"]
    if "steppe_weighted" in arrays and not arrays["steppe_weighted"].item():
        data = None
    labels = Labels(arrays["steppe_labels"]) if "steppe_labels" in arrays else None
    if layout == "coo":
        row, column = arrays["row"], arrays["col"]
        return Graph.from_edges(row, column, data, num_vertices=n)
    if len(arrays["indptr"]) != n + 1:
        raise GraphError(f"expected an indptr of {n + 1} numbers, found {len(arrays['indptr'])}")
    graph = Graph.from_csr(arrays["indptr"], arrays["indices"], data)
    if layout == "csc":
        return graph.reverse
    both_ways = "steppe_directed" in arrays and not arrays["steppe_directed"].item()
    facts = (graph.min_weight, graph.max_weight, graph.mean_weight)
    return Graph._make(graph.indptr, graph.indices, graph.weights, labels=labels, directed=not both_ways, facts=facts)


def write(graph: Graph, file: IO[bytes]) -> None:
    """Write a CSR matrix that ``scipy.sparse.load_npz`` reads; an unweighted graph's entries are 1."""
    own = {"steppe_directed": np.array(graph.directed), "steppe_weighted": np.array(graph.weights is not None)}
    if graph.labels is not None:
        own["steppe_labels"] = plain_labels(graph)
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
