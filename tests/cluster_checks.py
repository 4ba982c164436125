"""What tests of clusters share: a cluster on loopback, and workers that are killed or stopped at a given superstep."""

import contextlib
import os
import signal
import time

import numpy as np

from loopback import only_loopback

QUIET = {
    "include_dashboard": False,
    "log_to_driver": False,
    "logging_level": "error",
    "object_store_memory": 100 << 20,
}


@contextlib.contextmanager
def running(cpus=4):
    """Ray on this machine, with nothing but loopback to listen on."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_MEMORY_MONITOR": "1"}
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    with only_loopback():
        import ray

        for left in (2, 1, 0):  # Ray gives itself half a minute, which is short on a busy machine
            try:
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


class Faults:
    """Before superstep ``k``, every ``(k, worker)`` of ``plan`` gets a signal, once."""

    def __init__(self, engine, graph, plan, number=signal.SIGKILL):
        self.crew, self.left, self.number = engine.crew(graph), set(plan), number
        self.sent = []

    def __call__(self, step):
        for fault in sorted(self.left):
            if fault[0] <= step:
                self.left.discard(fault)
                self.sent.append(self.crew.pids[fault[1]][0])
                os.kill(self.sent[-1], self.number)
        if self.sent and self.number == signal.SIGKILL:
            time.sleep(0.05)


def with_faults(engine, graph, plan, call, number=signal.SIGKILL):
    """Return what ``call()`` returns while workers are lost as planned, and how many were."""
    faults = engine._before_step = Faults(engine, graph, plan, number)
    try:
        found = call()
    finally:
        engine._before_step = None
    return found, len(faults.sent)


def wrong(found, right):
    """How many vertices differ."""
    return int(
        (found.distances != right.distances).sum() + (~np.isin(found.distances.dtype, [right.distances.dtype])).sum()
    )
