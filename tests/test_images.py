"""Compiled kernels on disk: what anybody else could have written is not loaded."""

import os
import stat
import sys

import pytest

from steppe.gpu import images

KEY, IMAGE = "0" * 40, b"\x7fELF and so on"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes to look at")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The file of an image that can be trusted."""
    monkeypatch.setenv("STEPPE_CACHE_DIR", str(tmp_path / "cache"))
    images.store(KEY, IMAGE, "text")
    return tmp_path / "cache" / f"{KEY}.cubin"


def test_what_is_stored_is_loaded(kept):
    assert images.load(KEY) == IMAGE
    assert images.load("1" * 40) is None
    assert kept.with_suffix(".cu").read_text() == "text"
    assert sorted(path.suffix for path in kept.parent.iterdir()) == [".cu", ".cubin"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_damaged_image_is_not_loaded(kept):
    good = kept.read_bytes()
    for bad in (b"", IMAGE, good[:-1], good + b"x", good[:-1] + b"?", good.replace(b"0", b"1", 1), good[1:]):
        kept.write_bytes(bad)
        assert images.load(KEY) is None, bad
    kept.write_bytes(good)
    assert images.load(KEY) == IMAGE


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_loaded(kept, mode):
    kept.chmod(mode)
    assert images.load(KEY) is None
    images.store(KEY, IMAGE, "text")  # in its place comes one that is ours alone
    assert images.load(KEY) == IMAGE


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_is_not_used(kept, mode):
    kept.parent.chmod(mode)
    assert images.load(KEY) is None
    images.store("1" * 40, IMAGE, "text")
    assert not (kept.parent / f"{'1' * 40}.cubin").exists()


def test_a_link_is_not_followed(kept, tmp_path):
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    assert images.load(KEY) is None


def test_a_pipe_is_not_waited_for(kept):
    kept.unlink()
    os.mkfifo(kept)
    assert images.load(KEY) is None


def test_somebody_elses_file_is_not_loaded(kept, monkeypatch):
    mine = os.geteuid()
    monkeypatch.setattr(images.os, "geteuid", lambda: mine + 1)
    owner = kept.stat().st_uid
    assert (images.load(KEY) == IMAGE) == (owner == 0)  # root's may be used by all
    facts = os.stat_result((0o100600, 1, 1, 1, mine + 2, 0, 1, 0, 0, 0))
    assert not images._is_ours(facts)


def test_a_user_without_a_home_has_a_folder(monkeypatch):
    """As in a container that runs under a number that nobody has given a name."""

    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("STEPPE_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(images.Path, "home", nobody)
    assert images.folder().name.startswith("steppe-")
