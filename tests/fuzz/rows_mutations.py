"""Damage to ``.steppe`` and ``.npz`` files: flipped bits anywhere, and files whose checksums are right and whose contents are not.

Every case is read and searched, in each of several ways. Right is: an answer (a flipped bit may make another graph), or
an error of steppe's own. Wrong is: the end of the process, another error, or an undirected graph that is not.

    python tests/fuzz/rows_mutations.py CASES [FIRST]

does that in this process, and leaves the number of the case under way in the environment's ROWS_CASE file, if any.
"""

from __future__ import annotations

import io
import json
import os
import random
import struct
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

import steppe as sp
from steppe import _core, files
from steppe.files import mapped

HEAD, PAGE = struct.Struct("<8sIII"), 4096

CALLS = {
    "sssp": lambda g: sp.sssp(g, g.label(0)),
    "delta-stepping": lambda g: sp.sssp(g, g.label(0), method="delta-stepping", threads=2),
    "frontier": lambda g: sp.sssp(g, g.label(0), method="frontier", record_paths=True).verify(),
    "bellman-ford": lambda g: sp.sssp(g, g.label(0), method="bellman-ford"),
    "external": lambda g: sp.sssp(g, g.label(0), memory_limit=10**7).verify(),
    "bfs": lambda g: sp.bfs(g, g.label(0)).predecessors,
    "reverse": lambda g: g.reverse.indices.tolist(),
    "prepare": lambda g: sp.sssp(g.prepare(), g.label(0)).predecessors,
    "route": lambda g: sp.route(g, g.label(0), g.label(g.num_vertices - 1)),
    "distances": lambda g: sp.distances(g, [g.label(0), g.label(1)]),
    "nearest": lambda g: sp.nearest(g, [g.label(0)]).source_index,
    "pieces": lambda g: (g.degrees, g._with_own_rows().indices, sp.bfs(g, g.label(0), memory_limit=10**7)),
    "sorted": lambda g: (g.has_sorted_rows, g.is_symmetric, g.labels),
}


def graphs() -> list[sp.Graph]:
    """Return graphs of every kind of section."""
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 300, (2, 2000))
    w = rng.integers(1, 1000, 2000)
    words = np.array([f"v{i}" for i in range(300)])
    return [
        sp.Graph.from_edges(u, v, w, num_vertices=300),
        sp.Graph.from_edges(u, v, w / 8, num_vertices=300, directed=False),
        sp.Graph.from_edges(u, v, w.astype(np.float32), num_vertices=300),
        sp.Graph.from_edges(u, v, w << 40, num_vertices=300),
        sp.Graph.from_edges(u, v, num_vertices=300, directed=False),
        sp.Graph.from_edges(words[u], words[v], w, relabel=True),
        sp.Graph.from_edges(u * 7, v * 7, w, relabel=True, directed=False),
    ]


def content(graph: sp.Graph, suffix: str) -> bytes:
    """Return a graph's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph" + suffix)
        sp.write(graph, path)
        return path.read_bytes()


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Return the file with one bit changed; one time in four, a few bytes."""
    damaged = bytearray(data)
    for _ in range(1 if rng.random() < 0.75 else 8):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def parts(data: bytes) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    """Return the description and the sections of a ``.steppe`` file, ready to be changed."""
    _, _, length, _ = HEAD.unpack(data[: HEAD.size])
    description = json.loads(data[HEAD.size : HEAD.size + length])
    arrays = {
        name: np.frombuffer(data, s["dtype"], s["count"], s["offset"]).copy()
        for name, s in description["sections"].items()
    }
    return description, arrays


def joined(description: dict[str, object], arrays: dict[str, np.ndarray], size: int) -> bytes:
    """Return a ``.steppe`` file with all checksums right, whatever it says."""
    data = bytearray(size)
    sections = description["sections"]
    for name, array in arrays.items() if isinstance(sections, dict) else ():
        section = sections.get(name)
        if section is None:
            continue
        section["crc32"] = zlib.crc32(array.tobytes())
        at = section["offset"] if isinstance(section["offset"], int) and 0 <= section["offset"] < 2**32 else PAGE
        data[at : at + array.nbytes] = array.tobytes()
    words = json.dumps(description).encode()
    data[:PAGE] = (HEAD.pack(b"\x93STEPPE\n", 1, len(words), zlib.crc32(words)) + words).ljust(PAGE, b"\0")[:PAGE]
    return bytes(data[:size]).ljust(size, b"\0")


ODD = (-1, 0, 1, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**64, -(2**63), 1.5, "x", None, True, [], {}, float("nan"))


