"""Whole files under Atheris (libFuzzer for Python): coverage of the readers' Python code chooses which changes to keep.

The child is ``python -m fuzz_files.guided``: the first byte of an input chooses the file's name, the second how it is read, the rest is the file.
It writes what it finds to a list and goes on; only a crash or a hang ends it, and then the parent starts another.
"""

import functools
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path


@functools.cache
def names():
    """Names of files for every format that is read from the file's bytes."""
    from steppe.files import formats  # not above: steppe must not be imported before it is instrumented

    suffixes = [suffix for one in formats.FORMATS if not one.opens for suffix in one.suffixes]
    return ["x", *("x" + suffix + packing for packing in ("", ".gz") for suffix in suffixes), "x.txt.xz", "x.csv.zst"]


def is_installed():
    """Whether there is an Atheris for this Python."""
    return importlib.util.find_spec("atheris") is not None


def decode(data):
    """The file and the option that an input means."""
    from .seeds import File

    name = names()[data[0] % len(names())]
    return File(name, bytes(data[2:]), b"1\n2\n3\n" if name in ("x.e", "x.e.gz") else None), (
        None,
        None,
        True,
        False,
    )[data[1] % 4]


class _Core:
    """Finds the native core of an editable install, and nothing else."""

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return self.finder.find_spec(name, path, target) if name == "steppe._core" else None


def _plain_imports():
    """Let Python's path find an editable install's Python files: what other finders find, Atheris does not instrument well."""
    for finder in [finder for finder in sys.meta_path if type(finder).__name__ == "ScikitBuildRedirectingFinder"]:
        sys.meta_path.remove(finder)
        sys.meta_path.append(_Core(finder))
        sys.path.insert(0, str(Path(__file__).parents[2] / "src"))


def _child(folder, arguments):
    import atheris

    _plain_imports()
    with atheris.instrument_imports(include=["steppe"]):
        pass

    from . import check, runner, shapes

    known = set()
    findings = (Path(folder) / "findings").open("a")

    def one(data):
        if len(data) < 2:
            return
        file, directed = decode(data)
        verdict = check.judge(folder, file, directed=directed, deep=len(data) % 3 == 0)
        if verdict not in ("graph", "refused") and runner.kind_of(verdict) not in known:
            known.add(runner.kind_of(verdict))
            findings.write(json.dumps([verdict, bytes(data).hex()]) + "\n")
            findings.flush()

    def mutate(data, size, seed):
        source = random.Random(seed)  # noqa: S311 - no secret
        if len(data) < 3 or source.random() < 0.05:
            return bytes(atheris.Mutate(data, len(data)))
        if source.random() < 0.4:
            return data[:2] + bytes(atheris.Mutate(data[2:], max(1, size - 2)))[: size - 2]
        return (data[:2] + shapes.damage(source, names()[data[0] % len(names())], bytes(data[2:])))[:size]

    atheris.Setup([sys.argv[0], *arguments], one, custom_mutator=mutate)
    atheris.Fuzz()


def _seeds(folder):
    from .seeds import corpus

    folder.mkdir(parents=True, exist_ok=True)
    for i, file in enumerate(corpus()):
        if file.name in names():
            (folder / f"seed-{i}").write_bytes(bytes([names().index(file.name), 0]) + file.data)


def _start(place, number, seed, seconds, runs):
    """Start a child of this number: its folder, artifacts and log have it in their names."""
    folder = place / f"guided-{number}"
    _seeds(folder / "corpus")
    options = [
        f"-seed={seed % 2**31 or 1}",
        f"-artifact_prefix={folder}{os.sep}",
        "-max_len=6000",
        "-timeout=10",
        "-rss_limit_mb=0",
        "-print_final_stats=1",
    ]
    options.append(f"-max_total_time={max(1, round(seconds))}" if seconds else f"-runs={runs}")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
    }
    with (folder / "log").open("wb") as log:
        command = [sys.executable, "-m", "fuzz_files.guided", str(folder), *options, str(folder / "corpus")]
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment), folder


def _executions(folder):
    words = (folder / "log").read_text(errors="replace")
    counts = re.findall(r"number_of_executed_units: (\d+)", words) or re.findall(r"^#(\d+)", words, re.MULTILINE)
    return int(counts[-1]) if counts else 0


def fuzz(given, seed, seconds):
    """Run children for so long; return executions and findings, made small."""
    from . import runner
    from .__main__ import BUILD

    sys.stdout.write(f"files of every format, guided by coverage (Atheris): {given.jobs} processes\n")
    sys.stdout.flush()
    begun, done, started = time.monotonic(), 0, 0
    for old in BUILD.glob("guided-*/[cft]*-*"):  # artifacts of earlier runs
        old.unlink()
    for old in BUILD.glob("guided-*/findings"):
        old.unlink()
    running = {}
    while True:
        left = seconds - (time.monotonic() - begun)
        for number in range(given.jobs):
            child, folder = running.get(number, (None, None))
            if child is not None and child.poll() is None:
                continue
            if child is not None:
                done += _executions(folder)
                del running[number]
            if started < 50 * given.jobs and (left > 3 if seconds else started < given.jobs):
                running[number] = _start(
                    BUILD, number, seed + started, left if seconds else 0, given.runs // given.jobs
                )
                started += 1
        if not running:
            break
        time.sleep(0.2)
    sys.stdout.write(f"guided: {done} executions, {done / (time.monotonic() - begun):.0f} a second\n")
    return done, _collect(BUILD, given, runner)


def _collect(build, given, runner):
    found = {}
    for list_ in build.glob("guided-*/findings"):
        for line in list_.read_text().splitlines():
            verdict, data = json.loads(line)
            found.setdefault(runner.kind_of(verdict), runner.Finding(*decode(bytes.fromhex(data)), verdict))
    for artifact in build.glob("guided-*/[ct][ri][am]*-*"):  # crash-, timeout-
        file, directed = decode(artifact.read_bytes())
        verdict = runner.once(file, directed)
        if verdict not in ("graph", "refused"):
            found.setdefault(runner.kind_of(verdict) + file.name, runner.Finding(file, directed, verdict))
    words = []
    for finding in found.values():
        if len(words) < given.show:
            runner.minimise(finding)
        words.append(f"{finding}\n    {runner.save(finding, build / 'findings')}")
    return words


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2:])
