"""A case: a graph as plain data, how it is built, and the questions asked of it."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

import steppe as sp
from steppe.prepared.registry import PREPARATIONS

Edge = tuple


NAMES = tuple(known.name for known in PREPARATIONS)


@dataclass
class Case:
    """Everything there is to know; vertices are numbers 0…n-1 in edges and questions, labels are put on when steppe is asked."""

    n: int
    edges: list  # (u, v, w); w is a Python number, None in a graph without weights
    dtype: str | None = None
    directed: bool = True
    labels: str = "none"  # "none", "ints", "strings"
    where: str = "edges"  # "edges": from_edges; "csr": from_csr; "file": written as .steppe and mapped
    prepared: str = "used"  # or "prepared", "routes", "all"; "fresh", "fresh routes": a new graph for every question
    eager: bool = False  # small searches on many threads, too
    questions: list = field(default_factory=list)
    part: str = "answers"  # of the fuzzer: whose questions these are (parts.py)

    def to_json(self):
        """One line; numbers come back exactly."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text):
        data = json.loads(text)
        data["edges"] = [tuple(e) for e in data["edges"]]
        return cls(**data)

    def but(self, **changes):
        """Return a changed copy."""
        return replace(self, **changes)

    @property
    def is_integer(self):
        return self.dtype is None or not self.dtype.startswith("float")

    @property
    def distance_dtype(self):
        return np.dtype(np.int64 if self.is_integer else self.dtype)

    def arcs(self):
        """The edges as they are stored: both directions of an undirected one."""
        if self.directed:
            return self.edges
        return self.edges + [(v, u, w) for u, v, w in self.edges if u != v]

    def label(self, v):
        """The public name of a vertex; in rising order, so that relabelling keeps the numbers."""
        if self.labels == "ints":
            return 7 + 1000 * v + v % 3
        return f"v{v:06d}" if self.labels == "strings" else v

    def named(self, vertices):
        return [self.label(v) for v in vertices]

    def weights(self):
        return None if self.dtype is None else np.array([w for _, _, w in self.edges], dtype=self.dtype)

    def build(self, folder):
        """Build steppe's graph."""
        u = np.array([e[0] for e in self.edges], dtype=np.int64)
        v = np.array([e[1] for e in self.edges], dtype=np.int64)
        if self.labels == "none":
            graph = sp.Graph.from_edges(u, v, self.weights(), num_vertices=self.n, directed=self.directed)
            if self.where == "csr":
                graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights, directed=self.directed)
        elif self.where != "csr" and len(np.union1d(u, v)) == self.n:
            names = np.array(self.named(range(self.n)))
            graph = sp.Graph.from_edges(names[u], names[v], self.weights(), directed=self.directed, relabel=True)
        else:
            graph = sp.Graph.from_edges(u, v, self.weights(), num_vertices=self.n, directed=self.directed)
            names = np.array(self.named(range(self.n)))
            graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights, labels=names, directed=self.directed)
        if self.where == "file":
            path = Path(folder, "graph.steppe")
            path.unlink(missing_ok=True)  # the one before may still be mapped
            sp.write(graph, path)
            graph = sp.read(path)
        if self.prepared == "prepared":
            graph.prepare()
        elif self.prepared.endswith("routes") and not graph.has_negative:
            graph.prepare(routes=True)
        elif self.prepared == "all":
            graph.prepare(*NAMES)
        return graph


def number(x):
    """A number as Python code."""
    if isinstance(x, float) and (x in (float("inf"), float("-inf")) or x != x):  # noqa: PLR0124 - NaN
        return f"float({str(x)!r})"
    return repr(x)
