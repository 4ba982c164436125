"""Damage behind the checksums: a ``.steppe`` file's description and sections, an ``.npz`` archive's arrays, packed texts; and packed bombs.

A changed byte in such a file fails its checksum, and no deeper check is ever asked. So it is taken apart, one part is changed, and it is put
together with checksums that are right again. A part that cannot be found (a file that is damaged already) falls back to plain damage.
"""

import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib

import numpy as np

from .mutate import EDGES, havoc
from .seeds import zstandard

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = None

_HEAD = struct.Struct("<8sIII")
VALUES = [
    None, True, False, -1, 0, 1, 2, 3, 5, 6, 7, 64, 4096, 2**31, 2**32, 2**53, 2**62, 2**63, 2**64, -(2**63), 1.5,
    float("nan"), float("inf"), "", "array", "<i8",
    "<i4",    "<i2", "<f8", "<f4", "<u8", "|O", "|V8", "<U5", "|S3", "|b1", "<M8[s]", ">i8", "x",
    [], {}, [1, 2, 3], [0], {"offset": 0}, [[[]]], 10**400,
]  # fmt: skip


def _places(tree, path=()):
    """Every place in a tree of JSON."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from _places(value, (*path, key))


def change_tree(random, tree):
    """Replaces, removes or adds a value in a tree of JSON."""
    *above, last = random.choice([path for path in _places(tree) if path] or [("x",)])
    node = tree
    for key in above:
        node = node[key]
    what = random.randrange(6)
    if what == 0 and isinstance(node, dict):
        node.pop(last, None)
    elif what == 1 and isinstance(node, dict):
        node[random.choice(("x", "labels", "weights", "indptr", "bytes", "sha256"))] = random.choice(VALUES)
    elif what == 2 and isinstance(node[last], int):
        node[last] += random.choice((-8, -1, 1, 8, 64))
    else:
        node[last] = random.choice(VALUES)


def steppe(random, data):
    """Changes the description or a section of a ``.steppe`` file, and mends its checksums most of the time."""
    magic, version, length, _ = _HEAD.unpack(data[: _HEAD.size])
    tree = json.loads(data[_HEAD.size : _HEAD.size + length])
    body = bytearray(data)
    what = random.randrange(4)
    sections = [s for s in tree["sections"].values() if s["count"]]
    if what and sections:
        section = random.choice(sections)
        width = np.dtype(section["dtype"]).itemsize
        for _ in range(random.choice((1, 1, 2, 5))):
            at = section["offset"] + width * random.randrange(section["count"])
            if random.random() < 0.5:
                body[at + random.randrange(width)] ^= 1 << random.randrange(8)
            else:
                word = min(width, 8)
                body[at : at + word] = (random.choice(EDGES) % (1 << 8 * word)).to_bytes(word, "little")
    if what in (0, 1):
        change_tree(random, tree)
    if random.random() < 0.1:
        del body[random.randrange(len(body)) :]
        tree["bytes"] = len(body)
    return seal(magic, version, tree, body) if random.random() < 0.9 else bytes(body)


def seal(magic, version, tree, body):
    """A ``.steppe`` file whose checksums are right."""
    sections = tree.get("sections")
    for section in sections.values() if isinstance(sections, dict) else ():
        try:
            size = np.dtype(section["dtype"]).itemsize * section["count"]
            section["crc32"] = zlib.crc32(body[section["offset"] : section["offset"] + size])
        except (TypeError, KeyError, ValueError, OverflowError, AttributeError):
            continue
    words = json.dumps(tree, separators=(",", ":")).encode()
    head = _HEAD.pack(magic, version, len(words), zlib.crc32(words)) + words
    return head.ljust(4096, b"\0") + bytes(body[4096:])


def npz(random, data):
    """Changes one array of an archive: its header, its values, its name; or adds, drops or swaps members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = list(members)
    name = random.choice(names)
    what = random.randrange(7)
    if what == 0:
        members[name] = havoc(random, members[name])
    elif what in (1, 2):
        members[name] = _array(random)
    elif what == 3:
        del members[name]
    elif what == 4:
        members[name] = members[random.choice(names)]
    elif what == 5:
        members[
            random.choice(("steppe_directed", "steppe_weighted", "steppe_labels", "indptr", "row", "x")) + ".npy"
        ] = _array(random)
    else:
        members[name] = _claim(random, members[name])
    buffer = io.BytesIO()
    packing = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for key, value in members.items():
            archive.writestr(zipfile.ZipInfo(key), value, packing)
    return buffer.getvalue()


