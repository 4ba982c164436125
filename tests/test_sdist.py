"""The source distribution holds everything that is in the repository, and its version. `make test-sdist` builds, installs and tests it."""

import os
import shutil
import subprocess
import sys
import tarfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_OUT = {".git_archival.txt"}  # of use in archives made by git alone


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    for package in ("scikit_build_core", "setuptools_scm"):
        pytest.importorskip(package, reason="a source distribution is built with it")
    folder = tmp_path_factory.mktemp("sdist")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "sdist.py", folder],
        env=os.environ | {"SETUPTOOLS_SCM_PRETEND_VERSION": "9.8.7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.splitlines()[-1])


def names(archive):
    with tarfile.open(archive) as file:
        return {member.name.partition("/")[2] for member in file.getmembers() if member.isfile()}


def test_it_has_every_file_of_the_repository_and_no_other(archive):
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no repository to compare with")
    listed = subprocess.check_output([git, "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, text=True)
    kept = {name for name in listed.split("\0") if name and (ROOT / name).is_file()} - LEFT_OUT
    assert names(archive) == kept | {"PKG-INFO"}


def test_it_has_what_make_test_needs(archive):
    """Whatever the repository holds: these are the files that building, testing and documenting begin with."""
    needed = {
        "Makefile",
        "pyproject.toml",
        "CMakeLists.txt",
        "cpp/CMakeLists.txt",
        "cpp/steppe.hpp",
        "examples/cpp/main.cpp",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs/conf.py",
        "tools/site.py",
        "tests/conftest.py",
    }
    needed |= {
        "cpp/bindings/module.cpp",
        "src/steppe/__init__.py",
        "src/steppe/gpu/kernels/frontier.c",
        ".github/requirements/build.in",
        "examples/demo.py",
    }
    assert needed - names(archive) == set()


def test_its_name_and_metadata_have_the_version(archive):
    assert archive.name == "steppe-9.8.7.tar.gz"
    with tarfile.open(archive) as file:
        text = file.extractfile("steppe-9.8.7/PKG-INFO").read().decode()
    fields = HeaderParser().parsestr(text)
    assert fields["Version"] == "9.8.7"
    assert any(value.startswith("Homepage, https://") for value in fields.get_all("Project-URL"))
