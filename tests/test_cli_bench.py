"""``steppe bench``: what is timed is proved first, and a wrong answer has no time."""

import pytest

import steppe as sp
from steppe.cli import bench
from steppe.errors import VerificationError
from test_cli import facts, run


@pytest.fixture
def road(tmp_path):
    path = tmp_path / "road.steppe"
    sp.write(sp.generate.road(400, seed=1), path)
    return path


def test_every_method_has_its_times(road):
    answer = facts("bench", road, "--sources", 2, "--repeat", 3, "--threads", 2)
    assert (answer["vertices"], answer["weights"], len(answer["sources"])) == (400, "int32", 2)
    seen = [(row["method"], row["threads"]) for row in answer["results"]]
    ours = [
        (m, t)
        for m in ("auto", "dijkstra", "delta-stepping", "frontier", "bfs")
        for t in (1, 2)
        if m != "dijkstra" or t == 1
    ]
    assert [row for row in seen if not row[0].startswith("SciPy")] == ours
    assert all(row["runs"] == 6 and 0 < row["least_seconds"] <= row["median_seconds"] for row in answer["results"])


def test_scipy_is_one_of_them(road):
    pytest.importorskip("scipy")
    table = run("bench", road, "--repeat", 1, "--threads", 1).stdout
    assert "SciPy dijkstra" in table
    assert "× SciPy" in table


def test_the_sources_may_be_named(road):
    assert facts("bench", road, "--source", "7,9", "--repeat", 1)["sources"] == [7, 9]
    assert (
        facts("bench", road, "--seed", 5, "--repeat", 1)["sources"]
        == facts("bench", road, "--seed", 5, "--repeat", 1)["sources"]
    )


def test_negative_weights_leave_bellman_ford(tmp_path):
    file = tmp_path / "negative.gr"
    file.write_text("p sp 3 3\na 1 2 4\na 1 3 5\na 3 2 -3\n")
    methods = {row["method"] for row in facts("bench", file, "--source", 1, "--repeat", 1, "--threads", 1)["results"]}
    assert methods - {"SciPy bellman-ford"} == {"bellman-ford", "bfs"}


def test_the_budget_ends_a_slow_candidate():
    clock = iter(range(100))
    slow = bench.Candidate("slow", 1, lambda _: next(clock), lambda _: "")
    bench._take_turns([slow], [1, 2], repeat=5, budget=-1.0)
    assert slow.runs == 2  # a round


def test_a_wrong_answer_is_not_timed(road, monkeypatch):
    theirs = bench.Candidate("SciPy dijkstra", 1, lambda _: None, lambda _: "its distances differ from the proven ones")
    monkeypatch.setattr(bench, "_scipy", lambda _: theirs)
    answer = facts("bench", road, "--repeat", 1)
    assert answer["results"][-1] == {"method": "SciPy dijkstra", "threads": 1, "runs": 0, "wrong": theirs.wrong}
    assert "differ" in run("bench", road, "--repeat", 1).stdout


def test_a_failed_proof_is_exit_code_1(road, monkeypatch):
    def fail(_):
        raise VerificationError("an edge improves")

    monkeypatch.setattr(sp.Paths, "verify", fail)
    done = run("bench", road, "--repeat", 1, code=1)
    assert done.stdout == ""
    assert "an edge improves" in done.stderr


def test_nothing_to_time(tmp_path):
    file = tmp_path / "empty.gr"
    file.write_text("p sp 3 0\n")
    assert "no edges" in run("bench", file, code=2).stderr
