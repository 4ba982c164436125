"""The guard before every command: no file that is read is written to, found by the parameters of the commands themselves; closed streams."""

import itertools
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import steppe as sp
from conftest import PATIENCE
from steppe.cli import application
from steppe.cli.guard import Names, check_files
from test_cli import process, run

GRAPH = "p sp 3 2\na 1 2 5\na 2 3 7\n"
WORDS = {  # parameters with a text that names no file
    "attributes",
    "bands",
    "by",
    "columns",
    "decimal",
    "device",
    "encoding",
    "file_format",
    "method",
    "metric",
    "names",
    "near",
    "offsets",
    "profile",
    "source",
    "target",
    "to_format",
}
VALUES = {"bands": "5", "scale": "4", "device": "cpu"}
WRITERS = {"sssp", "bfs", "route", "distances", "all_pairs", "nearest", "isochrone", "plot", "convert", "partition"}


def commands():
    """Return the words that call each command, and its function."""
    app = application()
    found = [((), app), *(((group.name,), group.typer_instance) for group in app.registered_groups)]
    return {
        (*words, info.name or info.callback.__name__.replace("_", "-")): info.callback
        for words, typer in found
        for info in typer.registered_commands
    }


def parameters(function):
    """Yield the name of each parameter, its types, what files it names, and how it is given: None for an argument."""
    for name, kind in get_type_hints(function, include_extras=True).items():
        if name == "return":
            continue
        base, *signs = get_args(kind) if hasattr(kind, "__metadata__") else (kind,)
        named = [sign for sign in signs if isinstance(sign, Names)]
        (info,) = [sign for sign in signs if hasattr(sign, "help")] or [None]
        words = [getattr(info, "default", None), *(getattr(info, "param_decls", None) or ())]
        options = [word for word in words if isinstance(word, str) and word.startswith("-")]
        argument = info is None or type(info).__name__ == "ArgumentInfo"
        yield (
            name,
            base,
            named[0] if named else None,
            None if argument else (options or [f"--{name.replace('_', '-')}"])[0],
        )


def test_every_text_is_a_file_or_known_to_be_none():
    """Who adds a parameter says whether it names a file: in its type, or here."""
    assert len(commands()) >= 19
    written = set()
    for words, function in commands().items():
        for name, base, sign, _ in parameters(function):
            texts = base is str or str in itertools.chain(*map(get_args, (base, *get_args(base))), get_args(base))
            if sign is None and texts:
                assert name in WORDS, f"{' '.join(words)}: does {name} name a file?"
            if sign is Names.WRITTEN:
                written.add(function.__name__)
    assert written >= WRITERS | {"rmat", "grid", "random", "road"}


def cases():
    for words, function in commands().items():
        signs = {name: sign for name, _, sign, _ in parameters(function) if sign is not None}
        reads = [name for name, sign in signs.items() if sign is not Names.WRITTEN]
        writes = [name for name, sign in signs.items() if sign is Names.WRITTEN]
        for read, write in itertools.product(reads, writes):
            yield pytest.param(words, function, read, write, id=f"{'-'.join(words)}:{read}:{write}")


def other_name(path, how):
    """Return another name of a file."""
    other = path.with_name("other" + path.suffix)
    if how == "symbolic":
        other.symlink_to(path)
    elif how == "hard":
        other.hardlink_to(path)
    elif how == "dotted":
        return os.path.join(path.parent, ".", path.name)  # noqa: PTH118 - pathlib would tidy it
    elif how == "folder":
        (path.parent / "link").symlink_to(path.parent)
        return path.parent / "link" / path.name
    else:
        return path
    return other


