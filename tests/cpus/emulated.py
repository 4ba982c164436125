"""Processors that this machine does not have, emulated by qemu-user: `make test-cpus` runs this file. `make test` does not.

A processor that PoCL does not know (family 26, AMD's Zen 5), one without AVX-512, one without AVX2: each must give the bits that this machine
gives. The drivers of tests/core, cross-compiled, run on a 64-bit ARM. Every compiler that is installed must take the core's headers.
What is not installed is a visible skip: apt-get install qemu-user g++-aarch64-linux-gnu clang-19 (Debian's names).
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core_mutations import DRIVERS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROCESSORS = {
    "family-26": "max,family=26,model=2",
    "haswell": "Haswell",
    "nehalem": "Nehalem",
}
FLAGS = ["-std=c++20", "-pthread", "-include", HERE.parent / "core" / "seeded.hpp", "-I", ROOT / "cpp"]
LEAST = {"g++": 11, "clang++": 14}
"""The oldest compilers that take the core."""


def emulator(name):
    """Return the path of an emulator, or skip."""
    return shutil.which(name) or pytest.skip(f"{name} is not installed (Debian's package qemu-user)")


def run(command, **environment):
    """Run to the end, with the libraries' own choice of processor where an emulator misleads them."""
    return subprocess.run(
        [str(word) for word in command],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
    )


@pytest.fixture(scope="module")
def native():
    """What this machine answers."""
    done = run([sys.executable, HERE / "answers.py"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) > 700
    assert len(set(lines)) == len(lines)
    return lines


@pytest.mark.parametrize("processor", PROCESSORS)
def test_answers_are_bit_equal_on_every_processor(processor, native):
    qemu = emulator("qemu-x86_64")
    # OpenBLAS, which NumPy brings along, takes Nehalem in the emulator for a processor with more instructions.
    core = {"OPENBLAS_CORETYPE": "NEHALEM"} if processor == "nehalem" else {}
    done = run([qemu, "-cpu", PROCESSORS[processor], sys.executable, HERE / "answers.py"], **core)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == native


VECTORS = "import steppe._core as core; print(core.min_plus_vectors())"


@pytest.mark.parametrize(("processor", "vectors"), [("family-26", "avx2"), ("haswell", "avx2"), ("nehalem", "none")])
def test_the_emulated_processors_lack_what_they_should(processor, vectors):
    qemu = emulator("qemu-x86_64")
    core = {"OPENBLAS_CORETYPE": "NEHALEM"} if processor == "nehalem" else {}
    done = run([qemu, "-cpu", PROCESSORS[processor], sys.executable, "-c", VECTORS], **core)
    assert done.stdout.strip() == vectors, done.stderr[-2000:]


KERNEL = """
import numpy as np, steppe as sp
g = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [3, 4, 9])
try:
    print(sp.bfs(g, 0, device="opencl:pocl").distances.tolist())
except sp.DeviceError as error:
    print(error)
"""


@pytest.mark.parametrize(("wish", "printed"), [("broken", "POCL_LLVM_CPU_NAME"), ("", "[0, 1, 1]")])
def test_pocl_on_a_processor_that_it_does_not_know(wish, printed, tmp_path):
    pytest.importorskip("pyopencl")
    qemu = emulator("qemu-x86_64")
    done = run(
        [qemu, "-cpu", PROCESSORS["family-26"], sys.executable, "-c", KERNEL],
        POCL_CACHE_DIR=str(tmp_path),
        STEPPE_TEST_POCL=wish,
    )
    assert printed in done.stdout, done.stdout + done.stderr[-2000:]


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_drivers_of_the_core_pass_on_arm(driver, tmp_path):
    qemu = emulator("qemu-aarch64")
    compiler = shutil.which("aarch64-linux-gnu-g++")
    if not compiler:
        pytest.skip("no cross compiler (Debian's package g++-aarch64-linux-gnu)")
    source, program = HERE.parent / "core" / f"{driver}.cpp", tmp_path / driver
    built = run([compiler, *FLAGS, "-O1", "-ffp-contract=off", "-static", source, "-o", program])
    assert built.returncode == 0, built.stderr[-3000:]
    done = run([qemu, program])
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def compilers():
    """Yield every C++ compiler on the path that is not older than the least, with its other standard library where there is one."""
    for name, least in LEAST.items():
        for version in range(least, 40):
            path = shutil.which(f"{name}-{version}")
            if path:
                yield [path]
                libcxx = Path(f"/usr/lib/llvm-{version}/include/c++/v1")
                if name == "clang++" and libcxx.exists():
                    yield [path, "-stdlib=libc++"]


def test_every_installed_compiler_takes_the_core():
    """All headers are reached by the sources of the core and the C++ example, which are compiled without making code."""
    nanobind = pytest.importorskip("nanobind")
    found = list(compilers())
    if not found:
        pytest.skip("no compiler with a number in its name (g++-12, clang++-19)")
    python = run([sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('include'))"]).stdout.strip()
    inside = ["-isystem", nanobind.include_dir(), "-isystem", python, "-I", ROOT / "cpp"]
    sources = sorted([*(ROOT / "cpp").glob("*/*.cpp"), *(ROOT / "examples" / "cpp").glob("*.cpp")])
    jobs = [
        [*compiler, "-std=c++20", "-fsyntax-only", "-w", *inside, source] for compiler in found for source in sources
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, done in zip(jobs, pool.map(run, jobs), strict=True):
            errors = re.findall(r".*error:.*", done.stderr)
            assert done.returncode == 0, f"{job[0]} {job[-1].name}: {errors[:3]}"
