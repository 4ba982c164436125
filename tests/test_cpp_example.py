"""The front door for C++, cpp/steppe.hpp: the example builds without Python and gives the answers that Python gives."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "cpp"
COMPILER = next(
    filter(None, map(shutil.which, (*shlex.split(os.environ.get("CXX", ""))[:1], "c++", "g++", "clang++"))), None
)
SIDE, FAR = 300, 300 * 300 - 1
SCHOOLS = [0, 12_345, 67_890]


def town():
    places = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    u = np.concatenate([places[:, :-1].ravel(), places[:-1].ravel()])
    v = np.concatenate([places[:, 1:].ravel(), places[1:].ravel()])
    return sp.Graph.from_edges(u, v, (50 + (u * 7919 + v) % 101).astype(np.int32), directed=False)


def test_the_example_gives_the_answers_of_python(tmp_path):
    if COMPILER is None or os.name == "nt":
        pytest.skip("no C++ compiler with GCC's options")
    program = tmp_path / "town"
    # Not optimised: compiling takes most of the time.
    flags = ["-std=c++20", "-O0", "-I", ROOT / "cpp", "-pthread", "-ffp-contract=off"]
    subprocess.run([COMPILER, *flags, EXAMPLE / "main.cpp", "-o", program], check=True, timeout=4 * PATIENCE)
    told = subprocess.run([program], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout.splitlines()
    g = town()
    paths, route = sp.sssp(g, 0), sp.route(g, 17, 54_321)
    assert told == [
        f"farthest corner: {paths.distance(FAR)} m over {len(paths.path(FAR)) - 1} streets",
        f"to the nearest school, all crossings together: {sp.nearest(g, SCHOOLS).distances.sum()} m",
        *("".join(f"{x:8}" for x in row) for row in sp.distances(g, SCHOOLS, SCHOOLS).tolist()),
        f"{sp.bfs(g, 0).distance(FAR)} hops; a route of {route.distance} m with {len(route.vertices) - 1} streets",
    ]


def test_cmake_takes_the_folder(tmp_path):
    cmake = shutil.which("cmake")
    if COMPILER is None or cmake is None or shutil.which("make") is None:
        pytest.skip("no CMake, make or C++ compiler")
    subprocess.run(
        [cmake, "-S", EXAMPLE, "-B", tmp_path, "-G", "Unix Makefiles", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
        env=os.environ | {"CXX": COMPILER},
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    (line,) = json.loads((tmp_path / "compile_commands.json").read_text())
    words = shlex.split(line["command"])
    assert f"-I{ROOT / 'cpp'}" in words
    assert "-ffp-contract=off" in words
    assert any(re.fullmatch(r"-std=(c|gnu)\+\+2\w", word) for word in words) or "clang" not in COMPILER


def test_the_page_shows_the_example():
    """Every line of C++ on the page is one of the example, and the commands are those of this test."""
    page = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8")
    lines = {line.strip() for line in (EXAMPLE / "main.cpp").read_text(encoding="utf-8").splitlines()}
    (block,) = re.findall(r"^```cpp\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert [line for line in block.splitlines() if line.strip() and line.strip() not in lines] == []
    assert "-std=c++20 -O3 -I cpp -pthread -ffp-contract=off examples/cpp/main.cpp" in page


def test_nothing_behind_the_door_includes_python():
    seen, ahead = set(), ["steppe.hpp"]
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        seen.add(name)
        text = (ROOT / "cpp" / name).read_text()
        assert not re.search(r"#include <(nanobind|Python)", text), name
        ahead += re.findall(r'#include "([^"]+)"', text)
    assert not any(name.startswith("bindings/") for name in seen)
    assert len(seen) > 30
