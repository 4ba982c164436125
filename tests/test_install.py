"""`tools/install.py` shows how far an installation is, and everything when it fails."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "install.py"
spec = importlib.util.spec_from_file_location("install", TOOL)
install = importlib.util.module_from_spec(spec)
spec.loader.exec_module(install)

SAID = """\
Requirement already satisfied: numpy>=2.0 in ./.venv/lib/python3.11/site-packages (from steppe==0.2.0) (2.4.1)
Collecting rich>=13
  Using cached rich-14.0-py3-none-any.whl.metadata (18 kB)
  Downloading rich-14.0-py3-none-any.whl (243 kB)
  *** scikit-build-core 0.11 using CMake 3.31 (editable)
  *** Configuring CMake...
  *** Building project with Ninja...
  [1/3] Building CXX object CMakeFiles/_core.dir/cpp/bindings/external.cpp.o
  [2/3] Building CXX object CMakeFiles/nanobind-static-abi3.dir/lib/nanobind/src/nb_func.cpp.o
  /home/me/steppe/cpp/rows/csr.hpp:10:7: \x1b[01;35m\x1b[Kwarning: \x1b[m\x1b[Kunused variable 'x' [-Wunused-variable]
  [3/3] Linking CXX shared module _core.abi3.so
Installing collected packages: rich, steppe
Successfully installed rich-14.0 steppe-0.2.0
"""
MAKEFILES = """\
  [  9%] Building CXX object CMakeFiles/_core.dir/cpp/bindings/external.cpp.o
  [100%] Linking CXX shared module _core.abi3.so
"""


def test_what_is_printed():
    rest = []
    assert [*install.follow(SAID.splitlines(keepends=True), rest)] == [
        "download rich-14.0-py3-none-any.whl (243 kB)",
        "configure the native core",
        "compile 1/3 external.cpp",
        "compile 2/3 nb_func.cpp",
        "link 3/3 _core.abi3.so",
        "install rich, steppe",
    ]
    assert "  /home/me/steppe/cpp/rows/csr.hpp:10:7: warning: unused variable 'x' [-Wunused-variable]\n" in rest
    assert rest[0] == "Collecting rich>=13\n"
    assert rest[-1].startswith("Successfully installed")
    assert [*install.follow(MAKEFILES.splitlines(), [])] == [
        "compile 9% external.cpp",
        "link 100% _core.abi3.so",
    ]


@pytest.mark.parametrize("broken", [False, True])
def test_a_project_of_two_files(tmp_path, broken):
    """The lines are those that pip, scikit-build-core and CMake print today; an error of the compiler is shown in full."""
    pytest.importorskip("scikit_build_core", reason="the project is built with it")
    if shutil.which("c++") is None:
        pytest.skip("no compiler")
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n'
        '[project]\nname = "toy"\nversion = "1"\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\nproject(toy LANGUAGES CXX)\nadd_library(toy STATIC one.cpp two.cpp)\n"
        "install(TARGETS toy DESTINATION toy)\n"
    )
    (tmp_path / "one.cpp").write_text("int one() { return 1; }\n")
    (tmp_path / "two.cpp").write_text("int two() { return nothing_of_this_name; }\n" if broken else "int two();\n")
    done = subprocess.run(
        [sys.executable, TOOL, "--no-build-isolation", "--no-deps", f"--target={tmp_path / 'out'}", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == broken, done.stdout + done.stderr
    printed = [line.split() for line in done.stdout.splitlines()]
    assert ["configure", "the", "native", "core"] in printed
    compiled = [(words[1], words[2]) for words in printed if words[0] == "compile"]
    assert "one.cpp" in {name for _, name in compiled}
    assert all(how_far.endswith(("%", "/3")) for how_far, _ in compiled)
    assert "\r" not in done.stdout
    assert "\x1b" not in done.stdout
    if broken:
        assert "two.cpp:1" in done.stderr
        assert "nothing_of_this_name" in done.stderr
    else:
        assert done.stderr == ""
        assert printed[-1] == ["install", "toy"]
