"""Reading tables as people have them: a CSV of numbers, a CSV of names, and Parquet.

- names: 1 million rows "place 17,place 4,3.5" with a heading, 200,000 names; beside it ``pandas.read_csv`` and ``Graph.from_edges(…, relabel=True)``,
  and the same with two attributes (``attributes=``) beside ``pandas.read_csv`` and ``Graph.from_frame``. The graphs are compared first.
- numbers: 27 million rows of whole numbers with a heading, 549 MB; also with the weight as an attribute, which takes the reader of tables.
- parquet: 50 million edges in row groups of 2^20, 5 million vertices in no order, as pyarrow and as Polars
  write them.

Files are made once in a folder, then each part is timed on its own, from the page cache, interleaved, in seconds on the clock.

    python benchmarks/tables.py make FOLDER
    python benchmarks/tables.py names|numbers|parquet FOLDER [--rounds 5]
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import steppe as sp


def make(folder: Path) -> None:
    rng = np.random.default_rng(1)
    u, v = (pl.Series(rng.integers(0, 200_000, 1_000_000)) for _ in range(2))
    names = {"source": "place " + u.cast(pl.String), "target": "place " + v.cast(pl.String)}
    numbers = {name: rng.integers(1, 10_000, 1_000_000) / 8 for name in ("weight", "km", "toll")}
    pl.DataFrame(names | {"weight": numbers["weight"]}).write_csv(folder / "names.csv")
    pl.DataFrame(names | numbers).write_csv(folder / "more.csv")
    m, n = 27_000_000, 4_000_000
    columns = {"source": rng.integers(0, n, m), "target": rng.integers(0, n, m), "weight": rng.integers(1, 10_000, m)}
    pl.DataFrame(columns).write_csv(folder / "numbers.csv")
    m, n = 50_000_000, 5_000_000
    kinds = {"source": n, "target": n, "weight": 256}
    columns = {name: rng.integers(0, high, m, dtype=np.int32) for name, high in kinds.items()}
    pl.DataFrame(columns).write_parquet(folder / "polars.parquet", row_group_size=1 << 20)  # zstd
    pq.write_table(pa.table(columns), folder / "pyarrow.parquet", row_group_size=1 << 20)  # snappy
    for path in sorted(folder.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB")


def timed(calls: dict, rounds: int) -> None:
    """Print the least and the median time of each call, in turns."""
    runs: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            result = call()
            runs[name].append(time.perf_counter() - begun)
            del result
    first = next(iter(runs))
    for name, seconds in runs.items():
        ratio = statistics.median(seconds) / statistics.median(runs[first])
        print(
            f"{name:44} best {min(seconds):.3f} s  median {statistics.median(seconds):.3f} s  {ratio:.1f} times the first"
        )


def same(a: sp.Graph, b: sp.Graph) -> None:
    assert np.array_equal(a.indptr, b.indptr)
    assert np.array_equal(a.indices, b.indices)
    assert np.array_equal(a.weights, b.weights)
    assert (a.labels is None and b.labels is None) or np.array_equal(a.labels, b.labels)


def names(folder: Path, rounds: int) -> None:
    plain, more = folder / "names.csv", folder / "more.csv"

    def by_pandas() -> sp.Graph:
        table = pd.read_csv(plain)
        return sp.Graph.from_edges(table["source"], table["target"], table["weight"], relabel=True)

    def by_frame() -> sp.Graph:
        return sp.Graph.from_frame(pd.read_csv(more), "source", "target", "weight", attributes=["km", "toll"])

    def attributes() -> sp.Graph:
        return sp.read(more, weight="weight", attributes=["km", "toll"])

    same(sp.read(plain), by_pandas())
    same(attributes(), by_frame())
    assert np.array_equal(attributes().attribute("toll"), by_frame().attribute("toll"))
    timed({"names: sp.read": lambda: sp.read(plain), "names: pd.read_csv, from_edges": by_pandas}, rounds)
    timed({"with attributes: sp.read": attributes, "with attributes: pd.read_csv, from_frame": by_frame}, rounds)


def numbers(folder: Path, rounds: int) -> None:
    path = folder / "numbers.csv"
    calls = {
        "numbers: sp.read": lambda: sp.read(path),
        "numbers: sp.read(attributes=)": lambda: sp.read(path, weight=False, attributes=["weight"]),
    }
    timed(calls, rounds)


def parquet(folder: Path, rounds: int) -> None:
    files = {f"parquet of {writer}: sp.read": folder / f"{writer}.parquet" for writer in ("pyarrow", "polars")}
    begun = time.perf_counter()
    sp.read(next(iter(files.values())))
    print(f"first call {time.perf_counter() - begun:.2f} s")
    timed({name: lambda path=path: sp.read(path) for name, path in files.items()}, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["make", "names", "numbers", "parquet"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.part == "make":
        make(options.folder)
    else:
        globals()[options.part](options.folder, options.rounds)


if __name__ == "__main__":
    main()
