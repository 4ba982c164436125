"""``steppe distances``: every way out for the matrix has the same numbers as the call."""

import csv
import io

import numpy as np
import pytest

import steppe as sp
from steppe.cli.distances import going_on
from test_cli import facts, run


@pytest.fixture
def gr(tmp_path):
    path = tmp_path / "graph.gr"
    path.write_text("p sp 5 5\na 1 2 5\na 1 3 9\na 2 3 3\na 3 1 1\na 5 1 2\n")
    return path


@pytest.fixture
def names(tmp_path):
    """Names as labels, one of them with a comma in it."""
    path = tmp_path / "names.steppe"
    sp.write(
        sp.Graph.from_edges(["Ulm", "Bonn", "Rye, NY"], ["Bonn", "Kiel", "Ulm"], [1.5, 2.0, 4.0], relabel=True), path
    )
    return path


def lines(text):
    return list(csv.reader(io.StringIO(text)))


def test_the_matrix_is_printed_for_chosen_targets(gr):
    answer = facts("distances", gr, "--sources", "1,2", "--targets", "3,4,5")
    assert answer["distances"] == [[8, None, None], [3, None, None]]
    assert (answer["sources"], answer["targets"], answer["reachable_pairs"], answer["largest"]) == (2, 3, 2, 8)
    table = run("distances", gr, "-s", "1,2", "-t", "3,4").stdout.splitlines()
    assert [line.split() for line in table[:3]] == [["3", "4"], ["1", "8", "-"], ["2", "3", "-"]]


def test_every_vertex_is_a_column_by_default_and_only_summed_up(gr):
    answer = facts("distances", gr, "-s", "1", "-s", "5,3")
    assert "distances" not in answer
    assert (answer["sources"], answer["targets"], answer["reachable_pairs"], answer["largest"]) == (3, 5, 10, 10)


def test_labels_may_be_names_with_commas(names):
    answer = facts("distances", names, "-s", "Rye, NY", "-s", "Ulm,Bonn", "-t", "Kiel")
    assert answer["distances"] == [[7.5], [3.5], [2.0]]


def test_npy_is_the_matrix_itself(gr, tmp_path):
    answer = facts("distances", gr, "-s", "1,5", "-o", tmp_path / "m.npy", "--dtype", "uint16")
    assert answer["written"].endswith("m.npy")
    expected = sp.distances(sp.read(gr), [1, 5], dtype="uint16")
    found = np.load(tmp_path / "m.npy")
    assert found.dtype == np.uint16
    assert np.array_equal(found, expected)


