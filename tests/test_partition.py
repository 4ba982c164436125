"""Graphs in parts on the disk: what is written is the graph, whole or not at all, and damage is named."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from steppe.files import partition as writer


def rebuilt(g):
    """The edges of all parts, in the numbers of the whole graph: sorted (source, target, weight)."""
    rows = []
    numbers = np.concatenate([g.part(p).numbers for p in range(g.num_parts)] or [np.empty(0, np.int64)])
    for p in range(g.num_parts):
        part = g.part(p)
        graph = part.graph
        names = np.concatenate([part.numbers, numbers[part.ghosts]])
        sources = np.repeat(names, np.diff(graph.indptr))
        weights = np.ones(graph.num_edges) if graph.weights is None else graph.weights
        rows += zip(sources.tolist(), names[graph.indices].tolist(), weights.tolist(), strict=True)
        assert not np.diff(graph.indptr)[part.own :].any()  # ghosts have no edges
        assert (np.diff(part.ghosts) > 0).all()
        inside = (part.ghosts >= part.first) & (part.ghosts < part.first + part.own)
        assert not inside.any()
        assert (np.diff(part.numbers) > 0).all()
    return sorted(rows)


def listed(graph):
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees)
    weights = np.ones(graph.num_edges) if graph.weights is None else graph.weights
    return sorted(zip(sources.tolist(), graph.indices.tolist(), weights.tolist(), strict=True))


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 12))
    m = draw(st.integers(0, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from([None, np.int32, np.int64, np.float32, np.float64]))
    weights = None if kind is None else rng.integers(0, 5, m).astype(kind)
    directed = draw(st.booleans())
    return sp.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), weights, num_vertices=n, directed=directed)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), graph=graphs())
def test_parts_hold_every_edge_once(tmp_path_factory, data, graph):
    parts = data.draw(st.integers(1, min(graph.num_vertices, 6)))
    owners = st.lists(st.integers(0, parts - 1), min_size=graph.num_vertices, max_size=graph.num_vertices)
    by = data.draw(st.one_of(st.sampled_from(["range", "locality"]), owners.map(np.array)))
    g = sp.partition(graph, tmp_path_factory.mktemp("p") / "g", parts=parts, by=by)
    assert rebuilt(g) == listed(graph)
    assert (g.num_vertices, g.num_edges, g.num_parts) == (graph.num_vertices, graph.num_edges, parts)
    if not isinstance(by, str):
        for p in range(parts):
            assert np.array_equal(g.part(p).numbers, np.flatnonzero(by == p))
    cut = sum(len(np.flatnonzero(g.part(p).graph.indices >= g.part(p).own)) for p in range(parts))
    assert g.num_cut == cut
    g.check()


def test_pieces_of_one_edge_give_the_same_files(tmp_path, monkeypatch):
    graph = sp.generate.rmat(7, 6, seed=3)
    whole = sp.partition(graph, tmp_path / "whole", parts=3, by="locality")
    monkeypatch.setattr(writer, "PIECE", 7)
    small = sp.partition(graph, tmp_path / "small", parts=3, by="locality")
    assert whole.digest == small.digest


def test_a_file_is_the_same_as_its_graph(tmp_path):
    graph = sp.generate.grid(30, 20, seed=1)
    sp.write(graph, tmp_path / "g.steppe")
    seen = []
    a = sp.partition(tmp_path / "g.steppe", tmp_path / "a", parts=4, progress=seen.append)
    b = sp.partition(graph, tmp_path / "b", parts=4)
    assert a.digest == b.digest
    assert seen[-1].done == seen[-1].total == graph.num_edges


def test_facts_and_words(tmp_path):
    g = sp.partition(sp.generate.grid(30, 20, seed=1), tmp_path / "g", parts=3)
    assert repr(g).startswith("<PartitionedGraph: 600 vertices, 2,300 edges, undirected, weights int32")
    assert repr(g.part(1)).startswith("<Part 1: ")
    assert (g.min_weight, g.max_weight, g.directed) == (1, 255, False)
    with pytest.raises(IndexError, match="part 3 of 3"):
        g.part(3)


def test_labels_are_kept(tmp_path):
    named = sp.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], [1, 2, 3], relabel=True)
    r = sp.sssp(sp.partition(named, tmp_path / "named", parts=2, by="locality"), "a")
    assert r.distance("d") == 6
    assert r.path("d").tolist() == ["a", "b", "c", "d"]
    from_one = sp.Graph.from_edges([1, 2], [2, 3], [1, 2], relabel=True)
    g = sp.partition(from_one, tmp_path / "from_one", parts=2)
    assert g.labels.tolist() == [1, 2, 3]
    assert sp.sssp(g, 1).distance(3) == 3


def test_infinite_weights_are_no_edges(tmp_path):
    graph = sp.Graph.from_csr([0, 2, 3, 3], [1, 2, 2], [1.5, np.inf, np.inf])
    g = sp.partition(graph, tmp_path / "g", parts=3)
    g.check()
    assert np.array_equal(sp.sssp(g, 0).distances, [0, 1.5, np.inf])


def test_locality_cuts_less_where_numbers_say_nothing(tmp_path):
    grid = sp.generate.grid(60, 60, seed=1)
    shuffled = np.random.default_rng(1).permutation(3600)
    sources = np.repeat(np.arange(3600), grid.degrees)
    graph = sp.Graph.from_edges(shuffled[sources], shuffled[grid.indices], grid.weights)
    cut = {by: sp.partition(graph, tmp_path / by, parts=4, by=by).num_cut for by in ("range", "locality")}
    assert 10 * cut["locality"] < cut["range"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"parts": 0}, "at least 1"),
        ({"parts": -7}, "at least 1"),
        ({"parts": 4}, "at most 3, not 4: no more than vertices"),
        ({"parts": 99_999_999_999}, "at most 3, not 99,999,999,999"),
        ({"parts": 2.0}, "an integer"),
        ({"parts": True}, "an integer"),
        ({"parts": "3"}, "an integer"),
        ({"by": "colour"}, "by must be"),
        ({"by": [0, 1]}, "a part for each of 3 vertices"),
        ({"by": [0, 1, 2], "parts": 2}, "numbers of parts"),
        ({"by": [0.5, 1, 2]}, "as integers"),
        ({"memory_limit": 1000}, "memory_limit is 1,000"),
    ],
)
def test_wrong_wishes(tmp_path, options, text):
    graph = sp.Graph.from_edges([0, 1], [1, 2], [1, 1])
    with pytest.raises((ValueError, TypeError, MemoryError), match=text):
        sp.partition(graph, tmp_path / "g", **{"parts": 3} | options)
    assert list(tmp_path.iterdir()) == []


def test_how_many_parts(tmp_path):
    small = sp.Graph.from_edges([0, 1], [1, 2], [1, 1])
    assert sp.partition(small, tmp_path / "small").num_parts == 3
    assert sp.partition(sp.generate.grid(9, 9, seed=1), tmp_path / "grid").num_parts == 64
    with pytest.raises(ValueError, match="at most 4,096, not 4,097: no more than vertices, and no more than 4,096"):
        sp.partition(sp.generate.grid(70, 70, seed=1), tmp_path / "many", parts=4097)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["grid", "small"]


def test_what_is_there_is_kept(tmp_path):
    graph = sp.Graph.from_edges([0, 1], [1, 2], [1, 1])
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "mine").touch()
    with pytest.raises(FileExistsError, match="is there already"):
        sp.partition(graph, tmp_path / "g", parts=2)
    assert [p.name for p in tmp_path.iterdir()] == ["g"]
    with pytest.raises(sp.GraphError, match="takes a Graph"):
        sp.partition(7, tmp_path / "h", parts=2)


DAMAGE = {
    "part-000001.steppe": "digest does not match",
    "ghosts-000000.npy": "digest does not match",
    "places.npy": "digest does not match",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(tmp_path, name):
    g = sp.partition(sp.generate.grid(10, 10, seed=1), tmp_path / "g", parts=2, by="locality")
    file = tmp_path / "g" / name
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    with pytest.raises(sp.FormatError, match=f"{name}.*{DAMAGE[name]}"):
        g.check()
    with pytest.raises(sp.FormatError, match=f"{name}.*{DAMAGE[name]}"):
        sp.sssp(sp.open_partitioned(tmp_path / "g"), 0)
    file.write_bytes(data[:-1])
    with pytest.raises(sp.FormatError, match=f"{name}.*expected {len(data)} bytes"):
        sp.sssp(sp.open_partitioned(tmp_path / "g"), 0)
    file.unlink()
    with pytest.raises(sp.FormatError, match=f"{name}.*missing"):
        sp.sssp(sp.open_partitioned(tmp_path / "g"), 0)


def test_a_manifest_is_believed_only_whole(tmp_path):
    sp.partition(sp.generate.grid(4, 4, seed=1), tmp_path / "g", parts=2)
    file = tmp_path / "g" / "manifest.json"
    words = file.read_bytes()
    sealed = json.loads(words)
    for change in ({"vertices": 15}, {"version": 9}):
        file.write_bytes(json.dumps({**sealed, "manifest": sealed["manifest"] | change}).encode())
        with pytest.raises(sp.FormatError, match=r"manifest\.json.*damaged"):
            sp.open_partitioned(tmp_path / "g")
    for other in (b"", b"[]", b"{}", words[:-9], b"\xff"):
        file.write_bytes(other)
        with pytest.raises(sp.FormatError, match=r"manifest\.json"):
            sp.open_partitioned(tmp_path / "g")
    file.unlink()
    with pytest.raises(sp.FormatError, match="a folder with a manifest"):
        sp.open_partitioned(tmp_path / "g")


KILLED = """
import sys, steppe as sp
def stop(now):
    print("half", flush=True)
    sys.stdin.read()
