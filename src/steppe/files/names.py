"""Names in tables: how a graph with strings as labels is written to ``.csv`` and ``.tsv``. :mod:`.table` reads them."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from ..errors import GraphError

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .text import Note


def write(graph: Graph, file: IO[bytes], suffix: str, note: Note) -> None:
    """Write a table of names, all of them in quotes: whatever they look like, they come back as names."""
    labels = [] if graph.labels is None else graph.labels.tolist()
    for label in labels:
        if not isinstance(label, str) or not label or re.search(r"[\r\n\0\ud800-\udfff\ufffd]", label):
            raise GraphError(f"{suffix} files cannot keep the label {label!r}; write a .steppe file")
    quoted = ['"' + label.replace('"', '""') + '"' for label in labels]
    part = "," if suffix == ".csv" else "\t"
    if str(note):
        file.write(f"# {note}\n".encode())
    file.write((part.join(["source", "target"] + ["weight"] * (graph.weights is not None)) + "\n").encode())
    for u, name in enumerate(quoted):
        begin, end = int(graph.indptr[u]), int(graph.indptr[u + 1])
        lines = [[name, quoted[v]] for v in graph.indices[begin:end].tolist()]
        if graph.weights is not None:
            for line, weight in zip(lines, graph.weights[begin:end].tolist(), strict=True):
                line.append(repr(weight))
        file.write("".join(part.join(line) + "\n" for line in lines).encode())
