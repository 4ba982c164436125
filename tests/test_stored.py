"""Distances in narrower types: the core and NumPy agree on every value at the edge of a type, and on the first that does not fit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import _core
from steppe.calls import stored

FROM = ["int64", "float32", "float64"]
TO = sorted(t.name for t in stored.NATIVE)


def edges_of(dtype):
    """Values at the edges of all types, as far as this one can hold them."""
    values = [0, 1, -1, 0.5, -2.5, 3e38, -3e38, 3.5e38, -3.5e38, 1e300, -1e300, 7]
    for bits in (7, 8, 15, 16, 31, 32, 53, 63, 64):
        values += [sign * (2**bits + k) for sign in (1, -1) for k in (-2, -1, 0, 1)]
    if np.dtype(dtype).kind == "i":
        values = [v for v in values if isinstance(v, int) and -(2**63) <= v < 2**63 - 1]
    with np.errstate(over="ignore"):
        found = np.array(values, dtype=dtype)
    return found[~np.isinf(found)]


def both(values, dtype, threads=1):
    """Compare the two ways; return the first that does not fit, or -1."""
    by_core, by_numpy = (np.zeros(values.shape, dtype=dtype) for _ in range(2))
    with np.errstate(invalid="ignore"):
        lost = stored._store(values, by_numpy)
    assert _core.store(values, by_core, threads) == lost
    if lost < 0:
        assert np.array_equal(by_core, by_numpy)
    return lost


@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("source", FROM)
def test_every_edge_of_every_type(source, to):
    far = np.array([stored.unreachable(np.dtype(source))], dtype=source)
    outcomes = {both(np.concatenate([far, [value], far]).astype(source), to) for value in edges_of(source)}
    assert -1 in outcomes
    rounds = {("int64", "float32"), ("int64", "float64"), ("float32", "float64")}  # or holds all there are
    assert outcomes == ({-1} if source == to or (source, to) in rounds else {-1, 1})


@given(
    values=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300), max_size=40),
    source=st.sampled_from(FROM),
    to=st.sampled_from(TO),
    threads=st.integers(1, 3),
)
@settings(max_examples=examples(200), deadline=None)
def test_any_values(values, source, to, threads):
    both(np.array(values, dtype=np.int64).astype(source), to, threads)


def test_the_first_of_many_is_named():
    values = np.zeros(300_000, dtype=np.int64)
    values[[299_999, 200_000, 140_000]] = 300
    assert both(values, "uint8", threads=3) == 140_000
    g = sp.Graph.from_edges([0, 0], [1, 2], [254, 255])
    with pytest.raises(sp.DistanceOverflowError, match="from 0 to 2 is 255 and cannot be stored as uint8"):
        sp.all_pairs(g, dtype="uint8")
    assert sp.all_pairs(g, dtype="float16").tolist()[0] == [0, 254, 255]


def test_wrong_types_are_refused():
    with pytest.raises(ValueError, match="must be int64"):
        _core.store(np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int8), 1)
    with pytest.raises(ValueError, match="cannot be stored"):
        _core.store(np.zeros(1), np.zeros(1, dtype=np.float16), 1)


WORDS = [-1, 0, 255, 256, 65_535, 70_000, 2**31, 2**62, 2**63, 2**64, -(2**63), -(2**70), 0.5, 1e5, 1e39, 1e300]
WORDS += [np.nan, np.inf, -np.inf, np.float32(7), np.int8(-3), True]


@pytest.mark.parametrize("dtype", [None, *TO, "f2"])
@pytest.mark.parametrize("value", WORDS)
def test_every_word_for_no_path_in_every_type(dtype, value):
    """The matrix keeps its type where that has the number, and is of float64 where it has not."""
    graphs = [sp.Graph.from_edges([0, 1], [1, 2], weights) for weights in ([1, 2], np.array([1, 2], dtype="f4"))]
    for g in graphs:
        plain = sp.distances(g, [0, 2], dtype=dtype)
        for found in (
            sp.distances(g, [0, 2], dtype=dtype, unreachable=value),
            sp.distances(g, [0, 0, 0, 2, 2, 2], [0, 1, 2] * 2, pairs=True, dtype=dtype, unreachable=value).reshape(
                2, 3
            ),
        ):
            finite = math.isfinite(value)
            if plain.dtype.kind == "f":
                kept = not finite or abs(float(value)) <= float(np.finfo(plain.dtype).max)
            else:
                limits = np.iinfo(plain.dtype)
                kept = finite and int(value) == value and limits.min <= int(value) <= limits.max
            assert found.dtype == (plain.dtype if kept else np.float64)
            assert found[0].tolist() == [0, 1, 3]
            assert found[1, 2] == 0
            expected = np.array(value).astype(found.dtype)
            assert np.array_equal(found[1, :2], [expected] * 2, equal_nan=True)


def test_words_for_no_path_that_no_type_has():
    g = sp.Graph.from_edges([0, 1], [1, 2], [1, 2])
    told = []
    for word, error in (("far", TypeError), ([1], TypeError), (1j, TypeError), (10**400, ValueError)):
        with pytest.raises(error, match="unreachable must be a number"):
            sp.distances(g, [0, 2], unreachable=word, progress=told.append)
    with pytest.raises(sp.ResultSizeError, match="float64"):
        sp.distances(g, [0, 2], dtype="uint8", unreachable=-1, memory_limit=40, progress=told.append)
    assert told == []  # before anything is computed
