"""Tables of names: strings as ids in .csv and .tsv, and never by mistake."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from test_files import put

ROADS = [("Bonn", "Kiel", 2), ("Rye, NY", "Ulm", 4), ("Ulm", "Bonn", 3)]

GOOD = {
    "heading": ("x.csv", 'source,target,weight\nUlm,Bonn,3\nBonn,Kiel,2\n"Rye, NY",Ulm,4\n'),
    "other heading": ("x.csv", 'Origin,Dest,km\nUlm,Bonn,3\nBonn,Kiel,2\n"Rye, NY",Ulm,4\n'),
    "no heading": ("x.csv", 'Ulm,Bonn,3\nBonn,Kiel,2\n"Rye, NY",Ulm,4'),
    "blanks, comments, CRLF": (
        "x.csv",
        '# roads\r\n\r\nUlm , Bonn, 3\r\n% c\r\nBonn,Kiel ,2\r\n "Rye, NY" , Ulm , 4 \r\n',
    ),
    "byte-order mark": ("x.csv", '\ufeffUlm,Bonn,3\nBonn,Kiel,2\n"Rye, NY",Ulm,4\n'),
    "semicolons": ("x.csv", '"Ulm";"Bonn";3\n"Bonn";"Kiel";2\nRye, NY;Ulm;4\n'),
    "tabs": ("x.tsv", "from\tto\tweight\nUlm\tBonn\t3\nBonn\tKiel\t2\nRye, NY\tUlm\t4\n"),
    "packed": ("x.csv.gz", gzip.compress(b'Ulm,Bonn,3\nBonn,Kiel,2\n"Rye, NY",Ulm,4\n')),
}


def edges(graph):
    u, v = np.repeat(np.arange(graph.num_vertices), graph.degrees), graph.indices
    weights = [1] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    return sorted(zip(graph.labels_of(u).tolist(), graph.labels_of(v).tolist(), weights, strict=True))


@pytest.mark.parametrize("name", GOOD)
def test_names_become_labels(tmp_path, name):
    graph = sp.read(put(tmp_path, *GOOD[name]))
    assert edges(graph) == ROADS
    assert graph.labels.tolist() == ["Bonn", "Kiel", "Rye, NY", "Ulm"]
    assert graph.weights.dtype == np.int32
    assert sp.sssp(graph, "Rye, NY").distance("Kiel") == 9


def test_without_weights(tmp_path):
    graph = sp.read(put(tmp_path, "x.csv", "From,To\nUlm,Bonn\nBonn,Kiel\n"))
    assert edges(graph) == [("Bonn", "Kiel", 1), ("Ulm", "Bonn", 1)]
    assert graph.weights is None


@pytest.mark.parametrize(
    ("words", "dtype"),
    [(["1", "2"], "int32"), (["1", str(2**40)], "int64"), (["1", "2.5"], "float64"), (["1", "inf"], "float64")],
)
def test_weights_have_the_type_they_need(tmp_path, words, dtype):
    graph = sp.read(put(tmp_path, "x.csv", f"a,b,{words[0]}\nb,c,{words[1]}\n"))
    assert graph.weights.dtype == dtype
    assert graph.weights.tolist() == [float(word) for word in words]


def test_quotes_make_names_of_numbers(tmp_path):
    graph = sp.read(put(tmp_path, "x.csv", 'source,target\n"7","8"\n"8",nine\n'))
    assert graph.labels.tolist() == ["7", "8", "nine"]


def test_undirected(tmp_path):
    graph = sp.read(put(tmp_path, "x.csv", "Ulm,Bonn,3\n"), directed=False)
    assert edges(graph) == [("Bonn", "Ulm", 3), ("Ulm", "Bonn", 3)]


BAD = {
    "a word among numbers": ("x.csv", "1,2,3\nfoo,2,3\n", 2, "vertex id"),
    "a word among numbers, under a heading": ("x.csv", "source,target\n1,2\n3,foo\n", 3, "vertex id"),
    "a number among names": ("x.csv", "Ulm,Bonn,3\nBonn,7,3\n", 2, "not a number.*'7'"),
    "the first of many numbers is bad": ("x.csv", "source,target\n1x,2\n3,4\n", 2, "not a number.*'2'"),
    "heading or edge": ("x.csv", "Ulm,Bonn\nBonn,Kiel\n", 1, "cannot tell"),
    "heading or a bad weight": ("x.csv", "Ulm,Bonn,three\nBonn,Kiel,2\n", 1, "cannot tell"),
    "one edge or a heading": ("x.csv", "Ulm,Bonn\n", 1, "cannot tell"),
    "names in .txt": ("x.txt", "Ulm Bonn 3\n", 1, "vertex id"),
    "no name": ("x.csv", "Ulm,Bonn,3\n,Kiel,2\n", 2, "nothing"),
    "no weight": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel\n", 2, "expected 3 columns"),
    "more columns": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel,2,5\n", 2, "expected 3 columns"),
    "four columns": ("x.csv", "Ulm,Bonn,3,4\n", 1, "2 or 3"),
    "bad weight": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel,x\n", 2, "number"),
    "nan": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel,nan\n", 2, "number"),
    "minus infinity": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel,-inf\n", 2, "number"),
    "weight too large": ("x.csv", f"Ulm,Bonn,3\nBonn,Kiel,{2**63}\n", 2, "64 bits"),
    "float too large": ("x.csv", "Ulm,Bonn,3\nBonn,Kiel,1e999\n", 2, "number"),
    "open quote": ("x.csv", 'Ulm,Bonn,3\n"Bonn,Kiel,2\n', 2, "quote"),
    "text after a quote": ("x.csv", 'Ulm,Bonn,3\n"Bonn"x,Kiel,2\n', 2, "quote"),
    "not UTF-8": ("x.csv", b"Ulm,Bonn,3\nK\xf6ln,Kiel,2\n", 2, "UTF-8"),
    "NUL": ("x.csv", "Ulm,Bonn,3\nKi\0el,Ulm,2\n", 2, "NUL"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(tmp_path, name):
    file, content, line, words = BAD[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, file, content))
    assert caught.value.line == line


names = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0\ufffd"), min_size=1)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(names, names, st.floats(0, width=32)), min_size=1),
    st.sampled_from([None, "int32", "int64", "float32", "float64"]),
    st.booleans(),
    st.sampled_from(["x.csv", "x.tsv"]),
)
def test_round_trip(tmp_path_factory, table, dtype, directed, file):
    u, v, w = (list(column) for column in zip(*table, strict=True))
    weights = None if dtype is None else np.array([min(x, 2.0**30) for x in w]).astype(dtype)
    labels = np.array(u + v, dtype=object)
    graph = sp.Graph.from_edges(labels[: len(u)], labels[len(u) :], weights, directed=directed, relabel=True)
    path = tmp_path_factory.mktemp("names") / file
    sp.write(graph, path)
    back = sp.read(path)
    assert back.labels.tolist() == graph.labels.tolist()
    assert back.directed == graph.directed
    assert np.array_equal(back.indptr, graph.indptr)
    assert np.array_equal(back.indices, graph.indices)
    assert (back.weights is None) == (dtype is None)
    if dtype is not None:
        assert back.weights.dtype == graph.weights.dtype
        assert np.array_equal(back.weights, graph.weights)
