"""The finish by pulling in graphs of parts: rows sorted by weight, the answer of one machine, and workers lost around it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from cluster_workers import SUPERSTEPS, Mortal, questions, use, without_resends
from steppe import _core
from steppe.calls import partitioned
from steppe.cluster import search_worker
from steppe.cluster.rounds import Rounds
from steppe.cluster.workers import LocalWorkers
from steppe.files import partition as writing
from steppe.files.manifest import NAME, seal


class Listening(LocalWorkers):
    """Workers that note their supersteps."""

    def __init__(self, graph, workers):
        super().__init__(graph, workers)
        self.heard = []

    def exchange(self, method, inbox, *args):
        self.heard.append(method)
        return super().exchange(method, inbox, *args)


def pulled_at(patch, steps):
    """Have searches pull after these supersteps, whether or not it pays."""

    def next_step(self, reports):
        if self.step == "mirror":
            return "pull"
        return "mirror" if self.counts["supersteps"] in steps and self.question.pulls else "advance"

    patch.setattr(Rounds, "_next_step", next_step)
    patch.setattr(partitioned, "GHOST", 0)  # no matter how many ghosts there are


@pytest.mark.parametrize("weights", [(1, 255), (1, 2**30), "float32", "float64"])
@pytest.mark.parametrize("by", ["range", "locality"])
def test_a_dense_graph_is_finished_by_pulling(tmp_path, monkeypatch, weights, by):
    graph = sp.generate.rmat(14, 16, weights=weights, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=3, by=by)
    assert g.is_sorted
    team = use(monkeypatch, g, chosen=Listening(g, 2))
    monkeypatch.setattr(search_worker, "FIRST_ESTIMATE", 1 << 12)
    source = int(np.argmax(graph.degrees))
    found, right = sp.sssp(g, source), sp.sssp(graph, source)
    searched = team.heard[:]
    assert np.array_equal(found.distances, right.distances)
    assert np.array_equal(found.predecessors, right.predecessors)
    found.verify()
    assert all(searched[i + 1] == "pull" for i, name in enumerate(searched) if name == "mirror")
    assert "mirror" in searched
    assert found.explain().edges_relaxed < graph.num_edges  # that is what it is for
    assert found.explain().supersteps == len([name for name in searched if name in SUPERSTEPS])


def test_where_rows_stay_as_they_are(tmp_path, monkeypatch):
    directed = sp.generate.rmat(8, 16, seed=1, directed=True)
    for name, graph in (("grid", sp.generate.grid(9, 9, seed=1)), ("directed", directed)):
        g = sp.partition(graph, tmp_path / name, parts=2)
        assert not g.is_sorted
        assert np.array_equal(g.part(0).graph.weights, graph.weights[: g.part(0).graph.num_edges])
        team = use(monkeypatch, g, chosen=Listening(g, 2))
        assert np.array_equal(sp.sssp(g, 3).verify().distances, sp.sssp(graph, 3).distances)
        assert not set(team.heard) & {"mirror", "pull"}


def test_a_folder_that_says_nothing_of_sorted_rows(tmp_path):
    graph = sp.generate.rmat(8, 16, seed=1)
    folder = sp.partition(graph, tmp_path / "g", parts=2).folder
    manifest = json.loads((folder / NAME).read_bytes())["manifest"]
    del manifest["sorted"]
    (folder / NAME).write_bytes(json.dumps({"manifest": manifest, "digest": seal(manifest)}).encode())
    g = sp.open_partitioned(folder)
    assert not g.is_sorted
    assert np.array_equal(sp.sssp(g, 3).verify().distances, sp.sssp(graph, 3).distances)


def test_ghosts_may_be_too_many(tmp_path, monkeypatch):
    """Then supersteps are as wide as anywhere: looking for the moment to pull makes them more."""
    graph = sp.generate.rmat(10, 16, seed=1)
    monkeypatch.setattr(search_worker, "FIRST_ESTIMATE", 1)
    steps = []
    for parts in (2, 16):
        g = sp.partition(graph, tmp_path / f"{parts}", parts=parts)
        team = use(monkeypatch, g, chosen=Listening(g, 2))
        assert np.array_equal(sp.sssp(g, 3).verify().distances, sp.sssp(graph, 3).distances)
        steps.append(team.heard.count("advance"))
        assert (6 * g.num_ghosts < g.num_edges) == (parts == 2)
    assert steps[0] > steps[1]


@pytest.mark.parametrize("weights", [(0, 3), (1, 2**30), "float32", "float64", "int64"])
def test_rows_are_sorted_and_the_same(tmp_path, weights):
    wide = weights == "int64"
    graph = sp.generate.rmat(9, 16, weights=(0, 1000) if wide else weights, seed=1)
    if wide:
        graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights.astype(np.int64) << 33, directed=False)
    g = sp.partition(graph, tmp_path / "g", parts=3)
    for number in range(3):
        part = g.part(number)
        rows, ghosts = part.graph, np.asarray(part.ghosts)
        for v in range(part.own):
            mine, theirs = (slice(*r.indptr[u : u + 2]) for r, u in ((rows, v), (graph, part.first + v)))
            assert (np.diff(rows.weights[mine]) >= 0).all()
            at = rows.indices[mine].astype(np.int64)
            inside = at < part.own
            at[inside] += part.first
            at[~inside] = ghosts[at[~inside] - part.own]
            found = sorted(zip(at.tolist(), rows.weights[mine].tolist(), strict=True))
            assert found == sorted(zip(graph.indices[theirs].tolist(), graph.weights[theirs].tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(
    question=questions(),
    workers=st.integers(1, 4),
    steps=st.sets(st.integers(0, 5), min_size=1, max_size=3),
    delta=st.sampled_from([1e-3, 1.0, 20.0, 1e9]),
    cutoff=st.sampled_from([None, None, 1, 30, 0.75]),
    deaths=st.sets(st.tuples(st.integers(0, 7), st.integers(0, 3)), max_size=4),
)
def test_pulled_at_any_superstep(tmp_path_factory, question, workers, steps, delta, cutoff, deaths):
    """Also where it does not pay, several times, and with workers lost before, between and after."""
    graph, parts, by, sources = question
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "SPARSE", 0)
        g = sp.partition(graph, tmp_path_factory.mktemp("p") / "g", parts=parts, by=by)
        assert g.is_sorted == (not graph.directed and graph.weights is not None)
        pulled_at(patch, steps)
        use(patch, g, chosen=Mortal(g, workers, deaths))
        found, right = sp.sssp(g, sources[0], delta=delta, cutoff=cutoff), sp.sssp(graph, sources[0], cutoff=cutoff)
        assert np.array_equal(found.distances, right.distances)
        assert np.array_equal(found.predecessors, right.predecessors)
        found.verify()


def swept(graph, g, monkeypatch, change=lambda rounds: rounds):
    """Every superstep × every victim, and how many vertices were wrong."""
    source = int(np.argmax(graph.degrees))
    right = sp.sssp(graph, source).distances
    pulled_at(monkeypatch, {2, 4})
    team = use(monkeypatch, g, chosen=Listening(g, 3))
    steps = sp.sssp(g, source).explain().supersteps
    assert "pull" in team.heard
    wrong = 0
    for step in range(steps):
        for victim in range(3):
            use(monkeypatch, g, chosen=Mortal(g, 3, [(step, victim)]))
            with monkeypatch.context() as patch:
                patch.setattr(partitioned, "Rounds", lambda *a, **k: change(Rounds(*a, **k)))
                found = sp.sssp(g, source)
            assert found.explain().restarts == 1
            wrong += int((found.distances != right).sum())
    return wrong


def test_every_superstep_and_every_victim(tmp_path, monkeypatch):
    graph = sp.generate.rmat(9, 16, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=4)
    assert swept(graph, g, monkeypatch) == 0
    assert swept(graph, g, monkeypatch, without_resends) > 0


def test_what_was_read_must_be_pushed_again(tmp_path, monkeypatch):
    """The control: survivors that tell again what they told, but do not relax what others read, leave a new worker without it."""
    graph = sp.generate.rmat(9, 16, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=4)
    monkeypatch.setattr(_core.Part, "wake", lambda self: None)
    assert swept(graph, g, monkeypatch) > 0


def test_arrays_that_do_not_fit(tmp_path):
    g = sp.partition(sp.generate.rmat(6, 16, seed=1), tmp_path / "g", parts=2)
    part = g.part(0)
    search = _core.part_search(part.graph._native, part.own, False, 255.0, 1.0, None, True)
    with pytest.raises(ValueError, match="more ghosts than there are"):
        search.mirror(1, np.zeros(len(part.ghosts), dtype=np.uint32))
    with pytest.raises(ValueError, match="another type"):
        search.mirror(0, np.zeros(1, dtype=np.uint64))
    with pytest.raises(ValueError, match="offsets that do not belong"):
        _core.sort_rows(np.array([0, 3]), np.zeros(2, dtype=np.int32), np.zeros(2, dtype=np.int32))
