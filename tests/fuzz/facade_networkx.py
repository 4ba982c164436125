"""The NetworkX backend against NetworkX: every function it has, on graphs of every kind, with weights and cutoffs of every form.

What may differ is written in ``docs/networkx.md``: which of several shortest paths with weights is told (so a path is measured), floats where some
weights are floats, the last bits of sums over all nodes. Dictionaries of distances come nearest first, as NetworkX's; of equally near nodes the
order may differ. What the backend declines is counted.
"""

import inspect
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import inf, nan

import networkx as nx
import numpy as np

from _steppe_networkx import FUNCTIONS

from .cases import Case, number
from .facade_networkx_compare import compare
from .facades import both, outcome
from .pairs import covering
from .shapes import SHAPES, ends_of

FAMILIES = ("whole", "whole", "quarters", "mixed", "negative", "odd", "big", "rounded", "zeros")
CUTOFFS = (None, None, 0, 1, 2, 3, 2.5, 0.0, -1, inf, -inf, nan, 10**30, "half", "true")
WEIGHTS = (None, "weight", "weight", "weight", "missing", "function", "directed", "hiding", "infinite", "fraction")
OPTIONS = {
    "weight": WEIGHTS,
    "distance": WEIGHTS,
    "cutoff": CUTOFFS,
    "depth_limit": CUTOFFS,
    "method": ("dijkstra", "bellman-ford", "unweighted", "floyd-warshall", "nonsense"),
    "target": ("node", "node", "none", "lost"),
    "source": ("node", "node", "node", "lost"),
    "sources": ("several", "one", "twice", "none", "lost", "all"),
    "center_nodes": ("several", "one", "none", "lost"),
    "reverse": (False, True),
    "return_seen": (None, True),
    "wf_improved": (True, False),
    "usebounds": (False, True),
    "u": (None, "node", "lost"),
    "v": (None, "node", "several", "lost"),
    "nbunch": (None, "node", "several", "lost"),
    "nodelist": (None, "all", "several"),
    "heuristic": (None, None, "function"),
    "neighbors": (None, None, "function"),
    "sort_neighbors": (None, None, "function"),
}
ASKED = 20


@cache
def rows():
    """All rows of options, function by function."""
    found = []
    for function in FUNCTIONS:
        names = inspect.signature(getattr(nx, function).orig_func).parameters
        factors = {k: OPTIONS[k] for k in names if k in OPTIONS}
        if function == "descendants_at_distance":
            factors["distance"] = (0, 1, 2, -1, 1.0, 99)
        if function in ("bellman_ford_predecessor_and_distance", "negative_edge_cycle"):
            factors["heuristic"] = (False, True)
        found += [{"function": function, **row} for row in (covering(factors) if factors else [{}])]
    return found


def make(rng, index):
    n = rng.choice((1, 2, 3, 4, 5, 6, 7))
    ends = ends_of(rng, rng.choice(SHAPES), n, rng.choice((1, 2, 3)) * n)
    rng.shuffle(ends)
    ends = ends[:14]
    ends += [rng.choice(ends) for _ in range(rng.choice((0, 0, 2))) if ends]
    family = rng.choice(FAMILIES)
    edges = [(u, v, weight(rng, family)) for u, v in ends]
    where = rng.choice(("edges", "edges", "multi"))
    case = Case(n, edges, "python", rng.random() < 0.5, rng.choice(("none", "ints", "strings")), where)
    pool = rows()
    case.questions = [concrete(rng, case, pool[(index * ASKED + i) * 11 % len(pool)]) for i in range(ASKED)]
    return case


def weight(rng, family):
    """Return a weight as a Python number; None in place of one: the edge has no such attribute."""
    return rng.choice(
        {
            "whole": (1, 2, 3, 5, 8),
            "quarters": (0.25, 0.5, 1.0, 2.75),
            "mixed": (1, 2.0, 3, None, 0.5),
            "negative": (-1, 1, 2, 3, 5, 8, 9),
            "odd": (1, 2, inf, nan, 3, -0.0, 0, True),
            "big": (1, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**70, 1e308, 1),
            "rounded": (0.1, 0.2, 0.3, 0.7, 1e-20, 1e16, 1 / 3),
            "zeros": (0, 0, 1, 2),
        }[family]
    )


def concrete(rng, case, row):
    """Put nodes into a row's options."""
    question = {"call": "networkx", "function": row["function"]}
    for name, value in row.items():
        kind = value
        if name == "function" or value is None:
            continue
        if name in ("source", "target", "sources", "center_nodes", "u", "v", "nbunch", "nodelist"):
            kind = nodes_of(rng, case.n, value)
            if kind is None:
                continue
        question[name] = kind
    if question["function"] == "descendants_at_distance":
        question.setdefault("source", 0)
    return question


def nodes_of(rng, n, kind):
    """Return one vertex, or several in a list; -1 is a node that is not in the graph."""
    pick = lambda: rng.randrange(n)  # noqa: E731
    many = [pick() for _ in range(min(n, 3))]
    if kind in ("node", "lost", "none"):
        return {"node": pick(), "lost": -1, "none": None}[kind]
    return {"one": many[:1], "several": list(dict.fromkeys(many)), "twice": many[:1] * 2, "all": list(range(n))}[kind]


