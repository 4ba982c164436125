"""Files that are written to or cut off while they are read, and places that are no files: an error or a graph, never a crash."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import steppe as sp
from conftest import PATIENCE
from test_files import arcs, put

SIZE = 32 << 20
READ = """
import sys, steppe as sp
for _ in range(6):
    try:
        print(sp.read(sys.argv[1]).num_edges)
    except sp.FormatError as error:
        print("refused", error)
"""


def read_while(path, change):
    """Read in a child while ``change(file)`` runs again and again in a thread of ours; return what it said."""
    stop = threading.Event()

    def work():
        file = os.open(path, os.O_RDWR)
        while not stop.is_set():
            change(file)
        os.close(file)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        return subprocess.run(
            [sys.executable, "-c", READ, path], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    finally:
        stop.set()
        thread.join()


few, many = (b"0 1\n" + b"#" * 4091 + b"\n") * 256, b"0 1\n" * 262144


@pytest.mark.skipif(not hasattr(os, "pwrite"), reason="needs pwrite")
def test_rewritten_while_it_is_read(tmp_path):
    path = put(tmp_path, "x.el", few * (SIZE // len(few)))

    def change(file):
        for data in (many, few):
            for at in range(0, SIZE, len(few)):
                os.pwrite(file, data, at)

    result = read_while(path, change)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 6


@pytest.mark.skipif(not hasattr(os, "ftruncate"), reason="needs ftruncate")
def test_cut_off_while_it_is_read(tmp_path):
    path = put(tmp_path, "x.el", many * (SIZE // len(many)))

    def change(file):
        os.ftruncate(file, 4096)
        for at in range(0, SIZE, len(many)):
            os.pwrite(file, many, at)

    result = read_while(path, change)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 6


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(OSError, match="directory"):
        sp.read(tmp_path)
    with pytest.raises(ValueError, match="null"):
        sp.read("a\0b.gr")
    with pytest.raises(FileNotFoundError):
        sp.read("a\udcff.gr")
    assert arcs(sp.read(bytes(put(tmp_path, "x.el", "0 1\n")))) == [(0, 1)]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices")
def test_devices():
    for device in ("/dev/zero", "/dev/urandom", "/dev/null"):
        with pytest.raises(sp.FormatError):
            sp.read(device, format="txt")
    with pytest.raises(sp.FormatError, match="more than 1,000 bytes"):
        sp.read("/dev/zero", format="txt", max_bytes=1000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_fifo_and_links(tmp_path):
    path = tmp_path / "x.txt"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"1 2\n"))
    writer.start()
    assert arcs(sp.read(path)) == [(1, 2)]
    writer.join()
    (tmp_path / "loop.gr").symlink_to(tmp_path / "loop.gr")
    with pytest.raises(OSError, match=r"loop\.gr"):
        sp.read(tmp_path / "loop.gr")


def test_files_with_holes(tmp_path):
    path = tmp_path / "x.txt"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    with pytest.raises(sp.FormatError, match="zeros"):
        sp.read(path)
