"""The lines of docs/coming.md, before and after: seconds of each, on one road-like network; answers must be equal.

``python -m benchmarks.coming [vertices]``. Libraries that are not installed are left out and named. Times are the least of several rounds in which
everybody takes a turn; what is made once (a matrix, a graph of the library, what it prepares for its queries) is timed apart.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5


def made(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def compare(name: str, before: Callable[[], Any], after: Callable[[], Any], once: tuple[float, float]) -> None:
    """Print a row: both, after their answers were found to be equal; `once`: what making the two graphs took."""
    assert np.array_equal(np.asarray(before(), float), np.asarray(after(), float)), name
    times = np.array([[made(before)[0], made(after)[0]] for _ in range(ROUNDS)]).min(axis=0)
    print(
        f"| {name} | {1e3 * times[0]:,.2f} | {1e3 * times[1]:,.2f} | {times[0] / times[1]:,.1f} | {once[0]:.2f} | {once[1]:.2f} |"
    )


def scipy(u: Any, v: Any, w: Any, n: int) -> None:
    from scipy.sparse import coo_array, csgraph

    import steppe.csgraph

    theirs, matrix = made(lambda: coo_array((np.r_[w, w], (np.r_[u, v], np.r_[v, u])), shape=(n, n)).tocsr())
    ours, graph = made(lambda: sp.Graph.from_scipy(matrix))
    compare(
        "SciPy: `steppe.csgraph.dijkstra`",
        lambda: csgraph.dijkstra(matrix, indices=0),
        lambda: steppe.csgraph.dijkstra(matrix, indices=0),
        (theirs, 0),
    )
    compare(
        "SciPy: `sp.sssp`",
        lambda: csgraph.dijkstra(matrix, indices=0),
        lambda: sp.sssp(graph, 0).distances,
        (theirs, ours),
    )


def networkx(u: Any, v: Any, w: Any, _n: int) -> None:
    import networkx as nx

    def build() -> Any:
        graph = nx.Graph()
        graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
        return graph

    nx.config.warnings_to_ignore.add("cache")
    theirs, graph = made(build)
    order = sorted(graph)
    ours, own = made(lambda: sp.Graph.from_networkx(graph))
    index = own.indices_of(order)

    def lengths(**options: str) -> list[float]:
        found = nx.single_source_dijkstra_path_length(graph, 0, **options)
        return [found[node] for node in order]

    compare('NetworkX: `backend="steppe"`', lengths, lambda: lengths(backend="steppe"), (theirs, ours))
    compare("NetworkX: `sp.sssp`", lengths, lambda: sp.sssp(own, 0).distances[index], (theirs, ours))


def igraph(u: Any, v: Any, w: Any, n: int) -> None:
    import igraph

    theirs, graph = made(lambda: igraph.Graph(n=n, edges=np.stack([u, v], axis=1), edge_attrs={"weight": w}))
    ours, own = made(lambda: sp.Graph.from_igraph(graph, weight="weight"))
    compare(
        "igraph: `sp.sssp`",
        lambda: graph.distances(0, weights="weight")[0],
        lambda: sp.sssp(own, 0).distances,
        (theirs, ours),
    )


def pandana(u: Any, v: Any, w: Any, n: int) -> None:
    import pandana
    import pandas as pd

    side = int(n**0.5)
    x, y = pd.Series(np.arange(n) % side).astype(float), pd.Series(np.arange(n) // side).astype(float)
    theirs, network = made(
        lambda: pandana.Network(x, y, pd.Series(u), pd.Series(v), pd.DataFrame({"w": w.astype(float)}))
    )
    ours, graph = made(lambda: sp.Graph.from_edges(u, v, w, directed=False).prepare(routes=True))
    rng = np.random.default_rng(1)
    origins, goals = rng.integers(0, n, (2, 1000))
    zones = rng.choice(n, 100, replace=False)
    left, right = np.repeat(zones, 100), np.tile(zones, 100)
    compare(
        "pandana: 1,000 random pairs",
        lambda: network.shortest_path_lengths(origins, goals),
        lambda: sp.distances(graph, origins, goals, pairs=True),
        (theirs, ours),
    )
    compare(
        "pandana: 100 × 100 zones",
        lambda: network.shortest_path_lengths(left, right),
        lambda: sp.distances(graph, zones, zones).ravel(),
        (theirs, ours),
    )
    network.set_pois("stations", 1e9, 1, x[zones], y[zones])
    compare(
        "pandana: the nearest of 100 stations",
        lambda: np.asarray(network.nearest_pois(1e9, "stations")[1]),
        lambda: sp.nearest(graph, zones).distances,
        (theirs, ours),
    )


def main(vertices: int) -> None:
    u, v, w = sp.generate.road(vertices, seed=1).edges()
    print(f"{vertices:,} vertices, {len(u):,} undirected links\n")
    print(
        "| before, after | before, ms | after, ms | times | their graph made, s | ours made, s |\n|---|---:|---:|---:|---:|---:|"
    )
    absent = []
    for job in (scipy, networkx, igraph, pandana):
        if importlib.util.find_spec(job.__name__) is None:
            absent.append(job.__name__)
        else:
            job(u, v, w, vertices)
    print(f"\nnot installed: {', '.join(absent) or 'none'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 102_400)
