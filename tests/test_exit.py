"""The interpreter ends, or the process forks, while threads search: no abort, no hang, and the child can search."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, SANITIZER

RUNS = 2 if SANITIZER else 3

BUSY = """
import os, random, sys, threading, time
import steppe as sp
graph = sp.generate.random(30_000, 600_000, seed=1)
begun = threading.Semaphore(0)

def start(*calls, count=1):
    def work():
        while True:
            for call in calls:
                begun.release()
                call()
    for _ in range(count):
        threading.Thread(target=work, daemon=True).start()
    begun.acquire()
    time.sleep(random.random() * 0.1)
"""


def run(code, text=BUSY):
    """Run this in a process of its own; return what it said."""
    done = subprocess.run(
        [sys.executable, "-c", text + code], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "calls",
    [
        "lambda: sp.sssp(graph, 0, threads=1)",
        "lambda: sp.sssp(graph, 0, method='frontier', threads=2)",
        "lambda: sp.sssp(graph, 0, threads=2, progress=lambda n: None), lambda: sp.bfs(graph, 0, threads=2),"
        " lambda: sp.route(graph, 0, 5), lambda: sp.distances(graph, [0, 1], threads=2), count=3",
        "lambda: sp.sssp(graph, 0).verify().predecessors, lambda: sp.generate.random(30_000, 600_000), count=2",
    ],
)
def test_exit_while_daemon_threads_search(calls):
    for _ in range(RUNS):
        run(f"start({calls})")


def test_exit_while_a_progress_callback_sleeps():
    """It is waited for, but not for ever: its thread is left where it is, and whatever helped it has stopped."""
    slow = (
        "lambda: sp.sssp(graph, 0, method='frontier', threads=2, progress=lambda n: (told.release(), time.sleep(1000)))"
    )
    many = "graph = sp.generate.grid(400, 400, weights=(1, 1_000_000))\ntold = threading.Semaphore(0)\n"
    run(many + f"start({slow})\ntold.acquire()")


def test_exit_hooks_may_still_search():
    """Those that were registered before ours run after it; only threads that are not to be waited for are stopped."""
    early = "import atexit\natexit.register(lambda: print(sp.sssp(graph, 0, threads=2).verify().reachable.sum()))\n"
    assert int(run("start(lambda: sp.sssp(graph, 0))", early + BUSY)) > 1


def test_a_thread_that_catches_everything_is_not_let_in_again():
    code = """
def stubborn():
    try:
        sp.sssp(graph, 0)
    except BaseException:
        pass
