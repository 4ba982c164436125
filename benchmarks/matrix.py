"""Matrices: many sources, hops, dense graphs, pairs within a cutoff, negative weights, beside other libraries.

Every cell is one question. Ours is asked whole, the least of some rounds; a rival that takes one source at a time, or long, is asked for a sample of
the sources, and its time is scaled to all of them (the table says how many it was asked for). All on the threads that a library can use, of two.
The answers of SciPy, igraph's eccentricities and single counts of hops are compared with ours before a time is told.

    python -m benchmarks.matrix [--only dense sparse …] [--rounds 3] [--chart docs/benchmarks-matrix.svg]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp
from steppe import _core

from . import graphs
from .run import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Row = dict[str, Any]
THREADS = 2


def least(rounds: int, ask: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least time of some rounds, and the answer."""
    best, answer = float("inf"), None
    for _ in range(rounds):
        start = time.perf_counter()
        answer = ask()
        best = min(best, time.perf_counter() - start)
    return best, answer


def row(cell: str, ours: float, rival: str, theirs: float, asked: str = "all", **more: Any) -> Row:
    """Return one line of the table."""
    return {
        "cell": cell,
        "seconds": ours,
        "rival": rival,
        "rival_seconds": theirs,
        "ratio": theirs / ours,
        "asked": asked,
    } | more


def scipy_rows(graph: sp.Graph) -> Any:
    """Return the graph as SciPy takes it."""
    from scipy.sparse import csr_matrix

    n = graph.num_vertices
    weights = np.ones(graph.num_edges) if graph.weights is None else graph.weights.astype(np.float64)
    return csr_matrix((weights, graph.indices, graph.indptr), shape=(n, n))


def same(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    """Raise where two answers differ."""
    real = ours.astype(np.float64)
    if ours.dtype.kind == "i":
        real[ours == sp.UNREACHABLE] = np.inf
    if not np.allclose(real, theirs, rtol=1e-5):
        raise SystemExit("two libraries give different distances")


def same_hops(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two counts of hops are the same, of whatever type they are."""
    near = a != sp.UNREACHABLE
    return np.array_equal(near, b != sp.UNREACHABLE) and np.array_equal(a[near], b[near])


def memory(name: str) -> int:
    """Return what the system tells of this process's memory: bytes it holds (VmRSS), or has held at most (VmHWM)."""
    lines = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return 1024 * int(lines[name].split()[0])


def forget_peak() -> int:
    """Begin to look for the peak anew, whatever was held before, and return what is held now. Linux only."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def fresh(shape: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return a new matrix of int64 that all threads have written to: what the system takes for the memory of an answer, and the writing."""
    made = np.empty(shape, dtype=np.int64)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda line: line.fill(1), made))
    return made


def sources_of_a_sparse_graph(rounds: int) -> Iterator[Row]:
    """1,000 sources of a random graph of 20,000 vertices and 100,000 edges."""
    from scipy.sparse.csgraph import dijkstra

    rng = np.random.default_rng(1)
    u, v, w = *rng.integers(0, 20_000, (2, 100_000)), rng.integers(1, 256, 100_000)
    graph = sp.Graph.from_edges(u, v, w.astype(np.int32), num_vertices=20_000)
    sources = rng.choice(20_000, 1000, replace=False)
    ours, found = least(2 * rounds, lambda: sp.distances(graph, sources, threads=THREADS))
    theirs, other = least(1, lambda: dijkstra(scipy_rows(graph), indices=sources[:100]))
    same(found[:100], other)
    theirs_of_scipy = theirs
    yield row("1,000 sources, 20,000 vertices", ours, "SciPy", theirs * 10, "100 sources")
    if find_spec("igraph"):
        import igraph

        g = igraph.Graph(n=20_000, edges=np.c_[u, v], directed=True)
        theirs, _ = least(1, lambda: g.distances(sources[:20].tolist(), weights=w.tolist()))
        yield row("1,000 sources, 20,000 vertices", ours, "igraph", theirs * 50, "20 sources")
    if find_spec("networkit"):
        import networkit as nk

        nk.setNumberOfThreads(THREADS)
        g = nk.GraphFromCoo((w.astype(float), (u, v)), n=20_000, weighted=True, directed=True)
        theirs, _ = least(1, lambda: nk.distance.SPSP(g, sources[:100].tolist()).run())
        yield row("1,000 sources, 20,000 vertices", ours, "NetworKit", theirs * 10, "100 sources")
    every, _ = least(1, lambda: sum(len(block.sources) for block in sp.distance_blocks(graph, threads=THREADS)))
    yield row("all pairs of it, block by block", every, "SciPy", theirs_of_scipy * 200, "100 sources")


