"""What a partition's files say is used when it is proven: damage, and files made to deceive, are errors before any answer."""

import json
import os
import pickle
import random
import shutil
import sys

import numpy as np
import pytest

import steppe as sp
from steppe.files import manifest as manifests
from steppe.files import mapped, verified
from steppe.files.manifest import NAME, seal


def rewrite(folder, change):
    """Change a manifest, with a digest that fits."""
    manifest = json.loads((folder / NAME).read_bytes())["manifest"]
    for name, entry in manifest["files"].items():
        if (folder / name).is_file():
            entry |= {"bytes": (folder / name).stat().st_size, "digest": verified.digest_of_file(folder / name)}
    change(manifest)
    (folder / NAME).write_bytes(json.dumps({"manifest": manifest, "digest": seal(manifest)}).encode())


def resave(folder, name, change):
    """Change an array of a partition, with digests that fit."""
    array = np.load(folder / name)
    array = change(array)
    np.save(folder / name, array)
    rewrite(folder, lambda manifest: None)


def craft_rows(folder, number, change):
    """Change the rows of a part, with checksums and digests that fit."""
    graph = sp.read(folder / f"part-{number:06}.steppe")
    indptr, indices, weights = graph.indptr.copy(), graph.indices.copy(), graph.weights.copy()
    indptr, indices, weights = change(indptr, indices, weights) or (indptr, indices, weights)
    sp.write(sp.Graph.from_csr(indptr, indices, weights, directed=True), folder / f"part-{number:06}.steppe")
    rewrite(folder, lambda manifest: None)


def ask_all(folder):
    """Ask what reads every file."""
    g = sp.open_partitioned(folder)
    r = sp.sssp(g, g.label(0))
    return r.verify().distances, r.predecessors, r.path(g.label(len(g) - 1))


@pytest.fixture(scope="module")
def graph():
    g = sp.generate.rmat(7, 10, seed=3)
    return sp.Graph.from_csr(
        g.indptr, g.indices, g.weights, directed=False, labels=np.array([f"v{i:03}" for i in range(128)])
    )


@pytest.fixture(scope="module")
def whole(graph, tmp_path_factory):
    g = sp.partition(graph, tmp_path_factory.mktemp("believed") / "g", parts=3, by="locality")
    assert g.is_sorted
    return g.folder


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "copy")


@pytest.mark.parametrize("small", [True, False], ids=["read", "mapped"])
def test_a_flipped_bit_gives_no_other_answer(folder, graph, small, monkeypatch):
    if not small:
        monkeypatch.setattr(mapped, "SMALL", 0)
    right = sp.sssp(graph, "v000").distances
    noticed = 0
    for seed in range(120):
        chance = random.Random(seed)  # noqa: S311
        file = chance.choice(sorted(folder.iterdir()))
        before = file.read_bytes()
        data = bytearray(before)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(data)
        try:
            found = ask_all(folder)[0]
        except sp.FormatError:
            noticed += 1
        else:
            assert file.name == NAME  # a space between two words
            assert np.array_equal(found, right)
        file.write_bytes(before)
    assert noticed > 100
    assert np.array_equal(ask_all(folder)[0], right)


def swap(array):
    array[[0, -1]] = array[[-1, 0]]
    return array


