"""Shapes of graphs: lists of ends, without weights. Every one gets some nasty extras: loops, parallel edges, isolated vertices."""

SHAPES = ("random", "sparse", "dense", "path", "ring", "star", "grid", "grid", "grid", "layers", "pieces", "parallel")
"""Small ones; `large` makes thousands of edges, which reach the searches of many threads. Grids are roads, which have searches of their own."""

LARGE = ("random", "sparse", "star", "grid", "path", "layers")


def small(rng, shape):
    """Return (n, list of (u, v)) of a shape, up to thirty vertices, grids up to 150."""
    n = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30))
    if shape == "grid":
        n = rng.choice((n, 4 * n, 5 * n))
    ends = ends_of(rng, shape, n, rng.choice((1, 2, 4)) * n)
    if shape != "grid":  # a road is a road only where vertices have few edges
        ends += [rng.choice(ends) for _ in range(rng.choice((0, 0, 1, 3))) if ends]  # parallel
        ends += [(v, v) for v in (rng.randrange(n) for _ in range(rng.choice((0, 0, 1, 2))))]
    return hide(rng, n + rng.choice((0, 0, 0, 1, 3)), ends)


def large(rng, shape):
    """Return (n, list of (u, v)) of thousands of edges, up to 130,000."""
    edges = rng.choice((2_000, 5_000, 21_000, 30_000, 60_000, 110_000, 130_000))
    n = {"random": edges // 16, "star": edges // 2, "grid": edges // 4, "layers": edges // 20}.get(shape, edges // 3)
    return hide(rng, n + 2, ends_of(rng, shape, n, edges))


def ends_of(rng, shape, n, edges):
    """Return about so many edges between n vertices."""
    pick = rng.randrange
    if shape == "path":
        ends = [(v, v + 1) for v in range(n - 1)]
        return ends + [(pick(n), pick(n)) for _ in range(n // 8)]
    if shape == "ring":
        return [(v, (v + 1) % n) for v in range(n)] + [(pick(n), pick(n)) for _ in range(n // 3)]
    if shape == "star":
        hub = pick(n)
        return (
            [(hub, v) for v in range(n)]
            + [(v, hub) for v in range(0, n, 2)]
            + [(pick(n), pick(n)) for _ in range(n // 4)]
        )
    if shape == "grid":
        width = max(1, int(n**0.5))
        right = [(v, v + 1) for v in range(n) if (v + 1) % width and v + 1 < n]
        down = [(v, v + width) for v in range(n - width)]
        there = right + down
        back = rng.choice((0, 0, 0.9))  # one direction is enough where the graph is undirected; two make no road of it
        return there + [(v, u) for u, v in there if rng.random() < back]
    if shape == "layers":
        width = max(1, n // 5)
        return [(u, min(n - 1, (u // width + 1) * width + pick(width))) for u in (pick(n) for _ in range(edges))]
    if shape == "pieces":
        half = max(1, n // 2)
        sides = [(0, half), (half, n) if half < n else (0, half)]
        return [(pick(a, b), pick(a, b)) for a, b in (rng.choice(sides) for _ in range(edges))]
    if shape == "parallel":
        few = [(pick(n), pick(n)) for _ in range(max(1, n // 2))]
        return [rng.choice(few) for _ in range(edges)]
    if shape == "dense":
        return [(u, v) for u in range(n) for v in range(n) if rng.random() < 0.7][:250]
    count = max(1, n) if shape == "sparse" else edges
    return [(pick(n), pick(n)) for _ in range(count)]


def hide(rng, n, ends):
    """Give vertices other numbers in half of the cases, so that sources and isolated vertices lie anywhere."""
    if rng.random() < 0.5:
        return n, ends
    order = list(range(n))
    rng.shuffle(order)
    return n, [(order[u], order[v]) for u, v in ends]
