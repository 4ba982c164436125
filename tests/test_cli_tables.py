"""The command line with tables, lists and pipes: what people type in a shell."""

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import steppe as sp
from conftest import PATIENCE
from test_cli import TRIANGLE, facts, process, run

ROADS = "road,origin,dest,minutes,km\nA8,Ulm,Bonn,240,420.5\nA61,Bonn,Trier,95,165\nA7,Ulm,Trier,340,390\n"


@pytest.fixture
def gr(tmp_path):
    path = tmp_path / "triangle.gr"
    path.write_text(TRIANGLE)
    return path


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(ROADS)
    return path


def test_columns(roads):
    assert facts("sssp", roads, "--source", "Ulm", "--columns", "origin,dest,minutes")["largest"] == 335
    assert facts("sssp", roads, "--source", "Ulm", "--columns", "1,2,4")["largest"] == 420.5
    assert facts("sssp", roads, "--source", "Ulm", "--columns", "origin,dest")["largest"] == 1
    assert facts("info", roads, "--columns", "dest,origin,km")["weights"] == "float64"
    assert "which column is the weight" in run("info", roads, code=2).stderr
    assert "--columns names" in run("info", roads, "--columns", "origin", code=2).stderr


def test_lists_in_files(gr, tmp_path):
    zones = tmp_path / "zones.txt"
    zones.write_text("# zones\n1\n\n2\n")
    assert facts("distances", gr, "--sources", f"@{zones}", "--targets", "3")["distances"] == [[8], [3]]
    assert facts("nearest", gr, "--source", f"@{zones}")["sources"] == 2
    assert facts("sssp", gr, "--source", 1, "--targets", f"@{zones}", "--target", 3)["distance_to_3"] == 8
    zones.write_text("1\n9\n")
    said = run("distances", gr, "--sources", f"@{zones}", "--targets", "3", code=2).stderr
    assert f"{zones}:2: vertex 9 is not in the graph" in said
    zones.write_text("# nothing\n")
    assert "no vertices" in run("nearest", gr, "--sources", f"@{zones}", code=2).stderr


def test_both_spellings(gr):
    for sources in ("--source", "--sources", "-s"):
        for targets in ("--target", "--targets", "-t"):
            assert facts("route", gr, sources, 1, targets, 3)["distance"] == 8
            assert facts("sssp", gr, sources, 1, targets, "3,2")["distance_to_2"] == 5
            assert facts("distances", gr, sources, 1, targets, 3)["distances"] == [[8]]


def test_labels_in_json(roads):
    words = (roads, "--columns", "origin,dest,minutes")
    found = facts("distances", *words, "--sources", "Ulm,Bonn", "--targets", "Trier,Ulm")
    assert found["source_labels"] == ["Ulm", "Bonn"]
    assert found["target_labels"] == ["Trier", "Ulm"]
    assert found["distances"] == [[335, 0], [95, None]]


