"""Nasty graphs for the parts that ask small ones: a case without questions, of any shape and any family of weights."""

from .cases import Case
from .shapes import SHAPES, ends_of, hide
from .weights import DTYPES, FAMILIES, draw

LABELS = ("none", "none", "ints", "strings")


def graph(rng, sizes, *, dtypes=DTYPES, families=FAMILIES, most=60, where=("edges", "edges", "csr", "file")):
    """Return a case of so many vertices, one of `sizes`, and at most so many edges; loops, parallel edges and vertices without any included."""
    n = rng.choice(sizes)
    ends = ends_of(rng, rng.choice(SHAPES), n, rng.choice((1, 2, 3)) * n)
    rng.shuffle(ends)
    ends = ends[:most]
    ends += [rng.choice(ends) for _ in range(rng.choice((0, 1, 3))) if ends]
    ends += [(v, v) for v in (rng.randrange(n) for _ in range(rng.choice((0, 0, 1))))]
    n, ends = hide(rng, n + rng.choice((0, 0, 0, 1)), ends)
    dtype = rng.choice(dtypes)
    weights = draw(rng, rng.choice(families), dtype, len(ends))
    edges = [(u, v, w) for (u, v), w in zip(ends, weights, strict=True)]
    return Case(
        n, edges, dtype, rng.random() < 0.6, rng.choice(LABELS), rng.choice(where), "used", eager=rng.random() < 0.2
    )


def sources_of(rng, n, kind):
    """Return sources of a kind."""
    count = {"none": 0, "one": 1, "all": n}.get(kind, 3)
    if kind == "all":
        return list(range(n))
    chosen = [rng.randrange(n) for _ in range(count)]
    return [*chosen[:2], chosen[0]] if kind == "twice" else chosen
