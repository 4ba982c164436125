"""Matrices in every form: each option of distances(), all_pairs() and distance_blocks() with each other, against the oracle's rows."""

import json
import math
import shutil
from functools import cache
from math import inf, nan
from pathlib import Path

import numpy as np

import steppe as sp
from steppe.planning.capabilities import MANY_METHODS

from . import expect, nasty
from .attempt import attempt, options_of
from .cases import Case, number
from .expect import array
from .facades import close
from .look import Wrong, check_cycle, same
from .pairs import covering
from .program import built as built_lines
from .questions import CUTOFFS, cutoff_of

build = Case.build
SINGLE = ("pairs", "predecessors", "sparse", "along", "distance_blocks")
FORMS = ("dense", *SINGLE, "reduce=max", "reduce=sum", "reduce=count", "reduce=function", ".npy", ".zarr", ".parquet")
DTYPES = (None, None, None, "uint8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64")
UNREACHABLE = (None, None, None, nan, -1, 0, 255, 70000, 0.5, -inf, 1e300)
FACTORS = {
    "call": ("distances", "distances", "all_pairs"),
    "form": FORMS,
    "sources": ("several", "one", "twice", "all", "none"),
    "targets": (None, "several", "one", "twice", "none"),
    "cutoff": CUTOFFS,
    "dtype": DTYPES,
    "unreachable": UNREACHABLE,
    "reverse": (False, True),
    "method": ("auto", *MANY_METHODS),
    "threads": (None, 1, 3),
    "memory_limit": (None, None, 10**8),
}
CLASHES = dict.fromkeys(("pairs", "predecessors", "sparse", "along"), (False, False, True)) | {
    "reduce": (None, None, "max", "function"),
    "out": (None, None, ".npy", ".zarr", ".parquet"),
    "dtype": (None, None, "float64"),
    "unreachable": (None, None, -1),
    "cutoff": (None, 5),
    "call": ("distances", "all_pairs"),
}
"""Forms that exclude each other, in pairs."""
ONLY_DISTANCES = ("pairs", "along", "unreachable", "targets")
FORM_NAMES = ("pairs", "reduce", "predecessors", "sparse", "out", "along")
PLAIN = ("dtype", "unreachable", "reverse", "method", "threads", "memory_limit")
ASKED = 20
FUNCTION = "lambda block: np.sort(block, axis=1)[:, ::-1]"


@cache
def rows():
    """All rows of options, in the order in which they are asked."""
    return covering(FACTORS), covering(CLASHES)


def make(rng, index):
    case = nasty.graph(rng, (1, 2, 3, 5, 8, 12, 20))
    formed, clashing = rows()
    case.questions = [concrete(rng, case, formed[(index * ASKED + i) % len(formed)]) for i in range(ASKED)]
    case.questions += [concrete(rng, case, clashing[(index * 4 + i) % len(clashing)]) for i in range(4)]
    return case


def concrete(rng, case, row):
    """Put numbers into a row's options."""
    from .truth import Truth

    question = {"call": row["call"]}
    form = row.get("form")
    named = dict(row)
    if form is not None:
        name, _, value = form.partition("=")
        if form == "distance_blocks":
            question["call"] = "distance_blocks"
            question["rows"] = rng.choice((1, 2, 7, None))
        elif form.startswith("."):
            named["out"] = form
        elif form != "dense":
            named[name] = value or True
    if question["call"] != "all_pairs":
        question["sources"] = nasty.sources_of(rng, case.n, row.get("sources", "several"))
        if row.get("targets") is not None or named.get("pairs"):
            question["targets"] = nasty.sources_of(rng, case.n, row.get("targets") or "several")
        if named.get("pairs") and form is not None and row.get("targets") != "none":
            question["targets"] = [rng.randrange(case.n) for _ in question["sources"]]
    for name in (*FORM_NAMES, *PLAIN):
        value = named.get(name)
        if value is None or value is False or value == "auto":
            continue
        if question["call"] == "all_pairs" and name in ONLY_DISTANCES:
            continue
        if question["call"] == "distance_blocks" and name in (*FORM_NAMES, "unreachable"):
            continue
        question[name] = value
    if question.get("method") == "floyd-warshall" and not case.is_integer:
        question["method"] = "essential-edges"  # the same with every method's rounding
    if question.get("method") == "bfs" and not case.edges:
        del question["method"]
    kind = row.get("cutoff")
    if kind is None and question.get("sparse") and form is not None and rng.random() < 0.8:
        kind = "half"
    if kind is not None:
        base = Truth(case).distances([rng.randrange(case.n)])
        question["cutoff"] = cutoff_of(rng, base, kind, case, hops=False)
    return question


