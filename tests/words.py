"""Check every word of the dialect on a given device: many threads, few cells.

Plain functions, because they run in three places: in pytest on PoCL or a GPU, in a process under Oclgrind, and in one
with the stand-in CUDA driver.
"""

from pathlib import Path

import numpy as np

KERNELS = Path(__file__).parent / "kernels"


def _chain(old, final):
    """Whether `old` values are those of one atomic counter: 0, step, 2 step ... each once."""
    step = abs(int(final)) // len(old)
    assert abs(int(final)) == step * len(old)
    assert sorted(abs(int(x)) for x in old) == [step * k for k in range(len(old))]


def _cas(old, final):
    """Every thread tries i -> i + 1 on one cell: the successes (the old value was i) are exactly 0 … final - 1."""
    won = np.flatnonzero(old == np.arange(len(old), dtype=old.dtype))
    assert final >= 1
    assert won.tolist() == list(range(int(final)))


def check_atomics(device, file, kernel, dtype, n):
    """Old values and final cells of CAS ADD MIN MAX EXCH OR."""
    program = device.program(KERNELS / file, block=64)
    info = np.iinfo(dtype)
    cells = device.upload(np.array([0, 0, info.max, info.min, info.max, 0], dtype))
    old = device.alloc(6 * n, dtype)
    device.launch(program, kernel, n, cells, old, n)
    cas, add, low, high, swap, bits = device.download(old).reshape(6, n)
    final = device.download(cells)
    _cas(cas, final[0])
    _chain(add, final[1])
    i = np.arange(n)
    unsigned = info.min == 0
    if info.bits == 32:
        tried = ((n - i) + 4000000000, i + 4000000000) if unsigned else (-i, i - 10)
        width = 32 if unsigned else 31
    else:
        tried = ((n - i) << 40, i << 40) if unsigned else (-i * 2**40, (i - 10) * 2**40)
        width = 64 if unsigned else 63
    assert int(final[2]) == int(tried[0].min())
    assert int(final[3]) == int(tried[1].max())
    # MIN and MAX: an old value is the start value or one that improved on it at the time.
    for olds, all_tried, start, better in ((low, tried[0], info.max, np.less), (high, tried[1], info.min, np.greater)):
        values = all_tried.astype(dtype)
        improved = better(values, olds)
        chain = {int(start)} | {int(v) for v in values[improved]}
        assert {int(x) for x in olds} <= chain
        seen = [int(x) for x in olds[improved]]
        assert len(seen) == len(set(seen))  # no two replaced the same value: nothing was lost
    assert sorted([*map(int, swap), int(final[4])]) == sorted([*range(n), int(info.max)])  # EXCH loses nothing either
    assert int(final[5]) == sum(1 << b for b in range(min(width, n)))
    first = [k for k in range(n) if not (int(bits[k]) >> (k % width)) & 1]
    assert len(first) == min(width, n)  # exactly one thread found each bit unset


def check_local_atomics(device, file, unsigned, signed, *, rounds=3, block=64):
    """The same words in a block's own memory."""
    program = device.program(KERNELS / file, block=block)
    groups = 4
    u, s = device.alloc(6 * groups, unsigned), device.alloc(6 * groups, signed)
    device.launch(program, "atomics_local", groups * block, u, s, rounds)
    n = rounds * block
    bits = np.iinfo(unsigned).bits
    for row in device.download(u).reshape(groups, 6).tolist():
        low, high = (
            (4000000000 - (n - 1), 4000000000 + n - 1) if bits == 32 else ((1 << 50) - ((n - 1) << 32), (n - 1) << 32)
        )
        assert 1 <= row[0] <= n
        assert row[1:] == [3 * n, low, high, 77, (1 << min(bits, n)) - 1]
    for row in device.download(s).reshape(groups, 6).tolist():
        low, high = (-(n - 1), n - 1 - 50000) if bits == 32 else (-((n - 1) << 32), -5)
        assert 1 <= row[0] <= n
        assert row[1:] == [-3 * n, low, high, -77, (1 << min(bits - 1, n)) - 1]


