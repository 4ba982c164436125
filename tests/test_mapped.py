"""Files that change while they are mapped: an error, not the end of the process."""

import faulthandler
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE, SANITIZER
from steppe.files import mapped

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot be shortened")

START = """
import os, signal, sys, threading
import numpy as np, steppe as sp
from steppe import _core, files
from steppe.files import mapped
path = sys.argv[1]
def search(graph):
    try:
        print(sp.sssp(graph, 0).reachable.all())
    except sp.FormatError as error:
        print(error)
"""


def run(code, path):
    done = subprocess.run(
        [sys.executable, "-c", START + code, path], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.fixture
def path(tmp_path):
    sp.write(sp.generate.grid(300, 300), tmp_path / "graph.steppe")
    assert (tmp_path / "graph.steppe").stat().st_size > mapped.SMALL
    return tmp_path / "graph.steppe"


@pytest.mark.parametrize("size", ["0", "5000", "os.path.getsize(path) // 2"])
@pytest.mark.parametrize("proven", [False, True])
def test_truncated(path, size, proven):
    """Between opening and a search, before the proof and after it."""
    code = f"""
graph = sp.read(path)
if {proven}: search(graph)
os.truncate(path, {size})
search(graph)
search(graph)
"""
    status, out, errors = run(code, path)
    assert status == 0, errors
    assert out[:-2] == ["True"] * proven
    assert all("truncated" in line and str(path) in line for line in out[-2:])


@pytest.mark.parametrize("handler", ["", "import faulthandler; faulthandler.enable()"])
def test_truncated_in_the_middle_of_a_call(path, handler):
    """The proof is under way in native code, and numbers are added up by NumPy; other handlers may be there, too."""
    code = f"""
graph = sp.read(path)
search(graph)
indices, rows = graph.indices, (graph.indptr, graph.indices, graph.weights)
{handler}
os.truncate(path, 8192)
graph._claim._mapping.guard.faulted  # our handler is on top again
try:
    print(_core.prove_rows(_core.Rows(*rows, True), False, 1, 2))
except sp.FormatError as error:
    print(error)
print(int(indices[-1]), indices.sum() >= 0)
search(graph)
"""
    status, out, errors = run(code, path)
    assert status == 0, errors
    assert "while it was mapped" in out[1]
    assert out[2] == "0 True"
    assert "truncated" in out[3]


def test_written_in_place(path):
    code = """
graph = sp.read(path)
search(graph)
with open(path, "r+b") as file:
    file.seek(500_000)
    file.write(bytes([255]) * 4096)
os.utime(path, ns=(1, 1))
search(graph)
try: sp.route(graph, 0, 5)
except sp.FormatError as error: print(error)
"""
    status, out, errors = run(code, path)
    assert status == 0, errors
    assert out[0] == "True"
    assert all("was written to" in line for line in out[1:])
    assert len(out) == 3


def test_replaced_by_another_file(path):
    """As steppe.write does it: a graph that was opened before stays what it was."""
    graph = sp.read(path)
    sp.write(sp.generate.grid(2, 2), path)
    assert sp.sssp(graph, 0).verify().reachable.all()
    assert graph.num_vertices == 90_000
    path.unlink()
    assert sp.bfs(graph, 0).verify().reachable.all()


@pytest.mark.skipif(SANITIZER == "address", reason="AddressSanitizer answers SIGBUS itself")
def test_other_faults_end_the_process_as_before(path):
    """A SIGBUS that is not ours: from somebody's kill(), or in somebody else's mapping."""
    kill = "graph = sp.read(path)\nos.kill(os.getpid(), signal.SIGBUS)\n"
    other = """
graph = sp.read(path)
other = np.memmap(path, np.uint8, "r")
os.truncate(path, 0)
print(other[100_000])
"""
    for code in (kill, other):
        assert run(code, path)[0] == -signal.SIGBUS
    sp.write(sp.generate.grid(300, 300), path)
    status, _, errors = run("import faulthandler; faulthandler.enable()\n" + other, path)
    assert status == -signal.SIGBUS
    assert "Fatal Python error: Bus error" in errors


def test_a_python_handler_is_called(path):
    code = """
signal.signal(signal.SIGBUS, lambda *_: print("heard"))
graph = sp.read(path)
signal.raise_signal(signal.SIGBUS)
search(graph)
"""
    status, out, errors = run(code, path)
    assert (status, out) == (0, ["heard", "True"]), errors


def test_the_guard_goes_with_the_arrays(path):
    """Not with the graph: arrays may outlive it."""
    code = """
indices = sp.read(path).indices
os.truncate(path, 0)
print(int(indices[-1]))
del indices
for _ in range(1500):  # more than the table has places
    sp.read(path + "2")
print("fine")
"""
    sp.write(sp.generate.grid(300, 300), str(path) + "2", format="steppe")
    status, out, errors = run(code, path)
    assert (status, out) == (0, ["0", "fine"]), errors


def test_more_files_than_the_table_has_places(path):
    graphs = [sp.read(path) for _ in range(100)]
    assert all(g.is_mapped for g in graphs)
    assert np.array_equal(graphs[0].indices, graphs[-1].indices)
    assert faulthandler.is_enabled() in (True, False)
