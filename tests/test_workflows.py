"""The workflows: actions are pinned by commit, what builds a wheel by hash, and what is published is attested."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"

pytestmark = pytest.mark.skipif(not GITHUB.is_dir(), reason="a source distribution has no workflows")


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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["cibuildwheel"]
    assert "--no-build-isolation" in wheel["build-frontend"]["args"]
    assert wheel["before-build"] == "pip install --require-hashes -r {project}/.github/requirements/build.txt"
    for requirement in project["build-system"]["requires"]:
        assert re.split(r"\W*>", requirement)[0] in (GITHUB / "requirements" / "build.txt").read_text()
