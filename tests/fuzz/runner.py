"""Starts workers, sees their crashes and hangs, counts, and has what failed made small."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from . import parts, questions
from .minimise import minimise
from .pairs import Coverage
from .program import program
from .worker import Position

PATIENCE = 60
"""Seconds a question may take: the largest take two, on a machine that is busy with something else ten."""


class Child:
    """A worker process."""

    def __init__(self, folder, broken=None, patience=PATIENCE):
        self.folder, self.patience = Path(folder), patience
        self.position = Position(self.folder / "position", create=True)
        command = [sys.executable, "-m", "fuzz.worker", str(self.folder)] + ([broken] if broken else [])
        here = str(Path(__file__).parents[1])
        paths = os.pathsep.join(p for p in (here, os.environ.get("PYTHONPATH")) if p)
        with (self.folder / "errors").open("w") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
                env={**os.environ, "PYTHONPATH": paths},
            )  # fmt: skip
        self.process.stdout.readline()  # it is ready: what it imports takes long on a busy machine
        self.hung = False
        self._moved = time.monotonic()
        self._busy = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def ask(self, **order):
        """Give an order; yield what comes back, up to the end or the process's death."""
        self._moved = time.monotonic()
        self._busy.set()
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                facts = json.loads(line)
                yield facts
                if "end" in facts or "case" in order:
                    return
        except (BrokenPipeError, ValueError):
            pass
        finally:
            self._busy.clear()
        self.process.wait()

    def _watch(self):
        """Kill the process when it stands still."""
        last = None
        while self.process.poll() is None:
            now = self.position.get()
            if now != last or not self._busy.is_set():
                last, self._moved = now, time.monotonic()
            elif time.monotonic() - self._moved > self.patience:
                self.hung = True
                self.process.kill()
                return
            time.sleep(min(0.2, self.patience / 5))

    def fate(self):
        """How the process ended, in words; None while it lives."""
        code = self.process.poll()
        if code is None:
            return None
        if self.hung:
            return f"hang: no answer within {self.patience} s"
        if code < 0:
            return f"crash: {signal.Signals(-code).name}"
        errors = (self.folder / "errors").read_text().strip().splitlines()
        return f"crash: exit code {code}: {errors[-1] if errors else ''}"

    def stop(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()


@dataclass
class Failure:
    """What went wrong, where, and how often the like of it."""

    index: int
    question: int
    message: str
    count: int = 1

    @property
    def kind(self):
        return self.message.split(":")[0] if self.message.startswith(("hang", "crash")) else "wrong"


@dataclass
class Report:
    """What a run came to."""

    seed: str
    answers: int = 0
    graphs: int = 0
    wrong: int = 0
    crashes: int = 0
    hangs: int = 0
    seconds: float = 0.0
    kinds: dict = field(default_factory=dict)  # of each kind of answer: how many, and how many were declined
    failures: dict = field(default_factory=dict)  # by likeness
    programs: list = field(default_factory=list)
    coverage: object = None

    @property
    def is_clean(self):
        return not self.failures

    def summary(self):
        pairs = f"{self.coverage.count():,} of {self.coverage.possible:,}"
        return (
            f"seed {self.seed}: {self.answers:,} answers on {self.graphs:,} graphs in {self.seconds:.0f} s "
            f"({self.answers / max(self.seconds, 0.001):,.0f} a second): {self.wrong:,} wrong, {self.crashes} crashes, {self.hangs} hangs; "
            f"pairs of options seen: {pairs}\n{self.by_kind()}"
        )

    def by_kind(self):
        """How many answers there were of each kind; of a facade also which share it declined, which is no answer."""
        lines = []
        for kind, (count, declined) in sorted(self.kinds.items()):
            share = f", {declined:,} declined ({declined / (count + declined):.0%})" if declined else ""
            lines.append(f"  {kind}: {count:,} answers{share}")
        return "\n".join(lines)


class Run:
    """One run: workers side by side, each with every k-th case of a seed."""

    def __init__(
        self,
        seed,
        *,
        workers=1,
        graphs=10**12,
        seconds=10**9,
        device=False,
        only=None,
        parts=("answers",),
        broken=None,
        patience=PATIENCE,
        first=0,
        stride=1,
        enough=10**9,
    ):
        """``only`` names calls, no others are asked; ``parts`` take turns; ``broken`` names a function of broken.py; ``enough`` failures end the run;
        of all cases from ``first`` on every ``stride``-th is asked.
        """
        self.made = {"device": device, "only": only, "parts": parts}
        self.order = {
            "seed": str(seed),
            "step": workers * stride,
            "last": first + graphs * stride,
            "deadline": time.time() + seconds,
            **self.made,
        }
        self.first, self.workers, self.broken, self.patience, self.enough = first, workers, broken, patience, enough
        self.report = Report(str(seed), coverage=Coverage(questions.GRAPH_FACTORS, questions.FACTORS))
        self._lock = threading.Lock()

    def go(self, minimised=10, tries=800):
        """Run to the end; then make the first failures of different kinds small, with at most so many tries each."""
        begun, first = time.monotonic(), self.first
        with ThreadPoolExecutor(self.workers) as threads:
            list(threads.map(self._drive, range(first, first + self.order["step"], self.order["step"] // self.workers)))
        self.report.seconds = time.monotonic() - begun
        for failure in list(self.report.failures.values())[:minimised]:
            self.report.programs.append(self.shrink(failure, tries))
        return self.report

    def shrink(self, failure, tries):
        """Return a failure as a program, as small as it gets."""
        if failure.kind != "wrong":
            tries //= 8  # a process that dies or hangs costs a second
        case, *_ = parts.make(self.order["seed"], failure.index, **self.made)
        case.questions = case.questions[: max(0, failure.question) + 1]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            small, message = minimise(case, failure, Tryer(folder, self.broken, self.patience), tries)
        return program(small, message, f"{failure.count} like it; seed {self.order['seed']}, case {failure.index}")

    def _drive(self, index):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            while index < self.order["last"] and time.time() < self.order["deadline"] and not self._has_enough():
                child = Child(folder, self.broken, self.patience)
                for facts in child.ask(first=index, **self.order):
                    self._take(facts)
                    index = facts["index"] + (0 if "end" in facts else self.order["step"])
                    if self._has_enough():
                        child.stop()
                        return
                fate = child.fate()
                if fate is None:
                    child.stop()
                    return
                at, question = child.position.get()
                child.stop()
                if at < 0:
                    raise RuntimeError(f"the worker does not start: {(child.folder / 'errors').read_text()}")
                self._note(at, question, fate)
                index = at + self.order["step"]

    def _has_enough(self):
        return self.report.wrong + self.report.crashes + self.report.hangs >= self.enough

    def _take(self, facts):
        graphs, here, there = questions.rows()
        with self._lock:
            for _, graph_row, first, counts in facts["done"]:
                pool = there if first < 0 else here
                answers = sum(count for count, _ in counts.values())
                self.report.graphs += 1
                self.report.answers += answers
                for kind, count in counts.items():
                    known = self.report.kinds.setdefault(kind, [0, 0])
                    known[:] = [known[0] + count[0], known[1] + count[1]]
                if graph_row < 0 or self.made["only"]:  # not one of the rows, or not all of them were asked
                    continue
                for i in range(first, first + answers):
                    row = pool[i % len(pool)]
                    self.report.coverage.add(graph_row, id(row), {**graphs[graph_row], **row})
        for question, message in facts["failures"]:
            self._note(facts["index"], question, message)

    def _note(self, index, question, message):
        with self._lock:
            failure = Failure(index, question, message)
            self.report.hangs += failure.kind == "hang"
            self.report.crashes += failure.kind == "crash"
            self.report.wrong += failure.kind == "wrong"
            case, *_ = parts.make(self.order["seed"], index, **self.made) if question >= 0 else (None,)
            call = case.questions[question]["call"] if case else "build"
            method = case.questions[question].get("method", "") if case else ""
            function = case.questions[question].get("function", "") if case else ""
            like = (call, function, method, re.sub(r"[-\d.e+]+|'[^']*'|inf|None|\[.*\]", "#", message)[:60])
            if like in self.report.failures:
                self.report.failures[like].count += 1
            else:
                self.report.failures[like] = failure


class Tryer:
    """Asks one case after another in a child of its own, started again when it dies."""

    def __init__(self, folder, broken, patience):
        self.folder, self.broken, self.patience = folder, broken, patience / 4
        self.child = None

    def __call__(self, case):
        """Return what is wrong with the case: (number of the question, message), or None."""
        if self.child is None or self.child.fate() is not None:
            self.close()
            self.child = Child(self.folder, self.broken, self.patience)
        for facts in self.child.ask(case=case.to_json()):
            return tuple(facts["failures"][-1]) if facts["failures"] else None
        return len(case.questions) - 1, self.child.fate() or "crash"

    def close(self):
        if self.child is not None:
            self.child.stop()
