"""Ctrl-C ends a native call in its middle, promptly, as KeyboardInterrupt; the next call works."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")

# A thread sends the signal while the call runs, which also shows that the call has released the GIL.
PROGRAM = """
import os, signal, threading, time
import steppe as sp

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


def run(call, side, body):
    code = PROGRAM.format(call=call, side=side, body=body)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
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
    run(call, 1200, SHORT)
