"""Searches in parts, driven by plain Python without a cluster: bit for bit what one machine finds, in any parts and by any number of workers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from cluster_workers import Mortal, questions, use, without_resends
from steppe.calls import partitioned
from steppe.cluster.part_state import PartState

BIG = 2**62


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "delta": st.sampled_from([1e-3, 1.0, 50.0, 1e9]),
        "cutoff": st.sampled_from([0, 1, 30, 0.75, 1e12]),
    },
)


@settings(max_examples=100, deadline=None)
@given(question=questions(), options=OPTIONS, workers=st.integers(1, 4))
def test_the_answer_of_one_machine(tmp_path_factory, question, options, workers):
    graph, parts, by, sources = question
    g = sp.partition(graph, tmp_path_factory.mktemp("p") / "g", parts=parts, by=by)
    with pytest.MonkeyPatch.context() as patch:
        use(patch, g, workers)
        for found, right in (
            (sp.sssp(g, sources[0], **options), sp.sssp(graph, sources[0], **options)),
            (
                sp.bfs(g, sources[0], cutoff=options.get("cutoff")),
                sp.bfs(graph, sources[0], cutoff=options.get("cutoff")),
            ),
        ):
            assert found.distances.dtype == right.distances.dtype
            assert np.array_equal(found.distances, right.distances)
            assert np.array_equal(found.predecessors, right.predecessors)
            assert np.array_equal(found.reachable, right.reachable)
            assert found.verify() is found
            for v in range(graph.num_vertices):
                assert found.distance(v) == right.distance(v)
                assert found.predecessor(v) == right.predecessor(v)
                if right.reachable[v]:
                    assert found.path(v).tolist() == right.path(v).tolist()
                else:
                    with pytest.raises(sp.NoPathError):
                        found.path(v)
        found, right = sp.nearest(g, sources, **options), sp.nearest(graph, sources, **options)
        assert np.array_equal(found.distances, right.distances)
        assert np.array_equal(found.source_index, right.source_index)
        found.verify()


@settings(max_examples=40, deadline=None)
@given(question=questions(), data=st.data(), delta=st.sampled_from([1e-3, 5.0, 1e9]))
def test_workers_that_lose_everything(tmp_path_factory, question, data, delta):
    graph, parts, by, sources = question
    g = sp.partition(graph, tmp_path_factory.mktemp("p") / "g", parts=parts, by=by)
    deaths = data.draw(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 3)), max_size=6))
    with pytest.MonkeyPatch.context() as patch:
        team = use(patch, g, chosen=Mortal(g, 4, deaths))
        found, right = sp.sssp(g, sources[0], delta=delta), sp.sssp(graph, sources[0])
        assert np.array_equal(found.distances, right.distances)
        assert np.array_equal(found.predecessors, right.predecessors)
        found.verify()
        assert (
            found.explain().restarts == len({d for d in team.deaths if d[0] < team.step})
            or found.predecessors is not None
        )


def swept(graph, g, workers, monkeypatch, *, resends=True):
    """Every superstep × every victim: (wrong vertices, cases, cases in which the victim had something to lose)."""
    team = use(monkeypatch, g, chosen=Mortal(g, workers))
    right = sp.sssp(graph, 0).distances
    steps = sp.sssp(g, 0, delta=300).explain().supersteps
    wrong = cases = held = 0
    for step in range(steps):
        for victim in range(workers):
            team = use(monkeypatch, g, chosen=Mortal(g, workers, [(step, victim)]))
            with monkeypatch.context() as patch:
                if not resends:
                    rounds = partitioned.Rounds
                    patch.setattr(
                        partitioned, "Rounds", lambda *a, rounds=rounds, **k: without_resends(rounds(*a, **k))
                    )
                found = sp.sssp(g, 0, delta=300)
                assert found.explain().restarts == 1
                wrong += int((found.distances != right).sum())
            cases += 1
            held += team.had_state
    return wrong, cases, held


@pytest.mark.parametrize("by", ["range", "locality"])
def test_every_superstep_and_every_victim(tmp_path, monkeypatch, by):
    graph = sp.generate.grid(9, 12, seed=2)
    g = sp.partition(graph, tmp_path / "g", parts=3, by=by)
    wrong, cases, held = swept(graph, g, 3, monkeypatch)
    assert (wrong, held > cases // 2) == (0, True)
    wrong, _, _ = swept(graph, g, 3, monkeypatch, resends=False)  # the control: without the word of others it is wrong
    assert wrong > 0


def test_two_at_once_and_again_while_recovering(tmp_path, monkeypatch):
    graph = sp.generate.rmat(8, 4, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=6)
    deaths = [(1, 0), (1, 2), (2, 0), (2, 1), (3, 1), (4, 2)]
    source = int(np.argmax(graph.degrees))
    use(monkeypatch, g, chosen=Mortal(g, 3, deaths))
    r = sp.sssp(g, source, delta=4)
    assert np.array_equal(r.distances, sp.sssp(graph, source).distances)
    assert r.explain().restarts == len(deaths)


def test_an_answer_survives_its_workers(tmp_path, monkeypatch):
    graph = sp.generate.grid(12, 12, seed=2)
    g = sp.partition(graph, tmp_path / "g", parts=3)
    team = use(monkeypatch, g, chosen=Mortal(g, 3))
    r = sp.sssp(g, 0)
    team.replace({0, 2})  # they know nothing of the question
    right = sp.sssp(graph, 0)
    assert r.path(143).tolist() == right.path(143).tolist()
    team.replace({1})
    assert r.verify().distance(100) == right.distance(100)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32])
def test_a_search_goes_on_from_its_checkpoint(tmp_path, monkeypatch, kind):
    """Values of several moments, one of them torn: all that is needed is that each is the length of some path."""
    grid = sp.generate.grid(12, 12, seed=2)
    graph = sp.Graph.from_csr(grid.indptr, grid.indices, grid.weights.astype(kind), directed=False)
    g = sp.partition(graph, tmp_path / "g", parts=4)
    asked, rounds = partitioned._worker_question, partitioned.Rounds
    every = [0.0]
    keep = tmp_path / "kept"
    keep.mkdir()
    monkeypatch.setattr(
        partitioned, "_worker_question", lambda *a, **k: replace(asked(*a, **k), checkpoint=keep, every=every[0])
    )

    def stop(step):
        if step == 9:
            raise KeyboardInterrupt
        if step == 6:  # the files of one part stay as they are now
            (keep / "part-000002.values").rename(keep / "old")

    def stopping(*a, **k):
        made = rounds(*a, **k)
        made.before_step = stop
        return made

    use(monkeypatch, g, 4)
    monkeypatch.setattr(partitioned, "Rounds", stopping)
    with pytest.raises(KeyboardInterrupt):
        sp.sssp(g, 0, delta=100)
    monkeypatch.setattr(partitioned, "Rounds", rounds)
    (keep / "old").rename(keep / "part-000002.values")
    torn = keep / "part-000001.values"
    torn.write_bytes(torn.read_bytes()[:-3])
    every[0] = 1e9
    use(monkeypatch, g, 4)
    r, right = sp.sssp(g, 0, delta=100), sp.sssp(graph, 0)
    assert np.array_equal(r.distances, right.distances)
    assert np.array_equal(r.predecessors, right.predecessors)
    assert list(keep.iterdir()) == []  # of no use any more
    assert r.explain().supersteps < sp.sssp(g, 0, delta=100).explain().supersteps
    # A checkpoint of another question is not believed.
    every[0] = 0.0
    monkeypatch.setattr(partitioned, "Rounds", stopping)
    with pytest.raises((KeyboardInterrupt, FileNotFoundError)):
        sp.sssp(g, 0, delta=100)
    monkeypatch.setattr(partitioned, "Rounds", rounds)
    assert np.array_equal(sp.sssp(g, 77, delta=100).distances, sp.sssp(graph, 77).distances)


@pytest.mark.parametrize("value", [np.nan, -1.0, -np.inf])
def test_a_checkpoint_of_what_no_path_can_be(tmp_path, monkeypatch, value):
    """Its digest fits; it is left alone, and the search begins from nothing."""
    grid = sp.generate.grid(6, 6, seed=2)
    graph = sp.Graph.from_csr(grid.indptr, grid.indices, grid.weights.astype(float), directed=False)
    g = sp.partition(graph, tmp_path / "g", parts=2)
    asked, save = partitioned._worker_question, PartState.save
    monkeypatch.setattr(
        partitioned, "_worker_question", lambda *a, **k: replace(asked(*a, **k), checkpoint=tmp_path, every=0.0)
    )

    def spoilt(self):
        before = self.search.values().copy()
        self.search.values()[:] = value
        save(self)
        self.search.values()[:] = before

    def stop(self, furthest):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PartState, "save", spoilt)
        patch.setattr(PartState, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            sp.sssp(g, 0)
    assert len(list(tmp_path.glob("*.values"))) == 2
    assert np.array_equal(sp.sssp(g, 0).verify().distances, sp.sssp(graph, 0).distances)


def test_distances_that_do_not_fit(tmp_path, monkeypatch):
    graph = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [BIG, BIG - 2, 5])
    g = sp.partition(graph, tmp_path / "g", parts=2)
    use(monkeypatch, g)
    for run in (lambda x: sp.sssp(x, 0), lambda x: sp.sssp(x, 0, cutoff=np.inf)):
        for x in (graph, g):
            with pytest.raises(sp.DistanceOverflowError):
                run(x)
    for cutoff in (BIG, 2**63 - 2):
        assert np.array_equal(
            sp.sssp(g, 0, cutoff=cutoff).verify().distances, sp.sssp(graph, 0, cutoff=cutoff).distances
        )
    # Sums that are too long, but beside a shorter way, are no overflow.
    graph = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [BIG, BIG, 7])
    g = sp.partition(graph, tmp_path / "h", parts=3)
    use(monkeypatch, g)
    assert sp.sssp(g, 0).distances.tolist() == [0, BIG, 7]


@pytest.mark.parametrize("kind", [np.int32, np.float64, None])
def test_the_proof_can_fail(tmp_path, monkeypatch, kind):
    grid = sp.generate.grid(9, 9, seed=2)
    graph = sp.Graph.from_csr(
        grid.indptr, grid.indices, None if kind is None else grid.weights.astype(kind), directed=False
    )
    g = sp.partition(graph, tmp_path / "g", parts=3)
    team = use(monkeypatch, g, 3)
    right = sp.sssp(graph, 0)
    unreached = right.unreachable
    for vertex in (0, 1, 26, 27, 53, 54, 80):
        d = right.distances[vertex].item()
        for wrong in {d + 1, d - 1, 0, unreached} - {d, -1}:
            r = sp.sssp(g, 0).verify()
            team.call("spoil", r._rounds.question.id, vertex, wrong)
            with pytest.raises(sp.VerificationError):
                r.verify()


@pytest.mark.parametrize("by", ["range", "locality"])
def test_ghosts_are_asked_for_in_pieces(tmp_path, monkeypatch, by):
    """Also with a cutoff that the type of the search does not hold."""
    graph = sp.generate.rmat(7, 6, seed=4)
    g = sp.partition(graph, tmp_path / "g", parts=3, by=by)
    team = use(monkeypatch, g, 2)
    for module in ("rounds", "worker"):
        monkeypatch.setattr(f"steppe.cluster.{module}.GHOSTS", 7)
    asked, exchange = [], team.exchange
    monkeypatch.setattr(team, "exchange", lambda *words: asked.append((words[0], words[-1])) or exchange(*words))
    right = sp.sssp(graph, 1)
    for options in ({}, {"cutoff": 2**40}):
        r = sp.sssp(g, 1, **options).verify()
        assert np.array_equal(r.distances, right.distances)
        assert np.array_equal(r.predecessors, right.predecessors)
    most = max(len(g.part(p).ghosts) for p in range(3))
    firsts = [first for method, first in asked if method == "request"]
    assert max(firsts) < most <= max(firsts) + 7


def test_a_ring_of_zeros_that_hangs_from_nothing_is_refused(tmp_path, monkeypatch):
    graph = sp.Graph.from_edges([0, 2, 3], [1, 3, 2], [5, 0, 0])
    g = sp.partition(graph, tmp_path / "g", parts=4)
    team = use(monkeypatch, g, 4)
    r = sp.sssp(g, 0).verify()
    for vertex in (2, 3):
        team.call("spoil", r._rounds.question.id, vertex, 5)
    with pytest.raises(sp.VerificationError, match="no path leads to vertex 2"):
        r.verify()


def test_folder_frame_and_words(tmp_path, monkeypatch):
    graph = sp.generate.grid(9, 9, seed=2)
    g = sp.partition(graph, tmp_path / "g", parts=3, by="locality")
    r, right = sp.sssp(g, 3), sp.sssp(graph, 3)
    folder = r.to_folder(tmp_path / "answer")
    found = np.empty(81, dtype=np.int64)
    for p in range(3):
        found[g.part(p).numbers] = np.load(folder / f"distances-{p:06}.npy")
    assert np.array_equal(found, right.distances)
    assert (folder / "answer.json").exists()
    (folder / "answer.json").write_text("mine")
    with pytest.raises(sp.StoreError, match="not empty: overwrite=True"):
        r.to_folder(folder)
    assert (folder / "answer.json").read_text() == "mine"
    r.to_folder(folder, overwrite=True)
    assert (folder / "answer.json").read_text() != "mine"
    assert repr(r).startswith("<PartitionedPaths: from 3, 81 of 81 reached, delta-stepping in 3 parts")
    assert r.to_dict() == right.to_dict()
    assert [p.tolist() for p in r.paths_to([5, 80])] == [p.tolist() for p in right.paths_to([5, 80])]
    assert np.array_equal(np.asarray(r), right.distances)
    told = r.explain()
    assert (told.engine, told.parts, told.supersteps >= 1) == ("parts", 3, True)
    assert sp.verify(g, r) is r
    with pytest.raises(TypeError, match="proven against its own graph"):
        sp.verify(graph, r)
    with pytest.raises(TypeError, match="own graph"):
        sp.verify(g, right)
    with pytest.raises(TypeError, match="no edges by number"):
        r.along("metres")


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda g: sp.sssp(g, 0, method="dijkstra"), "does not run on a graph in parts"),
        (lambda g: sp.sssp(g, 0, record_paths=True, reverse=True), "leave out record_paths=, reverse="),
        (lambda g: sp.bfs(g, 0, device="opencl"), "leave out device="),
        (lambda g: sp.nearest(g, [0], k=2), "leave out k="),
        (lambda g: sp.nearest(g, []), "sources is empty"),
        (lambda g: sp.sssp(g, 99), "not in the graph"),
        (lambda g: sp.sssp(g, 0, cutoff=-1), "cutoff"),
        (lambda g: sp.sssp(g, 0, delta=0), "delta"),
        (lambda g: sp.sssp(g, 0, engine="spark"), "engine must be"),
        (lambda g: sp.sssp(sp.generate.grid(3, 3), 0, engine="ray"), "graphs in parts"),
    ],
)
def test_wrong_wishes(tmp_path, run, text):
    g = sp.partition(sp.generate.grid(3, 3, seed=1), tmp_path / "g", parts=2)
    with pytest.raises(ValueError, match=text):
        run(g)


def test_negative_weights(tmp_path):
    g = sp.partition(sp.Graph.from_edges([0, 1], [1, 2], [1, -1]), tmp_path / "g", parts=2)
    with pytest.raises(sp.NegativeWeightError, match="bellman-ford"):
        sp.sssp(g, 0)
    assert sp.bfs(g, 0).distances.tolist() == [0, 1, 2]


def test_wide_supersteps_are_few(tmp_path, monkeypatch):
    graph = sp.generate.grid(100, 100, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=2)
    use(monkeypatch, g)
    wide, narrow = sp.sssp(g, 0).explain(), sp.sssp(g, 0, delta=128).explain()
    assert 3 * wide.supersteps <= narrow.supersteps
    assert wide.relaxations_per_edge < 1.3
    assert wide.messages < 3 * 200  # 100 ghosts on either side, told little more than once each
