"""Layers: which folder may use which. The tables are compared with what the files import and include."""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import steppe

ROOT = Path(__file__).parents[1]


def test_includes_go_down():
    """Headers of cpp/ include their own layer and those that cpp/README.md names beside it; every layer is in the table."""
    rows = re.findall(r"^\| `([\w.]+)/?` \|.*\|([^|]*)\|$", (ROOT / "cpp" / "README.md").read_text(), re.MULTILINE)
    layers = {name for name, _ in rows}
    assert layers == {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir() or path.suffix == ".hpp"}
    allowed = {name: layers if "all" in below else {name, *re.findall(r"`(\w+)`", below)} for name, below in rows}
    order = [name for name, _ in rows]
    for name in layers - {"bindings"}:  # the table has no cycle
        assert all(order.index(below) <= order.index(name) for below in allowed[name]), name
    seen = 0
    for path in (ROOT / "cpp").rglob("*.[hc]pp"):
        layer = path.relative_to(ROOT / "cpp").parts[0]
        assert path in (ROOT / "cpp" / layer, ROOT / "cpp" / layer / path.name), path
        text = path.read_text()
        for included in re.findall(r'#include "([^"]+)"', text):
            assert (ROOT / "cpp" / included).is_file(), f"{path} includes {included}, which is not written from cpp/"
            assert included.split("/")[0] in allowed[layer], (
                f"{path} includes {included}: a layer above it, or beside it"
            )
            seen += 1
        namespace = "steppe" if layer in ("base", "steppe.hpp") else f"steppe::{layer}"
        assert f"namespace {namespace} {{" in text or path.name == "module.cpp", f"{path} is not in {namespace}"
    assert seen > 100


# What each layer of src/steppe may import, besides itself. Top-level modules are layers of one file; __init__ and __main__ are above all.
BELOW = {
    "deprecated": "",
    "errors": "",
    "_core": "",
    "machine": "errors deprecated _core",
    "pictures": "errors",
    "prepared": "machine errors deprecated _core",
    "graph": "prepared pictures machine errors deprecated _core",
    "files": "graph prepared machine errors deprecated _core",
    "generate": "files graph prepared machine errors deprecated _core",
    "planning": "graph prepared machine errors deprecated _core",
    "cpu": "planning graph prepared machine errors deprecated _core",
    "gpu": "cpu planning graph prepared machine errors deprecated _core",
    "paths": "pictures gpu cpu planning graph prepared machine errors deprecated _core",
    "cluster": "pictures paths gpu cpu planning files graph prepared machine errors deprecated _core",
    "calls": "pictures cluster paths gpu cpu planning files graph prepared machine errors deprecated _core",
    "networkx": "calls cluster paths gpu cpu planning files graph prepared machine errors deprecated _core",
    "csgraph": "calls cluster paths gpu cpu planning files graph prepared machine errors deprecated _core",
}


def imports(tree, package):
    """Yield the dotted names that a module imports, at its top or inside functions, but not for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            assert not node.orelse
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)
        else:
            yield from imports(node, package)


def test_imports_go_up_only():
    source = ROOT / "src" / "steppe"
    layers = {path.stem for path in source.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert layers | {"_core"} == {*BELOW, "cli", "__init__", "__main__"}
    for k, (name, below) in enumerate(BELOW.items()):  # the table has no cycle
        assert set(below.split()) <= set(list(BELOW)[:k]), name
    seen = 0
    for path in source.rglob("*.py"):
        here = path.relative_to(source)
        layer = here.with_suffix("").parts[0]
        if layer not in BELOW:
            continue
        for name in imports(ast.parse(path.read_text()), ["steppe", *here.parts[:-1]]):
            if name.split(".")[0] != "steppe":
                continue
            imported = name.split(".")[1]
            seen += 1
            assert imported in {layer, *BELOW[layer].split()}, f"{here} imports {name}: a layer above it, or beside it"
    assert seen > 100


def test_no_public_name_hides_a_module():
    """After `import steppe.NAME` everybody must find there what `steppe.NAME` already was."""
    for name in steppe.__all__:
        if not isinstance(getattr(steppe, name), ModuleType):
            assert importlib.util.find_spec(f"steppe.{name}") is None, f"steppe.{name} is a module too"