@pytest.mark.parametrize("how", ["same", "symbolic", "hard", "dotted", "folder"])
@pytest.mark.parametrize(("words", "function", "read", "write"), list(cases()))
def test_no_command_writes_to_what_it_reads(tmp_path, words, function, read, write, how):
    graph, shared = tmp_path / "g.gr", tmp_path / "shared.csv"
    for file in (graph, shared):
        file.write_text(GRAPH)
    given = []
    for name, base, sign, option in parameters(function):
        value = None
        if name == write:
            value = other_name(shared, how)
        elif name == read:
            value = f"@{shared}" if sign is Names.LISTED else shared
        elif name == "file":
            value = graph
        elif sign is Names.WRITTEN and option is None:
            value = tmp_path / "elsewhere.csv"
        elif option is None or name in VALUES or name == "source":
            value = VALUES.get(name, "1")
        elif sign is Names.LISTED and name == "sources" and type(None) not in get_args(base):
            value = "1"
        given += [] if value is None else [value] if option is None else [option, value]
    said = run(*words, *given, code=2)
    assert "is the file that is read" in said.stderr, said.stderr
    assert (graph.read_text(), shared.read_text()) == (GRAPH, GRAPH)


def test_files_that_belong_to_what_is_read(tmp_path):
    sp.write(sp.Graph.from_edges([0, 1], [1, 2], [5, 7]), tmp_path / "x.e")
    for suffix in (".v", ".properties"):
        beside = tmp_path / f"x{suffix}"
        beside.write_text("0\n1\n2\n")
        out = tmp_path / "out.csv"
        out.symlink_to(beside)
        assert "is the file that is read" in run("sssp", tmp_path / "x.e", "-s", 0, "-o", out, code=2).stderr
        assert beside.read_text() == "0\n1\n2\n"
        out.unlink()
    text = tmp_path / "y.v"
    text.write_text("1 2\n")
    words = ("convert", text, tmp_path / "y.txt", "--format", "txt", "--to", "e")
    assert "is the file that is read" in run(*words, code=2).stderr
    assert text.read_text() == "1 2\n"


def test_a_folder_with_the_input_in_it(tmp_path):
    folder = tmp_path / "m.zarr"
    folder.mkdir()
    graph = folder / "g.gr"
    graph.write_text(GRAPH)
    link = tmp_path / "link.zarr"
    link.symlink_to(folder)
    for out in (folder, link):
        said = run("distances", graph, "-s", 1, "-o", out, "--force", code=2)
        assert "is the file that is read" in said.stderr
        assert graph.read_text() == GRAPH


def test_two_outputs_at_one_place(tmp_path):
    graph = tmp_path / "g.gr"
    graph.write_text(GRAPH)
    assert "written twice" in run("convert", graph, tmp_path / "x.csv", "--map", f"{tmp_path}/./x.csv", code=2).stderr
    assert "two files at once" in run("convert", graph, "-", "--to", "csv", "--map", "-", code=2).stderr
    assert "two files at once" in run("distances", "-", "--pairs", "-", code=2).stderr
    assert "two files at once" in run("distances", graph, "-s", "@-", "-t", "@-", code=2).stderr
    assert [p.name for p in tmp_path.iterdir()] == ["g.gr"]


def test_standard_streams_are_files_too(tmp_path):
    graph = tmp_path / "g.gr"
    graph.write_text(GRAPH)
    with graph.open("a") as stream:  # >> g.gr
        done = subprocess.run(
            [sys.executable, "-m", "steppe", "convert", str(graph), "-", "--to", "csv"],
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode, "standard output leads to the file that is read" in done.stderr) == (2, True)
    with graph.open() as stream:
        done = process("sssp", "-", "--format", "gr", "-s", 1, "-o", graph.rename(tmp_path / "g.csv"), stdin=stream)
    assert (done.returncode, "is the file that is read" in done.stderr) == (2, True)
    assert (tmp_path / "g.csv").read_text() == GRAPH


def test_nothing_meets_nothing():
    check_files(["-"], ["-"])
    check_files(["nowhere"], ["nowhere", "elsewhere"])


CLOSED = """
import json, os, sys
for number in map(int, sys.argv[1]):
    os.close(number)
    setattr(sys, ("stdin", "stdout", "stderr")[number], None)
from steppe.cli import application, guard
guard.open_streams()
told = {}
for line in sys.argv[3:]:
    try:
        application()(line.split(), prog_name="steppe")
    except SystemExit as error:
        told[line] = error.code or 0
with open(sys.argv[2], "w") as file:
    json.dump(told, file)
"""