def dense(rounds: int) -> Iterator[Row]:
    """Complete graphs: 1,500 vertices beside SciPy, 4,096 beside the kernel's peak."""
    from scipy.sparse.csgraph import floyd_warshall

    rng = np.random.default_rng(2)
    scipy = None
    for n, dtype in ((1500, "float32"), (1500, "int32"), (1500, "int64"), (1500, "float64"), (4096, "float32")):
        u, v = np.divmod(np.arange(n * n), n)
        w = (rng.random(n * n) * 1000 + 1).astype(dtype)
        graph = sp.Graph.from_edges(u[u != v], v[u != v], w[u != v])
        ours, found = least(rounds, lambda g=graph: sp.all_pairs(g, method="floyd-warshall", threads=THREADS))
        if n == 1500:
            if scipy is None:
                plain = np.where(u == v, 0.0, w.astype(np.float64)).reshape(n, n)
                scipy, other = least(1, lambda p=plain: floyd_warshall(p))
                same(found, other)
            yield row(f"complete, {n:,}, {dtype}", ours, "SciPy", scipy)
            if dtype[0] == "f":
                exact, _ = least(rounds, lambda g=graph: sp.all_pairs(g, threads=THREADS))
                yield row(f"complete, {n:,}, {dtype}, a search's bits", exact, "SciPy", scipy)
        else:
            peak = 2.0 * n**3 / (_core.testing.min_plus_peak(dtype, 20) * THREADS)
            yield row(f"complete, {n:,}, {dtype}", ours, "the kernel's peak", peak)


def hops(rounds: int) -> Iterator[Row]:
    """512 sources of an R-MAT graph of scale 18; eccentricities of a small world of 100,000."""
    base = sp.generate.rmat(18, seed=1)
    graph = sp.Graph.from_csr(base.indptr, base.indices, directed=base.directed)
    sources = np.random.default_rng(0).choice(np.flatnonzero(graph.degrees > 0), 512, replace=False)
    # All 512 single searches, whose answers are held: 512 arrays of int32, 0.5 GB. So is the matrix: 1 GB of int64, or what dtype= makes of it.
    single, alone = least(rounds, lambda: [sp.bfs(graph, int(s), threads=THREADS).distances for s in sources])
    for dtype in ("int64", "int32", "uint8"):
        ours, found = least(2 * rounds, lambda d=dtype: sp.distances(graph, sources, dtype=d, threads=THREADS))
        if not all(same_hops(a, b) for a, b in zip(alone, found, strict=True)):
            raise SystemExit("hops differ")
        yield row(f"hops, R-MAT 18, 512 sources, {dtype}", ours, "bfs, one by one", single)
        del found
        if dtype == "int64":
            filled, _ = least(2 * rounds, lambda: fresh((len(sources), graph.num_vertices)))
            yield row(f"hops, R-MAT 18, 512 sources, {dtype}", ours, "filling fresh memory", filled)
    ours, _ = least(rounds, lambda: sp.distances(graph, sources, reduce="sum", threads=THREADS))
    yield row("their sums alone", ours, "bfs, one by one", single)

    rng, n = np.random.default_rng(1), 100_000
    u = np.repeat(np.arange(n), 5)
    v = (u + np.tile(np.arange(1, 6), n)) % n
    moved = rng.random(len(v)) < 0.1
    v[moved] = rng.integers(0, n, moved.sum())
    world = sp.Graph.from_edges(u, v, directed=False)
    ours, found = least(1, lambda: sp.eccentricity(world, threads=THREADS))
    cell = "eccentricity, small world of 100,000"
    if find_spec("igraph"):
        import igraph

        g = igraph.Graph(n=n, edges=np.c_[u, v])
        theirs, other = least(1, lambda: g.eccentricity(list(range(100))))
        same(found[:100], np.array(other))
        yield row(cell, ours, "igraph", theirs * 1000, "100 vertices")
    if find_spec("networkit"):
        import networkit as nk

        nk.setNumberOfThreads(THREADS)
        g = nk.GraphFromCoo((u, v), n=n, directed=False)
        theirs, _ = least(1, lambda: [nk.distance.Eccentricity.getValue(g, s) for s in range(50)])
        yield row(cell, ours, "NetworKit", theirs * 2000, "50 vertices")


def sparse(rounds: int) -> Iterator[Row]:
    """All pairs of a grid of 90,000 vertices that are within a cutoff: about 400 of each."""
    from scipy.sparse.csgraph import dijkstra

    graph, cutoff = sp.generate.grid(300, 300, seed=1), 1130
    before = forget_peak()
    first, found = least(1, lambda: sp.all_pairs(graph, cutoff=cutoff, sparse=True, threads=THREADS))
    peak = memory("VmHWM") - before
    size = found.data.nbytes + found.indices.nbytes + found.indptr.nbytes
    ours, found = least(rounds, lambda: sp.all_pairs(graph, cutoff=cutoff, sparse=True, threads=THREADS))
    rows = scipy_rows(graph)

    def loop() -> list[Any]:
        answers = (dijkstra(rows, indices=s, limit=cutoff) for s in range(0, 90_000, 90))
        return [(np.flatnonzero(np.isfinite(d)), d[np.isfinite(d)]) for d in answers]

    theirs, other = least(1, loop)
    for s, (places, values) in zip(range(0, 90_000, 90), other, strict=True):
        part = slice(found.indptr[s], found.indptr[s + 1])
        if not (np.array_equal(found.indices[part], places) and np.array_equal(found.data[part], values)):
            raise SystemExit("rows within the cutoff differ")
    yield row(
        "within a cutoff, grid of 90,000",
        min(first, ours),
        "SciPy, limit=",
        theirs * 90,
        "1,000 sources",
        peak=peak / size,
    )


