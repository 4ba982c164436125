"""The oracle: distances, trees and cycles in Python's own numbers, in the most obvious way.

Integers are Python's: nothing wraps, whatever the weights; what does not fit in 64 bits is for ``expect.py`` to judge. Floats are
rounded to the weights' type after every addition. Rounded sums are monotone, so the first time Dijkstra settles a vertex it has
the least of all left-to-right sums.
"""

import heapq
import itertools
from ctypes import c_float
from functools import cached_property
from math import inf


class Truth:
    """What is true of a case's graph; everything is computed when first asked for, and kept."""

    def __init__(self, case):
        self.case = case
        self.n = case.n
        self._known = {}

    @cached_property
    def rows(self):
        """For each vertex its (target, weight), edges of weight inf left out."""
        rows = [[] for _ in range(self.n)]
        for u, v, w in self.case.arcs():
            if w != inf:
                rows[u].append((v, 1 if w is None else w))
        return rows

    @cached_property
    def plain_rows(self):
        """Likewise for hops: every edge counts 1, whatever its weight."""
        rows = [[] for _ in range(self.n)]
        for u, v, _ in self.case.arcs():
            rows[u].append((v, 1))
        return rows

    @cached_property
    def reverse(self):
        """The truth of the graph turned round."""
        return Truth(self.case.but(edges=[(v, u, w) for u, v, w in self.case.edges]))

    @cached_property
    def has_negative(self):
        return any(w is not None and w < 0 for _, _, w in self.case.edges)

    @cached_property
    def add(self):
        """Addition in the type of the weights."""
        if self.case.dtype == "float32":
            return lambda a, b: (
                c_float(a + b).value
            )  # two float32 added as doubles: the second rounding changes nothing
        return lambda a, b: a + b

    def distances(self, sources, hops=False):
        """The distance of every vertex from the nearest source, None where there is no path; NegativeCycle is an answer, too."""
        key = (hops, tuple(sources))
        if key not in self._known:
            if hops:
                found = dijkstra(self.plain_rows, sources, lambda a, b: a + b)
            elif self.has_negative:
                found = bellman_ford(self.rows, sources)
            else:
                found = dijkstra(self.rows, sources, self.add, self.zero)
            self._known[key] = found
        return self._known[key]

    @property
    def zero(self):
        return 0 if self.case.is_integer else 0.0

    def tree(self, sources, distances, hops=False):
        """The canonical tree by its definition: the fewest tight edges, then the smallest predecessor; -1 for none."""
        rows, add = (self.plain_rows, lambda a, b: a + b) if hops else (self.rows, self.add)
        result = [-1] * self.n
        seen = {s for s in sources if distances[s] == 0}  # below 0 (negative weights) a source hangs from another one
        level = sorted(seen)
        while level:
            found = {}
            for u in level:  # rising, so the first to find a vertex is the smallest
                d = distances[u]
                for v, w in rows[u]:
                    if v not in seen and v not in found and distances[v] is not None and add(d, w) == distances[v]:
                        found[v] = u
            for v, u in found.items():
                result[v] = u
            seen.update(found)
            level = sorted(found)
        return result

    def tight_from(self, u, distances, hops=False):
        """The ends of the edges that lead from u's distance to theirs exactly."""
        rows, add = (self.plain_rows, lambda a, b: a + b) if hops else (self.rows, self.add)
        return {v for v, w in rows[u] if add(distances[u], w) == distances[v]}

    def length(self, vertices):
        """The length of a path, added from its beginning with the lightest edges; None where an edge is missing."""
        total = self.zero
        for u, v in itertools.pairwise(vertices):
            weights = [w for x, w in self.rows[u] if x == v]
            if not weights:
                return None
            total = self.add(total, min(weights))
        return total


class NegativeCycle:
    """The answer where no distance is the least: a negative cycle can be reached."""


def dijkstra(rows, sources, add, zero=0):
    """Weights are not negative; a sum of inf is no path."""
    result = [None] * len(rows)
    heap = [(zero, s) for s in sources]
    while heap:
        d, u = heapq.heappop(heap)
        if result[u] is not None:
            continue
        result[u] = d
        for v, w in rows[u]:
            if result[v] is None:
                there = add(d, w)
                if there != inf:
                    heapq.heappush(heap, (there, v))
    return result


def bellman_ford(rows, sources):
    """Weights of any sign whose sums are exact."""
    result = [None] * len(rows)
    for s in sources:
        result[s] = 0
    for _ in range(len(rows) + 1):
        changed = False
        for u, row in enumerate(rows):
            if result[u] is None:
                continue
            for v, w in row:
                there = result[u] + w
                if result[v] is None or there < result[v]:
                    result[v], changed = there, True
        if not changed:
            return result
    return NegativeCycle
