"""Tables in text: columns by name or position, attributes, missing values, decimal commas, other encodings and separators."""

import bz2
import csv
import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from test_files import arcs, put

ROADS = "id,origin,dest,time,km,surface\n7,1,2,5,1.5,dirt\n8,2,3,7,2,\n9,1,3,20,9.25,a b\n"
TIMES = [(1, 2, 5), (1, 3, 20), (2, 3, 7)]
KM = [(1, 2, 1.5), (1, 3, 9.25), (2, 3, 2.0)]


def test_the_caller_names_columns(tmp_path):
    path = put(tmp_path, "x.csv", ROADS)
    assert arcs(sp.read(path, weight="time")) == TIMES
    assert arcs(sp.read(path, weight="km")) == KM
    assert arcs(sp.read(path, source="origin", target="dest", weight="KM")) == KM
    assert arcs(sp.read(path, source="dest", target="origin", weight=False)) == [(2, 1), (3, 1), (3, 2)]
    assert arcs(sp.read(path, source=1, target=2, weight=4)) == KM
    with pytest.raises(sp.FormatError, match="which column is the weight: 'time' and 'km'"):
        sp.read(path)


def test_positions_without_a_heading(tmp_path):
    path = put(tmp_path, "x.csv", "7,1,2,5\n8,2,3,7\n9,1,3,20\n")
    assert arcs(sp.read(path, source=1, target=2, weight=3)) == TIMES
    assert arcs(sp.read(path, source=2, target=1, weight=False)) == [(2, 1), (3, 1), (3, 2)]
    g = sp.read(path, source=1, target=2, weight=3, attributes=[0])
    assert g.attributes == ("0",)
    assert sp.sssp(g, 1).along("0").tolist() == [0, 7, 15]
    with pytest.raises(sp.FormatError, match="weight="):
        sp.read(path, source=1, target=2)
    with pytest.raises(sp.FormatError, match="no column 4"):
        sp.read(path, source=1, target=2, weight=4)
    names = put(tmp_path, "y.csv", "Ulm,Bonn\nBonn,Kiel\n")
    assert arcs(sp.read(names, source=0, target=1)) == [("Bonn", "Kiel"), ("Ulm", "Bonn")]


def test_a_heading_of_any_words(tmp_path):
    path = put(tmp_path, "x.csv", "2019,a,b\n3,Ulm,Bonn\n4,Bonn,Kiel\n")
    assert arcs(sp.read(path, source="a", target="b", weight="2019")) == [("Bonn", "Kiel", 4), ("Ulm", "Bonn", 3)]


@pytest.mark.parametrize("names", [False, True])
def test_attributes_ride_along(tmp_path, names):
    text = ROADS
    if names:
        text = text.replace("7,1,2", "7,Ulm,Bonn").replace("8,2,3", "8,Bonn,Kiel").replace("9,1,3", "9,Ulm,Kiel")
    g = sp.read(put(tmp_path, "x.csv", text), weight="time", attributes=["km", "id"])
    frame = pd.read_csv(io.StringIO(text))
    same = sp.Graph.from_frame(frame, "origin", "dest", "time", attributes=["km", "id"])
    first, last = ("Ulm", "Kiel") if names else (1, 3)
    assert g.attributes == ("km", "id")
    assert np.array_equal(g.indptr, same.indptr)
    assert np.array_equal(g.indices, same.indices)
    assert np.array_equal(g.weights, same.weights)
    assert g.labels.tolist() == same.labels.tolist()
    assert np.array_equal(g.edge_ids, same.edge_ids)
    assert np.array_equal(g.attribute("km"), same.attribute("km"))
    r = sp.sssp(g, first)
    assert r.distance(last) == 12
    assert r.along("km").tolist() == sp.sssp(same, first).along("km").tolist()
    assert r.edge_ids(last).tolist() == [0, 1]
    undirected = sp.read(put(tmp_path, "x.csv", text), weight="time", attributes=["km"], directed=False)
    assert sp.sssp(undirected, last).distance(first) == 12


def test_missing(tmp_path):
    text = "from,to,km,toll\n1,2,5,1\n2,,6,1\n3,1,,2\n1,3,NA,2\n4,1,9,\n1,4,7,nan\n"
    path = put(tmp_path, "x.csv", text)
    with pytest.raises(sp.FormatError, match=r'nothing.*missing="drop"') as caught:
        sp.read(path, attributes=["toll"])
    assert caught.value.line == 3
    g = sp.read(path, missing="drop")
    assert arcs(g) == [(1, 2, 5), (1, 4, 7), (4, 1, 9)]
    assert g.edge_ids.tolist() == [0, 5, 4]
    tolled = sp.read(path, missing="drop", attributes=["toll"])
    assert arcs(tolled) == [(1, 2, 5)]
    assert tolled.edge_ids.tolist() == [0]
    named = put(tmp_path, "y.csv", 'from,to,km\nUlm,"",5\n"Ulm",Bonn,6\nKiel,,7\n')
    assert arcs(sp.read(named, missing="drop")) == [("Ulm", "Bonn", 6)]
    nothing = sp.read(put(tmp_path, "z.csv", "from,to,km\nUlm,,5\n"), missing="drop")
    assert (nothing.num_vertices, nothing.num_edges) == (0, 0)


