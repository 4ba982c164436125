"""Print a digest of each of some hundred answers. What is printed must be the same on every processor, with and without vectors.

Run alone, natively or in an emulator: ``python tests/cpus/answers.py``. The graphs are small, since an emulator is 30 times slower, but larger than
every limit from which other code takes over (rows packed, lanes, tiles, bit-parallel hops).
"""

import hashlib

import numpy as np

import steppe as sp

TYPES = ("int32", "int64", "uint16", "float32", "float64")
SHAPES = {
    "grid": lambda: sp.generate.grid(30, 40, seed=1),
    "random": lambda: sp.generate.random(900, 6000, seed=2),
    "rmat": lambda: sp.generate.rmat(9, 8, seed=3),
    "road": lambda: sp.generate.road(800, seed=4),
}


def show(name, *arrays):
    """Print the name and a digest of the arrays' types, shapes and bytes."""
    digest = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(array.tobytes())
    print(name, digest.hexdigest()[:24], flush=True)  # noqa: T201 - what this program is for


def weighted(graph, dtype):
    """Return the graph with weights of this type, of which those of floats do not add up exactly."""
    weights = np.asarray(graph.weights if graph.weights is not None else np.ones(graph.num_edges)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        weights = weights / np.dtype(dtype).type(7)
    return sp.Graph.from_csr(graph.indptr, graph.indices, weights, directed=graph.directed)


def searches(name, graph):
    """Show single searches by every method, twice: before and after the graph is prepared."""
    for when in ("plain", "prepared"):
        for method in ("auto", "dijkstra", "delta-stepping", "bellman-ford", "frontier"):
            for threads in (1, 2):
                paths = sp.sssp(graph, 5, method=method, threads=threads)
                show(f"{name} {when} sssp {method} {threads}", paths.distances, paths.predecessors)
        paths.verify()
        hops = sp.bfs(graph, 5)
        show(f"{name} {when} bfs", hops.distances, hops.predecessors)
        show(f"{name} {when} cutoff", sp.sssp(graph, 5, cutoff=paths.distances[7]).distances)
        found = sp.route(graph, 1, 300)
        show(f"{name} {when} route", np.asarray(found.distance), found.vertices)
        near = sp.nearest(graph, [3, 9, 27])
        show(f"{name} {when} nearest", near.distances)
        graph.prepare()


def matrices(name, graph):
    """Show matrices by every method that takes the graph."""
    some = np.arange(0, graph.num_vertices, 13)
    for method in ("auto", "dijkstra", "batched", "floyd-warshall", "essential-edges", "contraction"):
        try:
            show(f"{name} distances {method}", sp.distances(graph, some, method=method))
        except (ValueError, sp.SteppeError) as error:
            print(name, method, type(error).__name__)  # noqa: T201
    show(f"{name} eccentricity", sp.eccentricity(graph))
    show(f"{name} hops", sp.distances(sp.Graph.from_csr(graph.indptr, graph.indices), range(500), dtype="uint16"))
    show(f"{name} dtype", sp.distances(graph, some, dtype="float32"))


def main():
    """Show all."""
    for shape, make in SHAPES.items():
        plain = make()
        for dtype in TYPES:
            graph = weighted(plain, dtype)
            searches(f"{shape} {dtype}", graph)
            matrices(f"{shape} {dtype}", graph)


if __name__ == "__main__":
    main()
