"""Fill a small disk. ``python full_disk.py FOLDER``: a file system of 4 MB that nothing else uses."""

import errno
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from steppe.planning import bytes as sizes

DISK = Path(sys.argv[1])
LARGE = sp.generate.random(20_000, 900_000)  # 7 MB and more in every format, packed ones too
MATRIX = sp.generate.random(600, 3000)  # 2.9 MB
sizes.BLOCK = 1 << 18


def clear():
    for file in DISK.iterdir():
        file.unlink()


def refused(call, *names):
    """Call, and expect no space; what was there before is still there, and nothing else."""
    clear()
    old = {name: b"the old " + name.encode() for name in names}
    for name, content in old.items():
        (DISK / name).write_bytes(content)
    with pytest.raises(OSError, match="No space left") as caught:
        call(DISK / names[0])
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(DISK / names[0])
    assert {p.name: p.read_bytes() for p in DISK.iterdir()} == old, names


def fill():
    with (DISK / "fill").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass


for suffix in (".gr", ".wel.gz", ".csv.zst", ".npz", ".steppe", ".mtx", ".wsg"):
    refused(lambda path: sp.write(LARGE, path), "x" + suffix)
refused(lambda path: sp.write(LARGE, path), "x.e", "x.v")
refused(lambda path: sp.generate.to_file(path, "random", 20_000, 900_000), "x.steppe")

# The disk fills up while the matrix is computed: its space was allocated before.
clear()
np.save(DISK / "m.npy", np.arange(9))
right = sp.all_pairs(MATRIX)
assert np.array_equal(
    sp.all_pairs(MATRIX, out=DISK / "m.npy", overwrite=True, progress=lambda _: (DISK / "fill").exists() or fill()),
    right,
)

# It is full before, though it did not seem so.
real = shutil.disk_usage
shutil.disk_usage = lambda _: real("/")
refused(lambda path: sp.all_pairs(sp.generate.random(800, 4000), out=path, overwrite=True), "m.npy")
shutil.disk_usage = real
clear()
with pytest.raises(sp.ResultSizeError):
    sp.all_pairs(sp.generate.random(800, 4000), out=DISK / "m.npy")
assert not list(DISK.iterdir())
sys.stdout.write("the disk was full\n")
