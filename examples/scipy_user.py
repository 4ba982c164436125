"""A SciPy user's job: distances of a sparse matrix, the nearest of several sources, the next best paths; one import changed."""

import numpy as np
from scipy.sparse import csgraph, random_array

from steppe.csgraph import dijkstra, shortest_path, yen

A = random_array((2_000, 2_000), density=0.002, rng=np.random.default_rng(1), format="csr")

distances, predecessors = dijkstra(A, indices=[0, 7, -1], return_predecessors=True)
assert np.array_equal(distances, csgraph.dijkstra(A, indices=[0, 7, -1]))
print(
    f"{distances.shape} {distances.dtype}, {np.isinf(distances).sum()} unreachable, predecessors {predecessors.dtype}"
)

nearest, _, sources = dijkstra(A, indices=[0, 7, 99], min_only=True, return_predecessors=True)
print({int(s): int((sources == s).sum()) for s in (0, 7, 99)}, f"furthest {nearest[np.isfinite(nearest)].max():.3f}")

A.data[:10] *= 3  # a matrix that was changed in place is noticed
assert np.array_equal(dijkstra(A, indices=0), csgraph.dijkstra(A, indices=0))
print("three best ways:", yen(A, 0, 7, 3).round(3).tolist())
print("hops:", shortest_path(A, unweighted=True, indices=0)[:5].tolist())
