"""A preparation is added in five files, as CONTRIBUTING says: one is, in a copy of the tree, and everything that preparations do works for it."""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import steppe
from conftest import PATIENCE

ROOT = Path(__file__).parents[1]

TOY = '''"""Hub: a vertex of the most edges."""

import numpy as np

from .preparation import Estimate, Made, Preparation

HUB = Preparation(
    name="hub",
    serves=("distances", "all_pairs"),
    methods={"bfs": "earned"},
    suits=lambda facts: "" if facts.vertices else "there are no vertices",
    estimate=lambda facts: Estimate(1e-9 * facts.vertices, 8),
    make=lambda graph, limit, threads: Made(int(np.argmax(graph.degrees)), 8, detail={"degree": int(graph.degrees.max())}),
    level="shape",
)
'''

CHANGES = {
    "src/steppe/prepared/registry.py": [
        ("from .johnson import JOHNSON\n", "from .hub import HUB\nfrom .johnson import JOHNSON\n"),
        ("CONTRACTION, JOHNSON)", "CONTRACTION, JOHNSON, HUB)"),
    ],
    "src/steppe/cpu/hops.py": [
        (
            "source = np.array([np.argmax(graph.degrees)], dtype=np.int64)",
            'hub = graph.prepared.get("hub")\n'
            "            used.append(hub)\n"
            "            source = np.array([np.argmax(graph.degrees) if hub is None else hub.value], dtype=np.int64)",
        ),
        ("ALIKE = 8\n", "used = []\nALIKE = 8\n"),
    ],
    "docs/choosing.md": [
        ("| `johnson` |", "| `hub` | a vertex of the most edges | `distances` | always |\n| `johnson` |")
    ],
    "CHANGELOG.md": [("- Preparations:", "- A preparation `hub`.\n- Preparations:")],
}

RUN = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
sys.meta_path[:] = BuiltinImporter, FrozenImporter, PathFinder  # not the finder of an editable installation
import numpy as np
import steppe as sp
from steppe.cpu import hops

assert sp.__file__.startswith(sys.argv[1]), sp.__file__
g = sp.Graph.from_edges([0, 0, 0, 1, 2], [1, 2, 3, 2, 3], num_vertices=60, directed=False)
plan = sp.plan(g, "all_pairs")
assert plan.makes == ("hub",) and plan.uses[-1] == "hub", plan
assert "hub (6e-08 s, 8 bytes)" in str(plan), plan
row = sp.all_pairs(g)[0].tolist()
assert row[:4] == [0, 1, 1, 1], row
assert [hub.value for hub in hops.used] == [0]
assert g.with_weights(None).prepared["hub"] is g.prepared["hub"]
assert "degree 3" in repr(g.prepared), g.prepared
g.forget("hub")
assert "hub" not in g.prepared
assert "hub" in g.prepare("hub").prepared
print("all of it")
"""


def test_a_preparation_is_added_in_five_files(tmp_path):
    package = tmp_path / "src" / "steppe"
    shutil.copytree(ROOT / "src" / "steppe", package, ignore=shutil.ignore_patterns("__pycache__"))
    core = Path(steppe._core.__file__)
    if not (package / core.name).exists():  # the core of an editable installation lies elsewhere
        shutil.copy(core, package)
    for name in ("docs/choosing.md", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (package / "prepared" / "hub.py").write_text(TOY)
    for name, pairs in CHANGES.items():
        text = (tmp_path / name).read_text()
        for old, new in pairs:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.strip() == "all of it", done.stderr
    files = [x.relative_to(tmp_path) for x in tmp_path.rglob("*") if x.is_file() and "__pycache__" not in x.parts]
    touched = [
        x
        for x in files
        if x.suffix not in (".so", ".pyd")
        and not ((ROOT / x).exists() and filecmp.cmp(tmp_path / x, ROOT / x, shallow=False))
    ]
    assert len(touched) <= 5, touched
