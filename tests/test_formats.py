"""The registry of formats: everything that speaks of formats takes them from it, and a new one is a module and a line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import steppe as sp
from conftest import PATIENCE
from fuzz_files import guided, seeds
from steppe.files import format as form
from steppe.files import formats

ROOT = Path(__file__).parents[1]
SUFFIXES = {suffix: one for one in formats.FORMATS for suffix in one.suffixes}
GIVEN = {
    "directed": True,
    "coordinates": "x.co",
    "encoding": "latin-1",
    "profile": "car",
    "decimal": ",",
    "source": 0,
    "target": 1,
    "weight": 2,
    "attributes": ["km"],
    "missing": "drop",
}


def test_every_suffix_and_alias_means_one_format():
    every = [name for one in formats.FORMATS for name in (*one.suffixes, *one.aliases)]
    assert len(every) == len(set(every))
    for one in formats.FORMATS:
        assert {*one.aliases.values(), *one.magic, *one.looks} <= set(one.suffixes), one.name
        assert one.looks == {} or not one.opens


def test_the_table_of_the_documents_is_the_registry():
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| `.")]
    told = {}
    for names, _, read, written, *_ in rows:
        assert read == "✓"
        for name in re.findall(r"`(\.[\w.]+)`", names):
            told[name] = told.get(name, False) or bool(written)
    known = {}
    for one in formats.FORMATS:
        known |= dict.fromkeys((*one.suffixes, *one.aliases, *one.beside[:1]), one.write is not None)
    assert told == known


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_options_that_a_format_does_not_take_are_refused(suffix, tmp_path):
    path = tmp_path / ("x" + suffix)
    path.write_bytes(b"x")
    refused = set(GIVEN) - set(SUFFIXES[suffix].takes)
    for name in refused:
        with pytest.raises(sp.GraphError, match=rf"^\{suffix} files .*: leave {name}= out"):
            sp.read(path, **{name: GIVEN[name]}, format=suffix)
    assert "profile" in refused or suffix in formats.named("osm")[0].suffixes
    assert {name for name in form.ReadOptions.__dataclass_fields__ if name != "suffix"} == set(GIVEN)


@pytest.mark.parametrize("suffix", [suffix for suffix, one in SUFFIXES.items() if one.write is None])
def test_what_is_only_read_is_not_written(suffix, tmp_path):
    g = sp.Graph.from_edges([0], [1])
    with pytest.raises(sp.GraphError, match=rf"^\{suffix} files are read, not written; write one of .*\bgr\b"):
        sp.write(g, tmp_path / ("x" + suffix), format=suffix)
    assert list(tmp_path.iterdir()) == []


def test_fuzzers_have_files_of_every_format():
    read = {suffix for suffix, one in SUFFIXES.items() if not one.opens}
    assert {file.name.removeprefix("x") for file in seeds.corpus()} > read - {".co"}
    assert {name.removeprefix("x") for name in guided.names()} > read


def test_the_command_line_names_what_it_can_write(monkeypatch):
    typer = pytest.importorskip("typer.testing")
    from steppe.cli import application

    monkeypatch.setenv("COLUMNS", "1000")
    said = typer.CliRunner().invoke(application(), ["convert", "--help"]).output
    assert formats.listed(written=True) in said
    assert "osm" not in formats.listed(written=True)
    assert all(f"``{suffix}``" in sp.write.__doc__ for suffix, one in SUFFIXES.items() if one.write is not None)


TOY = '''
"""Toy: a line TOY, then an edge in each line, with a colon between its ends."""

import numpy as np

from ..graph.graph import Graph
from .format import PLAIN, Format


def read(source, options):
    lines = [line for _, _, line in source.lines()][1:]
    ends = np.array([line.split(":") for line in lines if line], dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(*ends.T, directed=options.directed is not False)


def write(graph, file, suffix):
    u, v, _ = graph.edges()
    file.write(b"TOY\\n" + b"".join(b"%d:%d\\n" % edge for edge in zip(u.tolist(), v.tolist())))


FORMAT = Format("Toy", (".toy",), read, write, aliases={".toys": ".toy"}, magic={".toy": rb"TOY\\n"})
'''
USED = """
import sys
import steppe as sp

assert sp.__file__.startswith(sys.argv[1]), sp.__file__
g = sp.Graph.from_edges([0, 1, 2], [1, 2, 0])
for name in ("x.toy", "x.toys.gz"):
    sp.write(g, name)
    back = sp.read(name)
    assert [x.tolist() for x in back.edges()[:2]] == [x.tolist() for x in g.edges()[:2]], name
assert open("x.toy", "rb").read() == b"TOY\\n0:1\\n1:2\\n2:0\\n"
with open("x", "wb") as file:
    file.write(b"TOY\\n3:4\\n")
assert sp.read("x").num_edges == 1
assert sp.read("x.toy", format="toy", directed=False).num_edges == 6
try:
    sp.read("x.toy", weight="km")
except sp.GraphError as error:
    print(error)
from steppe.files import formats
assert "toy" in formats.listed(written=True)
"""


def test_a_format_is_a_module_and_a_line(tmp_path):
    """In a copy of the package."""
    copy = tmp_path / "steppe"
    shutil.copytree(Path(sp.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for core in Path(sys.modules["steppe._core"].__file__).parent.glob("_core*"):
        if not (copy / core.name).exists():
            (copy / core.name).symlink_to(core)
    (copy / "files" / "toy.py").write_text(TOY)
    registry = (copy / "files" / "formats.py").read_text()
    assert registry.count("    tntp,\n") == registry.count("    tntp.FORMAT,\n") == 1
    registry = registry.replace("    tntp,\n", "    tntp,\n    toy,\n")
    (copy / "files" / "formats.py").write_text(
        registry.replace("    tntp.FORMAT,\n", "    tntp.FORMAT,\n    toy.FORMAT,\n")
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", USED, tmp_path],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == ".toy files have no columns to choose from: leave weight= out\n", done.stderr


@pytest.mark.parametrize("alias", ["edges", "MM", "pajek", "feather"])
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_an_alias_is_read_and_written_as_what_it_means(alias, packing, tmp_path):
    if alias == "feather":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"x.{alias}{packing}"
    sp.write(sp.Graph.from_edges([0, 1], [1, 2], [5, 7]), path)
    assert sp.read(path).edges()[2].tolist() == [5, 7]
    assert formats.of_name(path) in {".txt", ".mtx", ".net", ".arrow"}
