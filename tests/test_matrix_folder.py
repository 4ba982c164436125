"""distances(out=NAME.zarr or NAME.parquet): blocks in a folder, gone on with after a kill, believed only where digests match."""

import json
import subprocess
import sys

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
    for file in sorted(folder.iterdir()):
        table = pq.read_table(file)
        found[table["source"].to_numpy(), table["target"].to_numpy()] = table["distance"].to_numpy()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_is_there_as_a_whole(graph, right, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    assert sp.all_pairs(graph, out=path) == path
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]
    assert matrix_folder.JOURNAL not in contents(path)
    found = zarr_of(path) if kind == "zarr" else parquet_of(path, 300)
    assert np.array_equal(found, right)
    sp.distances(graph, [3, 5], [7, 9, 7], out=path, dtype="uint16")  # takes the place of the other
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
    (part,) = (tmp_path / "d.parquet").iterdir()
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


def test_dense_graphs_too(tmp_path):
    u, v = np.divmod(np.arange(150 * 150), 150)
    g = sp.Graph.from_edges(u, v, (u * 31 + v * 17) % 97)
    sp.all_pairs(g, method="floyd-warshall", out=tmp_path / "d.zarr")
    assert np.array_equal(zarr_of(tmp_path / "d.zarr"), sp.all_pairs(g, method="dijkstra"))
