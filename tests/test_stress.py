"""Races and hangs: odd numbers of threads, several searches at once, in a process of its own that has a time-out."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, examples


@pytest.mark.parametrize("seed", [1, 2])
def test_threads_meet_in_odd_ways(seed):
    program = [sys.executable, str(Path(__file__).parent / "stress.py"), "2", str(seed)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_sixteen_threads_make_every_call():
    program = [sys.executable, str(Path(__file__).parent / "callers.py"), "16", str(examples(2_000)), "1"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == examples(2_000)
