"""Preparations, all that are in the registry: answers stay, bytes are told and freed, and threads, forks and failures do no harm."""

import gc
import os
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE, SANITIZER
from steppe.planning.capabilities import MANY_METHODS, METHODS
from steppe.planning.facts import facts_of
from steppe.prepared import registry
from steppe.prepared.account import VERTEX, search_seconds
from steppe.prepared.making import forget, make
from steppe.prepared.preparation import Made
from test_johnson import turned_negative

NAMES = tuple(known.name for known in registry.PREPARATIONS)


def one_way(g):
    """The same graph, but for one street that is longer one way."""
    weights = g.weights.copy()
    weights[0] += 1
    return sp.Graph.from_csr(g.indptr, g.indices, weights)


GRAPHS = {
    "roads": lambda n=2000: sp.generate.road(n, seed=1),
    "one-way roads": lambda n=2000: one_way(sp.generate.road(n, seed=1)),
    "random": lambda n=2000: sp.generate.random(n, 20 * n, weights=(1, 99), seed=1),
    "floats": lambda n=2000: sp.generate.random(n, 20 * n, weights="float32", seed=1),
    "undirected": lambda n=2000: sp.generate.rmat(n.bit_length(), 8, weights=(1, 99), seed=1),
    "negative": lambda n=2000: turned_negative(1, n, 10 * n),
}
SUITED = [
    (name, kind)
    for kind, graph in GRAPHS.items()
    for name in NAMES
    if not registry.preparation(name).suits(facts_of(graph(300)))
]
FIRST = dict(reversed(SUITED))
"""A kind of graph for each."""


def answers(g, call, methods=()):
    """What a call answers, by each of these methods that it has, and by whichever it likes."""
    if call in ("sssp", "nearest", "distances", "all_pairs"):
        many = call in ("distances", "all_pairs")
        known = [m for m in methods if m in (MANY_METHODS if many else METHODS) and m != "bfs"]
        known = ["johnson"] if g.has_negative else known
        for method in ("auto",) if g.has_negative and not many else ("auto", *known):
            options = {"device": "cpu", "method": method}
            if call == "sssp":
                yield sp.sssp(g, 0, **options).distances
            elif call == "nearest":
                yield sp.nearest(g, [0, 7], **options).distances
            else:
                yield sp.distances(g, [0, 7, 7, 50], **options)
    elif call == "bfs":
        yield sp.bfs(g, 0, device="cpu").distances
    elif call == "route":
        yield from (np.array(sp.route(g, s, s * 7 % 300).distance) for s in range(0, 300, 9))


def all_answers(g, name):
    known = registry.preparation(name)
    return [x for call in known.serves for x in answers(g, call, known.methods)]


def same(some, others):
    return len(some) == len(others) and all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def test_the_registry_is_in_order():
    assert len(set(NAMES)) == len(NAMES)
    assert set(FIRST) == set(NAMES)
    for place, known in enumerate(registry.PREPARATIONS):
        assert set(known.requires) <= set(NAMES[:place])
        assert known.serves
        assert known.methods


@pytest.mark.parametrize(("name", "kind"), SUITED)
def test_answers_are_the_same_with_and_without(name, kind, monkeypatch):
    g = GRAPHS[kind]()
    with monkeypatch.context() as patch:
        patch.setenv("STEPPE_PREPARE", "0")
        before = all_answers(GRAPHS[kind](), name)
    assert before
    g.prepare(name)
    assert name in g.prepared or g.prepared.slot(name).reason, g.prepared
    assert same(all_answers(g, name), before)
    g.forget(name)
    assert name not in g.prepared
    assert same(all_answers(g, name), before)


@pytest.mark.parametrize(("name", "kind"), SUITED)
def test_what_is_kept_is_what_was_estimated(name, kind):
    g = GRAPHS[kind](60_000)
    estimate = registry.preparation(name).estimate(facts_of(g))
    g.prepare(name)
    made = g.prepared.get(name)
    if made is None:
        assert g.prepared.slot(name).reason
        return
    assert made.bytes <= 1.3 * estimate.bytes + (4 << 20)
    assert estimate.bytes <= 1.3 * made.bytes + (4 << 20)
    assert made.seconds > 0
    assert name in repr(g.prepared)
    assert f"{made.bytes:,} bytes" in repr(g.prepared)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_forgotten_is_free(name):
    g = GRAPHS[FIRST[name]]()
    gc.collect()
    gc.disable()
    try:
        all_answers(g.prepare(name), name)
        value = g.prepared[name].value
        g.forget(name)
        assert sys.getrefcount(value) == 2  # here, and as the argument
        assert repr(name) not in repr(list(g.prepared))
    finally:
        gc.enable()


def maker(monkeypatch, name, make):
    """Have a preparation made by another function, which is given the true maker, too."""
    known = registry.preparation(name)
    other = replace(known, make=lambda *arguments: make(known.make, *arguments))
    monkeypatch.setattr(registry, "PREPARATIONS", tuple(other if x is known else x for x in registry.PREPARATIONS))


