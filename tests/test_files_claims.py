"""What a file claims and does not hold: notes, counts, packed gigabytes, companions of another time."""

import contextlib
import gzip
import lzma
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from steppe import _core
from test_files import MTX, arcs, labels, put

NOTES = {
    # name: (file name, content, line, words of the message)
    "int32, a fraction": ("x.txt", "# steppe: dtype=int32\n0 1 1.7\n1 2 2.9\n", 2, "whole number"),
    "int32, too large": ("x.txt", "# steppe: dtype=int32\n0 1 5\n# c\n0 1 5000000000\n", 4, "weights are int32"),
    "int64, infinity": ("x.txt", "# steppe: dtype=int64\n0 1 inf\n1 2 2.5\n", 2, "whole number"),
    "float32, too large": ("x.txt", "# steppe: dtype=float32\n0 1 1e39\n", 2, "does not fit"),
    "gr": ("x.gr", "c steppe: dtype=int32\np sp 2 1\na 1 2 5000000000\n", 3, "int32"),
    "mtx": ("x.mtx", MTX + "coordinate real general\n% steppe: dtype=int32\n2 2 1\n1 2 1.5\n", 4, "int32"),
    "names": ("x.csv", "# steppe: dtype=int32\nsource,target,w\nUlm,Bonn,1\nBonn,Kiel,1.5\n", 4, "int32"),
    "names, float32": ("x.csv", "# steppe: dtype=float32\nsource,target,w\nUlm,Bonn,1e39\n", 3, "float32"),
    "unweighted": ("x.gr", "c steppe: unweighted\np sp 2 2\na 1 2 1\na 2 1 3\n", 4, "no weights"),
    "one way": ("x.txt", "# steppe: undirected\n0 1 5\n1 0 5\n1 2 7\n", 4, "no opposite"),
    "other weight": ("x.txt", "# steppe: undirected\n0 1 5\n1 0 6\n", 2, "no opposite"),
    "other count": ("x.txt", "# steppe: undirected\n0 1\n1 0\n0 1\n", 2, "no opposite"),
    "names, one way": ("x.csv", "# steppe: undirected\nsource,target\na,b\nb,a\nb,c\n", 5, "no opposite"),
    "gr, one way": ("x.gr", "c steppe: undirected\np sp 3 2\na 1 2 1\na 2 3 3\n", 3, "no opposite"),
    "fewer vertices": ("x.txt", "# steppe: vertices=2\n0 1\n1 2\n", 3, "0…1"),
    "no vertices": ("x.txt", "# steppe: vertices=0\n" + "0 1\n" * 40, 2, "vertex id"),
    "gr, no vertices": ("x.gr", "p sp 0 40\n" + "a 1 1 1\n" * 40, 2, "vertex id"),
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_are_checked(tmp_path, name):
    file, content, line, words = NOTES[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, file, content))
    assert caught.value.line == line


def test_a_line_added_to_an_empty_graph(tmp_path):
    path = tmp_path / "x.txt"
    sp.write(sp.Graph.from_edges([], [], np.empty(0, dtype=np.int32), num_vertices=3), path)
    path.write_text(path.read_text() + "0 1 1.7\n")
    with pytest.raises(sp.FormatError, match="whole number"):
        sp.read(path)


def test_one_missing_direction_among_many(tmp_path):
    rng = np.random.default_rng(4)
    u, v, w = rng.integers(0, 5000, (3, 100_000))
    g = sp.Graph.from_edges(u, v, w.astype(np.float64), directed=False)
    path = tmp_path / "x.gr"
    sp.write(g, path)
    assert not sp.read(path).directed
    lines = path.read_text().splitlines()
    place = next(i for i in range(70_000, len(lines)) if len({*lines[i].split()[1:3]}) == 2)
    a, b, weight = lines[place].split()[1:]
    lines[place] = f"a {a} {b} {float(weight) + 0.5}"
    path.write_text("\n".join(lines))
    with pytest.raises(sp.FormatError, match="no opposite") as caught:
        sp.read(path)
    opposites = [i + 1 for i, line in enumerate(lines) if line.startswith(f"a {b} {a} ")]
    assert caught.value.line in (place + 1, *opposites)


