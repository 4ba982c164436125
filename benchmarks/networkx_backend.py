"""NetworkX with ``backend="steppe"`` beside NetworkX alone; answers must be equal.

``python -m benchmarks.networkx_backend [dijkstra] [closeness] [diameter] [import]``. NetworkX's closeness and diameter of 20,000 vertices take
minutes: they are timed on a sample of the nodes and multiplied, which its loop over the nodes allows.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import steppe as sp


def graph(vertices: int, edges: int, *, weights: bool) -> Any:
    rng = np.random.default_rng(1)
    made = nx.Graph()
    made.add_nodes_from(range(vertices))
    u, v = rng.integers(0, vertices, (2, edges)).tolist()
    made.add_edges_from(zip(range(vertices), [*range(1, vertices), 0], strict=True), weight=50.5)  # connected
    if weights:
        made.add_weighted_edges_from(zip(u, v, (rng.random(edges) * 100).tolist(), strict=True))
    else:
        made.add_edges_from(zip(u, v, strict=True))
    return made


def seconds(call: Any, repeats: int = 1) -> tuple[float, Any]:
    best, result = float("inf"), None
    for _ in range(repeats):
        begun = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - begun)
    return best, result


def dijkstra() -> None:
    made = graph(200_000, 800_000, weights=True)
    print(f"{len(made):,} nodes, {made.number_of_edges():,} edges")
    theirs, want = seconds(lambda: nx.single_source_dijkstra_path_length(made, 0))
    first, got = seconds(lambda: nx.single_source_dijkstra_path_length(made, 0, backend="steppe"))
    assert got == want
    cached, got = seconds(lambda: nx.single_source_dijkstra_path_length(made, 0, backend="steppe"), 7)
    assert got == want
    read, _ = seconds(lambda: sp.Graph.from_networkx(made), 2)
    print(
        f"single_source_dijkstra_path_length: NetworkX {theirs:.3f} s, with conversion {first:.3f} s ({theirs / first:.1f}×),"
    )
    print(f"  converted before {cached:.4f} s ({theirs / cached:.1f}×); from_networkx {read:.3f} s")


def _measure(name: str, sampled: Any) -> None:
    made = graph(20_000, 80_000, weights=False)
    sample = range(0, len(made), 400)
    one, want = seconds(lambda: [sampled(made, node) for node in sample])
    theirs = one * len(made) / len(sample)
    ours, got = seconds(lambda: getattr(nx, name)(made, backend="steppe"))
    if name == "closeness_centrality":
        assert [got[node] for node in sample] == want
    else:
        assert got >= max(want)
    print(
        f"{name}, {len(made):,} nodes, {made.number_of_edges():,} edges: NetworkX {theirs:.0f} s, steppe {ours:.2f} s ({theirs / ours:.0f}×)"
    )


def closeness() -> None:
    _measure("closeness_centrality", nx.closeness_centrality)


def diameter() -> None:
    _measure("diameter", nx.eccentricity)


def imports() -> None:
    """Time what `import networkx` costs more because of us: our part of it alone, from a folder as a wheel leaves it, in a new process."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(Path(__file__).parents[1] / "src" / "_steppe_networkx", folder / "_steppe_networkx")
    code = "import time; t = time.perf_counter(); import _steppe_networkx as s; s.get_info(); print(time.perf_counter() - t)"
    spent = [
        float(subprocess.check_output([sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(folder)}))
        for _ in range(9)
    ]
    shutil.rmtree(folder)
    print(f"import networkx: {min(spent) * 1000:.2f} ms more (median {np.median(spent) * 1000:.2f})")


if __name__ == "__main__":
    nx.config.warnings_to_ignore.add("cache")
    parts = {"dijkstra": dijkstra, "closeness": closeness, "diameter": diameter, "import": imports}
    for part in sys.argv[1:] or parts:
        parts[part]()
