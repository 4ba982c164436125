"""What a store on the disk answers: only the same graph, question and format is continued, and an error says what differs."""

import numpy as np
import pytest

import steppe as sp
from steppe.files import matrix_file, matrix_folder
from steppe.files.store import StoreQuestion

KINDS = ["npy", "zarr", "parquet"]


@pytest.fixture(scope="module")
def graph():
    return sp.generate.random(300, 1200, weights=(0, 50), seed=4)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(matrix_folder, "BLOCK", 300 * 8 * 20)
    monkeypatch.setattr("steppe.planning.bytes.BLOCK", 300 * 8 * 20)


def contents(place):
    if place.is_dir():
        return {file.name: file.read_bytes() for file in place.iterdir()}
    return place.read_bytes()


def stopped(graph, path, **options):
    """Begin a matrix and stop; return what grows."""

    def stop(progress):
        if progress.done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(graph, out=path, progress=stop, **options)
    return path.with_name(path.name + ".rows")


def others(graph):
    """Return calls that differ from ``all_pairs(graph)`` in one part of the question, by the name of that part."""
    rows = graph.indptr, graph.indices
    heavier = graph.weights.copy()
    heavier[7] += 1
    swapped = graph.indices.copy()
    swapped[5] = (swapped[5] + 1) % 300
    labels = [f"B{k}" for k in range(300)]
    return {
        "edges": (sp.Graph.from_csr(graph.indptr, swapped, graph.weights), {}),
        "weights": (sp.Graph.from_csr(*rows, heavier), {}),
        "labels": (sp.Graph.from_csr(*rows, graph.weights, labels=labels), {}),
        "cutoff": (graph, {"cutoff": 3}),
        "dtype": (graph, {"dtype": "int32"}),
        "distances": (sp.Graph.from_csr(*rows, graph.weights.astype(float)), {"dtype": "int64"}),
        "sources": (graph, {"sources": np.arange(300)[::-1]}),
        "targets": (graph, {"targets": np.arange(300)[::-1]}),
        "reverse": (graph, {"reverse": True}),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_same_question_is_gone_on_with(graph, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    growing = stopped(graph, path)
    before = contents(growing)
    for part, (other, given) in others(graph).items():
        options = {"sources": np.arange(300), **given}
        sources = other.labels_of(options.pop("sources"))
        name = "edges" if part == "reverse" else part
        with pytest.raises(
            sp.StoreError, match=rf"another question: .*\b{name} \(there .+, here .+\).*; overwrite=True begins"
        ):
            sp.distances(other, sources, out=path, **options)
        assert contents(growing) == before, part
    sp.distances(graph, np.arange(300), out=path)  # the same in other words
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", KINDS)
def test_methods_whose_bits_differ_do_not_meet(tmp_path, kind, monkeypatch):
    n = 120
    u, v = np.divmod(np.arange(n * n), n)
    weights = np.random.default_rng(0).random(n * n) * np.abs(u - v) ** 1.5
    g = sp.Graph.from_edges(u[u != v], v[u != v], weights[u != v])
    path = tmp_path / f"d.{kind}"
    module = matrix_file.MatrixFile if kind == "npy" else matrix_folder.MatrixFolder
    write = module.write
    monkeypatch.setattr(matrix_folder, "BLOCK", n * 8 * 20)
    monkeypatch.setattr("steppe.planning.bytes.BLOCK", n * 8 * 20)

    def killed(self, begin, block):
        write(self, begin, block)
        raise KeyboardInterrupt

    def begin(method):
        with monkeypatch.context() as patch:
            patch.setattr(module, "write", killed)
            with pytest.raises(KeyboardInterrupt):
                sp.all_pairs(g, out=path, method=method, overwrite=True)

    begin("floyd-warshall")
    with pytest.raises(
        sp.StoreError, match=r"method \(there floyd-warshall on the CPU, here any that adds along paths\)"
    ):
        sp.all_pairs(g, out=path, method="dijkstra")
    begin("dijkstra")
    told = []
    sp.all_pairs(g, out=path, method="delta-stepping", progress=lambda p: told.append(p.done))  # of the same bits
    assert min(told) > 8
    whole = g.indptr, g.indices, (g.weights * 9).astype(np.int64)
    g = sp.Graph.from_csr(*whole)
    begin("floyd-warshall")
    sp.all_pairs(g, out=path, method="dijkstra", overwrite=True)  # integers are exact in any order
    sp.verify(g, sp.all_pairs(g, method="dijkstra"))


def test_labels_of_every_kind():
    """Labels are told apart by what they are, whatever array they are in."""
    kinds = [["a", "b"], ["a", "c"], [("a", 1), ("b", 2)], [("a", 1), ("b", 3)], [b"a", b"b"], [1.5, 2.5]]
    seen = set()
    for labels in kinds:
        array = np.fromiter(labels, dtype=object, count=2) if isinstance(labels[0], tuple) else np.array(labels)
        asked = StoreQuestion({"labels": array})
        assert asked.text == StoreQuestion({"labels": array.copy()}).text
        seen.add(asked.key)
    seen.add(StoreQuestion({"labels": range(1, 3)}).key)
    assert len(seen) == len(kinds) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_cannot_be_read(graph, tmp_path, kind):
    """A text with the right digest that is none of ours is another question, and no crash."""
    growing = stopped(graph, tmp_path / f"all.{kind}")
    for text in (b"7", b"[1]", b"{", b'{"cutoff": [null]}', b"\xff"):
        key = matrix_file.key_of(text)
        if kind == "npy":
            front = matrix_file._FRONT.pack(matrix_file._MAGIC, key, 40).ljust(40, b"\0")
            growing.write_bytes(front + matrix_file._HEAD.pack(matrix_file._MAGIC, key, len(text)) + text)
        else:
            head = f"steppe rows 3 {key.hex()}\n".encode()
            (growing / matrix_folder.JOURNAL).write_bytes(head + text + b"\n")
        before = contents(growing)
        if (kind, text) == ("parquet", b"\xff") or (kind, text) == ("zarr", b"\xff"):
            continue  # not a text at all: torn
        with pytest.raises(sp.StoreError, match="answers another question"):
            sp.all_pairs(graph, out=tmp_path / f"all.{kind}")
        assert contents(growing) == before
