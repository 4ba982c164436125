"""Shapes: graphs that differ in weights share what depends on their edges only; and how preparations are named."""

import numpy as np
import pytest

import steppe as sp


def test_graphs_with_other_weights_share_the_shape():
    rng = np.random.default_rng(0)
    g = sp.Graph.from_edges(*rng.integers(0, 500, (2, 5000)), rng.integers(0, 99, 5000))
    reverse = g.reverse
    for dtype in ("int32", "float64", None):
        weights = None if dtype is None else rng.integers(0, 99, g.num_edges).astype(dtype)
        h = g.with_weights(weights)
        assert h._shape is g._shape
        assert h.degrees is g.degrees
        assert h.reverse._shape is reverse._shape
        assert np.shares_memory(h.reverse.indices, reverse.indices)
        assert np.shares_memory(h.reverse.indptr, reverse.indptr)
        alone = sp.Graph.from_csr(h.indptr, h.indices, h.weights)
        assert not np.shares_memory(alone.reverse.indices, reverse.indices)
        assert np.array_equal(h.reverse.indices, alone.reverse.indices)
        if dtype is not None:
            assert h.reverse.weights.dtype == dtype
            assert np.array_equal(h.reverse.weights, alone.reverse.weights)
            assert h.prepared["reverse"].bytes == h.weights.nbytes
        assert np.array_equal(sp.sssp(h, 0, reverse=True).distances, sp.sssp(alone, 0, reverse=True).distances)
    assert "reverse" not in g.without_edges([0]).prepared


def test_a_shape_is_gone_with_the_reverses_that_have_it():
    g = sp.generate.random(2000, 40_000, weights=(1, 99), seed=1)
    h = g.with_weights(None)
    g.reverse  # noqa: B018 - made
    assert g._shape.turned() is g.reverse._shape
    h.reverse  # noqa: B018 - made of the same rows
    g.forget("reverse")
    assert g._shape.turned() is h.reverse._shape
    h.forget("reverse")
    assert g._shape.turned() is None


def test_preparations_are_named():
    g = sp.generate.grid(9, 9)
    with pytest.raises(ValueError, match="a preparation is one of reverse, packed"):
        g.prepare("sorted")
    with pytest.raises(ValueError, match="a preparation is one of"):
        g.forget("sorted")
    with pytest.raises(KeyError):
        g.prepared["packed"]
    assert (len(g.prepared), dict(g.prepared), repr(g.prepared)) == (0, {}, "nothing is prepared")
    assert "an undirected graph is its own reverse" in repr(g.prepare("reverse").prepared)
