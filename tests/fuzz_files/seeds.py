"""The corpus: small files of every format, made by ``steppe.write`` or written by hand; none is stored."""

import bz2
import gzip
import io
import lzma
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import steppe as sp
from steppe.files import formats

try:
    import zstandard
except ImportError:
    zstandard = None


class File(NamedTuple):
    """A file, its name, and for LDBC's pair of files the other one."""

    name: str
    data: bytes
    beside: bytes | None = None


HAND_WRITTEN = {
    "x.txt": [
        b"0 1\n1 2\n", b"# a comment\n\n10 20 5\r\n20\t30,7\n% c\n// c\n30;10 1.5", b"1 2 1e308\n2 1 4.9e-324\n1 1 inf\n",
        b"9223372036854775807 0 -9223372036854775808\n", b"# steppe: vertices=5 first=3 undirected dtype=int64\n3 4 1\n4 3 1\n",
        b"# steppe: vertices=0\n", b"# no edges\n", b"\xef\xbb\xbf1 2\n", b"4294967296 5000000000 1\n",
    ],
    "x.el": [b"0 1\n1 0\n"],
    "x.wel": [b"0 1 2147483647\n1 0 2147483648\n", b"0 1 -1\n1 0 -1\n"],
    "x.csv": [
        b"source,target,weight\n1,2,3.5\n2,3,4\n", b"from;to\n1;2\n", b'source,target\n"Rye, NY","say ""hi"""\nUlm,Bonn\n',
        b"a,b,1\nb,c,2\n", b"from;to;km\na;b;1,5\n", b'from|to|km\n"x|y"|b|1e3\n', b"1;2;3,5\n", "Köln,Ø,1e3\nØ,Köln,inf\n".encode(),
        b"weight,source,target\n1,2,3\n", b"edge_id,from,to\n7,1,2\n",
    ],
    "x.tsv": [b"source\ttarget\tweight\n1\t2\t3\n", b"Ulm\tNew York\t2\n", b'"1"\t"2"\n'],
    "x.gr": [
        b"c three\np sp 3 2\na 1 2 7\na 2 3 4\n", b"c\nt title\nn 1\na 5 9 1.25\n", b"p edge 3 2\ne 1 2\ne 2 3\n", b"p tw 3 1\n1 3\n",
        b"p col 2 1\ne 1 2 9\n", b"c steppe: undirected unweighted first=0 dtype=float32\np sp 2 2\na 1 2 1\na 2 1 1\n",
        b"p aux sp co 2\nv 1 -73 40\nv 2 5.5 1e9\n",
    ],
    "x.mtx": [
        b"%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n2 3 -1e-3\n",
        b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
        b"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n",
        b"%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n",
        b"%%MatrixMarket matrix array integer symmetric\n2 2\n0\n1\n2\n",
        b"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type float\n% steppe: first=0 undirected\n2 2 2\n1 2 3\n2 1 3\n",
    ],
    "x.graph": [
        b"3 2\n2\n1 3\n2\n", b"% c\n2 1 001\n2 9\n1 9\n", b"2 1 111 2\n7 8 9 2 5\n7 8 9 1 5\n", b"2 1 100\n2\n1\n", b"3 1 0\n2\n\n\n",
        b"0 0 010 3\n",
    ],
    "x.adj": [b"1 2 3\n2 3\n5\n", b"# c\n100 7 100\n"],
    "x.net": [
        b'*Vertices 3\n1 "a"\n2 "b" 0.1 0.2\n3 "c"\n*Arcs\n1 2 3\n*Edges\n2 3 1.5\n', b"% c\n*vertices 2\n*Matrix\n0 5\n1 0\n",
        b"*Vertices 4\n*Arcslist\n1 2 3\n*Edgeslist\n4 1\n",
    ],
    "x.tntp": [
        b"<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n~ c\n"
        b"\t1\t3\t9000\t5\t6\t0.15\t4\t0\t0\t1\t;\n\t3\t2\t9000\t5.5\t6\t0.15\t4\t0\t0\t1\t;\n",
    ],
    "x.graphml": [
        b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml><key id="d" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>'
        b'<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="d">1.5</data></edge>'
        b'<edge directed="false" source="b" target="a"/></graph></graphml>',
    ],
    "x": [b"1 2\n", b"a,b\nb,c\n", b"p sp 2 1\na 1 2 3\n"],
}  # fmt: skip

