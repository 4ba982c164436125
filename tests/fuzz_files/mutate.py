"""Damage to bytes, as AFL does it: bits and bytes changed, blocks moved and doubled, two files joined, words put in."""

WORDS = [
    *(b"%d" % x for x in (0, 1, 2, 9, 10, 99, 255, 2**16, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64)),
    b"1000000000000", b"1" * 31,
    b"-1", b"+1", b"1.5", b"1e308", b"1e309", b"-1e-320", b".", b"e", b"inf", b"-inf", b"nan", b"infinity", b"0x1p3", b"00000000000000000001",
    b"\n", b"\r\n", b"\r", b"\t", b" ", b",", b";", b'"', b'""', b"#", b"%", b"//", b"\0", b"\xef\xbb\xbf", b"\xff\xfe",
    "\u2028".encode(), "\u0663".encode(), "\u00b2".encode(),  # digits for str.isdigit
    b"# steppe: ", b"vertices=", b"first=", b"undirected", b"directed", b"unweighted", b"dtype=int32", b"dtype=float32", b"dtype=int64",
    b"p sp ", b"p edge ", b"p col ", b"p tw ", b"p aux sp co ", b"a ", b"e ", b"v ", b"c ", b"t ", b"n ",
    b"%%MatrixMarket matrix ", b"coordinate ", b"array ", b"real ", b"integer ", b"pattern ", b"complex ", b"general", b"symmetric",
    b"skew-symmetric", b"hermitian", b"%%GraphBLAS type ", b"uint64", b"fp32", b"010", b"111", b"001", b"100",
    b"source,target", b"source,target,weight", b"weight,source,target", b"from;to", b"id,from,to", b"src\tdst",
]  # fmt: skip
EDGES = (
    0,
    1,
    2,
    3,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**61,
    2**40,
)
LONGEST = 1 << 16


def _place(random, data):
    """A position; half the time near a start of line or of the file, where headers are."""
    if not data or random.random() < 0.2:
        return random.randrange(min(len(data), 64) + 1)
    return random.randrange(len(data) + 1)


def _block(random, data):
    a = _place(random, data)
    return a, min(len(data), a + random.choice((1, 2, 4, 8, random.randrange(1, 65))))


def _lines(random, data):
    """Doubles, drops or swaps whole lines."""
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(3)
    if what == 0:
        lines[i:i] = [lines[j]] * random.choice((1, 1, 2, 50))
    elif what == 1:
        del lines[i]
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def once(random, data, other):
    """One change."""
    what = random.randrange(11)
    a, b = _block(random, data)
    if what == 0 and data:  # a bit
        a = min(a, len(data) - 1)
        return data[:a] + bytes([data[a] ^ 1 << random.randrange(8)]) + data[a + 1 :]
    if what == 1:
        return data[:a] + bytes([random.randrange(256)]) + data[a + 1 :]
    if what == 2:  # a number in binary
        width = random.choice((1, 2, 4, 8))
        value = random.choice(EDGES) % (1 << 8 * width)
        return data[:a] + value.to_bytes(width, "little") + data[a + width :]
    if what == 3:
        return data[:a] + data[b:]
    if what == 4:
        return data[:b] + data[a:b] * random.choice((1, 1, 2, 3, 40)) + data[b:]
    if what == 5:  # a number in text
        return _number(random, data, a)
    if what == 6:
        return data[:a]
    if what == 7 and other:
        c, d = _block(random, other)
        return data[:a] + other[c:d] + data[b:]
    if what == 8 and other:
        return data[:a] + other[_place(random, other) :]
    if what == 9:
        return _lines(random, data)
    return data[:a] + random.choice(WORDS) + data[random.choice((a, b)) :]


def _number(random, data, at):
    """Puts another number in the place of one."""
    end = at
    while at > 0 and data[at - 1 : at].isdigit():
        at -= 1
    while end < len(data) and data[end : end + 1].isdigit():
        end += 1
    return data[:at] + random.choice(WORDS[:30]) + data[end:]


def havoc(random, data, other=b""):
    """One to sixteen changes."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 4, 8, 16))):
        data = once(random, data, other)
    return data[:LONGEST]
