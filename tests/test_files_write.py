"""Writing: what is written comes back the same, or is refused."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as ss
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe.files import steppe_file
from test_files import arcs, labels, put

FORMATS = [".gr", ".el", ".wel", ".txt", ".csv", ".tsv", ".e", ".mtx", ".graph", ".npz", ".sg", ".wsg", ".steppe"]
PACKINGS = ["", ".gz", ".xz", ".zst"]
WEIGHTS = {
    None: None,
    np.int32: st.integers(-(2**31), 2**31 - 1),
    np.int64: st.integers(-(2**63), 2**63 - 1),
    np.float32: st.floats(width=32, allow_nan=False, allow_infinity=False) | st.just(np.inf),
    np.float64: st.floats(allow_nan=False, allow_infinity=False) | st.just(np.inf),
}
# What a format cannot keep is refused; everything else must come back.
MAY_REFUSE = {".el", ".wel", ".sg", ".wsg", ".graph", ".gr", ".mtx", ".txt", ".csv", ".tsv"}


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 6))
    ends = st.integers(0, max(n - 1, 0))
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=12 if n else 0))
    kind = draw(st.sampled_from(list(WEIGHTS)))
    w = None
    if kind is not None:
        values = draw(st.lists(WEIGHTS[kind], min_size=len(pairs), max_size=len(pairs)))
        w = np.array(values, dtype=kind)
    g = sp.Graph.from_edges(
        np.array([p[0] for p in pairs], dtype=np.int32),
        np.array([p[1] for p in pairs], dtype=np.int32),
        None,
        num_vertices=n,
        directed=draw(st.booleans()),
    )
    if w is not None:  # through from_csr, which keeps int64; one weight for both directions
        key = {}
        u = np.repeat(np.arange(n), g.degrees).tolist()
        wide = np.resize(w, g.num_edges).tolist() if len(w) else []
        values = [
            key.setdefault((min(a, b), max(a, b)), x) for a, b, x in zip(u, g.indices.tolist(), wide, strict=True)
        ]
        g = sp.Graph.from_csr(g.indptr, g.indices, np.array(values, dtype=kind), directed=g.directed)
    first = draw(st.sampled_from([0, 1, 5]))
    names = draw(st.sampled_from([None, "range", "gaps"]))
    if names is not None:
        step = 1 if names == "range" else 3
        g = sp.Graph.from_csr(g.indptr, g.indices, g.weights, directed=g.directed, labels=first + step * np.arange(n))
    return g


@settings(max_examples=examples(60), deadline=None)
@given(g=graphs(), packing=st.sampled_from(PACKINGS))
@pytest.mark.parametrize("suffix", FORMATS)
def test_round_trip(suffix, g, packing):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x" + suffix + packing)
        try:
            sp.write(g, path)
        except sp.GraphError:
            assert suffix in MAY_REFUSE
            assert not list(Path(folder).iterdir())
            return
        h = sp.read(path)
        assert arcs(h) == arcs(g)
        assert labels(h) == labels(g)
        assert h.directed == g.directed
        assert (h.weights is None) == (g.weights is None)
        if g.weights is not None:
            assert h.weights.dtype == g.weights.dtype
        assert (h.min_weight, h.max_weight) == (g.min_weight, g.max_weight)
        assert {p.suffix for p in Path(folder).iterdir()} <= {suffix, packing, ".v"}


GRID = sp.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 3, 0], [1, 2, 3, 4, 5])


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("packing", PACKINGS)
def test_every_format_is_written(tmp_path, suffix, packing):
    """The refusals above are exceptions: a plain graph goes into every format."""
    g = GRID
    if suffix in (".el", ".sg"):
        g = sp.Graph.from_csr(g.indptr, g.indices)
    if suffix == ".graph":
        g = sp.Graph.from_edges([0, 1], [1, 2], [4, 5], directed=False)
    path = tmp_path / ("x" + suffix + packing)
    sp.write(g, path)
    h = sp.read(path)
    assert np.array_equal(h.indptr, g.indptr)
    assert np.array_equal(h.indices, g.indices)
    assert g.weights is None or np.array_equal(h.weights, g.weights)
    assert h.directed == g.directed


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("suffix", [".wel", ".gr", ".mtx", ".csv.gz"])
def test_large_text_round_trip(tmp_path, kind, suffix):
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 20_000, (2, 200_000))
    w = (rng.random(200_000) * 1e6).astype(kind)
    g = sp.Graph.from_edges(u, v, w, num_vertices=20_000)
    sp.write(g, tmp_path / ("x" + suffix))
    h = sp.read(tmp_path / ("x" + suffix))
    assert np.array_equal(h.indices, g.indices)
    assert np.array_equal(h.weights, g.weights)
    assert h.weights.dtype == g.weights.dtype


REFUSED = {
    "weights in .el": (".el", GRID),
    "no weights in .wel": (".wel", sp.Graph.from_csr(GRID.indptr, GRID.indices)),
    "weights in .sg": (".sg", GRID),
    "no weights in .wsg": (".wsg", sp.Graph.from_csr(GRID.indptr, GRID.indices)),
    "floats in .wsg": (".wsg", sp.Graph.from_edges([0], [1], [0.5])),
    "labels in .sg": (".sg", sp.Graph.from_edges([1], [2], relabel=True)),
    "gaps in .gr": (".gr", sp.Graph.from_edges([1], [9], [1], relabel=True)),
    "strings in .txt": (".txt", sp.Graph.from_edges(["a"], ["b"], relabel=True)),
    "a line feed in a name": (".csv", sp.Graph.from_edges(["a\n"], ["b"], relabel=True)),
    "an isolated name": (".csv", sp.Graph.from_csr([0, 1, 1, 1], [1], labels=["a", "b", "c"])),
    "numbers and names in .tsv": (".tsv", sp.Graph.from_csr([0, 1, 1], [1], labels=[1, "b"])),
    "directed .graph": (".graph", GRID),
    "loops in .graph": (".graph", sp.Graph.from_edges([0], [0], directed=False)),
    "floats in .graph": (".graph", sp.Graph.from_edges([0], [1], [0.5], directed=False)),
    "negative in .graph": (".graph", sp.Graph.from_edges([0], [1], [-5], directed=False)),
    "isolated with gaps in .txt": (".txt", sp.Graph.from_csr([0, 1, 1, 1], [1], labels=[1, 5, 9])),
    "objects in .steppe": (".steppe", sp.Graph.from_csr([0, 0], [], labels=np.array([(1, 2), None], dtype=object)[1:])),
    "coordinates": (".co", GRID),
    "unknown": (".docx", GRID),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path, name):
    suffix, g = REFUSED[name]
    with pytest.raises(sp.GraphError):
        sp.write(g, tmp_path / ("x" + suffix))
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.gr"
    sp.write(GRID, path)
    before = path.read_bytes()
    monkeypatch.setattr("steppe.files.text.write_edges", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sp.write(GRID, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.gr"]


def test_plain_files_stay_plain(tmp_path):
    """No note where nothing needs one: other programs' readers do not all skip comments."""
    sp.write(GRID, tmp_path / "x.wel")
    assert (tmp_path / "x.wel").read_text() == "0 1 1\n0 2 2\n1 3 3\n2 3 4\n3 0 5\n"
    sp.write(sp.Graph.from_edges([1], [2], [0.5], relabel=True), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "source,target,weight\n1,2,0.5\n"
    one = sp.read(put(tmp_path, "y.gr", "p sp 2 1\na 1 2 3\n"))
    sp.write(one, tmp_path / "x.gr")
    assert (tmp_path / "x.gr").read_text() == "p sp 2 1\na 1 2 3\n"


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.float32, bool])
def test_scipy_npz(tmp_path, layout, kind):
    rng = np.random.default_rng(6)
    dense = (rng.integers(0, 3, (9, 9))).astype(kind)
    path = tmp_path / "x.npz"
    ss.save_npz(path, ss.coo_array(dense).asformat(layout))
    g = sp.read(path)
    assert arcs(g) == sorted((i, j, dense[i, j]) for i, j in zip(*np.nonzero(dense), strict=True))
    sp.write(g, path)
    assert np.array_equal(ss.load_npz(path).toarray(), dense)


