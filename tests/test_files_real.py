"""Real files, where they are: $STEPPE_DATA, or ../shared/data beside the repository."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from test_files import arcs, labels

DATA = Path(os.environ.get("STEPPE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real graphs at {DATA} (set STEPPE_DATA)")

COUNTS = {
    # file: vertices, stored arcs, directed, first and last label
    "dimacs9/USA-road-d.NY.gr.gz": (264_346, 733_846, True, 1, 264_346),
    "dimacs9/rome99.gr": (3_353, 8_870, True, 1, 3_353),
    "dimacs9/PACE16-COL.gr.xz": (435_666, 2 * 521_200, False, 1, 435_666),
    "dimacs9/bremen_dist.zero-based-no-header.gr.gz": (40_461, 86_475, True, 0, 40_460),
    "snap/wiki-Vote.txt.gz": (7_115, 103_689, True, 3, 8_297),
    "snap/ca-GrQc.txt.gz": (5_242, 28_980, True, 13, 26_196),
    "snap/facebook_combined.txt.gz": (4_039, 88_234, True, 0, 4_038),
    "metis/delaunay_n15.graph.gz": (32_768, 2 * 98_274, False, 1, 32_768),
    "matrixmarket/chesapeake.mtx": (39, 340, False, 1, 39),
    "matrixmarket/karate.mtx": (34, 156, False, 1, 34),
    "matrixmarket/jagmesh7.mtx": (1_138, 7_450, False, 1, 1_138),
    "matrixmarket/cryg2500.mtx": (2_500, 12_349, True, 1, 2_500),
    "matrixmarket/full_symmetric.mtx": (4, 16, False, 1, 4),
    "matrixmarket/matrix_int64.mtx": (7, 12, True, 1, 7),
    "ldbc/example/example-directed.e": (10, 17, True, 1, 10),
    "ldbc/sssp/undir-input.e": (12, 14, True, 1, 12),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    g = sp.read(DATA / name)
    assert (g.num_vertices, g.num_edges, g.directed, g.label(0), g.label(g.num_vertices - 1)) == COUNTS[name]


def test_bremen_facts():
    g = sp.read(DATA / "dimacs9/bremen_dist.zero-based-no-header.gr.gz")
    u = np.repeat(np.arange(g.num_vertices), g.degrees)
    assert int((u == g.indices).sum()) == 305
    assert int((g.weights == 0).sum()) == 21
    assert g.num_edges - len(np.unique(u * g.num_vertices + g.indices)) == 1_198


def test_coordinates():
    points = sp.files.read_coordinates(DATA / "dimacs9/USA-road-d.NY.co.gz")
    assert points.shape == (264_346, 2)
    assert points[0].tolist() == [-73530767, 41085396]


def test_splib():
    with (DATA / "splib/expected.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 15
    for row in rows:
        g = sp.read(DATA / "splib" / row["file"])
        assert (g.num_vertices, g.num_edges) == (int(row["n"]), int(row["m"]))
        assert (g.min_weight, g.max_weight) == (int(row["minw"]), int(row["maxw"]))
        assert int((g.weights < 0).sum()) == int(row["negarcs"])
        assert int((g.weights == 0).sum()) == int(row["zeroarcs"])


def shortest_arcs(name):
    """The loop-free arcs of a GAP file numbered from 0, with the smallest weight of parallel ones."""
    g = sp.read(DATA / "gap" / name)
    first = 0 if name.endswith("el") else 1
    best = {}
    for u, v, *w in arcs(g):
        if u != v:
            best.setdefault((u - first, v - first), w)  # sorted: the smallest comes first
    return best


def test_gap_formats_agree():
    plain = [shortest_arcs(name) for name in ("4.el", "4.mtx", "4.graph")]
    weighted = [shortest_arcs(name) for name in ("4.wel", "4.gr", "4w.mtx", "4w.graph")]
    assert all(best == plain[0] for best in plain)
    assert all(best == weighted[0] for best in weighted)
    assert plain[0].keys() == weighted[0].keys()
    full = [arcs(sp.read(DATA / "gap" / name)) for name in ("4.wel", "4.gr", "4w.mtx")]
    assert [(a + 1, b + 1, w) for a, b, w in full[0]] == full[1] == full[2]
    assert len(full[0]) == 256


def test_ldbc_adjacency_agrees_with_edges():
    edges = sp.read(DATA / "ldbc/example/example-directed.e")
    lists = sp.read(DATA / "ldbc/example/example-directed-input", format="adj")
    assert labels(edges) == labels(lists)
    assert [a[:2] for a in arcs(edges)] == arcs(lists)


REFUSED = {
    "matrixmarket/empty.mtx": (4, "square"),
    "matrixmarket/matrix_fp32.mtx": (7, "-inf"),
    "matrixmarket/matrix_uint64.mtx": (8, "18446744073709551615"),
    "matrixmarket/skew_fp64.mtx": (4, "-inf"),
    "malformed/garbage.lagraph": (None, "cannot tell the format"),
    "malformed/mangled1.mtx": (1, "'mangled'"),
    "malformed/mangled2.mtx": (1, "'mangled'"),
    "malformed/mangled3.mtx": (1, "'mangled'"),
    "malformed/mangled4.mtx": (1, "'mangled'"),
    "malformed/mangled5.mtx": (1, "hermitian"),
    "malformed/mangled6.mtx": (1, "hermitian"),
    "malformed/mangled7.mtx": (2, "'gunk'"),
    "malformed/mangled8.mtx": (4, "ROWS COLUMNS ENTRIES"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    line, words = REFUSED[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(DATA / name)
    assert caught.value.line == line


def test_every_malformed_file_is_refused():
    files = sorted((DATA / "malformed").iterdir())
    assert files
    for path in files:
        for format in (None, "mtx", "gr", "txt", "csv", "graph", "npz", "sg", "steppe"):  # noqa: A001
            with pytest.raises(sp.FormatError):
                sp.read(path, format=format)
