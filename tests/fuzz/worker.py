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

from . import broken, questions
from .ask import ask
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


def work(folder, position, *, seed, first, step, last, deadline, device, only):
    """Ask case after case, until a number of cases or the time is reached."""
    index, done = first, []
    while index < last and time.time() < deadline:
        position.set(index, -2)
        case, truth, graph_row, question_rows = questions.make(seed, index, device=device, only=only)
        failures, answers = [], 0
        for i, message in ask(case, truth, folder, note=lambda q: position.set(index, q)):  # noqa: B023
            answers += i >= 0
            if message is not None:
                failures.append((i, message[:2000]))
        done.append((index, graph_row, question_rows[0], answers))
        if failures or len(done) >= 20:
            tell(done=done, failures=failures, index=index)
            done = []
        index += step
    tell(done=done, failures=[], index=index, end=True)


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
            tell(failures=[x for x in ask(case, Truth(case), folder) if x[1] is not None])
        else:
            work(folder, position, **order)


if __name__ == "__main__":
    main()
