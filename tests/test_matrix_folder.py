"""distances(out=NAME.zarr or NAME.parquet): blocks in a folder, continued after a kill, believed only where digests match."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import zarr

import steppe as sp
from steppe.files import matrix_folder

FAR = sp.UNREACHABLE
KINDS = ["zarr", "parquet"]


@pytest.fixture(scope="module")
def graph():
    return sp.generate.random(300, 1200, weights=(0, 50), seed=4)


@pytest.fixture(scope="module")
def right(graph):
    return sp.all_pairs(graph)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(matrix_folder, "BLOCK", 300 * 8 * 20)


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def zarr_of(folder):
    """Read a store as its specification says, without the package."""
    head = json.loads((folder / ".zarray").read_text())
    assert (head["zarr_format"], head["compressor"], head["filters"], head["order"]) == (2, None, None, "C")
    (rows, columns), (height, width) = head["shape"], head["chunks"]
    assert width == max(1, columns)
    chunks = [
        np.frombuffer((folder / f"{i}.0").read_bytes(), dtype=head["dtype"]).reshape(height, columns)
        for i in range(-(-rows // height))
    ]
    return np.concatenate(chunks)[:rows] if chunks else np.empty((rows, columns), dtype=head["dtype"])


def parquet_of(folder, n):
    found = np.full((n, n), FAR)
    for file in sorted(folder.glob("*.parquet")):
        table = pq.read_table(file)
        found[table["source"].to_numpy(), table["target"].to_numpy()] = table["distance"].to_numpy()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_is_there_as_a_whole(graph, right, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    assert sp.all_pairs(graph, out=path) == path
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]
    found = zarr_of(path) if kind == "zarr" else parquet_of(path, 300)
    assert np.array_equal(found, right)
    sp.distances(graph, [3, 5], [7, 9, 7], out=path, dtype="uint16", overwrite=True)  # takes the place of the other
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]
    if kind == "zarr":
        assert zarr_of(path).dtype == np.uint16
        assert np.array_equal(zarr_of(path), sp.distances(graph, [3, 5], [7, 9, 7], dtype="uint16"))


def test_zarr_is_what_the_package_reads(graph, right, tmp_path):
    sp.all_pairs(graph, out=tmp_path / "all.zarr")
    array = zarr.open_array(str(tmp_path / "all.zarr"), mode="r")
    assert np.array_equal(array[:], right)
    assert array.fill_value == FAR
    reals = sp.Graph.from_edges([0], [1], [0.5], num_vertices=3)
    sp.all_pairs(reals, out=tmp_path / "reals.zarr")
    assert np.array_equal(zarr.open_array(str(tmp_path / "reals.zarr"), mode="r")[:], sp.all_pairs(reals))


def test_parquet_has_the_labels(tmp_path):
    g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    sp.distances(g, ["b", "a"], ["c", "a"], out=tmp_path / "d.parquet")
    (part,) = (tmp_path / "d.parquet").glob("*.parquet")
    assert pq.read_table(tmp_path / "d.parquet").num_rows == 3  # the journal is passed over
    assert pq.read_table(part).to_pylist() == [
        {"source": "b", "target": "c", "distance": 3},
        {"source": "a", "target": "c", "distance": 8},
        {"source": "a", "target": "a", "distance": 0},
    ]


KILLED = """
import os, signal, sys
import steppe as sp
from steppe.files import matrix_folder
matrix_folder.BLOCK = 300 * 8 * 20
g = sp.generate.random(300, 1200, weights=(0, 50), seed=4)
begun, limit = [], int(sys.argv[2])
put = matrix_folder.MatrixFolder._put
def counted(self, name, data):
    if name != ".zarray":
        begun.append(name)
        print(name, flush=True)
        if len(begun) == limit:
            (self.growing / f"{name}.tmp").write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
    put(self, name, data)