@pytest.mark.parametrize("dtype", [None, np.int32, np.int64, np.float32, np.float64])
def test_both_ways_is_what_it_says(dtype):
    """On edges of three vertices and three weights, both answers are frequent."""
    rng, seen = np.random.default_rng(6), set()
    for key in range(2000):
        u, v, w = rng.integers(0, 3, (3, rng.integers(0, 7)))
        weights = None if dtype is None else w.astype(dtype)
        there, back = ([*zip(a, b, w * (dtype is not None), strict=True)] for a, b in ((u, v), (v, u)))
        assert _core.both_ways(u, v, weights, key, 2) == (sorted(there) == sorted(back))
        seen.add(sorted(there) == sorted(back))
    assert seen == {False, True}


def test_flags_of_binaries_are_checked(tmp_path):
    path = tmp_path / "x.sg"
    sp.write(sp.Graph.from_edges([0, 1], [1, 2], directed=False), path)
    content = bytearray(path.read_bytes())
    content[-4:] = (0).to_bytes(4, "little")  # 2 - 1 becomes 2 - 0
    with pytest.raises(sp.FormatError, match="no opposite"):
        sp.read(put(tmp_path, "y.sg", bytes(content)))


CLAIMS = {
    # name: (file name, content)
    "gr": ("x.gr", "p sp 1000000000 0\n"),
    "gr, one arc": ("x.gr", "p sp 1000000000 1\na 1 2 3\n"),
    "gr, digits": ("x.gr", "p sp " + "9" * 5000 + " 0\n"),
    "tw": ("x.gr", "p tw 1000000000 0\n"),
    "metis": ("x.graph", "1000000000 0\n"),
    "metis, digits": ("x.graph", "9" * 5000 + " 0\n"),
    "metis, ncon": ("x.graph", "1 0 010 1000000000000\n1\n"),
    "mtx": ("x.mtx", MTX + "coordinate real general\n1000000000 1000000000 0\n"),
    "mtx, digits": ("x.mtx", MTX + "coordinate real general\n" + "9" * 5000 + " 1 0\n"),
    "mtx array": ("x.mtx", MTX + "array real general\n100000 100000\n1\n"),
    "mtx array, symmetric": ("x.mtx", MTX + "array real symmetric\n100000 100000\n1\n"),
    "note": ("x.txt", "# steppe: vertices=1000000000\n0 1\n"),
    "sg": ("x.sg", b"\0" + (2**62).to_bytes(8, "little") * 2),
    "galois": ("x.gr", b"".join(k.to_bytes(8, "little") for k in (1, 0, 2**61, 2**61))),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_claimed_counts_take_no_memory(tmp_path, name):
    path = put(tmp_path, *CLAIMS[name])
    tracemalloc.start()
    try:
        with pytest.raises(sp.FormatError):
            sp.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 64 * path.stat().st_size + (64 << 20)


def test_isolated_vertices_within_bounds(tmp_path):
    path = put(tmp_path, "x.gr", "p sp 1000000 0\n")
    assert sp.read(path).num_vertices == 1_000_000
    with pytest.raises(sp.FormatError, match="max_bytes"):
        sp.read(path, max_bytes=1000)
    path = put(tmp_path, "x.gr", "p sp 4000000 1\na 1 4000000 5\n")
    with pytest.raises(sp.FormatError, match=r"x\.gr:1: 4,000,000 vertices take more than"):
        sp.read(path)
    assert sp.read(path, max_bytes=1 << 30).num_vertices == 4_000_000


def pack(suffix, data):
    if suffix == ".gz":
        return gzip.compress(data)
    return lzma.compress(data) if suffix == ".xz" else pytest.importorskip("zstandard").compress(data)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_packed_gigabytes(tmp_path, suffix):
    """Eight megabytes in a few kilobytes are refused before they are there, unless they are wanted."""
    bomb = b"#" * (8 << 20) + b"\n0 1\n"
    path = put(tmp_path, "x.el" + suffix, pack(suffix, bomb))
    assert path.stat().st_size < 1 << 16
    with pytest.raises(sp.FormatError, match=r"unpack to more than .* max_bytes="):
        sp.read(path)
    assert arcs(sp.read(path, max_bytes=len(bomb))) == [(0, 1)]
    with pytest.raises(sp.FormatError, match="unpack to more than"):
        sp.read(path, max_bytes=len(bomb) - 1)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_packed_data_cut_or_changed_anywhere(tmp_path, suffix):
    whole = pack(suffix, b"".join(b"%d %d\n" % (i, i * i % 91) for i in range(300)))
    g = sp.read(put(tmp_path, "x.el" + suffix, whole))
    for cut in range(len(whole)):
        with pytest.raises(sp.FormatError):
            sp.read(put(tmp_path, "y.el" + suffix, whole[:cut]))
    for at in range(0, len(whole), 3):
        broken = whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :]
        with contextlib.suppress(sp.FormatError):
            back = sp.read(put(tmp_path, "y.el" + suffix, broken))
            assert arcs(back) == arcs(g) or suffix == ".zst"  # the one that needs no checksum