def check_racing(device, file, dtype, n):
    """LOAD and STORE: values come out whole."""
    program = device.program(KERNELS / file, block=64)
    signed = np.dtype(dtype.name[1:])
    cell, other, seen = device.alloc(1, dtype, fill=0), device.alloc(1, signed, fill=0), device.alloc(n, dtype)
    device.launch(program, "racing", n, cell, other, seen, n)
    ones = int(np.iinfo(dtype).max) // 255
    assert set(device.download(seen).tolist()) <= {k * ones for k in range(7)}


def check_ids(device, block=64, groups=5):
    """GLOBAL_ID and its relatives."""
    program = device.program(KERNELS / "words.c", block=block)
    n = block * groups
    a, b, c = device.alloc(n, np.int64), device.alloc(n, np.int32), device.alloc(n, np.int32)
    sizes = device.alloc(3, np.int64)
    device.launch(program, "ids", n, a, b, c, sizes)
    assert device.download(a).tolist() == list(range(n))
    assert device.download(b).tolist() == list(range(block)) * groups
    assert device.download(c).tolist() == np.repeat(range(groups), block).tolist()
    assert device.download(sizes).tolist() == [n, block, groups]


def check_keys(device, n=500):
    """Keys sort as their values do, and come back unchanged."""
    rng = np.random.default_rng(1)
    program = device.program(KERNELS / "words.c", block=64)
    i = np.sort(np.concatenate([rng.integers(-(2**31), 2**31, n - 3), [-(2**31), 0, 2**31 - 1]])).astype(np.int32)
    wide = rng.integers(-(2**63), 2**63 - 1, n - 3, endpoint=True)
    wide = np.sort(np.concatenate([wide, np.array([-(2**63), 0, 2**63 - 1])]))
    f = np.concatenate(
        [rng.standard_normal(n - 6) * 10.0 ** rng.integers(-38, 38, n - 6), [0, 1e-45, -1e-45, 1, np.inf, -np.inf]]
    )
    f = np.sort(f.astype(np.float32))
    out = [device.alloc(n, t) for t in (np.uint32, np.uint64, np.uint32, np.uint32, np.uint32)]
    device.launch(program, "keys", n, device.upload(i), device.upload(wide), device.upload(f), *out, n)
    ik, lk, fk, fb, same = map(device.download, out)
    assert same.all()
    assert np.array_equal(fb, f.view(np.uint32))
    for values, keys in ((i, ik), (wide, lk), (f, fk)):
        assert np.array_equal(values[1:] > values[:-1], keys[1:] > keys[:-1])
        assert (keys[1:] >= keys[:-1]).all()


def check_keys64(device, n=500):
    """The same for doubles."""
    rng = np.random.default_rng(2)
    program = device.program(KERNELS / "words64.c", block=64)
    f = rng.standard_normal(n - 6) * 10.0 ** rng.integers(-300, 300, n - 6)
    f = np.sort(np.concatenate([f, [0, 5e-324, -5e-324, 1, np.inf, -np.inf]]))
    out = [device.alloc(n, t) for t in (np.uint64, np.uint64, np.uint32)]
    device.launch(program, "keys", n, device.upload(f), *out, n)
    fk, fb, same = map(device.download, out)
    assert same.all()
    assert np.array_equal(fb, f.view(np.uint64))
    assert np.array_equal(f[1:] > f[:-1], fk[1:] > fk[:-1])


def check_blocks(device, block):
    """Scan, sum, minimum and maximum of a block, for full and odd block sizes."""
    program = device.program(KERNELS / "words.c", block=block)
    groups = 4
    values = np.random.default_rng(3).integers(0, 1000, groups * block).astype(np.uint32)
    scan, totals = device.alloc(values.size, np.uint32), device.alloc(4 * groups, np.uint32)
    sums = device.alloc(2 * groups, np.uint64)
    device.launch(program, "blocks", values.size, device.upload(values), scan, totals, sums)
    rows = values.reshape(groups, block).astype(np.int64)
    assert np.array_equal(device.download(scan).reshape(groups, block), rows.cumsum(axis=1) - rows)
    expected = np.stack([rows.sum(1), rows.sum(1), rows.min(1), rows.max(1)], axis=1)
    assert np.array_equal(device.download(totals).reshape(groups, 4), expected)
    assert np.array_equal(device.download(sums).reshape(groups, 2), np.stack([rows.sum(1), rows.min(1)], axis=1) << 32)