def negative(rounds: int) -> Iterator[Row]:
    """1,000 sources of a graph of 20,000 vertices, a third of whose weights are negative."""
    from scipy.sparse.csgraph import johnson

    rng, n = np.random.default_rng(3), 20_000
    u, v, h = *rng.integers(0, n, (2, 100_000)), rng.integers(-500, 500, n)
    w = rng.integers(1, 300, 100_000) - h[u] + h[v]
    graph = sp.Graph.from_edges(u, v, np.where(w == 0, 1, w).astype(np.int32), num_vertices=n)
    sources = rng.choice(n, 1000, replace=False)
    ours, found = least(rounds, lambda: sp.distances(graph, sources, threads=THREADS))
    one, _ = least(1, lambda: johnson(scipy_rows(graph), indices=sources[:1]))
    many, other = least(1, lambda: johnson(scipy_rows(graph), indices=sources[:101]))
    same(found[:101], other)
    yield row("negative weights, 1,000 sources", ours, "SciPy, johnson", one + (many - one) * 9.99, "101 sources")


def roads(rounds: int) -> Iterator[Row]:
    """Ask for 64 sources of New York to all, and for 500 x 500 pairs: the first time, when the graph is contracted for them, and again."""
    graph = graphs.load("NY", "large") if graphs.exists("NY", "large") else sp.generate.road(250_000)
    rng = np.random.default_rng(5)
    sources, targets = (rng.choice(graph.num_vertices, 500, replace=False) for _ in range(2))
    graph.prepare()
    labels = graph.labels_of(sources), graph.labels_of(targets)
    single, few = least(1, lambda: [sp.sssp(graph, s, threads=1).distances for s in labels[0][:64].tolist()])
    rival = "sssp, one by one"
    ours, found = least(rounds, lambda: sp.distances(graph, labels[0][:64], threads=THREADS))
    yield row("New York, 64 sources to all, by searches", ours, rival, single)
    first, pairs = least(1, lambda: sp.distances(graph, *labels, threads=THREADS))
    yield row("New York, 500 x 500, the first time", first, rival, single / 64 * 500, "64 sources")
    ours, _ = least(rounds, lambda: sp.distances(graph, *labels, threads=THREADS))
    yield row("New York, 500 x 500, again", ours, rival, single / 64 * 500, "64 sources")
    ours, swept = least(rounds, lambda: sp.distances(graph, labels[0][:64], threads=THREADS))
    yield row("New York, 64 sources to all, contracted", ours, rival, single)
    if not (
        np.array_equal(found, few) and np.array_equal(swept, few) and np.array_equal(pairs[:64], swept[:, targets])
    ):
        raise SystemExit("rows differ")


CELLS = {
    "sources": sources_of_a_sparse_graph,
    "dense": dense,
    "hops": hops,
    "sparse": sparse,
    "negative": negative,
    "roads": roads,
}


def chart(rows: list[Row], path: Path) -> None:
    """Draw how many times quicker each question is answered."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    shown = [
        r for r in rows if "peak" not in r["rival"] and "memory" not in r["rival"] and not r["rival"].startswith("our ")
    ][::-1]
    with mpl.rc_context({"svg.hashsalt": "steppe", "svg.fonttype": "none", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(8, 0.32 * len(shown) + 1), layout="constrained")
        bars = axes.barh([f"{r['cell']} : {r['rival']}" for r in shown], [r["ratio"] for r in shown], color="#c8502d")
        axes.bar_label(bars, [f"{r['ratio']:.1f}×" for r in shown], padding=3)
        axes.set_xscale("log")
        axes.set_xlabel(f"times quicker, {THREADS} threads")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(
            path, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")) if path.suffix == ".svg" else None
        )
        plt.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line: JSON lines to standard output, a table to standard error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=CELLS, default=list(CELLS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--rows", type=Path, nargs="*", default=[], help="JSON lines of earlier runs, for the chart")
    given = parser.parse_args(arguments)
    sys.stdout.write(json.dumps({"machine": machine()}) + "\n")
    rows = [r for file in given.rows for r in map(json.loads, file.read_text().splitlines()) if "cell" in r]
    for name in given.only:
        for r in CELLS[name](given.rounds):
            rows.append(r)
            sys.stdout.write(json.dumps(r) + "\n")
            sys.stdout.flush()
            peak = f", peak memory {r['peak']:.2f} of the result" if "peak" in r else ""
            text = f"{r['cell']:<44} {r['seconds']:9.3f} s   {r['rival']:<26} {r['rival_seconds']:9.2f} s   {r['ratio']:6.2f} x  ({r['asked']}{peak})"
            sys.stderr.write(text + "\n")
    if given.chart:
        chart(rows, given.chart)
    return 0


if __name__ == "__main__":
    sys.exit(main())