def build(case, folder):
    """Return NetworkX's graph."""
    kinds = {(True, True): nx.MultiDiGraph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
    made = kinds.get((case.directed, case.where == "multi"), nx.Graph)()
    made.add_nodes_from(case.named(range(case.n)))
    for u, v, w in case.edges:
        made.add_edge(case.label(u), case.label(v), **({} if w is None else {"weight": w}))
    return made


def of_edge(d):
    """The weight of an edge's attributes, or the least of parallel edges'."""
    if "weight" in d or not d or not all(isinstance(x, dict) for x in d.values()):
        return d.get("weight", 1)
    return min(x.get("weight", 1) for x in d.values())


FUNCTION_WEIGHTS = {
    "function": lambda u, v, d: of_edge(d),
    "directed": lambda u, v, d: 1 if str(u) < str(v) else 10,
    "hiding": lambda u, v, d: None if str(u)[-1] == "1" else of_edge(d),
    "infinite": lambda u, v, d: inf if str(v)[-1] == "1" else 1,
    "fraction": lambda u, v, d: Fraction(1, 3),
}
WORDS = {
    "function": 'lambda u, v, d: d.get("weight", 1)',
    "directed": "lambda u, v, d: 1 if str(u) < str(v) else 10",
    "hiding": 'lambda u, v, d: None if str(u)[-1] == "1" else d.get("weight", 1)',
    "infinite": 'lambda u, v, d: inf if str(v)[-1] == "1" else 1',
    "fraction": "lambda u, v, d: Fraction(1, 3)",
}


def options(case, question):
    """Return a call's options, with the nodes' names."""
    given = {}
    for name, value in question.items():
        if name in ("call", "function"):
            continue
        if name in ("weight", "distance") and value in FUNCTION_WEIGHTS:
            given[name] = FUNCTION_WEIGHTS[value]
        elif name in ("weight", "distance"):
            given[name] = "nothing" if value == "missing" else value
        elif name in ("cutoff", "depth_limit"):
            given[name] = {"half": Fraction(3, 2), "true": True}.get(value, value)
        elif name in ("source", "target", "u", "v", "nbunch", "sources", "center_nodes", "nodelist"):
            given[name] = named(case, value)
        elif value == "function":
            given[name] = {"heuristic": lambda a, b: 0, "sort_neighbors": sorted, "neighbors": lambda node: iter(())}[
                name
            ]
        else:
            given[name] = value
    return given


def named(case, value):
    if isinstance(value, list):
        return [named(case, v) for v in value]
    return "lost" if value == -1 else case.label(value)


def one(case, truth, graph, question, folder):
    """Ask both; compare."""
    function, given = question["function"], options(case, question)
    if given.get("usebounds") and (
        callable(given.get("weight")) or any(w is None or not 0 <= w < inf for *_, w in case.edges)
    ):
        return  # NetworkX never returns where a distance differs from the one back, or is no number
    ours = outcome(lambda: whole(getattr(nx, function)(graph, **given, backend="steppe")), declines=NotImplementedError)
    theirs = outcome(lambda: whole(getattr(nx, function)(graph, **given, backend="networkx")))
    if isinstance(theirs.error, (TypeError, KeyError, AttributeError, OverflowError)):
        return  # NetworkX stumbles over it, and has no word for it
    both(theirs, ours, lambda a, b: compare(case, graph, question, given, a, b))


def whole(value):
    """All of a value: what iterators yield, what mappings make when asked."""
    if isinstance(value, nx.Graph):
        return list(value.edges), list(value)
    if isinstance(value, Mapping):
        return {k: whole(v) for k, v in value.items()}
    if isinstance(value, Iterator):
        return [whole(v) for v in value]
    if isinstance(value, tuple):
        return tuple(whole(v) for v in value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def lines(case):
    """A case as a program."""
    kind = ("Multi" if case.where == "multi" else "") + ("DiGraph" if case.directed else "Graph")
    text = ["from fractions import Fraction", "from math import inf, nan", "import networkx as nx", ""]
    text += [f"G = nx.{kind}()", f"G.add_nodes_from({case.named(range(case.n))})"]
    for u, v, w in case.edges:
        text.append(f"G.add_edge({case.label(u)!r}, {case.label(v)!r}{'' if w is None else f', weight={number(w)}'})")
    for question in case.questions:
        given = options(case, question)
        words = []
        for name, value in given.items():
            kind = question[name]
            if name in ("weight", "distance") and kind in WORDS:
                words.append(f"{name}={WORDS[kind]}")
            elif callable(value):
                words.append(f"{name}={'sorted' if name == 'sort_neighbors' else 'lambda *nodes: 0'}")
            else:
                words.append(f"{name}={number(value)}")
        text.append('for backend in ("networkx", "steppe"):')
        call = f"nx.{question['function']}({', '.join(['G', *words, 'backend=backend'])})"
        text.append(f"    try: r = {call}; print(backend, list(r) if hasattr(r, '__next__') else r)")
        text.append("    except Exception as error: print(backend, repr(error))")
    return text
