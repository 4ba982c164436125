"""Builds ``native.cpp`` and runs it: under libFuzzer where clang is, else with ``driver.cpp``, which has no coverage to go by."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .mutate import WORDS
from .seeds import HAND_WRITTEN, LDBC

HERE = Path(__file__).parent
FLAGS = ["-std=c++20", "-g1", "-pthread", "-fno-sanitize-recover=all", f"-I{HERE.parents[1] / 'cpp'}"]


def build(folder, *, guided=True, quick=False):
    """Compile; return the program, and whether coverage guides it. ``quick``: in a third of the time, for a few runs."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    clang = shutil.which(os.environ.get("CLANG", "clang++")) if guided else None
    sources = [HERE / "native.cpp"] if clang else [HERE / "native.cpp", HERE / "driver.cpp"]
    program = folder / ("guided" if clang else "driven")
    parts = [*sources, HERE / "naive.hpp", *(HERE.parents[1] / "cpp").glob("*/*.hpp")]
    if program.exists() and program.stat().st_mtime > max(part.stat().st_mtime for part in parts):
        return program, clang is not None
    compiler = [clang] if clang else shlex.split(os.environ.get("CXX", "c++"))
    checks = ",".join(["fuzzer"] * bool(clang) + ["address"] + ["undefined"] * (not quick))
    made = program.with_suffix(f".{os.getpid()}")
    command = [
        *compiler,
        *FLAGS,
        "-O0" if quick else "-O2",
        f"-fsanitize={checks}",
        *map(str, sources),
        "-o",
        str(made),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and clang:
        sys.stdout.write(f"clang cannot build the harness, so coverage does not guide it:\n{done.stderr[-800:]}\n")
        return build(folder, guided=False, quick=quick)
    if done.returncode:
        raise RuntimeError(f"the harness does not compile: {shlex.join(command)}\n{done.stderr[-3000:]}")
    made.replace(program)
    return program, clang is not None


def write_corpus(folder):
    """The first texts: every seed of a text format, under a few choices of parser, table, weights and cuts."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {text for texts in HAND_WRITTEN.values() for text in texts} | {text for pair in LDBC for text in pair}
    long = b"".join(b"%d %d %d\n" % (i, i * i, i**4) for i in range(40))
    for i, text in enumerate(
        [*sorted(texts), long, long.replace(b" ", b","), b"a " + long.replace(b"\n", b"\na ")[:-2]]
    ):
        for k, head in enumerate(
            (
                *(b"\0\0\0\0", b"\2\0\1\7", b"\2\2\1\x2f", b"\2\1\3\x11", b"\2\4\0\x0f", b"\3\0\4\x20", b"\2\3\2\x08"),
                *(b"\1\0\0\7", b"\1\1\0\x11", b"\1\2\x0a\7", b"\1\5\1\x08", b"\1\1\6\7"),  # tables
            )
        ):
            (folder / f"{i}-{k}").write_bytes(head + text)


@dataclass
class Report:
    """What a run of the harness came to."""

    done: int = 0
    findings: list = field(default_factory=list)


def _options(folder, number, seed):
    place = Path(folder, f"artifacts-{number}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    options = [
        "-max_len=1024",
        "-timeout=2",
        "-malloc_limit_mb=64",
        "-rss_limit_mb=4096",
        "-detect_leaks=0",
        "-print_final_stats=1",
    ]
    return [
        *options,
        f"-seed={seed % 2**31 or 1}",
        f"-artifact_prefix={place}{os.sep}",
        f"-dict={folder / 'words.dict'}",
    ], place


def start(program, folder, *, seed, seconds=None, runs=None, number=0):
    """Start the harness on a corpus of its own in ``folder``."""
    folder = Path(folder)
    corpus = folder / f"corpus-{number}"
    write_corpus(corpus)
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS)
    (folder / "words.dict").write_text("".join(f'"{word}"\n' for word in escaped))
    options, place = _options(folder, number, seed)
    if seconds is not None:
        options.append(f"-max_total_time={max(1, round(seconds))}")
    if runs is not None:
        options.append(f"-runs={runs}")
    log = (folder / f"log-{number}").open("w+b")
    process = subprocess.Popen([program, *options, corpus], stdout=log, stderr=log)
    return process, place, log


def finish(started, program, *, guided):
    """Wait for a harness; return its report. What was found is found again, or it was the machine that was slow."""
    process, place, log = started
    process.wait()
    log.seek(0)
    words = log.read().decode(errors="replace")
    log.close()
    report = Report()
    counts = re.findall(r"number_of_executed_units: (\d+)", words) or re.findall(r"^#(\d+)", words, re.MULTILINE)
    report.done = int(counts[-1]) if counts else 0
    for artifact in sorted(place.iterdir()):
        if artifact.name.startswith("slow-unit"):
            continue
        small = _minimise(program, artifact) if guided else artifact
        again = _again(program, small)
        if again is not None:
            report.findings.append(
                f"native: {again}\n    first four bytes choose parser and options, then the text: {small.read_bytes()!r}\n    {small}"
            )
    if process.returncode and not report.findings and not any(place.iterdir()):
        report.findings.append(f"native: exit code {process.returncode}: {words[-1500:]}")
    return report


def _again(program, artifact):
    """The words of the report for one input; None where nothing happens."""
    try:
        done = subprocess.run(
            [
                program,
                "-timeout=10",
                "-detect_leaks=0",
                "-malloc_limit_mb=64",
                f"-artifact_prefix={artifact.parent}{os.sep}again-",
                artifact,
            ],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hang"
    if not done.returncode:
        return None
    found = re.search(r"DIFFERENCE: .*|ERROR: .*|.*runtime error: .*", done.stderr)
    return found[0] if found else f"exit code {done.returncode}: {done.stderr[-300:]}"


def _minimise(program, artifact):
    small = artifact.with_name("small-" + artifact.name)
    command = [
        program,
        "-minimize_crash=1",
        "-max_total_time=15",
        "-detect_leaks=0",
        f"-exact_artifact_path={small}",
        artifact,
    ]
    try:
        subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return artifact
    return small if small.exists() and _again(program, small) else artifact
