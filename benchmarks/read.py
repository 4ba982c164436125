"""Reading a weighted edge list into a graph, next to Polars' CSV reader followed by SciPy's coo → csr.

The file: 8 million lines "u v w", whole numbers, 2^20 vertices, about 150 MB, in the page cache. Each side computes:

- steppe: ``sp.read``: parsed, ids checked for gaps, rows built, weights' range and mean known; int32 ids and weights.
- Polars + SciPy: ``pl.read_csv`` into three int64 columns, ``coo_array(...).tocsr()``; this adds up parallel edges.

Both use all cores where they can. Runs are interleaved; the ratios compare best with best and median with median.
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


def timed(call) -> tuple[float, object]:  # noqa: ANN001
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


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

        times: dict[str, list[float]] = {"steppe": [], "polars + scipy": []}
        for _ in range(options.rounds):
            times["steppe"].append(timed(lambda: sp.read(path))[0])
            times["polars + scipy"].append(timed(lambda: by_polars_and_scipy(path, vertices))[0])
        for name, seconds in times.items():
            print(f"{name:16} best {min(seconds):.3f} s  median {statistics.median(seconds):.3f} s")
        ours, theirs = times.values()
        best, middle = min(theirs) / min(ours), statistics.median(theirs) / statistics.median(ours)
        print(f"steppe is {best:.2f} times as fast by the best, {middle:.2f} by the median")

        for suffix in (".gr", ".mtx", ".csv.gz", ".npz", ".wsg", ".steppe"):
            other = Path(folder, "edges" + suffix)
            write_seconds, _ = timed(lambda other=other: sp.write(g, other))
            read_seconds, h = timed(lambda other=other: sp.read(other))
            assert np.array_equal(h.weights, g.weights)
            size = other.stat().st_size / 1e6
            print(f"{suffix:8} {size:4.0f} MB, written in {write_seconds:.3f} s, read in {read_seconds:.4f} s")


if __name__ == "__main__":
    main()
