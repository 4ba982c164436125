"""distances(out=): written in blocks, continued after an interruption, and believed only where digests match."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from steppe.files import matrix_file
from steppe.planning import bytes as sizes

FAR = sp.UNREACHABLE
SIMPLE = sp.Graph.from_edges(["a", "a", "b", "d"], ["b", "c", "c", "a"], [5, 9, 3, 1], relabel=True)
ROW = 300 * 8
END = 128 + 300 * ROW  # of the rows in the file


@pytest.fixture(scope="module")
def graph():
    return sp.generate.random(300, 1200, weights=(0, 50), seed=4)


@pytest.fixture(scope="module")
def right(graph):
    return sp.all_pairs(graph)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(sizes, "BLOCK", ROW * 20)


def interrupt(graph, path, after=100, **options):
    """Begin a matrix and stop; return the growing file."""

    def stop(done):
        if done.done >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(graph, out=path, progress=stop, threads=2, **options)
    return path.with_name(path.name + ".rows")


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_out_is_written_in_blocks(graph, right, tmp_path):
    told = []
    path = tmp_path / "all.npy"
    got = sp.all_pairs(graph, out=path, dtype="uint16", progress=lambda p: told.append(p.done))
    assert isinstance(got, np.memmap)
    assert not got.flags.writeable
    expected = np.where(right == FAR, 65535, right).astype(np.uint16)
    assert np.array_equal(np.load(path), expected)
    assert path.stat().st_size == 128 + expected.nbytes
    assert (told[-1], sorted(told)) == (300, told)
    assert names(tmp_path) == ["all.npy"]
    before = path.read_bytes()
    with pytest.raises(sp.StoreError, match="is there already: overwrite=True"):
        sp.distances(graph, [3], out=path)
    assert (path.read_bytes(), names(tmp_path)) == (before, ["all.npy"])
    assert np.array_equal(sp.distances(graph, [3], out=str(path), overwrite=True), right[[3]])


@pytest.mark.parametrize(("sources", "targets"), [([], None), ([], []), ([1, 2], [])])
def test_empty_matrices(graph, tmp_path, sources, targets):
    got = sp.distances(graph, sources, targets, out=tmp_path / "x.npy")
    assert got.shape == (len(sources), 300 if targets is None else 0)
    assert names(tmp_path) == ["x.npy"]


def test_out_goes_on_where_it_was_interrupted(graph, right, tmp_path):
    path = tmp_path / "all.npy"
    growing = interrupt(graph, path)
    assert names(tmp_path) == ["all.npy.rows"]
    told = []
    assert np.array_equal(sp.all_pairs(graph, out=path, progress=lambda p: told.append(p.done)), right)
    assert min(told) > 60  # nothing is computed twice
    assert not growing.exists()


def test_another_question_is_refused_and_nothing_is_lost(graph, tmp_path):
    path = tmp_path / "all.npy"
    growing = interrupt(graph, path)
    before = growing.read_bytes()
    other = sp.generate.random(300, 1200, weights=(0, 50), seed=5)
    for question in ({"cutoff": 3}, {"dtype": "int32"}):
        with pytest.raises(ValueError, match="answers another question"):
            sp.all_pairs(graph, out=path, **question)
    with pytest.raises(ValueError, match="answers another question"):
        sp.all_pairs(other, out=path)
    with pytest.raises(ValueError, match="answers another question"):
        sp.distances(graph, [1, 2], out=path)
    assert growing.read_bytes() == before


def damaged(content, how):
    """Return the growing file after a mishap."""
    at = 128 + 25 * ROW
    if how == "a changed byte":
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    if how == "a hole":
        return content[:at] + bytes(9 * ROW) + content[at + 9 * ROW :]
    if how == "truncated":
        return content[: 128 + 30 * ROW]
    last = END + 40 + int.from_bytes(content[END + 32 : END + 40], "little") + 48 * 3  # the fourth entry of the journal
    if how == "truncated in the journal":
        return content[: last + 41]
    if how == "another matrix":
        return content[:128] + np.arange(300 * 300).tobytes() + content[END:]
    if how == "an empty file":
        return b""
    # An entry that claims rows which are not there.
    return content[: last + 8] + (300).to_bytes(8, "little") + content[last + 16 :]


@pytest.mark.parametrize(
    "how",
    [
        "a changed byte",
        "a hole",
        "truncated",
        "truncated in the journal",
        "another matrix",
        "an empty file",
        "too many rows",
    ],
)
def test_damage_is_computed_again(graph, right, tmp_path, how):
    path = tmp_path / "all.npy"
    growing = interrupt(graph, path)
    growing.write_bytes(damaged(growing.read_bytes(), how))
    assert np.array_equal(sp.all_pairs(graph, out=path), right)
    assert names(tmp_path) == ["all.npy"]


def test_only_the_damaged_block_is_computed_again(graph, right, tmp_path):
    path = tmp_path / "all.npy"
    growing = interrupt(graph, path, after=200)
    growing.write_bytes(damaged(growing.read_bytes(), "a changed byte"))
    told = []
    assert np.array_equal(sp.all_pairs(graph, out=path, progress=lambda p: told.append(p.done)), right)
    assert [done for done in told if done < 160]
    assert not [done for done in told if done <= 20 or 60 < done <= 160]


def test_a_file_that_is_not_ours_is_left_alone(tmp_path):
    growing = tmp_path / "all.npy.rows"
    for content in (b"{", b"precious", b"\x93NUMPY\1\0", bytes(9000)):
        growing.write_bytes(content)
        with pytest.raises(ValueError, match="no unfinished matrix: move it away"):
            sp.all_pairs(SIMPLE, out=tmp_path / "all.npy")
        assert growing.read_bytes() == content
    np.save(tmp_path / "other.npy", np.arange(6))
    (tmp_path / "other.npy").replace(growing)
    for overwrite in (False, True):  # which is said of all.npy, and not of what stands beside it
        with pytest.raises(ValueError, match="no unfinished matrix"):
            sp.all_pairs(SIMPLE, out=tmp_path / "all.npy", overwrite=overwrite)
    assert np.load(growing).tolist() == list(range(6))
    growing.unlink()
    mine = np.arange(16).reshape(4, 4)  # of the type and shape of the matrix
    np.save(tmp_path / "other.npy", mine)
    (tmp_path / "other.npy").replace(growing)
    with pytest.raises(sp.StoreError, match="has no journal, and may be another's file: overwrite=True begins anew"):
        sp.all_pairs(SIMPLE, out=tmp_path / "all.npy")
    assert np.array_equal(np.load(growing), mine)


def test_a_file_of_another_version_is_kept(tmp_path):
    growing = tmp_path / "all.npy.rows"
    np.save(tmp_path / "other.npy", np.arange(16).reshape(4, 4))
    content = (tmp_path / "other.npy").read_bytes() + b"steppe rows 2\n\0\0" + bytes(32)
    (tmp_path / "other.npy").unlink()
    growing.write_bytes(content)
    with pytest.raises(sp.StoreError, match="another version of steppe: overwrite=True begins anew"):
        sp.all_pairs(SIMPLE, out=tmp_path / "all.npy")
    assert growing.read_bytes() == content
    assert np.array_equal(sp.all_pairs(SIMPLE, out=tmp_path / "all.npy", overwrite=True), sp.all_pairs(SIMPLE))


def test_a_file_that_comes_meanwhile_is_kept(graph, right, tmp_path):
    path = tmp_path / "all.npy"

    def written(_):
        path.write_text("precious")

    with pytest.raises(sp.StoreError, match="is there already"):
        sp.all_pairs(graph, out=path, progress=written)
    assert path.read_text() == "precious"
    told = []
    assert np.array_equal(sp.all_pairs(graph, out=path, overwrite=True, progress=told.append), right)
    assert told == []  # no row was lost


def test_an_empty_file_holds_nothing_to_lose(graph, right, tmp_path):
    (tmp_path / "all.npy").touch()
    assert np.array_equal(sp.all_pairs(graph, out=tmp_path / "all.npy"), right)


def test_overwrite_goes_on_with_the_same_question_and_begins_another_anew(graph, right, tmp_path):
    path = tmp_path / "all.npy"
    np.save(path, np.arange(9))
    interrupt(graph, path, overwrite=True)
    told = []
    assert np.array_equal(sp.all_pairs(graph, out=path, overwrite=True, progress=lambda p: told.append(p.done)), right)
    assert min(told) > 60
    interrupt(graph, path, overwrite=True)
    few = sp.all_pairs(graph, out=path, overwrite=True, cutoff=9)
    assert np.array_equal(few, sp.all_pairs(graph, cutoff=9))
    assert names(tmp_path) == ["all.npy"]
    with pytest.raises(ValueError, match="overwrite= is for out="):
        sp.all_pairs(graph, overwrite=True)


@pytest.mark.parametrize("name", ["x.npy.rows", "x.npy.rows.new"])
def test_links_laid_in_the_way_lead_nowhere(tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / name).symlink_to(victim)
    if name == "x.npy.rows":
        with pytest.raises(ValueError, match="symbolic link"):
            sp.all_pairs(SIMPLE, out=tmp_path / "x.npy")
    else:
        sp.all_pairs(SIMPLE, out=tmp_path / "x.npy")
    assert victim.read_text() == "precious"


def test_the_old_matrix_stays_until_the_new_one_is_there(graph, right, tmp_path):
    path = tmp_path / "all.npy"
    np.save(path, np.arange(9))
    path.chmod(0o640)
    growing = interrupt(graph, path, overwrite=True)
    assert np.array_equal(np.load(path), np.arange(9))
    assert stat.S_IMODE(growing.stat().st_mode) == 0o640
    assert np.array_equal(sp.all_pairs(graph, out=path, overwrite=True), right)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "x.npy"
    link.symlink_to(tmp_path / "real" / "y.npy")
    sp.all_pairs(SIMPLE, out=link)
    assert link.is_symlink()
    assert names(tmp_path / "real") == ["y.npy"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_folders_are_refused(tmp_path):
    os.mkfifo(tmp_path / "f.npy")
    (tmp_path / "d.npy").mkdir()
    with pytest.raises(OSError, match="needs a file"):
        sp.all_pairs(SIMPLE, out=tmp_path / "f.npy")
    with pytest.raises(IsADirectoryError):
        sp.all_pairs(SIMPLE, out=tmp_path / "d.npy")
    with pytest.raises(FileNotFoundError, match=r"x\.npy'$"):
        sp.all_pairs(SIMPLE, out=tmp_path / "nowhere" / "x.npy")
    assert names(tmp_path) == ["d.npy", "f.npy"]


def test_two_writers_do_not_meet(graph, right, tmp_path):
    path = tmp_path / "x.npy"
    refused = []

    def second(done):
        if done and not refused:
            with pytest.raises(BlockingIOError, match="another process is writing") as caught:
                sp.all_pairs(graph, out=path)
            refused.append(caught.value)

    assert np.array_equal(sp.all_pairs(graph, out=path, progress=second), right)
    assert refused


def test_an_error_at_once_leaves_nothing(graph, tmp_path):
    with pytest.raises(sp.DistanceOverflowError):
        sp.all_pairs(graph, out=tmp_path / "x.npy", dtype="int8")
    assert names(tmp_path) == []


def test_a_full_disk_is_noticed_before(tmp_path):
    g = sp.Graph.from_edges([0], [1], num_vertices=4 * 10**6)
    with pytest.raises(sp.ResultSizeError, match="the disk has"):
        sp.all_pairs(g, out=tmp_path / "large.npy")
    assert names(tmp_path) == []


LIMITED = """
import resource, sys, numpy as np, steppe as sp
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
np.save(sys.argv[1], np.arange(9))
try:
    sp.all_pairs(sp.generate.random(300, 1200), out=sys.argv[1], overwrite=True)
except OSError as error:
    print(type(error).__name__, error.filename == sys.argv[1], np.load(sys.argv[1]).tolist() == list(range(9)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_limit_of_file_size_is_an_error(tmp_path):
    path = tmp_path / "x.npy"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout.split() == ["OSError", "True", "True"], done.stderr
    assert names(tmp_path) == ["x.npy"]


def test_a_rename_that_fails_costs_no_rows(graph, right, tmp_path, monkeypatch):
    path = tmp_path / "x.npy"
    told = []
    with monkeypatch.context() as patch:
        patch.setattr(matrix_file.os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(5, "no")))
        with pytest.raises(OSError, match="no"):
            sp.all_pairs(graph, out=path)
    assert names(tmp_path) == ["x.npy.rows"]
    assert np.array_equal(sp.all_pairs(graph, out=path, progress=lambda p: told.append(p.done)), right)
    assert told == []
