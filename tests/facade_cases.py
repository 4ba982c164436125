"""Random calls of both facades beside the libraries whose names they bear: here steppe.csgraph beside SciPy, and a table of both.

``csgraph_disagreement(rng)`` makes one random matrix and one random call, asks both, and returns None, or a text that says what was asked and what
each answered. Weights are multiples of 1/4, so that sums are exact in any order; a predecessor matrix is right if its paths are as long
as the distances. ``facade_networkx.py`` has the same for NetworkX.
"""

import re
import warnings

import numpy as np
import scipy.sparse as ss
from scipy.sparse import csgraph as theirs

from facade_networkx import networkx_disagreement
from steppe import csgraph as ours

NONE = -9999
KINDS = ("csr", "csc", "coo", "lil", "dense", "fortran", "list", "masked", "matrix")
DTYPES = ("f8", "f8", "f8", "f4", "i1", "u1", "i2", "i4", "i8", "u8", "?")
SOLVERS = ("dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path")
ORDERS = ("breadth_first_order", "depth_first_order", "breadth_first_tree", "depth_first_tree")
TREES = ("construct_dist_matrix", "reconstruct_path")


def random_matrix(rng):
    """Return a matrix of a random kind, and a text that makes it."""
    n = int(rng.choice([0, 1, 2, 3, 5, 8]))
    dtype = np.dtype(rng.choice(DTYPES))
    count = int(rng.integers(0, 3 * n + 1)) if n else 0
    row, column = rng.integers(0, max(n, 1), (2, count), dtype=np.int32)
    values = rng.integers(0, 9, count) / 4 if dtype.kind == "f" else rng.integers(0, 5, count)
    values = values.astype(dtype)
    if dtype.kind in "if" and rng.random() < 0.25:  # some below 0, and no cycle is: heights differ by as much
        height = rng.integers(0, 4, max(n, 1))
        values = (values + height[row] - height[column]).astype(dtype)
    if dtype.kind in "if" and rng.random() < 0.1:
        values[rng.random(count) < 0.2] = -1
    if dtype.kind == "f" and rng.random() < 0.3:
        values[rng.random(count) < 0.3] = rng.choice([np.inf, np.nan])
    if dtype.kind == "f" and rng.random() < 0.05 and not (values < 0).any():  # potentials would round it
        values[rng.random(count) < 0.3] = 1e-9
    if dtype.itemsize == 8 and rng.random() < 0.1:
        values[rng.random(count) < 0.3] = 2**60
    kind = str(rng.choice(KINDS))
    made, text = _matrix(kind, n, row, column, values, bool(rng.integers(2)))
    return (
        made,
        f"{kind} {text} of {dtype}, n={n}, rows {row.tolist()}, columns {column.tolist()}, values {values.tolist()}",
    )


def _matrix(kind, n, row, column, values, plain):
    if kind in ("dense", "fortran", "list", "masked"):
        dense = np.zeros((n, n), dtype=values.dtype, order="F" if kind == "fortran" else "C")
        dense[row, column] = values
        if kind == "masked":
            mask = np.ones((n, n), dtype=bool)
            mask[row, column] = False
            return np.ma.masked_array(dense, mask), ""
        return (dense.tolist() if kind == "list" and n else dense), ""
    if plain and kind in ("csr", "csc"):  # in the order drawn, with what is there twice
        along, across = (row, column) if kind == "csr" else (column, row)
        order = np.argsort(along, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(along, minlength=n)[:n])]).astype(np.int32)
        return getattr(ss, f"{kind}_array")((values[order], across[order], indptr), shape=(n, n)), "as drawn"
    made = ss.coo_array((values, (row, column)), shape=(n, n))
    if kind == "matrix":
        return ss.csr_matrix(made), ""
    return made.asformat(kind), ""


def random_indices(rng, n):
    """Return what may be given for ``indices``: nothing, one, several, from the end, twice, or out of range."""
    if n == 0 or rng.random() < 0.3:
        return None
    if rng.random() < 0.3:
        return int(rng.integers(-n, n))
    if rng.random() < 0.05:
        return n
    shape = [(2,), (0,), (2, 2), (3,)][int(rng.integers(4))]
    return rng.integers(-n, n, shape).tolist()


def random_call(rng, n):
    """Return a function's name and its arguments behind the matrix."""
    directed = bool(rng.integers(2))
    group = rng.random()
    if group < 0.2:
        start = int(rng.integers(max(n, 1)))
        return str(rng.choice(ORDERS)), {"i_start": start, "directed": directed}
    if group < 0.3:
        return str(rng.choice(TREES)), {"directed": directed}
    if group < 0.35:
        source, sink = (int(x) for x in rng.integers(0, max(n, 1), 2))
        return "yen", {"source": source, "sink": sink, "K": int(rng.integers(1, 6)), "directed": directed}
    name = str(rng.choice(SOLVERS))
    options = {"directed": directed, "unweighted": bool(rng.integers(2)), "return_predecessors": bool(rng.integers(2))}
    if name in ("dijkstra", "bellman_ford", "johnson"):
        options["indices"] = random_indices(rng, n)
    if name == "dijkstra":
        options["min_only"] = bool(rng.random() < 0.3)
        options["limit"] = [np.inf, 0, 1, 2.5, 3, np.nan, -1][int(rng.integers(7))] if rng.random() < 0.6 else np.inf
    if name in ("floyd_warshall", "shortest_path"):
        options["overwrite"] = bool(rng.random() < 0.2)
    if name == "shortest_path":
        options["method"] = str(rng.choice(["auto", "FW", "D", "BF", "J"]))
        if options["method"] != "FW" or rng.random() < 0.1:
            options["indices"] = random_indices(rng, n)
    return name, options


