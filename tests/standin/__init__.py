"""Run Python code on the CUDA path without a GPU: real cuda-bindings and NVRTC, and our stand-in for the driver.

python tests/standin/__init__.py 'import words; words.check_all(device)'
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from conftest import PATIENCE

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
HEAD = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from steppe.gpu import get_device, source
device = get_device("cuda")
"""


@dataclass(frozen=True)
class Report:
    """How the code ended, and what it printed."""

    returncode: int
    text: str


def absent():
    """Return what is missing on this machine, or an empty string."""
    if sys.platform != "linux":
        return "the stand-in driver is for Linux"
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        return "the stand-in driver needs g++"
    for package in ("cuda", "nvidia"):
        if importlib.util.find_spec(package) is None:
            return "cuda-bindings and nvidia-cuda-nvrtc are not installed (steppe[cuda])"
    return ""


def build():
    """Compile the stand-in driver once; gives its folder, which also keeps the kernels compiled for it."""
    digest = hashlib.sha256(
        b"".join(p.read_bytes() for p in sorted(HERE.iterdir()) if p.suffix in (".cpp", ".hpp", ".h"))
    )
    folder = ROOT / "build" / f"standin-{digest.hexdigest()[:16]}"
    library = folder / "libcuda.so.1"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = folder / f"libcuda.{os.getpid()}"
        command = [
            os.environ.get("CXX", "g++"),
            "-std=c++17",
            "-O1",
            "-Wall",
            "-Wextra",
            "-shared",
            "-fPIC",
            "-pthread",
            "-U_FORTIFY_SOURCE",  # which takes a jump to another stack for an attack
        ]
        subprocess.run([*command, "-o", str(made), *map(str, sorted(HERE.glob("*.cpp"))), "-ldl"], check=True)
        made.replace(library)
    return folder


def run(code, *, memory=None, cache=None, timeout=PATIENCE, head=HEAD, **settings):
    """Run `code` with `device` defined on a stand-in GPU of `memory` bytes; `settings` are environment variables."""
    folder = build()
    path = os.environ.get("LD_LIBRARY_PATH")
    environment = os.environ | {
        "LD_LIBRARY_PATH": f"{folder}{':' + path if path else ''}",
        "STEPPE_CACHE_DIR": str(cache or folder / "kernels"),
        "STANDIN_HEADER": str(HERE / "simt.h"),
        "STANDIN_MEMORY": str(memory or 1 << 30),
        **{name: str(value) for name, value in settings.items()},
    }
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", head.format(tests=str(HERE.parent)) + code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Report(done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    report = run(sys.argv[1], timeout=600)
    print(report.text)  # noqa: T201
    sys.exit(report.returncode)
