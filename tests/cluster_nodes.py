"""96 blocks of sources on three nodes, one of which is removed half-way; run by test_cluster.py, in a network with loopback alone."""

import os
import sys
import time
from pathlib import Path

from steppe.cluster.loopback import ENVIRONMENT

os.environ |= ENVIRONMENT | {"RAY_DISABLE_MEMORY_MONITOR": "1"}

import ray
from ray.cluster_utils import Cluster

import steppe as sp
from steppe.files import matrix_folder


def nap() -> None:
    time.sleep(2)


def main(folder: Path) -> None:
    graph = sp.generate.grid(60, 60, seed=1)
    sp.write(graph, folder / "g.steppe")
    graph = sp.read(folder / "g.steppe")
    matrix_folder.BLOCK = 8 * 8 * graph.num_vertices  # eight rows a block
    sources = list(range(96 * 8))
    size = {"num_cpus": 1, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args=size | {"include_dashboard": False})
    try:
        others = [cluster.add_node(**size) for _ in range(2)]
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        warm = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(nap)
        ray.get([warm.remote() for _ in range(6)])  # every node has a process that is ready, so all get blocks
        engine, stored, removed = sp.Ray(), [], []
        trace = folder / "trace"
        trace.mkdir()
        engine._trace = str(trace)
        write = matrix_folder.MatrixFolder.write

        def stored_one(self: matrix_folder.MatrixFolder, begin: int, block: object) -> None:
            write(self, begin, block)
            stored.append(begin)
            if len(stored) == 48 and not removed:
                cluster.remove_node(others[0], allow_graceful=False)
                removed.append(set(stored))

        matrix_folder.MatrixFolder.write = stored_one
        begun = time.monotonic()
        sp.distances(graph, sources, out=folder / "m.zarr", engine=engine)
        matrix_folder.MatrixFolder.write = write
        assert sorted(stored) == list(range(0, 96 * 8, 8)), "every block was stored once"
        runs = {}
        for file in trace.glob("*-begun-*"):
            first, _, rest = file.name.partition("-begun-")
            runs.setdefault(int(first), []).append(rest)
        again = {first for first, places in runs.items() if len(places) > 1}
        assert set(runs) == set(stored)
        assert not again & removed[0], "a block that was stored was computed again"
        assert len(again) <= 4, "no more than the lost node had under way"
        nodes = {place.split("-")[0] for places in runs.values() for place in places}
        assert len(nodes) == 3, nodes
        sp.distances(graph, sources, out=folder / "one.zarr")
        for file in (folder / "one.zarr").iterdir():
            assert file.read_bytes() == (folder / "m.zarr" / file.name).read_bytes()
        print(f"96 blocks complete, equal; {len(again)} begun twice; {time.monotonic() - begun:.1f} s")  # noqa: T201
    finally:
        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
