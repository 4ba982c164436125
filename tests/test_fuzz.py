"""The answer fuzzer: a minute of it with fixed seeds, and proofs that it can fail. ``make fuzz`` goes on for as long as wanted."""

import math
import random

import numpy as np
import pytest

from conftest import SANITIZER, examples
from fuzz import pairs, parts, questions
from fuzz.cases import Case
from fuzz.minimise import shorten
from fuzz.runner import Run
from fuzz.truth import NegativeCycle, Truth

GRAPHS = 350  # every pair of options but one in fifteen; `make fuzz` goes on to the rest


def fuzz(seed, tries=240, **options):
    report = Run(seed, **options).go(minimised=3, tries=tries)
    return report, "\n".join([report.summary(), *report.programs])


def test_every_answer_is_right():
    report, text = fuzz("steppe", graphs=examples(GRAPHS) if SANITIZER else GRAPHS)  # half of them reach too few pairs
    assert report.is_clean, text
    assert report.answers > 40 * report.graphs
    if not SANITIZER:
        assert report.coverage.count() > 0.93 * report.coverage.possible, text  # the rest needs a device


@pytest.mark.pocl
def test_every_answer_of_a_device_is_right(device):
    report, text = fuzz("device", graphs=5, first=7, stride=200, device=True)
    assert report.is_clean, text
    assert report.answers >= 40


@pytest.mark.parametrize(
    ("broken", "call", "words"),
    [
        ("cutoff-dropped", "sssp", "cutoff="),
        ("cutoff-exclusive", "bfs", "cutoff="),
        ("swapped", "distances", "threads=3"),
        ("rounded", "sssp", "targets="),
        ("believed", "sssp", "verify accepts a damaged answer"),
        ("crash", "nearest", "crash"),
        ("hang", "route", "hang"),
    ],
)
def test_what_is_broken_is_found_and_made_small(broken, call, words):
    tries = {"hang": 32, "crash": 80}.get(broken, 240)  # an eighth of it, since these are slow to try
    report, text = fuzz(broken, tries, graphs=400, only=[call], broken=broken, enough=1, patience=8)
    assert not report.is_clean
    assert any(f"sp.{call}(" in program and words in program for program in report.programs), text
    if broken not in ("crash", "hang"):
        assert all(len(program) < 1000 for program in report.programs), text


PARTS = {"csgraph": 60, "networkx": 110, "matrices": 50, "resumed": 25, "lists": 250, "damaged": 40}
"""Graphs of each part here; `make fuzz` goes on."""


@pytest.mark.parametrize("part", PARTS)
def test_every_part_finds_nothing(part):
    report, text = fuzz("steppe", graphs=examples(PARTS[part]), parts=(part,))
    assert report.is_clean, text
    assert report.answers > 5 * report.graphs, text
    if part == "networkx":
        ((answers, declined),) = report.kinds.values()
        assert answers > 2 * declined, text


@pytest.mark.parametrize(
    ("broken", "part", "words"),
    [
        ("limit-forgotten", "csgraph", "module.dijkstra("),
        ("floats-for-integers", "networkx", "nx.single_source_dijkstra_path_length("),
        ("order-of-levels", "networkx", "nx.bfs_layers("),
        ("reverse-forgotten", "matrices", "reverse=True"),
        ("other-weights-believed", "resumed", "except Stop: pass"),
        ("path-lost", "lists", "sp.k_shortest_paths("),
        ("later-wins", "lists", "sp.nearest("),
        ("damage-believed", "damaged", "then a file of the folder is damaged"),
    ],
)
def test_what_is_broken_in_a_part_is_found_and_made_small(broken, part, words):
    only = {"path-lost": ["k_shortest_paths"], "later-wins": ["nearest"]}.get(broken)
    report, text = fuzz(broken, 100, graphs=400, parts=(part,), only=only, broken=broken, enough=1)
    assert not report.is_clean
    assert any(words in program for program in report.programs), text
    assert all(len(program) < 2500 for program in report.programs), text
    for program in report.programs:
        compile(program, "program", "exec")


def test_every_function_of_a_facade_is_asked():
    from _steppe_networkx import FUNCTIONS
    from fuzz import facade_csgraph, facade_networkx
    from steppe import csgraph

    assert {row["function"] for row in facade_networkx.rows()} == set(FUNCTIONS)
    assert {row["function"] for row in facade_csgraph.rows()} == set(csgraph.__all__) - {"NegativeCycleError"}


@pytest.mark.parametrize("part", ["csgraph", "networkx", "matrices"])
def test_all_rows_of_a_part_are_asked_in_turn(part):
    """Questions go through the rows of the covering arrays by a step that shares no divisor with their number."""
    module = parts.of(part)
    pool = module.rows()[0] if part == "matrices" else module.rows()
    step = {"csgraph": 7, "networkx": 11, "matrices": 1}[part]
    assert math.gcd(step, len(pool)) == 1


def test_every_pair_of_options_is_in_a_covering_array():
    for factors in [questions.GRAPH, *questions.CALLS.values()]:
        seen = {pair for row in pairs.covering(factors) for pair in pairs.pairs_of(row)}
        assert len(seen) == pairs.count_pairs({k: tuple(dict.fromkeys(v)) for k, v in factors.items()})


def test_a_case_is_the_same_again():
    for part in parts.NAMES:
        one, *_ = parts.make("again", 3, parts=(part,))
        two, *_ = parts.make("again", 3, parts=(part,))
        assert one.to_json() == two.to_json() == Case.from_json(one.to_json()).to_json()  # NaN is not equal to itself


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_the_oracle_agrees_with_scipy(dtype):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    rng = random.Random(dtype)  # noqa: S311
    for _ in range(20):
        n = rng.randrange(2, 30)
        ends = {
            (rng.randrange(n), rng.randrange(n)): rng.randrange(1, 50) / (1 if dtype != "float64" else 7)
            for _ in range(4 * n)
        }
        case = Case(n, [(u, v, w if dtype == "float64" else int(w)) for (u, v), w in ends.items()], dtype)
        u, v = zip(*ends, strict=True)
        right = dijkstra(csr_array((list(ends.values()), (u, v)), shape=(n, n)), indices=0)
        got = [np.inf if d is None else d for d in Truth(case).distances([0])]
        assert got == right.tolist()


def test_the_oracle_knows_negative_cycles_and_the_canonical_tree():
    ring = [(0, 1, 4), (1, 2, -3), (2, 0, -2)]
    assert Truth(Case(3, ring, "int32")).distances([0]) is NegativeCycle
    truth = Truth(Case(3, [*ring[:2], (2, 0, -1)], "int32"))
    assert truth.distances([0]) == [0, 4, 1]
    ties = Truth(Case(5, [(0, 2, 1), (0, 1, 1), (2, 3, 1), (1, 3, 1), (3, 4, 0), (4, 3, 0)], "int32"))
    assert ties.tree([0], ties.distances([0])) == [-1, 0, 0, 1, 3]


def test_shortening_leaves_what_matters():
    assert shorten(list(range(100)), lambda items: {3, 77} <= set(items)) == [3, 77]
