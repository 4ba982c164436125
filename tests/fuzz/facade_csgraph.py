"""steppe.csgraph against scipy.sparse.csgraph: every function, on matrices with entries stored twice, zeros, infinities and NaN.

What may differ is written in ``docs/scipy.md``: which of several shortest paths predecessors tell, Dijkstra's method with negative weights, and the
last bits of ``floyd_warshall``. So predecessors are followed instead: they must lead back to the source by edges that add up to the distance.
"""

from functools import cache
from math import inf, nan

import numpy as np
import scipy.sparse as ss
import scipy.sparse.csgraph as theirs

import steppe.csgraph as ours

from .cases import Case, number
from .facades import both, outcome
from .look import Wrong
from .pairs import covering
from .shapes import SHAPES, ends_of

FORMS = ("edges", "csr_matrix", "csc", "coo", "lil", "dense", "masked", "list", "fortran")
DTYPES = ("float64", "float64", "float32", "int64", "int32", "int8", "uint8", "uint64", "bool")
FAMILIES = ("whole", "quarters", "negative", "odd", "big", "rounded", "zeros")
SOLVERS = {
    "directed": (True, False),
    "indices": (None, None, "one", "several", "matrix", "negative", "none", "beyond"),
    "return_predecessors": (False, True),
    "unweighted": (False, False, True),
}
FUNCTIONS = {
    "shortest_path": {**SOLVERS, "method": ("auto", "FW", "D", "BF", "J")},
    "dijkstra": {**SOLVERS, "limit": (inf, inf, 0, "at", 1.5, -1, nan), "min_only": (False, True)},
    "bellman_ford": SOLVERS,
    "johnson": SOLVERS,
    "floyd_warshall": {k: v for k, v in SOLVERS.items() if k != "indices"} | {"overwrite": (False, True)},
    "yen": {
        "directed": (True, False),
        "unweighted": (False, True),
        "return_predecessors": (False, True),
        "K": (1, 2, 5, 50),
    },
    "breadth_first_order": {"directed": (True, False), "return_predecessors": (False, True)},
    "depth_first_order": {"directed": (True, False), "return_predecessors": (False, True)},
    "breadth_first_tree": {"directed": (True, False)},
    "depth_first_tree": {"directed": (True, False)},
    "construct_dist_matrix": {"directed": (True, False), "null_value": (inf, inf, 0, nan, -1)},
    "reconstruct_path": {"directed": (True, False)},
}
OTHERS = {
    "coo": lambda a: a.tocsr(),
    "list": np.array,
    "masked": lambda a: a.astype(np.float64),
    "fortran": np.ascontiguousarray,
}
"""Forms that some of SciPy's functions do not take, or read in the wrong order (floyd_warshall), and those that they take instead."""
ASKED = 25


