"""A program in which many Python threads make every call on the same graphs at once; each answer is compared with one made alone.

    python callers.py THREADS CALLS SEED

It says how many calls were made; a hang is for the caller's time-out to see.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import calls
from calls import KINDS, NO_CORE


def main(threads, count, seed):
    calls.small()
    work = []
    for kind, table in [*KINDS.items(), ("random", NO_CORE)]:
        rows = calls.arrays(kind)
        shared = calls.fresh(rows)  # built on first use, by whoever comes first
        work += [(name, call, shared, call(calls.fresh(rows))) for name, call in table.items()]
    order = np.random.default_rng(seed).integers(0, len(work), count)

    def make(which):
        name, call, graph, expected = work[which]
        assert calls.same(call(graph), expected), name

    with ThreadPoolExecutor(threads) as pool:
        print(sum(1 for _ in pool.map(make, order)))  # noqa: T201


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
