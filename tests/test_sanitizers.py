"""The sanitizers can fail: a seeded race, overrun and overflow in the extension (``tests/seeded.cpp``) are reported."""

import subprocess
import sys

import pytest

from conftest import PATIENCE, SANITIZER

pytestmark = pytest.mark.skipif(SANITIZER is None, reason="only a build of `make sanitize` has seeded faults")


def run(code):
    """Run this in a process like the present one."""
    command = [sys.executable, "-c", f"import steppe._core as core; {code}; print('went on')"]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_nothing_is_reported_where_nothing_is_wrong():
    done = run("core.seeded_overflow(1, 2)")
    assert (done.returncode, done.stdout.strip()) == (0, "went on"), done.stderr


@pytest.mark.skipif(SANITIZER != "thread", reason="races are ThreadSanitizer's")
def test_a_race_is_reported():
    done = run("core.seeded_race(4)")
    assert done.returncode == 66, done.stderr
    assert "data race" in done.stderr
    assert "seeded.cpp" in done.stderr


@pytest.mark.skipif(SANITIZER != "address", reason="overruns are AddressSanitizer's")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("core.seeded_overrun(100)", "heap-buffer-overflow"),
        ("core.seeded_overflow(2**31 - 1, 1)", "signed integer overflow"),
    ],
)
def test_an_overrun_and_an_overflow_are_reported(code, said):
    done = run(code)
    assert done.returncode != 0
    assert "went on" not in done.stdout
    assert said in done.stderr
    assert "seeded.cpp" in done.stderr
