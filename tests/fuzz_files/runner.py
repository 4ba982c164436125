"""Runs cases in forked children, survives their crashes and hangs, counts, and makes what was found small.

Case ``index`` of a seed is always the same file: :func:`make`. A child works through its share and notes the index in shared memory before each;
when it dies, or stands still, the parent knows the case, keeps it, and starts a child behind it.
"""

import faulthandler
import hashlib
import json
import mmap
import os
import random
import re
import signal
import struct
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from . import check, shapes
from .mutate import havoc
from .seeds import corpus

PATIENCE = 3.0
"""Seconds of CPU time on one case after which a child is ended; reading may take one, searching and writing more."""
WAIT = 60.0
"""Seconds by the clock, for a child that waits for something: the machine may be busy."""


def _cpu_time(process):
    """Seconds of CPU time that a process has had; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make(files, seed, index):
    """Case ``index``: a file, and how it is read. The first ones are the corpus itself."""
    if index < len(files):
        return files[index], None
    source = random.Random(f"{seed}:{index}")  # noqa: S311 - no secret
    file, other = source.choice(files), source.choice(files)
    if source.random() < 0.03:  # a file under a wrong name
        file = file._replace(name=other.name, beside=other.beside)
    if file.beside is not None and source.random() < 0.5:
        file = file._replace(beside=havoc(source, file.beside, other.data))
    else:
        file = file._replace(data=shapes.damage(source, file.name, file.data, other.data))
    return file, source.choice((None, None, None, True, False))


def kind_of(message):
    """The like of a finding: its message without numbers and quoted text."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|-?[0-9][0-9.e+]*", "…", message)[:90]


@dataclass
class Finding:
    """What was found: the case, the message, how often the like of it."""

    file: object
    directed: object
    message: str
    count: int = 1

    def __str__(self):
        beside = "" if self.file.beside is None else f", with {self.file.beside!r} in x.v"
        data = repr(self.file.data) if len(self.file.data) <= 600 else f"{len(self.file.data)} bytes"
        options = "" if self.directed is None else f", directed={self.directed}"
        return f"{self.message}\n    sp.read({self.file.name!r}{options}) of {data}{beside}   ({self.count} times)"


