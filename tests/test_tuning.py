"""Tuning: what is measured on a device is kept and used; what is damaged counts for nothing."""

import json

import numpy as np
import pytest

import steppe as sp
from steppe.gpu import tuning
from steppe.gpu.device import DeviceInfo
from steppe.gpu.loops import steps
from test_cli import facts, run

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
