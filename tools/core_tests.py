"""Run the tests that need NumPy, SciPy and NetworkX alone: what a wheel is tested with where other packages have no wheels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
CORE = [
    "graph",
    "labels",
    "sssp",
    "sssp_properties",
    "bfs",
    "bellman_ford",
    "widen",
    "route",
    "verify",
    "generate",
    "paths",
    "threads",
]

if __name__ == "__main__":
    files = [TESTS / f"test_{name}.py" for name in CORE]
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", *files, *sys.argv[1:]], check=False).returncode)
