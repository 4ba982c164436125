"""An exception in one thread of a search ends them all and reaches the caller: no thread waits for one that is gone."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PATIENCE, missing

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The searches in C++ alone, with an operator new that fails when told to."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if os.name == "nt" or shutil.which(compiler[0]) is None:
        missing(f"no compiler {compiler[0]} here")
    path = tmp_path_factory.mktemp("exceptions") / "exceptions"
    command = [
        *compiler,
        "-std=c++20",
        "-O1",
        "-pthread",
        "-I",
        HERE.parent / "cpp",
        HERE / "exceptions.cpp",
        "-o",
        path,
    ]
    subprocess.run(list(map(str, command)), check=True, timeout=PATIENCE)
    return path


@pytest.mark.parametrize("threads", [2, 5])
def test_a_failing_allocation_ends_the_search(program, threads):
    """The program ends with an error where an answer is wrong, and not at all where a thread is waited for in vain."""
    done = subprocess.run(
        [str(program), str(threads), "30"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    failures = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines())
    assert failures.keys() == {"delta-stepping", "delta-stepping with paths", "frontier", "bfs", "parallel_for"}
    assert all(int(count) > 0 for count in failures.values()), done.stdout
