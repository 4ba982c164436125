"""What a plan on the CPU says it needs is what the heap grows by: within 1.3 times and 4 MB, either way."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, SANITIZER, missing

HERE = Path(__file__).parent / "peaks"
SLACK = 4 << 20
PARTS = ("random, sssp", "random, bfs", "road", "external", "in blocks", "distances", "prepared", "nearest", "route")

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the heap is counted by replacing glibc's malloc"),
    pytest.mark.skipif(SANITIZER is not None, reason="a sanitizer has allocators of its own"),
]


def measured(folder):
    """Return what each case was said to take and what it took."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        missing(f"no compiler {compiler[0]} here")
    library = folder / "heap.so"
    subprocess.run(
        [*compiler, "-shared", "-fPIC", "-O1", "-Wall", HERE / "heap.c", "-o", library], check=True, timeout=PATIENCE
    )
    done = subprocess.run(
        [sys.executable, HERE / "cases.py"],
        env=os.environ | {"LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.rpartition(": ") for line in done.stdout.splitlines()]
    return {name: tuple(map(int, sizes.split())) for name, _, sizes in rows}


def test_a_search_takes_what_its_plan_says(tmp_path):
    found = measured(tmp_path)
    for part in PARTS:
        assert any(part in name for name in found), part
    wrong = {
        name: f"said {said:,}, took {took:,}"
        for name, (said, took) in found.items()
        if took > 1.3 * said + SLACK or said > 1.3 * took + SLACK
    }
    assert not wrong, wrong
    # A count that sees nothing would agree with a table that says nothing.
    assert all(said > 1 << 18 and took > 1 << 18 for said, took in found.values())
    assert max(took for _, took in found.values()) > 1e8
