"""From the plain tables of graphs.py and the oracle's lists to steppe's graphs and arrays."""

from math import inf

import numpy as np

import oracle
import steppe as sp
from steppe.paths import Paths
from steppe.planning.explain import Explanation

TYPES = [np.int32, np.int64, np.float32, np.float64]


def graph_of(n, edges, dtype):
    """Build the graph; dtype None leaves the weights out."""
    u, v, w = zip(*edges, strict=True) if edges else ((), (), ())
    ids = [np.array(x, dtype=np.int32) for x in (u, v)]
    g = sp.Graph.from_edges(*ids, None if dtype is None else np.array(w, dtype=dtype), num_vertices=n)
    if g.weights is not None and g.weights.dtype != dtype:  # the builder narrows int64 that fits
        g = sp.Graph.from_csr(g.indptr, g.indices, g.weights)
        wide = g.weights.astype(dtype)
        g = type(g)._make(g.indptr, g.indices, wide, labels=None, directed=True)
    return g


def array_of(distances, dtype):
    """Turn the oracle's list into the public array for weights of this dtype ("hops": int32)."""
    if dtype == "hops":
        return np.array([2**31 - 1 if d == inf else d for d in distances], dtype=np.int32)
    if dtype is None or np.dtype(dtype).kind == "i":
        return np.array([sp.UNREACHABLE if d == inf else d for d in distances], dtype=np.int64)
    return np.array(distances, dtype=dtype)


def truth(n, edges, dtype, sources=(0,)):
    """Right distances as a public array."""
    if dtype is None or dtype == "hops":
        return array_of(oracle.hops(n, edges, sources), dtype)
    number = np.dtype(dtype).type if np.dtype(dtype).kind == "f" else None
    return array_of(oracle.dijkstra(n, edges, sources, number), dtype)


def paths_of(n, edges, dtype, sources=(0,), **options):
    """Wrap the right answer as steppe would return it."""
    hops = dtype == "hops"
    g = graph_of(n, edges, np.int32 if hops else dtype)
    d = options.pop("distances", None)
    return Paths._make(
        g,
        np.array(sources, dtype=np.int64),
        truth(n, edges, dtype, sources) if d is None else d,
        hops=hops,
        explanation=Explanation(method="oracle"),
        **options,
    )