def scratch():
    """A folder in memory where the system has one: a million small files are written."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)  # noqa: S108


def _fork(work):
    """Start ``work(report, note)``; return the child, the end of the pipe that it reports to, and what it notes."""
    shared = mmap.mmap(-1, 16)
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # newer Pythons warn of threads, and the core's pool survives a fork
        child = os.fork()
    if child == 0:
        code = 1
        try:
            faulthandler.disable()  # a crash here is a result
            os.close(read_end)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(write_end, "w", buffering=1) as out:
                work(
                    lambda *facts: out.write(json.dumps(facts) + "\n"),
                    lambda *numbers: shared.__setitem__(slice(16), struct.pack("<qq", *numbers)),
                )
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    os.set_blocking(read_end, False)
    return child, read_end, shared


def in_child(work):
    """Run ``work(report, note)`` in a child; yield what it reports, then how it ended: (index, graphs, words or None).

    ``note`` takes two numbers that survive the child: how far it is, and how many graphs it has seen.
    """
    child, read_end, shared = _fork(work)
    seen, since, cpu, buffer, hung = None, time.monotonic(), 0.0, b"", False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        while True:
            try:
                data = os.read(read_end, 1 << 16)
            except BlockingIOError:
                break
            if not data:
                break
            buffer += data
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            yield json.loads(line)
        now = shared[:16]
        if now != seen:
            seen, since, cpu = now, time.monotonic(), _cpu_time(child)
        if done:
            break
        waited = time.monotonic() - since
        if not hung and (waited > WAIT or (waited > PATIENCE and _cpu_time(child) - cpu > PATIENCE)):
            hung = True
            os.kill(child, signal.SIGKILL)
        time.sleep(0.005)
    os.close(read_end)
    fate = None
    if hung:
        fate = "hang: no end within three seconds of CPU time"
    elif os.WIFSIGNALED(status):
        fate = f"crash: {signal.Signals(os.WTERMSIG(status)).name}"
    elif os.WEXITSTATUS(status):
        fate = f"crash: exit code {os.WEXITSTATUS(status)}"
    yield *struct.unpack("<qq", seen), fate


def once(file, directed, judge=check.judge):
    """The judgement of one case, in a child of its own."""
    with scratch() as folder:
        answers = list(in_child(lambda report, _: report(judge(folder, file, directed=directed))))
    return answers[-1][-1] or answers[0][0]


def minimise(finding, judge=check.judge, patience=20.0):
    """A smaller file of the same finding: blocks, then bytes, left out while the message stays the like of it."""
    kind, end = kind_of(finding.message), time.monotonic() + patience
    for part in ("data", "beside"):
        data = getattr(finding.file, part) or b""
        size = max(1, len(data) // 2)
        while size and data and time.monotonic() < end:
            at, smaller = 0, False
            while at < len(data) and time.monotonic() < end:
                shorter = data[:at] + data[at + size :]
                if kind_of(once(finding.file._replace(**{part: shorter}), finding.directed, judge)) == kind:
                    data, smaller = shorter, True
                    finding.file = finding.file._replace(**{part: data})
                else:
                    at += size
            if not smaller or size > 1:
                size //= 2
    return finding


@dataclass
class Run:
    """Cases ``first, first + step, …`` of a seed, for so long or so many."""

    seed: str
    seconds: float = 1e9
    runs: int = 10**12
    first: int = 0
    step: int = 1
    judge: object = check.judge
    done: int = 0
    graphs: int = 0
    findings: dict = field(default_factory=dict)

    def go(self):
        """Run; return self."""
        files = corpus()
        begun = time.monotonic()
        index, last = self.first, self.first + self.runs * self.step
        while index < last and time.monotonic() - begun < self.seconds and len(self.findings) < 100:
            index = self._child(files, index, last, begun)
        return self

    def _child(self, files, start, last, begun):
        with scratch() as folder:

            def work(report, note):
                graphs = 0
                # Children are not for ever: what a case leaves in memory or on the disk must not trouble a thousand others.
                for index in range(start, min(last, start + 4000 * self.step), self.step):
                    if time.monotonic() - begun > self.seconds:
                        break
                    note(index, graphs)
                    file, directed = make(files, self.seed, index)
                    verdict = self.judge(folder, file, directed=directed, deep=index % 3 == 0)
                    graphs += verdict == "graph"
                    if verdict not in ("graph", "refused"):
                        report(index, verdict)
                else:
                    index += self.step
                note(index, graphs)

            *reports, (index, graphs, fate) = in_child(work)
        for number, words in reports:
            self._add(*make(files, self.seed, number), words)
        self.graphs += graphs
        self.done += (index - start) // self.step + (fate is not None)
        if fate is None:
            return index
        file, directed = make(files, self.seed, index)
        # A hang must show again, alone: the machine may have been busy.
        if not fate.startswith("hang") or once(file, directed, self.judge).startswith("hang"):
            self._add(file, directed, fate)
        return index + self.step

    def _add(self, file, directed, message):
        # A crash has no words of its own: it is told from another by the format.
        kind = kind_of(message) + (Path(file.name).suffix if message.startswith("crash") else "")
        if kind not in self.findings:
            self.findings[kind] = Finding(file, directed, message)
            return
        known = self.findings[kind]
        known.count += 1
        if (len(file.name), len(file.data)) < (len(known.file.name), len(known.file.data)):
            known.file, known.directed = file, directed


def save(finding, folder):
    """Keep the file of a finding, under a name that follows from its content."""
    data = finding.file.data
    place = Path(folder, hashlib.sha256(data).hexdigest()[:12])
    place.mkdir(parents=True, exist_ok=True)
    (place / finding.file.name).write_bytes(data)
    if finding.file.beside is not None:
        (place / "x.v").write_bytes(finding.file.beside)
    return place / finding.file.name
