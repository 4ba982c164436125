"""A small town, written as OpenStreetMap would have it, and its answers counted by hand.

Nodes lie on a lattice of a thousandth of a degree at the equator, where a step is the same in both directions: STEP metres.

    1 ── 2 ── 3 ── 4
    │    │    │    │
    5 ── 6 ── 7 ── 8
"""

import math

import osmium
from osmium.osm.mutable import Node, Relation, Way

STEP = 6_371_008.8 * math.radians(0.001)


def place(number):
    column, row = (number - 1) % 4, (number - 1) // 4
    return (column * 0.001, -row * 0.001)


def write(path, ways, *, tags=None, relations=(), leave_out=(), nodes=8):
    """Write a file of the town's nodes and these ways: (id, nodes, tags)."""
    path.unlink(missing_ok=True)
    with osmium.SimpleWriter(str(path)) as writer:
        for number in range(1, nodes + 1):
            if number not in leave_out:
                writer.add_node(Node(id=number, location=place(number), tags=(tags or {}).get(number, {}), version=1))
        for number, refs, words in ways:
            writer.add_way(Way(id=number, nodes=refs, tags=words, version=1))
        for number, words in relations:
            members = [("w", ways[0][0], "from"), ("n", 2, "via"), ("w", ways[0][0], "to")]
            writer.add_relation(Relation(id=number, members=members, tags=words, version=1))
    return path


def arcs(graph):
    """Return the graph's edges as pairs of OSM ids."""
    sources, targets, _ = graph.edges()
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


def both(*pairs):
    return {*pairs, *((b, a) for a, b in pairs)}