@cache
def rows():
    """All rows of options, solvers more often."""
    found = []
    for function, factors in FUNCTIONS.items():
        each = [{"function": function, **row} for row in covering(factors)]
        found += each * max(1, 24 // len(each))
    return found


def make(rng, index):
    n = rng.choice((1, 2, 3, 4, 5, 7, 10))
    ends = ends_of(rng, rng.choice(SHAPES), n, rng.choice((1, 2, 3)) * n)
    rng.shuffle(ends)
    ends = ends[:40]
    ends += [rng.choice(ends) for _ in range(rng.choice((0, 0, 2, 4))) if ends]  # stored twice
    dtype, family = rng.choice(DTYPES), rng.choice(FAMILIES)
    edges = [(u, v, weight(rng, dtype, family)) for u, v in ends]
    case = Case(n, edges, dtype, where=rng.choice(FORMS))
    pool = rows()
    case.questions = [concrete(rng, case, pool[(index * ASKED + i) * 7 % len(pool)]) for i in range(ASKED)]
    return case


def weight(rng, dtype, family):
    """Return a weight as a Python number."""
    if dtype == "bool":
        return rng.choice((0, 1, 1))
    whole = not dtype.startswith("float")
    limits = np.iinfo(dtype) if whole else None
    pool = {
        "whole": (1, 2, 3, 5, 8),
        "quarters": (0.25, 0.5, 1, 2.75),
        "negative": (-1, 1, 2, 3, 5, 8, 9, 10),
        "odd": (0, 1, 2, inf, nan, 3, -0.0, 1e-9, 1e-8),
        "big": (1, 2**31 - 1, 2**53, 2**53 + 1, 2**62, 2**63, 1e300, 1e308),
        "rounded": (0.1, 0.2, 0.3, 0.7, 1e-20, 1e16, 1 / 3),
        "zeros": (0, 0, 1, 2),
    }[family]
    w = rng.choice(pool)
    if not whole:
        with np.errstate(over="ignore"):
            return float(np.dtype(dtype).type(w))
    w = 0 if w in (inf, nan) or w != w else int(w)  # noqa: PLR0124 - NaN
    return max(int(limits.min), min(int(limits.max), w))


def concrete(rng, case, row):
    """Put numbers into a row's options."""
    question = {"call": "csgraph", "source": rng.randrange(case.n), "target": rng.randrange(case.n)}
    plain = {"indices": None, "limit": inf, "directed": True, "overwrite": False}
    for name, value in row.items():
        if name in plain and value == plain[name]:
            continue
        if name == "indices":
            value = indices_of(rng, case.n, value)  # noqa: PLW2901
        if name == "limit" and value == "at":
            value = rng.choice([w for _, _, w in case.edges if w >= 0] or [1])  # noqa: PLW2901
        question[name] = value
    return question


def indices_of(rng, n, kind):
    pick = lambda: rng.randrange(n)  # noqa: E731
    return {
        "one": pick(),
        "several": [pick() for _ in range(3)],
        "matrix": [[pick(), pick()], [pick(), pick()]],
        "negative": [-1, pick()],
        "none": [],
        "beyond": [0, n],
    }[kind]


def build(case, folder):
    return None  # each question has a matrix of its own: some calls write to it


def matrix(case):
    """Return the matrix; parallel edges of a CSR matrix stay entries stored twice."""
    kind = np.dtype(case.dtype)
    order = sorted(range(len(case.edges)), key=lambda i: case.edges[i][0])  # stable: within a row as listed
    u = np.array([case.edges[i][0] for i in order], dtype=np.int64)
    v = np.array([case.edges[i][1] for i in order], dtype=np.int32)
    w = np.array([case.edges[i][2] for i in order], dtype=kind)
    indptr = np.searchsorted(u, np.arange(case.n + 1)).astype(np.int32)
    if case.where == "coo":
        return ss.coo_array((w, (u.astype(np.int32), v)), shape=(case.n, case.n))
    if case.where in ("dense", "masked", "list", "fortran", "lil"):
        whole = np.zeros((case.n, case.n), dtype=kind)
        whole[u, v] = w
        if case.where == "masked":
            mask = np.ones(whole.shape, dtype=bool)
            mask[u, v] = False
            return np.ma.masked_array(whole, mask)
        made = {"dense": np.copy, "list": np.ndarray.tolist, "fortran": np.asfortranarray, "lil": ss.lil_array}
        return made[case.where](whole)
    if case.where == "csc":
        by = sorted(range(len(order)), key=lambda i: v[i])
        columns = np.searchsorted(v[by], np.arange(case.n + 1)).astype(np.int32)
        return ss.csc_array((w[by], u[by].astype(np.int32), columns), shape=(case.n, case.n))
    return (ss.csr_matrix if case.where == "csr_matrix" else ss.csr_array)((w, v, indptr), shape=(case.n, case.n))


def arguments(case, question):
    """Return the positional arguments and the options of a call."""
    function = question["function"]
    given = {k: v for k, v in question.items() if k not in ("call", "function", "source", "target", "K")}
    if "indices" in given:
        given["indices"] = np.array(given["indices"], dtype=np.int32) if given["indices"] == [] else given["indices"]
    if function == "yen":
        return (matrix(case), question["source"], question["target"], question["K"]), given
    if function.startswith(("breadth", "depth")):
        return (matrix(case), question["source"]), given
    if function in ("construct_dist_matrix", "reconstruct_path"):
        before = tree(case, question)
        return (matrix(case), before if function.startswith("construct") else before[question["source"]]), given
    return (matrix(case),), given


def tree(case, question):
    """Predecessors that SciPy finds in this matrix; in one of ones where weights are negative, which may have none."""
    made = matrix(case)
    made = made.tocsr() if case.where == "coo" else np.array(made) if case.where == "list" else made
    ones = has_negative(case)
    return theirs.dijkstra(made, question.get("directed", True), return_predecessors=True, unweighted=ones)[1]


def has_negative(case):
    return any(w < 0 for _, _, w in case.edges)


def wraps(case):
    """Whether entries stored twice add up to more than their type holds: SciPy's sum then wraps."""
    sums = {}
    for u, v, w in case.edges:
        sums[u, v] = sums.get((u, v), 0) + w
    kind = np.dtype(case.dtype)
    return kind.kind in "iu" and any(not np.iinfo(kind).min <= s <= np.iinfo(kind).max for s in sums.values())


def is_rising(found):
    lengths = found[0] if isinstance(found, tuple) else found
    return bool((np.diff(lengths) >= 0).all())


def is_floyd(case, question):
    """Whether SciPy takes Floyd and Warshall's method: it looks at how many entries there are where it may choose."""
    name, method = question["function"], question.get("method", "auto")
    return name == "floyd_warshall" or (name == "shortest_path" and method in ("FW", "auto"))


def one(case, truth, built, question, folder):
    """Ask both; compare."""
    function = question["function"]
    negative = has_negative(case) and not question.get("unweighted")
    named = function
    more = {}
    method = question.get("method")
    if negative and (function == "dijkstra" or (function == "shortest_path" and method == "D")):
        if function == "dijkstra" and (question.get("min_only") or "limit" in question):
            return  # SciPy has no right answer to compare with
        named, more = "bellman_ford", {"limit", "min_only", "method", "overwrite"}  # SciPy's dijkstra may never return
    odd = any(w != w or abs(w) == inf for _, _, w in case.edges)  # noqa: PLR0124 - NaN
    if wraps(case):
        return
    if function == "yen" and (odd or negative or question["source"] == question["target"]):
        return  # SciPy never returns, or has no rule for it
    args, given = arguments(case, question)
    plain = {k: v for k, v in given.items() if k not in more}
    right = outcome(lambda: getattr(theirs, named)(*args, **plain))
    if (right.error is not None and case.where in OTHERS) or (case.where == "fortran" and is_floyd(case, question)):
        plain.pop("overwrite", None)
        taken = OTHERS[case.where](args[0])
        right = outcome(lambda: getattr(theirs, named)(taken, *args[1:], **plain))
    if isinstance(right.error, theirs.NegativeCycleError) and not negative:
        return  # SciPy takes a sum that overflows for a negative cycle
    if function == "yen" and right.error is None and not is_rising(right.value):
        return  # SciPy has lost its order
    args, given = arguments(case, question)
    answer = outcome(lambda: getattr(ours, function)(*args, **given))
    both(right, answer, lambda a, b: compare(case, question, a, b))


def compare(case, question, right, found):
    """Compare two values: types, shapes, numbers; predecessors by following them."""
    function = question["function"]
    if isinstance(right, tuple):
        if not isinstance(found, tuple) or len(found) != len(right):
            raise Wrong(f"a {type(found).__name__}")
        if function.endswith("order"):
            return [numbers(a, b, exact=True) for a, b in zip(right, found, strict=True)]
        numbers(right[0], found[0], exact=is_exact(case, question))
        return [trees(case, question, found[0], right, found)]
    if ss.issparse(right):
        if type(right) is not type(found):
            raise Wrong(f"a {type(found).__name__}, right is {type(right).__name__}")
        for each in (right, found):
            each.sort_indices()  # SciPy's order within a row is that of an unstable sort
        return [numbers(getattr(right, k), getattr(found, k), exact=True) for k in ("indptr", "indices", "data")]
    return [numbers(right, found, exact=function.startswith("construct") is False and is_exact(case, question))]


def is_exact(case, question):
    """Whether sums are the same in any order, or added in the one order that SciPy has, too."""
    name = question["function"]
    sums = sum(abs(w) for _, _, w in case.edges if abs(w) != inf and w == w)  # noqa: PLR0124 - NaN
    whole = all(w != w or abs(w) == inf or (4 * w) % 1 == 0 for _, _, w in case.edges)  # noqa: PLR0124
    if whole and sums < 2**50:
        return True
    left = name in ("dijkstra", "bellman_ford") or (name == "shortest_path" and question.get("method") in ("D", "BF"))
    return left and not any(w < 0 for _, _, w in case.edges)


def numbers(right, found, *, exact):
    """Compare two arrays."""
    if type(right) is not type(found) or right.dtype != found.dtype or right.shape != found.shape:
        raise Wrong(f"{found.dtype} of shape {found.shape}, right is {right.dtype} of shape {right.shape}")
    alike = np.array_equal(right, found, equal_nan=right.dtype.kind == "f")
    if not alike and (exact or not np.allclose(right, found, rtol=1e-9, atol=1e-300, equal_nan=True)):
        raise Wrong("other numbers")


def trees(case, question, distances, right, found):
    """Follow predecessors: where SciPy has none, there are none; elsewhere the edge from there makes up the difference."""
    if question["function"] == "yen":  # of equally long paths any may come first
        numbers(right[1][:0], found[1][:0], exact=True)
        if len({tuple(row) for row in found[1].tolist()}) < len(right[1]):
            raise Wrong("a path comes twice")
        return
    numbers(np.less(right[1], 0), np.less(found[1], 0), exact=True)
    if len(found) == 3:  # which of several sources is nearest
        numbers(np.less(right[2], 0), np.less(found[2], 0), exact=True)
    edges = lightest(case, question)
    distances, before = np.atleast_2d(distances).reshape(-1, case.n), np.atleast_2d(found[1]).reshape(-1, case.n)
    for row, tree_row in zip(distances, before, strict=True):
        for v, u in enumerate(tree_row.tolist()):
            if u < 0 or np.isnan(row[v]):  # what is no number cannot be added up to
                continue
            sums = [row[u] + w for w in edges.get((u, v), ())]
            exact = is_exact(case, question)
            if not any(s == row[v] or (not exact and np.isclose(s, row[v], rtol=1e-9, atol=1e-300)) for s in sums):
                raise Wrong(f"predecessor {u} of {v}: {sums} from there, the distance is {row[v]}")


def lightest(case, question):
    """All entries of each place as floats, both ways where directions do not count; entries stored twice may also be added up."""
    edges = {}
    for u, v, w in case.edges:
        edges.setdefault((u, v), []).append(1.0 if question.get("unweighted") else float(w))
    for place, ws in list(edges.items()):
        total = np.array(ws).astype(case.dtype).sum(dtype=case.dtype)
        edges[place] = [*ws, sum(ws), float(total)]
    if not question.get("directed", True):
        for (u, v), ws in list(edges.items()):
            edges[v, u] = [*edges.get((v, u), ()), *ws]
    return edges


def lines(case):
    """A case as a program."""
    text = ["from math import inf, nan", "import numpy as np", "import scipy.sparse as ss"]
    text += ["import scipy.sparse.csgraph, steppe.csgraph", ""]
    text += ["def made():", *(f"    {line}" for line in made_lines(case)), ""]
    for question in case.questions:
        args, given = arguments(case, question)
        words = [f"np.array({a.tolist()}, dtype=np.int32)" if isinstance(a, np.ndarray) else repr(a) for a in args[1:]]
        words += [
            f"{k}={number(v) if not isinstance(v, np.ndarray) else 'np.array([], dtype=np.int32)'}"
            for k, v in given.items()
        ]
        text.append("for module in (scipy.sparse.csgraph, steppe.csgraph):")
        text.append(f"    print(module.{question['function']}({', '.join(['made()', *words])}))")
    return text


def made_lines(case):
    """The lines of a function that makes the matrix."""
    order = sorted(range(len(case.edges)), key=lambda i: case.edges[i][0])
    u, v, w = ([case.edges[i][k] for i in order] for k in range(3))
    values = f"np.array([{', '.join(map(number, w))}], dtype={case.dtype!r})"
    shape = f"shape=({case.n}, {case.n})"
    if case.where == "coo":
        return [f"return ss.coo_array(({values}, ({u}, {v})), {shape})"]
    if case.where in ("edges", "csr_matrix", "csc"):
        made = matrix(case)
        values = f"np.array([{', '.join(map(number, made.data.tolist()))}], dtype={case.dtype!r})"
        return [
            f"return ss.{type(made).__name__}(({values}, {made.indices.tolist()}, {made.indptr.tolist()}), {shape})"
        ]
    made = [f"a = np.zeros(({case.n}, {case.n}), dtype={case.dtype!r})", f"a[{u}, {v}] = {values}"]
    if case.where == "masked":
        made += ["mask = np.ones(a.shape, dtype=bool)", f"mask[{u}, {v}] = False"]
    last = {"dense": "a", "list": "a.tolist()", "lil": "ss.lil_array(a)", "masked": "np.ma.masked_array(a, mask)"}
    return [*made, f"return {last.get(case.where, 'np.asfortranarray(a)')}"]
