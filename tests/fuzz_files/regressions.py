"""What was found once, as small as it could be made: none of these may be found again."""

from .seeds import File

_LONG = b" " * 60

FILES = [
    File("x.graphml", b'<?xml version="1.0" encoding="UXF-8"?>\n<graphml/>'),  # an encoding that nobody knows
    File("x.graph", b"0 0 010 1000000000000\n"),  # so many vertex weights, and no vertex
    File("x.graph", b"0 0 010 301000000000000000000\n"),
    File("x.graph", b"9000017199254740993 1"),
    File("x.graph", b"1000000000000 0\n"),
    File("x.gr", b"p col 9007199254740993 1\ne 1 2 9\n"),
    File("x.gr", b"p sp 1000000000000 0\n"),
    File("x.mtx", b"%%MatrixMarket matrix array real general\n1000000 1000000\n1\n"),
    File("x.mtx", b"%%MatrixMarket matrix coordinate real general\n1000000000000 1000000000000 0\n"),
    # An empty range of ids, seen as the full one by the fast path behind a comment.
    File("x.mtx", b"%%MatrixMarket matrix coordinate integer general\n0 0 1\n% a comment\n1 2 3\n%" + _LONG + b"\n"),
    File(
        "x.mtx.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    ),  # packed nothing
    File("x.txt", b"# steppe: vertices=1000000000000\n0 1\n"),
    File("x.txt", b"# steppe: vertices=99999999999999999999999 first=99999999999999999999999\n0 1\n"),
    File("x.txt", "# steppe: vertices=²\n0 1\n".encode()),  # a digit for str.isdigit, and none for int
    File("x.csv", b"a,b" + b" " * 40000 + b"x\n"),  # a regular expression that went back over the blanks
    File(
        "x.csv", b'a,"' + b"b" * 20000 + b'"\n' + b"".join(b"c%d,d%d\n" % (i, i) for i in range(5000))
    ),  # one long label
    File("x.gr", (1).to_bytes(8, "little") * 2 + (2**62).to_bytes(8, "little") * 2),
    File("x.sg", b"\0" + (2**62).to_bytes(8, "little") * 2),
    File("x.e", b"1 2\n", b"1 2\n"),
    File("x.e", b"# no edges\n", b"9223372036854775807\n"),  # the last label there is
    File("x.mtx", b"\xef\xbb\xbf"),  # a byte order mark, and no banner
    File("x.txt", b"# steppe: vertices=5 first=2147483648\n"),
    File("x.mtx", b"%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 2 7\n2 1 9"),  # parallel edges
]

NATIVE = [
    # The same empty range, in the native parser alone: the first line of data must be refused, not a later one.
    b"\2\0z\x11%\0\0\0o\1c\n3 3 2\n1 21e-23\n23\n-23\na3\n% c 3 21e\0 3 21e-\n3\n23\n",
]