def _array(random):
    dtype = random.choice(("?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c16", "U4", "S3", "M8[s]"))
    count = random.choice((0, 1, 2, 3, 4, 5, 6, 7, 8))
    values = [random.choice(EDGES) for _ in range(count)]
    raw = np.array(values, dtype="u8")
    if dtype[0] in "US":
        array = np.array([str(x)[:3] for x in values] or [""], dtype=dtype)
    else:
        array = np.frombuffer(raw.tobytes(), dtype=dtype)[:count].copy() if count else np.empty(0, dtype=dtype)
    shape = random.choice((None, None, None, (), (1, -1), (-1, 1)))
    if shape == ():
        array = array[:1].reshape(()) if len(array) else array
    elif shape:
        array = array.reshape(shape) if array.size else array
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _claim(random, member):
    """A header that promises another shape or type than the values behind it have."""
    start = member.index(b"{")
    end = member.index(b"}") + 1
    text = member[start:end]
    shape = random.choice(
        (
            b"(1000000000000,)",
            b"(2, 3)",
            b"()",
            b"(-1,)",
            b"(0,)",
            b"(1e3,)",
            b"((((((1,),),),),),)",
            b"(99999999999999999999,)",
        )
    )
    descr = random.choice((b"'<i8'", b"'|O'", b"'<U1000000'", b"[('a','<i4')]", b"'|V0'", b"''", b"None"))
    a, b = text.index(b"'shape': ") + 9, text.rindex(b")") + 1
    changed = text[:a] + shape + text[b:]
    if random.random() < 0.4:
        a, b = changed.index(b"'descr': ") + 9, changed.index(b", 'fortran")
        changed = changed[:a] + descr + changed[b:]
    room = len(member[:end]) + member[end:].index(b"\n")
    return member[:start] + changed.ljust(room - start)[: max(room - start, len(changed))] + member[room:]


def bomb(random, name):
    """A small file of many equal edges, packed as the format itself packs; None where it does not."""
    count = random.choice((1 << 16, 1 << 20, 1 << 23))
    buffer = io.BytesIO()
    if name.endswith(".npz"):
        zeros = np.zeros(count, dtype=np.int8)
        rows = {"indices": zeros, "indptr": np.array([0, count]), "format": np.array(b"csr"), "shape": np.array([1, 1])}
        np.savez_compressed(buffer, data=zeros, **rows)
        return buffer.getvalue()
    if pa is None or not name.endswith((".parquet", ".arrow")):
        return None
    column = pa.array(np.zeros(count, dtype=np.int64))
    if random.random() < 0.5:  # one long name
        column = pa.array(["x" * count])
    table = pa.table({"source": column, "target": column})
    if name.endswith(".parquet"):
        pq.write_table(table, buffer, compression="zstd", use_dictionary=random.random() < 0.5)
        return buffer.getvalue()
    options = pa.ipc.IpcWriteOptions(compression=random.choice(("zstd", "lz4")))
    with random.choice((pa.ipc.new_file, pa.ipc.new_stream))(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    return buffer.getvalue()


UNPACK = {".gz": gzip.decompress, ".xz": lzma.decompress}
PACK = {".gz": lambda b: gzip.compress(b, 1, mtime=0), ".xz": lambda b: lzma.compress(b, preset=0)}
if zstandard is not None:
    UNPACK[".zst"] = lambda b: zstandard.ZstdDecompressor().decompress(b, max_output_size=1 << 20)
    PACK[".zst"] = lambda b: zstandard.ZstdCompressor(level=1).compress(b)


def damage(random, name, data, other=b""):
    """Damage as the file's name suggests; plain damage one time in five, and where there is nothing to take apart."""
    if random.random() < 0.2:
        return havoc(random, data, other)
    packing = next((p for p in PACK if name.endswith(p)), None)
    if random.random() < 0.02 and (made := bomb(random, name)) is not None:
        return made
    try:
        if packing:
            inner = damage(random, name.removesuffix(packing), UNPACK[packing](data), other)
            longer = random.random() < 0.01
            return PACK[packing](
                inner + (b"\n" if name.startswith("x.g") else b"# \n") * (1 << 20) if longer else inner
            )
        if data.startswith(b"PK"):
            return npz(random, data)
        if data.startswith(b"\x93STEPPE"):
            return steppe(random, data)
    except Exception:  # noqa: S110 - damaged before: nothing to take apart
        pass
    return havoc(random, data, other)
