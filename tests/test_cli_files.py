"""The command line and files: its input is never overwritten, its output is whole or not there, strangers' labels do nothing to a terminal."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from steppe.cli.terminal import escaped, escaped_json
from test_cli import facts, process, run

TRIANGLE = "0,1,5\n0,2,9\n1,2,3\n"
EVIL = "\x1b[2J\x9b31m\u202etxt\r\x7f"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(TRIANGLE)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "{in}", "{out}"),
        ("sssp", "{in}", "-s", 0, "-o", "{out}"),
        ("bfs", "{in}", "-s", 0, "-o", "{out}"),
        ("distances", "{in}", "-s", 0, "-o", "{out}"),
    ],
)
@pytest.mark.parametrize("how", ["same", "symbolic", "hard", "dotted"])
def test_the_input_is_never_overwritten(table, words, how):
    out = table.with_name("y.csv")
    if how == "same":
        out = table
    elif how == "symbolic":
        out.symlink_to(table)
    elif how == "hard":
        out.hardlink_to(table)
    else:
        out = os.path.join(table.parent, ".", table.name)  # noqa: PTH118 - pathlib would tidy it
    said = run(*(str(word).replace("{in}", str(table)).replace("{out}", str(out)) for word in words), code=2)
    assert "is the file that is read" in said.stderr
    assert table.read_text() == TRIANGLE


def test_nor_when_it_comes_from_standard_input(table):
    with table.open() as stream:
        said = process("convert", "-", table, "--format", "csv", stdin=stream)
    assert said.returncode == 2
    assert "is the file that is read" in said.stderr
    assert table.read_text() == TRIANGLE


def test_nor_as_the_vertices_of_what_is_written(tmp_path):
    path = tmp_path / "x.v"
    path.write_text("1 2\n")
    assert "is the file that is read" in run("convert", path, tmp_path / "x.e", "--format", "txt", code=2).stderr
    assert path.read_text() == "1 2\n"


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".parquet"])
@pytest.mark.parametrize("command", ["sssp", "distances"])
def test_output_replaces_a_file_whole_or_not_at_all(table, suffix, command, monkeypatch):
    out = table.with_name("out" + suffix)
    out.write_text("old")
    out.chmod(0o600)
    force = ["--force"] if command == "distances" else []
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        said = run(command, table, "-s", 0, "-o", out, *force, code=2)
    assert said.stderr == f"steppe: error: {out}: No space left on device\n"
    assert out.read_text() == "old"
    run(command, table, "-s", 0, "-o", out, *force)
    assert out.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in table.parent.iterdir()) == ["out" + suffix, "x.csv"]
    if suffix == ".npy":
        assert np.load(out).reshape(-1).tolist() == [0, 5, 8]


def test_escapes():
    assert escaped("Köln 東京\u3000駅") == "Köln 東京\u3000駅"
    assert escaped(EVIL) == r"\x1b[2J\x9b31m\u202etxt\r\x7f"
    assert escaped("a\udcff\n") == r"a\udcff\n"
    for text in (EVIL, "\U000e0001\udcff", 'a"\\b'):
        line = escaped_json(json.dumps(text, ensure_ascii=False))
        assert line.isprintable()
        assert json.loads(line) == text


def test_labels_are_escaped_where_people_read(tmp_path):
    path = tmp_path / "x.steppe"
    sp.write(sp.Graph.from_edges([EVIL], ["b"], [1], relabel=True), path)
    for words in (("info", path), ("route", path, "-s", EVIL, "-t", "b"), ("distances", path, "-s", EVIL, "-t", "b")):
        said = run(*words).stdout
        assert r"\x1b[2J\x9b31m\u202e" in said
        assert all(line.isprintable() for line in said.splitlines()), words
    assert facts("route", path, "-s", EVIL, "-t", "b")["path"] == [EVIL, "b"]
    said = run("sssp", path, "-s", EVIL + "x", code=2).stderr.rstrip("\n")
    assert said.isprintable()
    said = run("info", tmp_path / f"none{EVIL}.gr", code=2).stderr.rstrip("\n")
    assert said.isprintable()
    assert "No such file or directory" in said
    assert "Errno" not in said
    # A pipe gets what the label is, byte by byte; a terminal does not.
    assert EVIL[:-2] in process("sssp", path, "-s", EVIL, "-o", "-").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal as on Unix")
def test_a_table_on_a_terminal(tmp_path):
    path = tmp_path / "x.steppe"
    sp.write(sp.Graph.from_edges(["\x1b]0;title\x07"], ["b"], [1], relabel=True), path)
    ours, theirs = os.openpty()
    words = [sys.executable, "-m", "steppe", "sssp", str(path), "-s", "b", "-o", "-"]
    subprocess.run(words, stdout=theirs, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert rb"\x1b]0;title\x07" in shown
    assert b"\x1b" not in shown


def test_a_packed_file_may_be_allowed_more(tmp_path):
    with gzip.open(tmp_path / "g.csv.gz", "wt") as file:
        file.write("1,2\n" * 3_000_000)
    file = tmp_path / "g.csv.gz"
    assert "steppe --max-bytes SIZE COMMAND" in run("info", file, code=2).output
    assert facts("--max-bytes", "1G", "info", file)["edges"] == 3_000_000
    run("--max-bytes", "much", "info", file, code=2)
    run("info", file, code=2)  # it held for one command
