"""Bad files: refused, with the line and what was expected; never a smaller graph."""

import gzip
import lzma
import pickle
import struct

import numpy as np
import pytest

import steppe as sp
from test_files import MTX, arcs, put

BAD = {
    # name: (file name, content, line, words of the message)
    "empty": ("x.txt", "", None, "empty"),
    "words": ("x.txt", "0 1\nfoo bar\n", 2, "vertex id .*'foo'"),
    "words only": ("x.txt", "hello world\n", 1, "vertex id"),
    "negative id": ("x.txt", "0 1\n\n# c\n0 -1\n", 4, "negative"),
    "float id": ("x.txt", "0 1\n0 1.5\n", 2, "2 columns"),
    "missing column": ("x.wel", "0 1 5\n0 1\n", 2, "3 columns"),
    "cut line": ("x.wel", "0 1 5\n0", 2, "3 columns"),
    "more columns": ("x.txt", "0 1\n0 1 5\n", 2, "2 columns"),
    "four columns": ("x.txt", "0 1 5 9\n", 1, "2 or 3 columns"),
    "one column": ("x.txt", "0\n", 1, "2 or 3 columns"),
    "wel of two": ("x.wel", "0 1\n", 1, "3 columns"),
    "el of three": ("x.el", "0 1 5\n", 1, "2 columns"),
    "trailing garbage": ("x.wel", "0 1 5\n1 2 7x\n", 2, "'x'"),
    "trailing comma": ("x.csv", "0,1\n1,2,\n", 2, "','"),
    "empty field": ("x.csv", "0,1,5\n0,,7\n", 2, "vertex id"),
    "second header": ("x.csv", "u,v\n0,1\nu,v\n", 3, "vertex id"),
    "id overflow": ("x.txt", "0 1\n9223372036854775808 1\n", 2, r"2\^63"),
    "id beyond 64 bits": ("x.txt", "0 99999999999999999999999\n", 1, r"2\^63"),
    "weight overflow": ("x.txt", "0 1 5\n0 1 9223372036854775808\n", 2, "64-bit"),
    "weight underflow": ("x.txt", "0 1 -9223372036854775809\n", 1, "64-bit"),
    "float overflow": ("x.txt", "0 1 5.0\n0 1 1e999\n", 2, "float"),
    "nan": ("x.txt", "0 1 5.0\n0 1 nan\n", 2, "number"),
    "late nan": ("x.txt", "0 1 5\n0 1 nan\n", 2, "number"),
    "minus infinity": ("x.txt", "0 1 -inf\n", 1, "number"),
    "nul byte": ("x.txt", b"0 1\n\x000 1\n", 2, "vertex id"),
    "lone carriage return": ("x.txt", b"0 1\n0 1\r0 1\r\n", 2, "end of the line"),
    "gr count low": ("x.gr", "c\np sp 3 2\na 1 2 5\n", 2, "promises 2 arcs, the file has 1"),
    "gr count high": ("x.gr", "p sp 3 1\na 1 2 5\na 1 2 5\n", 1, "promises 1 arcs, the file has 2"),
    "gr id high": ("x.gr", "p sp 3 1\nc\na 1 4 5\n", 3, "1…3, found '4'"),
    "gr id zero": ("x.gr", "p sp 3 1\na 0 1 5\n", 2, "1…3, found '0'"),
    "gr no length": ("x.gr", "p sp 3 1\na 1 2\n", 2, "3 columns"),
    "gr unknown line": ("x.gr", "p sp 3 1\nq 1 2 3\n", 2, "unexpected kind of line"),
    "gr glued": ("x.gr", "p sp 3 1\na1 2 3\n", 2, "unexpected kind of line"),
    "gr two p": ("x.gr", "p sp 3 1\np sp 3 1\na 1 2 3\n", 2, "second p"),
    "gr late p": ("x.gr", "a 1 2 3\np sp 3 1\n", 2, "unexpected"),
    "gr bad p": ("x.gr", "p sp 3\n", 1, "VERTICES EDGES"),
    "gr other problem": ("x.gr", "p max 3 1\na 1 2 3\n", 1, "'max'"),
    "gr nothing": ("x.gr", "c\n", None, "p line"),
    "gr huge counts": ("x.gr", f"p sp {10**30} 1\na 1 2 3\n", 1, r"2\^62"),
    "tw of three": ("x.gr", "p tw 3 1\n1 2 3\n", 2, "2 columns"),
    "co": ("x.co", "p aux sp co 1\nv 1 2 3\n", 2, "coordinates"),
    "mtx complex": ("x.mtx", MTX + "coordinate complex general\n1 1 1\n1 1 1 1\n", 1, "complex"),
    "mtx count": ("x.mtx", MTX + "coordinate pattern general\n2 2 2\n1 1\n", 2, "promises 2 entries, the file has 1"),
    "mtx rectangle": ("x.mtx", MTX + "coordinate pattern general\n2 3 1\n1 1\n", 2, "square"),
    "mtx id": ("x.mtx", MTX + "coordinate pattern general\n2 2 1\n1 3\n", 3, "1…2"),
    "mtx float in integer": ("x.mtx", MTX + "coordinate integer general\n2 2 1\n1 2 1.5\n", 3, "whole number"),
    "mtx no size": ("x.mtx", MTX + "coordinate integer general\n%\n", None, "size"),
    "mtx array count": ("x.mtx", MTX + "array real general\n2 2\n1\n2\n3\n", 2, "4 values .*found 3"),
    "mtx array word": ("x.mtx", MTX + "array real general\n1 1\nx\n", 3, "'x'"),
    "mtx skew diagonal": ("x.mtx", MTX + "coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 1\n", 4, "diagonal"),
    "metis count": ("x.graph", "3 3\n2\n1 3\n2\n", 1, "promises 3 edges"),
    "metis id": ("x.graph", "2 1\n2\n3\n", 3, "1…2, found 3"),
    "metis one-sided": ("x.graph", "% c\n3 1\n2\n3\n\n", 3, "disagrees"),
    "metis weights differ": ("x.graph", "2 1 1\n2 5\n1 6\n", 2, "disagrees"),
    "metis uneven": ("x.graph", "2 1 1\n2 5\n1\n", 3, "each with a weight"),
    "metis more lines": ("x.graph", "2 1\n2\n1\n1\n", 4, "more"),
    "metis fmt": ("x.graph", "2 1 7\n2\n1\n", 1, "FMT"),
    "metis cut": ("x.graph", "2 1\n2\n", 1, "promises"),
    "metis word": ("x.graph", "2 1\n2\nx\n", 3, "'x'"),
    "npz": ("x.npz", b"PK\x03\x04nonsense", None, "npz"),
    "sg size": ("x.sg", struct.pack("<?qq", False, 1, 2) + bytes(24), None, "expected 45 bytes"),
    "sg offsets": ("x.sg", struct.pack("<?qq3qi", False, 1, 2, 0, 1, 2, 1), None, "indptr"),
    "sg target": ("x.sg", struct.pack("<?qq3qi", False, 1, 2, 0, 1, 1, 9), None, "0…1"),
    "galois": ("x.gr", struct.pack("<QQQQ", 1, 0, 5, 5), None, "expected .* bytes"),
    "steppe": ("x.steppe", b"\x93STEPPE\n", None, "truncated"),
    "not gzip": ("x.txt.gz", "0 1\n", None, "gz"),
    "cut gzip": ("x.txt.gz", gzip.compress(b"0 1\n" * 99)[:-9], None, "truncated gz"),
    "cut xz": ("x.txt.xz", lzma.compress(b"0 1\n" * 99)[:-9], None, "truncated xz"),
    "json": ("x.json", '{"nodes": []}', None, "cannot tell the format"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(tmp_path, name):
    file, content, line, words = BAD[name]
    path = put(tmp_path, file, content)
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(copy), copy.line) == (str(caught.value), line)


@pytest.mark.parametrize("text", ["1 2 x", "1 2", "-1 2 3", "1 2 3 4"])
@pytest.mark.parametrize("line", [10, 200_000, 400_000])
def test_first_bad_line_is_exact_in_large_files(tmp_path, line, text):
    """Several pieces, several faults: the first one is named."""
    lines = ["11 22 33"] * 500_000
    lines[line - 1] = text
    lines[line + 60_000] = "worse"
    with pytest.raises(sp.FormatError) as caught:
        sp.read(put(tmp_path, "x.wel", "\n".join(lines)))
    assert caught.value.line == line


def test_missing_file_is_not_a_format_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        sp.read(tmp_path / "nothing.gr")


COUNTED = {
    "x.gr": "c c\np sp 12 4\na 10 2 5\na 2 11 17\nc c\na 3 1 444\na 11 12 10\n",
    "tw.gr": "p tw 12 3\n10 2\n2 11\n11 12\n",
    "x.mtx": MTX + "coordinate integer general\n%\n12 12 3\n10 2 55\n2 11 171\n11 12 10\n",
    "sym.mtx": MTX + "coordinate real symmetric\n12 12 3\n10 2 5.25\n2 1 17.5\n11 10 0.125\n",
    "array.mtx": MTX + "array integer general\n2 2\n10\n20\n30\n40\n",
    "x.graph": "5 4 1\n2 10 3 20\n1 10 3 30\n1 20 2 30 4 40\n3 40\n\n",
    "plain.graph": "12 2\n12\n11\n\n\n\n\n\n\n\n\n2\n1\n",
}


@pytest.mark.parametrize("name", COUNTED)
def test_truncation(tmp_path, name):
    """Cut anywhere, a file with counts is refused or gives the same graph.

    The one exception no count can catch: a cut inside the last number of the last line, where "10" becomes "1".
    """
    whole = COUNTED[name].encode()
    g = sp.read(put(tmp_path, name, whole))
    last_number = whole.rstrip().rfind(b" " if b" " in whole.rstrip().rsplit(b"\n", 1)[-1] else b"\n") + 1
    for cut in range(len(whole)):
        try:
            h = sp.read(put(tmp_path, name, whole[:cut]))
        except sp.FormatError:
            continue
        assert cut > last_number, f"cut at {cut} was accepted"
        same = arcs(h) == arcs(g) and h.num_vertices == g.num_vertices
        assert same or last_number < cut < len(whole.rstrip())


@pytest.mark.parametrize("suffix", [".steppe", ".npz", ".sg", ".el.gz", ".el.xz"])
def test_truncated_binaries(tmp_path, suffix):
    whole = tmp_path / ("whole" + suffix)
    sp.write(sp.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3]), whole)
    content = whole.read_bytes()
    for cut in np.linspace(0, len(content) - 1, 60).astype(int).tolist():
        with pytest.raises(sp.FormatError):
            sp.read(put(tmp_path, "cut" + suffix, content[:cut]))