LDBC = [(b"1 2 3\n2 3 4\n", b"1\n2\n3\n9\n"), (b"5 7\n", b"# c\n7\n5\n"), (b"# no edges\n", b"4\n")]


def graphs():
    """Small graphs, one for each kind of what a file can hold."""
    u, v = np.array([0, 0, 1, 3, 3, 4]), np.array([1, 2, 2, 1, 3, 0])
    made = {"u": sp.Graph.from_edges(u, v), "none": sp.Graph.from_edges(u[:0], v[:0])}
    for name, dtype in {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}.items():
        made[name] = sp.Graph.from_edges(u, v, np.array([3, 1, 4, 1, 5, 9], dtype=dtype))
    made["both"] = sp.Graph.from_edges([0, 1, 2], [1, 2, 0], [5, 7, 9], directed=False)
    made["gaps"] = sp.Graph.from_edges(u * 1000, v * 1000, relabel=True)
    made["names"] = sp.Graph.from_edges(
        np.array(["Ulm", "Bonn", "Köln"]), np.array(["Bonn", "Köln", "Ulm"]), [1, 2, 3], relabel=True
    )
    return made


def packed(file):
    """The same file in every compression that can be read here."""
    yield file._replace(name=file.name + ".gz", data=gzip.compress(file.data, 1, mtime=0))
    yield file._replace(name=file.name + ".bz2", data=bz2.compress(file.data, 1))
    yield file._replace(name=file.name + ".xz", data=lzma.compress(file.data, preset=0))
    if zstandard is not None:
        yield file._replace(name=file.name + ".zst", data=zstandard.ZstdCompressor(level=1).compress(file.data))


def galois():
    """Galois' binary ``.gr``: three vertices, two arcs, weights."""
    head = np.array([1, 4, 3, 2, 1, 2, 2], dtype="<u8").tobytes()
    return head + np.array([1, 2], dtype="<u4").tobytes() + np.array([5, 6], dtype="<i4").tobytes()


def coo():
    """A COO matrix as SciPy keeps it."""
    buffer = io.BytesIO()
    row, column = np.array([0, 1, 1]), np.array([1, 2, 2])
    np.savez(
        buffer, row=row, col=column, data=np.array([1.5, 2.0, 2.0]), format=np.array(b"coo"), shape=np.array([3, 3])
    )
    return buffer.getvalue()


def packed_columns(graph):
    """Arrow with packed buffers, as a file and as a stream; Parquet with names in pages of other kinds. Nothing where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return []
    u, v, w = graph.edges()
    table, files = pa.table({"source": [str(x) for x in u], "target": [str(x) for x in v], "weight": w}), []
    for opened, packing in ((pa.ipc.new_file, "zstd"), (pa.ipc.new_stream, "lz4")):
        buffer = io.BytesIO()
        named = table.set_column(0, "source", table["source"].dictionary_encode())
        with opened(buffer, named.schema, options=pa.ipc.IpcWriteOptions(compression=packing)) as writer:
            writer.write_table(named)
        files.append(File("x.arrow", buffer.getvalue()))
    for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        buffer = io.BytesIO()
        options = {"use_dictionary": False, "column_encoding": {"source": encoding, "target": encoding}}
        pq.write_table(table, buffer, compression="zstd", row_group_size=2, **options)
        files.append(File("x.parquet", buffer.getvalue()))
    return files


def _written(made, path, beside):
    """The graphs in the format that a name tells, without those that it cannot keep."""
    for graph in made.values():
        try:
            sp.write(graph, path)
        except sp.SteppeError:
            continue
        yield File(path.name, path.read_bytes(), *(path.with_suffix(other).read_bytes() for other in beside))


def corpus():
    """Every seed."""
    files = [File(name, data) for name, texts in HAND_WRITTEN.items() for data in texts]
    files += [File("x.e", edges, vertices) for edges, vertices in LDBC]
    files += [File("x.gr", galois()), File("x.npz", coo())]
    made = graphs()
    files += packed_columns(made["i32"])
    with tempfile.TemporaryDirectory() as folder:
        for one in formats.FORMATS:
            for suffix in one.suffixes if one.write is not None else ():
                files += _written(made, Path(folder, "x" + suffix), one.beside[:1])
    return files + [p for i, file in enumerate(files) if i % 4 == 0 for p in packed(file)]
