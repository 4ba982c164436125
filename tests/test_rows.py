"""Rows as the native core makes them of edges, and turns them round."""

import numpy as np
import pytest

from steppe import _core


@pytest.mark.parametrize("m", [1, 1_000, 2**18, 2**18 + 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_edges_are_sorted_like_few(m, weighted):
    """Few edges are sorted in one pass, more than 2^18 in blocks: both are a stable sort by source, and turned round by target."""
    rng = np.random.default_rng(4)
    n = 70_000
    u, v = rng.integers(0, n, m).astype(np.int32), rng.integers(0, n, m).astype(np.int32)
    w = rng.random(m) if weighted else None
    rows = np.empty(n + 1, dtype=np.int64), np.empty(m, dtype=np.int32), np.empty(m) if weighted else None
    _core.build_csr(u, v, w, False, False, *rows, 2)
    turned = tuple(None if a is None else np.empty_like(a) for a in rows)
    _core.reverse_rows(_core.Rows(*rows), *turned, 2)
    for found, order, ends, others in (
        (rows, np.argsort(u, kind="stable"), u, v),
        (turned, np.lexsort((np.arange(m), u, v)), v, u),
    ):
        assert np.array_equal(found[0], np.searchsorted(ends[order], np.arange(n + 1)))
        assert np.array_equal(found[1], others[order])
        assert w is None or np.array_equal(found[2], w[order])
