"""What tests of clusters share: a cluster on loopback, and workers that are killed or stopped at a given superstep."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np

from loopback import only_loopback
from steppe.cluster.loopback import alone

QUIET = {
    "include_dashboard": False,
    "log_to_driver": False,
    "logging_level": "error",
    "object_store_memory": 100 << 20,
}


@contextlib.contextmanager
def running(cpus=4):
    """Ray on this machine, with nothing but loopback to listen on."""
    os.environ["RAY_DISABLE_MEMORY_MONITOR"] = "1"
    with only_loopback():
        import ray

        for left in (2, 1, 0):  # Ray gives itself half a minute, which is short on a busy machine
            try:
                with alone():
                    ray.init(address="local", num_cpus=cpus, **QUIET)
                break
            except Exception as error:
                ray.shutdown()
                if "timed out" not in str(error) or not left:
                    raise
        try:
            yield ray
        finally:
            ray.shutdown()


def state_of(pid):
    """The letter of a process's state, as ps has it; None: there is no such process, or only what its parent has not asked for yet."""
    try:
        letter = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return None
    return None if letter in "ZX" else letter


class Stopped:
    """A process kept stopped until it ends: whatever wakes it (a machine that was paused wakes all), it is stopped again."""

    def __init__(self, pid):
        self.pid, self.times = pid, 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._hold, daemon=True)
        self._stop()
        deadline = time.monotonic() + 30
        while state_of(pid) not in ("T", None) and time.monotonic() < deadline:
            time.sleep(0.001)  # until it has arrived, not only been sent
        assert state_of(pid) == "T", state_of(pid)
        self._thread.start()

    def _stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)
            self.times += 1

    def _hold(self):
        while not self._done.wait(0.002) and (state := state_of(self.pid)) is not None:
            if state != "T":
                self._stop()

    def ended(self, seconds):
        """Whether somebody ends it within so many seconds; afterwards it is let go."""
        self._thread.join(seconds)
        gone = state_of(self.pid) is None
        self.let_go()
        return gone

    def let_go(self):
        """Stop it no more."""
        self._done.set()
        self._thread.join()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)


class Faults:
    """Before superstep ``k``, every ``(k, worker)`` of ``plan`` gets a signal, once."""

    def __init__(self, engine, graph, plan, number=signal.SIGKILL):
        self.workers, self.left, self.number = engine.workers_of(graph), set(plan), number
        self.sent, self.stopped = [], []

    def __call__(self, step):
        for fault in sorted(self.left):
            if fault[0] <= step:
                self.left.discard(fault)
                self.sent.append(self.workers.pids[fault[1]][0])
                if self.number == signal.SIGSTOP:
                    self.stopped.append(Stopped(self.sent[-1]))
                else:
                    os.kill(self.sent[-1], self.number)
                    deadline = time.monotonic() + 30
                    while state_of(self.sent[-1]) is not None and time.monotonic() < deadline:
                        time.sleep(0.001)


def with_faults(engine, graph, plan, call, number=signal.SIGKILL):
    """Return what ``call()`` returns while workers are lost as planned, and the faults, as far as they were sent."""
    faults = engine._before_step = Faults(engine, graph, plan, number)
    try:
        found = call()
    finally:
        engine._before_step = None
    return found, faults


def wrong(found, right):
    """How many vertices differ."""
    return int(
        (found.distances != right.distances).sum() + (~np.isin(found.distances.dtype, [right.distances.dtype])).sum()
    )
