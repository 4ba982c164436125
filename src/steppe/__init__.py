"""Shortest paths: one source, many or all pairs; on a CPU or any GPU; with a proof for every answer.

>>> import steppe as sp
>>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
>>> r = sp.sssp(g, 0)
>>> r.distance(2), r.path(2).tolist()
(8, [0, 1, 2])
"""

from . import generate
from .bfs import bfs
from .distances import all_pairs, distances
from .errors import (
    DeviceError,
    DeviceMemoryError,
    DistanceOverflowError,
    FormatError,
    GraphError,
    NegativeCycleError,
    NegativeWeightError,
    NoPathError,
    ResultSizeError,
    SteppeError,
    VerificationError,
)
from .explain import Explanation
from .files import read, write
from .gpu import DeviceInfo, devices, set_default_device
from .graph import Graph
from .nearest import Nearest, nearest
from .paths import UNREACHABLE, PathList, Paths
from .route import Route, route
from .sssp import sssp
from .verify import verify

__version__ = "0.1.0"

__all__ = [
    "UNREACHABLE",
    "DeviceError",
    "DeviceInfo",
    "DeviceMemoryError",
    "DistanceOverflowError",
    "Explanation",
    "FormatError",
    "Graph",
    "GraphError",
    "Nearest",
    "NegativeCycleError",
    "NegativeWeightError",
    "NoPathError",
    "PathList",
    "Paths",
    "ResultSizeError",
    "Route",
    "SteppeError",
    "VerificationError",
    "__version__",
    "all_pairs",
    "bfs",
    "devices",
    "distances",
    "generate",
    "nearest",
    "read",
    "route",
    "set_default_device",
    "sssp",
    "verify",
    "write",
]