def _copy(matrix):
    return [row.copy() for row in matrix] if isinstance(matrix, list) else matrix.copy()


def _answer(module, name, matrix, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(module, name)(matrix, **options)
        except (ValueError, TypeError, AttributeError, theirs.NegativeCycleError) as error:
            return error


def _is_negative(matrix):
    if isinstance(matrix, list):
        matrix = np.array(matrix)
    if np.ma.isMaskedArray(matrix):
        matrix = matrix.compressed()
    values = matrix.tocoo().data if ss.issparse(matrix) else matrix
    return bool((np.asarray(values) < 0).any())


def is_asked_of_both(name, matrix, options):
    """Return whether SciPy has an answer that is meant: not Dijkstra's with negative weights, and it never returns from negative cycles."""
    negative = _is_negative(matrix)
    if name == "dijkstra" or options.get("method") == "D":
        return not negative or options.get("unweighted", False)
    if name == "yen":  # which adds up what is stored twice, takes lengths off that are 0, and has int32 alone
        return not negative and ss.issparse(matrix) and matrix.nnz == len(np.unique(matrix.tocoo().data)) > 0
    fortran = isinstance(matrix, np.ndarray) and not matrix.flags.carray  # which SciPy's Floyd-Warshall leaves as it is
    return not (fortran and (name == "floyd_warshall" or options.get("method") in ("FW", "auto")))


def csgraph_disagreement(rng):
    """Return None where both answer alike, or what was asked and answered."""
    matrix, text = random_matrix(rng)
    n = len(matrix) if isinstance(matrix, list) else matrix.shape[0]
    name, options = random_call(rng, n)
    if not is_asked_of_both(name, matrix, options) or (n == 0 and name in (*ORDERS, *TREES, "yen")):
        return None
    if name in TREES:
        found = _answer(ours, "bellman_ford", matrix, {"directed": options["directed"], "return_predecessors": True})
        if isinstance(found, Exception):
            return None
        before = found[1] if name == "construct_dist_matrix" else found[1][0]
        options = {"predecessors": before, **options}
    mine, other = _copy(matrix), _copy(matrix)
    got, want = _answer(ours, name, mine, options), _answer(theirs, name, other, options)
    asked = f"{name}({text}; {options})"
    wrong = _compare(name, matrix, options, got, want)
    if not wrong and not options.get("overwrite") and not _same(mine, matrix):
        wrong = "the matrix was changed"
    return f"{asked}:\n {wrong}\n steppe {got!r}\n SciPy {want!r}" if wrong else None


def _same(one, other):
    if isinstance(one, list):
        return one == other or str(one) == str(other)
    if ss.issparse(one):
        return one.format == other.format and np.array_equal(
            one.toarray(), other.toarray(), equal_nan=one.dtype.kind == "f"
        )
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=np.asarray(one).dtype.kind == "f")


def _compare(name, matrix, options, got, want):
    if isinstance(want, Exception):
        if re.search("csr, or csc format|avoid copy|not C-contig|'list' object|list indices", str(want)):
            return None  # what SciPy's Floyd-Warshall does not take, although it is a matrix
        return None if isinstance(got, type(want)) else "SciPy has an error"
    if isinstance(got, Exception):
        return "only steppe has an error"
    if ss.issparse(want):
        same = type(got) is type(want) and got.dtype == want.dtype
        return None if same and np.array_equal(got.toarray(), want.toarray(), equal_nan=True) else "another tree"
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    if len(got) != len(want) or any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(got, want, strict=True)):
        return "another shape or type"
    if name in ORDERS:
        return None if all(map(np.array_equal, got, want)) else "another order"
    rounded = 1e-15 if name in ("floyd_warshall", "shortest_path") else 0  # Floyd-Warshall adds in another order
    if not np.allclose(got[0], want[0], rtol=rounded, atol=0, equal_nan=True):
        return "another distance"
    if len(got) > 1 and name != "yen" and not np.array_equal(got[1] == NONE, want[1] == NONE):
        return "predecessors elsewhere"
    if len(got) > 2 and not np.array_equal(got[2] == NONE, want[2] == NONE):
        return "sources elsewhere"
    return None


DISAGREEMENTS = {"csgraph": csgraph_disagreement, "networkx": networkx_disagreement}
"""Of each facade: a function of a random generator that returns None, or how the facade and its library disagree."""
