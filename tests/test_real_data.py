"""Published and twice-checked answers on real graphs, where they are: $STEPPE_DATA, or ../shared/data beside the repository."""

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import examples

DATA = Path(os.environ.get("STEPPE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real graphs at {DATA} (set STEPPE_DATA)")

METHODS = ["dijkstra", "delta-stepping"]
BREMEN = "dimacs9/bremen_dist.zero-based-no-header.gr.gz"

# file, source, reached, sum of distances, largest
CHECKED = [
    ("dimacs9/USA-road-d.NY.gr.gz", 1, 264_346, 186_686_642_878, 1_440_081),
    ("dimacs9/USA-road-d.NY.gr.gz", 100_000, 264_346, 130_800_329_807, 1_142_706),
    ("dimacs9/rome99.gr", 1, 3_353, 116_006_476, 69_102),
    ("dimacs9/rome99.gr", 3_353, 3_353, 33_624_198, 42_730),
    (BREMEN, 0, 33_284, 318_849_187, 33_202),
]
_read = {}


def read(name):
    """Read a file once for all tests."""
    if name not in _read:
        _read[name] = sp.read(DATA / name)
    return _read[name]


def summary(paths):
    d = paths.distances[paths.reachable]
    return len(d), int(d.sum()), int(d.max())


@pytest.mark.parametrize(("name", "source", "reached", "total", "largest"), CHECKED)
@pytest.mark.parametrize("method", [*METHODS, "frontier", "bellman-ford"])
def test_checked_answers(name, source, reached, total, largest, method):
    if "NY" in name and method in ("frontier", "bellman-ford"):
        name, source, reached, total, largest = CHECKED[2]  # rounds over a large road network take too long for a test
    for threads in (1, 2):
        r = sp.sssp(read(name), source, method=method, threads=threads)
        assert summary(r) == (reached, total, largest)
        r.verify()


def splib():
    path = DATA / "splib" / "expected.csv"
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


@pytest.mark.parametrize("row", splib(), ids=lambda row: row["file"])
def test_graphs_made_to_be_hard_are_not(row):
    """Two relaxations an edge at most, where some methods need hundreds (grid_phard)."""
    g = read(f"splib/{row['file']}")
    if g.has_negative:
        assert sp.plan(g, "sssp").method == "bellman-ford"
        return
    for threads in (1, 2):
        assert sp.sssp(g, int(row["source"]), threads=threads).explain().relaxations_per_edge <= 2 * threads


@pytest.mark.parametrize("row", splib(), ids=lambda row: row["file"])
def test_splib_sums(row):
    g = sp.read(DATA / "splib" / row["file"])
    methods = ["bellman-ford"] if g.has_negative else [*METHODS, "auto"]
    if not g.has_negative and "hard" not in row["file"]:  # made so that a queue scans vertices again and again
        methods += ["frontier", "bellman-ford"]
    for method in methods:
        r = sp.sssp(g, int(row["source"]), method=method, record_paths=method == "bellman-ford").verify()
        assert summary(r)[:2] == (int(row["reached"]), int(row["published_sum"])), method


def test_all_of_splib_is_there():
    assert len(splib()) == 15


@pytest.mark.parametrize("metric", ["geo_distance", "travel_time"])
def test_luxembourg_queries(metric):
    first_out, head, weights = (
        np.fromfile(DATA / "luxembourg" / f"{x}.u32", "<u4") for x in ("first_out", "head", metric)
    )
    g = sp.Graph.from_csr(first_out, head, weights)
    assert (g.num_vertices, g.num_edges) == (76_595, 175_323)
    with (DATA / "luxembourg" / "queries.csv").open() as file:
        queries = list(csv.DictReader(file))
    assert len(queries) == 1_000
    for i, query in enumerate(queries[: examples(1_000)]):
        source, target, length = int(query["source"]), int(query["target"]), int(query[metric])
        r = sp.sssp(g, source, targets=[target], threads=1)
        assert r.distance(target) == (sp.UNREACHABLE if length == 2**31 - 1 else length)
        if i % 50 == 0:
            r.verify()


# LDBC Graphalytics --------------------------------------------------------------------------------------------------

LDBC = {
    # properties: graph file, format, {algorithm: expected output}
    "example-directed": ("example/example-directed.e", None, {"BFS": "-BFS", "SSSP": "-SSSP"}),
    "example-undirected": ("example/example-undirected.e", None, {"BFS": "-BFS", "SSSP": "-SSSP"}),
    "test-bfs-directed": ("bfs/dir-input", "adj", {"BFS": "dir-output"}),
    "test-bfs-undirected": ("bfs/undir-input", "adj", {"BFS": "undir-output"}),
    "test-sssp-directed": ("sssp/dir-input.e", None, {"SSSP": "dir-output"}),
    "test-sssp-undirected": ("sssp/undir-input.e", None, {"SSSP": "undir-output"}),
}


@pytest.mark.parametrize("name", LDBC)
def test_ldbc(name):
    file, format, outputs = LDBC[name]  # noqa: A001
    properties = (DATA / "ldbc" / "config" / f"{name}.properties").read_text()
    directed = re.search(r"\.directed = (\w+)", properties)[1] == "true"
    g = sp.read(DATA / "ldbc" / file, format=format, directed=None if format else directed)
    for algorithm, suffix in outputs.items():
        source = int(re.search(rf"\.{algorithm.lower()}\.source-vertex = (\d+)", properties)[1])
        output = (
            DATA / "ldbc" / file.replace(".e", suffix)
            if suffix[0] == "-"
            else DATA / "ldbc" / Path(file).parent / suffix
        )
        expected = dict(line.split() for line in output.read_text().splitlines())
        assert len(expected) == g.num_vertices
        if algorithm == "BFS":
            for threads in (1, 2):
                r = sp.bfs(g, source, threads=threads).verify()
                assert all(r.distance(int(v)) == int(hops) for v, hops in expected.items())
        else:
            for method in [*METHODS, "frontier", "bellman-ford"]:
                r = sp.sssp(g, source, method=method).verify()
                for v, length in expected.items():
                    assert r.distance(int(v)) == pytest.approx(float(length), rel=1e-12)


# One small graph in seven formats -----------------------------------------------------------------------------------

GAP = {"4.el": 0, "4.mtx": 1, "4.graph": 1, "4.wel": 0, "4.gr": 1, "4w.mtx": 1, "4w.graph": 1}


def test_gap_formats_give_one_answer():
    hops, lengths = {}, {}
    for name, first in GAP.items():
        g = sp.read(DATA / "gap" / name)
        assert g.num_vertices == (14 if first else 13)  # an edge list does not know of the vertex without edges
        for s in range(14):
            if not first and s not in g.labels:
                continue
            for answers, r in [
                (hops, sp.bfs(g, s + first)),
                *([(lengths, sp.sssp(g, s + first))] * (g.weights is not None)),
            ]:
                numbered = {v - first: d for v, d in r.verify().to_dict().items()}
                answers.setdefault(s, []).append(numbered)
    for answers, formats, lists in ((hops, 7, 2), (lengths, 4, 1)):
        counts = [len(answers[s]) for s in range(14)]
        assert sorted(counts) == [formats - lists] + [formats] * 13
        assert all(x == answers[s][0] for s in range(14) for x in answers[s])


@pytest.mark.parametrize(
    "name", ["snap/wiki-Vote.txt.gz", "snap/ca-GrQc.txt.gz", "snap/facebook_combined.txt.gz", BREMEN]
)
def test_hops_on_real_graphs(name):
    g = read(name)
    source = g.label(int(g.degrees.argmax()))
    plain = sp.bfs(g, source, threads=1).verify()
    assert g.reverse.num_edges == g.num_edges  # from now on both directions are used
    for threads in (1, 2):
        assert np.array_equal(sp.bfs(g, source, threads=threads, record_paths=True).verify().distances, plain.distances)
    ones = sp.Graph.from_csr(g.indptr, g.indices, np.ones(g.num_edges))
    lengths = sp.sssp(ones, g.index(source), method="delta-stepping").distances
    assert np.array_equal(lengths[plain.reachable], plain.distances[plain.reachable])
