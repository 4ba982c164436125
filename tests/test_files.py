"""Reading: tiny files for every quirk of every format."""

import gzip
import io
import lzma
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from steppe.files.source import split_suffix


def put(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def arcs(graph):
    """All arcs by label, sorted: (source, target[, weight])."""
    u = graph.labels_of(np.repeat(np.arange(graph.num_vertices), graph.degrees)).tolist()
    v = graph.labels_of(graph.indices).tolist()
    return sorted(zip(u, v, strict=True) if graph.weights is None else zip(u, v, graph.weights.tolist(), strict=True))


def labels(graph):
    return list(range(graph.num_vertices)) if graph.labels is None else graph.labels.tolist()


PATH2 = [(0, 1), (1, 2)]
PATH3 = [(0, 1, 5), (1, 2, 7)]
BOTH = [(1, 2), (2, 1)]
BOTH9 = [(1, 2, 9), (2, 1, 9)]
MTX = "%%MatrixMarket matrix "

GOOD = {
    # name: (file name, content, arcs, labels, directed)
    "el": ("x.el", "0 1\n1 2\n", PATH2, [0, 1, 2], True),
    "wel": ("x.wel", "0 1 5\n1 2 7\n", PATH3, [0, 1, 2], True),
    "no final newline": ("x.wel", "0 1 5\n1 2 7", PATH3, [0, 1, 2], True),
    "crlf": ("x.txt", "0 1 5\r\n1 2 7\r\n", PATH3, [0, 1, 2], True),
    "crlf, cut": ("x.txt", "0\t1\t5\r\n1\t2\t7\r", PATH3, [0, 1, 2], True),
    "tabs": ("x.txt", "# SNAP\n0\t1\n1\t2\n", PATH2, [0, 1, 2], True),
    "commas": ("x.csv", "0,1,5\n1,2,7\n", PATH3, [0, 1, 2], True),
    "semicolons": ("x.csv", "0;1;5\n1 ; 2 ; 7\n", PATH3, [0, 1, 2], True),
    "header": ("x.csv", "source,target,weight\n0,1,5\n1,2,7\n", PATH3, [0, 1, 2], True),
    "header alone": ("x.csv", "source,target\n", [], [], True),
    "tsv header": ("x.tsv", "from\tto\n0\t1\n", [(0, 1)], [0, 1], True),
    "comments": ("x.txt", "# a\n% b\n// c\n0 1\n# d\n\n  // e\n1 2\n#f", PATH2, [0, 1, 2], True),
    "comments alone": ("x.txt", "# nothing\n", [], [], True),
    "runs of blanks": ("x.txt", "   0   1\t \t5  \n 1 2 7 \n", PATH3, [0, 1, 2], True),
    "byte order mark": ("x.txt", b"\xef\xbb\xbf0 1 5\n1 2 7\n", PATH3, [0, 1, 2], True),
    "gaps": ("x.txt", "10 30\n30 20\n", [(10, 30), (30, 20)], [10, 20, 30], True),
    "from one": ("x.txt", "1 2\n2 3\n", [(1, 2), (2, 3)], [1, 2, 3], True),
    "large ids": ("x.txt", "5000000000 1\n", [(5000000000, 1)], [1, 5000000000], True),
    "huge ids": ("x.txt", f"{2**63 - 1} 0\n", [(2**63 - 1, 0)], [0, 2**63 - 1], True),
    "leading zeros": ("x.txt", "00000000001 002 0007\n", [(1, 2, 7)], [1, 2], True),
    "floats": ("x.txt", "0 1 .5\n0 1 1e3\n0 1 +7\n", [(0, 1, 0.5), (0, 1, 7.0), (0, 1, 1000.0)], [0, 1], True),
    "late float": ("x.txt", "0 1 5\n" * 9 + "0 1 0.5\n", [(0, 1, 0.5)] + [(0, 1, 5.0)] * 9, [0, 1], True),
    "infinity": ("x.txt", "0 1 inf\n0 1 Infinity\n", [(0, 1, np.inf), (0, 1, np.inf)], [0, 1], True),
    "wide weights": ("x.txt", f"0 1 {2**40}\n0 1 {-(2**63)}\n", [(0, 1, -(2**63)), (0, 1, 2**40)], [0, 1], True),
    "gr": ("x.gr", "c hi\np sp 4 2\na 1 2 5\nc mid\na 2 3 7\nc end\n", [(1, 2, 5), (2, 3, 7)], [1, 2, 3, 4], True),
    "splib": ("x.gr", "c\nt name\np sp    3     1\nn   1\na   1  2    -5\n", [(1, 2, -5)], [1, 2, 3], True),
    "gr without p, from 0": ("x.gr", "a 0 1 5\na 1 2 7\n", PATH3, [0, 1, 2], True),
    "gr without p, gaps": ("x.gr", "c\na 3 9 5\n", [(3, 9, 5)], [3, 9], True),
    "tw": ("x.gr", "c PACE\np tw 3 1\n1 2\n", BOTH, [1, 2, 3], False),
    "col": ("x.col", "p edge 3 1\ne 1 2\n", BOTH, [1, 2, 3], False),
    "gr without arcs": ("x.gr", "p sp 2 0\n", [], [1, 2], True),
    "mtx": ("x.mtx", MTX + "coordinate integer general\n% c\n\n3 3 1\n1 2 5\n", [(1, 2, 5)], [1, 2, 3], True),
    "mtx symmetric": (
        "x.mtx",
        "%%matrixmarket MATRIX Coordinate Real Symmetric\n2 2 2\n2 1 1\n1 1 3\n",
        [(1, 1, 3.0), (1, 2, 1.0), (2, 1, 1.0)],
        [1, 2],
        False,
    ),
    "mtx skew": (
        "x.mtx",
        MTX + "coordinate real skew-symmetric\n2 2 1\n2 1 1.5\n",
        [(1, 2, -1.5), (2, 1, 1.5)],
        [1, 2],
        True,
    ),
    "mtx pattern": ("x.mtx", MTX + "coordinate pattern general\n2 2 1\n2 1\n", [(2, 1)], [1, 2], True),
    "mtx unsigned": ("x.mtx", MTX + "coordinate unsigned-integer general\n2 2 1\n2 1 3\n", [(2, 1, 3)], [1, 2], True),
    "mtx graphblas": (
        "x.mtx",
        MTX + "coordinate integer general\n%%GraphBLAS type float\n2 2 1\n2 1 inf\n",
        [(2, 1, np.inf)],
        [1, 2],
        True,
    ),
    "mtx array": ("x.mtx", MTX + "array integer general\n2 2\n0\n4\n3\n0\n", [(1, 2, 3), (2, 1, 4)], [1, 2], True),
    "mtx array symmetric": (
        "x.mtx",
        MTX + "array real symmetric\n2 2\n1\n2\n0\n",
        [(1, 1, 1.0), (1, 2, 2.0), (2, 1, 2.0)],
        [1, 2],
        False,
    ),
    "mtx array skew": ("x.mtx", MTX + "array real skew-symmetric\n2 2\n2\n", [(1, 2, -2.0), (2, 1, 2.0)], [1, 2], True),
    "mtx zero": ("x.mtx", MTX + "coordinate real general\n1 1 1\n1 1 0\n", [(1, 1, 0.0)], [1], True),
    "mtx in txt": ("x.txt", MTX + "coordinate pattern general\n2 2 1\n2 1\n", [(2, 1)], [1, 2], True),
    "gr in txt": ("x.txt", "c hi\np sp 2 1\na 1 2 3\n", [(1, 2, 3)], [1, 2], True),
    "metis": ("x.graph", "% c\n3 2\n2\n% c\n1 3\n2\n", [(1, 2), (2, 1), (2, 3), (3, 2)], [1, 2, 3], False),
    "metis isolated": ("x.graph", "4 1\n2\n1\n\n\n", BOTH, [1, 2, 3, 4], False),
    "metis trimmed": ("x.graph", "4 1\n2\n1", BOTH, [1, 2, 3, 4], False),
    "metis edge weights": ("x.graph", "2 1 1\n2 9\n1 9\n", BOTH9, [1, 2], False),
    "metis 001": ("x.graph", "2 1 001\n2 9\n1 9\n", BOTH9, [1, 2], False),
    "metis vertex weights": ("x.graph", "2 1 11 2\n4 4 2 9\n4 4 1 9\n", BOTH9, [1, 2], False),
    "metis sizes": ("x.graph", "2 1 100\n8 2\n8 1\n", BOTH, [1, 2], False),
    "metis all": ("x.graph", "2 1 111\n8 4 2 9\n8 4 1 9\n", BOTH9, [1, 2], False),
    "metis one way": ("x.graph", "3 1 100\n2\n\n\n", [(1, 2)], [1, 2, 3], True),
    "adjacency": ("x.adj", "1 2 3\n7\n2 1\n", [(1, 2), (1, 3), (2, 1)], [1, 2, 3, 7], True),
    "unknown suffix": ("x.data", "0 1 5\n1 2 7\n", PATH3, [0, 1, 2], True),
    "unknown suffix, header": ("x.data", "u,v,w\n0,1,5\n1,2,7\n", PATH3, [0, 1, 2], True),
}


@pytest.mark.parametrize("name", GOOD)
def test_good(tmp_path, name):
    file, content, expected, ids, directed = GOOD[name]
    g = sp.read(put(tmp_path, file, content))
    assert arcs(g) == expected
    assert labels(g) == ids
    assert g.directed == directed
    assert (g.labels is None) == (ids == list(range(len(ids))))
    if expected and len(expected[0]) == 3:
        assert type(g.weights[0].item()) is type(expected[0][2])


def test_types(tmp_path):
    assert sp.read(put(tmp_path, "a.txt", "0 1 5\n")).weights.dtype == np.int32
    assert sp.read(put(tmp_path, "b.txt", f"0 1 {2**31}\n")).weights.dtype == np.int64
    assert sp.read(put(tmp_path, "c.txt", f"0 1 {-(2**31)}\n")).weights.dtype == np.int32
    assert sp.read(put(tmp_path, "d.txt", "0 1 5.0\n")).weights.dtype == np.float64
    assert sp.read(put(tmp_path, "e.gr", "p sp 1 0\n")).weights.dtype == np.int32


def test_large_file_with_comments_in_every_piece(tmp_path):
    rng = np.random.default_rng(1)
    table = rng.integers(0, 5000, (300_000, 3))
    rows = ["{} {} {}".format(*row) for row in table.tolist()]
    for i in range(0, len(rows), 7001):
        rows[i] += "\n# a comment\n\n"
    g = sp.read(put(tmp_path, "x.wel", "\n".join(rows) + "\n#"))
    assert arcs(g) == sorted(map(tuple, table.tolist()))


@pytest.mark.parametrize("spread", [1, 3, 2**40])
def test_ids_are_renumbered_in_order(tmp_path, spread):
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, 3000, (300_000, 2)) * spread + spread
    content = "\n".join(f"{a} {b}" for a, b in pairs.tolist())
    g = sp.read(put(tmp_path, "x.txt", content))
    assert labels(g) == np.unique(pairs).tolist()
    assert arcs(g) == sorted(map(tuple, pairs.tolist()))