def refusals(case, question):
    """Whether a form is refused because of another one."""
    forms = [name for name in FORM_NAMES if question.get(name)]
    if len(forms) > 1:
        return True
    if question.get("sparse") and question.get("cutoff") is None:
        return True
    if question.get("dtype") and (question.get("along") or question.get("reduce")):
        return True
    if question.get("unreachable") is not None and forms not in ([], ["pairs"]):
        return True
    return bool(question.get("pairs")) and len(question["sources"]) != len(question["targets"])


def one(case, truth, graph, question, folder):
    """Ask one question; raise where the answer is not right."""
    side = truth.reverse if question.get("reverse") else truth
    sources = range(case.n) if question["call"] == "all_pairs" else question["sources"]
    expected = what(case, side, question, sources)
    place = Path(folder, "matrices")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    answer, error = attempt(lambda: called(case, graph, question, place), expected)
    if error:
        if error == "NegativeCycleError":
            check_cycle(side.case, side, answer)
        return
    compare(case, side, question, sources, expected, answer)


def what(case, truth, question, sources):
    """Return what is expected: rows, or errors."""
    plain = {k: v for k, v in question.items() if k not in ("out", "device")}
    if refusals(case, question):
        return expect.Expected(must=("ValueError", "NegativeWeightError", "NegativeCycleError"))
    if question.get("pairs"):  # a row of one for each
        parts = [expect.matrix(truth, {**plain, "targets": [t]}, [s]) for s, t in zip(sources, question["targets"], strict=True)]  # fmt: skip
        failing = [part for part in parts if part.must]
        if failing:
            return expect.Expected(must=tuple({name for part in failing for name in part.must}))
        return expect.Expected([part.rows[0] for part in parts], may=tuple({x for part in parts for x in part.may}))
    expected = expect.matrix(truth, plain, sources)
    may = set(expected.may)
    if question.get("along") and (case.where != "edges" or case.labels != "none"):
        may.add("GraphError")  # a graph of rows does not know which edges were given
    if question.get("predecessors") or question.get("along"):  # whole rows are searched
        whole = expect.matrix(truth, {k: v for k, v in plain.items() if k not in ("targets", "dtype")}, sources)
        may |= set(whole.must)
    if question.get("reduce") == "sum" and case.is_integer and not expected.must:
        sums = [sum(d for d in row if d is not None) for row in expected.rows]
        if any(not expect.LEAST <= s <= expect.UNREACHABLE for s in sums):
            return expect.Expected(must=("DistanceOverflowError",))
        if any(sum(abs(d) for d in row if d is not None) > 2**61 for row in expected.rows):
            may.add("DistanceOverflowError")
    if not sources and truth.has_negative:
        may |= {"NegativeCycleError"}
    return expect.Expected(expected.rows, expected.must, tuple(may))


def called(case, graph, question, place):
    """Ask steppe."""
    given = options_of(question, "pairs", "reduce", "predecessors", "sparse", *PLAIN, "cutoff", "rows")
    if given.get("reduce") == "function":
        given["reduce"] = lambda block: np.sort(block, axis=1)[:, ::-1]
    if "out" in question:
        given["out"] = place / f"matrix{question['out']}"
    if "along" in question:
        given["along"] = attributes(case)
    if question["call"] == "all_pairs":
        return sp.all_pairs(graph, **given)
    targets = case.named(question["targets"]) if "targets" in question else None
    if question["call"] == "distance_blocks":
        return list(sp.distance_blocks(graph, case.named(question["sources"]), targets, **given))
    return sp.distances(graph, case.named(question["sources"]), targets, **given)


def attributes(case):
    """An integer and a float for each edge given, which follow from its ends: so parallel edges have the same."""
    values = [10 * min(u, v) + max(u, v) for u, v, _ in case.edges]
    return {"a": np.array(values, dtype=np.int64), "b": np.array(values, dtype=np.float64) / 2}


