"""Rows that others made: damaged files, lent arrays, crafted pickles. They are proven before a search, or refused."""

import json
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import steppe as sp
from steppe import files
from steppe.files import mapped
from steppe.graph.pickles import restored
from steppe.graph.proof import FileRows, prove
from steppe.paths import _restore

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))
import rows_mutations as mutations

FUZZ = Path(__file__).parent / "fuzz" / "rows_mutations.py"


@pytest.fixture(params=["read", "mapped"])
def opened(request, monkeypatch):
    """Small files are read, large ones mapped; here, either."""
    monkeypatch.setattr(mapped, "SMALL", 1 << 18 if request.param == "read" else 0)
    return request.param


def damaged(tmp_path, change, graph=None):
    """Return the path of a .steppe file that was changed by `change(description, arrays)`, all checksums right."""
    graph = sp.Graph.from_edges([0, 1, 2], [1, 2, 0], [5, 6, 7]) if graph is None else graph
    data = mutations.content(graph, ".steppe")
    description, arrays = mutations.parts(data)
    change(description, arrays)
    path = tmp_path / "graph.steppe"
    path.write_bytes(mutations.joined(description, arrays, len(data)))
    return path


def put(name, at, value):
    return lambda _, arrays: arrays[name].__setitem__(at, value)


def tell(key, value):
    return lambda description, _: description.__setitem__(key, value)


WRONG_ROWS = {
    "an offset falls": (put("indptr", 1, 3), "indptr must rise"),
    "a negative offset": (put("indptr", 1, -1), "indptr must rise"),
    "an offset beyond": (put("indptr", 2, 2**40), "indptr must rise"),
    "the first offset": (put("indptr", 0, 1), "indptr must rise"),
    "a target beyond": (put("indices", 1, 3), r"indices\[1\] is 3"),
    "a negative target": (put("indices", 2, -1), r"indices\[2\] is -1"),
    "another weight": (put("weights", 0, 4), "minimum, maximum and mean"),
    "a negative weight": (put("weights", 0, -5), "minimum, maximum and mean"),
    "another minimum": (tell("weights", [4, 7, 6.0]), "minimum, maximum and mean"),
    "a mean beyond": (tell("weights", [5, 7, 8.5]), "minimum, maximum and mean"),
    "one way": (tell("directed", False), "no opposite"),
}


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_wrong_rows_are_found_when_they_are_asked_for(name, tmp_path, opened):
    change, words = WRONG_ROWS[name]
    path = damaged(tmp_path, change)
    graph = sp.read(path)
    assert (graph.num_vertices, graph.num_edges, graph.is_mapped) == (3, 3, opened == "mapped")
    assert "3 vertices" in repr(graph)
    calls = (
        lambda: sp.sssp(graph, 0),
        lambda: graph.reverse.degrees,
        lambda: graph.indices,
        lambda: graph.is_symmetric,
    )
    for call in (*calls, lambda: sp.route(graph, 0, 1), graph.prepare):
        with pytest.raises(sp.FormatError, match=words) as caught:
            call()
        assert caught.value.file == str(path)
    with pytest.raises(sp.FormatError, match=words):
        files.check(path)


WRONG_HEADERS = {
    "vertices": tell("vertices", 4),
    "negative vertices": tell("vertices", -1),
    "huge vertices": tell("vertices", 2**61),
    "a list": tell("edges", [3]),
    "directed": tell("directed", 1),
    "no sections": tell("sections", {}),
    "infinite weights": tell("weights", [0, float("inf"), 1.0]),
    "NaN": tell("weights", [5, 7, float("nan")]),
    "fractions of integers": tell("weights", [5.5, 7, 6.0]),
    "a label beyond": tell("labels", 2**63 - 1),
    "labels that are not there": tell("labels", "array"),
    "overlap": lambda d, _: d["sections"]["indices"].update(offset=4096),
    "a section beyond the end": lambda d, _: d["sections"]["indices"].update(offset=2**40),
    "a huge section": lambda d, _: d["sections"]["indices"].update(count=2**60),
    "floats for targets": lambda d, _: d["sections"]["indices"].update(dtype="<f4"),
    "objects": lambda d, _: d["sections"]["weights"].update(dtype="O"),
}


