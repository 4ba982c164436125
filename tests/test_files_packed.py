"""Small files that unpack to large ones: every format and every packing is refused before memory is taken, or read if ``max_bytes`` allows it."""

import bz2
import gzip
import io
import json
import lzma
import os
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steppe as sp
from steppe.files import arrow_size, parquet_size
from test_files import arcs, put

LARGE = 96 << 20
"""Bytes that a bomb unpacks to, at least: more than may be taken for a small file. The file has far less than a 64th of that."""

ZEROS = pa.array(np.zeros(LARGE // 16, dtype=np.int64))
ONE_EDGE = pa.table({"source": ZEROS, "target": ZEROS})


def npz(path, *, method=zipfile.ZIP_DEFLATED, lie=None):
    arrays = {"data": np.zeros(LARGE, np.int8), "indices": np.zeros(LARGE, np.int8), "indptr": np.array([0, LARGE])}
    arrays |= {"format": np.array(b"csr"), "shape": np.array([1, 1])}
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(name + ".npy", buffer.getvalue())
    if lie is not None:
        data = path.read_bytes()
        path.write_bytes(data.replace(struct.pack("<I", LARGE + 128), struct.pack("<I", lie)))


def nested(path):
    npz(path.with_suffix(".inner"))
    path.write_bytes(gzip.compress(path.with_suffix(".inner").read_bytes(), 1))


def arrow(compression, table=ONE_EDGE, opened=pa.ipc.new_file):
    def write(path):
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.OSFile(str(path), "wb") as file, opened(file, table.schema, options=options) as writer:
            writer.write_table(table)

    return write


def named(entry, rows):
    """A column in which every row names the same entry of a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int8)), pa.array([entry]))


LONG = pa.table({"source": ["y" * LARGE], "target": ["a"]})
ENTRY = pa.table({"source": named("y" * LARGE, 3), "target": named("y", 3)})
STARTS = pa.table({"source": ["p" * 200_000] * 500, "target": ["q"] * 500})


def parquet(table, **options):
    return lambda path: pq.write_table(table, path, **{"compression": "zstd"} | options)


def views(path):
    """A million rows, 16 bytes each, of one string of a hundred kilobytes."""
    view = np.tile(np.array([100_000, 0, 0, 0], dtype=np.int32), 20_000)
    view[1::4] = int.from_bytes(b"qqqq", "little")
    buffers = [None, pa.py_buffer(view), pa.py_buffer(b"q" * 100_000)]
    column = pa.Array.from_buffers(pa.string_view(), 20_000, buffers)
    arrow(None, pa.table({"source": column, "target": column}))(path)


def packed(head, part):
    """A text of a head, and parts of a megabyte over and over, each a stream of its own: all packings allow that."""

    def write(path):
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[path.suffix]
        path.write_bytes(pack(head) + pack(part * ((1 << 20) // len(part))) * (LARGE // (1 << 20) + 1))

    return write


osm = packed(b'<?xml version="1.0"?><osm version="0.6">', b'<node id="1" lat="1" lon="1"/>')


def field(number, value):
    """A field of Protocol Buffers."""
    kind = 0 if isinstance(value, int) else 2
    return varint(number << 3 | kind) + (varint(value) if kind == 0 else varint(len(value)) + value)


def varint(value):
    if value < 128:
        return bytes([value])
    return bytes([value & 127 | 128]) + varint(value >> 7)


def blob(kind, content, raw_size=None):
    body = field(2, len(content) if raw_size is None else raw_size) + field(3, zlib.compress(content))
    head = field(1, kind) + field(3, len(body))
    return len(head).to_bytes(4, "big") + head + body


PBF_HEADER = blob(b"OSMHeader", field(4, b"OsmSchema-V0.6") + field(4, b"DenseNodes"))


def pbf(path):
    dense = field(2, field(1, b"\2" * 300_000) + field(8, b"\0" * 300_000) + field(9, b"\0" * 300_000))
    block = field(1, field(1, b"")) + field(2, dense)
    path.write_bytes(PBF_HEADER + blob(b"OSMData", block) * (LARGE // len(block) + 1))


BOMBS = {
    "x.npz": npz,
    "lzma.npz": lambda path: npz(path, method=zipfile.ZIP_LZMA),
    "x.npz.gz": nested,
    "zstd.arrow": arrow("zstd"),
    "lz4.arrow": arrow("lz4"),
    "entry.arrow": arrow("zstd", ENTRY),
    "stream.arrows": arrow("zstd", opened=pa.ipc.new_stream),
    "views.arrow": views,
    "rows.parquet": parquet(ONE_EDGE),
    "plain.parquet": parquet(ONE_EDGE, use_dictionary=False, column_encoding="PLAIN"),
    "long.parquet": parquet(LONG, use_dictionary=False),
    "entry.parquet": parquet(LONG),
    "starts.parquet": parquet(
        STARTS, use_dictionary=False, column_encoding=dict.fromkeys(STARTS.column_names, "DELTA_BYTE_ARRAY")
    ),
    "groups.parquet": parquet(ONE_EDGE, row_group_size=1 << 19),
    "x.osm.gz": osm,
    "x.osm.bz2": osm,
    "x.osm.pbf": pbf,
    "x.gr.gz": packed(b"p sp 1 0\n", b"c\n"),
    "x.mtx.gz": packed(b"%%MatrixMarket matrix", b" "),
    "x.steppe.gz": packed(b"\x93STEPPE\n", b"\0"),
    "x.csv.bz2": packed(b"", b"1,2,3\n"),
    "x.graphml.xz": packed(b"<graphml>", b" "),
    "x.net.xz": packed(b"*Vertices 1\n", b"1\n"),
    "x.tntp.gz": packed(b"", b"~\n"),
    "x.graph.gz": packed(b"9 0\n", b"\n"),
    # What is claimed in a packed file is compared with the packed file.
    "claim.gr.gz": lambda path: path.write_bytes(gzip.compress(b"c\n" * 500_000 + b"p sp 5000000 0\n")),
    "claim.net.bz2": lambda path: path.write_bytes(bz2.compress(b"%\n" * 500_000 + b"*Vertices 5000000\n")),
}

READ = """
import json, sys
import pyarrow as pa, pyarrow.parquet, osmium
import steppe as sp
from fuzz_files.check import Limit
warm, *paths = sys.argv[1:]
sp.read(warm + "/x.parquet"), sp.read(warm + "/x.arrow"), sp.read(warm + "/x.npz")
answers = {}
for path in paths:
    try:
        with Limit(__import__("os").path.getsize(path)):
            sp.read(path)
        answers[path] = "a graph"
    except BaseException as error:
        answers[path] = type(error).__name__ + " " + str(error)
print(json.dumps(answers))
"""


def run(code, *arguments):
    environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system", "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True)


def test_bombs_of_every_format(tmp_path):
    """Within 64 x the file + 64 MiB of memory, by the limit of address space."""
    g = sp.Graph.from_edges([0, 1], [1, 2], [3, 4])
    for suffix in (".parquet", ".arrow", ".npz"):
        sp.write(g, tmp_path / f"x{suffix}")
    folder = tmp_path / "bombs"
    folder.mkdir()
    for name, write in BOMBS.items():
        write(folder / name)
        assert (folder / name).stat().st_size < LARGE / 64 or name == "views.arrow", name
    done = run(READ, str(tmp_path), *(str(folder / name) for name in BOMBS))
    assert done.returncode == 0, done.stderr
    answers = {Path(path).name: words for path, words in json.loads(done.stdout).items()}
    assert set(answers) == set(BOMBS)
    wrong = {k: v for k, v in answers.items() if not (v.startswith("FormatError") and "pass max_bytes=" in v)}
    assert wrong == {}


ALLOWED = [
    "x.npz",
    "zstd.arrow",
    "stream.arrows",
    "entry.arrow",
    "rows.parquet",
    "long.parquet",
    "starts.parquet",
    "views.arrow",
]


@pytest.mark.parametrize("name", ALLOWED)
def test_read_if_it_is_allowed(tmp_path, name):
    BOMBS[name](tmp_path / name)
    with pytest.raises(sp.FormatError, match="max_bytes="):
        sp.read(tmp_path / name, max_bytes=10**6)
    g = sp.read(tmp_path / name, max_bytes=1 << 32)
    assert 1 <= g.num_vertices <= 2
    assert g.num_edges in (1, 3, 500, 20_000, LARGE // 16, LARGE)


def test_a_directory_that_lies(tmp_path):
    """Less is unpacked than the archive holds, and its checksum does not match."""
    npz(tmp_path / "x.npz", lie=1000)
    with pytest.raises(sp.FormatError, match=r"x\.npz: not a readable \.npz archive"):
        sp.read(tmp_path / "x.npz")
    npz(tmp_path / "x.npz", method=zipfile.ZIP_BZIP2)
    with pytest.raises(sp.FormatError, match="neither stored nor deflated"):
        sp.read(tmp_path / "x.npz", max_bytes=1 << 30)


def test_what_is_no_larger_than_the_file_is_not_packed(tmp_path):
    g = sp.generate.grid(100, 100, seed=1)
    for name in ("x.arrow", "x.npz", "x.csv", "x.steppe"):
        sp.write(g, tmp_path / name)
        assert sp.read(tmp_path / name, max_bytes=1000).num_edges == g.num_edges
    assert sp.read(put(tmp_path, "x.co", "p aux sp co 0\n").with_name("x.csv"), max_bytes=0).num_edges == g.num_edges


def test_blobs_of_openstreetmap(tmp_path):
    path = tmp_path / "x.osm.pbf"
    for content, words in {
        PBF_HEADER + blob(b"OSMData", b"", raw_size=1 << 40): "unpack to more than",
        PBF_HEADER + b"\0\1\0\1" + bytes(70_000): "a header of 65537 bytes",
        PBF_HEADER + blob(b"OSMData", b"x" * 500)[:-5]: "not a readable file of OpenStreetMap",
        PBF_HEADER[:20]: "not a readable file of OpenStreetMap",
    }.items():
        path.write_bytes(content)
        with pytest.raises(sp.FormatError, match=words):
            sp.read(path)
    path = tmp_path / "x.osm.gz"
    path.write_bytes(gzip.compress(b"<osm></osm>")[:-6])
    with pytest.raises(sp.FormatError, match="not a readable file of OpenStreetMap"):
        sp.read(path)


def test_windows_and_dictionaries_are_bounded(tmp_path):
    """Memory that a packing takes before it unpacks anything: what its largest levels need is allowed, more is not."""
    text = b"1 2\n" * 10
    least = lzma.compress(text, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}])
    assert len(arcs(sp.read(put(tmp_path, "x.el.xz", least)))) == 10
    wide = lzma.compress(text, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 27}])
    with pytest.raises(sp.FormatError, match=r"take memory to unpack of more than .* max_bytes="):
        sp.read(put(tmp_path, "x.el.xz", wide))
    assert len(arcs(sp.read(tmp_path / "x.el.xz", max_bytes=1 << 28))) == 10
    zstandard = pytest.importorskip("zstandard")
    for log, most in ((26, None), (27, 1 << 27)):
        options = zstandard.ZstdCompressionParameters(window_log=log, strategy=1)
        packer = zstandard.ZstdCompressor(compression_params=options).compressobj()
        path = put(tmp_path, "x.el.zst", packer.compress(text) + packer.flush())
        assert len(arcs(sp.read(path, max_bytes=most))) == 10
    with pytest.raises(sp.FormatError, match=r"take memory to unpack of more than .* max_bytes="):
        sp.read(path)


@pytest.mark.parametrize(
    "options", [{}, {"compression": "none"}, {"use_dictionary": False}, {"data_page_version": "2.0"}], ids=str
)
def test_pages_are_counted_as_the_footer_counts_them(tmp_path, options):
    names = [f"n{i % 700}" for i in range(5000)]
    table = pa.table({"source": names, "target": names[::-1], "w": np.arange(5000) % 91})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1500, data_page_size=1 << 12, **options)
    metadata = pq.ParquetFile(tmp_path / "x.parquet").metadata
    data = (tmp_path / "x.parquet").read_bytes()
    for column in range(3):
        stated = sum(metadata.row_group(k).column(column).total_uncompressed_size for k in range(4))  # with the headers
        size, largest, plain = parquet_size.measure(data, [column])
        assert 0.8 * stated < size < stated
        assert 0 < largest <= size
        assert plain


def test_headers_of_pages_that_lie():
    def pages(header, packed=0, values=10):
        chunk = {5: values, 7: len(header) + packed, 9: 4}
        try:
            return list(parquet_size.pages(b"PAR1" + header + bytes(packed), chunk))
        except IndexError:
            raise ValueError("a page is cut off") from None

    def zigzag(value):
        return varint(value << 1)

    huge = b"\x15\0\x15" + zigzag(2**31 - 1) + b"\x15" + zigzag(6) + b"\0"
    assert pages(huge, 6) == [2**31 - 1]
    wide = b"\x15\0\x15" + zigzag(80) + b"\x15" + zigzag(6) + b"\x2c\x15" + zigzag(11) + b"\0\0"
    with pytest.raises(ValueError, match="claims 11 values, of 10"):
        pages(wide, 6)
    assert pages(wide, 6, values=11) == [80]
    for bad in (b"", b"\x15\0\x15", b"\x19", b"\x15\0\0", b"\x1c" * 40, b"\x15" + b"\xff" * 11):
        with pytest.raises(ValueError, match=r"page|number"):
            pages(bad + bytes(not bad), 1)


def test_metadata_that_pyarrow_does_not_survive(tmp_path):
    """A column that says "required" in the schema and has statistics of an optional one: shown by pyarrow, it ends the process."""
    pq.write_table(pa.table({"source": [1, 2], "target": [2, 3]}), tmp_path / "x.parquet")
    data = (tmp_path / "x.parquet").read_bytes()
    path = put(tmp_path, "y.parquet", data.replace(b"\x25\x02\x18\x06source", b"\x25\x00\x18\x06source"))
    code = "import sys, steppe as sp\ntry: sp.read(sys.argv[1])\nexcept sp.FormatError: pass"
    assert run(code, str(path)).returncode == 0


def test_a_batch_that_is_named_often(tmp_path):
    """The footer of a file may name one batch a thousand times: all of them count."""
    batch = pa.record_batch({"source": np.arange(50_000), "target": np.arange(50_000)})
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch)
    data = path.read_bytes()
    assert arrow_size.measure(data) == (4 * 400_000, 100_000, False)
    for cut in range(1, 400, 7):
        for damaged in (data[:-cut], data[:-cut] + bytes(cut)):
            with pytest.raises(sp.FormatError):
                sp.read(put(tmp_path, "y.arrow", damaged))


def test_time_is_that_of_the_file(tmp_path):
    """Half a minute of the processor is far more than each needs, and far less than it took by the work of a row, batch or group."""
    many, one = named("x" * 1_000_000, 400_000), named("x" * 20_000_000, 1)
    pq.write_table(pa.table({"source": many, "target": many}), tmp_path / "many.parquet")
    few = pa.record_batch({"source": one, "target": one})
    with pa.OSFile(str(tmp_path / "many.arrow"), "wb") as file, pa.ipc.new_file(file, few.schema) as writer:
        for _ in range(5000):
            writer.write_batch(few)
    x, y, z = "x" * 1_000_000, "y" * 1_000_000, "z" * 1_000_000
    (tmp_path / "x.csv").write_text(f"source,target\n{x}{y},{x}{z}\n")
    edges = pa.table({"source": np.arange(10_000), "target": np.arange(10_000)})
    pq.write_table(edges, tmp_path / "groups.parquet", row_group_size=1)
    code = """
import resource, sys
import steppe as sp
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
print(sp.read(sys.argv[1], max_bytes=10**9).num_edges)
"""
    if sys.platform == "win32":
        code = code.replace("import resource, sys", "import sys").replace("resource.setrlimit", "# ")
    for name, edges in (("many.parquet", 400_000), ("many.arrow", 5000), ("x.csv", 1), ("groups.parquet", 10_000)):
        done = run(code, str(tmp_path / name))
        assert (done.returncode, done.stdout.strip()) == (0, str(edges)), (name, done.stderr)


REGULAR = {
    "path": (np.arange(300_000), np.arange(1, 300_001)),
    "star": (np.zeros(300_000, dtype=np.int64), np.arange(1, 300_001)),
    "complete": tuple(np.divmod(np.arange(700 * 700), 700)),
    "one edge": (np.zeros(300_000, dtype=np.int64), np.ones(300_000, dtype=np.int64)),
}
FORMATS = (".parquet", ".arrow", ".npz", ".steppe", ".csv", ".gr", ".mtx")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", REGULAR)
def test_what_is_written_is_read(tmp_path, name, weighted):
    """The most regular graphs, with weight 1, in every format as it is written by default."""
    u, v = REGULAR[name]
    g = sp.Graph.from_edges(u, v, np.ones(len(u)) if weighted else None)
    for suffix in FORMATS:
        sp.write(g, tmp_path / f"x{suffix}")
        back = sp.read(tmp_path / f"x{suffix}")
        assert np.array_equal(back.indptr, g.indptr), suffix
        assert np.array_equal(back.indices, g.indices), suffix


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_regular_names_are_read(tmp_path, suffix):
    rows, columns = np.divmod(np.arange(200 * 200), 200)
    g = sp.Graph.from_edges(
        np.char.add("v" * 40, rows.astype(str)), np.char.add("v" * 40, columns.astype(str)), relabel=True
    )
    sp.write(g, tmp_path / f"x{suffix}")
    assert arcs(sp.read(tmp_path / f"x{suffix}")) == arcs(g)
    assert not list(tmp_path.glob(".*"))
