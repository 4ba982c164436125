"""The scripts of a NetworkX and a SciPy user: at most 25 lines, and they run."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("networkx_user", ["3,600 corners", "to work in", "diameter 118"]),
        ("scipy_user", ["(3, 2000) float64", "hops:"]),
    ],
)
def test_example(name, printed, tmp_path):
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) <= 25
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(text in done.stdout for text in printed), done.stdout
