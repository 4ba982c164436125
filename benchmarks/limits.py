"""The machine's limits beside a time: what a search would take if memory were its only cost.

A method that looks at every edge once reads m edges in order (8 bytes each: end and weight) and one distance per edge at
random (an array of 4n bytes). ``limit_ns`` is that, per edge, from figures measured on this machine now (cpp/base/limits.hpp). It
leaves out the queue, the writes, every second look at an edge, and arithmetic, so a share of 100 % is out of reach for such
a method; one that need not look at all edges (pull, bidirectional) can pass it.
"""

from __future__ import annotations

from functools import cache

from steppe import _core


@cache
def random_ns(bytes_: int, threads: int) -> float:
    """Return nanoseconds per independent random 4-byte read in an array of this size."""
    return _core.testing.random_read_ns(bytes_, 500_000, threads, 15) / threads


@cache
def sequential_ns(threads: int) -> float:
    """Return nanoseconds per byte read in order from an array beyond the caches."""
    return _core.testing.sequential_read_ns(1 << 28, threads, 5)


def limit_ns(vertices: int, threads: int, *, bytes_per_edge: int = 8) -> float:
    """Return the least nanoseconds per edge for a method that looks at every edge once."""
    return random_ns(4 * vertices, threads) + bytes_per_edge * sequential_ns(threads)


def main() -> None:
    """Print a table of the limits."""
    for threads in (1, 2):
        print(f"{threads} thread(s): {1 / sequential_ns(threads):.1f} GB/s in order")
        for megabytes in (1, 4, 16, 64, 256):
            ns = random_ns(megabytes << 20, threads)
            print(f"  {megabytes:4} MB: {ns:6.2f} ns per random read, {1e3 / ns:.0f} M/s")


if __name__ == "__main__":
    main()
