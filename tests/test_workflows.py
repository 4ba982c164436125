"""The workflows: actions are pinned by commit, what builds a wheel by hash, and what is published is attested."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"


def lines(pattern):
    found = [line.strip() for path in sorted(GITHUB.glob("workflows/*")) for line in path.read_text().splitlines()]
    return [line for line in found if re.search(pattern, line)]


def test_every_action_is_pinned_by_commit():
    used = lines(r"\buses:")
    assert len(used) >= 10
    for line in used:
        assert re.search(r"uses: [\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_an_action_has_one_pin():
    pins = {re.search(r"uses: (\S+)@(.+)", line).groups() for line in lines(r"\buses:")}
    assert len({name for name, _ in pins}) == len(pins), pins


@pytest.mark.parametrize("name", ["build", "wheels"])
def test_tools_are_pinned_by_hash(name):
    text = (GITHUB / "requirements" / f"{name}.txt").read_text()
    pinned = re.findall(r"^([\w.-]+)==[\w.]+((?: \\\n +--hash=sha256:[0-9a-f]{64})+)$", text, flags=re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^\w", text, flags=re.MULTILINE)) > 1
    wanted = re.findall(r"^([\w-]+)", (GITHUB / "requirements" / f"{name}.in").read_text(), flags=re.MULTILINE)
    assert {*wanted} <= {tool for tool, _ in pinned}


def test_what_is_published_is_built_with_them_and_attested():
    text = (GITHUB / "workflows" / "wheels.yml").read_text()
    installs = re.findall(r"pipx? (?:install|run) (.+)", text)
    assert installs
    assert all(i.startswith("--require-hashes ") for i in installs)
    jobs = re.split(r"^  (?=\w+:$)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    assert len(jobs) == 2
    for job in jobs:
        assert job.index("actions/attest-build-provenance@") < job.index("actions/upload-artifact@")
        assert re.search(r"permissions: \{.*id-token: write.*attestations: write.*\}", job)
        assert "fetch-depth: 0" in job  # the version is a tag
        assert "! grep -n github.com/OWNER/ pyproject.toml" in job  # nothing is released without a home
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["cibuildwheel"]
    assert "--no-build-isolation" in wheel["build-frontend"]["args"]
    assert wheel["before-build"] == "pip install --require-hashes -r {project}/.github/requirements/build.txt"
    for requirement in project["build-system"]["requires"]:
        assert re.split(r"\W*>", requirement)[0] in (GITHUB / "requirements" / "build.txt").read_text()


def test_wheels_are_made_for_every_system_and_for_free_threads():
    matrix = re.search(r"os: \[(.+)\]", (GITHUB / "workflows" / "wheels.yml").read_text())[1].split(", ")
    assert set(matrix) == {
        "ubuntu-latest",
        "ubuntu-24.04-arm",
        "macos-15-intel",
        "macos-latest",
        "windows-latest",
        "windows-11-arm",
    }
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert {"cp311-*", "cp312-*", "cp314t-*"} == set(wheel["build"].split())


def test_the_home_of_the_project_stands_in_one_place():
    """As long as there is none, a placeholder; this is where to change it."""
    text = [
        (path, path.read_text(encoding="utf-8"))
        for path in [*ROOT.glob("*.*"), *ROOT.glob("docs/*.md")]
        if path.is_file()
    ]
    assert {path.name for path, content in text if "github.com/OWNER" in content} <= {"pyproject.toml"}


def test_the_citation_agrees_with_the_project():
    yaml = pytest.importorskip("yaml", reason="the extra docs brings it")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"].startswith(project["name"] + ":")
    assert cited["license"] == project["license"]
    assert cited["authors"]
    assert cited["message"]
