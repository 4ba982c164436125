"""targets= in graphs of parts: what one machine answers, no matter how far the search went, and with workers lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from cluster_workers import Mortal, questions, use


@settings(max_examples=150, deadline=None)
@given(
    question=questions(),
    workers=st.integers(1, 4),
    delta=st.sampled_from([1e-3, 1.0, 20.0, 1e9]),
    cutoff=st.sampled_from([None, None, 30, 0.75]),
    deaths=st.sets(st.tuples(st.integers(0, 7), st.integers(0, 3)), max_size=4),
    data=st.data(),
)
def test_the_answer_of_one_machine(tmp_path_factory, question, workers, delta, cutoff, deaths, data):
    graph, parts, by, sources = question
    some = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3))
    g = sp.partition(graph, tmp_path_factory.mktemp("p") / "g", parts=parts, by=by)
    with pytest.MonkeyPatch.context() as patch:
        team = use(patch, g, chosen=Mortal(g, workers, deaths))
        for call, options in ((sp.sssp, {"delta": delta, "cutoff": cutoff}), (sp.bfs, {"cutoff": cutoff})):
            found = call(g, sources[0], targets=some, **options)
            right = call(graph, sources[0], targets=some, **options)
            assert np.array_equal(found.distances, right.distances)
            assert np.array_equal(found.predecessors, right.predecessors)
            assert found.bound == right.bound
            found.verify()
            team.replace({0})  # an answer survives its worker, and stays cut
            del found._base
            assert np.array_equal(found.verify().distances, right.distances)


@pytest.mark.parametrize("kind", ["grid", "rmat"])
def test_it_stops(tmp_path, monkeypatch, kind):
    graph = sp.generate.grid(60, 60, seed=1) if kind == "grid" else sp.generate.rmat(10, 16, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=3)
    use(monkeypatch, g, 3)
    source = int(np.argmax(graph.degrees))
    near = int(graph.indices[graph.indptr[source]])
    whole, found = sp.sssp(g, source, delta=20), sp.sssp(g, source, targets=[near], delta=20)
    assert found.distance(near) == whole.distance(near)
    assert found.explain().supersteps < whole.explain().supersteps
    assert found.explain().edges_relaxed < whole.explain().edges_relaxed
    assert found.verify().distances.max() == sp.UNREACHABLE
    assert found.distances[found.reachable].max() == found.distance(near)


def test_sums_beyond_the_targets_may_outgrow_their_type(tmp_path, monkeypatch):
    far = 2**62
    graph = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [5, far, far], num_vertices=4)
    g = sp.partition(graph, tmp_path / "g", parts=2)
    use(monkeypatch, g, 2)
    assert sp.sssp(g, 0, targets=[1]).distances.tolist() == sp.sssp(graph, 0, targets=[1]).distances.tolist()
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(g, 0, targets=[3])


def test_no_targets_are_an_error(tmp_path):
    g = sp.partition(sp.generate.grid(4, 4, seed=1), tmp_path / "g", parts=2)
    with pytest.raises(ValueError, match="targets is empty"):
        sp.sssp(g, 0, targets=[])
