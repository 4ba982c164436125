"""What a type checker knows of answers: `make lint` runs mypy over this file, and nothing runs it."""

from typing import TYPE_CHECKING, Any, assert_type

import numpy.typing as npt

import steppe as sp

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = npt.NDArray[Any]


def forms_of_a_matrix(g: sp.Graph, is_sparse: bool) -> None:
    """Each form has its type; what a variable decides is Any."""
    assert_type(sp.all_pairs(g), Array)
    assert_type(sp.all_pairs(g, reduce="max", sparse=False, memory_limit="2GB"), Array)
    assert_type(sp.all_pairs(g, unreachable=-1), Array)
    assert_type(sp.all_pairs(g, predecessors=True), sp.DistanceMatrix)
    assert_type(sp.all_pairs(g, along=["metres"]), sp.DistanceMatrix)
    assert_type(sp.distances(g, [0], [1], pairs=True, dtype="uint8"), Array)
    assert_type(sp.distances(g, [0], predecessors=True), sp.DistanceMatrix)
    assert_type(sp.distances(g, [0], along={"metres": [1.5]})["metres"], Array)
    some: csr_array[Any] = sp.distances(g, [0], sparse=True, cutoff=3)
    assert_type(sp.distances(g, [0], sparse=is_sparse, cutoff=3), Any)
    assert_type(sp.distances(g, [0], out="matrix.npy", overwrite=True), Any)
    assert_type(some.nnz, int)


def answers(g: sp.Graph) -> None:
    """One function, one class."""
    assert_type(sp.nearest(g, [0]).verify().paths, sp.Paths)
    assert_type(sp.nearest(g, [0], k=2, offsets=[1]), sp.Nearest)
    assert_type(sp.sssp(g, 0).explain(), sp.Explanation)
    assert_type(sp.isochrones(g, 0, [3]).paths, sp.Paths)