def test_floats_are_exact(tmp_path):
    rng = np.random.default_rng(3)
    bits = rng.integers(-(2**63), 2**63 - 1, 3000).view(np.float64)
    values = np.concatenate([rng.random(2000), bits[np.isfinite(bits)], [5e-324, 1.7976931348623157e308, 0.1, 1e22]])
    texts = [repr(x) for x in values.tolist()]
    texts += [f"{x:.25e}" for x in rng.random(99)] + [f"{x:.6f}" for x in rng.random(999) * 1e6]
    g = sp.read(put(tmp_path, "x.wel", "".join(f"0 1 {t}\n" for t in texts)))
    assert g.weights.tolist() == [float(t) for t in texts]


def test_directed_overrides(tmp_path):
    both = [(0, 1), (1, 0), (1, 2), (2, 1)]
    el = put(tmp_path, "x.el", "0 1\n1 2\n")
    assert arcs(sp.read(el, directed=False)) == both
    assert arcs(sp.read(put(tmp_path, "x.gr", "p tw 2 1\n1 2\n"), directed=True)) == [(1, 2)]
    assert sp.read(put(tmp_path, "x.graph", "2 1\n2\n1\n"), directed=True).directed
    for file in ("x.sg", "x.npz", "x.steppe"):
        sp.write(sp.read(el), tmp_path / file)
        assert arcs(sp.read(tmp_path / file, directed=False)) == both


