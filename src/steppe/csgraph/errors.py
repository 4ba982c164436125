"""NegativeCycleError, which is both SciPy's and steppe's: ``except`` of either catches it."""

from __future__ import annotations

from scipy.sparse.csgraph import NegativeCycleError as _Theirs

from ..errors import NegativeCycleError as _Ours


class NegativeCycleError(_Ours, _Theirs):
    """A cycle of negative length: there is no shortest path.

    Attributes
    ----------
    cycle : list of int
        Its vertices in order; the last one leads back to the first.
    """

    def __init__(self, message: str = "", cycle: list[int] | None = None) -> None:
        _Ours.__init__(self, message, cycle or [])
