"""Ctrl-C ends a native call in its middle, promptly, as KeyboardInterrupt; the next call works."""

import subprocess
import sys
import time

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from test_bellman_ford import hard_instance

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")

# A thread sends the signal while the call runs, which also shows that the call has released the GIL.
PROGRAM = """
import os, signal, threading, time
import numpy as np
import steppe as sp
from steppe import _core as core

def interrupted(after, clock):
    "Seconds until the call ended, the signal having been sent `after` its start; infinity if it ended by itself."
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    begun = clock()
    try:
        timer.start()
        call()
    except KeyboardInterrupt:
        return clock() - begun
    finally:
        timer.cancel()
        timer.join()
    return float("inf")

def full():
    begun = time.process_time()
    call()
    return time.process_time() - begun

graph = sp.generate.grid({side}, {side}, weights=(1, 1_000_000), seed=1)
{setup}
call = lambda: {call}
{body}
assert sp.sssp(graph, 0).verify().reachable.all()
"""

# Calls that take many seconds: the time to the end speaks for itself.
LONG = """
for _ in range(3):
    ended = interrupted(0.2, time.perf_counter)
    assert ended < 2.2, f"ended after {ended} s"
"""

# Calls that are over in a fraction of a second: one that cannot be interrupted never ends before its time. CPU time is compared, which
# other processes do not stretch; they may delay the signal, so that several attempts are made.
SHORT = """
usual = min(full() for _ in range(3))
for _ in range(20):
    try:
        ended = interrupted(usual / 8, time.process_time)
    except KeyboardInterrupt:  # sent just before the call ended, seen just after it
        continue
    if ended < 0.5 * usual:
        break
else:
    raise SystemExit(f"a call of {usual} s was never interrupted")
"""


def run(call, side, body, setup=""):
    code = PROGRAM.format(call=call, side=side, body=body, setup=setup)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_call(threads):
    """Frontier rounds relax the edges of such a grid hundreds of times."""
    run(f'sp.sssp(graph, 0, method="frontier", threads={threads})', 1000, LONG)


@pytest.mark.parametrize(
    "call",
    [
        'sp.sssp(graph, 0, method="dijkstra")',
        'sp.sssp(graph, 0, method="delta-stepping", threads=1)',
        'sp.sssp(graph, 0, method="delta-stepping", threads=2)',
        'sp.sssp(graph, 0, method="bellman-ford")',
        "sp.route(graph, 0, graph.num_vertices - 1)",
    ],
)
def test_a_short_call(call):
    run(call, 2000, SHORT)


ENDS = """
m = 24_000_000
u, v = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
core.generate_random(1 << 20, 1, u, v, 1)
rows, columns = np.empty((1 << 20) + 1, dtype=np.int64), np.empty(m, dtype=np.int32)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "call",
    [
        "core.generate_rmat(20, 1, u, v, {threads})",
        "core.generate_random(1 << 20, 1, u, v, {threads})",
        "core.build_csr(u, v, None, False, False, rows, columns, None, {threads})",
    ],
)
def test_making_a_graph(call, threads):
    """One native call each: Python itself looks for signals between two of them."""
    run(call.format(threads=threads), 50, SHORT, ENDS)


class Slow:
    """A progress callback that takes longer than the time between two calls of it, so that every look whether to stop is told.

    It stops the search when it has been told the same number of edges twice: in the middle of a level, or of a pass that relaxes none.
    """

    def __init__(self):
        self.told = []

    def __call__(self, done):
        self.told.append(done)
        time.sleep(0.025)
        if self.told[-2:] == [done] * 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize("threads", [1, 2])
def test_one_level_of_a_breadth_first_search(threads):
    """All edges but those of the source are in one level."""
    n, middle, degree = 1 << 20, 1 << 17, 768
    first = np.concatenate([[0], middle + degree * np.arange(middle + 1)])
    indptr = np.concatenate([first, np.full(n - middle - 1, first[-1])])
    ends = np.random.default_rng(1).integers(0, n, middle * degree, dtype=np.int32)
    graph = sp.Graph.from_csr(indptr, np.concatenate([np.arange(1, middle + 1, dtype=np.int32), ends]))
    with pytest.raises(KeyboardInterrupt):
        sp.bfs(graph, 0, threads=threads, progress=Slow())


def test_the_topological_pass_of_bellman_ford():
    """It begins when every edge has been relaxed four times."""
    hard = hard_instance()
    indptr = hard.indptr.copy()
    indptr[-1] -= 1  # without its last edge, which closes a cycle
    graph = sp.Graph.from_csr(indptr, hard.indices[:-1], hard.weights[:-1])
    with pytest.raises(KeyboardInterrupt):
        sp.sssp(graph, 0, method="bellman-ford", progress=Slow())
