"""Shortest paths: one source, many or all pairs; on a CPU or any GPU; with a proof for every answer.

>>> import steppe as sp
>>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
>>> r = sp.sssp(g, 0)
>>> r.distance(2), r.path(2).tolist()
(8, [0, 1, 2])
"""

from typing import TYPE_CHECKING

from . import generate
from .calls.all_shortest_paths import ShortestPaths, all_shortest_paths
from .calls.bfs import bfs
from .calls.distance_blocks import Block, distance_blocks
from .calls.distance_matrix import DistanceMatrix
from .calls.distances import all_pairs, distances
from .calls.eccentricity import eccentricity
from .calls.isochrones import Isochrones, isochrones
from .calls.k_shortest_paths import k_shortest_paths
from .calls.nearest import Nearest, nearest
from .calls.partition import partition
from .calls.plan import plan
from .calls.route import Route, route
from .calls.sssp import sssp
from .calls.verify import verify
from .cluster.engine import Ray
from .cluster.paths import PartitionedPaths
from .cpu.tree import PathList
from .errors import (
    DeviceError,
    DeviceMemoryError,
    DistanceOverflowError,
    FormatError,
    GraphError,
    MemoryLimitError,
    NegativeCycleError,
    NegativeWeightError,
    NoPathError,
    ResultSizeError,
    SteppeError,
    StoreError,
    VerificationError,
)
from .files import read, write
from .files.partitioned import PartitionedGraph, open_partitioned
from .gpu import DeviceInfo, devices, set_default_device
from .graph.graph import Graph
from .paths import Paths
from .planning.distance_types import UNREACHABLE
from .planning.explain import Explanation
from .planning.plan import Plan
from .planning.progress import Progress

__version__: str

if not TYPE_CHECKING:  # a checker would believe in every name

    def __getattr__(name: str) -> object:
        """Return the version when it is asked for, as finding it takes longer than the rest of the import, or what has a new name."""
        if name == "__version__":
            from importlib.metadata import version

            return version("steppe")
        from . import deprecated

        if name in deprecated.NAMES:
            deprecated.warn(f"steppe.{name}", f"steppe.{deprecated.NAMES[name]}")
            return globals()[deprecated.NAMES[name]]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "UNREACHABLE",
    "Block",
    "DeviceError",
    "DeviceInfo",
    "DeviceMemoryError",
    "DistanceMatrix",
    "DistanceOverflowError",
    "Explanation",
    "FormatError",
    "Graph",
    "GraphError",
    "Isochrones",
    "MemoryLimitError",
    "Nearest",
    "NegativeCycleError",
    "NegativeWeightError",
    "NoPathError",
    "PartitionedGraph",
    "PartitionedPaths",
    "PathList",
    "Paths",
    "Plan",
    "Progress",
    "Ray",
    "ResultSizeError",
    "Route",
    "ShortestPaths",
    "SteppeError",
    "StoreError",
    "VerificationError",
    "__version__",
    "all_pairs",
    "all_shortest_paths",
    "bfs",
    "devices",
    "distance_blocks",
    "distances",
    "eccentricity",
    "generate",
    "isochrones",
    "k_shortest_paths",
    "nearest",
    "open_partitioned",
    "partition",
    "plan",
    "read",
    "route",
    "set_default_device",
    "sssp",
    "verify",
    "write",
]
