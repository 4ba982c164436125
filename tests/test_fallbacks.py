"""The plan decides what runs: engines change no method, and what ran in place of one is read in the explanation."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from steppe.calls.partitioned import facts_of_parts
from steppe.cpu import many
from steppe.planning.call import Call
from steppe.planning.capabilities import CAPABILITIES, FALLBACKS, MANY_CAPABILITIES, MANY_METHODS, METHODS
from steppe.planning.facts import DeviceFacts, Facts, Machine
from steppe.planning.options import Options
from steppe.planning.plan import plan_for
from steppe.planning.request import Request

SOURCE = Path(sp.__file__).parent


def rows_of(graph, **options):
    """Return a matrix from some vertices, and its explanation."""
    some = np.arange(0, graph.num_vertices, 1 + graph.num_vertices // 90)
    matrix = sp.distances(graph, some, predecessors=True, threads=1, device="cpu", **options)
    return matrix.distances, matrix.explain()


def path_of(weights):
    n = len(weights)
    return sp.Graph.from_edges(np.arange(n), np.arange(1, n + 1), np.array(weights))


FAR = path_of([2**62, 2**62, 1])
"""From one end to the other more than 2⁶³: within a cutoff everything fits."""

CASES = {
    # method: a graph of which it leaves some rows, or all; options; how many; words of the reason
    "contraction": (FAR, {"cutoff": 2**62}, 4, "not contracted"),
    "floyd-warshall": (FAR, {"cutoff": 2**63 - 2}, 4, "does not fit in 64 bits"),
    "essential-edges": (FAR, {"cutoff": 2**63 - 2}, 4, "does not fit in 64 bits"),
    "batched": (sp.generate.grid(60, 60, seed=1), {}, None, "too many edges"),
    "johnson": (path_of([2**62, -1]), {}, 3, "too large"),
}


@pytest.mark.parametrize("method", FALLBACKS)
def test_every_fallback_is_read_in_the_explanation(method):
    graph, options, rows, why = CASES[method]
    expected, plain = rows_of(graph, method=FALLBACKS[method], **options)
    found, told = rows_of(graph, method=method, **options)
    assert np.array_equal(found, expected)
    assert plain.fallback == ""
    assert (told.method, told.reason) == (method, "asked for")
    assert told.fallback.startswith(f"{FALLBACKS[method]} for {rows or ''}")
    assert why in told.fallback
    assert told.fallback in str(told)
    plan = sp.plan(graph, "distances", method=method, threads=1, **options)
    assert (plan.method, plan.fallback) == (method, FALLBACKS[method])
    assert f"fallback      {FALLBACKS[method]}\n" in str(plan)


def test_methods_that_did_all_tell_of_no_fallback():
    graph = sp.generate.random(200, 2000, weights=(1, 9), seed=1)
    for method in FALLBACKS:
        _, told = rows_of(graph, method=method)
        assert (told.method, told.fallback) == ("delta-stepping" if method == "johnson" else method, "")


GRAPHS = {
    "weights": sp.generate.random(300, 3000, weights=(1, 9), seed=1),
    "ones": sp.generate.random(300, 3000, weights=None, seed=1),
    "negative": sp.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [4, -2, 5, 9]),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize(
    "options", [{}, {"threads": 2, "record_paths": True}, {"memory_limit": "1GB"}, {"targets": [2]}]
)
def test_searches_run_the_method_of_the_plan(graph, method, options):
    try:
        plan = sp.plan(graph, "sssp", method=method, **options)
    except ValueError as error:
        with pytest.raises(type(error)):
            sp.sssp(graph, 0, method=method, **options)
        return
    told = sp.sssp(graph, 0, method=method, **options).verify().explain()
    assert (told.method, told.engine, told.bins, told.fallback) == (plan.method, plan.engine, plan.bins, "")


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("method", ["auto", *MANY_METHODS])
@pytest.mark.parametrize("options", [{}, {"pairs": True}])
def test_matrices_run_the_method_of_the_plan(graph, method, options, monkeypatch):
    """What calls the core is watched: the method that it is asked for is the plan's, or the plan's fallback."""
    every = list(range(4))
    try:
        plan = sp.plan(graph, "distances", sources=every, targets=every, method=method, threads=1, **options)
    except ValueError as error:
        with pytest.raises(type(error)):
            sp.distances(graph, every, every, method=method, threads=1, **options)
        return
    ran = []
    for name in ("_by_searches", "_native"):
        own = getattr(many, name)
        monkeypatch.setattr(many, name, lambda g, q, m, *rest, own=own: (ran.append(m), own(g, q, m, *rest))[1])
    for name, own in many.AT_ONCE.items():
        monkeypatch.setitem(many.AT_ONCE, name, lambda *given, name=name, own=own: (ran.append(name), own(*given))[1])
    found = sp.distances(graph, every, every, method=method, threads=1, **options)
    assert np.array_equal(found, sp.distances(graph, every, every, method="bellman-ford", **options))
    assert ran[0] == plan.method
    if plan.method != "johnson":  # whose changed graph has a plan of its own
        assert set(ran[: len(ran) // 2]) <= {plan.method, plan.fallback, "bellman-ford"}


def test_what_a_form_leaves_no_choice_of_is_said_by_the_plan():
    g = GRAPHS["weights"]
    every = list(range(4))
    pairs = sp.plan(g, "distances", sources=every, targets=every, pairs=True, method="batched")
    assert (pairs.method, "batched" in pairs.reason) == ("delta-stepping", True)
    assert sp.plan(g, "distances", sources=every, method="johnson").method == "delta-stepping"
    known = Facts(vertices=300, edges=3000)
    for method, ran in {
        "batched": "delta-stepping",
        "johnson": "delta-stepping",
        "bellman-ford": "bellman-ford",
    }.items():
        options = Options(along=["metres"], method=method)
        request = Request(call=Call.DISTANCES, options=options, rows=4, columns=4)
        assert plan_for(known, request, Machine()).method == ran


def test_bins_are_decided_where_the_width_is():
    """A graph far beyond the caches: with memory for bins it has them and their width, with less the sweep and its own."""
    known = Facts(vertices=10**7, edges=10**8, typical_weight=16.0, crowding=32.0)
    request = Request(call=Call.SSSP)
    in_file = replace(known, is_mapped=True)
    much, little, mapped = (
        plan_for(facts, request, Machine(memory=memory))
        for facts, memory in ((known, 10**10), (known, 10**8), (in_file, 9 * 10**8))
    )
    assert [plan.engine for plan in (much, little, mapped)] == ["external"] * 3
    assert [plan.bins for plan in (much, little, mapped)] == [True, False, False]
    assert much.delta < little.delta == mapped.delta == 8.0
    assert plan_for(in_file, request, Machine(memory=10**10)).bytes_needed > mapped.bytes_needed


def test_a_device_and_parts_have_widths_in_the_plan(tmp_path):
    known = Facts(vertices=1000, edges=8000, typical_weight=5.0, max_weight=9)
    device = DeviceFacts(name="cuda:0", free=10**9)
    request = Request(call=Call.SSSP, device=device)
    plan = plan_for(known, request, Machine())
    assert (plan.method, plan.delta, plan.fallback) == ("delta-stepping", 4.0, "streamed")
    assert plan_for(known, replace(request, device=replace(device, width=16.0)), Machine()).delta == 8.0
    assert plan_for(known, replace(request, options=Options(delta=100.0)), Machine()).delta == 64.0
    parts = sp.partition(GRAPHS["weights"], tmp_path / "parts", parts=2)
    plan, told = sp.plan(parts, "sssp"), sp.sssp(parts, 0).explain()
    known = facts_of_parts(parts)
    assert plan.part_delta == pytest.approx(known.typical_weight / known.degree / 16)
    assert (told.delta, told.part_delta, told.pulls) == (plan.delta, plan.part_delta, plan.pulls)
    assert sp.plan(parts, "bfs").part_delta == 1.0
    assert [
        plan_for(replace(known, can_pull=pull), Request(call=Call.SSSP), Machine()).pulls for pull in (False, True)
    ] == [False, True]


NAMES = {*METHODS, *MANY_METHODS}


@pytest.mark.parametrize("room", ["cpu", "gpu", "cluster", "calls"])
def test_no_engine_assigns_a_method(room):
    """Inside their functions no name is given the name of a method: a method comes from the plan alone."""
    assert {name for _, name in (*CAPABILITIES, *MANY_CAPABILITIES)} == NAMES
    seen = 0
    for file in (SOURCE / room).rglob("*.py"):
        tree = ast.parse(file.read_text())
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            seen += 1
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign)
                    and node.value is not None
                ):
                    named = {
                        c.value
                        for c in ast.walk(node.value)
                        if isinstance(c, ast.Constant) and isinstance(c.value, str)
                    }
                    compared = {
                        c.value
                        for part in ast.walk(node.value)
                        if isinstance(part, ast.Compare | ast.Call)
                        for c in ast.walk(part)
                        if isinstance(c, ast.Constant)
                    }
                    assert not named & NAMES - compared, f"{file.name}:{node.lineno} chooses a method"
    assert seen > 20