def crafted(data: bytes, rng: random.Random) -> bytes:
    """Return the file with something wrong in it that no checksum tells."""
    description, arrays = parts(data)
    name = rng.choice(list(arrays))
    array = arrays[name]
    what = rng.randrange(6)
    if what <= 2:  # a value
        at = rng.randrange(len(array))
        if array.dtype.kind == "U":
            array.view(np.uint32)[at] = rng.choice((0x110000, 2**32 - 1, 0xD800, 0))
            array[at] = array[at - 1] if rng.random() < 0.5 else array[at]
        elif array.dtype.kind == "f":
            array[at] = rng.choice((np.nan, -np.inf, np.inf, -1, 1e30, -0.0, 5e-324))
        else:
            low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            array[at] = rng.choice((-1, low, high, 299, 300, 301, int(array[at]) - 1, int(array[at]) + 1))
    elif what == 3:  # a fact of the description
        key = rng.choice(list(description))
        description[key] = rng.choice(ODD)
        if key == "directed":
            description[key] = not json.loads(json.dumps(parts(data)[0]["directed"]))
    elif what == 4:  # a fact of a section
        section = description["sections"][name]
        key = rng.choice(list(section))
        section[key] = rng.choice(
            (*ODD, "<i4", "<i8", "<f8", "<f2", "O", "<U9999", "V8", section["offset"] if key == "offset" else 64)
        )
    else:
        facts = description["weights"]
        if facts is None:
            description["weights"] = [1, 1, 1.0]
        else:
            facts[rng.randrange(3)] = rng.choice(ODD)
    return joined(description, arrays, len(data))


def crafted_npz(data: bytes, rng: random.Random) -> bytes:
    """Return an ``.npz`` file with one array changed, its checksums right."""
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name] for name in file.files}
    name = rng.choice(list(arrays))
    array = arrays[name].copy()
    what = rng.randrange(5)
    if what == 0:
        arrays[name] = array[: len(array) // 2] if array.ndim else array.reshape(1)
    elif what == 1:
        arrays[name] = array.reshape(1, -1)
    elif what == 2:
        del arrays[name]
    elif array.dtype.kind in "iufb" and array.size:
        flat = array.reshape(-1)
        if array.dtype.kind == "b":
            flat[0] = not flat[0]
        elif array.dtype.kind == "f":
            flat[rng.randrange(flat.size)] = rng.choice((np.nan, -np.inf, -1.0, np.inf))
        else:
            info = np.iinfo(array.dtype)
            flat[rng.randrange(flat.size)] = rng.choice((-1 if info.min else 7, info.max, info.min, 300, 301))
        arrays[name] = array
    else:
        arrays[name] = np.array(rng.choice((b"csc", b"coo", b"xyz", 3.5)))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    if rng.random() < 0.2:  # a header that claims what the archive has not
        packed = zipfile.ZipFile(buffer)
        other = io.BytesIO()
        with zipfile.ZipFile(other, "w") as archive:
            for member in packed.namelist():
                archive.writestr(member, packed.read(member).replace(b"'shape': (", b"'shape': (9", 1)[: 10**6])
        return other.getvalue()
    return buffer.getvalue()


def case(number: int, originals: list[tuple[str, bytes]], path: Path) -> str:
    """Read and search one damaged file; return what came of it."""
    rng = random.Random(number)  # noqa: S311 - a case is to come again
    suffix, data = originals[number % len(originals)]
    kind = rng.randrange(3)
    if kind:
        damaged = flipped(data, rng)
    else:
        damaged = crafted(data, rng) if suffix == ".steppe" else crafted_npz(data, rng)
    path = path.with_suffix(suffix)
    path.write_bytes(damaged)
    mapped.SMALL = rng.choice((0, 1 << 18))  # small files are read, large ones mapped: here, either
    try:
        graph = sp.read(path)
        repr(graph)
        names = list(CALLS)
        rng.shuffle(names)
        for name in names[:2]:
            CALLS[name](graph)
        if not graph.directed:
            indptr = np.empty_like(graph.indptr)
            weights = None if graph.weights is None else np.empty_like(graph.weights)
            _core.reverse_rows(graph._native, indptr, np.empty_like(graph.indices), weights, 2)
            assert np.array_equal(indptr, graph.indptr)
            assert sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights).is_symmetric
        if suffix == ".steppe" and damaged != data:
            try:
                files.check(path)
            except sp.FormatError:
                return "answered, and not by check"
            # What no checksum covers: zeros between the sections. Or the file was made, not damaged.
        return "answered"
    except sp.SteppeError as error:
        return type(error).__name__
    except ValueError as error:  # of the call: a label that is not there, for instance
        return type(error).__name__ if "cutoff" in str(error) else f"WRONG {number}: {error!r}"


def main(cases: int, first: int = 0) -> dict[str, int]:
    """Run cases; return how many ended how."""
    originals = [(s, content(g, s)) for g in graphs() for s in (".steppe", ".steppe", ".npz")]
    counts: dict[str, int] = {}
    note = os.environ.get("ROWS_CASE")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:  # noqa: S108
        for number in range(first, first + cases):
            if note:
                Path(note).write_text(str(number))
            ended = case(number, originals, Path(folder, "case"))
            counts[ended] = counts.get(ended, 0) + 1
    return counts


if __name__ == "__main__":
    found = main(*map(int, sys.argv[1:]))
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(any(key.startswith("WRONG") for key in found))
