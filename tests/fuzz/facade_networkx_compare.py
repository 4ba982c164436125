"""Compares what NetworkX and the backend come to, by what ``docs/networkx.md`` promises of a function."""

import inspect
from itertools import pairwise

import networkx as nx

from .facades import close
from .look import Wrong

EXACT = 1e15
"""Whole numbers below this add up exactly, in whatever order."""
SUMS = (
    "closeness_centrality",
    "harmonic_centrality",
    "average_shortest_path_length",
    "wiener_index",
    "bidirectional_dijkstra",
)
ANY_ORDER = ("floyd_warshall", "floyd_warshall_numpy", "johnson", "floyd_warshall_predecessor_and_distance")
PATHS = (
    "johnson",
    "all_pairs_dijkstra",
    "single_source_dijkstra",
    "multi_source_dijkstra",
    "single_source_bellman_ford",
    "bidirectional_dijkstra",
)
NEAREST_FIRST = (
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "single_source_dijkstra_path_length",
    "multi_source_dijkstra_path_length",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path_length",
)


def compare(case, graph, question, given, right, found):
    """Compare by what the function promises."""
    function = question["function"]
    weighted = given.get("weight", default(function, "weight")) is not None or given.get("distance") not in (None, 0)
    if function in ("dijkstra_predecessor_and_distance", "bellman_ford_predecessor_and_distance"):
        same(case, question, given, right[1], found[1])
        right, found = ({k: sorted(map(str, v)) for k, v in x[0].items()} for x in (right, found))
        return same(case, question, given, dict(sorted(right.items(), key=str)), dict(sorted(found.items(), key=str)))
    if weighted and function in ("goldberg_radzik", "floyd_warshall_predecessor_and_distance"):
        return same(case, question, given, right[1], found[1])  # of several before a node any one
    if function == "find_negative_cycle":
        return cycle(graph, given, found)
    if function == "voronoi_cells":
        return cells(graph, given, right, found)
    if "all_shortest_paths" in function:
        return same(case, question, given, sorted_paths(right), sorted_paths(found))
    if holds_paths(function) and (weighted or {"source", "target"} <= given.keys()):  # of equally long paths any
        return paths(case, graph, question, given, right, found)
    if function == "bfs_tree" and question.get("reverse"):  # predecessors come in the order of the nodes
        right, found = ([sorted(map(str, part)) for part in x] for x in (right, found))
    if function == "bfs_edges" and question.get("reverse"):
        right, found = (sorted(map(str, x)) for x in (right, found))
    return same(case, question, given, right, found)


def default(function, name):
    names = inspect.signature(getattr(nx, function).orig_func).parameters
    return names[name].default if name in names else None


def holds_paths(function):
    return function in PATHS or ("path" in function and "length" not in function)


def sorted_paths(value):
    """Lists of all shortest paths, in one order."""
    if isinstance(value, dict):
        return {k: sorted_paths(value[k]) for k in sorted(value, key=str)}
    if isinstance(value, tuple):
        return tuple(sorted_paths(v) for v in value)
    if isinstance(value, list) and value and isinstance(value[0], (tuple, list)):
        return sorted((sorted_paths(v) for v in value), key=str)
    return value


def is_exact(case, function):
    """Whether distances are the same to the last bit: sums are exact, or added from the source on as NetworkX does."""
    sums = [w for _, _, w in case.edges if w is not None]
    if all(w == w and abs(w) < EXACT and (4 * w) % 1 == 0 for w in sums):  # noqa: PLR0124 - NaN
        return function not in SUMS
    mixed = len({type(w) for w in sums}) > 1  # then large integers become floats
    return function not in (*SUMS, *ANY_ORDER) and not mixed


