"""The command line of the fuzzer: ``python -m fuzz``; see the package's docstring."""

import argparse
import os
import random
import sys

import steppe as sp

from .parts import MIX, NAMES
from .runner import PATIENCE, Run


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="ask steppe every pair of options, and compare")
    parser.add_argument("--seconds", type=float, default=10**9, help="how long")
    parser.add_argument("--graphs", type=int, default=10**12, help="how many graphs, of 10 to 60 questions each")
    parser.add_argument("--seed", default="random", help="any word; the same one asks the same questions")
    parser.add_argument("--first", type=int, default=0, help="number of the first graph")
    parser.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    )
    parser.add_argument(
        "--no-device", action="store_true", help="leave out OpenCL devices, which else answer for one graph in 200"
    )
    parser.add_argument("--part", choices=NAMES, action="append", help="ask this part alone; may be given again")
    parser.add_argument("--show", type=int, default=20, help="how many failures to make small and print")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds after which a question hangs")
    given = parser.parse_args()
    if given.seconds == 10**9 and given.graphs == 10**12:
        parser.error("give --seconds or --graphs")
    device = not given.no_device and any(d.kind == "opencl" and d.available for d in sp.devices())
    seed = f"{random.SystemRandom().randrange(2**32)}" if given.seed == "random" else given.seed
    sys.stdout.write(f"seed {seed}, {given.workers} workers, {'with' if device else 'without'} an OpenCL device\n")
    sys.stdout.flush()
    run = Run(
        seed, workers=given.workers, graphs=given.graphs, seconds=given.seconds, device=device,
        patience=given.patience, first=given.first, parts=tuple(given.part or MIX),
    )  # fmt: skip
    report = run.go(given.show)
    for program in report.programs:
        sys.stdout.write("\n" + program)
    sys.stdout.write("\n" + report.summary() + "\n")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
