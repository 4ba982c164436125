"""Progress: what a caller is told while something long runs, and the bar that shows it."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come.

    Attributes
    ----------
    done, total : int
        What is done, and about how much there will be; a search may relax some edges twice, so ``done`` may pass ``total``.
    unit : str
        What is counted: "edges", or "sources" of a matrix.
    note : str
        What else can be said, such as the parts of a streamed graph.

    Examples
    --------
    >>> import steppe as sp
    >>> seen = []
    >>> r = sp.distances(sp.generate.grid(20, 20), range(8), progress=seen.append)
    >>> seen[-1]
    Progress(done=8, total=8, unit='sources', note='')
    """

    done: int
    total: int
    unit: str = "edges"
    note: str = ""


class Tell(Protocol):
    """What an engine calls now and then: how much is done, and what else there is to say."""

    def __call__(self, done: int, note: str = "") -> object:
        """Tell it."""


def teller(progress: bool | Callable[[Progress], object] | None, total: int, unit: str) -> Tell | None:
    """Return what an engine calls, made of what a caller gave as ``progress=``: None and False for silence, True for a bar."""
    if progress is None or progress is False:
        return None
    hear: Callable[[Progress], object] = Bar() if progress is True else progress
    if not callable(hear):
        raise TypeError(f"progress must be True or a function, not {type(progress).__name__}")
    return lambda done, note="": hear(Progress(int(done), total, unit, note))


def streamed(parts: int, passes: int, copied: int) -> str:
    """Return the note of a search whose edges come in parts.

    >>> streamed(7, 2, 9_600_000_000)
    '7 parts, pass 2, 9.60 GB copied'
    """
    return f"{parts:,} parts, pass {passes:,}, {copied / 1e9:,.2f} GB copied"


class Bar:
    """A bar on a terminal, once a second has passed: quick answers stay quiet, and so do pipes.

    It is drawn by rich where that is installed, else as a line of plain text. It is wiped out when it is closed, at the latest with its last
    reference.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.start = time.monotonic()
        self.drawn: Any = None
        self.task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __call__(self, now: Progress) -> None:
        """Show how far it has come."""
        if self.drawn is None:
            if time.monotonic() - self.start < 1 or self.stream is None or not self.stream.isatty():
                return
            self._draw(now)
        if self.drawn is self:
            self._plain(now)
        else:
            note = f", {now.note}" if now.note else ""
            self.drawn.update(self.task, completed=now.done, total=now.total, description=note)

    def _draw(self, now: Progress) -> None:
        try:
            from rich import progress
            from rich.console import Console
        except ImportError:
            self.drawn = self
            return
        text = progress.TextColumn(f"{{task.completed:,.0f}} {now.unit}{{task.description}}")
        columns: tuple[Any, ...] = (progress.BarColumn(), text, progress.TimeElapsedColumn())
        if now.unit == "sources":  # which take about equally long: the rest can be told
            columns = (*columns, progress.TextColumn("left:"), progress.TimeRemainingColumn())
        self.drawn = progress.Progress(*columns, console=Console(file=self.stream), transient=True)
        self.task = self.drawn.add_task("", total=now.total)
        self.drawn.start()

    def _plain(self, now: Progress) -> None:
        share = min(1.0, now.done / max(1, now.total))
        note = f", {now.note}" if now.note else ""
        passed = time.monotonic() - self.start
        line = f"{share:4.0%} {now.done:,} {now.unit}{note}, {passed:,.0f} s"
        if now.unit == "sources" and now.done:  # which take about equally long: the rest can be told
            rate = now.done / passed
            line += f", {rate:,.0f}/s, {max(0, now.total - now.done) / rate:,.0f} s left"
        self.stream.write(f"\r{line[:78]:<78}")
        self.stream.flush()

    def close(self) -> None:
        """Take the bar away."""
        drawn, self.drawn = self.drawn, None
        if drawn is self:
            self.stream.write("\r" + " " * 78 + "\r")
            self.stream.flush()
        elif drawn is not None:
            drawn.stop()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
