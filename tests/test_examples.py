"""The scripts of examples/ run, and stay short."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE

EXAMPLES = Path(__file__).parents[1] / "examples"


PROMISED = {
    "data_scientist": ["19,998 towns, True", "True\n", "bridges", "mean"],
    "isochrones": ["crossings within [5, 10, 15] minutes: [11806, 52857, 91218]", "3 polygons"],
    "transport_modeller": ["mean toll", "within 15 minutes", "the closure costs", "shortest instead of quickest"],
    "gpu_user": ["DeviceInfo(name='cpu'", "buckets need no heap"],
}


@pytest.mark.parametrize("name", PROMISED)
def test_jobs(name, tmp_path):
    script = EXAMPLES / f"{name}.py"
    assert len(script.read_text().splitlines()) <= 25
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for text in PROMISED[name]:
        assert text in done.stdout, done.stdout


def test_the_shell_users_job(tmp_path):
    folder = Path(sys.executable).parent
    shell = shutil.which("sh")
    if shutil.which("steppe", path=folder) is None or shell is None:
        pytest.skip("no shell, or the command steppe is not installed beside this Python")
    script = EXAMPLES / "shell_user.sh"
    assert len(script.read_text().splitlines()) <= 25
    where = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [shell, script], cwd=tmp_path, env=where, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    for text in ("verified", "19879,25700", "2595 0", '"distance": 23739'):
        assert text in " ".join(done.stdout.split()), done.stdout
