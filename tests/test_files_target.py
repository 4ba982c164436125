"""How files are replaced: whole or not at all, with their mode, through links, and never a pipe by a file."""

import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import steppe as sp
from conftest import PATIENCE
from steppe.files.target import Target
from test_files import arcs

GRID = sp.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 3, 0], [1, 2, 3, 4, 5])
PACKINGS = ["", ".gz", ".xz", ".zst"]


def names(folder):
    return sorted(p.name for p in folder.iterdir())


posix = pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes as on Unix")


@posix
def test_the_mode_of_a_replaced_file_is_kept(tmp_path):
    path = tmp_path / "x.gr"
    for mode in (0o600, 0o664, 0o400):
        path.write_text("old")
        path.chmod(mode)
        sp.write(GRID, path)
        assert stat.S_IMODE(path.stat().st_mode) == mode
    before = os.umask(0o027)
    try:
        sp.write(GRID, tmp_path / "new.gr")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.gr").stat().st_mode) == 0o640


@posix
def test_links_are_followed(tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "x.gr"
    link.symlink_to(Path("far", "y.gr"))
    for _ in range(2):  # into nowhere, then onto a file
        sp.write(GRID, link)
        assert link.is_symlink()
        assert arcs(sp.read(tmp_path / "far" / "y.gr")) == arcs(sp.read(link))
    (tmp_path / "loop.gr").symlink_to("loop.gr")
    with pytest.raises(OSError, match="symbolic links"):
        sp.write(GRID, tmp_path / "loop.gr")
    assert names(tmp_path) == ["far", "loop.gr", "x.gr"]
    assert names(tmp_path / "far") == ["y.gr"]


@posix
def test_pipes_are_written_into(tmp_path):
    pipe = tmp_path / "x.wel.gz"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nobody reads"):
        sp.write(GRID, pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        sp.write(GRID, pipe)
        assert gzip.decompress(os.read(reader, 1 << 16)) == b"0 1 1\n0 2 2\n1 3 3\n2 3 4\n3 0 5\n"
    finally:
        os.close(reader)
    os.mkfifo(tmp_path / "x.steppe")
    with pytest.raises(OSError, match="needs a real one"):
        sp.generate.to_file(tmp_path / "x.steppe", "grid", 3, 3)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["x.steppe", "x.wel.gz"]


@posix
def test_devices_are_written_into(tmp_path):
    device = tmp_path / "null"  # one of our own: a writer that fails this test would replace the machine's
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.write_bytes(b"")
    except (OSError, AttributeError):
        pytest.skip("no devices can be made here")
    sp.write(GRID, device, format="gr")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert names(tmp_path) == ["null"]


def test_a_failed_packed_stream_has_no_proper_end(tmp_path, monkeypatch):
    """Who reads from a pipe must see that the data are not all there."""
    if os.name == "nt":
        pytest.skip("pipes as on Unix")
    pipe = tmp_path / "x.wel.gz"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def fail(graph, file, **_):
        file.write(b"0 1 1\n" * 9)
        raise ZeroDivisionError

    monkeypatch.setattr("steppe.files.text.write_edges", fail)
    with pytest.raises(ZeroDivisionError):
        sp.write(GRID, pipe)
    data = os.read(reader, 1 << 16)
    os.close(reader)
    with pytest.raises(EOFError):
        gzip.decompress(data)


def test_folders_and_missing_folders(tmp_path):
    (tmp_path / "d.gr").mkdir()
    with pytest.raises(IsADirectoryError):
        sp.write(GRID, tmp_path / "d.gr")
    with pytest.raises(FileNotFoundError) as caught:
        sp.write(GRID, tmp_path / "nowhere" / "x.gr")
    assert caught.value.filename == str(tmp_path / "nowhere" / "x.gr")
    sp.write(GRID, tmp_path / ("x" * 247 + ".gr"))


def test_drafts_of_the_dead_are_removed_and_of_the_living_not(tmp_path, monkeypatch):
    code = "import sys, os; from pathlib import Path; from steppe.files.target import Target\n"
    code += "t = Target(); t.open(Path(sys.argv[1])).write(b'x' * 99999); os._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x.gr")], check=False, timeout=PATIENCE)
    assert len(names(tmp_path)) == 1
    mine = tmp_path / ".notes.part"
    mine.write_text("not a draft of ours")
    with Target() as living:
        living.open(tmp_path / "y.gr").write(b"y")
        assert [name[:6] for name in names(tmp_path)] == [".notes", ".y.gr."]
        subprocess.run(
            [sys.executable, "-c", code.replace("os._exit(1)", ""), str(tmp_path / "z.gr")],
            check=False,
            timeout=PATIENCE,
        )
    assert (tmp_path / "y.gr").read_bytes() == b"y"
    assert {".notes.part", "y.gr"} <= set(names(tmp_path))