@pytest.mark.parametrize(
    ("name", "change", "text"),
    [
        ("numbers.npy", lambda a: np.full_like(a, 3), "each other's inverse"),
        ("numbers.npy", lambda a: a + 1, "each other's inverse"),
        ("numbers.npy", lambda a: -a, "each other's inverse"),
        ("numbers.npy", lambda a: a.astype(np.int32), "each other's inverse"),
        ("numbers.npy", lambda a: a.reshape(2, -1), "another shape"),
        ("numbers.npy", lambda a: a[:-1], "another shape"),
        ("numbers.npy", swap, "each other's inverse"),
        ("places.npy", swap, "each other's inverse"),
        ("places.npy", lambda a: a.astype(np.int64), "each other's inverse"),
        ("places.npy", lambda a: a * 1000, "each other's inverse"),
        ("ghosts-000001.npy", swap, "ghosts must rise"),
        ("ghosts-000001.npy", lambda a: a - a[0] - 1, "ghosts must rise"),
        ("ghosts-000001.npy", lambda a: a + 1000, "ghosts must rise"),
        ("ghosts-000001.npy", lambda a: np.arange(40, 40 + len(a)), "ghosts must rise"),
        ("ghosts-000001.npy", lambda a: a.astype(np.float64), "ghosts must rise"),
        ("labels.npy", lambda a: np.full_like(a, a[0]), "not unique"),
        ("labels.npy", lambda a: np.full(len(a), np.nan), "NaN"),
        ("labels.npy", lambda a: a[:-1], "another shape"),
    ],
)
def test_crafted_arrays(folder, name, change, text):
    resave(folder, name, change)
    with pytest.raises(sp.FormatError, match=text):
        ask_all(folder)
    with pytest.raises(sp.FormatError, match=text):
        sp.open_partitioned(folder).check()


def test_headers_that_are_none(folder):
    file = folder / "numbers.npy"
    data = file.read_bytes()
    objects = np.empty(3, dtype=object)
    np.save(folder / "objects.npy", objects)
    heads = [
        b"",
        data[:7],
        b"\x93NUMPY\x09\x00" + data[8:],
        data[:10] + b"{" * 118 + data[128:],
        data[:9] + b"\xff" + data[10:],
    ]
    heads += [data[:10] + b"(" * 117 + b"\n" + data[128:], (folder / "objects.npy").read_bytes(), data + b"\0"]
    for head in heads:
        file.write_bytes(head)
        rewrite(folder, lambda manifest: None)
        with pytest.raises(sp.FormatError, match=r"numbers\.npy"):
            ask_all(folder)


def light(indptr, indices, weights):
    row = int(np.flatnonzero(np.diff(indptr) > 1)[0])
    weights[indptr[row] : indptr[row + 1]] = weights[indptr[row] : indptr[row + 1]][::-1]
    weights[indptr[row]] += 1


def heavy(indptr, indices, weights):
    weights[indptr[np.flatnonzero(np.diff(indptr))[0] + 1] - 1] = 2**30


def negative(indptr, indices, weights):
    weights[0] = -1


def one_way(indptr, indices, weights):
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    back = np.flatnonzero(indices < rows)[0]
    indices[back] = rows[back]  # a loop in place of an edge that leads back


def of_ghosts(indptr, indices, weights):
    last = int(np.flatnonzero(np.diff(indptr))[-1])
    indptr[last + 1 : -1] -= 1


def inwards(indptr, indices, weights):
    indices[indices.argmax()] = 0


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (light, "not sorted by weight"),
        (heavy, "weights 1…1073741824 are not those"),
        (negative, "weights -1…"),
        (one_way, "no opposite"),
        (of_ghosts, "ghosts must have no edges"),
        (inwards, "edges lead to ghosts"),
    ],
)
def test_crafted_rows(folder, change, text):
    craft_rows(folder, 1, change)
    with pytest.raises(sp.FormatError, match=text):
        ask_all(folder)
    with pytest.raises(sp.FormatError, match=text):
        sp.open_partitioned(folder).check()


def put(*path):
    *path, value = path

    def change(manifest):
        for key in path[:-1]:
            manifest = manifest[key]
        manifest[path[-1]] = value

    return change


def add_part(manifest):
    manifest["parts"] = [{"vertices": 0, "edges": 0, "ghosts": 0, "cut": 0}] * (manifests.MOST_PARTS + 1)
    manifest["starts"] = [0] * (manifests.MOST_PARTS + 1) + [128]


def rename(manifest):
    manifest["files"]["../secret.npy"] = manifest["files"].pop("numbers.npy")