@pytest.mark.parametrize("name", WRONG_HEADERS)
def test_headers_that_make_no_sense_are_refused(name, tmp_path):
    with pytest.raises(sp.FormatError, match=r"graph\.steppe"):
        sp.read(damaged(tmp_path, WRONG_HEADERS[name]))


def test_nan_in_a_file(tmp_path, opened):
    graph = sp.Graph.from_edges([0, 1], [1, 0], [1.5, 2.5])
    for value in (np.nan, -np.inf):
        read = sp.read(damaged(tmp_path, put("weights", 1, value), graph))
        with pytest.raises(sp.FormatError, match=r"weights\[1\] is"):
            sp.sssp(read, 0)
    # No edge, and so another maximum.
    with pytest.raises(sp.FormatError, match="maximum"):
        sp.sssp(sp.read(damaged(tmp_path, put("weights", 1, np.inf), graph)), 0)


@pytest.mark.parametrize("labels", [np.array([3, 9, 5]), np.array(["a", "b", "c"]), np.array([0.5, 1.5, 2.5])])
def test_damaged_labels(tmp_path, labels):
    graph = sp.Graph.from_csr([0, 1, 1, 1], [1], [7], labels=labels)
    assert sp.read(damaged(tmp_path, lambda *_: None, graph)).labels.tolist() == labels.tolist()
    twice = sp.read(damaged(tmp_path, put("labels", 2, labels[0]), graph))
    with pytest.raises(sp.SteppeError, match="not unique"):
        sp.sssp(twice, labels[1].item())
    if labels.dtype.kind == "f":
        with pytest.raises(sp.FormatError, match="NaN"):
            sp.read(damaged(tmp_path, put("labels", 2, np.nan), graph))
    if labels.dtype.kind == "U":
        with pytest.raises(sp.FormatError, match="character"):
            sp.read(damaged(tmp_path, lambda _, arrays: arrays["labels"].view(np.uint32).__setitem__(1, 2**31), graph))


def test_a_file_is_proven_once(tmp_path, monkeypatch):
    """By this process, as long as it is the same file; but not one written a moment ago."""
    monkeypatch.setattr(mapped, "SMALL", 0)
    path = tmp_path / "graph.steppe"
    sp.write(sp.generate.grid(20, 20), path)
    passes = []
    monkeypatch.setattr("steppe.graph.proof.prove", lambda *a, **k: passes.append(1) or prove(*a, **k))
    for _ in range(2):
        sp.sssp(sp.read(path), 0)
    assert len(passes) == 2
    os.utime(path, ns=(10**18, 10**18))
    monkeypatch.setattr("steppe.graph.proof.time.time_ns", lambda: 2 * 10**18)
    for _ in range(3):
        sp.sssp(sp.read(path), 0).verify()
    assert len(passes) == 3
    os.utime(path, ns=(10**18, 10**18 + 1))
    sp.sssp(sp.read(path), 0)
    assert len(passes) == 4


def test_opening_reads_no_rows(tmp_path, monkeypatch):
    path = tmp_path / "graph.steppe"
    sp.write(sp.generate.grid(20, 20), path)
    monkeypatch.setattr(FileRows, "rows", lambda *_, **__: pytest.fail("rows were asked for"))
    graph = sp.read(path)
    assert repr(graph).startswith("<Graph: 400 vertices")
    assert (graph.is_integer, graph.has_negative, graph.nbytes > 0, graph.index(3)) == (True, False, True, 3)


