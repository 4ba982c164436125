"""The n-th allocation of the core fails: MemoryError, no abort, no hang, and the graph still answers.

`make test` tries a few allocations of every call; `make test-faults` (STEPPE_FAULTS=all) tries every one.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calls import KINDS
from conftest import SANITIZER, missing

HERE = Path(__file__).parent
MOST = 0 if os.environ.get("STEPPE_FAULTS") == "all" else 6
"""Allocations of a call that fail; 0: every one."""

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the shim that fails is written for glibc"),
    pytest.mark.skipif(SANITIZER is not None, reason="a sanitizer has allocators of its own"),
]


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """The library that, loaded first, fails allocations of the core."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        missing(f"no compiler {compiler[0]} here")
    path = tmp_path_factory.mktemp("faults") / "shim.so"
    command = [*compiler, "-std=c++20", "-O1", "-shared", "-fPIC", HERE / "shim.cpp", "-o", path, "-ldl"]
    subprocess.run(list(map(str, command)), check=True, timeout=300)
    return path


def sweep(shim, most, names):
    """Return how many allocations of each call failed, and how many of these came out as MemoryError."""
    command = [sys.executable, str(HERE / "allocations.py"), str(most), *names]
    environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONFAULTHANDLER": "1"}
    limit = 3600 if most == 0 else 240
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=environment)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    rows = [line.rpartition(": ") for line in done.stdout.splitlines()]
    return {name: tuple(map(int, counts.split())) for name, _, counts in rows}


@pytest.mark.parametrize("part", range(4))
def test_every_call_survives_a_failed_allocation(shim, part):
    names = [name for table in KINDS.values() for name in table][part::4]
    found = sweep(shim, MOST, names)
    assert [*found] == names
    assert all(failed > 0 for failed, _ in found.values()), found
    assert all(errors > 0 for _, errors in found.values()), found
