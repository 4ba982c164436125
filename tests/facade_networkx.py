"""Random calls of the NetworkX backend beside NetworkX: every function, graphs of every kind, weights of every type.

``networkx_disagreement(rng)`` makes one random graph and one random call, asks both, and returns None, or a text that says what was asked and what
each answered; a call that the backend declines agrees. Floats are multiples of 1/4, so that sums are exact in any order. Where several
shortest paths exist, another one of the same length agrees.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np

import steppe.networkx  # noqa: F401 - the backend, loaded before the first call
from _steppe_networkx import FUNCTIONS

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)

FLAVOURS = {
    "integers": (1, 2, 3, 4, 5),
    "zeros": (0, 0, 1, 2),
    "floats": (0.25, 0.5, 1.75, 3.0),
    "mixed": (1, 2, 0.5, 2.25, True),
    "booleans": (True, False),
    "numpy": (np.int64(2), np.float64(0.5), np.int64(1)),
    "negative": (-1, 1, 2, 3, 4),
    "long": (2**53 + 1, 2**53, 1, 3),
    "overflow": (2**62, 2**62 + 1, 2**61, 1),
    "long among floats": (2**52, 2**52 + 1, 0.5, 2.0**53),
    "beyond": (2**70, 1),
    "huge floats": (1e308, 1.5e308, 1.0),
    "infinite": (math.inf, 1.0, 2),
    "nan": (math.nan, 1.0),
    "hidden": (None, 1, 2),
    "fractions": (Fraction(1, 3), 1, 2),
    "decimals": (Decimal("0.1"), 1, 2),
    "words": ("a", "b"),
}
PLAIN = ("integers", "zeros", "floats", "mixed", "negative")
CUTOFFS = (None, None, 0, 1, 2, 3, 2.5, 0.5, -1, math.inf, -math.inf, math.nan, 10**30, 2**53 + 1, Fraction(3, 2))


answered = Counter()
"""Of calls with weights (plain or not), how many the backend answered (or not)."""


class Asked:
    """A graph, the flavour of its weights, and what a call takes of it."""

    def __init__(self, rng):
        self.rng = rng
        self.flavour = str(rng.choice(PLAIN if rng.random() < 0.6 else list(FLAVOURS)))
        values = FLAVOURS[self.flavour]
        kind = KINDS[int(rng.integers(4))]
        n = int(rng.choice([0, 1, 2, 3, 4, 6, 8]))
        names = [("v", i) if i % 3 == 0 else f"v{i}" if i % 3 == 1 else i for i in range(n)]
        if rng.random() < 0.4:
            names = list(range(n))
        self.graph = kind()
        self.graph.add_nodes_from(names[i] for i in rng.permutation(n))
        count = int(rng.integers(0, 3 * n + 1)) if n else 0
        edges = [tuple(names[i] for i in rng.integers(0, n, 2)) for _ in range(count)]
        if n and rng.random() < 0.4:
            edges += list(zip(names, names[1:] + names[:1], strict=True))
        for i in rng.permutation(len(edges)):
            data = {"weight": values[int(rng.integers(len(values)))]} if rng.random() < 0.85 else {}
            self.graph.add_edge(*edges[i], **data)
        self.function = None
        self.weight = self._weight()

    def _weight(self):
        chance = self.rng.random()
        if chance < 0.55:
            return "weight"
        if chance < 0.65:
            return None
        if chance < 0.7:
            return "nobody has it"
        multi = self.graph.is_multigraph()
        place = {node: i for i, node in enumerate(self.graph)}
        place[-1] = -1
        self.function = str(self.rng.choice(["plain", "by direction", "hiding", "infinite"]))

        def plain(u, v, data):
            if multi:
                return min((d.get("weight", 1) for d in data.values()), default=1)
            return data.get("weight", 1)

        changed = {
            "plain": plain,
            "by direction": lambda u, v, d: plain(u, v, d) if place[u] < place[v] else 7,
            "hiding": lambda u, v, d: None if (place[u] + place[v]) % 5 == 3 else plain(u, v, d),
            "infinite": lambda u, v, d: math.inf if (place[u] + place[v]) % 5 == 3 else plain(u, v, d),
        }
        return changed[self.function]

    def node(self):
        """Return a node, now and then one that is not there."""
        nodes = list(self.graph)
        if not nodes or self.rng.random() < 0.05:
            return "nowhere"
        return nodes[int(self.rng.integers(len(nodes)))]

    def some(self):
        """Return several nodes, or none."""
        return [self.node() for _ in range(int(self.rng.integers(0, 4)))]

    def cutoff(self):
        return CUTOFFS[int(self.rng.integers(len(CUTOFFS)))]

    def one_of(self, *values):
        return values[int(self.rng.integers(len(values)))]


def arguments(name, asked):
    """Return the arguments of a call behind the graph."""
    taken = {}
    for parameter in getattr(nx, name).orig_func.__code__.co_varnames[
        : getattr(nx, name).orig_func.__code__.co_argcount
    ][1:]:
        if parameter in ("source", "target"):
            optional = name in ("shortest_path", "shortest_path_length", "predecessor") or "_source" in name
            if parameter == "target" and optional and asked.rng.random() < 0.5:
                continue
            if name in ("shortest_path", "shortest_path_length") and asked.rng.random() < 0.4:
                continue
            if name == "bellman_ford_predecessor_and_distance" and parameter == "target":
                continue
            taken[parameter] = asked.node()
        elif parameter in ("sources", "center_nodes"):
            given = asked.some()
            taken[parameter] = set(given) if parameter == "center_nodes" or asked.rng.random() < 0.5 else given
        elif parameter in ("weight", "distance") and name != "descendants_at_distance":
            taken[parameter] = asked.weight
        elif parameter == "distance":
            taken[parameter] = asked.one_of(0, 1, 2, 2.0, -1, math.nan)
        elif parameter in ("cutoff", "depth_limit"):
            taken[parameter] = asked.cutoff()
        elif parameter == "method":
            methods = ["dijkstra", "bellman-ford", "unweighted", "floyd-warshall", "floyd-warshall-numpy", "x"]
            if asked.rng.random() < 0.6:
                taken[parameter] = str(
                    asked.rng.choice(methods if name[:3] == "ave" else methods[:2] * 3 + methods[2:3])
                )
        elif parameter in ("reverse", "return_seen", "usebounds", "wf_improved"):
            taken[parameter] = bool(asked.rng.integers(2))
        elif parameter in ("nbunch", "nodelist"):
            taken[parameter] = asked.one_of(None, asked.some(), list(reversed(list(asked.graph))))
        elif parameter in ("u", "v"):
            taken[parameter] = asked.one_of(None, None, asked.node())
    if name == "harmonic_centrality":
        taken["sources"] = asked.one_of(None, asked.some())
    if taken.get("weight") is not None:
        taken.pop("usebounds", None)  # with weights NetworkX's bounds may never meet
    if name.startswith("astar"):
        taken["cutoff"] = asked.cutoff()
    return taken


def settled(value):
    """Return a result as plain containers."""
    if isinstance(value, nx.Graph):
        return ["graph", list(value.nodes), list(value.edges)]
    if isinstance(value, Mapping):
        return {k: settled(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(settled(v) for v in value)
    if isinstance(value, Iterator | list):
        return [settled(v) for v in value]
    return value


class Declined:
    """The backend left a call to NetworkX."""


def outcome(name, graph, options, **backend):
    """Return what a call returned, settled, or its error."""
    try:
        with np.errstate(all="ignore"):
            return settled(getattr(nx, name)(graph, **options, **backend))
    except TimeoutError:
        raise
    except NotImplementedError as error:
        return Declined if "backend" in backend and error.__cause__ is not None else ("error", type(error), str(error))
    except Exception as error:
        return ("error", type(error), str(error))


IN_ORDER = (
    *("single_source_shortest_path", "single_source_shortest_path_length", "all_pairs_shortest_path", "predecessor"),
    *("single_target_shortest_path", "single_target_shortest_path_length", "all_pairs_shortest_path_length"),
    *(name for name in FUNCTIONS if name.startswith(("bfs_", "generic_bfs"))),
)
"""What has no choice: the same, and in the same order."""


def networkx_disagreement(rng, names=FUNCTIONS):
    """Return None where both answer alike or the backend declines, or what was asked and answered."""
    asked = Asked(rng)
    name = str(rng.choice(names))
    options = arguments(name, asked)
    if name == "find_negative_cycle" or (name == "negative_edge_cycle" and asked.function):
        return None  # which of several, and a function that is asked for edges that NetworkX adds
    if asked.flavour in ("negative", "nan") and name.startswith("astar"):
        return None  # NetworkX's may never return
    want = outcome(name, asked.graph, options)
    got = outcome(name, asked.graph, options, backend="steppe")
    answered[asked.flavour in PLAIN, got is not Declined] += 1
    if got is Declined or _agree(asked, name, options, got, want):
        return None
    edges = list(asked.graph.edges(data=True))
    kind = type(asked.graph).__name__
    shown = {k: asked.function if callable(v) else v for k, v in options.items()}
    return f"{name}({shown}) of {kind} with {asked.flavour}\n nodes {list(asked.graph)}\n edges {edges}\n steppe {got!r}\n NetworkX {want!r}"


def _is_error(value):
    return isinstance(value, tuple) and len(value) == 3 and value[0] == "error"


def _agree(asked, name, options, got, want):
    if _is_error(want) or _is_error(got):
        return got == want
    if isinstance(want, np.ndarray):
        return isinstance(got, np.ndarray) and got.dtype == want.dtype and np.array_equal(got, want)
    if name in ("voronoi_cells", "all_shortest_paths", "single_source_all_shortest_paths"):
        return _agree_as_sets(asked, name, options, got, want)
    if repr(got) == repr(want):
        return True
    if name in IN_ORDER:
        return False
    return _same(got, want) or _same_lengths(asked, options, got, want)


def _agree_as_sets(asked, name, options, got, want):
    if name == "voronoi_cells":  # a node as far from two centers is in the cell of either
        return got.get("unreachable") == want.get("unreachable") and set().union(*got.values()) == set(asked.graph)
    return Counter(map(_text, got)) == Counter(map(_text, want))


def _text(value):
    """Return a text of one of several paths, or of a node and several paths to it in any order."""
    if isinstance(value, tuple) and isinstance(value[1], list):
        return repr((value[0], sorted(map(repr, value[1]))))
    return repr(value)


def _same(got, want):
    """Return whether two results are equal, and numbers of the same kind; where floats are among the weights, floats for integers will do."""
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(_same(got[k], want[k]) for k in want)
    if isinstance(want, list | tuple):
        return type(got) is type(want) and len(got) == len(want) and all(map(_same, got, want))
    if isinstance(want, int) and not isinstance(want, bool):
        return got == want and type(got) in (int, float)
    return bool(got == want) and not isinstance(got, np.generic)


def _same_lengths(asked, options, got, want):
    """Return whether paths, or predecessors, differ by ties alone."""
    if _is_walk(asked, [want]) and _is_walk(asked, [got]):
        return True  # a predecessor; the distances beside it are compared
    if isinstance(want, tuple) and len(want) == 2:
        return all(_same(a, b) or _same_lengths(asked, options, a, b) for a, b in zip(got, want, strict=True))
    if isinstance(want, dict):
        return got.keys() == want.keys() and all(
            _same(got[k], want[k]) or _same_lengths(asked, options, got[k], want[k]) for k in want
        )
    if isinstance(want, list) and want and isinstance(want[0], list | tuple) and not _is_walk(asked, want):
        return len(got) == len(want) and all(
            _same(a, b) or _same_lengths(asked, options, a, b)
            for a, b in zip(_by_text(got), _by_text(want), strict=True)
        )
    if not isinstance(want, list):
        return False
    if _is_walk(asked, want) and _is_walk(asked, got) and len(want) > 1:
        ends = got[0] == want[0] and got[-1] == want[-1]
        several = got[0] in options.get("sources", ()) and got[-1] == want[-1]
        if (ends or several) and _length(asked, options, got) == _length(asked, options, want):
            return True
    return Counter(map(repr, got)) == Counter(map(repr, want))  # predecessors of one node, in another order


def _by_text(values):
    return sorted(values, key=repr) if all(isinstance(v, list) for v in values) else values


def _is_walk(asked, nodes):
    try:
        return all(node in asked.graph for node in nodes) and all(
            asked.graph.has_edge(u, v) for u, v in itertools.pairwise(nodes)
        )
    except TypeError:
        return False


def _length(asked, options, path):
    weight = options.get("weight")
    graph = asked.graph

    def edge(u, v):
        data = graph[u][v]
        if callable(weight):
            return weight(u, v, data)
        if graph.is_multigraph():
            return min(d.get(weight, 1) for d in data.values())
        return data.get(weight, 1)

    return sum(edge(u, v) for u, v in itertools.pairwise(path))
