"""Every seeded bug of the core is noticed by its driver, and drivers find nothing wrong with the core as it is. `make test-mutations` runs this."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import noticed
from conftest import PATIENCE, missing
from core_mutations import DRIVERS, HERE, write

CPU = Path("/proc/cpuinfo")
HAS_AVX512 = CPU.exists() and "avx512dq" in CPU.read_text()  # without it, nobody runs what *_avx512.hpp says
RUNS = 4
"""Runs in which a bug may be noticed: some show only where threads meet, and on a busy machine one of them may do all the work."""

FLAGS = ["-std=c++20", "-O0", "-pthread", "-include", HERE / "core" / "seeded.hpp"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_seeded_bugs_are_noticed(driver, tmp_path):
    noticed.skip_unless_changed(driver)
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if os.name == "nt" or shutil.which(compiler[0]) is None:
        missing(f"no compiler {compiler[0]} here")
    cpp, seeded = write(driver, tmp_path, noticed.IN_CORE)
    assert seeded, "a driver that has noticed nothing may be blind"
    source, program = HERE / "core" / f"{driver}.cpp", tmp_path / driver
    subprocess.run([*compiler, *FLAGS, "-I", cpp, source, "-o", program], check=True, timeout=PATIENCE)

    def run(number):
        return subprocess.run(
            [program],
            env=os.environ | {"STEPPE_SEEDED": str(number)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    done = run(0)
    assert done.returncode == 0, done.stdout + done.stderr
    left_out = [] if HAS_AVX512 else [n for n, m in seeded.items() if m.header.endswith("_avx512.hpp")]
    for number, mutation in seeded.items():
        if number in left_out:
            continue
        for _ in range(RUNS):
            done = run(number)
            if caught := done.returncode < 0 or (done.returncode == 1 and done.stdout.startswith("wrong: ")):
                break
        assert caught, f"{mutation.name}: {done.stdout}{done.stderr}"
    if left_out:
        pytest.skip(f"{len(left_out)} seeded bugs need AVX-512, the others were noticed")
    noticed.passed(driver, driver)
