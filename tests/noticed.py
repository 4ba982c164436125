"""Which seeded bugs need not be run again: noticed.json has a digest of everything they depended on when the last of them was noticed.

There is a group for the kernels and one for each driver of the core. A test of a group says `passed`, which leaves a file in build/noticed; run as a
program (`make test-mutations` does) this keeps the digests of the groups in which every test has left one. No test that was skipped counts.
"""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from core_mutations import DRIVERS
from core_mutations import MUTATIONS as SEARCH
from core_mutations_external import EXTERNAL
from core_mutations_matrix import MATRIX
from core_mutations_rows import ROWS
from core_mutations_threads import THREADS
from mutations import MUTATIONS, WORDS
from steppe.gpu import source
from stream_mutations import STREAM_MUTATIONS

HERE = Path(__file__).parent
CPP = HERE.parent / "cpp"
KEPT = HERE / "noticed.json"
LEFT = HERE.parent / "build" / "noticed"

IN_KERNELS = [*MUTATIONS, *STREAM_MUTATIONS]
IN_CORE = [*SEARCH, *EXTERNAL, *MATRIX, *ROWS, *THREADS]
CODES = sorted({m.code for m in IN_KERNELS})
CHECKS = ("grind", "words", "device_checks", "level_checks", "edge_checks", "stream_checks", "graphs")


def included(first):
    """Return a file of C++ and all that it includes from cpp/ and beside it."""
    found, left = set(), [first]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            named = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
            left += [folder / name for name in named for folder in (CPP, path.parent) if (folder / name).is_file()]
    return found


def files_of(group):
    """Return the files that the bugs of a group depend on."""
    if group == "kernels":
        gpu = source.KERNELS.parent
        kernels = [path for path in (*gpu.rglob("*"), *WORDS.iterdir()) if path.suffix in (".c", ".h", ".py")]
        return {*kernels, *(HERE / f"{name}.py" for name in CHECKS)}
    return included(HERE / "core" / f"{group}.cpp") | included(HERE / "core" / "seeded.hpp")


def digest(group):
    """Return the digest of these files and of the bugs themselves."""
    made = hashlib.sha256()
    for path in sorted(files_of(group), key=lambda path: (path.name, path)):
        made.update(f"{path.name}\n".encode() + path.read_bytes())
    bugs = IN_KERNELS if group == "kernels" else [m for m in IN_CORE if m.driver == group]
    made.update("\n".join(map(repr, bugs)).encode())
    return made.hexdigest()[:32]


GROUPS = {"kernels": len(IN_KERNELS) + len(CODES)} | dict.fromkeys(DRIVERS, 1)
"""How many tests each group has."""


def kept():
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def skip_unless_changed(group):
    """Skip visibly where all bugs of the group were noticed, and nothing that they depend on has changed since."""
    if os.environ.get("STEPPE_TEST_ALL") != "1" and kept().get(group) == digest(group):
        pytest.skip(f"{group}: nothing has changed since every seeded bug was noticed (STEPPE_TEST_ALL=1 runs them)")


def passed(group, test):
    """Keep that a test of a group has passed."""
    folder = LEFT / f"{group}-{digest(group)}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(test.encode()).hexdigest()[:16]).touch()


def keep():
    """Write the digests of the groups of which every test has passed; the others keep theirs."""
    now = {group: digest(group) for group in GROUPS}
    left = {group: len([*(LEFT / f"{group}-{now[group]}").glob("*")]) for group in GROUPS}
    old = kept()
    new = {g: now[g] if left[g] == GROUPS[g] else old.get(g, "") for g in sorted(GROUPS)}
    if new != old:
        KEPT.write_text(json.dumps(new, indent=2) + "\n")
        print(f"tests/{KEPT.name} has changed: commit it")  # noqa: T201


if __name__ == "__main__":
    keep()
