"""The benchmarks work: a tiny graph, SciPy beside steppe, no word about time."""

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import steppe as sp

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import cells, chart, gap, graphs, limits, report, rivals, route, run  # noqa: E402


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Every family is a small random graph, kept in a folder of the test."""
    made = graphs.FAMILIES["er"]._replace(make=lambda step, w: sp.generate.random(60, 300, weights=w, seed=step))
    monkeypatch.setattr(graphs, "FAMILIES", {"er": made})
    monkeypatch.setattr(graphs, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(gap, "FOLDER", None)
    rivals.forget()
    yield made
    rivals.forget()


@pytest.fixture
def lines(tiny, tmp_path):
    plan = replace(
        run.Plan(), family=("er",), size=("small",), floats=("er",), rival=("steppe", "SciPy"), sources=2, trials=2
    )
    out = tmp_path / "lines.jsonl"
    assert run.run(plan, out) == 0
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_one_line_per_trial_that_says_everything(lines):
    for line in lines:
        assert line["kind"] == "trial"
        assert {"machine", "system", "commit", "run", "version", "n", "m", "limit_ns", "load"} <= line.keys()
        assert line["wall"] > 0
        assert line["cpu"] >= 0
    keys = [(*(line[k] for k in report.KEY), line["source"], line["trial"]) for line in lines]
    assert len(set(keys)) == len(keys)
    asked = {tuple(line[k] for k in ("rival", "task", "output", "threads", "state", "weights")) for line in lines}
    for weights in graphs.WEIGHTS:
        assert ("SciPy", "sssp", "predecessors", 1, "warm", weights) in asked
        assert {("steppe", "sssp", "distances", t, s, weights) for t in (1, 2) for s in ("warm", "cold")} <= asked
    assert ("SciPy", "bfs", "distances", 1, "warm", "int32") in asked
    # Nobody is asked more often than another.
    counts = {key: sum(tuple(line[k] for k in report.KEY) == key for line in lines) for key in {k[:-2] for k in keys}}
    assert set(counts.values()) == {2 * 2}


def test_trials_of_rivals_alternate(lines):
    asked = [line["rival"] for line in lines if line["task"] == "sssp" and line["weights"] == "int32"]
    turns = sum(a != b for a, b in pairwise(asked))
    assert turns >= 2 * 2  # at least once per round and source


def test_report_takes_the_mean_of_the_least(lines):
    rows = report.summarise(lines)
    (row,) = report.select(
        rows, rival="SciPy", task="sssp", output="distances", weights="int32", threads=1, state="warm"
    )
    chosen = [
        line
        for line in lines
        if (line["rival"], line["task"], line["output"], line["weights"]) == ("SciPy", "sssp", "distances", "int32")
    ]
    least = {s: min(t["cpu"] for t in chosen if t["source"] == s) for s in {t["source"] for t in chosen}}
    assert row["ms"] == pytest.approx(1e3 * np.mean(list(least.values())))
    assert row["trials"] == row["sources"] == 2


def test_report_shows_every_rival_and_every_loss(lines):
    for line in lines:  # a run in which SciPy wins with distances only
        line["cpu"] = line["wall"] = 1e-3 if line["rival"] == "SciPy" and line["output"] == "distances" else 2e-3
    rows = report.summarise(lines)
    text = report.document(rows)
    assert "SciPy, ms" in text
    assert "**2**" in text
    assert "1 (0.5" in text
    lost = report.losses(rows)
    assert len(lost) == 4  # sssp with three weight types, bfs
    assert all(line in text for line in lost)
    assert "docs/benchmarks.md" in report.readme(rows)


def test_growth_is_shown_where_there_are_sizes(lines):
    rows = report.summarise(lines)
    assert chart.growth(rows) == {}
    assert "benchmarks-growth.svg" not in report.document(rows)
    larger = [r | {"size": "medium", "m": 8 * r["m"], "ns": 2 * r["ns"]} for r in rows]
    shown = chart.growth(rows + larger)
    assert list(shown) == ["er"]
    assert sorted(shown["er"]) == ["SciPy", "steppe"]
    (m, ns), (more, slower) = shown["er"]["steppe"]
    assert (more, slower) == (8 * m, 2 * ns)
    assert "benchmarks-growth.svg" in report.document(rows + larger)


def test_the_readme_has_a_place_for_the_figures():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = report._between(text, "FIGURES")
    assert "<!-- benchmarks -->\nFIGURES\n<!-- /benchmarks -->" in changed
    assert report._between(changed, "FIGURES") == changed


def test_later_runs_replace_earlier_ones(lines, tmp_path):
    file = tmp_path / "two.jsonl"
    old = [line | {"run": "2000-01-01T00:00:00"} for line in lines]
    file.write_text("\n".join(json.dumps(line) for line in old + lines))
    assert report.read([file]) == lines


def test_a_wrong_answer_is_reported_and_never_timed(tiny, monkeypatch):
    graph = graphs.load("er", "small")
    truth = cells.truths(graph, "sssp", [0])
    honest = rivals.scipy(graph, "sssp", "distances", 1)
    wrong = honest._replace(run=lambda source: honest.run(source) + 1)
    table = [
        cells._warm("SciPy", "sssp", "distances", 1, "", wrong),
        cells._warm("SciPy", "sssp", "distances", 1, "", honest),
    ]
    records = list(cells.run(table, {"sssp": truth}, rounds=2, budget=1.0))
    assert [r["kind"] for r in records] == ["failure", "trial", "trial"]


@pytest.mark.parametrize("name", ["SciPy", "NetworkX", "steppe"])
@pytest.mark.parametrize("task", ["sssp", "bfs"])
@pytest.mark.parametrize("directed", [True, False])
def test_rivals_agree_and_are_checked(name, task, directed):
    graph = sp.generate.random(50, 120, seed=3, directed=directed)
    truth = cells.truths(graph, task, [0, 7])
    query = rivals.RIVALS[name](graph, task, "distances", 1)
    for source, distances in truth.items():
        query.check(source, query.run(source), distances)
    moved = np.where(truth[0] == 0, 2, truth[0])
    with pytest.raises(AssertionError):
        query.check(0, query.run(0), moved[::-1])
    rivals.forget()


def test_sources_are_fixed_and_have_edges():
    graph = sp.Graph.from_edges([3, 5], [4, 6], num_vertices=1000)
    sources = graphs.pick_sources(graph, 4)
    assert set(sources) <= {3, 5}
    assert sources == graphs.pick_sources(graph, 4)


def test_graphs_are_kept_and_fresh_ones_share_nothing_prepared(tiny):
    graph = graphs.load("er", "medium", "float32")
    again = graphs.load("er", "medium", "float32")
    assert np.array_equal(graph.weights, again.weights)
    assert [path.name for path in graphs.CACHE.iterdir()] == ["er-medium-float32.steppe"]
    _ = graph.reverse
    fresh = graphs.fresh(graph)
    assert fresh._reverse_if_known() is None
    assert np.array_equal(fresh.indices, graph.indices)


def test_limits_are_made_of_both_measurements():
    for threads in (1, 2):
        random, sequential = limits.random_ns(4000, threads), limits.sequential_ns(threads)
        assert min(random, sequential) > 0
        assert limits.limit_ns(1000, threads) == random + 8 * sequential
    with pytest.raises(ValueError, match="at least"):
        limits._core.testing.random_read_ns(0, 1, 1, 1)


def test_routes_are_compared_on_equal_distances(tiny, monkeypatch, capsys):
    monkeypatch.setattr(route, "_fresh", lambda: sp.generate.road(3000))
    assert route.main(["--pairs", "20", "--rounds", "1"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    sides = {line["rival"]: line for line in lines}
    assert list(sides) == ["stopped", "bidirectional", "landmarks", "from scratch", "neighbours"]
    assert sides["landmarks"]["settled"] < sides["bidirectional"]["settled"]
    monkeypatch.setattr(sp, "route", lambda graph, s, t: route_of(graph, s, s))
    with pytest.raises(AssertionError, match="distances differ"):
        route.main(["--pairs", "20", "--rounds", "1"])


route_of = sp.route