def test_written_files_are_within_the_bounds(tmp_path):
    """The most regular graphs, packed by us, unpack without max_bytes."""
    path = np.arange(200_000)
    ones = np.ones(len(path) - 1, dtype=np.int32)
    for name in ("x.gr.xz", "x.el.gz", "x.steppe.xz", "x.gr.gz"):
        sp.write(sp.Graph.from_edges(path[:-1], path[1:], None if ".el" in name else ones), tmp_path / name)
        assert sp.read(tmp_path / name).num_vertices == len(path)


def test_companions_belong_together(tmp_path):
    sp.write(sp.Graph.from_edges([0], [1]), tmp_path / "x.e")
    g = sp.Graph.from_edges([0], [1], num_vertices=5)
    sp.write(g, tmp_path / "x.e.gz")
    assert sp.read(tmp_path / "x.e.gz").num_vertices == 5
    assert sp.read(tmp_path / "x.e").num_vertices == 2
    (tmp_path / "x.v").rename(tmp_path / "x.v.xz")
    with pytest.raises(sp.FormatError, match=r"which belongs to this file: x\.v\.gz and x\.v\.xz"):
        sp.read(tmp_path / "x.e")
    (tmp_path / "x.v.xz").unlink()
    assert sp.read(tmp_path / "x.e").num_vertices == 5  # the only one there is


def test_a_vertex_listed_twice(tmp_path):
    put(tmp_path, "x.v", "3\n1\n# c\n3\n")
    with pytest.raises(sp.FormatError, match=r"x\.v:4: the vertex 3 is listed twice"):
        sp.read(put(tmp_path, "x.e", "1 3\n"))


def test_one_long_name(tmp_path):
    path = put(tmp_path, "x.csv", "x" * 100_000 + ",n0,1\n" + "".join(f"n{i},n{i + 1},1\n" for i in range(5000)))
    tracemalloc.start()
    g = sp.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * path.stat().st_size + (64 << 20)
    assert sp.sssp(g, "x" * 100_000).distance("n5000") == 5001
    assert len(labels(g)) == 5002


SLOW = {
    "blanks": ("x.csv", 'a,b,3\na" + " " * 40_000 + "\\"x,b,3\n'),
    "digits": ("x.csv", 'a,b,3\n" + "1" * 100_000 + "x,b,3\n'),
    "quotes": ("x.csv", 'a,b,3\n" + "\\"\\"" * 50_000 + "x,b,3\n'),
    "separators": ("x.csv", 'a,b,3\n" + "," * 100_000 + "\n'),
    "blanks in a heading": ("x.csv", 'source" + " " * 100_000 + "x,target\n'),
    "metis": ("x.graph", "0 0 010 1000000000000\n"),
    "one long line": ("x.txt", '" + "1 " * 200_000 + "'),
}


@pytest.mark.parametrize("name", SLOW)
def test_time_in_proportion(tmp_path, name):
    file, content = SLOW[name]
    code = f"""
import pathlib, steppe as sp
path = pathlib.Path({str(tmp_path / file)!r})
path.write_text("{content.replace(chr(10), chr(92) + "n")}")
try:
    sp.read(path)
except sp.FormatError:
    pass
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
