"""Damages steppe on purpose, in a worker: what the fuzzer must find. One function for each kind of failure, and for each part of the fuzzer."""

import os
import time

import numpy as np

import steppe as sp
from steppe.paths import Paths


def _replace(name, change):
    right = getattr(sp, name)

    def wrong(*args, **options):
        return change(right, *args, **options)

    setattr(sp, name, wrong)


def _again(paths, distances):
    options = {"bound": paths.bound, "hops": paths.hops, "explanation": paths.explain()}
    return Paths._make(paths.graph, paths._sources, distances, **options)


def cutoff_dropped():
    """Sssp forgets its cutoff in one method."""

    def change(right, *args, **options):
        if options.get("method") == "frontier":
            options.pop("cutoff", None)
        return right(*args, **options)

    _replace("sssp", change)


def cutoff_exclusive():
    """A cutoff of bfs is off by one."""

    def change(right, graph, source, *, cutoff=None, **options):
        return right(graph, source, cutoff=None if cutoff is None else max(0, cutoff - 1), **options)

    _replace("bfs", change)


def swapped():
    """Two columns of a matrix change places, on three threads only."""

    def change(right, *args, **options):
        answer = right(*args, **options)
        if options.get("threads") == 3 and isinstance(answer, np.ndarray) and answer.ndim == 2 and answer.shape[1] > 1:
            answer = answer.copy()
            answer[:, [0, 1]] = answer[:, [1, 0]]
        return answer

    _replace("distances", change)


def rounded():
    """A float distance is off by the last bit."""

    def change(right, *args, **options):
        paths = right(*args, **options)
        if paths.distances.dtype.kind == "f" and "targets" in options:
            d = paths.distances.copy()
            d[d > 0] = np.nextafter(d[d > 0], d.dtype.type(0))
            return _again(paths, d)
        return paths

    _replace("sssp", change)


def believed():
    """Verify believes everything."""
    _replace("verify", lambda right, graph, paths, **options: paths)


def crash():
    """The process dies."""

    def change(right, graph, *args, **options):
        if graph.num_edges >= 9:
            os.abort()
        return right(graph, *args, **options)

    _replace("nearest", change)


def hang():
    """A call never comes back."""

    def change(right, graph, *args, **options):
        if graph.num_edges >= 12:
            time.sleep(1000)
        return right(graph, *args, **options)

    _replace("route", change)


# One for each of the other parts of the fuzzer.


def limit_forgotten():
    """csgraph.dijkstra goes on behind its limit."""
    from steppe import csgraph

    right = csgraph.dijkstra
    csgraph.dijkstra = lambda *args, **options: right(*args, **{k: v for k, v in options.items() if k != "limit"})


def floats_for_integers():
    """A function of the NetworkX backend tells integers as floats."""
    from steppe import networkx

    right = networkx.single_source_dijkstra_path_length

    def wrong(*args, **options):
        return {node: float(d) for node, d in right(*args, **options).items()}

    networkx.single_source_dijkstra_path_length = wrong


def order_of_levels():
    """The nodes of a level come in another order from the NetworkX backend."""
    from steppe import networkx

    right = networkx.bfs_layers
    networkx.bfs_layers = lambda *args, **options: (layer[::-1] for layer in right(*args, **options))


def reverse_forgotten():
    """Reductions of a matrix forget to turn the graph round."""

    def change(right, *args, **options):
        if options.get("reduce"):
            options.pop("reverse", None)
        return right(*args, **options)

    _replace("distances", change)
    _replace("all_pairs", change)


def other_weights_believed():
    """An interrupted matrix is continued by a graph with other weights."""
    from steppe.files import matrix_file, matrix_folder

    for module in (matrix_file, matrix_folder):
        right = module.StoreQuestion
        module.StoreQuestion = lambda asked, right=right: right({k: v for k, v in asked.items() if k != "weights"})


def path_lost():
    """The third of the shortest paths is left out."""

    def change(right, *args, **options):
        found = right(*args, **options)
        return found[:2] + found[3:]

    _replace("k_shortest_paths", change)


def later_wins():
    """Of two sources that are equally near the one given later wins."""

    def change(right, graph, sources, **options):
        if options.get("offsets") is not None:
            options["offsets"] = options["offsets"][::-1]
        return right(graph, sources[::-1], **options)

    _replace("nearest", change)


def damage_believed():
    """The files of a partition are not compared with their digests."""
    from steppe.files import verified

    verified.contents = lambda path, entry: path.read_bytes()