def same(case, question, given, right, found):
    """Compare two values deeply: numbers by value and, where no weight is a float, by type; dictionaries by key, and nearest first."""
    exact = is_exact(case, question["function"])
    named = question.get("weight", question.get("distance"))
    floats = any(isinstance(w, float) for _, _, w in case.edges) or question["function"] in SUMS
    floats = (
        floats
        or callable(given.get("weight", given.get("distance")))
        or (question["function"] in ANY_ORDER and named == "missing")
    )

    def deep(a, b):
        if isinstance(a, dict):
            if not isinstance(b, dict) or set(a) != set(b):
                raise Wrong("other keys")
            if all(isinstance(d, (int, float)) for d in b.values()) and question["function"] in NEAREST_FIRST:
                far = list(b.values())
                if far != sorted(far):
                    raise Wrong("the furthest does not come last")
            for key in a:
                deep(a[key], b[key])
        elif isinstance(a, (list, tuple)):
            if type(a) is not type(b) or len(a) != len(b):
                raise Wrong("a list of another length or type")
            for x, y in zip(a, b, strict=True):
                deep(x, y)
        elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
            if type(a) is not type(b) and not floats and not isinstance(a, bool):
                raise Wrong(f"{b!r} for {a!r}")
            if not close(a, b, exact=exact):
                raise Wrong(f"{b!r}, right is {a!r}")
        elif a != b:
            raise Wrong(f"{b!r}, right is {a!r}")

    deep(right, found)


def paths(case, graph, question, given, right, found):
    """Compare distances, and measure each path against NetworkX's: as long, along edges, between the same ends."""
    measure = measured(graph, given.get("weight", default(question["function"], "weight")))
    exact = is_exact(case, question["function"])

    def deep(a, b):
        if is_path(a):
            begins = is_path(b) and (a[0] == b[0] or (b[0] in given.get("sources", ()) and b[0] in graph))
            if not begins or a[-1] != b[-1]:  # of equally near sources any may be the first
                raise Wrong(f"path {b}, right is {a}")
            if a != b and not close(measure(a), measure(b), exact=False):
                raise Wrong(f"path {b} of length {measure(b)}, right is {a} of {measure(a)}")
        elif isinstance(a, dict):
            if set(a) != set(b):
                raise Wrong("other keys")
            for key in a:
                deep(a[key], b[key])
        elif isinstance(a, (list, tuple)):
            if len(a) != len(b):
                raise Wrong("another length")
            for x, y in zip(a, b, strict=True):
                deep(x, y)
        elif not (close(a, b, exact=exact) if isinstance(a, (int, float)) and isinstance(b, (int, float)) else a == b):
            raise Wrong(f"{b!r}, right is {a!r}")

    def is_path(x):
        return isinstance(x, list) and bool(x) and all(node in graph for node in x)

    deep(right, found)


def measured(graph, weight):
    """Return a function that measures a path."""
    from networkx.algorithms.shortest_paths.weighted import _weight_function

    of = _weight_function(graph, weight)

    def length(path):
        return sum(of(u, v, graph.adj[u][v]) for u, v in pairwise(path))

    return length


def cycle(graph, given, found):
    length = measured(graph, given.get("weight", "weight"))
    if found[0] != found[-1] or not length(found) < 0:
        raise Wrong(f"no negative cycle: {found}")


def cells(graph, given, right, found):
    """Of several equally near centers any may have a node."""
    weight = given.get("weight", "weight")
    if right.get("unreachable") != found.get("unreachable"):
        raise Wrong("other nodes are unreachable")
    far = nx.multi_source_dijkstra_path_length(graph, set(given["center_nodes"]), weight=weight, backend="networkx")
    seen = [node for center, nodes in found.items() if center != "unreachable" for node in nodes]
    if sorted(map(str, seen)) != sorted(map(str, far)):
        raise Wrong("nodes are missing, or in two cells")
    for center, nodes in found.items():
        if center == "unreachable":
            continue
        row = nx.single_source_dijkstra_path_length(graph, center, weight=weight, backend="networkx")
        for node in nodes:
            if not close(row[node], far[node], exact=False):
                raise Wrong(f"{node} is in the cell of {center}, which is further than another")
