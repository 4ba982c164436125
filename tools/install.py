"""Install with pip and show how far it is, a line for each step: ``python tools/install.py ARGUMENTS_OF_PIP_INSTALL``.

pip tells either nothing or everything. Here it tells everything, and what matters to somebody who waits is printed: what is downloaded, each file of
the native core as it is compiled, what is installed, and pip's warnings. If pip fails, everything else that it said follows, in its order.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STEPS = [
    # Ninja counts files, CMake's makefiles count percent. Both name the object file.
    (re.compile(r"\[(\d+/\d+|\s*\d+%)\] Building CXX object .*?([^/\\]+)\.(?:o|obj)$"), "compile {0} {1}"),
    (re.compile(r"\[(\d+/\d+|\s*\d+%)\] Linking CXX .*?([^/\\ ]+)$"), "link {0} {1}"),
    (re.compile(r"\*\*\* Configuring CMake"), "configure the native core"),
    (re.compile(r"Downloading (\S+) (\(.+\))$"), "download {0} {1}"),
    (re.compile(r"Installing collected packages: (.+)$"), "install {0}"),
    (re.compile(r"((?:WARNING|DEPRECATION): .+)$"), "{0}"),
]
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
SKIPPED = re.compile(r"Requirement already satisfied: |\[notice\]")


def shown(line: str) -> str | None:
    """Return what is printed for a line of pip, if anything.

    >>> shown("  [12/58] Building CXX object CMakeFiles/_core.dir/cpp/bindings/external.cpp.o")
    'compile 12/58 external.cpp'
    """
    for pattern, form in STEPS:
        if found := pattern.search(line):
            return form.format(*(part.strip() for part in found.groups()))
    return None


def follow(lines: Iterable[str], rest: list[str]) -> Iterator[str]:
    """Yield what is printed; the lines that are not go into ``rest``."""
    for coloured in lines:
        line = COLOUR.sub("", coloured)
        text = shown(line.rstrip())
        if text is not None:
            yield text
        elif not SKIPPED.search(line):
            rest.append(line)


def main(arguments: list[str]) -> int:
    """Run pip; return its exit code."""
    command = [sys.executable, "-m", "pip", "install", "--verbose", "--progress-bar=off", *arguments]
    rest: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace"
    ) as pip:
        assert pip.stdout is not None
        for text in follow(pip.stdout, rest):
            print("  ", text, flush=True)
    if pip.returncode:
        print(*rest, sep="", file=sys.stderr)
        print(f"pip install {' '.join(arguments)}: failed", file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
