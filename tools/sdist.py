"""Build the source distribution and print its path: ``python tools/sdist.py FOLDER``. What is in it is checked by tests/test_sdist.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scikit_build_core import build

ROOT = Path(__file__).parents[1]


def make(folder: Path) -> Path:
    """Build it as pip would, from this tree."""
    folder.mkdir(parents=True, exist_ok=True)
    before = Path.cwd()
    os.chdir(ROOT)  # where a build backend expects to be
    try:
        return folder / build.build_sdist(str(folder))
    finally:
        os.chdir(before)


if __name__ == "__main__":
    print(make(Path(sys.argv[1]).resolve()))
