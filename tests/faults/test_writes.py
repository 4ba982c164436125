"""Writing while things fail: every system call in turn, a kill at every one, a kill at any time, a full disk.

`make test` runs a few cases; `make test-faults` (STEPPE_FAULTS=all) all of them.
"""

import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from injector import HERE, LONG, environment

import steppe as sp

FEW = ["write.e", "write.steppe.zst", "matrix.npy", "matrix.zarr", "cli-sssp.npz"]


@pytest.fixture(scope="module")
def environ(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("faults"))


def sweep(environ, *words):
    return subprocess.run(
        [sys.executable, HERE / "sweep.py", *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("place", ["old", "empty"] if LONG else ["old"])
@pytest.mark.parametrize("mode", ["once", "ever", "short", "kill"] if LONG else ["once", "kill"])
def test_every_call_fails_in_turn(environ, mode, place):
    done = sweep(environ, mode, place, *([] if LONG else FEW))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1].split()[0]) >= 40, done.stdout


@pytest.mark.parametrize("mode", ["once", "kill"])
def test_a_careless_writer_is_caught(environ, mode):
    done = sweep(environ, mode, "old", "careless")
    assert done.returncode == 1
    assert "AssertionError: ('careless', 2" in done.stderr


def in_small_disk(*words):
    """Return the command that runs ``words`` with FOLDER replaced by a disk of 4 MB, which is gone afterwards."""
    unshare = shutil.which("unshare")
    script = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'
    for options in (["--mount"], ["--mount", "--map-root-user"]):
        command = [unshare or "unshare", *options, "sh", "-c", script, *map(str, words)]
        if (
            unshare
            and not subprocess.run(
                [*command[: -len(words)], words[0], "true"], capture_output=True, check=False
            ).returncode
        ):
            return command
    return None


def test_a_full_disk(tmp_path):
    command = in_small_disk(tmp_path, sys.executable, HERE / "full_disk.py", tmp_path)
    if command is None:
        pytest.skip("no small disk can be mounted here")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "the disk was full\n"), done.stderr


WRITER = """
import importlib, sys, steppe as sp
importlib.import_module("steppe.planning.bytes").BLOCK = 1 << 14
g = sp.generate.random(400, 2000, seed=1)
print("ready", flush=True)
while True:
    sp.all_pairs(g, out=sys.argv[1] + "/m.npy", overwrite=True)
    sp.write(g, sys.argv[1] + "/g.e.gz")
    sp.write(g, sys.argv[1] + "/g.steppe")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on Unix")
@pytest.mark.parametrize("seed", range(25 if LONG else 1))
def test_a_kill_at_any_time(tmp_path, seed):
    """Kill a process that writes on and on; whatever is there is whole, and a matrix goes on to the same numbers."""
    g = sp.generate.random(400, 2000, seed=1)
    right = sp.all_pairs(g)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(random.Random(seed).uniform(0.001, 0.3))  # noqa: S311
            writer.kill()
        assert writer.returncode == -signal.SIGKILL
        if (tmp_path / "m.npy").exists():
            assert np.array_equal(np.load(tmp_path / "m.npy"), right)
        if (tmp_path / "g.steppe").exists():
            sp.files.check(tmp_path / "g.steppe")
            assert np.array_equal(sp.read(tmp_path / "g.steppe").indices, g.indices)
        if (tmp_path / "g.e.gz").exists() and not (tmp_path / "g.e.gz.unfinished").exists():
            assert np.array_equal(sp.read(tmp_path / "g.e.gz").indices, g.indices)
    assert np.array_equal(sp.all_pairs(g, out=tmp_path / "m.npy", overwrite=True), right)
    code = "import sys, steppe as sp; sp.write(sp.generate.random(400, 2000, seed=1), sys.argv[1] + '/g.e.gz')"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
    sp.write(g, tmp_path / "g.steppe")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.e.gz", "g.steppe", "g.v.gz", "m.npy"]