WRONG = [
    *(put(key, value) for key in ("vertices", "edges") for value in (-1, 10**30, 2.0, True, "7", None, [], 127)),
    *(put(key, value) for key in ("directed", "sorted") for value in (1, None, "no")),
    *(put("by", value) for value in ("colour", None, ["range"], "range")),
    *(put("weights", value) for value in ([], [1, 2], [3, 1, 2.0], [1.5, 2, 2.0], [1, 10**400, 2.0], [1, "2", 3], None, [1, 255, 1e9])),
    *(put("dtype", value) for value in ("|O", "<U9", "<i2", ">i4", "V8", 7, None, [])),
    *(put("typical_weight", value) for value in (10**400, "1", None, 1e300, True, [])),
    *(put("labels", value) for value in (1.5, "range", 2**63, -(2**64), [], True)),
    *(put("starts", value) for value in ([], 7, [0, 128], [0, 50, 40, 128], [1, 40, 80, 128], [0, 40, 80, 127], [0, -1, 80, 128], [0, 1.0, 80, 128])),
    *(put("parts", 0, key, value) for key in ("vertices", "edges", "ghosts", "cut") for value in (-1, 10**30, 1.0, None, 2**40)),
    put("parts", []),
    put("parts", {}),
    put("parts", [7, 7, 7]),
    put("files", {}),
    put("files", []),
    put("files", "numbers.npy", 7),
    *(put("files", "numbers.npy", "bytes", value) for value in (-1, "7", 10**30, True)),
    *(put("files", "numbers.npy", "count", value) for value in (-1, 127, None)),
    *(put("files", "numbers.npy", "digest", value) for value in (7, "", "z" * 32, "A" * 32, None)),
    put("files", "other.npy", {"bytes": 1, "count": 1, "digest": "0" * 32}),
    put("version", [1]),
    add_part,
    rename,
]  # fmt: skip


@pytest.mark.parametrize("change", WRONG)
def test_crafted_manifests(folder, change):
    rewrite(folder, change)
    with pytest.raises(sp.FormatError, match=r"manifest\.json.*(damaged|version)"):
        sp.open_partitioned(folder)


def test_numbers_that_json_does_not_have(folder):
    words = (folder / NAME).read_bytes()
    for value in (b"NaN", b"Infinity", b"9" * 5000, b"[" * 100_000):
        typical = json.dumps(json.loads(words)["manifest"]["typical_weight"]).encode()
        (folder / NAME).write_bytes(words.replace(b'"typical_weight": ' + typical, b'"typical_weight": ' + value))
        with pytest.raises(sp.FormatError, match=r"manifest\.json.*damaged"):
            sp.open_partitioned(folder)


