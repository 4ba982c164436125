"""Tuning: what is measured on a device is kept and used; what is damaged counts for nothing."""

import json
import sys
import time

import numpy as np
import pytest

import steppe as sp
from steppe.cli import application
from steppe.gpu import tuning
from steppe.gpu.device import DeviceInfo
from steppe.gpu.loops import steps
from test_cli import facts, run

application()  # loads the commands, in the order in which help lists them
tune = sys.modules["steppe.cli.tune"]

INFO = DeviceInfo("opencl:x", "opencl", "a device (its platform)")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPPE_CACHE_DIR", str(tmp_path / "cache"))


def test_what_is_stored_is_found_again_for_that_device_only():
    assert tuning.load(INFO) == {}
    tuning.store(INFO, {"narrow": 512, "width": 4.0})
    other = DeviceInfo("opencl:y", "opencl", "another device")
    tuning.store(other, {"block": 128})
    assert tuning.load(INFO) == {"narrow": 512, "width": 4.0}
    assert tuning.load(other) == {"block": 128}
    tuning.store(INFO, {})
    assert (tuning.load(INFO), tuning.load(other)) == ({}, {"block": 128})


@pytest.mark.parametrize(
    "kept",
    ["", "[]", "{}", "nonsense", '{"a device (its platform)": 7}', '{"a device (its platform)": {"narrow": "many"}}'],
)
def test_a_damaged_file_counts_for_nothing(kept):
    tuning.path().parent.mkdir(parents=True)
    tuning.path().write_text(kept)
    assert tuning.load(INFO) == {}
    tuning.store(INFO, {"block": 64})
    assert tuning.load(INFO) == {"block": 64}


def test_numbers_out_of_range_count_for_nothing():
    for bad in (
        {"narrow": -1},
        {"block": 100},
        {"block": 4096},
        {"width": 0},
        {"width": float("nan")},
        {"narrow": True},
        {"frontier_from": -1},
        {"frontier_from": "16"},
    ):
        tuning.path().parent.mkdir(parents=True, exist_ok=True)
        tuning.path().write_text(json.dumps({INFO.description: bad}))
        assert tuning.load(INFO) == {}, bad


@pytest.mark.pocl
def test_a_device_is_tuned_and_searches_by_it(device):
    answer = facts("tune", "--device", device.info.name, "--seconds", 1, "--scale", 6)
    assert {row["graph"] for row in answer["graphs"]} == {"road", "grid", "random", "rmat"}
    assert all(row["wins"] in ("cpu", "device") for row in answer["graphs"])
    assert tuning.path().exists()
    run("tune", "--device", device.info.name, "--forget")
    assert tuning.load(device.info) == {}
    graph = sp.generate.grid(20, 20, weights=(1, 100), seed=1)
    right = sp.sssp(graph, 0).distances
    try:
        for chosen in ({"narrow": 0}, {"narrow": 100, "block": 64, "width": 32.0}):
            device.tuning = dict(chosen)
            assert steps.room_of(device) == chosen["narrow"]
            assert np.array_equal(sp.sssp(graph, 0, device=device.info.name).distances, right)
    finally:
        device.tuning = {}


@pytest.mark.pocl
def test_rounds_and_buckets_are_measured_and_the_plan_goes_by_it(device):
    taken = tune._rounds_and_buckets(device, 6, time.perf_counter() + 600)
    assert list(taken) == list(tune.DEGREES)
    assert all(one > 0 for both in taken.values() for one in both)
    assert tune._rounds_and_buckets(device, 6, 0) == {}
    graph = sp.generate.random(100, 1600, seed=1)
    right = sp.sssp(graph, 0).distances
    try:
        for threshold, method in ((16, "frontier"), (17, "delta-stepping"), (tune.NEVER, "delta-stepping")):
            device.tuning = {"frontier_from": threshold}
            assert sp.plan(graph, "sssp", device=device.info.name).method == method
            answer = sp.sssp(graph, 0, device=device.info.name)
            assert answer.explain().method == method
            assert np.array_equal(answer.distances, right)
    finally:
        device.tuning = {}


@pytest.mark.parametrize("degree", tune.DEGREES)
def test_a_lattice_has_its_degree_and_a_large_diameter(degree):
    graph = tune._lattice(4096, degree)
    assert graph.degrees.max() == degree
    assert graph.num_edges > 0.8 * degree * 4096
    hops = sp.bfs(graph, 0).distances
    assert 63 * 2 >= hops.max() >= 63 // np.sqrt(degree)


@pytest.mark.parametrize(
    ("rounds", "buckets", "right"),
    [
        ((9, 9, 9), (1, 1, 1), tune.NEVER),
        ((1, 1, 1), (9, 9, 9), 4),
        ((9, 1, 1), (1, 9, 9), 8),
        ((9, 2, 9), (1, 1, 10), 16),
        ((1, 1, 9), (2, 2, 1), tune.NEVER),  # one loss outweighs both gains
        ((5, 5, 5), (5, 5, 5), tune.NEVER),
    ],
)
def test_the_threshold_is_the_one_of_least_mean_time(rounds, buckets, right):
    assert tune._threshold({d: (r, b) for d, r, b in zip((4, 8, 16), rounds, buckets, strict=True)}) == right


@pytest.mark.pocl
def test_a_threshold_is_kept_only_if_all_was_measured(device, monkeypatch):
    monkeypatch.setattr(tune, "CANDIDATES", {})
    command = ("tune", "--device", device.info.name, "--scale", 6, "--seconds", 100)
    try:
        for measured in ({}, {4: (2.0, 1.0)}, dict.fromkeys(tune.DEGREES, (1.0, 2.0))):
            monkeypatch.setattr(tune, "_rounds_and_buckets", lambda *_, found=measured: found)
            facts(*command)
            assert tuning.load(device.info) == ({"frontier_from": 4} if len(measured) > 1 else {})
    finally:
        device.tuning = {}


def test_the_cpu_has_nothing_to_tune():
    report = run("tune", "--device", "cpu", code=2)
    assert "nothing to tune" in report.stderr


@pytest.mark.pocl
def test_bench_says_which_wins(device, tmp_path):
    path = tmp_path / "road.steppe"
    sp.write(sp.generate.road(400, seed=1), path)
    answer = facts("bench", path, "--device", device.info.name, "--repeat", 1, "--sources", 1)
    assert answer["wins"] in ("the CPU", "the device")
    assert "auto, on the CPU" in [row["method"] for row in answer["results"]]
