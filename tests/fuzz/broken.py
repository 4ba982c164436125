"""Damages steppe on purpose, in a worker: what the fuzzer must find. One function for each kind of failure."""

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
