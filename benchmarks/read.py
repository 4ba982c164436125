"""Reading a weighted edge list into a graph, next to Polars' CSV reader followed by SciPy's coo → csr.

The file: 8 million lines "u v w", whole numbers, 2^20 vertices, about 150 MB, in the page cache. Each side computes:

- steppe: ``sp.read``: parsed, ids checked for gaps, rows built, weights' range and mean known; int32 ids and weights.
- Polars + SciPy: ``pl.read_csv`` into three int64 columns, ``coo_array(...).tocsr()``; this adds up parallel edges.

Both use all cores where they can. Runs are interleaved; the ratios compare best with best and median with median, of
seconds on the clock and of processor seconds (all threads), which say more on a busy machine.
The last table reads the same graph from steppe's other formats.

    python benchmarks/read.py [--lines 8000000] [--rounds 7]
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import scipy
import scipy.sparse as ss

import steppe as sp


def generate(path: Path, lines: int, vertices: int) -> None:
    rng = np.random.default_rng(1)
    columns = {"u": rng.integers(0, vertices, lines), "v": rng.integers(0, vertices, lines)}
    columns["w"] = rng.integers(1, 1 << 14, lines)
    columns["u"][:vertices] = np.arange(vertices)  # every id appears
    pl.DataFrame(columns).write_csv(path, separator=" ", include_header=False)


def by_polars_and_scipy(path: Path, vertices: int) -> ss.csr_array:
    u, v, w = (column.to_numpy() for column in pl.read_csv(path, separator=" ", has_header=False).get_columns())
    return ss.coo_array((w, (u, v)), shape=(vertices, vertices)).tocsr()


def timed(call) -> tuple[float, float, object]:  # noqa: ANN001
    clock, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - clock, time.process_time() - cpu, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=8_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    vertices = min(1 << 20, options.lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edges.wel")
        generate(path, options.lines, vertices)
        size = path.stat().st_size / 1e6
        print(f"{options.lines:,} lines, {size:.0f} MB; polars {pl.__version__}, scipy {scipy.__version__}")

        g, matrix = sp.read(path), by_polars_and_scipy(path, vertices)
        summed = ss.csr_array((g.weights.astype(np.int64), g.indices.copy(), g.indptr.copy()), shape=matrix.shape)
        summed.sum_duplicates()
        assert (summed != matrix).nnz == 0
        del matrix, summed

        runs: dict[str, list[tuple[float, float]]] = {"steppe": [], "polars + scipy": []}
        for _ in range(options.rounds):
            runs["steppe"].append(timed(lambda: sp.read(path))[:2])
            runs["polars + scipy"].append(timed(lambda: by_polars_and_scipy(path, vertices))[:2])
        for k, kind in enumerate(("clock", "processor")):
            ours, theirs = ([run[k] for run in list_of_runs] for list_of_runs in runs.values())
            best, middle = min(theirs) / min(ours), statistics.median(theirs) / statistics.median(ours)
            for name, seconds in zip(runs, (ours, theirs), strict=True):
                print(f"{kind:9} {name:16} best {min(seconds):.3f} s  median {statistics.median(seconds):.3f} s")
            print(f"{kind:9} steppe is {best:.2f} times as fast by the best, {middle:.2f} by the median")

        for suffix in (".gr", ".mtx", ".csv.gz", ".npz", ".wsg", ".steppe"):
            other = Path(folder, "edges" + suffix)
            write_seconds = timed(lambda other=other: sp.write(g, other))[0]
            read_seconds, _, h = timed(lambda other=other: sp.read(other))
            assert np.array_equal(h.weights, g.weights)
            size = other.stat().st_size / 1e6
            print(f"{suffix:8} {size:4.0f} MB, written in {write_seconds:.3f} s, read in {read_seconds:.4f} s")


if __name__ == "__main__":
    main()
