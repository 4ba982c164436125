"""Failing system calls: builds ``faults.c`` and says which of them fails.

The process must have been started with :func:`environment`; a sweep over many calls then runs in that one process.
"""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ONCE, EVER_AFTER, KILL, SHORT = range(4)
LONG = os.environ.get("STEPPE_FAULTS") == "all"  # set by `make test-faults`
HERE = Path(__file__).parent


def environment(folder):
    """Return the environment of a process whose calls can fail; the library is built into ``folder``."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("failing system calls need Linux and a C compiler")
    library = Path(folder) / "faults.so"
    words = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, HERE / "faults.c", "-ldl"]
    subprocess.run(words, check=True, timeout=120)
    return os.environ | {"LD_PRELOAD": str(library), "STEPPE_FAULTS_LIBRARY": str(library), "STEPPE_NUM_THREADS": "1"}


class Injector:
    """The library that this process was started with."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["STEPPE_FAULTS_LIBRARY"])
        self.library.faults_count.restype = ctypes.c_long
        self.library.faults_arm.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_int)

    def watch(self, folder):
        self.library.faults_watch(os.fsencode(folder))

    def arm(self, n, mode=ONCE, number=errno.ENOSPC):
        """Let the n-th call from now on fail."""
        self.library.faults_arm(n, mode, number)

    def count(self, call):
        """Return how many calls can fail while ``call`` runs."""
        self.arm(0)
        call()
        return self.library.faults_count()
