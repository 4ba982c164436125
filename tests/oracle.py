"""The answer in the most obvious way, without steppe: what every method is compared with.

Edges are (u, v, w) triples. Numbers are Python's own, so integers are exact; ``dtype`` asks for the rounding of a type.
"""

import heapq
from math import inf


def dijkstra(n, edges, sources, dtype=None):
    """Distances from the nearest of `sources`, inf where there is no path."""
    number = dtype or (lambda x: x)
    rows = [[] for _ in range(n)]
    for u, v, w in edges:
        rows[u].append((v, number(w)))
    distance = [inf] * n
    heap = [(number(0), s) for s in sources]
    while heap:
        d, u = heapq.heappop(heap)
        if distance[u] == inf:
            distance[u] = d
            for v, w in rows[u]:
                if w != inf:
                    heapq.heappush(heap, (d + w, v))
    return distance


def bellman_ford(n, edges, sources):
    """Likewise with negative weights; there must be no negative cycle."""
    distance = [0 if v in sources else inf for v in range(n)]
    for _ in range(n):
        for u, v, w in edges:
            distance[v] = min(distance[v], distance[u] + w)
    return distance


def hops(n, edges, sources):
    """The smallest number of edges."""
    return dijkstra(n, [(u, v, 1) for u, v, _ in edges], sources)


def predecessors(n, edges, sources, distance):
    """The canonical tree by its definition: fewest tight edges first, then the smallest predecessor; -1 for none."""
    tight = {(u, v) for u, v, w in edges if distance[u] + w == distance[v] != inf}
    level = dict.fromkeys(sources, 0)
    while True:
        found = {v: level[u] + 1 for u, v in sorted(tight) if u in level and v not in level}
        nearest = min(found.values(), default=None)
        if nearest is None:
            break
        level.update({v: hop for v, hop in found.items() if hop == nearest})
    parents = [[u for u in range(n) if (u, v) in tight and level.get(u) == level.get(v, 0) - 1] for v in range(n)]
    return [min(p, default=-1) for p in parents]