def compare(case, truth, question, sources, expected, answer):
    """Compare every number of an answer, whatever its form."""
    columns = question.get("targets")
    width = truth.n if columns is None else len(columns)
    stored = question.get("dtype") or case.distance_dtype
    right = array(expected.rows, stored).reshape(len(sources), 1 if question.get("pairs") else width)
    reached = np.array([[d is not None for d in row] for row in expected.rows], dtype=bool).reshape(right.shape)
    reduce = question.get("reduce")
    if question.get("pairs"):
        right, reached = right[:, 0], reached[:, 0]
    if question["call"] == "distance_blocks":
        compare_blocks(case, question, sources, right, answer)
    elif reduce:
        compare_reduced(case, expected.rows, reduce, right, answer)
    elif question.get("unreachable") is not None:
        compare_marked(right, reached, question["unreachable"], answer)
    elif question.get("predecessors"):
        same(answer.distances, right, "distances")
        compare_trees(truth, question, sources, columns, answer.predecessors)
        prove(truth, question, answer)
    elif question.get("along"):
        same(answer.distances, right, "distances")
        compare_along(case, truth, question, sources, columns, reached, answer)
        prove(truth, question, answer)
    elif question.get("sparse"):
        same(np.where(reached, answer.toarray(), array([[None]], stored)[0, 0]).astype(answer.dtype), right, "sparse")
        if answer.nnz != reached.sum():
            raise Wrong(f"{answer.nnz} entries are stored, {reached.sum()} are reached")
    elif question.get("out"):
        compare_stored(case, sources, columns, right, reached, answer)
    else:
        same(answer, right, question["call"])


def prove(truth, question, answer):
    """Prove a right answer; with a cutoff and negative weights no search can be proven."""
    if not (truth.has_negative and "cutoff" in question):
        answer.verify()


def compare_stored(case, sources, columns, right, reached, answer):
    """Compare what was written: a file, mapped; a Zarr store; a table of the pairs that are reached."""
    if not isinstance(answer, Path):
        return same(np.asarray(answer), right, ".npy")
    if answer.suffix == ".zarr":
        return same(zarr_of(answer), right, ".zarr")
    ends = range(case.n) if columns is None else columns
    pairs = [(s, t, i, j) for i, s in enumerate(sources) for j, t in enumerate(ends) if reached[i, j]]
    found = table_of(answer)
    if found is None:
        if pairs:
            raise Wrong(f"no table, {len(pairs)} pairs are reached")
        return None
    wanted = ([case.label(s) for s, *_ in pairs], [case.label(t) for _, t, *_ in pairs])
    if (found[0], found[1]) != wanted:
        raise Wrong(
            f".parquet has the pairs {list(zip(*found[:2], strict=True))}, right are {list(zip(*wanted, strict=True))}"
        )
    return same(found[2], right[reached], "distance")


