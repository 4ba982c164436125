"""Small graphs by name, each as (n, edges) with edges (u, v, w): the cases that go wrong."""

from math import inf


def grid(rows, columns):
    """Both directions of every link, weights that look random."""
    edges = []
    for r in range(rows):
        for c in range(columns):
            u = r * columns + c
            for v in [u + 1] * (c + 1 < columns) + [u + columns] * (r + 1 < rows):
                w = 1 + (u * 7919 + v * 104729) % 17
                edges += [(u, v, w), (v, u, w)]
    return rows * columns, edges


EMPTY = (0, [])

# Vertex 0 is the source.
NAMED = {
    "one vertex": (1, []),
    "isolated source": (3, [(1, 2, 4)]),
    "self loop": (2, [(0, 0, 3), (0, 1, 2), (1, 1, 0)]),
    "parallel edges": (3, [(0, 1, 9), (0, 1, 2), (0, 1, 5), (1, 2, 1), (1, 2, 1)]),
    "zero weights": (5, [(0, 1, 0), (1, 2, 0), (2, 3, 5), (3, 4, 0), (0, 4, 5)]),
    "zero cycle": (6, [(0, 1, 2), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 1), (4, 5, 0), (5, 4, 0)]),
    "unreachable": (6, [(0, 1, 3), (2, 1, 1), (2, 3, 1), (3, 2, 1), (4, 0, 1)]),
    "disconnected": (7, [(0, 1, 1), (1, 2, 2), (3, 4, 1), (4, 5, 2), (5, 3, 3)]),
    "star": (20, [(0, v, v) for v in range(1, 20)] + [(v, 0, 1) for v in range(1, 20)]),
    "path": (50, [(v, v + 1, 1 + v % 3) for v in range(49)]),
    "path backwards": (50, [(v + 1, v, 1) for v in range(49)] + [(0, 49, 4)]),
    "ties": (
        8,
        [(0, v, 1) for v in (1, 2, 3)] + [(u, 4, 1) for u in (3, 1, 2)] + [(0, 5, 1), (5, 6, 1), (6, 4, 0), (4, 7, 1)],
    ),
    "long tie": (6, [(0, 5, 1), (5, 4, 1), (4, 1, 1), (0, 2, 2), (2, 1, 1), (1, 3, 1)]),
    "grid": grid(6, 7),
    "complete": (9, [(u, v, 1 + (u * u + 3 * v) % 11) for u in range(9) for v in range(9) if u != v]),
    "triangle": (3, [(0, 1, 5), (0, 2, 9), (1, 2, 3)]),
}

# Integers only: sums come within a step of 2^63.
HUGE = {
    "huge path": (4, [(0, 1, 2**62), (1, 2, 2**62 - 2), (0, 3, 2**63 - 2)]),
    "huge detour": (3, [(0, 1, 2**62), (1, 2, 2**62 + 5), (0, 2, 7)]),
}

# Floats only: weights lost in rounding (1e-30 added to 1 is 1), "no edge", the smallest and the largest numbers.
FLOAT = {
    "absorbed": (
        6,
        [(0, 1, 1.0), (1, 2, 1e-30), (2, 3, 1e-30), (3, 1, 1e-30), (3, 4, 2.0), (4, 5, 1e-30), (5, 4, 1e-30)],
    ),
    "infinite weights": (4, [(0, 1, inf), (0, 2, 1.5), (2, 1, 2.25), (1, 3, inf)]),
    "subnormal": (3, [(0, 1, 1e-45), (1, 2, 1e-45), (0, 2, 1.0)]),
    "tenths": (5, [(0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (0, 3, 0.6), (3, 4, 0.7), (0, 4, 1.3)]),
}

# Some weights are negative, no cycle is.
NEGATIVE = {
    "negative edge": (4, [(0, 1, 4), (0, 2, 5), (2, 1, -3), (1, 3, 1)]),
    "negative to zero": (5, [(0, 1, 3), (1, 2, -3), (2, 3, 0), (3, 4, -7), (4, 2, 7), (0, 4, 1)]),
}
