"""The shortest-path family of ``scipy.sparse.csgraph``, with SciPy's signatures and answers, on steppe's searches.

Change one line, ``from scipy.sparse.csgraph import dijkstra`` to ``from steppe.csgraph import dijkstra``: arguments, return values, types,
sentinels (``inf``, -9999) and errors are SciPy's. What differs is written in ``docs/scipy.md``: which of several shortest paths a
predecessor matrix has, and what Dijkstra's method does with negative weights.

>>> from steppe.csgraph import dijkstra
>>> dijkstra([[0, 5, 9], [0, 0, 3], [0, 0, 0]], indices=0)
array([0., 5., 8.])
"""

from .errors import NegativeCycleError
from .listing import yen
from .solvers import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path
from .traversal import (
    breadth_first_order,
    breadth_first_tree,
    depth_first_order,
    depth_first_tree,
)
from .trees import construct_dist_matrix, reconstruct_path

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "construct_dist_matrix",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "reconstruct_path",
    "shortest_path",
    "yen",
]
