"""OpenStreetMap: roads out of ``.osm.pbf`` and ``.osm`` files, by way of pyosmium (``pip install 'steppe[osm]'``).

The file is read twice. First its ways: those that the profile may use are kept as lists of node ids, with a speed for each direction. Then its nodes,
of which only those that stand in these lists come out of pyosmium. Memory is that of the roads, not of the file. Every node of a road is a vertex,
so that a picture follows the road and the nearest vertex is near; an edge is the piece between two of them, in each direction that is open.

A PBF file has no end mark: one that was cut between two blocks cannot be told from a smaller one, but its roads then miss nodes, and
``graph.metadata`` counts those. Turn restrictions are relations between edges, for which a graph of vertices has no place: they are
counted, and not obeyed.
"""

from __future__ import annotations

from array import array
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError
from ..graph.coordinates import Coordinates, replace_coordinates
from ..graph.graph import Graph
from . import osm_size
from .format import Format
from .osm_profile import PROFILES, Profile, speeds, stops

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .format import ReadOptions
    from .source import Source
    from .text import Array

RADIUS = 6_371_008.8  # metres: the Earth's mean
WEIGHTS = ("seconds", "metres")


@dataclass
class _Roads:
    """The ways that may be used: their nodes one after another, and for each way how many, its id and two speeds."""

    nodes: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))
    ids: array[int] = field(default_factory=lambda: array("q"))
    forward: array[float] = field(default_factory=lambda: array("d"))
    backward: array[float] = field(default_factory=lambda: array("d"))
    closed: int = 0
    restrictions: int = 0


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the roads of a file; what could not be used is told in ``graph.metadata``."""
    profile, weight = options.profile or "car", "seconds" if options.weight is None else options.weight
    kind = options.suffix[1:].removesuffix(source.packing) + source.packing
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {profile!r}")
    if weight not in WEIGHTS:
        raise ValueError(f"weight must be one of {', '.join(WEIGHTS)}, not {weight!r}")
    if source.path is None:
        raise source.error("files of OpenStreetMap are read twice, which a stream cannot be: give a file")
    file = source.path
    with file.open("rb") as stream:  # the system's own words, where it cannot be opened
        before = (file.stat().st_size, file.stat().st_mtime_ns)
        if not stream.read(1):
            raise FormatError("the file is empty", file=str(file))
    osm_size.check(file, kind, source.max_bytes)
    roads = _ways(file, kind, PROFILES[profile])
    ids, at, barriers = _places(file, kind, roads, PROFILES[profile])
    if before != (file.stat().st_size, file.stat().st_mtime_ns):
        raise FormatError("the file changed while it was read", file=str(file))
    edges, missing = _edges(roads, ids, at, barriers)
    if not len(edges["source"]):
        raise FormatError(f"the file has no road for the profile {profile!r}", file=str(file))
    graph = Graph.from_frame(edges, "source", "target", weight, attributes=["metres", "seconds", "way"])
    vertices = np.arange(len(graph)) if graph.labels is None else graph.labels
    about = {
        "profile": profile,
        "weight": weight,
        "ways": len(roads.ids),
        "ways_closed": roads.closed,
        "missing_nodes": missing,
        "barriers": len(barriers),
        "turn_restrictions": f"not supported: {roads.restrictions} in the file are not obeyed",
    }
    return replace_coordinates(graph, Coordinates.checked(at[np.searchsorted(ids, vertices)], True, about))


@contextmanager
def _complaining(file: Path) -> Iterator[Any]:
    """Yield pyosmium; what it says of a damaged file becomes an error with the file's name."""
    try:
        import osmium
    except ImportError as error:
        raise ImportError("files of OpenStreetMap need pyosmium: pip install 'steppe[osm]'") from error
    try:
        yield osmium
    except Exception as error:  # of pyosmium, which has no class in common: what we do with it only appends numbers
        raise FormatError(f"not a readable file of OpenStreetMap: {error}", file=str(file)) from error


def _ways(file: Path, kind: str, profile: Profile) -> _Roads:
    roads = _Roads()
    with _complaining(file) as osmium:
        both = osmium.FileProcessor(osmium.io.File(str(file), kind), osmium.osm.WAY | osmium.osm.RELATION)
        for found in both.with_filter(osmium.filter.KeyFilter("highway", "restriction")):
            if found.deleted:
                continue
            if found.is_relation():
                roads.restrictions += 1
                continue
            forward, backward = speeds(profile, dict(found.tags))
            if not (forward or backward):
                roads.closed += 1
                continue
            before = len(roads.nodes)
            roads.nodes.extend([node.ref for node in found.nodes])
            roads.counts.append(len(roads.nodes) - before)
            roads.ids.append(found.id)
            roads.forward.append(forward)
            roads.backward.append(backward)
    return roads