def test_damaged_files_end_no_process(tmp_path):
    """A few hundred of the cases of ``make fuzz-files``."""
    note = tmp_path / "case"
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", FUZZ, os.environ.get("STEPPE_ROWS_CASES", "300")],
        env=os.environ | {"ROWS_CASE": str(note)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, f"case {note.read_text()}: {run.stdout}{run.stderr}"
    counts = json.loads(run.stdout)
    assert counts["FormatError"] > counts["answered"] / 4 > 0


def test_the_mutations_are_what_they_say():
    data = mutations.content(sp.generate.grid(3, 3), ".steppe")
    description, arrays = mutations.parts(data)
    assert json.dumps(description) != ""
    same = mutations.parts(mutations.joined(description, arrays, len(data)))
    assert all(np.array_equal(same[1][name], arrays[name]) for name in arrays)
    assert mutations.flipped(data, random.Random(1)) != data  # noqa: S311


# Opposites ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, np.int32, np.int64, np.float32, np.float64])
def test_both_directions(dtype):
    rng = np.random.default_rng(4)
    u, v = rng.integers(0, 500, (2, 300_000))
    w = None if dtype is None else rng.integers(0, 9, 300_000).astype(dtype) * (2**33 if dtype is np.int64 else 1)
    g = sp.Graph.from_edges(u, v, w, directed=False, num_vertices=501)
    again = sp.Graph.from_csr(g.indptr, g.indices, g.weights, directed=False)
    assert again.reverse is again
    for change in ("indices", "weights"):
        indices, weights = g.indices.copy(), None if w is None else g.weights.copy()
        if change == "indices":
            indices[1234] = 500
        elif weights is None:
            continue
        else:
            at = np.flatnonzero(indices != np.repeat(np.arange(501), g.degrees))[777]
            weights[at] += 1
        with pytest.raises(sp.GraphError, match="no opposite"):
            sp.Graph.from_csr(g.indptr, indices, weights, directed=False)


def test_npz_flags_are_looked_at(tmp_path):
    path = tmp_path / "graph.npz"
    sp.write(sp.Graph.from_edges([0, 1], [1, 2], [3, 4], directed=False), path)
    assert not sp.read(path).directed
    with np.load(path) as file:
        arrays = dict(file)
    arrays["data"][0] = 5
    np.savez(path, **arrays)
    with pytest.raises(sp.FormatError, match="no opposite"):
        sp.read(path)


def test_npz_headers_are_not_believed(tmp_path):
    path = tmp_path / "graph.npz"
    np.savez(path, row=[0], col=[1], data=[2.0], format=np.array(b"coo"), shape=[10**12] * 2)
    with pytest.raises(sp.FormatError, match="rows of a matrix take more than"):
        sp.read(path)
    buffer = mutations.io.BytesIO()
    with mutations.zipfile.ZipFile(buffer, "w") as archive:
        header = mutations.io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
        archive.writestr("data.npy", header.getvalue() + bytes(64))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(sp.FormatError, match="claims"):
        sp.read(path)


# Lent arrays ----------------------------------------------------------------------------------------------------------


def rows():
    return np.array([0, 2, 3, 3]), np.array([1, 2, 2], dtype=np.int32), np.array([2.0, 9.0, 3.0])


def test_arrays_are_copied():
    given = rows()
    graph = sp.Graph.from_csr(*given)
    for array in given:
        array[:] = 77
    assert sp.sssp(graph, 0).verify().distances.tolist() == [0, 2, 5]


def test_lent_arrays_are_looked_at_before_every_search():
    calls = (lambda g: sp.sssp(g, 0), lambda g: sp.bfs(g, 0), lambda g: g.prepare(), lambda g: sp.distances(g, [0]))
    for place, value in ((0, 77), (1, -1), (1, 3), (2, -5.0), (2, np.nan), (2, 10.0)):
        for call in calls:
            given = rows()
            graph = sp.Graph.from_csr(*given, copy=False)
            assert all(np.shares_memory(a, b) for a, b in zip(graph._rows, given, strict=True))
            assert sp.sssp(graph, 0).distances.tolist() == [0, 2, 5]
            given[place][1] = value
            with pytest.raises(sp.GraphError, match="copy=False were changed"):
                call(graph)


def test_lent_arrays_and_routes():
    """A route keeps what it has prepared, so it has a copy."""
    given = rows()
    graph = sp.Graph.from_csr(*given, copy=False, labels=["a", "b", "c"])
    assert sp.route(graph, "a", "c").distance == 5
    given[1][:] = 0
    assert sp.route(graph, "a", "c").distance == 5
    given[1][:] = 2**30
    with pytest.raises(sp.GraphError, match="were changed"):
        sp.route(graph, "a", "c")


@pytest.mark.parametrize("tidy", ["eliminate_zeros", "sum_duplicates", "sort_indices"])
def test_scipy_may_go_on_with_its_matrix(tidy):
    rng = np.random.default_rng(0)
    n, m = 1000, 5000
    indices = rng.integers(0, n, m).astype(np.int32)
    matrix = sparse.csr_matrix((rng.integers(0, 4, m).astype(float), indices, np.linspace(0, m, n + 1).astype(int)))
    graph = sp.Graph.from_scipy(matrix)
    before = sp.sssp(graph, 0).distances
    getattr(matrix, tidy)()
    matrix.data[:] = -5
    assert np.array_equal(sp.sssp(graph, 0).verify().distances, before)


def test_from_scipy_treats_duplicates_as_scipy_does():
    data, row, column = [1.0, 3.0, 4.0], [0, 0, 1], [1, 1, 2]
    for form in (sparse.coo_matrix, sparse.coo_array):
        matrix = form((data, (row, column)), shape=(3, 3))
        graph = sp.Graph.from_scipy(matrix)
        assert sp.sssp(graph, 0).distances.tolist() == sparse.csgraph.dijkstra(matrix, indices=0).tolist() == [0, 4, 8]
        assert matrix.nnz == 3
    raw = sparse.csr_matrix((data, column, [0, 2, 3, 3]), shape=(3, 3))
    assert sp.sssp(sp.Graph.from_scipy(raw), 0).distances.tolist() == [0, 1, 5]
    assert sparse.csgraph.dijkstra(raw, indices=0).tolist() == [0, 1, 5]
    assert raw.nnz == 3


def test_coo_files_are_added_up(tmp_path):
    matrix = sparse.coo_matrix(([1.0, 4.0, 3.0], ([0, 1, 0], [1, 2, 1])), shape=(3, 3))
    sparse.save_npz(tmp_path / "graph.npz", matrix)
    assert sp.sssp(sp.read(tmp_path / "graph.npz"), 0).distances.tolist() == [0, 4, 8]


# Pickles --------------------------------------------------------------------------------------------------------------


FAR = [1.7e308, -1.7e308]


@pytest.mark.parametrize("weights", [FAR * 20 + FAR[::-1] * 20, [1.7e308, 5e-324] * 9, [0.1] * 3, [7, 1, 1, 1]])
@pytest.mark.parametrize("directed", [True, False])
def test_means_depend_on_how_they_are_added_up(weights, directed, tmp_path):
    """Sums may overflow or round, and the mean of undirected edges counts a loop once."""
    targets = [0] + [1] * (len(weights) - 1)
    graph = sp.Graph.from_edges([0] * len(weights), targets, weights, directed=directed)
    assert pickle.loads(pickle.dumps(graph)).mean_weight == graph.mean_weight  # noqa: S301 - our own
    for suffix in (".steppe", ".npz"):
        sp.write(graph, tmp_path / f"graph{suffix}")
        assert sp.read(tmp_path / f"graph{suffix}").reverse.num_edges == graph.num_edges
    files.check(tmp_path / "graph.steppe")


def test_crafted_pickles_are_refused():
    graph = sp.Graph.from_edges([0, 1], [1, 2], [3, 4])
    good = graph.__reduce__()[1]
    assert sp.sssp(restored(*good), 0).distances.tolist() == [0, 3, 7]
    bad = {
        0: np.array([0, 9, 1, 2]),
        1: np.array([1, 7], dtype=np.int32),
        2: np.array([3.0, np.nan]),
        3: "labels",
        4: False,
        5: (0, 4, 3.5),
    }
    for place, value in bad.items():
        with pytest.raises(sp.GraphError):
            restored(*good[:place], value, *good[place + 1 :])
    paths = pickle.loads(pickle.dumps(sp.sssp(graph, 0, record_paths=True)))  # noqa: S301 - our own
    assert paths.verify().path(2).tolist() == [0, 1, 2]
    _, good = paths.__reduce__()
    distances, options = good[2], good[3]
    wrong = [(np.array([9]), distances), (np.array([0]), distances[:2]), (np.array([0]), distances.astype(np.float64))]
    for sources, array in wrong:
        with pytest.raises(sp.GraphError, match="no paths"):
            _restore(graph, sources, array, options)
    with pytest.raises(sp.GraphError, match="no paths"):
        _restore(graph, good[1], distances, options | {"recorded": np.array([-1, 0, 5], dtype=np.int32)})
