"""Options: made once of a public function's arguments, and a new one is a matter of few files."""

import inspect
import os
import shutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

import steppe as sp
from steppe.planning.call import CALLS, Call
from steppe.planning.options import Options
from steppe.planning.request import Request

SUBJECTS = {"graph", "source", "sources", "target", "call", "vertices", "limits", "k", "offsets", "rows"}
"""Parameters that say what is asked, or belong to one function alone: no options."""


@pytest.mark.parametrize(
    "function",
    [sp.sssp, sp.bfs, sp.nearest, sp.distances, sp.all_pairs, sp.distance_blocks, sp.eccentricity, sp.plan],
    ids=lambda f: f.__name__,
)
def test_every_parameter_of_a_public_function_is_an_option(function):
    names = {option.name for option in fields(Options)}
    parameters = inspect.signature(function).parameters
    assert set(parameters) - SUBJECTS <= names
    defaults = {p.name: p.default for p in parameters.values() if p.name in names and p.default is not p.empty}
    assert defaults == {name: getattr(Options(), name) for name in defaults}


def test_options_are_checked_and_stay():
    assert Options.of({"graph": 1, "method": "bfs", "memory_limit": "2KB"}) == Options(method="bfs", memory_limit=2000)
    for wrong in (
        {"cutoff": -1},
        {"cutoff": float("nan")},
        {"delta": 0},
        {"delta": float("inf")},
        {"memory_limit": "x"},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Options(**wrong)
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Options.of(wrong)
    with pytest.raises(FrozenInstanceError):
        Options().method = "bfs"


def test_what_decides_has_no_arrays():
    """A plan is kept with its graph: it must not keep the targets of a call alive, and another cutoff is no other plan."""
    first = Options(cutoff=3, targets=[1, 2], along={"x": [1.0]})
    second = Options(cutoff=4, targets=[7], along={"y": [2.0]})
    assert first.deciding() == second.deciding() != Options().deciding()
    g = sp.generate.grid(30, 30)
    a, b = sp.sssp(g, 0, cutoff=3).explain(), sp.sssp(g, 0, delta=5.0, method="delta-stepping").explain()
    assert (a.method, b.method, b.delta) == (sp.plan(g, "sssp").method, "delta-stepping", 4.0)


def test_calls_know_their_kind():
    assert [call for call in CALLS if Call(call).many] == ["distances", "all_pairs"]
    assert [call for call in CALLS if Call(call).hops] == ["bfs"]
    with pytest.raises(ValueError, match="one of sssp, bfs, nearest, route, distances, all_pairs, not 'astar'"):
        sp.plan(sp.generate.grid(3, 3), "astar")
    pairs = Options(targets=[1], pairs=True)
    assert Request(call=Call.DISTANCES, options=pairs).may_stop
    assert not Request(call=Call.DISTANCES, options=Options(targets=[1])).may_stop
    assert Request(call=Call.SSSP, options=Options(targets=[1])).may_stop


ADDED = {
    "calls/sssp.py": (
        "    record_paths: bool = False,\n",
        "    record_paths: bool = False,\n    heap_only: bool = False,\n",
    ),
    "planning/options.py": (
        "    record_paths: bool = False\n",
        "    record_paths: bool = False\n    heap_only: bool = False\n",
    ),
    "planning/plan.py": (
        '    if facts.has_negative:\n        return "bellman-ford"',
        '    if options.heap_only:\n        return "dijkstra", "a heap was asked for"\n'
        '    if facts.has_negative:\n        return "bellman-ford"',
    ),
}
"""An option of sssp that the plan obeys: with its line in the changelog four files."""


def test_an_option_is_added_in_four_files(tmp_path):
    package = Path(sp.__file__).parent
    copy = tmp_path / "steppe"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for core in Path(sys.modules["steppe._core"].__file__).parent.glob("_core*"):
        if not (copy / core.name).exists():
            (copy / core.name).symlink_to(core)
    for name, (old, new) in ADDED.items():
        text = (copy / name).read_text()
        assert text.count(old) == 1, name
        (copy / name).write_text(text.replace(old, new))
    assert len(ADDED) + 1 <= 4
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import steppe as sp; assert sp.__file__.startswith({str(tmp_path)!r})\n"
        "g = sp.generate.grid(200, 200)\n"
        "print(sp.sssp(g, 0).explain().method, sp.sssp(g, 0, heap_only=True).explain().reason)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("site-packages"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "delta-stepping a heap was asked for\n", run.stderr