@pytest.mark.parametrize("name", NAMES)
def test_two_threads_ask_at_once(name, monkeypatch):
    """It is made once; who does not need it goes on meanwhile, who does waits."""
    begun, go_on, made, found = threading.Event(), threading.Event(), [], []

    def slowly(true_make, *arguments):
        made.append(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return true_make(*arguments)

    maker(monkeypatch, name, slowly)
    g = GRAPHS[FIRST[name]]()
    threads = [threading.Thread(target=lambda: found.append(make(g, name))) for _ in range(3)]
    threads[0].start()
    assert begun.wait(PATIENCE)
    assert "is being made" in repr(g.prepared)
    assert make(g, name, wait=False) is None
    if name != "reverse":  # is_symmetric needs it, and so does a route
        assert same(list(answers(g, "sssp")), list(answers(GRAPHS[FIRST[name]](), "sssp")))
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(made) == 1
    assert [x is g.prepared[name] for x in found] == [True] * 3


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("name", NAMES)
def test_a_maker_that_fails_leaves_the_graph_as_it_was(name, error, monkeypatch):
    expected = all_answers(GRAPHS[FIRST[name]](), name)
    g = GRAPHS[FIRST[name]]()
    fails = [1]

    def failing(true_make, *arguments):
        if fails:
            raise error
        return true_make(*arguments)

    maker(monkeypatch, name, failing)
    with pytest.raises(error):
        g.prepare(name)
    assert g.prepared.slot(name).state.status == "absent"
    assert g.prepared.slot(name).maker == 0
    fails.clear()
    assert same(all_answers(g, name), expected)
    assert name in g.prepare(name).prepared


def test_a_search_goes_on_without_what_could_not_be_made(monkeypatch):
    def full(_true_make, *_arguments):
        raise MemoryError

    g = GRAPHS["random"]()
    expected = sp.sssp(g, 0).distances
    maker(monkeypatch, "packed", full)
    g.prepared.slot("packed").spent = 1e3
    assert sp.plan(g, "sssp").makes == ("packed",)
    paths = sp.sssp(g, 0)
    assert np.array_equal(paths.distances, expected)
    assert "without packed: MemoryError" in paths.explain().note
    assert paths.explain().makes == paths.explain().uses == ()
    assert sp.plan(g, "sssp").makes == ()  # it has to be earned again
    assert g.prepared.slot("packed").spent < 1
    assert 0 < sp.plan(g, "sssp").missing["packed"] < registry.preparation("packed").estimate(facts_of(g)).seconds


def test_rows_go_on_without_what_could_not_be_made(monkeypatch):
    """Neither a contraction that was given up nor a want of memory ends the call; searches take its place, in packed rows if there are any."""
    expected = sp.distances(GRAPHS["roads"](), range(9), method="dijkstra")
    for fails in (("contraction",), ("contraction", "packed")):
        with monkeypatch.context() as patch:
            for name in fails:
                error = [] if name == "contraction" else [MemoryError]
                maker(patch, name, lambda *_, error=error: None if not error else (_ for _ in ()).throw(error[0]))
            g = GRAPHS["roads"]()
            found = sp.distances(g, range(9), method="contraction", predecessors=True)
        assert np.array_equal(found.distances, expected)
        assert "without contraction" in found.explain().note
        assert found.explain().uses == ()
        assert ("packed" in g.prepared) == (len(fails) == 1)


def test_nothing_is_made_where_it_is_forbidden(monkeypatch):
    for name, call, options in (
        ("packed", "sssp", {}),
        ("contraction", "distances", {"sources": 2}),
    ):
        g = GRAPHS[FIRST[name]](20_000)
        g.prepared.slot(name).spent = 1e3
        assert sp.plan(g, call, **options).makes == (name,)
        with monkeypatch.context() as patch:
            patch.setenv("STEPPE_PREPARE", "0")
            assert sp.plan(g, call, **options).makes == ()
        assert sp.plan(g, call, memory_limit=1000, **options).makes == ()
    g = GRAPHS["roads"]()
    with monkeypatch.context() as patch:
        patch.setenv("STEPPE_PREPARE", "0")
        sp.route(g, 0, 5)
        g.prepared.slot("landmarks").spent = 1e3
        sp.route(g, 0, 5)
        assert "landmarks" not in g.prepared
    g.prepared.slot("landmarks").spent = 1e3
    sp.route(g, 0, 5)
    assert "landmarks" in g.prepared


def test_what_was_refused_is_tried_with_four_times_as_much(monkeypatch):
    limits = []
    maker(monkeypatch, "contraction", lambda _make, _graph, limit, _threads: limits.append(limit))
    g = GRAPHS["roads"]()
    for limit in (1.0, 2.0, 3.9, 4.0):
        assert make(g, "contraction", limit=limit) is None
    assert limits == [1.0, 4.0]
    assert g.prepared.slot("contraction").state.limit == 4.0
    assert "given up after 4 s" in repr(g.prepared)


FORK = """
import os, sys, threading, warnings
import numpy as np
warnings.simplefilter("ignore", DeprecationWarning)
sys.path.insert(0, "tests")
import steppe as sp
import test_prepared as t
from dataclasses import replace
from steppe.prepared import registry
from steppe.prepared.making import make

parent = os.getpid()
for name, kind in t.FIRST.items():
    expected = t.all_answers(t.GRAPHS[kind](), name)
    begun, go_on, known, kept = threading.Event(), threading.Event(), registry.preparation(name), registry.PREPARATIONS

    def slowly(*arguments):
        if os.getpid() == parent:
            begun.set()
            go_on.wait()
        return known.make(*arguments)

    registry.PREPARATIONS = tuple(replace(x, make=slowly) if x is known else x for x in kept)
    g = t.GRAPHS[kind]()
    thread = threading.Thread(target=make, args=(g, name))
    thread.start()
    begun.wait()
    pid = os.fork()
    if pid == 0:
        import signal
        signal.alarm(60)
        fine = "is being made" not in repr(g.prepared) and t.same(t.all_answers(g, name), expected) and make(g, name) is not None
        os._exit(0 if fine else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    go_on.set()
    thread.join()
    registry.PREPARATIONS = kept
    print(name, code, t.same(t.all_answers(g, name), expected))
"""


@pytest.mark.skipif(not hasattr(os, "fork") or SANITIZER is not None, reason="no fork here, or a sanitizer")
def test_a_child_makes_what_a_thread_of_its_parent_was_making():
    done = subprocess.run(
        [sys.executable, "-c", FORK],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.splitlines() == [f"{name} 0 True" for name in FIRST], done.stderr


def searches(g):
    """Estimated seconds of each search, one after the other, in packed rows or not; and what was made on the way."""
    while True:
        told = sp.sssp(g, 0, device="cpu", method="delta-stepping", threads=1).explain()
        made = sum(estimate.seconds for estimate in told.making.values())
        share = told.edges_touched / g.num_edges
        yield made + share * search_seconds(g.num_edges, g.num_vertices, packed=bool(told.uses))


def queries(g):
    rng = np.random.default_rng(1)
    price = registry.preparation("landmarks").estimate(facts_of(g)).seconds
    while True:
        before = "landmarks" in g.prepared
        settled = sp.route(g, *rng.integers(0, g.num_vertices, 2).tolist()).settled
        yield settled * VERTEX + price * ("landmarks" in g.prepared and not before)


def rows(g):
    from steppe.prepared.contraction import row_seconds

    facts, sources = facts_of(g), [0, 5]
    while True:
        plan = sp.plan(g, "distances", sources=sources, threads=1)
        sp.distances(g, sources, threads=1)
        made = sum(estimate.seconds for name, estimate in plan.making.items() if name == "contraction")
        swept = row_seconds(facts, g.num_vertices)
        yield made + 2 * (swept if "contraction" in plan.uses else search_seconds(g.num_edges, g.num_vertices))


@pytest.mark.parametrize(
    ("name", "kind", "n", "calls", "most"),
    [
        ("packed", "random", 2000, searches, 40),
        ("landmarks", "roads", 2000, queries, 400),
        ("contraction", "roads", 20_000, rows, 200),
    ],
)
def test_all_calls_together_take_at_most_twice_the_better_of_never_and_at_once(name, kind, n, calls, most, monkeypatch):
    """In work, not in time, for any number of calls."""
    g = GRAPHS[kind](n)
    planned = np.cumsum(list(islice(calls(g), most)))
    assert name in g.prepared
    ready = GRAPHS[kind](n).prepare(name)
    price = registry.preparation(name).estimate(facts_of(GRAPHS[kind](n))).seconds
    at_once = price + np.cumsum(list(islice(calls(ready), most)))
    monkeypatch.setenv("STEPPE_PREPARE", "0")
    plain = GRAPHS[kind](n)
    never = np.cumsum(list(islice(calls(plain), most)))
    assert name not in plain.prepared
    assert at_once[-1] < never[-1]  # it is of use
    assert (planned / np.minimum(never, at_once)).max() <= 2.2


def test_what_depends_on_the_edges_only_belongs_to_the_shape(monkeypatch):
    count = []

    def counted(graph, limit, threads):
        count.append(graph)
        return Made(len(count), 8)

    base = registry.preparation("packed")
    order = replace(base, name="order", level="shape", make=counted, drop=lambda graph: None, methods={})
    lengths = replace(order, name="lengths", level="weights", requires=("order",))
    monkeypatch.setattr(registry, "PREPARATIONS", (*registry.PREPARATIONS, order, lengths))
    monkeypatch.setattr("steppe.prepared.making.PREPARATIONS", registry.PREPARATIONS)
    monkeypatch.setattr("steppe.prepared.kept.PREPARATIONS", registry.PREPARATIONS)
    g = GRAPHS["random"]()
    h = g.with_weights(None).prepare("lengths")
    assert [x is h for x in count] == [True, True]
    assert g.prepared["order"] is h.prepared["order"]
    assert (list(g.prepared), list(h.prepared)) == (["order"], ["order", "lengths"])
    assert g.prepare("lengths").prepared["lengths"].value == 3
    forget(h, "order")
    assert list(g.prepared) == ["lengths"]
    assert list(h.prepared) == []
