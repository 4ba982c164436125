"""Labels: names of any kind, kept as they were given and spoken in every call."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

import steppe as sp
from steppe.graph.labels import Labels

LABELS = {
    "gaps": [10, 30, 20, 7],
    "from one": [1, 2, 3, 4],
    "negative": [-5, -1, 3, 0],
    "beyond 2^31": [2**31, 2**40, 5, 2**62],
    "beyond 2^63": [2**64 - 1, 2**63, 1, 2**53 + 1],
    "beyond 2^64": [2**70, 1, 2, 3],
    "strings": ["b", "a", "ä", ""],
    "digits": ["1", "02", "2", "10"],
    "bytes": [b"a", b"b", b"c", b"d"],
    "floats": [0.5, -1.5, 2.0, 1e300],
    "tuples": [(1, 2), (0, 1), (1, 1), (5, 0)],
    "tuples of all lengths": [(1,), (1, 2), (), (1, 2, 3)],
    "mixed": [1, "1", (1,), None],
    "frozen sets": [frozenset(x) for x in ("ab", "c", "d", "")],
    "int8 extremes": np.array([-128, 127, 0, 1], dtype=np.int8),
    "int64 extremes": np.array([-(2**63), 2**63 - 1, 0, 1]),
    "uint64": np.array([2**63, 1, 2**53, 2**53 + 1], dtype=np.uint64),
    "objects": np.array(["x", "y", "z", "w"], dtype=object),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_every_kind(name):
    given = LABELS[name]
    a, b, c, d = given if isinstance(given, list) else given.tolist()
    pick = (lambda *i: [given[j] for j in i]) if isinstance(given, list) else (lambda *i: given[list(i)])
    g = sp.Graph.from_edges(pick(0, 1, 2), pick(1, 2, 3), [1, 2, 3], relabel=True)
    assert g.num_vertices == 4
    assert set(g.labels.tolist()) == {a, b, c, d}
    assert [type(x) for x in sorted(g.labels.tolist(), key=repr)] == [type(x) for x in sorted([a, b, c, d], key=repr)]
    r = sp.sssp(g, a)
    assert [r.distance(x) for x in (a, b, c, d)] == [0, 1, 3, 6]
    assert r.path(d).tolist() == [a, b, c, d]
    assert [g.index(g.label(i)) for i in range(4)] == [0, 1, 2, 3]
    assert g.indices_of(pick(2, 0)).tolist() == [g.index(c), g.index(a)]
    assert r.to_dict() == {a: 0, b: 1, c: 3, d: 6}
    for other in (g.reverse, pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):  # noqa: S301
        assert other.labels.tolist() == g.labels.tolist()
        assert not other.labels.flags.writeable
    rows = sp.Graph.from_csr([0, 1, 2, 3, 3], [1, 2, 3], [1, 2, 3], labels=given)
    assert rows.labels.tolist() == [a, b, c, d]
    assert sp.sssp(rows, a, targets=pick(3)).distance(d) == 6
    with pytest.raises(sp.GraphError, match="not in the graph"):
        g.index("no such vertex")
    with pytest.raises(sp.GraphError, match="not in the graph"):
        g.indices_of([a, "no such vertex"])


def test_labels_are_sorted_where_they_have_an_order():
    assert sp.Graph.from_edges([9, 4], [4, 6], relabel=True).labels.tolist() == [4, 6, 9]
    assert sp.Graph.from_edges([(2, 1)], [(1, 5)], relabel=True).labels.tolist() == [(1, 5), (2, 1)]


def test_ids_of_int64_and_uint64_do_not_meet_in_float64():
    g = sp.Graph.from_edges(np.array([2**60 + 1], dtype=np.uint64), np.array([2**60 + 2]), relabel=True)
    assert g.labels.tolist() == [2**60 + 1, 2**60 + 2]
    mixed = sp.Graph.from_edges(np.array([2**63 + 1], dtype=np.uint64), np.array([-1]), relabel=True)
    assert mixed.labels.tolist() == [-1, 2**63 + 1]


@pytest.mark.parametrize("labels", [[5, 5, 7], ["a", "b", "a"], [1, 2], [1, 2, 3, 4], [[1, 2, 3]], [[1], [2], [3]]])
def test_bad_labels(labels):
    with pytest.raises(sp.GraphError, match="labels"):
        sp.Graph.from_csr([0, 1, 1, 1], [1], labels=labels)


@pytest.mark.parametrize("vertex", [-1, 3, 1.0, "1", None, True, 2**70])
def test_a_vertex_that_is_not_there(vertex):
    plain = sp.Graph.from_edges([0, 1], [1, 2])
    named = sp.Graph.from_edges([10, 11], [11, 12], relabel=True)
    gaps = sp.Graph.from_edges([10, 21], [21, 12], relabel=True)
    for g in (plain, named, gaps):
        with pytest.raises(sp.GraphError, match="not in the graph"):
            g.index(vertex)
        with pytest.raises(sp.GraphError):
            g.indices_of([vertex])
        with pytest.raises(sp.GraphError):
            g.indices_of(vertex)


def test_a_label_beyond_int64_stays_what_it_is():
    for values in ([2**64 - 1], [2**63, 2**63 + 1], [2**63 - 1, 2**63]):
        g = sp.Graph.from_csr([0] * (len(values) + 1), [], labels=np.array(values, dtype=np.uint64))
        assert g.labels.tolist() == values
        assert [g.index(value) for value in values] == list(range(len(values)))
    g = sp.Graph.from_csr([0, 0, 0], [], labels=[-1, 0])
    with pytest.raises(sp.GraphError, match="18446744073709551615"):
        g.indices_of(np.array([2**64 - 1], dtype=np.uint64))
    assert g.indices_of(np.array([0], dtype=np.uint64)).tolist() == [1]


def test_labels_that_are_alike_or_nan_are_refused():
    for values in (
        np.array([1.0, np.nan]),
        np.array(["a", np.nan], dtype=object),
        np.array(["a", "a"]),
        np.array([7, 7]),
    ):
        with pytest.raises(sp.GraphError, match=r"NaN|unique"):
            Labels(values).check()


def test_one_long_label_does_not_widen_all():
    names = ["x" * 100_000, *map(str, range(5000)), "ends in NUL\0"]
    tracemalloc.start()
    g = sp.Graph.from_edges(names[:-1], names[1:], relabel=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20
    assert set(g.labels.tolist()) == set(names)
    assert sp.sssp(g, names[0]).distance(names[-1]) == 5001