matrix_folder.MatrixFolder._put = counted
sp.all_pairs(g, out=sys.argv[1], threads=2)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_killed_three_times_and_gone_on_with(graph, tmp_path, kind):
    sp.all_pairs(graph, out=tmp_path / f"undisturbed.{kind}", threads=1)
    path = tmp_path / f"all.{kind}"
    written = []
    for limit, code in ((4, -9), (1, -9), (7, -9), (100, 0)):
        run = subprocess.run(
            [sys.executable, "-c", KILLED, str(path), str(limit)], capture_output=True, text=True, check=False
        )
        assert run.returncode == code, run.stderr
        names = run.stdout.split()
        written += names if code == 0 else names[:-1]
        assert path.exists() == (code == 0)
    assert len(written) == len(set(written)) == 15  # nothing is done twice
    assert contents(path) == contents(tmp_path / f"undisturbed.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_match_its_digest_is_written_again(graph, tmp_path, kind):
    sp.all_pairs(graph, out=tmp_path / f"undisturbed.{kind}")
    path = tmp_path / f"all.{kind}"

    def stop(progress):
        if progress.done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(graph, out=path, progress=stop)
    growing = tmp_path / f"all.{kind}.rows"
    names = [name for name in contents(growing) if name not in (matrix_folder.JOURNAL, ".zarray")]
    assert len(names) >= 8
    damaged = bytearray((growing / names[2]).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (growing / names[2]).write_bytes(damaged)
    (growing / names[3]).unlink()
    journal = (growing / matrix_folder.JOURNAL).read_bytes()
    (growing / matrix_folder.JOURNAL).write_bytes(journal[:-9])  # the last line is torn
    with pytest.raises(ValueError, match="another question"):
        sp.all_pairs(graph, out=path, cutoff=3)
    sp.all_pairs(graph, out=path)
    assert contents(path) == contents(tmp_path / f"undisturbed.{kind}")


def test_strange_places(graph, tmp_path):
    (tmp_path / "file.zarr").write_text("mine")
    with pytest.raises(NotADirectoryError):
        sp.all_pairs(graph, out=tmp_path / "file.zarr")
    (tmp_path / "x.zarr.rows").mkdir()
    (tmp_path / "x.zarr.rows" / "mine").write_text("mine")
    with pytest.raises(ValueError, match="no unfinished matrix"):
        sp.all_pairs(graph, out=tmp_path / "x.zarr")
    assert (tmp_path / "x.zarr.rows" / "mine").read_text() == "mine"
    with pytest.raises(ValueError, match=r"\.npy file, or of a \.zarr"):
        sp.all_pairs(graph, out=tmp_path / "x.txt")
    path = tmp_path / "empty.zarr"
    sp.distances(graph, [], out=path)
    assert zarr_of(path).shape == (0, 300)
    with pytest.raises(FileNotFoundError):
        sp.all_pairs(graph, out=tmp_path / "nowhere" / "x.zarr")
    (tmp_path / "loop.zarr").symlink_to(tmp_path / "loop.zarr")
    told = []
    with pytest.raises(OSError, match=r"loop\.zarr"):
        sp.all_pairs(graph, out=tmp_path / "loop.zarr", progress=told.append)
    assert told == []
    (tmp_path / "y.zarr.rows").mkdir()
    (tmp_path / "y.zarr.rows" / matrix_folder.JOURNAL).symlink_to(tmp_path / "file.zarr")
    with pytest.raises(sp.StoreError, match="no unfinished matrix"):
        sp.all_pairs(graph, out=tmp_path / "y.zarr")
    assert (tmp_path / "file.zarr").read_text() == "mine"
    (tmp_path / "root.zarr").symlink_to(Path(tmp_path.anchor))
    with pytest.raises(sp.StoreError, match="where a disk is mounted"):
        sp.all_pairs(graph, out=tmp_path / "root.zarr", overwrite=True)


def test_dense_graphs_too(tmp_path):
    u, v = np.divmod(np.arange(150 * 150), 150)
    g = sp.Graph.from_edges(u, v, (u * 31 + v * 17) % 97)
    sp.all_pairs(g, method="floyd-warshall", out=tmp_path / "d.zarr")
    assert np.array_equal(zarr_of(tmp_path / "d.zarr"), sp.all_pairs(g, method="dijkstra"))


def stopped(graph, path, after=200, **options):
    """Begin a matrix and stop; return the growing folder."""

    def stop(progress):
        if progress.done >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(graph, out=path, progress=stop, **options)
    return path.with_name(path.name + ".rows")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_of_somebody_else_is_kept(graph, tmp_path, kind):
    path = tmp_path / f"my.{kind}"
    mine = [path / "precious", tmp_path / f"my.{kind}.before" / "precious", path / ".zarray", path / "0.0"]
    for file in mine:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    with pytest.raises(sp.StoreError, match="nothing in it says that steppe wrote it: overwrite=True deletes all"):
        sp.all_pairs(graph, out=path)
    assert [file.read_text() for file in mine] == ["mine"] * 4
    assert len(list(tmp_path.iterdir())) == 2
    sp.all_pairs(graph, out=path, overwrite=True)
    assert [file.exists() for file in mine[:2]] == [False, True]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_growing_folder_of_somebody_else_is_kept(graph, tmp_path, kind):
    growing = tmp_path / f"x.{kind}.rows"
    growing.mkdir()
    for name, content in ((matrix_folder.JOURNAL, "my own notes"), ("0.0", "mine")):
        (growing / name).write_text(content)
        before = contents(growing)
        for overwrite in (False, True):
            with pytest.raises(sp.StoreError, match="no unfinished matrix: move it away"):
                sp.all_pairs(graph, out=tmp_path / f"x.{kind}", overwrite=overwrite)
        assert contents(growing) == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_finished_folder_is_handed_back(graph, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    sp.all_pairs(graph, out=path)
    (path / "notes.txt").write_text("mine")
    before, told = contents(path), []
    assert sp.all_pairs(graph, out=path, progress=told.append) == path
    assert (told, contents(path)) == ([], before)
    with pytest.raises(
        sp.StoreError, match=r"finished and answers another question: cutoff \(there none, here 3\); over"
    ):
        sp.all_pairs(graph, out=path, cutoff=3)
    for name in ("3.0", ".zarray") if kind == "zarr" else ("part-000003.parquet",):
        (path / name).write_bytes(before[name][:-1] + b"?")  # somebody has changed it
        with pytest.raises(sp.StoreError, match=f"changed since \\(in {name}\\): overwrite=True"):
            sp.all_pairs(graph, out=path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    sp.all_pairs(graph, out=path, overwrite=True)
    assert contents(path) == {name: data for name, data in before.items() if name != "notes.txt"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(graph, tmp_path, kind, there):
    real, link = tmp_path / "disk" / "real", tmp_path / f"l.{kind}"
    real.parent.mkdir()
    if there:
        real.mkdir(mode=0o700)
    link.symlink_to(real)
    for overwrite in (False, False, True, True):
        assert sp.all_pairs(graph, out=link, overwrite=overwrite) == link
        assert link.is_symlink()
        assert [p.name for p in real.parent.iterdir()] == ["real"]
        assert sorted(p.name for p in tmp_path.iterdir()) == ["disk", link.name]
    if there and os.name != "nt":
        assert stat.S_IMODE(real.stat().st_mode) == 0o700
    growing = stopped(graph, link, overwrite=True, cutoff=9)
    assert not growing.exists()
    sp.all_pairs(graph, out=link, overwrite=True, cutoff=9)
    assert [p.name for p in real.parent.iterdir()] == ["real"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_old_folder_is_brought_back(graph, tmp_path, kind, monkeypatch):
    path = tmp_path / f"all.{kind}"
    path.mkdir()
    (path / "old").write_text("old")
    rename = Path.rename

    def fails(self, target):
        if self.suffix == ".rows":
            raise OSError(5, "no")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fails)
        with pytest.raises(OSError, match="no"):
            sp.all_pairs(graph, out=path, overwrite=True)
    assert contents(path) == {"old": b"old"}
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, f"{path.name}.rows"]
    told = []
    sp.all_pairs(graph, out=path, overwrite=True, progress=told.append)
    assert told == []
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


CUT = """
import os, sys
from pathlib import Path
import steppe as sp
rename = Path.rename
def killed(self, target):
    if self.suffix == ".rows":
        os._exit(9)
    return rename(self, target)
Path.rename = killed
sp.all_pairs(sp.generate.random(300, 1200, weights=(0, 50), seed=4), out=sys.argv[1], overwrite=True)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_dies_between_two_names(graph, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    path.mkdir()
    (path / "old").write_text("old")
    ours = re.compile(rf"\.all\.{kind}\.steppe-[0-9a-f]{{16}}\.aside")
    alike = tmp_path / f".all.{kind}.steppe-0123456789abcdef.aside"  # without our mark
    alike.mkdir()
    (alike / "precious").write_text("mine")
    run = subprocess.run([sys.executable, "-c", CUT, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 9, run.stderr
    (aside,) = (p for p in tmp_path.iterdir() if ours.fullmatch(p.name) and p != alike)
    assert contents(aside / "folder") == {"old": b"old"}
    matrix_folder.BLOCK = 16 << 20  # as in that process
    sp.all_pairs(graph, out=path)
    assert {p.name for p in tmp_path.iterdir()} == {path.name, alike.name}
    assert contents(alike) == {"precious": b"mine"}
