"""The command line, run as its users run it: in a process of its own for exit codes, in this one for the rest."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import steppe as sp
from conftest import PATIENCE
from steppe.cli import application
from steppe.cli.app import vertex
from steppe.planning.progress import Bar, Progress, streamed

DATA = Path(os.environ.get("STEPPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
TRIANGLE = "c a comment\np sp 4 4\na 1 2 5\na 1 3 9\na 2 3 3\na 3 1 1\n"


def run(*words, code=0):
    """Run a command here; return what it printed."""
    result = CliRunner().invoke(application(), [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def facts(*words, code=0):
    return json.loads(run(*words, "--json", code=code).stdout)


def process(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "steppe", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


@pytest.fixture
def gr(tmp_path):
    path = tmp_path / "triangle.gr"
    path.write_text(TRIANGLE)
    return path


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.steppe"
    sp.write(sp.Graph.from_edges(["Ulm", "Bonn"], ["Bonn", "Kiel"], [1.5, 2.0], relabel=True), path)
    return path


# sssp, bfs, route ---------------------------------------------------------------------------------------------------


def test_sssp_prints_the_answer(gr):
    lines = dict(line.split(maxsplit=1) for line in run("sssp", gr, "--source", 1, "--verify").stdout.splitlines())
    assert lines["reached"] == "3"
    assert lines["sum"] == "13"
    assert lines["largest"] == "8"
    assert lines["verified"] == "yes"
    assert {"method", "reason", "seconds"} <= lines.keys()


def test_sssp_json(gr):
    answer = facts("sssp", gr, "-s", 1, "-t", 3, "-t", 4, "--method", "dijkstra", "--threads", 1)
    assert (answer["reached"], answer["sum"], answer["largest"]) == (3, 13, 8)
    assert (answer["distance_to_3"], answer["distance_to_4"]) == (8, None)
    assert answer["method"] == answer["explain"]["method"] == "dijkstra"


def test_sums_of_large_distances_are_exact(tmp_path):
    big = 2**62
    file = tmp_path / "big.gr"
    file.write_text(f"p sp 4 3\na 1 2 {big}\na 1 3 {big}\na 1 4 {big}\n")
    assert facts("sssp", file, "-s", 1)["sum"] == 3 * big


def test_options_reach_the_search(gr):
    assert facts("sssp", gr, "-s", 1, "--cutoff", 5)["reached"] == 2
    assert facts("sssp", gr, "-s", 1, "--method", "delta-stepping", "--delta", 4)["explain"]["delta"] == 4
    assert facts("sssp", gr, "-s", 1, "--record-paths", "--verify")["verified"] is True


def test_bfs_counts_edges(gr):
    answer = facts("bfs", gr, "--source", 1, "--verify")
    assert (answer["reached"], answer["sum"], answer["largest"]) == (3, 2, 1)


def test_route(gr):
    assert facts("route", gr, "-s", 1, "-t", 3) == {"reachable": True, "distance": 8, "edges": 2, "path": [1, 2, 3]}
    assert "1 2 3" in run("route", gr, "-s", 1, "-t", 3).stdout


def test_no_route_is_exit_code_1(gr):
    assert facts("route", gr, "-s", 1, "-t", 4, code=1) == {"reachable": False}


def test_labels_may_be_names(names):
    assert facts("sssp", names, "-s", "Ulm", "-t", "Kiel")["distance_to_Kiel"] == 3.5


def test_a_number_means_the_number_where_there_is_one():
    numbers = sp.Graph.from_edges([7], [8], relabel=True)
    strings = sp.Graph.from_edges(["7"], ["8"], relabel=True)
    assert vertex(numbers, "7") == 7
    assert vertex(strings, "7") == "7"


def test_standard_input(gr):
    done = process("sssp", "-", "--format", "gr", "-s", 1, "--json", input=TRIANGLE)
    assert json.loads(done.stdout)["sum"] == 13, done.stderr


# Saving and proving -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize("command", ["sssp", "bfs"])
def test_a_saved_answer_can_be_proved(gr, tmp_path, command, suffix):
    answer = tmp_path / f"answer{suffix}"
    run(command, gr, "-s", 1, "-o", answer, "--record-paths")
    proof = facts("verify", gr, answer, "--source", 1)
    assert proof["verified"] is True
    assert proof["proven"] == ("distances" if suffix == ".npy" else "distances and predecessors")


def test_a_wrong_answer_is_exit_code_1(gr, tmp_path):
    answer = tmp_path / "answer.npy"
    run("sssp", gr, "-s", 1, "-o", answer)
    wrong = np.load(answer)
    wrong[1] += 1
    np.save(answer, wrong)
    done = run("verify", gr, answer, "--source", 1, code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("steppe: error: ")
    assert "2" in done.stderr


def test_what_is_not_an_answer_is_exit_code_2(gr, tmp_path):
    bad = tmp_path / "bad.npy"
    bad.write_text("no array")
    assert "bad.npy" in run("verify", gr, bad, "-s", 1, code=2).stderr


def test_csv(gr, tmp_path):
    run("sssp", gr, "-s", 1, "--record-paths", "-o", tmp_path / "a.csv")
    rows = list(csv.reader((tmp_path / "a.csv").read_text().splitlines()))
    assert rows == [
        ["vertex", "distance", "predecessor"],
        ["1", "0", ""],
        ["2", "5", "1"],
        ["3", "8", "2"],
        ["4", "", ""],
    ]


def test_csv_to_stdout_leaves_the_report_to_stderr(gr):
    done = run("sssp", gr, "-s", 1, "-o", "-")
    assert list(csv.reader(io.StringIO(done.stdout)))[1] == ["1", "0"]
    assert "reached" in done.stderr


def test_parquet(gr, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    run("sssp", gr, "-s", 1, "-o", tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").to_pydict() == {"vertex": [1, 2, 3, 4], "distance": [0, 5, 8, None]}


def test_an_unknown_suffix_is_refused(gr, tmp_path):
    assert ".npy" in run("sssp", gr, "-s", 1, "-o", tmp_path / "a.txt", code=2).stderr


# Graphs -------------------------------------------------------------------------------------------------------------


def test_info(gr):
    answer = facts("info", gr)
    assert (answer["vertices"], answer["edges"], answer["weights"]) == (4, 4, "int32")
    assert (answer["min_weight"], answer["max_weight"], answer["first_vertex"]) == (1, 9, 1)


def test_convert_there_and_back(gr, tmp_path):
    run("convert", gr, tmp_path / "a.steppe")
    run("convert", tmp_path / "a.steppe", tmp_path / "b.gr")
    a, b = sp.read(gr), sp.read(tmp_path / "b.gr")
    assert all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("indptr", "indices", "weights", "labels"))


@pytest.mark.parametrize(
    ("words", "vertices"),
    [
        (["rmat", 6, "--edge-factor", 4], 64),
        (["random", 50, 200, "--weights", "float32"], 50),
        (["grid", 4, 5, "--weights", "3..3"], 20),
        (["road", 100], 100),
    ],
)
def test_generate_is_named_by_its_seed(tmp_path, words, vertices):
    def make(seed):
        run("generate", *words, "-o", tmp_path / "g.steppe", "--seed", seed)
        return sp.read(tmp_path / "g.steppe")

    first, again = make(1), make(1)
    assert first.num_vertices == vertices
    assert np.array_equal(first.indices, again.indices)
    assert np.array_equal(first.weights, again.weights)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (["random", 500, 4000, "--weights", "float32"], ("random", 500, 4000)),
        (["grid", 40, 50, "--weights", "3..9"], ("grid", 40, 50)),
        (["road", 900, "--metric", "time"], ("road", 900)),
    ],
)
def test_generate_in_pieces(tmp_path, words, call):
    told = facts("generate", *words, "--stream", "-o", tmp_path / "g.steppe", "--seed", 5)
    options = {"random": {"weights": "float32"}, "grid": {"weights": (3, 9)}, "road": {"metric": "time"}}[call[0]]
    graph = sp.generate.to_file(tmp_path / "h.steppe", *call, seed=5, **options)
    assert (tmp_path / "g.steppe").read_bytes() == (tmp_path / "h.steppe").read_bytes()
    assert (told["vertices"], told["edges"]) == (graph.num_vertices, graph.num_edges)
    run("generate", *words, "--stream", "-o", tmp_path / "g.gr", code=2)
    assert not (tmp_path / "g.gr").exists()


def test_a_search_within_a_budget_tells_its_parts(tmp_path):
    run("generate", "random", 5000, 60_000, "--stream", "-o", tmp_path / "g.steppe")
    told = facts("sssp", tmp_path / "g.steppe", "--source", 0, "--memory-limit", 300_000, "--verify")
    assert told["note"] == "edges stay in their file"
    assert told["parts"] > 1
    assert told["passes"] > 1
    assert told["bytes_copied"] > 0
    assert told["peak_bytes"] <= 300_000
    assert "copy_share" in told
    assert "parts" not in facts("sssp", tmp_path / "g.steppe", "--source", 0)


def test_devices():
    answer = facts("devices")["devices"]
    assert answer[0]["name"] == "cpu"
    assert all(d["available"] or d["reason"] for d in answer)
    assert run("devices").stdout.startswith("cpu")


# Errors, usage, terminals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["sssp", "absent.gr", "-s", 1], 2, "absent.gr"),
        (["sssp", "{gr}", "-s", 99], 2, "vertex 99 is not in the graph"),
        (["sssp", "{gr}", "-s", "Ulm"], 2, "vertex Ulm is not in the graph"),
        (["sssp", "{gr}", "-s", 1, "--method", "magic"], 2, "magic"),
        (["sssp", "{gr}", "-s", 1, "--device", "abacus"], 2, "abacus"),
        (["sssp", "{gr}"], 2, "--source"),
        (["sssp", "{gr}", "-s", 1, "--cutoff", "far"], 2, "far"),
        (["generate", "grid", 2, 2, "--weights", "heavy", "-o", "x.gr"], 2, "LOW..HIGH"),
        (["generate", "grid", 2, 2, "-o", "x.unheard"], 2, ".unheard"),
        (["unheard"], 2, "unheard"),
    ],
)
def test_errors_are_one_line_without_traceback(gr, words, code, said):
    done = process(*(str(gr) if word == "{gr}" else word for word in words), cwd=gr.parent)
    assert done.returncode == code
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_file_names_its_line(tmp_path):
    bad = tmp_path / "bad.gr"
    bad.write_text("p sp 2 1\na 1 nothing 3\n")
    done = process("info", bad)
    assert done.returncode == 2
    assert f"{bad}:2" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_negative_cycle_is_exit_code_1(tmp_path):
    file = tmp_path / "loop.gr"
    file.write_text("p sp 2 2\na 1 2 3\na 2 1 -4\n")
    done = process("sssp", file, "-s", 1)
    assert done.returncode == 1
    assert "cycle" in done.stderr


def test_version():
    assert process("--version").stdout == f"steppe {sp.__version__}\n"


def test_without_the_extra_there_is_a_hint():
    code = "import sys; sys.modules['typer'] = None; from steppe.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.strip() == "steppe: the command line needs typer: pip install 'steppe[cli]'"


def test_output_is_plain_where_there_is_no_terminal(gr):
    assert "\x1b" not in process("sssp", gr, "-s", 1, env={**os.environ, "NO_COLOR": "1"}).stdout
    assert "\x1b" not in process("sssp", gr, "-s", 1).stdout


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_waits_for_a_second_and_for_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Bar() as bar:
        bar(Progress(10, 100))
        assert bar.drawn is None
        bar.start -= 1
        bar(Progress(20, 100))
        assert bar.drawn is not None
        assert bar.drawn.tasks[0].description == ""
        bar(Progress(30, 100, "edges", streamed(7, 2, 9_600_000_000)))
        assert bar.drawn.tasks[0].completed == 30
        assert bar.drawn.tasks[0].description == ", 7 parts, pass 2, 9.60 GB copied"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Bar() as bar:
        bar.start -= 1
        bar(Progress(20, 100))
        assert bar.drawn is None


def test_new_york():
    file = DATA / "dimacs9" / "USA-road-d.NY.gr.gz"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    answer = facts("sssp", file, "--source", 1, "--verify")
    assert (answer["reached"], answer["sum"], answer["largest"]) == (264346, 186686642878, 1440081)