SEPARATED = {
    "semicolons": ("x.csv", "from;to;km\nUlm;Bonn;1,5\nBonn;Kiel;2\n", {}),
    "semicolons, numbers before": ("x.csv", "km;from;to\n1,5;Ulm;Bonn\n2;Bonn;Kiel\n", {}),
    "semicolons, a point": ("x.csv", "from;to;km\nUlm;Bonn;1.5\nBonn;Kiel;2\n", {}),
    "bars": ("x.csv", "from|to|km\nUlm|Bonn|1.5\nBonn|Kiel|2\n", {}),
    "bars by suffix": ("x.psv", "Ulm|Bonn|1.5\nBonn|Kiel|2\n", {}),
    "tabs, a comma": ("x.tsv", "from\tto\tkm\nUlm\tBonn\t1,5\nBonn\tKiel\t2\n", {"decimal": ","}),
    "tabs in csv": ("x.csv", "from\tto\tkm\nUlm\tBonn\t1.5\nBonn\tKiel\t2\n", {}),
    "quoted numbers": ("x.csv", '"from","to","km"\n"Ulm","Bonn","1.5"\n"Bonn","Kiel","2"\n', {}),
    "packed": ("x.csv.bz2", bz2.compress(b"Ulm,Bonn,1.5\nBonn,Kiel,2\n"), {}),
    "two streams": ("x.csv.bz2", bz2.compress(b"Ulm,Bonn,1.5\n") + bz2.compress(b"Bonn,Kiel,2\n"), {}),
}


@pytest.mark.parametrize("name", SEPARATED)
def test_separators_and_decimal_commas(tmp_path, name):
    file, content, options = SEPARATED[name]
    assert arcs(sp.read(put(tmp_path, file, content), **options)) == [("Bonn", "Kiel", 2.0), ("Ulm", "Bonn", 1.5)]


@pytest.mark.parametrize("part", [";", "|"])
def test_numbers_with_other_separators(tmp_path, part):
    text = "0;1;2,5\n1;2;4\n".replace(";", part)
    assert arcs(sp.read(put(tmp_path, "x.csv", text), decimal=",")) == [(0, 1, 2.5), (1, 2, 4.0)]
    whole = put(tmp_path, "y.csv", "0;1;2\n1;2;4\n".replace(";", part))
    assert arcs(sp.read(whole)) == [(0, 1, 2), (1, 2, 4)]


def test_other_encodings(tmp_path):
    text = "von,nach,km\nKöln,Düren,40\n"
    options = {"source": "von", "target": "nach", "weight": "km"}
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-8-sig"):
        path = put(tmp_path, "x.csv", text.encode(encoding))
        assert arcs(sp.read(path, encoding=encoding, **options)) == [("Köln", "Düren", 40)]
    path = put(tmp_path, "x.csv", text.encode("latin-1"))
    with pytest.raises(sp.FormatError, match="UTF-8") as caught:
        sp.read(path, **options)
    assert caught.value.line == 2
    with pytest.raises(sp.FormatError, match="ascii") as caught:
        sp.read(path, encoding="ascii", **options)
    assert caught.value.line == 2
    with pytest.raises(sp.GraphError, match="unknown encoding"):
        sp.read(path, encoding="klingon", **options)