# Each command, and the streams that it cannot do without (0: input, 1: output).
LINES = {
    "sssp g.gr -s 1 -o sssp.npy": "",
    "bfs g.gr -s 1": "1",
    "route g.gr -s 1 -t 3 -o -": "1",
    "distances g.gr -s 1,2 -o m.npy": "",
    "distances g.gr -s @- -o n.npy": "0",
    "distances g.gr --pairs -": "01",
    "all-pairs g.gr": "1",
    "all-pairs g.gr -o a.zarr": "",
    "nearest g.gr -s 1 -o near.csv": "",
    "isochrone g.gr -s 1 --bands 5 -o iso.csv": "",
    "verify g.gr sssp.npy -s 1": "1",
    "info g.gr": "1",
    "info - --format gr": "01",
    "convert g.gr g.csv": "",
    "convert g.gr - --to csv": "1",
    "partition g.gr parts --parts 2": "",
    "generate grid 3 4 -o grid.gr": "",
    "bench g.gr --repeat 1 --sources 1": "1",
    "devices": "1",
}


@pytest.mark.parametrize("numbers", ["0", "1", "2", "01", "12", "012"])
def test_closed_streams(tmp_path, numbers):
    """A command that needs a closed stream says so; the others do their work, and nothing that is printed gets into a file of theirs."""
    (tmp_path / "g.gr").write_text(GRAPH)
    words = [sys.executable, "-c", CLOSED, numbers, str(tmp_path / "told"), *LINES]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, input="", timeout=PATIENCE, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    told = json.loads((tmp_path / "told").read_text())
    assert set(told) == set(LINES)
    for line, needed in LINES.items():
        empty = (
            "0" in needed and "--pairs" not in line
        )  # standard input has no graph and no vertices, but may have no pairs
        if set(needed) & set(numbers) or empty:
            assert told[line] == 2, line
        else:
            assert told[line] == 0, (line, done.stderr)
    if "2" not in numbers:
        assert ("standard input is closed" in done.stderr) == ("0" in numbers)
        assert ("standard output is closed" in done.stderr) == ("1" in numbers)
    files = {p.name for p in tmp_path.iterdir()} - {"told"}
    assert files == {"sssp.npy", "m.npy", "a.zarr", "near.csv", "iso.csv", "g.csv", "g.gr", "parts", "grid.gr"}
    assert (tmp_path / "near.csv").read_text() == "vertex,source,distance\n1,1,0\n2,1,5\n3,1,12\n"
    assert (tmp_path / "g.gr").read_text() == GRAPH


@pytest.mark.skipif(os.name == "nt", reason="no shell of this kind")
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("info g.gr >&-", 2, "standard output is closed"),
        ("info - --format gr <&-", 2, "standard input is closed"),
        ("--version >&-", 0, ""),
        ("info nowhere.gr 2>&-", 2, ""),
        ("info g.gr > /dev/full", 2, "No space left"),
        ("--version > /dev/full", 2, "No space left"),
        ("--help > /dev/full", 2, "No space left"),
        ("info nowhere.gr 2> /dev/full", 2, ""),
        ("info g.gr 1< g.gr", 2, "leads to the file that is read"),
        ("info g.gr 1< /dev/null", 2, "Bad file descriptor"),
        ("info - --format gr 0> x", 2, "Bad file descriptor"),
    ],
)
def test_streams_as_a_shell_gives_them(tmp_path, line, code, words):
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("no full device here")
    (tmp_path / "g.gr").write_text(GRAPH)
    command = f"{shlex.quote(sys.executable)} -m steppe {line}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(("encoding", "printed"), [("ascii", "Übersee…"), ("latin-1", "Übersee\\u2026")])
def test_every_character_is_printed_whatever_the_locale_knows(tmp_path, encoding, printed):
    (tmp_path / "g.csv").write_text("a,Übersee…,1\nÜbersee…,z,1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "steppe", "route", "g.csv", "-s", "a", "-t", "z"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout.decode("utf-8" if encoding == "ascii" else encoding)