def test_npz_has_the_labels(gr, tmp_path):
    run("distances", gr, "-s", "1,5", "-t", "2,3", "-o", tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as saved:
        assert saved["distances"].tolist() == [[5, 8], [7, 10]]
        assert (saved["sources"].tolist(), saved["targets"].tolist()) == ([1, 5], [2, 3])


def test_csv_is_long(gr, tmp_path):
    run("distances", gr, "-s", "1,2", "-t", "3,4", "-o", tmp_path / "m.csv")
    expected = [["source", "target", "distance"], ["1", "3", "8"], ["1", "4", ""], ["2", "3", "3"], ["2", "4", ""]]
    assert lines((tmp_path / "m.csv").read_text()) == expected
    done = run("distances", gr, "-s", "1,2", "-t", "3,4", "-o", "-")
    assert lines(done.stdout) == expected
    assert "reachable pairs" in done.stderr


def test_folders_are_gone_on_with(gr, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "m.parquet"
    done = run("distances", gr, "-s", "1,2", "-t", "3,4", "-o", f"{folder}/")
    assert "reachable" not in done.stdout
    assert pq.read_table(folder).to_pydict() == {"source": [1, 2], "target": [3, 3], "distance": [8, 3]}
    run("all-pairs", gr, "-o", tmp_path / "m.zarr")
    assert (tmp_path / "m.zarr" / ".zarray").exists()
    (tmp_path / "n.parquet.rows").mkdir()
    with pytest.raises(KeyboardInterrupt), going_on(f"{tmp_path}/n.parquet/", ".parquet/"):
        raise KeyboardInterrupt
    for given in (["--cutoff", "9", "--sparse"], ["--pairs", gr]):
        with_sources = [] if "--pairs" in given else ["-s", "1"]
        words = "not as .parquet/" if with_sources else "cannot save pairs"
        assert words in run("distances", gr, *with_sources, *given, "-o", f"{folder}/", code=2).stderr
    assert "use .csv or .parquet" in run("nearest", gr, "-s", "1", "-o", tmp_path / "x.zarr", code=2).stderr


def test_parquet_is_long_too(gr, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    run("distances", gr, "-s", "1", "-t", "3,4", "-o", tmp_path / "m.parquet")
    columns = {"source": [1, 1], "target": [3, 4], "distance": [8, None]}
    assert pq.read_table(tmp_path / "m.parquet").to_pydict() == columns


def test_sparse_keeps_reachable_pairs_only(gr, tmp_path):
    load_npz = pytest.importorskip("scipy.sparse").load_npz
    run("distances", gr, "-s", "1,2", "--cutoff", 5, "--sparse", "-o", tmp_path / "m.csv")
    assert lines((tmp_path / "m.csv").read_text())[1:] == [
        ["1", "1", "0"],
        ["1", "2", "5"],
        ["2", "1", "4"],
        ["2", "2", "0"],
        ["2", "3", "3"],
    ]
    run("distances", gr, "-s", "1,2", "--cutoff", 5, "--sparse", "-o", tmp_path / "m.npz")
    assert load_npz(tmp_path / "m.npz").nnz == 5
    answer = facts("distances", gr, "-s", "1,2", "-t", "3,2", "--cutoff", 5, "--sparse")
    assert answer["distances"] == [[None, 5], [3, 0]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-s", "1,77"], "77"),
        (["-s", "1", "--sparse"], "cutoff"),
        (["-s", "1", "--sparse", "--cutoff", "3", "-o", "m.npy"], ".npz"),
        (["-s", "1", "-o", "m.txt"], ".parquet"),
        (["-s", "1", "--method", "frontier"], "frontier"),
        (["-s", "1", "--dtype", "int3"], "int3"),
    ],
)
def test_bad_usage(gr, words, said):
    assert said in run("distances", gr, *words, code=2).stderr


def test_pairs_from_a_file(gr, tmp_path):
    asked = tmp_path / "pairs.csv"
    asked.write_text("source,target\n1,3\n# none\n5,4\n1,2\n")
    answer = facts("distances", gr, "--pairs", asked)
    assert answer["distances"] == [8, None, 5]
    assert (answer["pairs"], answer["reachable_pairs"], answer["largest"]) == (3, 2, 8)
    table = run("distances", gr, "--pairs", asked).stdout.splitlines()
    assert [line.split() for line in table[:3]] == [["1", "3", "8"], ["5", "4", "-"], ["1", "2", "5"]]
    run("distances", gr, "--pairs", asked, "-o", tmp_path / "od.csv")
    assert lines((tmp_path / "od.csv").read_text()) == [
        ["source", "target", "distance"], ["1", "3", "8"], ["5", "4", ""], ["1", "2", "5"],
    ]  # fmt: skip
    run("distances", gr, "--pairs", asked, "-o", tmp_path / "od.npy")
    assert np.load(tmp_path / "od.npy").tolist() == [8, sp.UNREACHABLE, 5]
    asked.write_text("1 3\n1 2 3\n")
    assert "pairs.csv:2" in run("distances", gr, "--pairs", asked, code=2).stderr
    asked.write_text("1\t9\n")
    assert "pairs.csv:1: vertex 9 is not in the graph" in run("distances", gr, "--pairs", asked, code=2).stderr
    assert "--sources, or --pairs" in run("distances", gr, code=2).stderr


def test_all_pairs(gr, tmp_path):
    expected = sp.all_pairs(sp.read(gr))
    answer = facts("all-pairs", gr)
    reached = expected[expected != sp.UNREACHABLE]
    assert (answer["reachable_pairs"], answer["largest"]) == (len(reached), reached.max())
    run("all-pairs", gr, "-o", tmp_path / "all.npy")
    assert np.array_equal(np.load(tmp_path / "all.npy"), expected)
    near = facts("all-pairs", gr, "--cutoff", "3", "--sparse")
    assert near["reachable_pairs"] == (expected <= 3).sum()


def test_nearest(gr, tmp_path):
    answer = facts("nearest", gr, "-s", "1,2", "-o", tmp_path / "near.csv")
    assert (answer["sources"], answer["reached"], answer["largest"]) == (2, 3, 3)
    assert lines((tmp_path / "near.csv").read_text())[1:] == [["1", "1", "0"], ["2", "2", "0"], ["3", "2", "3"]]
    run("nearest", gr, "-s", "1,2", "-k", "2", "--offsets", "0,9", "--reverse", "-o", tmp_path / "near.csv")
    found = lines((tmp_path / "near.csv").read_text())[1:]
    assert ["5", "1", "2"] in found
    assert ["5", "2", "16"] in found
    assert "use .csv or .parquet" in run("nearest", gr, "-s", "1", "-o", tmp_path / "x.npy", code=2).stderr


def test_ctrl_c_tells_how_to_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["steppe", "distances", "a b.gr", "-o", "m.npy"])
    for left, words in ((False, ""), (True, "go on with\n  steppe distances 'a b.gr' -o m.npy")):
        if left:
            (tmp_path / "m.npy.rows").touch()
        with pytest.raises(KeyboardInterrupt), going_on(str(tmp_path / "m.npy"), ".npy"):
            raise KeyboardInterrupt
        assert words in capsys.readouterr().err


def test_no_pairs(gr, tmp_path):
    (tmp_path / "none.csv").write_text("# nothing\n")
    assert "pairs" in run("distances", gr, "--pairs", tmp_path / "none.csv").stdout
    assert facts("distances", gr, "--pairs", tmp_path / "none.csv")["distances"] == []
    run("route", gr, "--pairs", tmp_path / "none.csv")