def test_a_manifest_too_large_to_be_one(folder):
    with (folder / NAME).open("ab") as file:
        file.truncate(1 << 40)  # a hole
    with pytest.raises(sp.FormatError, match="bytes: at most"):
        sp.open_partitioned(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
@pytest.mark.parametrize("name", [NAME, "numbers.npy", "part-000001.steppe", "ghosts-000002.npy", "labels.npy"])
def test_what_is_no_file(folder, name):
    (folder / name).unlink()
    for make in (
        os.mkfifo,
        os.mkdir,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("none"),
    ):
        make(folder / name)
        with pytest.raises(sp.FormatError, match=name):
            ask_all(folder)
        (folder / name).rmdir() if (folder / name).is_dir() else (folder / name).unlink()


def test_links_are_followed_to_what_the_manifest_tells(folder, tmp_path, graph):
    (folder / "numbers.npy").rename(tmp_path / "elsewhere")
    (folder / "numbers.npy").symlink_to(tmp_path / "elsewhere")
    assert np.array_equal(ask_all(folder)[0], sp.sssp(graph, "v000").distances)
    (tmp_path / "elsewhere").write_bytes(b"secret".ljust((tmp_path / "elsewhere").stat().st_size))
    with pytest.raises(sp.FormatError, match=r"numbers\.npy: the file is damaged: its digest"):
        ask_all(folder)


def test_files_beside_are_left_alone(folder, graph):
    (folder / "notes.txt").write_text("mine")
    assert np.array_equal(ask_all(folder)[0], sp.sssp(graph, "v000").distances)


def test_two_partitions_mixed(folder, graph, tmp_path):
    other = sp.partition(graph, tmp_path / "other", parts=3).folder
    for name in ("part-000001.steppe", "ghosts-000001.npy"):
        before = (folder / name).read_bytes()
        shutil.copy(other / name, folder / name)
        with pytest.raises(sp.FormatError, match=name):
            ask_all(folder)
        rewrite(folder, lambda manifest: None)
        with pytest.raises(sp.FormatError):
            ask_all(folder)
        (folder / name).write_bytes(before)
        rewrite(folder, lambda manifest: None)
    ask_all(folder)


@pytest.mark.parametrize("small", [True, False], ids=["read", "mapped"])
def test_replaced_between_open_and_search(folder, graph, tmp_path, small, monkeypatch):
    if not small:
        monkeypatch.setattr(mapped, "SMALL", 0)
    g = sp.open_partitioned(folder)
    handle = pickle.dumps(g)
    heavier = sp.Graph.from_csr(
        graph.indptr, graph.indices, graph.weights + 1, directed=False, labels=np.array(graph.labels)
    )
    other = sp.partition(heavier, tmp_path / "other", parts=3, by="locality").folder
    assert np.array_equal(sp.sssp(pickle.loads(handle), "v000").distances, sp.sssp(graph, "v000").distances)  # noqa: S301
    for file in other.iterdir():
        file.replace(folder / file.name)
    with pytest.raises(sp.FormatError, match="another partition lies here now"):
        sp.sssp(g, "v000")
    with pytest.raises(sp.FormatError, match="another partition lies here now"):
        pickle.loads(handle)  # noqa: S301
    with pytest.raises(sp.FormatError, match=r"digest does not match|expected"):
        g.part(0)
    assert np.array_equal(ask_all(folder)[0], sp.sssp(heavier, "v000").distances)


def touch(path):
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 10**9))


@pytest.mark.skipif(sys.platform == "win32", reason="files are read there, not mapped")
@pytest.mark.parametrize("name", ["part-000001.steppe", "ghosts-000001.npy", "numbers.npy", "labels.npy"])
@pytest.mark.parametrize("how", [touch, lambda path: os.truncate(path, 100)], ids=["written", "truncated"])
def test_changed_after_the_first_search(folder, name, how, monkeypatch):
    monkeypatch.setattr(mapped, "SMALL", 0)
    g = sp.open_partitioned(folder)
    r = sp.sssp(g, "v000")
    how(folder / name)
    with pytest.raises(sp.FormatError, match=f"{name}.*since it was opened"):
        sp.sssp(g, "v000")
    if name != "labels.npy":
        with pytest.raises(sp.FormatError, match=f"{name}.*since it was opened"):
            r.verify()


def test_ghosts_that_change_between_two_pulls(folder, graph):
    g = sp.open_partitioned(folder)
    _, own = g.mirrored(1, 0)
    assert len(own)
    assert np.array_equal(g.mirrored(1, 0)[1], own)
    file = folder / "ghosts-000001.npy"
    file.write_bytes(file.read_bytes())
    touch(file)
    with pytest.raises(sp.FormatError, match="replaced, since it was first read"):
        g.mirrored(1, 0)
    file.unlink()
    with pytest.raises(sp.FormatError, match="missing"):
        g.mirrored(1, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="files are read there, not mapped")
def test_a_large_file_is_compared_once(tmp_path, monkeypatch):
    graph = sp.generate.grid(300, 300, seed=1)
    folder = sp.partition(graph, tmp_path / "g", parts=2).folder
    for file in folder.iterdir():
        os.utime(file, (1, 1))
    compared = []
    digest_of = verified.digest_of
    monkeypatch.setattr(verified, "digest_of", lambda data: compared.append(len(data)) or digest_of(data))
    monkeypatch.setattr(verified.time, "time_ns", lambda: 2**62)  # all of them were written long ago
    for _ in range(3):
        sp.sssp(sp.open_partitioned(folder), 0)
    sizes = sorted(size for size in compared if size > mapped.SMALL)
    assert sizes == sorted(file.stat().st_size for file in folder.iterdir() if file.suffix == ".steppe")