BAD = {
    # name: (content, options, line, words)
    "no such column": ("from,to,km\n1,2,3\n", {"weight": "minutes"}, 1, "no column 'minutes'"),
    "two of a name": ("a,a,b\n1,2,3\n", {"source": "a", "target": "b"}, 1, "more than one column 'a'"),
    "one for two": ("a,b\n1,2\n", {"source": "a", "target": "a"}, 1, "two things"),
    "an attribute that is text": ("from,to,km,x\n1,2,3,dirt\n", {"attributes": ["x"]}, 2, "expected a number"),
    "thousands": ("from;to;km\n1;2;1.234,5\n", {}, 2, "number"),
    "points and commas": ("from;to;km\n1;2;3,5\n2;3;4.5\n", {}, 3, "number"),
    "a comma without leave": ("from\tto\tkm\nU\tB\t3,5\n", {}, 2, "number"),
    "ragged": ("from,to,km,x\n1,2,3,4\n1,2,3\n", {"attributes": ["x"]}, 3, "expected 4 columns"),
    "too many": ("from|to\n1|2\n1|2|3\n", {}, 3, "expected 2 columns"),
    "no closing quote": ('from,to,km,x\n"a",b,3,4\n"b,c,3,4\n', {"attributes": ["x"]}, 3, "closing quote"),
    "a quote within": ('from,to,km\na,b"c,3\n', {}, 2, "quote"),
    "a negative id": ("from,to,km\n1,2,3\n-1,2,3\n", {"attributes": ["km"]}, 3, "negative"),
    "an id too large": (f"from,to,km\n1,{2**63},3\n", {"attributes": ["km"]}, 2, "2\\^63"),
    "a weight too large": (f"from,to,km\na,b,{2**63}\n", {}, 2, "64 bits"),
    "overlong UTF-8": (b"from,to,km\na,b,3\na,\xc0\xaf,3\n", {}, 3, "UTF-8"),
    "a surrogate": (b"from,to,km\na,\xed\xa0\x80,3\n", {}, 2, "UTF-8"),
    "cut UTF-8": (b"from,to,km\na,\xe2\x82,3\n", {}, 2, "UTF-8"),
    "minus infinity": ("from,to,km\na,b,-inf\n", {}, 2, "number"),
    "a point alone": ("from,to,km\na,b,.\n", {}, 2, "number"),
    "bz2 cut off": (bz2.compress(b"from,to\n1,2\n")[:-5], {}, None, "bz2"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(tmp_path, name):
    content, options, line, words = BAD[name]
    file = "x.csv.bz2" if "bz2" in name else "x.tsv" if "\t" in str(content) else "x.csv"
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, file, content), **options)
    assert caught.value.line == line


def test_bad_options(tmp_path):
    path = put(tmp_path, "x.csv", ROADS)
    with pytest.raises(ValueError, match="missing"):
        sp.read(path, missing="skip")
    with pytest.raises(ValueError, match="decimal"):
        sp.read(path, decimal=";")
    with pytest.raises(sp.GraphError, match="list of columns"):
        sp.read(path, attributes="km")
    with pytest.raises(sp.GraphError, match="source"):
        sp.read(path, source=1.5)
    with pytest.raises(sp.GraphError, match="no columns to choose from"):
        sp.read(put(tmp_path, "x.gr", "p sp 2 1\na 1 2 3\n"), weight="km")


word = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1)
number = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False).filter(lambda x: x != -math.inf))


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(st.tuples(word, word, number, number, st.text("ab\"',; \t")), min_size=1),
    st.sampled_from([",", ";", "|", "\t"]),
    st.booleans(),
)
def test_as_the_csv_module_reads_it(tmp_path_factory, rows, part, undirected):
    """What Python's csv module writes is read as from_edges takes the columns."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=part, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(["from", "note", "cost", "to", "km"])
    writer.writerows((u, note, w, v, a) for u, v, w, a, note in rows)
    path = tmp_path_factory.mktemp("tables") / ("x.tsv" if part == "\t" else "x.csv")
    path.write_bytes(buffer.getvalue().encode())
    options = {"weight": "cost", "attributes": ["km"], "directed": not undirected}
    u, v, w, a, _ = (list(column) for column in zip(*rows, strict=True))
    wide = any(isinstance(x, float) for x in w), any(isinstance(x, float) for x in a)
    w, a = (np.array(x, dtype=np.float64 if f else np.int64) for x, f in zip((w, a), wide, strict=True))
    labels = np.array(u + v, dtype=object)
    expected = sp.Graph.from_edges(labels[: len(u)], labels[len(u) :], w, directed=not undirected, relabel=True)
    found = sp.read(path, **options)
    assert found.labels.tolist() == expected.labels.tolist()
    assert np.array_equal(found.indptr, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.weights, expected.weights)
    assert np.array_equal(found.edge_ids, expected.edge_ids)
    assert np.array_equal(found.attribute("km"), a)


def test_many_pieces(tmp_path):
    """More than one piece for each thread, comments between, a last line without an end."""
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 5000, (2, 120_000))
    km = rng.integers(1, 1000, 120_000) / 8
    lines = [f"zone {a},{i},zone {b},{w}" for i, (a, b, w) in enumerate(zip(u, v, km.tolist(), strict=True))]
    lines[50_000] += "\n# a comment\n"
    path = put(tmp_path, "x.csv", "from,id,to,km\n" + "\n".join(lines))
    assert path.stat().st_size > 3 << 20
    g = sp.read(path, attributes=["id"])
    names = np.array([f"zone {i}" for i in range(5000)], dtype=object)
    expected = sp.Graph.from_edges(names[u], names[v], km, relabel=True)
    assert np.array_equal(g.indptr, expected.indptr)
    assert np.array_equal(g.indices, expected.indices)
    assert np.array_equal(g.weights, expected.weights)
    assert np.array_equal(g.labels, expected.labels)
    assert np.array_equal(g.attribute("id"), np.arange(120_000))
    lines[110_000] = "zone 1,5,zone 2,x"
    with pytest.raises(sp.FormatError, match="'x'") as caught:
        sp.read(put(tmp_path, "x.csv", "from,id,to,km\n" + "\n".join(lines)))
    assert caught.value.line == 110_004