sp.partition(sp.generate.grid(200, 200, seed=1), sys.argv[1], parts=4, progress=stop)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_dead_writers_leave_no_graph(tmp_path, how):
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "g")], stdin=-1, stdout=-1, stderr=-1)
    assert child.stdout.readline() == b"half\n"
    child.send_signal(how)
    child.communicate()
    assert child.returncode != 0
    assert not (tmp_path / "g").exists()
    left = list(tmp_path.iterdir())
    assert len(left) == (how == signal.SIGKILL)
    assert not any((folder / "manifest.json").exists() for folder in left)
    sp.partition(sp.generate.grid(4, 4, seed=1), tmp_path / "g", parts=2)
    assert [p.name for p in tmp_path.iterdir()] == ["g"]  # the next writer removes what the dead one left


def test_a_living_writer_is_left_alone(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "g")], stdin=-1, stdout=-1)
    assert child.stdout.readline() == b"half\n"
    sp.partition(sp.generate.grid(4, 4, seed=1), tmp_path / "other", parts=2)
    child.communicate(b"")
    assert child.returncode == 0
    assert sp.open_partitioned(tmp_path / "g").num_vertices == 40_000


def test_command_line(tmp_path):
    pytest.importorskip("typer")
    sp.write(sp.generate.grid(20, 20, seed=1), tmp_path / "g.steppe")
    words = ["partition", str(tmp_path / "g.steppe"), str(tmp_path / "g"), "--parts", "3", "--by", "locality", "--json"]
    done = subprocess.run([sys.executable, "-m", "steppe", *words], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert (told["parts"], told["vertices"], told["edges"]) == (3, 400, 1520)
    assert sp.open_partitioned(tmp_path / "g").num_cut == told["edges_cut"]
    words[2:5] = [str(tmp_path / "many"), "--parts", "99999999999"]
    done = subprocess.run([sys.executable, "-m", "steppe", *words], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "parts must be at most 400, not 99,999,999,999" in " ".join(done.stderr.split())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g", "g.steppe"]


def test_no_vertices(tmp_path):
    g = sp.partition(sp.Graph.from_edges([], [], num_vertices=0), tmp_path / "g")
    g.check()
    assert (len(g), g.num_parts) == (0, 1)
    with pytest.raises(sp.GraphError, match="not in the graph"):
        sp.sssp(g, 0)