def _places(file: Path, kind: str, roads: _Roads, profile: Profile) -> tuple[Array, Array, Array]:
    """Return the ids of the roads' nodes that the file has, in rising order, their longitude and latitude, and which are barriers."""
    wanted = np.unique(np.frombuffer(roads.nodes, dtype=np.int64)) if roads.nodes else np.empty(0, dtype=np.int64)
    ids, x, y, barriers = array("q"), array("i"), array("i"), set[int]()
    with _complaining(file) as osmium:
        nodes = osmium.FileProcessor(osmium.io.File(str(file), kind), osmium.osm.NODE)
        if len(wanted) and wanted[0] > 0:  # editors number what is new downwards from -1: then all nodes come
            nodes = nodes.with_filter(osmium.filter.IdFilter(wanted.tolist()))
        for node in nodes:
            location = node.location
            if node.deleted or not location.valid():
                continue
            ids.append(node.id)
            x.append(location.x)
            y.append(location.y)
            if node.tags and stops(profile, dict(node.tags)):
                barriers.add(node.id)
    found = np.frombuffer(ids, dtype=np.int64) if ids else np.empty(0, dtype=np.int64)
    # The last of equal ids: files of changes list a node's versions one after another.
    unique, last = np.unique(found[::-1], return_index=True)
    keep = np.isin(unique, wanted)
    order = (len(found) - 1 - last)[keep]
    at = (
        np.stack([np.frombuffer(c, dtype=np.int32) if c else np.empty(0, np.int32) for c in (x, y)], axis=1)[order]
        / 1e7
    )
    return unique[keep], at, np.intersect1d(np.array(sorted(barriers), dtype=np.int64), wanted)


def _edges(roads: _Roads, ids: Array, at: Array, barriers: Array) -> tuple[dict[str, Array], int]:
    """Return the columns of the edges, and how many nodes of roads the file does not have. What touches a barrier is left out."""
    nodes = np.array(roads.nodes, dtype=np.int64)
    way = np.repeat(np.arange(len(roads.counts)), np.array(roads.counts, dtype=np.int64))
    place = np.minimum(np.searchsorted(ids, nodes), max(len(ids) - 1, 0))
    there = ids[place] == nodes if len(ids) else np.zeros(len(nodes), dtype=bool)
    missing = len(np.unique(nodes[~there]))
    usable = there & ~np.isin(nodes, barriers)
    first = np.flatnonzero((way[1:] == way[:-1]) & usable[1:] & usable[:-1] & (nodes[1:] != nodes[:-1]))
    metres = _metres(at[place[first]], at[place[first + 1]]) if len(first) else np.empty(0)
    columns: dict[str, list[Array]] = {name: [] for name in ("source", "target", "metres", "seconds", "way")}
    for speed, step in ((roads.forward, 0), (roads.backward, 1)):
        kmh = np.array(speed, dtype=np.float64)[way[first]]
        open_ = np.flatnonzero(kmh > 0)
        one, length = first[open_], metres[open_]
        ends = (nodes[one], nodes[one + 1])
        values = (
            ends[step],
            ends[1 - step],
            length,
            length / (kmh[open_] / 3.6),
            np.array(roads.ids, dtype=np.int64)[way[one]],
        )
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    return {name: np.concatenate(parts) for name, parts in columns.items()}, missing


def _metres(a: Array, b: Array) -> Array:
    """Return the distances on the sphere, by the haversine formula."""
    (x, y), (u, v) = np.radians(a).T, np.radians(b).T
    h = np.sin((v - y) / 2) ** 2 + np.cos(y) * np.cos(v) * np.sin((u - x) / 2) ** 2
    distance: Array = 2 * RADIUS * np.arcsin(np.sqrt(np.minimum(h, 1)))
    return distance


FORMAT = Format(
    "OpenStreetMap",
    (".osm", ".osm.pbf", ".pbf", ".osm.gz", ".osm.bz2", ".osm.xml"),
    read,
    takes=("weight", "profile"),
    opens=True,
)