def test_format_argument(tmp_path):
    path = put(tmp_path, "x.weird", "p sp 2 1\na 1 2 3\n")
    assert arcs(sp.read(path, format="gr")) == arcs(sp.read(path, format=".GR")) == [(1, 2, 3)]
    assert arcs(sp.read(put(tmp_path, "y.weird", "2 1\n2\n1\n"), format="metis")) == BOTH
    with pytest.raises(sp.GraphError, match="unknown format"):
        sp.read(path, format="docx")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_standard_input(monkeypatch, pack):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(b"p sp 2 1\na 1 2 3\n"))))
    assert arcs(sp.read("-")) == [(1, 2, 3)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(b"0 1\nx\n"))))
    with pytest.raises(sp.FormatError, match="<stdin>:2"):
        sp.read("-")


def test_packed_members(tmp_path):
    """Two gzip members, and two zstd frames, are one file."""
    g = sp.read(put(tmp_path, "x.el.gz", gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n")))
    assert arcs(g) == PATH2
    zstd = pytest.importorskip("zstandard").ZstdCompressor().compress
    g = sp.read(put(tmp_path, "x.el.zst", zstd(b"0 1\n") + zstd(b"1 2\n")))
    assert arcs(g) == PATH2
    with pytest.raises(sp.FormatError, match="truncated zst"):
        sp.read(put(tmp_path, "y.el.zst", zstd(b"0 1\n" * 99)[:-3]))


def test_zst_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(sp.SteppeError, match="pip install steppe"):
        sp.read(put(tmp_path, "x.el.zst", b"\x28\xb5\x2f\xfd"))
    with pytest.raises(sp.SteppeError, match="pip install steppe"):
        sp.write(sp.Graph.from_edges([0], [1]), tmp_path / "y.el.zst")
    assert [p.name for p in tmp_path.iterdir()] == ["x.el.zst"]


def test_ldbc_pair(tmp_path):
    put(tmp_path, "x.v", "3\n1\n9\n")
    path = put(tmp_path, "x.e", "1 3 0.5\n")
    g = sp.read(path)
    assert labels(g) == [1, 3, 9]
    assert g.directed
    put(tmp_path, "x.properties", "graph.x.directed = false\n")
    assert arcs(sp.read(path)) == [(1, 3, 0.5), (3, 1, 0.5)]
    put(tmp_path, "x.e", "1 3 0.5\n# c\n3 4 0.5\n")
    with pytest.raises(sp.FormatError, match="not in the vertex file") as caught:
        sp.read(path)
    assert caught.value.line == 3
    put(tmp_path, "x.v", "3\n1 9\n")
    with pytest.raises(sp.FormatError, match=r"x\.v:2: expected one vertex id a line"):
        sp.read(path)


def test_coordinates(tmp_path):
    path = put(tmp_path, "x.co", "c\np aux sp co 2\nv 2 -7 8\nv 1 5 6\n")
    assert sp.files.read_coordinates(path).tolist() == [[5, 6], [-7, 8]]
    for content in ("p aux sp co 2\nv 1 5 6\n", "p aux sp co 1\nv 2 5 6\n", "p aux sp co 1\nv 1 x 6\n", "v 1 2 3\n"):
        with pytest.raises(sp.FormatError):
            sp.files.read_coordinates(put(tmp_path, "y.co", content))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_galois_binary(tmp_path, version, weighted):
    targets = struct.pack("<III" if version == 1 else "<QQQ", 1, 2, 0)
    content = struct.pack("<QQQQ3Q", version, 4 * weighted, 3, 3, 2, 2, 3) + targets + bytes(4 * (version == 1))
    g = sp.read(put(tmp_path, "x.gr", content + (struct.pack("<3i", 5, 6, 7) if weighted else b"")))
    assert [a[:2] for a in arcs(g)] == [(0, 1), (0, 2), (2, 0)]
    assert (g.weights.tolist() if weighted else g.weights) == ([5, 6, 7] if weighted else None)


def test_suffixes():
    assert split_suffix(Path("a.b/USA.GR.GZ")) == (".gr", ".gz")
