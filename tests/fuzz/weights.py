"""Weights: at the ends of every type, where sums leave it, where floats round or lose something."""

import sys
from math import inf

import numpy as np

DTYPES = (None, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
FAMILIES = ("tiny", "small", "any", "2^31", "2^32", "2^53", "2^62", "2^63", "mixed", "negative", "cycles")
"""What kind of numbers; every dtype has its own idea of each."""

INTEGERS = {
    "tiny": (0, 1, 2, 3),
    "small": tuple(range(21)),
    "2^31": (0, 1, 2**29, 2**30 - 1, 2**30, 2**31 - 3, 2**31 - 2, 2**31 - 1),
    "2^32": (0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**33),
    "2^53": (0, 1, 2**32, 2**52, 2**53 - 1, 2**53, 2**53 + 1),
    "2^62": (0, 1, 2**61, 2**62 - 2, 2**62 - 1, 2**62, 2**62 + 1),
    "2^63": (0, 1, 2, 2**62, 2**63 - 4, 2**63 - 3, 2**63 - 2, 2**63 - 1),
    "mixed": (0, 1, 2, 7, 100, 127, 255, 2**15 - 1, 2**16 - 1, 2**31 - 1, 2**32, 2**53, 2**62, 2**63 - 2),
    "negative": (-3, -2, -1, 0, 1, 2, 3, 5, 8, 13, 2**31 - 1),
    "cycles": (-(2**31), -(2**62), -5, -1, 0, 1, 4, 2**31 - 1, 2**62),
}


def draw(rng, family, dtype, count):
    """Return so many weights as Python numbers that the type holds exactly, None for no type."""
    if dtype is None:
        return [None] * count
    if dtype.startswith("float"):
        return [rounded(w, dtype) for w in _floats(rng, family, dtype, count)]
    limits = np.iinfo(dtype)
    low, high = int(limits.min), min(int(limits.max), 2**63 - 1)
    if family == "any":
        top = rng.choice((high, min(high, 1000), min(high, 2**28), min(high, 2**31 - 1)))
        return [rng.choice((rng.randint(0, top), 0, 1, top)) for _ in range(count)]
    pool = [w for w in INTEGERS[family] if low <= w <= high]
    if max(pool) < INTEGERS[family][-1]:  # the type is too small for this family: its own end instead
        pool += [high - 1, high]
    if low < 0 and family == "cycles":
        pool.append(low)
    if family in ("2^31", "2^62", "2^63", "negative", "cycles") and rng.random() < 0.5:
        pool += [w for w in pool if 0 <= w <= 13] * 3  # a few nasty ones among plain ones
    return [rng.choice(pool) for _ in range(count)]


def _floats(rng, family, dtype, count):
    info = np.finfo(dtype)
    largest, least, smallest = float(info.max), float(info.tiny), float(info.smallest_subnormal)
    eps = float(info.eps)
    pools = {
        "tiny": (0.0, -0.0, 1.0, 2.0, 0.5),
        "small": (0.1, 0.2, 0.3, 0.7, 1.1, 1e-3, 3.3),
        "2^31": (smallest, 2 * smallest, least, least - smallest, 0.0, -0.0),  # subnormal
        "2^32": (1.0, eps, eps / 2, eps / 4, 1e-30, 1.0 + eps, 0.0),  # lost in rounding
        "2^53": (2.0**24, 2.0**53, 1.0, 2.0**24 + 2, 3.0, 0.5),
        "2^62": (1e300, 1e-300, 1e38, 1e-38, 1.0, 0.0, largest / 3),
        "2^63": (largest, largest / 2, largest * (1 - eps), eps * largest, 1.0, 0.0, -0.0),  # sums overflow
        "mixed": (inf, 0.0, -0.0, 1.0, 0.1, smallest, largest, least, 1e-30, inf, 16777216.0, sys.float_info.max),
    }
    if family == "any":
        scale = 10.0 ** rng.choice((-300, -38, -3, 0, 0, 3, 37, 300))
        return [rng.random() * scale for _ in range(count)]
    if family in ("negative", "cycles"):  # quarters: their sums are exact
        low = -2 if family == "negative" else -8
        return [0.25 * rng.randint(low * (rng.random() < 0.3), 40) for _ in range(count)]
    return [rng.choice(pools[family]) for _ in range(count)]


def rounded(w, dtype):
    """The nearest number of the type."""
    with np.errstate(over="ignore"):
        value = float(np.dtype(dtype).type(w))
    return float(np.finfo(dtype).max) if value == inf != w else value
