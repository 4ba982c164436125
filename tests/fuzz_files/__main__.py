"""The command line: ``python -m fuzz_files``; see the package's docstring."""

import argparse
import multiprocessing
import random
import sys
import time
from pathlib import Path

from . import guided, native, runner

BUILD = Path(__file__).parents[2] / "build" / "fuzz-files"


def _say(words):
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def _files(seed, seconds, runs, jobs, out):
    """One process of the fuzzer of whole files, first of ``jobs``."""
    number, step = jobs
    run = runner.Run(seed, seconds=seconds, runs=runs, first=number, step=step).go()
    out.put((run.done, run.graphs, run.findings))


def fuzz_native(given, seed, seconds):
    """The native parsers; return executions and findings."""
    if not seconds and not given.runs:
        return 0, []
    program, is_guided = native.build(BUILD)
    how = (
        "libFuzzer, guided by coverage"
        if is_guided
        else "random changes without coverage (install clang for libFuzzer)"
    )
    _say(f"native parsers: {how}, AddressSanitizer and UBSan, {given.jobs} at a time")
    begun = time.monotonic()
    runs = given.runs // given.jobs if given.runs else None
    started = [
        native.start(program, BUILD, seed=seed + k, seconds=seconds or None, runs=runs, number=k)
        for k in range(given.jobs)
    ]
    reports = [native.finish(one, program, guided=is_guided) for one in started]
    done = sum(report.done for report in reports)
    _say(f"native parsers: {done} executions, {done / (time.monotonic() - begun):.0f} a second")
    return done, [finding for report in reports for finding in report.findings]


def fuzz_files(given, seed, seconds):
    """Whole files through ``steppe.read``; return executions and findings."""
    if not seconds and not given.runs:
        return 0, []
    _say(f"files of every format: {given.jobs} processes")
    begun = time.monotonic()
    context = multiprocessing.get_context("fork")
    out = context.Queue()
    runs = given.runs // given.jobs if given.runs else 10**12
    workers = [
        context.Process(target=_files, args=(str(seed), seconds or 1e9, runs, (k, given.jobs), out))
        for k in range(given.jobs)
    ]
    for worker in workers:
        worker.start()
    done, graphs, found = 0, 0, {}
    for _ in workers:
        count, good, findings = out.get()
        done, graphs = done + count, graphs + good
        for kind, finding in findings.items():
            if kind in found:
                found[kind].count += finding.count
            else:
                found[kind] = finding
    for worker in workers:
        worker.join()
    _say(
        f"files of every format: {done} executions, {done / (time.monotonic() - begun):.0f} a second; {graphs} gave a graph"
    )
    words = []
    for finding in sorted(found.values(), key=lambda finding: -finding.count):
        if len(words) < given.show:
            runner.minimise(finding)
        words.append(f"{finding}\n    {runner.save(finding, BUILD / 'findings')}")
    return done, words


def main(arguments=None):
    """Run all; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz_files", description="give damaged files to every reader")
    parser.add_argument("--seconds", type=float, default=0, help="how long, in all")
    parser.add_argument("--runs", type=int, default=0, help="how many, of each part, instead")
    parser.add_argument("--seed", default="random", help="a number; the same one makes the same files")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--show", type=int, default=20, help="how many findings to make small")
    parser.add_argument("--part", choices=("all", "native", "files", "guided"), default="all")
    given = parser.parse_args(arguments)
    if not given.seconds and not given.runs:
        given.seconds = 60.0
    seed = random.SystemRandom().randrange(2**31) if given.seed == "random" else int(given.seed)
    _say(f"seed {seed}")
    parts = {"native": fuzz_native, "files": fuzz_files}
    if guided.is_installed():
        parts["guided"] = guided.fuzz
    else:
        _say(
            "Atheris is not installed: files are changed without coverage to go by (pip install steppe[fuzz], CPython 3.11 to 3.13 on Linux)"
        )
    chosen = [part for name, part in parts.items() if given.part in ("all", name)]
    begun, total, findings = time.monotonic(), 0, []
    for part in chosen:
        done, found = part(given, seed, given.seconds / len(chosen))
        total += done
        findings += found
    for finding in findings:
        _say("\nFOUND " + finding)
    _say(
        f"\n{total} executions in {time.monotonic() - begun:.0f} s, {total / (time.monotonic() - begun):.0f} a second, {len(findings)} findings"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
