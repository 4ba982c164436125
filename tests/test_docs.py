"""What the documents show is run: Python blocks page by page, `steppe …` lines, and the examples in docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import steppe
from conftest import PATIENCE

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_blocks(page, tmp_path, monkeypatch):
    """Blocks of a page share their names; a line ending in `# → text` must print that text."""
    monkeypatch.chdir(tmp_path)
    code = "".join(blocks(page, "python"))
    expected = re.findall(r"# → (.*)$", code, re.MULTILINE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(page), "exec"), {"__name__": page.stem})  # noqa: S102
    rest = iter(printed.getvalue().splitlines())
    assert all(line in rest for line in expected), f"{expected}\nwas promised, printed was\n{printed.getvalue()}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_steppe_commands(page, tmp_path):
    """Commands of a page run one after the other in an empty folder and all succeed."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("steppe ")]
    for line in lines:
        words = shlex.split(line, comments=True)
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_links_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert link.startswith("https://") or (page.parent / link).exists(), f"{page.name}: {link}"


MODULES = [
    "steppe",
    *(m.name for m in pkgutil.walk_packages(steppe.__path__, "steppe.") if not m.name.endswith(("__main__", "_core"))),
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    assert doctest.testmod(module).failed == 0
