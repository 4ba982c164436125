"""plan(), as a table: facts of a graph, a request and a machine, and what runs."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from steppe.planning import bytes as sizes
from steppe.planning import facts as facts_module
from steppe.planning.call import CALLS, Call
from steppe.planning.capabilities import CAPABILITIES, MANY_CAPABILITIES, METHODS
from steppe.planning.facts import DeviceFacts, Facts, Machine
from steppe.planning.options import Options
from steppe.planning.plan import EDGES_PER_THREAD, plan_for
from steppe.planning.request import Request
from steppe.planning.widths import TINY
from steppe.prepared import packed
from steppe.prepared.preparation import MADE, State

DEVICE = DeviceFacts(name="cuda:0", free=10**9, needs=dict.fromkeys(METHODS, 10**8))


def request(call, **given):
    """Return a request; what is no field of it is an option."""
    own = {name: given.pop(name) for name in ("device", "placed", "rows", "columns") if name in given}
    return Request(call=Call(call), options=Options(**given), **own)


def facts(vertices=1000, edges=TINY, **more):
    return Facts(vertices=vertices, edges=edges, **({"max_weight": 9, "typical_weight": 5.0} | more))


SPENT = {"packed": State(spent=10.0)}
BIG = facts(10**6, 10**7)
ROAD = facts(10**6, 25 * 10**5, roadlike=True, directed=False, prepared={"reverse": MADE})
ONES = facts(all_ones=True, max_weight=1, typical_weight=1.0)
NEGATIVE = facts(min_weight=-3, has_negative=True)

CASES = {
    # call, facts, request, machine: what the plan says
    "tiny": (
        "sssp",
        facts(edges=TINY - 1),
        {},
        {},
        {"method": "dijkstra", "engine": "cpu", "threads": 1, "delta": None},
    ),
    "not tiny": ("sssp", facts(), {}, {}, {"method": "delta-stepping", "engine": "cpu", "threads": 1}),
    "no edges": ("sssp", facts(edges=0), {}, {}, {"method": "dijkstra"}),
    "all ones": ("sssp", ONES, {}, {}, {"method": "bfs", "delta": None}),
    "all ones, on a device": ("sssp", ONES, {"device": DEVICE}, {}, {"method": "bfs", "engine": "device"}),
    "negative": ("sssp", NEGATIVE, {}, {"threads": 4, "idle": 4}, {"method": "bellman-ford", "threads": 1}),
    "hops of a weighted graph": ("bfs", NEGATIVE, {}, {}, {"method": "bfs", "engine": "cpu"}),
    "asked for": ("sssp", facts(), {"method": "frontier"}, {}, {"method": "frontier", "reason": "asked for"}),
    "Dijkstra in exact buckets": ("sssp", facts(), {"method": "dijkstra"}, {}, {"method": "dijkstra", "delta": 1.0}),
    "Dijkstra by a heap": ("sssp", facts(max_weight=5000), {"method": "dijkstra"}, {}, {"delta": None}),
    "Dijkstra of floats": ("sssp", facts(is_integer=False), {"method": "dijkstra"}, {}, {"delta": None}),
    "many threads": ("sssp", BIG, {}, {"threads": 8, "idle": 8}, {"threads": 8}),
    "busy CPUs": ("sssp", BIG, {}, {"threads": 8, "idle": 3}, {"threads": 3}),
    "few edges, two threads": ("sssp", ROAD, {}, {"threads": 2, "idle": 2}, {"threads": 2}),
    "a small road, eight threads": (
        *("sssp", facts(edges=700_000, vertices=300_000), {}),
        *({"threads": 8, "idle": 8}, {"threads": 2}),
    ),
    "few edges, four threads": ("sssp", ROAD, {}, {"threads": 4, "idle": 4}, {"threads": 4}),
    "too small for two": ("sssp", facts(edges=2 * EDGES_PER_THREAD - 1), {}, {"threads": 2, "idle": 2}, {"threads": 1}),
    "targets": ("sssp", BIG, {"targets": True}, {"threads": 8, "idle": 8}, {"threads": 1}),
    "matrices take all": ("distances", BIG, {"columns": 5}, {"threads": 8, "idle": 1}, {"threads": 8}),
    "a width": ("sssp", BIG, {"delta": 3.0}, {}, {"delta": 3.0}),
    "a width of few edges": ("sssp", ROAD, {}, {}, {"delta": 2.5}),
    "a width of many edges": ("sssp", BIG, {}, {}, {"delta": 5 / 10 / 16}),
    "a width for four": ("sssp", BIG, {}, {"threads": 4, "idle": 4}, {"delta": 5 / 10 / 8}),
    "a budget": ("sssp", BIG, {"memory_limit": 10**8}, {}, {"engine": "external", "method": "delta-stepping"}),
    "a budget, tiny": ("sssp", facts(edges=9), {"memory_limit": 10**8}, {}, {"method": "delta-stepping"}),
    "a file": ("sssp", facts(is_mapped=True), {}, {"memory": 10**9}, {"engine": "cpu"}),
    "a file larger than memory": (
        "sssp",
        facts(10**6, 10**7, is_mapped=True),
        {},
        {"memory": 10**8},
        {"engine": "external"},
    ),
    "far beyond the caches": ("sssp", facts(10**7, 10**8), {}, {}, {"engine": "external", "makes": ()}),
    "far beyond, but targets": ("sssp", facts(10**7, 10**8), {"targets": True}, {}, {"engine": "cpu"}),
    "far beyond, and prepared": (
        "sssp",
        facts(10**7, 10**8, prepared={"packed": MADE}),
        {},
        {},
        {"engine": "external"},
    ),
    "far beyond, prepared, hubs": (
        "sssp",
        facts(10**7, 10**8, prepared={"packed": MADE}, crowding=99.0),
        {},
        {},
        {"engine": "external"},
    ),
    "far beyond, hubs": (
        "sssp",
        facts(10**7, 10**8, typical_weight=32.0, crowding=32.0),
        {},
        {},
        {"delta": 16 / math.pow(32, 0.6)},
    ),
    "far beyond, prepared": (
        "sssp",
        facts(10**7, 10**8, typical_weight=16.0, prepared={"packed": MADE}),
        {},
        {},
        {"delta": 2.0},
    ),
    "far beyond, undirected": (
        "sssp",
        facts(10**7, 10**8, typical_weight=16.0, directed=False, prepared={"reverse": MADE}),
        {},
        {},
        {"delta": 2.0},
    ),
    "far beyond, in little memory": (
        "sssp",
        facts(10**7, 10**8, typical_weight=16.0, crowding=4.0),
        {"memory_limit": 1 << 30},
        {},
        {"delta": 8.0},
    ),
    "far beyond, often": ("sssp", facts(10**7, 10**8, prepared=SPENT), {}, {}, {"engine": "external", "makes": ()}),
    "large, but like a road": ("sssp", facts(10**7, 4 * 10**7, roadlike=True), {}, {}, {"engine": "cpu"}),
    "a device": (
        "sssp",
        BIG,
        {"device": DEVICE},
        {},
        {"engine": "device", "device": "cuda:0", "method": "delta-stepping"},
    ),
    "a device that is too small": (
        *("sssp", BIG, {"device": replace(DEVICE, free=10**6)}, {}),
        {"engine": "streamed", "bytes_needed": 10**6},
    ),
    "many edges a vertex on a device": (
        *("sssp", facts(10**5, 30 * 10**5), {"device": DEVICE}, {}),
        {"method": "frontier", "engine": "device"},
    ),
    "a width for many edges a vertex on a device": (
        *("sssp", facts(10**5, 30 * 10**5), {"device": DEVICE, "delta": 3.0}, {}),
        {"method": "delta-stepping", "delta": 2.0},
    ),
    "why this device": (
        *("sssp", BIG, {"device": DEVICE, "placed": "auto: large enough for a device"}, {}),
        {"note": "auto: large enough for a device"},
    ),
    "all pairs on a device": (
        *("all_pairs", BIG, {"device": DEVICE, "rows": 9, "columns": 9}, {}),
        {"method": "delta-stepping", "engine": "device"},
    ),
    "all pairs of ones": ("all_pairs", ONES, {"rows": 9, "columns": 9}, {}, {"method": "bfs"}),
    "a path": ("route", ROAD, {}, {}, {"method": "bidirectional", "threads": 1}),
    "a path with landmarks": ("route", facts(prepared={"landmarks": MADE}), {}, {}, {"method": "landmarks"}),
    "a path on a device": ("route", ROAD, {"device": DEVICE}, {}, {"method": "delta-stepping", "engine": "device"}),
    "the first search": ("sssp", BIG, {}, {}, {"makes": ()}),
    "searches have paid": ("sssp", facts(10**6, 10**7, prepared=SPENT), {}, {}, {"makes": ("packed",)}),
    "prepared already": ("sssp", facts(10**6, 10**7, prepared={"packed": MADE}), {}, {}, {"makes": ()}),
    "nothing may be prepared": (
        "sssp",
        facts(10**6, 10**7, prepared=SPENT),
        {},
        {"may_prepare": False},
        {"makes": ()},
    ),
    "no memory to prepare": ("sssp", facts(10**6, 10**7, prepared=SPENT), {}, {"memory": 3 * 10**8}, {"makes": ()}),
    "a row does not pay": ("distances", BIG, {"rows": 1, "columns": 9}, {}, {"makes": ()}),
    "a hundred rows pay": ("distances", BIG, {"rows": 100, "columns": 9}, {}, {"makes": ("packed",)}),
}


@pytest.mark.parametrize("name", CASES)
def test_plans(name):
    call, known, given, machine, expected = CASES[name]
    plan = plan_for(known, request(call, **given), Machine(**machine))
    assert {key: getattr(plan, key) for key in expected} == expected
    assert len(plan.reason) > 3
    assert plan.bytes_needed > 0


ERRORS = {
    "no such call": ("astar", BIG, {}, ValueError, "one of sssp"),
    "no such method": ("sssp", BIG, {"method": "magic"}, ValueError, "method must be one of auto, dijkstra"),
    "no such method of a matrix": ("distances", BIG, {"method": "frontier"}, ValueError, "method must be one of"),
    "heap on a device": ("sssp", BIG, {"method": "dijkstra", "device": DEVICE}, ValueError, "CPU only"),
    "heap on a file": ("sssp", BIG, {"method": "dijkstra", "memory_limit": 1}, ValueError, "another method"),
    "edge on the CPU": ("all_pairs", BIG, {"method": "edge-sweep"}, ValueError, "runs on a device"),
    "buckets for a matrix on a device": (
        "all_pairs",
        BIG,
        {"method": "dijkstra", "device": DEVICE},
        ValueError,
        "runs on the CPU",
    ),
    "hops of weights": ("sssp", BIG, {"method": "bfs"}, ValueError, "bfs counts edges"),
    "negative": ("sssp", NEGATIVE, {"method": "dijkstra"}, sp.NegativeWeightError, "bellman-ford"),
    "negative on a file": (
        "sssp",
        NEGATIVE,
        {"method": "dijkstra", "memory_limit": 1},
        sp.NegativeWeightError,
        "bellman",
    ),
    "negative route": ("route", NEGATIVE, {}, sp.NegativeWeightError, "bellman-ford"),
    "negative with a cutoff": ("sssp", NEGATIVE, {"cutoff": 5}, ValueError, "cutoff has no meaning"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_done(name):
    call, known, given, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        plan_for(known, request(call, **given), Machine())


def test_every_pair_of_the_table_can_be_planned_and_no_other():
    engines = {
        "cpu": {},
        "external": {"memory_limit": 10**9},
        "device": {"device": DEVICE},
        "streamed": {"device": replace(DEVICE, free=1)},
    }
    for call in map(Call, CALLS):
        table = MANY_CAPABILITIES if call.many else CAPABILITIES
        for engine, given in engines.items():
            for method in (*METHODS, "edge-sweep"):
                if call in (Call.BFS, Call.ROUTE) or (call.many and engine in ("external", "streamed")):
                    continue
                arguments = (ONES, request(call, method=method, columns=3, **given), Machine())
                if (engine, method) in table:
                    assert plan_for(*arguments).engine == engine
                else:
                    with pytest.raises(ValueError, match=r"method|CPU"):
                        plan_for(*arguments)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_asked_for_is_the_method_used(method):
    graph = sp.Graph.from_edges(np.arange(10), np.arange(1, 11), np.full(10, 1 if method == "bfs" else 2))
    explained = sp.sssp(graph, 0, method=method).verify().explain()
    assert (explained.method, explained.reason) == (method, "asked for")


def test_an_explanation_is_the_plan_and_what_was_measured():
    g = sp.generate.grid(300, 300, seed=1)
    for call, run in (
        ("sssp", lambda: sp.sssp(g, 0)),
        ("bfs", lambda: sp.bfs(g, 0)),
        ("nearest", lambda: sp.nearest(g, [0, 9])),
        ("route", lambda: sp.route(g, 0, 9)),
    ):
        plan, told = sp.plan(g, call), run().verify().explain()
        assert (told.method, told.reason, told.engine, told.bytes_needed) == (
            *(plan.method, plan.reason, plan.engine, plan.bytes_needed),
        )
        assert told.seconds > 0
        assert str(plan).split()[:2] == str(told).split()[:2] == ["method", plan.method]


def test_bytes_of_all_pairs_are_told_at_once():
    g = sp.generate.grid(400, 500)
    plan = sp.plan(g, "all_pairs", threads=2)
    assert 8 * 200_000**2 < plan.bytes_needed < 9 * 200_000**2
    assert sp.plan(g, "all_pairs", dtype="float32", threads=2).bytes_needed < plan.bytes_needed
    assert sp.plan(g, "all_pairs", out="x.npy", threads=2).bytes_needed < 10**9
    assert sp.plan(g, "distances", sources=10, targets=[1, 2], threads=2).bytes_needed < 2 * 10**7


def test_searches_prepare_when_they_have_cost_as_much(monkeypatch):
    edges = np.random.default_rng(1).integers(0, 2000, (2, 40_000))
    g = sp.Graph.from_edges(*edges, np.arange(40_000) % 97 + 1, num_vertices=2000)
    plain = sp.sssp(g, 0).distances
    seen = [sp.sssp(g, 0).explain().makes for _ in range(20)]
    assert seen.count(("packed",)) == 1
    assert seen.index(("packed",)) + 1 == pytest.approx(packed.searches(Facts(vertices=2000, edges=40_000)), abs=2)
    assert g.prepared["packed"].bytes > 0
    assert np.array_equal(sp.sssp(g, 0).distances, plain)
    monkeypatch.setenv("STEPPE_PREPARE", "0")
    other = sp.Graph.from_edges(*edges, np.arange(40_000) % 97 + 1, num_vertices=2000)
    assert not any(sp.sssp(other, 0).explain().makes for _ in range(20))
    monkeypatch.setenv("STEPPE_PREPARE", "maybe")
    with pytest.raises(ValueError, match="STEPPE_PREPARE"):
        sp.sssp(other, 0)


def test_hubs_are_seen_in_a_sample(monkeypatch):
    """How crowded the ends of edges are; nothing is looked at in graphs that are never searched in blocks."""
    star = sp.Graph.from_edges(np.arange(1, 3000), np.zeros(2999, int), directed=False)
    assert facts_module.facts_of(star).crowding == 1
    monkeypatch.setattr(facts_module, "CROWDING_FROM", 0)
    even = sp.generate.random(2000, 40_000, weights=(1, 9), seed=1)
    hubs = sp.generate.rmat(12, 16, weights=(1, 9), seed=1)
    assert facts_module.facts_of(even).crowding < 1.2
    d = hubs.degrees.astype(float)
    assert facts_module.facts_of(hubs).crowding == pytest.approx((d**2).mean() / d.mean() ** 2, rel=0.3)


def test_arrays_add_up():
    known = facts(1000, 5000)
    assert sizes.total(sizes.search(known, "dijkstra", record_paths=False, threads=1)) == 1000 * (8 + 4 + 2 * 8)
    assert sizes.total(sizes.search(known, "bfs", record_paths=False, threads=1, hops=True)) < 1000 * 13
    narrow = facts(1000, 3000, roadlike=True)
    assert sizes.total(sizes.search(narrow, "bfs", record_paths=False, threads=1, hops=True)) > 1000 * 20
    records = 32 * (1000 + 125)
    assert packed.estimate(facts(1000, 3000, roadlike=True)).bytes == records
    both = 2 * (8 * 3000 + 8 * 1000) + (4 + 4) * 3000 + 8 * 1001  # and the in-edges
    assert packed.estimate(facts(1000, 3000)).bytes == both


def test_the_table_in_the_docs_is_the_table_of_the_code():
    text = (Path(__file__).parents[1] / "docs" / "choosing.md").read_text()
    head = [
        cell.strip() for cell in re.search(r"^\| method \| weights (.*)\|$", text, re.MULTILINE).group(1).split("|")[1:]
    ]
    told = set()
    for method in METHODS:
        cells = re.search(rf"^\| `{method}` \| (?:not negative|any|length 1) (.*)\|$", text, re.MULTILINE).group(1)
        told |= {(e, method) for e, cell in zip(head, cells.split("|")[1:], strict=True) if cell.strip() == "yes"}
    assert told == set(CAPABILITIES)
