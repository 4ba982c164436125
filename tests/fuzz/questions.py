"""Questions: the options of every call in covering arrays, and their turning into numbers for a given graph."""

import random
from functools import cache
from math import inf, nextafter

from steppe.planning.capabilities import DENSE, MANY_METHODS, METHODS

from .cases import Case
from .pairs import covering
from .shapes import LARGE, SHAPES, large, small
from .truth import NegativeCycle, Truth
from .weights import DTYPES, FAMILIES, draw

GRAPH = {
    "dtype": DTYPES,
    "family": FAMILIES,
    "shape": SHAPES,
    "directed": (True, False),
    "labels": ("none", "ints", "strings"),
    "where": ("edges", "csr", "file"),
    "prepared": ("fresh", "used", "prepared", "routes", "fresh routes", "all"),
    "eager": (False, False, False, True),
}
CUTOFFS = (
    None,
    "0",
    "at",
    "below",
    "above",
    "half",
    2**31 - 2,
    2**31 - 1,
    2**32,
    2**63 - 2,
    2**63 - 1,
    "float",
    inf,
    1e300,
)
TARGETS = (None, "one", "several", "unreachable", "source")
LOOKS = ("predecessors", "path", "paths_to", "numbers", "pickle", "damage", "damaged tree")
CALLS = {
    "sssp": {
        "method": ("auto", *METHODS),
        "device": ("cpu", "opencl"),
        "threads": (None, 1, 2, 3),
        "cutoff": CUTOFFS,
        "targets": TARGETS,
        "record_paths": (False, True),
        "memory_limit": (None, "small", "large"),
        "delta": (None, None, 1, 1e-3, 1e9),
        "look": LOOKS,
    },
    "bfs": {
        "device": ("cpu", "opencl"),
        "threads": (None, 1, 2, 3),
        "cutoff": CUTOFFS,
        "targets": TARGETS,
        "record_paths": (False, True),
        "memory_limit": (None, "small", "large"),
        "look": LOOKS,
    },
    "distances": {
        "sources": ("one", "several", "twice", "none"),
        "method": ("auto", *MANY_METHODS),
        "memory_limit": (None, None, "large"),
        "device": ("cpu", "opencl"),
        "threads": (None, 1, 2, 3),
        "cutoff": CUTOFFS,
        "targets": (*TARGETS, "twice"),
        "sparse": (False, True),
        "dtype": (None, "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64"),
        "out": (False, False, True),
    },
    "all_pairs": {
        "method": ("auto", *MANY_METHODS),
        "memory_limit": (None, None, "large"),
        "device": ("cpu", "opencl"),
        "threads": (None, 1, 2, 3),
        "cutoff": CUTOFFS,
        "sparse": (False, True),
        "dtype": (None, "uint16", "int32", "float32", "float64"),
    },
    "nearest": {
        "sources": ("one", "several", "twice"),
        "method": ("auto", *METHODS),
        "device": ("cpu", "opencl"),
        "threads": (None, 1, 2, 3),
        "cutoff": CUTOFFS,
        "memory_limit": (None, "small", "large"),
        "delta": (None, None, 1, 1e9),
        "look": LOOKS,
    },
    "route": {"target": ("any", "reached", "source", "unreachable"), "again": (1, 2, 3)},
    "roundtrip": {
        "suffix": (".steppe", ".npz", ".csv", ".txt", ".mtx", ".gr", ".graph", ".csv.gz"),
        "ask": (False, True),
    },
}
# Levels given twice are to come twice as often; for counting pairs each counts once.
FACTORS = {
    name: {k: tuple(dict.fromkeys(v)) for k, v in factors.items()}
    for name, factors in {**CALLS, "graph": GRAPH}.items()
}
GRAPH_FACTORS = FACTORS.pop("graph")
SHARE = {"sssp": 4, "bfs": 2, "distances": 2, "all_pairs": 1, "nearest": 1, "route": 10, "roundtrip": 1}
"""How often each row comes in a round: some calls have few options and many ways to go wrong."""


@cache
def rows(seed=0):
    """Return (rows of graphs, rows of questions for the CPU, rows for a device); numbers stand for them in ``Coverage``."""
    graphs = covering(GRAPH, seed)
    asked = [{"call": call, **row} for call, factors in CALLS.items() for row in covering(factors, seed)]
    here = [q for q in asked if q.get("device", "cpu") == "cpu" for _ in range(SHARE[q["call"]])]
    there = [q for q in asked if q.get("device") == "opencl"]
    order = random.Random(seed)  # noqa: S311
    for each in (graphs, here, there):
        order.shuffle(each)
    return graphs, here, there