def check_wide(device, n=20_000, groups=3):
    """Counts of 64 bits in two cells: what many threads add, with carries, in global and in local memory."""
    program = device.program(KERNELS / "words.c", block=64)
    cells, of_blocks = device.alloc(2, np.uint32, fill=0), device.alloc(groups, np.uint64)
    device.launch(program, "wide", 64 * groups, cells, of_blocks, n)
    total = sum((i << 20) + 1 for i in range(n))
    low, high = device.download(cells).tolist()
    assert low + (high << 32) == total > 2**32
    assert sum(device.download(of_blocks).tolist()) == total


def check_bytes(device, n=1003):
    """u8 cells written side by side do not disturb each other."""
    out = device.alloc(n, np.uint8, fill=255)
    device.launch(device.program(KERNELS / "words.c", block=64), "bytes", n, out, n)
    assert np.array_equal(device.download(out), np.arange(n) % 251)


def check_types(device, weight, dist, signed, n=300):
    """TO_KEY, FROM_KEY, KEY_INF, EXTEND, MIN_KEY, CAS_KEY, EXCH_KEY for one combination of types."""
    from steppe.gpu.keys import Keys
    from steppe.gpu.source import TYPES, key_type

    rng = np.random.default_rng(4)
    program = device.program(KERNELS / "typed.c", weight=weight, dist=dist, signed=signed, block=64)
    low = -1000 if signed else 0
    w = (rng.integers(low, 1000, n) * (1 if weight[0] == "i" else 0.37)).astype(TYPES[weight])
    d = (rng.integers(low, 10**6, n) * (1 if weight[0] == "i" else 0.11)).astype(TYPES[dist])
    d[0] = 0
    key = TYPES[key_type(dist)]
    inf = device.alloc(3, key, fill=0)
    device.launch(program, "infinity", 1, inf)
    infinity = device.download(inf)
    assert infinity.tolist() == [infinity[0], infinity[0], 0]
    assert int(infinity[0]) == Keys(weight, dist, signed).infinity  # which the host writes
    cell = device.upload(infinity[:1].copy())
    keys, back = device.alloc(n, key), device.alloc(n, TYPES[dist])
    device.launch(program, "relax", n, device.upload(w), device.upload(d), cell, keys, back, n)
    sums = d + w.astype(TYPES[dist])
    assert np.array_equal(device.download(back), sums)
    k = device.download(keys)
    assert np.array_equal(np.argsort(k, kind="stable"), np.argsort(sums, kind="stable"))
    assert (k < infinity[0]).all()
    assert device.download(cell)[0] == k.min()


def check_all(device, n=20000):
    """Every check above."""
    from steppe.gpu.source import COMBINATIONS

    check_ids(device)
    check_bytes(device)
    check_wide(device, n)
    check_keys(device)
    for block in (64, 37, 1):
        check_blocks(device, block)
    check_atomics(device, "words.c", "atomics_u32", np.dtype(np.uint32), n)
    check_atomics(device, "words.c", "atomics_i32", np.dtype(np.int32), n)
    check_local_atomics(device, "words.c", np.uint32, np.int32)
    check_racing(device, "words.c", np.dtype(np.uint32), n)
    if device.info.has_atomic_64 and device.info.has_f64:
        check_keys64(device)
        check_atomics(device, "words64.c", "atomics_u64", np.dtype(np.uint64), n)
        check_atomics(device, "words64.c", "atomics_i64", np.dtype(np.int64), n)
        check_local_atomics(device, "words64.c", np.uint64, np.int64)
        check_racing(device, "words64.c", np.dtype(np.uint64), n)
    for weight, dist, signed in COMBINATIONS:
        if (dist != "f64" or device.info.has_f64) and (dist[1:] != "64" or device.info.has_atomic_64):
            check_types(device, weight, dist, signed)