@posix
def test_what_is_renamed_is_on_the_disk(tmp_path, monkeypatch):
    """The file before its rename, the folder after it: else a power failure leaves an empty file, or the old one again."""
    told = []
    sync, replace = os.fsync, Path.replace

    def fsync(fd):
        told.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        sync(fd)

    def rename(self, to):
        told.append("rename")
        return replace(self, to)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", rename)
    sp.write(GRID, tmp_path / "x.gr")
    assert told == ["file", "rename", "folder"]
    told.clear()
    sp.write(GRID, tmp_path / "x.e")
    assert told == ["file", "file", "folder", "rename", "rename", "folder"]
    told.clear()
    sp.all_pairs(GRID, out=tmp_path / "x.npy")
    assert told == ["file", "file", "rename", "folder"]  # once with the journal, once without


def test_zst_has_a_checksum(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "x.gr.zst"
    sp.write(GRID, path)
    assert zstandard.get_frame_parameters(path.read_bytes()).has_checksum


@pytest.mark.parametrize("packing", PACKINGS)
def test_edges_and_vertices_appear_together_or_not_at_all(tmp_path, monkeypatch, packing):
    path = tmp_path / ("x.e" + packing)
    sp.write(GRID, path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert sorted(before) == ["x.e" + packing, "x.v" + packing]
    larger = sp.generate.grid(5, 5)
    real = Path.replace

    def fail(self, to):
        if str(to).endswith(".e" + packing):
            raise OSError(28, "No space left on device")
        return real(self, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="No space") as caught:
            sp.write(larger, path)
    assert caught.value.filename == str(path)
    assert str(caught.value).endswith(f"{str(path)!r}")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    with monkeypatch.context() as patch:
        patch.setattr("steppe.files.text.write_edges", lambda *a, **k: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sp.write(larger, path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    sp.write(larger, path)
    assert arcs(sp.read(path)) == arcs(larger)
    assert names(tmp_path) == sorted(before)


def test_a_mixture_left_by_a_crash_is_refused(tmp_path):
    sp.write(GRID, tmp_path / "x.e")
    (tmp_path / "x.e.unfinished").touch()
    with pytest.raises(sp.FormatError, match="were being replaced"):
        sp.read(tmp_path / "x.e")
    sp.write(GRID, tmp_path / "x.e")
    assert arcs(sp.read(tmp_path / "x.e")) == arcs(GRID)
    assert names(tmp_path) == ["x.e", "x.v"]


def test_the_format_e_under_another_name(tmp_path):
    sp.write(GRID, tmp_path / "x.dat", format="e")
    assert names(tmp_path) == ["x.dat", "x.v"]
    assert arcs(sp.read(tmp_path / "x.dat", format="e")) == arcs(GRID)
    with pytest.raises(sp.GraphError, match=r"write the \.e file"):
        sp.write(GRID, tmp_path / "x.v", format="e")


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_vertices_of_something_else_are_kept(tmp_path, packing):
    """A ``.v`` file alone is no companion of ours: it may be a program in Verilog."""
    stranger = tmp_path / ("x.v" + packing)
    stranger.write_text("module x;")
    with pytest.raises(FileExistsError, match=r"there without x\.e"):
        sp.write(GRID, tmp_path / ("x.e" + packing))
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(stranger.name, "module x;")]
    stranger.unlink()
    for _ in range(2):  # both are replaced together
        sp.write(GRID, tmp_path / ("x.e" + packing))


def test_a_mark_that_is_not_ours_is_kept(tmp_path):
    mark = tmp_path / "x.e.unfinished"
    mark.write_text("mine")
    with pytest.raises(FileExistsError, match="not a mark of ours"):
        sp.write(GRID, tmp_path / "x.e")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(mark.name, "mine")]
