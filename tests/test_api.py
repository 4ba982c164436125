"""The surface, asserted by machine: names, options, types, lengths, what an import costs."""

import ast
import importlib.metadata
import importlib.util
import inspect
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from steppe.gpu.source import COMBINATIONS, TYPES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "steppe"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FUNCTIONS = [name for name in sp.__all__ if inspect.isfunction(getattr(sp, name))]


def test_exported_names_are_all_and_only_those():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    imported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(sp.__all__) == imported - {"annotations", "TYPE_CHECKING"} | {"__version__"}
    assert all(hasattr(sp, name) for name in sp.__all__)


def test_version_is_that_of_the_installation():
    assert sp.__version__ == importlib.metadata.version("steppe")
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?(\.dev\d+)?(\+[\w.]+)?", sp.__version__)
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sp.nonsense


# What may be given by position: the subject of the call.
SUBJECTS = {
    "sssp": ["graph", "source"],
    "bfs": ["graph", "source"],
    "route": ["graph", "source", "target"],
    "distances": ["graph", "sources", "targets"],
    "all_pairs": ["graph"],
    "nearest": ["graph", "sources"],
    "isochrones": ["graph", "source", "limits"],
    "k_shortest_paths": ["graph", "source", "target", "k"],
    "all_shortest_paths": ["graph", "source", "target"],
    "read": ["path"],
    "write": ["graph", "path"],
    "partition": ["source", "folder"],
    "open_partitioned": ["folder"],
    "distance_blocks": ["graph", "sources", "targets"],
    "eccentricity": ["graph", "vertices"],
    "verify": ["graph", "answer"],
    "plan": ["graph", "call"],
    "devices": [],
    "set_default_device": ["name"],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_are_keyword_only(name):
    parameters = inspect.signature(getattr(sp, name)).parameters.values()
    positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    assert positional == SUBJECTS[name]


@pytest.mark.parametrize("name", [n for n in sp.__all__ if not n.startswith("__")])
def test_every_public_name_is_documented(name):
    thing = getattr(sp, name)
    if callable(thing):
        assert inspect.getdoc(thing)


def lines(*patterns):
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if "__pycache__" not in path.parts]


@pytest.mark.parametrize(
    "path",
    lines("src/**/*.py", "src/**/*.c", "src/**/*.h", "cpp/**/*.?pp", "tests/**/*.py", "benchmarks/**/*.py"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_file_is_longer_than_400_lines(path):
    assert len(path.read_text().splitlines()) <= 400


def test_a_class_of_the_core_is_defined_in_one_header():
    """Two of one name in one namespace are one class to the linker, whatever the compiler saw."""
    places = {}
    for path in (ROOT / "cpp").rglob("*.hpp"):
        for name in re.findall(r"^(?:struct|class|enum class|enum) (\w+)[^;]*?[{:]", path.read_text(), re.MULTILINE):
            places.setdefault((path.parent, name), set()).add(path.name)  # once more there: a specialisation
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize("path", lines("src/steppe/gpu/kernels/*.c"), ids=lambda path: path.name)
def test_kernels_do_not_ask_for_the_platform(path):
    text = path.read_text()
    assert not re.search(r"__CUDACC|__CUDA_ARCH__|__NVCC__|__OPENCL|cl_khr|__HIP|_WIN32|__linux__|__APPLE__", text)


def test_weight_types_of_graph_core_and_kernels_agree():
    large = {kind: 2**40 if np.dtype(kind).itemsize == 8 else 1 for kind in "bBhHiIqQefd?"}
    graph = {
        sp.Graph.from_edges([0], [1], np.array([weight], dtype=kind)).weights.dtype for kind, weight in large.items()
    }
    bindings = (ROOT / "cpp" / "bindings" / "arrays.hpp").read_text().partition("with_weight(")[2].partition("throw")[0]
    names = {"int32_t": "int32", "int64_t": "int64", "float": "float32", "double": "float64"}
    core = {np.dtype(names[name]) for name in re.findall(r"nb::dtype<(\w+)>", bindings)}
    kernels = {TYPES[weight] for weight, _, _ in COMBINATIONS}
    assert graph == core == kernels


def test_import_touches_no_driver_and_no_optional_package():
    code = "import sys, json, steppe; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    modules = set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))
    assert "numpy" in modules
    assert not modules & {
        "scipy",
        "networkx",
        "typer",
        "rich",
        "pyopencl",
        "cuda",
        "cupy",
        "pyarrow",
        "zstandard",
        "matplotlib",
        "shapely",
        "osmium",
    }


def test_base_install_needs_numpy_only():
    assert [re.match(r"\w+", d).group() for d in PYPROJECT["project"]["dependencies"]] == ["numpy"]


def test_the_stub_of_the_core_is_what_the_core_says():
    spec = importlib.util.spec_from_file_location("stub", ROOT / "tools" / "stub.py")
    stub = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stub)
    kept = ast.unparse(ast.parse((PACKAGE / "_core.pyi").read_text()))
    assert kept == ast.unparse(stub.stub()), "run `make stub`"