def test_paths_for_pairs(roads, tmp_path):
    pairs = tmp_path / "od.csv"
    pairs.write_text("zone,to,from\n7,Trier,Ulm\n8,Ulm,Trier\n9,Bonn,Ulm\n")
    words = ("route", roads, "--columns", "origin,dest,minutes", "--pairs", pairs)
    found = facts(*words)
    assert (found["pairs"], found["reachable_pairs"]) == (3, 2)
    assert found["paths"] == [["Ulm", "Bonn", "Trier"], None, ["Ulm", "Bonn"]]
    assert found["distances"] == [335, None, 240]
    assert "Ulm Bonn Trier" in run(*words).stdout
    expected = {
        "pair": [0, 0, 0, 1, 2, 2],
        "source": ["Ulm", "Ulm", "Ulm", "Trier", "Ulm", "Ulm"],
        "target": ["Trier", "Trier", "Trier", "Ulm", "Bonn", "Bonn"],
        "distance": [335, 335, 335, None, 240, 240],
        "step": [0, 1, 2, None, 0, 1],
        "vertex": ["Ulm", "Bonn", "Trier", None, "Ulm", "Bonn"],
    }
    run(*words, "-o", tmp_path / "paths.parquet")
    assert pq.read_table(tmp_path / "paths.parquet").to_pydict() == expected
    run(*words, "-o", tmp_path / "paths.csv.gz")
    with gzip.open(tmp_path / "paths.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    assert [row["vertex"] for row in rows] == ["Ulm", "Bonn", "Trier", "", "Ulm", "Bonn"]
    assert run(*words, "-o", "-").stdout.startswith("pair,source,target")
    pairs.write_text("Ulm,Paris\n")
    assert f"{pairs}:1: vertex Paris is not in the graph" in run(*words, code=2).stderr
    assert "give --source and --target" in run("route", roads, "--source", "Ulm", code=2).stderr
    assert "use .csv or .parquet" in run(*words, "-o", "x.npy", code=2).stderr


def test_one_path_is_saved(gr, tmp_path):
    run("route", gr, "-s", 1, "-t", 3, "-o", tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text().splitlines()[1:] == ["0,1,3,8,0,1", "0,1,3,8,1,2", "0,1,3,8,2,3"]


def test_convert_to_standard_output(gr, tmp_path):
    out = process("convert", gr, "-", "--to", "csv")
    assert (out.returncode, out.stderr) == (0, "")
    assert out.stdout.splitlines()[-4:] == ["1,2,5", "1,3,9", "2,3,3", "3,1,1"]
    packed = subprocess.run(
        [sys.executable, "-m", "steppe", "convert", str(gr), "-", "--to", "npz"], capture_output=True, check=True
    )
    (tmp_path / "x.npz").write_bytes(packed.stdout)
    assert np.array_equal(sp.read(tmp_path / "x.npz").weights, sp.read(gr).weights)
    assert "add --to csv" in run("convert", gr, "-", code=2).stderr
    assert "one file" in run("convert", gr, "-", "--to", "e", code=2).stderr
    run("convert", gr, tmp_path / "x.dat", "--to", "csv")
    assert sp.read(tmp_path / "x.dat", format="csv").num_edges == 4


def test_convert_with_a_map(roads, tmp_path):
    words = ("convert", roads, tmp_path / "roads.gr", "--columns", "origin,dest,minutes")
    assert "cannot keep these labels" in run(*words, code=2).stderr
    run(*words, "--map", tmp_path / "ids.csv")
    assert (tmp_path / "ids.csv").read_text() == "vertex,label\n1,Bonn\n2,Trier\n3,Ulm\n"
    assert sp.sssp(sp.read(tmp_path / "roads.gr"), 3).distance(2) == 335
    assert "a 3 1 240" in (tmp_path / "roads.gr").read_text()


def test_convert_keeps_attributes(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_bytes("von;nach;km;maut\nKöln;Düren;40,5;1\nDüren;Aachen;;2\nKöln;Aachen;70;3\n".encode("latin-1"))
    out = tmp_path / "roads.parquet"
    words = ("--columns", "von,nach,km", "--attributes", "maut", "--encoding", "latin-1", "--drop-missing")
    run("convert", path, out, *words)
    g = sp.read(out, attributes=["maut"])
    assert sp.sssp(g, "Köln").along("maut").tolist() == [3, 1, 0]
    assert g.weights.tolist() == [40.5, 70.0] or g.weights.tolist() == [70.0, 40.5]


def test_packed_tables(gr, tmp_path):
    run("sssp", gr, "--source", 1, "-o", tmp_path / "x.csv.gz")
    with gzip.open(tmp_path / "x.csv.gz", "rt") as file:
        assert file.read() == "vertex,distance\n1,0\n2,5\n3,8\n4,\n"
    run("distances", gr, "--sources", 1, "-o", tmp_path / "m.csv.bz2")
    assert sp.read(tmp_path / "m.csv.bz2", missing="drop").num_edges == 3
    assert "only .csv files are packed" in run("sssp", gr, "-s", 1, "-o", tmp_path / "x.npy.gz", code=2).stderr


def test_a_finished_matrix_is_kept(gr, tmp_path):
    out = tmp_path / "m.npy"
    run("distances", gr, "--sources", 1, "-o", out)
    before = out.read_bytes()
    for words in (("distances", gr, "--sources", 2), ("all-pairs", gr)):
        assert "--force" in run(*words, "-o", out, code=2).stderr
        assert out.read_bytes() == before
    run("distances", gr, "--sources", 2, "-o", out, "--force")
    assert np.load(out)[0, 2] == 3


@pytest.mark.skipif(os.name == "nt", reason="no pipes of this kind")
@pytest.mark.parametrize("lines", [1, 0])
def test_a_broken_pipe_is_no_error(tmp_path, lines):
    """`steppe … -o - | head -1`, for outputs that fill the pipe and for those that do not."""
    big, small = tmp_path / "big.steppe", tmp_path / "small.gr"
    sp.write(sp.generate.grid(120, 120), big)
    small.write_text(TRIANGLE)
    for words in (
        ("sssp", big, "--source", "0", "-o", "-"),
        ("convert", big, "-", "--to", "csv"),
        ("sssp", small, "--source", "1", "-o", "-"),
        ("info", small),
    ):
        child = subprocess.Popen(
            [sys.executable, "-m", "steppe", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if lines:
            child.stdout.readline()
        child.stdout.close()
        said = child.stderr.read().decode()
        assert child.wait(timeout=PATIENCE) == 0, said
        assert "rror" not in said
        child.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_at_any_time_leaves_no_traceback(gr):
    """The command itself, from its first millisecond of ours on; what Python does before that is Python's."""
    program = Path(sys.executable).parent / "steppe"
    if not program.exists():
        pytest.skip("the command is not installed beside this Python")
    code = (
        "import sys, _steppe_cli; sys.argv = ['steppe', 'info', sys.argv[1]]; print(1, flush=True); _steppe_cli.main()"
    )
    ended = set()
    for wait in (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(gr)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert child.stdout.readline() == "1\n"
        time.sleep(wait)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=PATIENCE)
        assert "Traceback" not in said, f"after {wait} s: {said}"
        assert child.returncode in (0, 130, -signal.SIGINT), (wait, child.returncode, said)
        ended.add(child.returncode)
    assert -signal.SIGINT in ended
    assert 'steppe = "_steppe_cli:main"' in (Path(__file__).parents[1] / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("sssp", "GRAPH", "-s", "1", "--memory-limit", "10Q"),
            "expected a size such as 1500000, 200M or 2GB, not '10Q'",
        ),
        (("sssp", "GRAPH", "-s", "1", "--cutoff", "far"), "expected a number, not 'far'"),
        (("convert", "GRAPH", "-"), "add --to csv"),
        (("verify", "GRAPH", "GRAPH", "-s", "1"), "an answer is proved from .npy or .npz"),
    ],
)
def test_errors_in_words(gr, words, said):
    done = run(*(gr if word == "GRAPH" else word for word in words), code=2)
    plain = " ".join(done.stderr.replace("│", " ").split())
    assert said in plain


def test_json_of_pairs_has_labels(gr, tmp_path):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("1 3\n2 3\n")
    found = json.loads(run("distances", gr, "--pairs", pairs, "--json").stdout)
    assert (found["source_labels"], found["target_labels"], found["distances"]) == ([1, 2], [3, 3], [8, 3])
