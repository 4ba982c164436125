"""``steppe isochrone`` and ``steppe plot``: files that can be opened again, and errors in words."""

import json

import pytest
import shapely

import steppe as sp
from osm_files import STEP, write
from test_cli import facts, run

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def town(tmp_path):
    """Return a DIMACS graph of four crossings in a row, and its places."""
    (tmp_path / "t.gr").write_text("p sp 4 3\na 1 2 100\na 2 3 100\na 3 4 500\n")
    (tmp_path / "t.co").write_text("p aux sp co 4\nv 1 0 0\nv 2 10000 0\nv 3 20000 0\nv 4 30000 0\n")
    return tmp_path / "t.gr", tmp_path / "t.co"


def test_isochrone_writes_geojson(town, tmp_path):
    file, places = town
    out = tmp_path / "bands.geojson"
    told = facts("isochrone", file, "--source", 1, "--bands", "100,300", "--coordinates", places, "-o", out, "--verify")
    assert (told["within_100"], told["within_300"], told["verified"], told["written"]) == (2, 3, True, str(out))
    features = json.loads(out.read_text())["features"]
    assert [feature["properties"] for feature in features] == [
        {"limit": 300, "source": 1, "vertices": 3},
        {"limit": 100, "source": 1, "vertices": 2},
    ]
    shape = shapely.from_geojson(json.dumps(features[0]["geometry"]))
    assert shape.contains(shapely.Point(0.02, 0))
    assert not shape.contains(shapely.Point(0.03, 0))
    printed = run("isochrone", file, "-s", 1, "--bands", "300,100", "--coordinates", places, "-o", "-", "--radius", 100)
    assert len(json.loads(printed.stdout)["features"]) == 2


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures(town, tmp_path, suffix):
    file, places = town
    out = tmp_path / f"map{suffix}"
    begins = {".png": PNG, ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    options = ("--coordinates", places, "-o", out)
    run("isochrone", file, "--near", "0.011,0", "--bands", "100,300", "--names", "near,far", *options)
    assert out.read_bytes().startswith(begins)
    for more in ((), ("--source", 1, "--target", 3), ("--near", "0,0", "--tree")):
        out.unlink()
        assert facts("plot", file, *more, *options)["vertices"] == 4
        assert out.read_bytes().startswith(begins)


def test_tables_and_nothing_at_all(town, tmp_path):
    file, _ = town
    out = tmp_path / "bands.csv"
    assert facts("isochrone", file, "--source", 1, "--bands", "100,300", "-o", out)["within_300"] == 3
    assert out.read_text() == "vertex,distance,limit\n1,0,100\n2,100,100\n3,200,300\n"
    assert facts("isochrone", file, "--source", 4, "--bands", "300", "--reverse")["within_300"] == 1
    assert facts("isochrone", file, "--source", 4, "--bands", "500", "--reverse")["within_500"] == 2


def test_roads_of_openstreetmap(tmp_path):
    file = write(tmp_path / "town.osm.pbf", [(1, [1, 2, 3, 4], {"highway": "footway"})])
    seconds = STEP / (5 / 3.6)
    told = facts("isochrone", file, "--profile", "foot", "--near", "0,0", "--bands", f"{1.5 * seconds},{2.5 * seconds}")
    assert [value for name, value in told.items() if name.startswith("within")] == [2, 3]
    assert told["turn_restrictions"] == "not supported: 0 in the file are not obeyed"
    assert facts("info", file, "--profile", "foot")["edges"] == 6
    assert facts("sssp", file, "--source", 1, "--profile", "foot")["reached"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bands", "100"), "give either --source or --near"),
        (("--bands", "100", "--source", "1", "--near", "0,0"), "give either --source or --near"),
        (("--bands", "100", "--near", "here"), "--near takes a longitude and a latitude"),
        (("--bands", "a,b", "--source", "1"), "could not convert"),
        (("--bands", "-5", "--source", "1"), "limits must be finite and not negative"),
        (("--bands", "100", "--source", "9"), "vertex 9 is not in the graph"),
        (("--bands", "100", "--source", "1", "-o", "x.docx"), "cannot save that as 'x.docx'"),
        (("--bands", "100", "--source", "1", "-o", "x.geojson"), "needs coordinates"),
        (("--bands", "100", "--near", "0,0"), "needs coordinates"),
        (("--bands", "100", "--source", "1", "--profile", "car"), "OpenStreetMap"),
    ],
)
def test_errors_in_words(town, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("isochrone", town[0], *words, code=2)
    assert message in result.stderr
    assert "\n" not in result.stderr.strip()


def test_plot_needs_a_start_for_a_path(town, tmp_path):
    result = run("plot", town[0], "--target", 2, "-o", tmp_path / "a.png", code=2)
    assert "--target and --tree need --source or --near" in result.stderr
    sp.write(sp.Graph.from_edges([0], [1], num_vertices=501), tmp_path / "large.steppe")
    assert "needs coordinates" in run("plot", tmp_path / "large.steppe", "-o", tmp_path / "a.png", code=2).stderr
    assert not (tmp_path / "a.png").exists()
