"""Resumed: a matrix on the disk is interrupted, then asked for again, by the same question or by another one: the answer in memory, or an error.

Never a mixture: what the first question wrote must not be in the answer of the second, whatever both have in common.
"""

import contextlib
import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import numpy as np

import steppe as sp
from steppe.files import matrix_folder
from steppe.files.matrix_file import MatrixFile
from steppe.planning.capabilities import DENSE

from . import nasty
from .attempt import attempt, options_of
from .cases import Case, number
from .expect import Expected
from .look import Wrong, same
from .matrices import table_of, zarr_of
from .program import built as built_lines

build = Case.build
ASKED = 12
STORES = (".npy", ".zarr", ".parquet")
CHANGES = (
    "nothing",
    "nothing",
    "weight",
    "edge",
    "labels",
    "method",
    "cutoff",
    "dtype",
    "sources",
    "targets",
    "reverse",
    "bytes",
    "journal",
)
"""What is different the second time; bytes, journal: the unfinished file is damaged in between."""
matrix_folder.BLOCK = 1  # so that a folder has eight rows a block, the fewest
os.fsync = lambda fd: None  # the machine will not lose its power here


class Stop(Exception):  # noqa: N818
    """Ends the first call."""


def make(rng, index):
    families = ("tiny", "small", "any", "2^32", "2^53")
    case = nasty.graph(rng, (9, 12, 20, 30, 45), families=families, where=("edges",), most=120)
    case.labels = rng.choice(("none", "ints", "strings"))
    case.questions = [question_of(rng, case, index * ASKED + i) for i in range(ASKED)]
    return case


