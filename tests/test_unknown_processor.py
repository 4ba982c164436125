"""PoCL on a processor that its LLVM calls "generic": users get the cause and the remedies, and the tests give it a name that is known."""

import os
import subprocess
import sys
import warnings

import pytest
import unknown_processor

from conftest import PATIENCE
from steppe.errors import DeviceError

pytestmark = [
    pytest.mark.pocl,
    pytest.mark.skipif(
        sys.platform != "linux" or not os.path.exists("/proc/self/mem"),  # noqa: PTH110 - read as a path of the kernel's
        reason="PoCL's record is found by Linux's /proc/self/mem",
    ),
]

SEARCH = """
import steppe as sp
g = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [3, 4, 9])
try:
    print(sp.bfs(g, 0, device="opencl:pocl").distances.tolist())
except sp.DeviceError as error:
    print("DeviceError", error)
"""
AGAIN = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SEARCH!r}], check=True)"


def child(wish, folder, *words):
    """Start a Python in which PoCL says "generic" (and is mended, or not), with a kernel cache of its own."""
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | {"STEPPE_TEST_POCL": wish, "POCL_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout


@pytest.mark.parametrize("code", [SEARCH, AGAIN], ids=["a child", "a child's child"])
def test_a_processor_without_a_name_gets_one_in_every_process(code, tmp_path, pocl):
    assert child("generic", tmp_path, "-c", code).strip() == "[0, 1, 1]"


def test_without_a_name_the_error_tells_the_cause_and_the_remedies(tmp_path, pocl):
    told = child("broken", tmp_path, "-c", SEARCH)
    assert told.startswith("DeviceError")
    for words in ('"generic"', "PoCL 5", "POCL_LLVM_CPU_NAME", "another OpenCL driver", 'device="cpu"'):
        assert words in told


def test_steppe_devices_tells_it_too(tmp_path, pocl):
    (line,) = [s for s in child("broken", tmp_path, "-m", "steppe", "devices").splitlines() if "pthread" in s]
    assert "not available: PoCL's compiler does not know this processor" in line
    assert "POCL_LLVM_CPU_NAME" in line
    (line,) = [s for s in child("generic", tmp_path, "-m", "steppe", "devices").splitlines() if "pthread" in s]
    assert "not available" not in line


def test_another_device_is_taken_where_the_first_cannot_build(tmp_path, pocl):
    code = "from steppe.gpu import opencl; print([info.available for info, _ in opencl.find()])"
    assert child("broken", tmp_path, "-c", code).strip().endswith("False]")


def test_a_build_that_fails_for_the_name_tells_it(pocl, monkeypatch):
    import pyopencl as cl

    def build(*_, **__):
        raise cl.RuntimeError("error: unknown target CPU 'generic'")

    monkeypatch.setattr(cl.Program, "build", build)
    source = unknown_processor.Path(__file__).parent / "kernels" / "words.c"
    with pytest.raises(DeviceError, match="POCL_LLVM_CPU_NAME"):
        pocl._compile(pocl.program(source).source)


def test_what_a_driver_says_after_a_build_is_no_error(pocl, monkeypatch):
    import pyopencl as cl

    real = cl.Program.build

    def chatty(*arguments, **options):
        cl.compiler_output("a driver that writes a line after every build")
        return real(*arguments, **options)

    source = unknown_processor.Path(__file__).parent / "kernels" / "words.c"
    found = pocl.program(source).source
    monkeypatch.setattr(cl.Program, "build", chatty)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(cl.CompilerWarning):
            chatty(cl.Program(pocl._context, found.text), [*pocl._options], cache_dir=False)
        assert pocl._compile(found)


def test_a_cache_that_cannot_be_written_is_named(tmp_path, pocl):
    (tmp_path / "file").write_text("no folder")
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.stdout.startswith("DeviceError PyOpenCL cannot write its cache"), done.stderr
    assert "PYOPENCL_NO_CACHE=1" in done.stdout


def test_nothing_is_written_where_the_name_is_not_found(pocl):
    handle = pocl._handle
    kept = len(unknown_processor._kept)
    assert not unknown_processor.rename(handle, b"no such processor", b"haswell")
    assert len(unknown_processor._kept) == kept


def test_a_wish_is_one_of_two(monkeypatch):
    monkeypatch.setenv("STEPPE_TEST_POCL", "nonsense")
    with pytest.raises(ValueError, match="generic, broken or nothing"):
        unknown_processor.watch()
