"""A process that asks: it makes cases from a seed, or takes one from its input, and says what is wrong. It may crash or hang.

    python -m fuzz.worker FOLDER [BROKEN]

A line of JSON in, lines of JSON out. Before each question it writes (case, question) into FOLDER/position, which is mapped: when the
process dies or stands still, whoever started it reads there what it was about to do.
"""

import json
import mmap
import struct
import sys
import time
import warnings
from pathlib import Path

from . import broken, parts
from .attempt import DECLINED
from .cases import Case
from .truth import Truth

PLACE = struct.Struct("<qq")


class Position:
    """Which question is next, in a file that outlives the process."""

    def __init__(self, path, create=False):
        if create:
            path.write_bytes(PLACE.pack(-1, -1))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), PLACE.size)

    def set(self, index, question):
        self._map[:] = PLACE.pack(index, question)

    def get(self):
        return PLACE.unpack(self._map[:])


def tell(**facts):
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def work(folder, position, *, seed, first, step, last, deadline, **made):
    """Ask case after case, until a number of cases or the time is reached."""
    index, done = first, []
    while index < last and time.time() < deadline:
        position.set(index, -2)
        case, truth, graph_row, question_rows = parts.make(seed, index, **made)
        failures, counts = [], {}
        for i, message in parts.ask(case, truth, folder, note=lambda q: position.set(index, q)):  # noqa: B023
            if i >= 0:
                count = counts.setdefault(kind_of(case, i), [0, 0])
                count[message == DECLINED] += 1
            if message not in (None, DECLINED):
                failures.append((i, message[:2000]))
        done.append((index, graph_row, question_rows[0], counts))
        if failures or len(done) >= 20:
            tell(done=done, failures=failures, index=index)
            done = []
        index += step
    tell(done=done, failures=[], index=index, end=True)


def kind_of(case, i):
    """What an answer is counted as: its call, or the facade that was asked."""
    return case.part if case.part in ("csgraph", "networkx") else case.questions[i]["call"]


def main():
    warnings.simplefilter("ignore")
    warnings.filterwarnings(
        "error", category=RuntimeWarning, module="steppe"
    )  # NumPy's, of a division by zero or the like
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        getattr(broken, sys.argv[2].replace("-", "_"))()
    position = Position(folder / "position")
    tell(ready=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "case" in order:
            case = Case.from_json(order["case"])
            tell(failures=[x for x in parts.ask(case, Truth(case), folder) if x[1] not in (None, DECLINED)])
        else:
            work(folder, position, **order)


if __name__ == "__main__":
    main()
