"""The scripts of examples/ run, and stay short."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


PROMISED = {
    "data_scientist": ["19,998 towns, True", "True\n", "bridges", "mean"],
    "transport_modeller": ["mean toll", "within 15 minutes", "the closure costs", "shortest instead of quickest"],
}


@pytest.mark.parametrize("name", PROMISED)
def test_jobs(name, tmp_path):
    script = EXAMPLES / f"{name}.py"
    assert len(script.read_text().splitlines()) <= 25
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for text in PROMISED[name]:
        assert text in done.stdout, done.stdout