def test_npz_of_something_else(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(sp.FormatError, match="format"):
        sp.read(tmp_path / "a.npz")
    ss.save_npz(tmp_path / "b.npz", ss.coo_array(np.ones((2, 3))))
    with pytest.raises(sp.FormatError, match="square"):
        sp.read(tmp_path / "b.npz")
    ss.save_npz(tmp_path / "c.npz", ss.coo_array(np.ones((2, 2))).todia())
    with pytest.raises(sp.FormatError, match="csr, csc or coo"):
        sp.read(tmp_path / "c.npz")


def test_steppe_keeps_strings(tmp_path):
    g = sp.Graph.from_edges(["Ulm", "Köln"], ["Köln", "Rom"], [1.5, 2.5], relabel=True)
    for suffix in (".steppe", ".npz"):
        sp.write(g, tmp_path / ("x" + suffix))
        assert arcs(sp.read(tmp_path / ("x" + suffix))) == [("Köln", "Rom", 2.5), ("Ulm", "Köln", 1.5)]


@pytest.mark.parametrize("small", [0, 1 << 20])
def test_steppe_is_mapped_and_aligned(tmp_path, monkeypatch, small):
    monkeypatch.setattr("steppe.files.mapped.SMALL", small)
    rng = np.random.default_rng(7)
    g = sp.Graph.from_edges(*rng.integers(0, 1000, (2, 5000)), rng.random(5000))
    sp.write(g, tmp_path / "x.steppe")
    h = sp.read(tmp_path / "x.steppe")
    for array in (h.indptr, h.indices, h.weights):
        assert not array.flags.owndata
        assert not array.flags.writeable
        assert array.ctypes.data % 64 == 0 or array is h.indptr  # which are copied from a mapped file
    assert h.mean_weight == g.mean_weight


def resident():
    """Bytes of this process in memory, 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


@pytest.mark.skipif(not hasattr(os, "truncate"), reason="needs sparse files")
def test_steppe_opens_at_once_whatever_its_size(tmp_path):
    """A file of 8 GB that is nearly all hole: opening it must not read it."""
    n, m = 2, 1 << 30
    sections, size = steppe_file.plan(
        {"indptr": (n + 1, np.dtype(np.int64)), "indices": (m, np.dtype(np.int32)), "weights": (m, np.dtype(np.int32))}
    )
    facts = {"vertices": n, "edges": m, "directed": True, "weights": [0, 0, 0.0], "labels": None, "bytes": size}
    path = tmp_path / "x.steppe"
    with path.open("wb") as file:
        file.write(steppe_file.header(facts | {"sections": sections}))
        file.seek(sections["indptr"]["offset"])
        file.write(np.array([0, m, m], dtype="<i8").tobytes())
        file.truncate(size)
    before = resident()
    g = sp.read(path)
    assert g.num_edges == m
    assert resident() - before < 64 << 20


def test_damaged_steppe(tmp_path):
    path = tmp_path / "x.steppe"
    sp.write(GRID, path)
    content = bytearray(path.read_bytes())
    sp.files.check(path)
    for at in (0, 8, 12, 16, 25, 60):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        with pytest.raises(sp.FormatError):
            sp.read(put(tmp_path, "y.steppe", bytes(damaged)))
    with pytest.raises(sp.FormatError, match="was added to"):
        sp.read(put(tmp_path, "y.steppe", bytes(content) + b"\0"))
    with pytest.raises(sp.FormatError, match="version 9"):
        sp.read(put(tmp_path, "y.steppe", bytes(content[:8]) + b"\x09" + bytes(content[9:])))
    content[-1] ^= 0xFF
    with pytest.raises(sp.FormatError, match="weights is damaged"):
        sp.files.check(put(tmp_path, "y.steppe", bytes(content)))
