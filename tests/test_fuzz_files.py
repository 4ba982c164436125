"""A short run of the file fuzzers with a fixed seed; ``make fuzz-files`` is the long one. And: the fuzzers can fail."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE, missing
from fuzz_files import check, mutate, native, regressions, runner, seeds, shapes

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runner forks")
GOOD = ("graph", "refused")


def test_the_corpus_is_read_as_it_was_meant(tmp_path):
    """What steppe wrote comes back; what was written by hand is read or refused."""
    verdicts = {(i, file.name): check.judge(tmp_path, file) for i, file in enumerate(seeds.corpus())}
    assert {key: words for key, words in verdicts.items() if words not in GOOD} == {}
    assert sum(words == "graph" for words in verdicts.values()) > 0.8 * len(verdicts)


@forks
@pytest.mark.parametrize("file", regressions.FILES, ids=lambda file: f"{file.name}-{file.data[:30]!r}")
def test_what_was_found_once_is_not_found_again(file):
    assert runner.once(file, None) in GOOD


@forks
def test_three_thousand_damaged_files():
    run = runner.Run("make test", runs=3000).go()
    assert run.done == 3000
    assert run.graphs > 300
    assert [str(finding) for finding in run.findings.values()] == []


@forks
def test_bombs_are_made_and_refused():
    """Packed files of every format that packs by itself, under the limit of address space."""
    import random

    source = random.Random(3)  # noqa: S311 - no secret
    names = [name for name in ("x.npz", "x.parquet", "x.arrow") for _ in range(6)]
    files = [seeds.File(name, shapes.bomb(source, name) or b"") for name in names]
    verdicts = [runner.once(file, None) for file in files if file.data]
    assert set(verdicts) <= {*GOOD}
    assert verdicts.count("refused") > len(verdicts) / 4


def test_damage_behind_checksums_keeps_the_checksums_right():
    """Otherwise no deeper check would ever be reached."""
    import random

    source = random.Random(1)  # noqa: S311 - no secret
    files = [file for file in seeds.corpus() if file.name in ("x.npz", "x.steppe")]
    with_changes = [(file, shapes.damage(source, file.name, file.data)) for file in files for _ in range(20)]
    assert sum(file.data != data for file, data in with_changes) > 0.9 * len(with_changes)
    sound = [shapes.steppe(source, file.data) for file in files if file.name == "x.steppe"]
    heads = [shapes._HEAD.unpack(data[: shapes._HEAD.size]) for data in sound if len(data) >= 4096]
    right = [shapes.zlib.crc32(data[20 : 20 + head[2]]) == head[3] for data, head in zip(sound, heads, strict=False)]
    assert sum(right) > len(sound) / 2
    assert len(mutate.havoc(source, b"x" * 10**6)) <= mutate.LONGEST


def _raise(_):
    raise ZeroDivisionError


def _hang(_):
    end = time.process_time() + 1.2
    while time.process_time() < end:
        pass


def _crash(_):
    os.kill(os.getpid(), signal.SIGSEGV)


def _allocate(_):
    np.empty(16 << 30, dtype=np.uint8)  # address space only; more than any process of these tests has to spare


@forks
@pytest.mark.parametrize(
    ("bug", "words"),
    [(_raise, "ZeroDivisionError"), (_hang, "hang"), (_crash, "SIGSEGV"), (_allocate, "MemoryError")],
    ids=["error", "hang", "crash", "memory"],
)
def test_a_seeded_bug_is_found_and_made_small(monkeypatch, bug, words):
    """A reader that fails in one of four ways where a file has two line feeds in a row."""
    read = sp.read

    def broken(path, **options):
        if b"\n\n" in Path(path).read_bytes():
            bug(path)
        return read(path, **options)

    monkeypatch.setattr(check.sp, "read", broken)
    verdict = runner.once(seeds.File("x.txt", b"1 2\n2 3\n\n3 4\n"), None)
    assert words in verdict
    if bug is _hang:  # every one takes a second
        return
    small = runner.minimise(runner.Finding(seeds.File("x.txt", b"1 2\n2 3\n\n3 4\n"), None, verdict))
    assert small.file.data == b"\n\n"
    found = runner.Run("seeded", runs=400).go().findings.values()
    assert any(words in finding.message for finding in found)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if os.name == "nt" or shutil.which(compiler[0]) is None:
        missing(f"no compiler {compiler[0]} here")
    return native.build(tmp_path_factory.mktemp("native"), guided=False, quick=True)[0]


def test_the_native_parsers_agree_with_a_naive_one(program, tmp_path):
    report = native.finish(native.start(program, tmp_path, seed=1, runs=30_000), program, guided=False)
    assert report.findings == []
    assert report.done == 30_000
    for k, data in enumerate(regressions.NATIVE):
        (tmp_path / f"case-{k}").write_bytes(data)
        subprocess.run(
            [program, f"-artifact_prefix={tmp_path}{os.sep}", tmp_path / f"case-{k}"],
            check=True,
            timeout=PATIENCE,
            capture_output=True,
        )


def test_a_write_past_the_end_is_found(program, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPPE_SEEDED_BUG", "1")
    report = native.finish(native.start(program, tmp_path, seed=1, seconds=30), program, guided=False)
    assert len(report.findings) == 1
    assert "heap-buffer-overflow" in report.findings[0]
