"""Ctrl-C ends a long native call promptly, as KeyboardInterrupt."""

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")

# Repeated calls, so that the signal arrives inside one whatever the speed of the machine; a single call here takes long enough that an
# interrupt that waited for its end would be seen. Frontier rounds on a grid with random weights relax an edge hundreds of times.
PROGRAM = """
import sys, time
import steppe as sp
graph = sp.generate.grid(700, 700, weights=(1, 1_000_000), seed=1)
print("ready", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(0)
"""

CALLS = {
    "dijkstra": 'sp.sssp(graph, 0, method="dijkstra")',
    "delta-stepping": 'sp.sssp(graph, 0, method="delta-stepping", threads=2)',
    "frontier": 'sp.sssp(graph, 0, method="frontier", threads=2)',
    "bellman-ford": 'sp.sssp(graph, 0, method="bellman-ford")',
    "bfs": "sp.bfs(graph, 0)",
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupt(call):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(call=CALLS[call])], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            waited = time.monotonic() - sent
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()
    # The promise is a tenth of a second; a busy test machine gets ten times that, and a call that is not interrupted takes longer still.
    assert waited < 1.0
