"""Writes a graph in a format, reads it again, and compares the edges; then asks what was read."""

from pathlib import Path

import numpy as np

import steppe as sp

from .attempt import attempt
from .expect import array, searched
from .look import Wrong, same

EXACT = (".steppe", ".npz")
"""Formats that keep everything: rows, types, labels, isolated vertices, direction."""


def check(case, truth, graph, question, folder):
    """Raise where what was read is not what was written. Text formats may refuse what they cannot hold, with a SteppeError."""
    suffix = question["suffix"]
    path = Path(folder, "round" + suffix)
    path.unlink(missing_ok=True)
    try:
        sp.write(graph, path)
    except sp.SteppeError:
        if suffix in EXACT:
            raise
        return
    again = sp.read(path)
    if suffix in EXACT:
        for name in ("indptr", "indices", "weights", "labels"):
            was, now = getattr(graph, name), getattr(again, name)
            if (was is None) != (now is None):
                raise Wrong(f"{suffix}: {name} was {was}, is {now}")
            if was is not None:
                same(np.asarray(now), np.asarray(was), f"{suffix}: {name}")
        if again.directed != graph.directed:
            raise Wrong(f"{suffix}: directed was {graph.directed}")
        source = question["source"]
        if source is not None:
            expected = searched(truth, {}, [source])
            answer, error = attempt(lambda: sp.sssp(again, case.label(source)), expected)
            if not error:
                same(answer.distances, array(expected.rows, case.distance_dtype)[0], f"{suffix}: distances")
        return
    was, now = edges(graph), edges(again)
    if suffix in (".gr", ".graph") and not now:  # labels of a header may start at 1
        return
    if suffix in (".gr", ".graph", ".mtx"):  # these number vertices from 1
        first = min((a for a, _, _ in was), default=0)
        if isinstance(first, str) or case.labels != "none":
            was, now = [w for _, _, w in was], [w for _, _, w in now]
        else:
            was = [(a + 1, b + 1, w) for a, b, w in was] if again.labels is not None else was
    if sorted(map(str, was)) != sorted(map(str, now)):
        raise Wrong(f"{suffix}: edges were {was}, are {now}")


def edges(graph):
    """All stored arcs as (label, label, weight)."""
    u = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    ends = (graph.labels_of(u).tolist(), graph.labels_of(np.asarray(graph.indices)).tolist())
    weights = [1] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    return sorted(zip(*ends, weights, strict=True))