def question_of(rng, case, i):
    """Make a question: a store, how far the first call comes, and what changes."""
    question = {"call": "resumed", "store": STORES[i % 3], "seed": rng.randrange(2**32), "stop": rng.random()}
    question["change"] = CHANGES[i // 3 % len(CHANGES)]
    if rng.random() < 0.3:
        question["method"] = rng.choice(
            ("dijkstra", "delta-stepping", "essential-edges", "floyd-warshall", "bellman-ford")
        )
    if question["change"] == "method" and rng.random() < 0.7:
        question["method"] = "floyd-warshall"  # whose floats are added in another order
    if rng.random() < 0.3:
        question["cutoff"] = rng.choice((1, 3, 2.5, 100))
    if rng.random() < 0.3:
        question["dtype"] = rng.choice(("float64", "int64"))
    if rng.random() < 0.2:
        question["reverse"] = True
    question["sources"] = [rng.randrange(case.n) for _ in range(rng.choice((9, 17, 30)))]
    if rng.random() < 0.5:
        question["targets"] = [rng.randrange(case.n) for _ in range(rng.choice((1, 5)))]
    return question


def changed(case, question):
    """Return the case and the question of the second call."""
    change, seed = question.get("change", "nothing"), question["seed"]
    again = {k: v for k, v in question.items() if k not in ("change", "stop", "seed")}
    if change == "weight" and case.edges and case.dtype is not None:
        at = seed % len(case.edges)
        u, v, w = case.edges[at]
        case = case.but(edges=[*case.edges[:at], (u, v, w - 1 if w > 0 else w + 1), *case.edges[at + 1 :]])
    elif change == "edge":
        w = case.edges[0][2] if case.edges else None if case.dtype is None else 1
        case = case.but(edges=[*case.edges, (seed % case.n, seed // 7 % case.n, w)])
    elif change == "labels":
        case = case.but(labels={"none": "ints", "ints": "strings", "strings": "none"}[case.labels])
    elif change == "method":
        again["method"] = "dijkstra" if again.get("method") != "dijkstra" else "bellman-ford"
    elif change == "cutoff":
        again["cutoff"] = 2 if "cutoff" not in again else again["cutoff"] + 1
    elif change == "dtype":
        again["dtype"] = "float32" if again.get("dtype") != "float32" else None
    elif change in ("sources", "targets"):
        vertices = again.get(change) or list(range(case.n))
        at = seed % len(vertices)
        again[change] = [*vertices[:at], (vertices[at] + 1) % case.n, *vertices[at + 1 :]]
    elif change == "reverse":
        again["reverse"] = not again.get("reverse", False)
    return case, again


ERRORS = Expected(
    may=("DistanceOverflowError", "NegativeCycleError", "NegativeWeightError", "StoreError", "ValueError")
)


def one(case, truth, graph, question, folder):
    """Interrupt, ask again, compare with the matrix in memory."""
    place = Path(folder, "resumed")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    out = place / f"matrix{question['store']}"
    first = {k: v for k, v in question.items() if k not in ("change", "stop", "seed")}
    attempt(lambda: interrupted(case, graph, first, out, question), ERRORS)
    change, finished = question.get("change", "nothing"), out.exists()
    left = finished or any(place.iterdir())
    if change in ("bytes", "journal"):
        damage(place, question)
    other, second = changed(case, question)
    other_graph = graph if other is case else other.build(folder)
    wanted, refused = attempt(lambda: ask(other, other_graph, second), ERRORS)
    found, error = attempt(lambda: ask(other, other_graph, second, out=out), ERRORS)
    if error == "StoreError" and not refused:
        if not left or (change == "nothing" and not finished):
            raise Wrong("refused, where nothing else was asked before")
        found, error = attempt(lambda: ask(other, other_graph, second, out=out, overwrite=True), ERRORS)
    if refused and not error:
        raise Wrong(f"an answer where the matrix in memory is refused with {refused}")
    if error and not refused and change not in ("bytes", "journal"):  # what is no longer known as ours is left alone
        raise Wrong(f"{error} where the matrix in memory has an answer")
    if not error:
        compare(other, second, wanted, found)


def ask(case, graph, question, **more):
    given = {k: v for k, v in options_of(question, "method", "cutoff", "dtype", "reverse").items() if v is not None}
    targets = case.named(question["targets"]) if "targets" in question else None
    return sp.distances(graph, case.named(question["sources"]), targets, threads=1, **given, **more)


def interrupted(case, graph, question, out, how):
    """Write as much as the first call comes to.

    It ends in a function that is told of the progress; where all rows are found before the first is written, in that which writes.
    """
    last = how.get("stop", 1.0) * len(question["sources"])
    given = {"memory_limit": 4 * row_bytes(case, question)}  # two rows at once
    dense = question.get("method") in DENSE
    with ExitStack() as patches:
        if dense:
            given = {}
            for store in (MatrixFile, matrix_folder.MatrixFolder):
                patches.enter_context(mock.patch.object(store, "write", writing_until(store.write, last)))
        else:
            given["progress"] = stopping_at(last)
        patches.enter_context(contextlib.suppress(Stop))
        ask(case, graph, question, out=out, **given)


def row_bytes(case, question):
    return 8 * (len(question["targets"]) if "targets" in question else case.n)


def stopping_at(last):
    def stop(progress):
        if progress.done >= last:
            raise Stop

    return stop


def writing_until(write, last):
    def until(self, begin, block):
        if begin >= last:
            raise Stop
        write(self, begin, block)

    return until


def damage(place, question):
    """Change a byte of what is unfinished: anywhere, or in what tells of it."""
    files = sorted(f for f in place.rglob("*") if f.is_file())
    if question["change"] == "journal":
        files = [f for f in files if f.name == matrix_folder.JOURNAL or f.suffix == ".rows"]
    files = [f for f in files if f.stat().st_size]
    if not files:
        return
    file = files[question["seed"] % len(files)]
    words = bytearray(file.read_bytes())
    words[question["seed"] // 11 % len(words)] ^= 1 << question["seed"] % 8
    file.write_bytes(words)


def compare(case, question, wanted, found):
    """Compare what was stored with what is in memory, bit by bit."""
    if not isinstance(found, Path):
        return same(np.asarray(found), wanted, question["store"])
    if found.suffix == ".zarr":
        return same(zarr_of(found), wanted, ".zarr")
    ends = question["targets"] if "targets" in question else range(case.n)
    far = np.inf if wanted.dtype.kind == "f" else np.iinfo(wanted.dtype).max
    i, j = np.nonzero(wanted != far)
    right = [case.named(np.array(question["sources"])[i].tolist()), case.named(np.array(ends)[j].tolist())]
    table = table_of(found)
    if list(table[:2]) != right:
        pairs = [[f"{a} to {b}" for a, b in zip(*both, strict=True)][:9] for both in (table[:2], right)]
        raise Wrong(f".parquet has the pairs {pairs[0]}, right are {pairs[1]}")
    return same(table[2], wanted[i, j], "distance")


def lines(case):
    """A case as a program."""
    text = ["import numpy as np", "import steppe as sp", "from steppe.files import matrix_folder", ""]
    text += ["matrix_folder.BLOCK = 1  # eight rows a block", "", "class Stop(Exception): pass", ""]
    for question in case.questions:
        first = {k: v for k, v in question.items() if k not in ("change", "stop", "seed")}
        other, second = changed(case, question)
        last = question.get("stop", 1.0) * len(question["sources"])
        text += [*built_lines(case), "def stop(p):", f"    if p.done >= {last}: raise Stop"]
        how = f"progress=stop, memory_limit={4 * row_bytes(case, question)}"
        if question.get("method") in DENSE:
            how = ""
            text.append(f"# this call is interrupted when it writes the row {last} or one behind it:")
        text += [f"try: {called(case, first, how)}", "except Stop: pass"]
        if question.get("change") in ("bytes", "journal"):
            text.append(f"# then one bit of what is there changes: {question['change']}, number {question['seed']}")
        text += built_lines(other) if other is not case else []
        text.append(f"print({called(other, second)})")
        text.append(f"print({called(other, {k: v for k, v in second.items() if k != 'store'})})")
    return text


def called(case, question, more=""):
    given = {k: number(v) for k, v in options_of(question, "method", "cutoff", "dtype", "reverse").items()}
    if "store" in question:
        given["out"] = repr(f"matrix{question['store']}")
    targets = case.named(question["targets"]) if "targets" in question else None
    words = [
        "g",
        str(case.named(question["sources"])),
        str(targets),
        "threads=1",
        *(f"{k}={v}" for k, v in given.items()),
    ]
    return f"sp.distances({', '.join([*words, more] if more else words)})"
