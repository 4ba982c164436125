"""A program that lets the n-th allocation of the core fail, for n = 1, 2, 3 … until the call succeeds without that; see shim.cpp.

    LD_PRELOAD=shim.so python allocations.py MOST CALL …

Each failure must be a MemoryError (or be made good: fewer threads), and the same graph must then answer rightly. Where a call makes more than
MOST allocations (0: however many), the first half of them fail and as many others, chosen by chance with a fixed seed. It prints for each
call how many allocations failed and how many of these came out as MemoryError.
"""

import ctypes
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import calls
from calls import KINDS

shim = ctypes.CDLL(None)
shim.faults_arm.argtypes = [ctypes.c_long]
shim.faults_disarm.restype = shim.faults_seen.restype = ctypes.c_long


def sweep(call, rows, most):
    expected = call(calls.fresh(rows))
    graph = calls.fresh(rows)
    if not shim.faults_arm(0):
        raise SystemExit("the shim does not find the core")
    call(graph)
    shim.faults_disarm()
    count = shim.faults_seen()
    chosen = None
    if most and count > most:
        chosen = sorted({*range(1, most // 2), *random.Random(1).sample(range(1, count), most // 2)})  # noqa: S311
    failed = errors = n = 0
    while chosen is None or chosen:
        n = n + 1 if chosen is None else chosen.pop(0)
        graph, found, raised = calls.fresh(rows), None, False
        shim.faults_arm(n)
        try:
            found = call(graph)
        except MemoryError:
            raised = True
        fired = shim.faults_disarm()
        assert fired or not raised, "MemoryError, but nothing failed"
        assert raised or calls.same(found, expected), f"allocation {n}: wrong answer"
        assert calls.same(call(graph), expected), f"allocation {n}: wrong answer afterwards"
        failed, errors = failed + fired, errors + raised
        if not fired and chosen is None:
            break
    return failed, errors


def main(most, names):
    calls.small()
    known = {name: (call, kind) for kind, table in KINDS.items() for name, call in table.items()}
    for name in names or known:
        call, kind = known[name]
        print(f"{name}: ", end="", flush=True)  # noqa: T201
        print(*sweep(call, calls.arrays(kind), most), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
