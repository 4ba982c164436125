"""A graph in parts on three nodes of Ray on this machine, a worker killed on the way, and the proof: make demo-cluster.

Ray is told to listen on 127.0.0.1 alone and to ask nobody outside (steppe.cluster.loopback). Where the system permits it, the demo runs in a network
with nothing but loopback besides: whoever reaches a port of Ray's can have it execute anything.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import steppe as sp
from steppe.cluster.loopback import ENVIRONMENT

ALONE = "STEPPE_LOOPBACK_ONLY"
UNSHARE = [["unshare", "-n"], ["unshare", "-rn"]]


def alone() -> int | None:
    """Run this script again where there is only loopback; return how it ended, None: the system does not permit it."""
    for words in UNSHARE:
        if (
            shutil.which(words[0])
            and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0  # noqa: S603
        ):
            up = 'ip link set lo up && exec "$@"'
            command = [*words, "sh", "-c", up, "sh", sys.executable, __file__]
            return subprocess.run(command, env=os.environ | {ALONE: "1"}, check=False).returncode  # noqa: S603
    return None


def main() -> None:
    """Partition, search, kill, prove."""
    os.environ |= ENVIRONMENT | {"RAY_DISABLE_MEMORY_MONITOR": "1"}
    import ray
    from ray.cluster_utils import Cluster

    graph = sp.generate.rmat(16, 16, seed=1)
    source = int(np.argmax(graph.degrees))
    with tempfile.TemporaryDirectory() as folder:
        g = sp.partition(graph, Path(folder) / "rmat", parts=6)
        print(g)
        size = {"num_cpus": 1, "object_store_memory": 80 << 20}
        cluster = Cluster(initialize_head=True, head_node_args=size | {"include_dashboard": False})
        try:
            for _ in range(2):
                cluster.add_node(**size)
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
            engine = sp.Ray(workers=3)
            pids = engine.workers_of(g).start().pids
            assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
            print(f"{len(ray.nodes())} nodes, workers {', '.join(str(pid) for pid, _ in pids)}")

            killed: list[int] = []

            def kill(now: sp.Progress) -> None:
                if now.note == "superstep 2" and not killed:
                    killed.append(pids[1][0])
                    print(f"{now.note} is done: killing worker {killed[0]}")
                    os.kill(killed[0], signal.SIGKILL)
                    time.sleep(0.1)

            r = sp.sssp(g, source, engine=engine, progress=kill)
            print(r.explain())
            assert r.explain().restarts == 1
            r.verify()
            print("proven: every vertex and every edge, by the workers")
            assert np.array_equal(r.distances, sp.sssp(graph, source).distances)
            far = int(np.argmax(np.where(r.reachable, r.distances, -1)))
            print(
                f"the same distances as on one machine, bit for bit; the furthest vertex is {far}, by {r.path(far).tolist()}"
            )
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    if ALONE in os.environ or (ended := alone()) is None:
        main()
    else:
        sys.exit(ended)
