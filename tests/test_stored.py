"""Distances in narrower types: the core and NumPy agree on every value at the edge of a type, and on the first that does not fit."""

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