start(stubborn, count=2)
"""
    for _ in range(RUNS):
        run(code)


FORK = """
def child(call):
    "Exit code of a forked child that makes this call; it is killed where it hangs."
    pid = os.fork()
    if pid == 0:
        try:
            import signal
            signal.alarm(30)
            os._exit(0 if call() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def taken():
    "Wait until another thread prepares the graph."
    while graph.prepared.slot("packed").maker == 0:
        pass
"""

needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork") or SANITIZER is not None, reason="no fork here, or a sanitizer, which does not follow one"
)
QUIET = "import warnings\nwarnings.simplefilter('ignore', DeprecationWarning)\n"


@needs_fork
def test_fork_while_a_thread_prepares():
    code = """
graph = sp.generate.random(200_000, 3_000_000, seed=2)
thread = threading.Thread(target=graph.prepare)
thread.start()
taken()
print(child(lambda: sp.sssp(graph, 0, threads=2).verify().reachable.any() and graph.reverse is graph.reverse))
thread.join()
print(child(lambda: sp.sssp(graph, 0, threads=2).verify().reachable.any()))
"""
    assert run(code, QUIET + BUSY + FORK).split() == ["0", "0"]


@needs_fork
def test_fork_while_threads_search():
    code = """
start(lambda: sp.sssp(graph, 0, threads=2).verify().predecessors, lambda: graph.degrees, lambda: sp.route(graph, 0, 9), count=3)
print([child(lambda: sp.sssp(graph, 0, threads=2).verify().reachable.any()) for _ in range(20)])
"""
    assert run(code, QUIET + BUSY + FORK).strip() == str([0] * 20)


@needs_fork
def test_fork_while_threads_ask_for_routes():
    """Routes are so short that some thread is about to take or put back its workspace most of the time."""
    code = """
graph = sp.generate.random(300, 1500, seed=1)
start(lambda: sp.route(graph, 0, 5), count=4)
print({child(lambda: sp.route(graph, 0, 7).reachable) for _ in range(300)})
"""
    assert run(code, QUIET + BUSY + FORK).strip() == "{0}"


@needs_fork
@pytest.mark.parametrize("threads", [1, 2])
def test_fork_in_a_progress_callback(threads):
    """The child may search; its half of the parent's search has lost its helpers and is an error, not an answer."""
    code = f"""
graph = sp.generate.grid(400, 400, weights=(1, 1_000_000))
parent, codes = os.getpid(), []

def fork(done):
    if os.getpid() == parent and not codes:
        pid = os.fork()
        if pid:
            codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        else:
            import signal
            signal.alarm(30)
            assert sp.sssp(graph, 1, threads=2).verify().reachable.all()

try:
    sp.sssp(graph, 0, method="frontier", threads={threads}, progress=fork)
except RuntimeError as error:
    os._exit(17 if "forked child" in str(error) and os.getpid() != parent else 18)
if os.getpid() != parent:
    os._exit(19)
print(codes)
"""
    assert run(code, QUIET + BUSY).strip() == "[17]"


@needs_fork
@pytest.mark.pocl
def test_a_device_after_fork_is_a_clear_error(pocl):
    code = """
from steppe.errors import DeviceError
small = sp.generate.random(200, 900, seed=1)
sp.sssp(small, 0, device="opencl:pocl").verify()
held = sp.gpu.get_device("opencl:pocl")
cells = held.alloc(10, "u4", fill=1)

def refused(call):
    try:
        call()
    except DeviceError as error:
        return "spawn" in str(error)
    return False

def all_refused():
    global cells
    tries = [
        lambda: sp.sssp(small, 0, device="opencl:pocl"),
        lambda: sp.gpu.get_device("opencl"),
        lambda: held.alloc(3, "u4"),
        lambda: held.download(cells),
        lambda: held.program("fill"),
    ]
    fine = all(map(refused, tries)) and any("spawn" in info.reason for info in sp.devices())
    cells = None
    return fine and sp.sssp(small, 0, threads=2).verify().reachable.any()

print(child(all_refused))
print(held.download(cells).tolist())
"""
    assert run(code, QUIET + BUSY + FORK).split("\n") == ["0", str([1] * 10), ""]


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc to count threads in")  # noqa: PTH112
def test_no_more_threads_stay_than_there_are_processors():
    code = """
count = lambda: len(os.listdir("/proc/self/task"))
before = count()
sp.sssp(graph, 0, threads=2).verify(threads=300)
sp.sssp(graph, 0, method="frontier", threads=40)
print(count() - before, len(os.sched_getaffinity(0)))
assert sp.sssp(graph, 0, threads=7).verify(threads=9).reachable.any()
"""
    extra, processors = map(int, run(code).split())
    assert extra < processors


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_the_suite_hears_interrupts():
    """Whoever starts it may ignore SIGINT (a shell does, in the background), and tests that send it would wait for ever."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_test_that_hangs_ends_the_run_with_a_stack(tmp_path):
    (tmp_path / "test_hang.py").write_text("import time\ndef test_hang():\n    time.sleep(100)\n")
    tests = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "test_hang.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": tests, "STEPPE_TIME_LIMIT": "0.5"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "Timeout" in done.stderr
    assert "in test_hang" in done.stderr