def zarr_of(folder):
    """The array that a Zarr store holds, read by hand."""
    header = json.loads((folder / ".zarray").read_text())
    count, width = header["shape"]
    step = header["chunks"][0]
    whole = [
        np.frombuffer((folder / f"{i}.0").read_bytes(), header["dtype"])
        for i in range(-(-count // step) if width else 0)
    ]
    flat = np.concatenate(whole) if whole else np.empty(0, header["dtype"])
    return flat[: count * width].reshape(count, width)


def table_of(folder):
    """Sources, targets and distances of all parts of a table; None where it has none."""
    import pyarrow.parquet as pq

    tables = [pq.read_table(file) for file in sorted(folder.glob("*.parquet"))]
    if not tables:
        return None
    columns = [[x for t in tables for x in t[name].to_pylist()] for name in ("source", "target")]
    return (*columns, np.concatenate([t["distance"].to_numpy() for t in tables]))


def compare_blocks(case, question, sources, right, answer):
    at = 0
    for block in answer:
        if block.first != at or (question.get("rows") and len(block.distances) > question["rows"]):
            raise Wrong(f"a block of {len(block.distances)} rows begins with row {block.first}, right is {at}")
        if block.sources.tolist() != case.named(sources[at : at + len(block.distances)]):
            raise Wrong(f"the sources of a block are {block.sources.tolist()}")
        same(block.distances, right[at : at + len(block.distances)], f"block {at}")
        at += len(block.distances)
    if at != len(sources):
        raise Wrong(f"{at} of {len(sources)} rows came")


def compare_reduced(case, rows, reduce, right, answer):
    if reduce == "function":
        wanted = np.sort(right, axis=1)[:, ::-1]
        return same(answer, wanted, "reduce") if len(right) else None
    known = [[d for d in row if d is not None] for row in rows]
    if reduce == "count":
        return same(answer, np.array([len(row) for row in known], dtype=np.int64), "count")
    if reduce == "max":
        values = [[max(row, default=0)] for row in known]
        return same(answer, array(values, case.distance_dtype).reshape(len(rows)), "max")
    if case.is_integer:
        return same(answer, np.array([sum(row) for row in known], dtype=np.int64), "sum")
    with np.errstate(over="ignore"):
        sums = np.array([float(np.sum(np.array(row, dtype=np.float64))) for row in known], dtype=np.float64)
    if answer.dtype != np.float64 or not np.allclose(answer, sums, rtol=1e-12, atol=0.0):
        raise Wrong(f"sum is {answer.tolist()}, right is {sums.tolist()}")
    return None


def compare_marked(right, reached, value, answer):
    """Compare a matrix in which a value stands for "no path": in its own type, or of floats where that type does not have the value."""
    kind = answer.dtype
    if kind not in (right.dtype, np.dtype(np.float64)):
        raise Wrong(f"unreachable={value} makes {kind} of {right.dtype}")
    same(answer[reached], right[reached].astype(kind), "reached")
    lost = answer[~reached].tolist()
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            wanted = float(kind.type(value))
        if math.isinf(wanted) and not math.isinf(value):
            wanted = value
    else:
        wanted = value
    for found in lost:
        if not close(found, wanted, exact=True):
            raise Wrong(f"{found!r} stands for no path, right is {value!r}")


def within_rows(truth, question, sources):
    return [expect.within(truth.distances([s]), question.get("cutoff")) for s in sources]


def compare_trees(truth, question, sources, columns, found):
    for i, (s, row) in enumerate(zip(sources, within_rows(truth, question, sources), strict=True)):
        tree = truth.tree([s], row)
        wanted = tree if columns is None else [tree[t] for t in columns]
        if found[i].tolist() != wanted:
            raise Wrong(f"predecessors from {s}: {found[i].tolist()}, right is {wanted}")


def compare_along(case, truth, question, sources, columns, reached, answer):
    ends = range(truth.n) if columns is None else columns
    for i, (s, row) in enumerate(zip(sources, within_rows(truth, question, sources), strict=True)):
        tree = truth.tree([s], row)
        for j, t in enumerate(ends):
            total, v = 0, t
            while row[t] is not None and tree[v] >= 0:
                total += 10 * min(v, tree[v]) + max(v, tree[v])
                v = tree[v]
            wanted = (total, total / 2) if reached[i, j] else (expect.UNREACHABLE, inf)
            if (answer["a"][i, j], answer["b"][i, j]) != wanted:
                raise Wrong(f"along {s} to {t}: {answer['a'][i, j]}, {answer['b'][i, j]}, right is {wanted}")
    for name, kind in (("a", np.int64), ("b", np.float64)):
        if answer[name].dtype != kind:
            raise Wrong(f"along: {name} is {answer[name].dtype}")


def lines(case):
    """A case as a program."""
    text = ["import numpy as np", "import steppe as sp", "", *built_lines(case)]
    for question in case.questions:
        given = {
            k: number(v)
            for k, v in question.items()
            if k not in ("call", "sources", "targets", "along", "out", "reduce")
        }
        names = [str(case.named(question[k])) if k in question else "None" for k in ("sources", "targets")]
        if question.get("reduce"):
            given["reduce"] = FUNCTION if question["reduce"] == "function" else repr(question["reduce"])
        if question.get("out"):
            given["out"] = repr(f"matrix{question['out']}")
        if question.get("along"):
            values = {k: v.tolist() for k, v in attributes(case).items()}
            given["along"] = repr(values)
        ends = [] if question["call"] == "all_pairs" else names
        call = f"sp.{question['call']}({', '.join(['g', *ends, *(f'{k}={v}' for k, v in given.items())])})"
        text.append(f"print(list({call}))" if question["call"] == "distance_blocks" else f"print({call})")
    return text
