"""The documentation as a site: it builds without a warning, has every public name, and needs nobody else's server."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import steppe
import steppe.csgraph

ROOT = Path(__file__).parents[1]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site, built as `make docs` builds it."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-d", folder / "cache", "-b", "html"]
    done = subprocess.run([*words, ROOT / "docs", folder / "html"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_every_public_name_is_in_the_reference(site):
    from sphinx.util.inventory import InventoryFile

    with (site / "objects.inv").open("rb") as file:
        names = {
            name
            for kind, found in InventoryFile.load(file, "", str.__add__).items()
            if kind[:3] == "py:"
            for name in found
        }
    wanted = {f"steppe.{name}" for name in steppe.__all__} | {
        f"steppe.csgraph.{name}" for name in steppe.csgraph.__all__
    }
    assert wanted - names == set(), "docs/conf.py makes the reference from __all__: why not of these?"
    assert {"steppe.Graph.from_frame", "steppe.Graph.to_scipy", "steppe.Paths.verify", "steppe.generate.road"} <= names


def test_a_new_public_name_gets_an_entry_and_a_new_room_a_page(monkeypatch):
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    conf = load(ROOT / "docs" / "conf.py")

    def fresh():
        """Do something new."""

    fresh.__module__ = "steppe.cellar.fresh"
    monkeypatch.setattr(steppe, "fresh", fresh, raising=False)
    monkeypatch.setattr(steppe, "__all__", [*steppe.__all__, "fresh"])
    assert conf.pages()["cellar"] == [".. autofunction:: steppe.fresh", ""]


def test_a_role_that_names_nothing_is_noticed():
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    conf = load(ROOT / "docs" / "conf.py")
    assert all(
        map(conf.exists, ["steppe.sssp", "steppe.files.heading", "steppe.Paths.verify", "steppe.Route.distance"])
    )
    assert not any(
        map(conf.exists, ["sssp", "steppe.ssp", "steppe.files.headings", "steppe.Paths.prove", "steppe.Route.length"])
    )


def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    problems, _ = load(ROOT / "tools" / "site.py").check(site)
    assert problems == []


def test_the_check_of_links_can_fail(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="other.html#there">right</a><a href="https://example.org/">right</a><a href="gone.html">wrong</a>'
        '<a href="other.html#nowhere">wrong</a><img src="https://example.org/a.png"><script src="//example.org/a.js"></script>'
    )
    (tmp_path / "other.html").write_text('<p id="there">')
    (tmp_path / "style.css").write_text("@import url(https://example.org/font.css)")
    problems, others = load(ROOT / "tools" / "site.py").check(tmp_path)
    assert len(problems) == 5
    assert "https://example.org/" in others


def test_pictures_are_drawn_from_runs_that_agree_with_the_engines(tmp_path):
    """The script asserts that what it draws is what the engines report; those pictures that need a device are left to `make pictures`."""
    script = ROOT / "tools" / "pictures.py"
    done = subprocess.run([sys.executable, script, tmp_path, "--cpu"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    drawn = {path.name for path in tmp_path.iterdir()}
    kept = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert kept == drawn | {"how-parts.svg", "how-edges.svg"}
    pages = " ".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert [name for name in kept if f"pictures/{name}" not in pages] == []