def make(seed, index, *, device=False, only=None):
    """Make case number `index` of a seed: (case, its truth, number of its graph's row or -1, numbers of its questions' rows).

    `only` names calls: no others are asked.
    """
    rng = random.Random(f"{seed}/{index}")  # noqa: S311
    graphs, here, there = rows()
    on_device = device and index % 200 == 7
    huge = index % 50 == 23
    at = index % len(graphs)
    row = graphs[at]
    if index % 8 == 3:  # roads: their routes go by landmarks, a search of its own
        at = -1
        row = {
            **row,
            "shape": "grid",
            "prepared": rng.choice(("routes", "fresh routes")),
            "directed": rng.random() < 0.3,
        }
        row |= {"dtype": rng.choice(DTYPES[3:]), "family": rng.choice(("any", "2^31", *FAMILIES[:9]))}
    if huge:
        at = -1
        row = {**row, "shape": rng.choice(LARGE)}
    shape = row["shape"]
    n, ends = (large if huge else small)(rng, shape)
    weights = draw(rng, row["family"], row["dtype"], len(ends))
    edges = [(u, v, w) for (u, v), w in zip(ends, weights, strict=True)]
    if huge and any(w is not None and w < 0 for w in weights):
        edges = [(u, v, max(w, type(w)(0))) for u, v, w in edges]  # Bellman-Ford in Python would take minutes
    keys = ("dtype", "directed", "labels", "where", "prepared", "eager")
    case = Case(n, edges, **{key: row[key] for key in keys})
    truth = Truth(case)
    pool = there if on_device else here
    count = 8 if on_device else 20 if huge else 50
    first = rng.randrange(len(pool))
    numbers = [(first + i) % len(pool) for i in range(count)]
    sources = [rng.randrange(n) for _ in range(2 if huge else 4)]
    case.questions = [concrete(rng, truth, pool[i], rng.choice(sources), huge) for i in numbers]
    if only is not None:
        case.questions = [q for q in case.questions if q["call"] in only]
    return case, truth, at, [i - len(there) if on_device else i for i in numbers]


def concrete(rng, truth, row, source, huge):
    """Put numbers into a row's options."""
    call, n = row["call"], truth.n
    question = {"call": call}
    hops = call == "bfs"
    if call == "roundtrip":
        return {**question, "suffix": row["suffix"], "source": source if row["ask"] else None}
    sources = {"several": 3, "twice": 2, "none": 0}.get(row.get("sources"), 1)
    chosen = [source] + [rng.randrange(n) for _ in range(sources - 1)]
    if row.get("sources") == "twice":
        chosen = [source, source, *chosen[2:]]
    if row.get("sources") == "none":
        chosen = []
    if huge and call == "all_pairs":  # a matrix of a million rows is another test
        call, chosen = "distances", [source]
        question["call"] = call
    base = truth.distances([source], hops)
    if call in ("distances", "nearest"):
        question["sources"] = chosen
    elif call != "all_pairs":
        question["source"] = source
    if call == "route":
        question["target"] = targets_of(rng, base, source, row["target"], n)[0]
        question["again"] = row["again"]
        return question
    if row.get("targets") is not None:
        question["targets"] = targets_of(rng, base, source, row["targets"], n)
    if row["cutoff"] is not None:
        question["cutoff"] = cutoff_of(rng, base, row["cutoff"], truth.case, hops)
    if row.get("memory_limit"):
        question["memory_limit"] = {"small": 1000, "large": 10**8}[row["memory_limit"]]
    for name in ("method", "threads", "record_paths", "delta", "sparse", "dtype", "out", "look"):
        if row.get(name) not in (None, False, "auto"):
            question[name] = row[name]
    if question.get("method") == "bfs" and not any(True for _ in truth.case.arcs()):
        del question["method"]  # without edges nobody can say how long they are
    if question.get("method") == "floyd-warshall" and not truth.case.is_integer:
        question["method"] = "essential-edges"  # the same with every method's rounding
    if question.get("method") in DENSE and n > 600:
        question["method"] = "delta-stepping"  # all pairs of thousands of vertices take minutes
    if row.get("device") == "opencl":
        question["device"] = "opencl"
    if "look" in question:
        question["vertex"] = rng.randrange(n)
    return question


def targets_of(rng, base, source, kind, n):
    """Return vertices of a kind."""
    reached = [] if base is NegativeCycle else [v for v, d in enumerate(base) if d is not None]
    lost = [] if base is NegativeCycle else [v for v, d in enumerate(base) if d is None]
    if kind == "source":
        return [source]
    if kind == "unreachable":
        return [rng.choice(lost or range(n)), rng.randrange(n)][: rng.choice((1, 2))]
    if kind == "several":
        return [rng.choice(reached or range(n)) for _ in range(3)]
    if kind == "twice":
        return [rng.choice(reached or range(n))] * 2 + [rng.randrange(n)]
    return [rng.choice(reached or range(n))] if kind in ("one", "reached") else [rng.randrange(n)]


def cutoff_of(rng, base, kind, case, hops):
    """Return a cutoff of a kind; some lie at, next to or between distances that occur."""
    if not isinstance(kind, str):
        return kind
    known = [] if base is NegativeCycle else [d for d in base if d is not None and d >= 0]
    d = rng.choice(known) if known else 1
    whole = hops or case.is_integer
    if kind == "0":
        return 0 if rng.random() < 0.5 else 0.0
    if kind == "at":
        return d
    if kind == "below":
        return max(0, d - 1) if whole else max(0.0, nextafter(d, -inf))
    if kind == "above":
        return d + 1 if whole else nextafter(d, inf)
    if kind == "half":
        return d / 2 if d < 2**53 else d // 2
    return float(d) + rng.choice((0.5, 0.0, -0.5, 1e-9)) if d >= 1 else 0.5
