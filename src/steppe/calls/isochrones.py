"""isochrones(): how far one gets within given times, as bands, a table, polygons and a picture.

One search, cut off at the largest limit, finds the distances; a band is where they fall. Edges that are reached in part count in part: the border of
a band lies between vertices, where it belongs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import GraphError, VerificationError
from ..graph.coordinates import known_coordinates
from ..graph.plotting import ends_once, plane_of
from ..graph.tabular import Tabular
from ..pictures import draw, polygons
from ..planning.call import Call
from ..planning.options import Options
from ..planning.question import source_of
from .engines import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph.graph import Graph
    from ..paths import Paths
    from ..pictures.plane import Plane
    from ..planning.explain import Explanation
    from ..planning.progress import Progress

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Isochrones(Tabular):
    """What :func:`isochrones` returns.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    limits : tuple of numbers
        The limits, in rising order.
    bands : ndarray of int64
        For every vertex the first of ``limits`` that it is within, counted from 0; -1 beyond all.
    paths : Paths
        The shortest paths up to the largest limit.
    """

    graph: Graph
    limits: tuple[int | float, ...]
    bands: npt.NDArray[np.int64]
    paths: Paths

    @property
    def distances(self) -> Array:
        """The distance of every vertex; unreachable beyond the largest limit."""
        return self.paths.distances

    def counts(self) -> list[int]:
        """Return how many vertices are within each limit.

        >>> import steppe as sp
        >>> sp.isochrones(sp.generate.grid(5, 5, weights=None), 12, [1, 2]).counts()
        [5, 13]
        """
        inside = np.bincount(self.bands[self.bands >= 0], minlength=len(self.limits))
        return [int(count) for count in np.cumsum(inside)]

    def _columns(self) -> dict[str, Array]:
        """Return the columns of :meth:`to_frame`: vertex, distance, limit (the first it is within); of the vertices within any."""
        within = np.flatnonzero(self.bands >= 0)
        limit = np.asarray(self.limits)[self.bands[within]]
        return {"vertex": self.graph.labels_of(within), "distance": self.distances[within], "limit": limit}

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove distances and bands; return it, or raise :class:`~steppe.VerificationError`."""
        self.paths.verify(threads=threads)
        wrong = np.flatnonzero(_bands(self.paths, self.limits) != self.bands)
        if len(wrong):
            label = self.graph.label(int(wrong[0]))
            raise VerificationError(f"vertex {label!r} is in another band than its distance says", label)
        return self

    def explain(self) -> Explanation:
        """Return how the distances were found, as :meth:`Paths.explain` does."""
        return self.paths.explain()

    def polygons(self, *, radius: float | None = None) -> list[Any]:
        """Return a shapely geometry for each limit, in the graph's coordinates: what lies within ``radius`` of the reached parts of edges.

        Each contains those before. Parameters are those of :meth:`to_geojson`.
        """
        plane, areas = self._areas(radius)
        shapely = polygons.needed()
        return [shapely.transform(area, plane.back) for area in areas]

    def _areas(self, radius: float | None) -> tuple[Plane, list[Any]]:
        known_coordinates(self.graph, "a polygon")
        plane = plane_of(self.graph)
        bands = [_reached(self.paths, limit, plane.x, plane.y)[0] for limit in self.limits]
        if radius is None:
            every = np.concatenate(bands, axis=1)
            sides = [np.ptp(every[[i, i + 2]]) if every.shape[1] else 0.0 for i in (0, 1)]
            radius = max(float(max(sides)) / 120, 1e-9 if not plane.geographic else 1.0)
        if not radius > 0:
            raise ValueError(f"radius must be positive, not {radius}")
        return plane, polygons.around(bands, radius)

    def to_geojson(self, *, radius: float | None = None) -> str:
        """Return the bands as a GeoJSON text: a feature for each limit, the largest first, so that smaller ones are drawn on top.

        A feature's geometry is the area within ``radius`` of the parts of edges that are reached, cut at the
        date line; its properties are ``limit``, ``source`` and ``vertices`` (how many are within). Each area contains the next. It needs
        shapely (``pip install 'steppe[geo]'``).

        Parameters
        ----------
        radius : float, optional
            Metres, or the unit of the coordinates where these are x and y; default: 1/120 of the extent of the largest band.

        Examples
        --------
        >>> import json, steppe as sp
        >>> text = sp.isochrones(sp.generate.road(2000, seed=1), 0, [500, 1000]).to_geojson()
        >>> [feature["properties"]["limit"] for feature in json.loads(text)["features"]]
        [1000, 500]
        """
        plane, areas = self._areas(radius)
        source = self.paths.source
        source = source if isinstance(source, int | str) else str(source)
        geometries = polygons.geometries(areas, plane.back, geographic=plane.geographic)
        features = [
            {
                "type": "Feature",
                "properties": {"limit": limit, "source": source, "vertices": count},
                "geometry": geometry,
            }
            for limit, count, geometry in zip(self.limits, self.counts(), geometries, strict=True)
        ]
        return json.dumps({"type": "FeatureCollection", "features": features[::-1]})

    def plot(
        self,
        *,
        ax: Any = None,
        cmap: str = draw.SEQUENTIAL,
        names: Sequence[str] | None = None,
        title: str | None = None,
    ) -> Any:
        """Draw the graph with the reached parts of its edges in the colour of their band; return matplotlib's axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; default: the axes of a new figure.
        cmap : str
            A sequential palette of matplotlib's.
        names : list of str, optional
            What the legend says for each limit; default: the limits.
        title : str, optional
            What stands above the legend.

        Examples
        --------
        >>> import steppe as sp
        >>> ax = sp.isochrones(sp.generate.road(2000, seed=1), 0, [500, 1000]).plot(names=["500 m", "1 km"])
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['500 m', '1 km']
        """
        words = [f"≤ {limit:g}" for limit in self.limits] if names is None else list(names)
        if len(words) != len(self.limits):
            raise ValueError(f"{len(words)} names for {len(self.limits)} limits")
        plane = plane_of(self.graph)
        bands = [_reached(self.paths, limit, plane.lon, plane.lat) for limit in self.limits]
        if not bands[-1][0].shape[1]:
            raise GraphError(
                f"no place is known of what is reached from {self.paths.source!r}: there is nothing to draw"
            )
        window = draw.window_of(bands[-1][0])
        ax = draw.new_axes(ax, plane, window)
        colors = draw.colors_of(len(self.limits), cmap)
        u, v = ends_once(self.graph)
        far = (self.bands[u] < 0) | (self.bands[v] < 0)
        beyond = draw.inside(draw.pieces_of(plane, u[far], v[far])[0], window)
        draw.draw_edges(ax, beyond, color="#cccccc")
        draw.draw_bands(ax, bands, self.limits, colors)
        ax.set(xlim=window[:2], ylim=window[2:])
        draw.draw_legend(ax, colors, words, title)
        draw.draw_points(ax, plane, self.graph.indices_of([self.paths.source]), color=draw.ROUTE, marker="*", size=220)
        return ax


def isochrones(
    graph: Graph,
    source: Any,
    limits: Any,
    *,
    reverse: bool = False,
    method: str = "auto",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Isochrones:
    """Find what can be reached from ``source`` within each of some limits.

    Parameters
    ----------
    graph : Graph
        Its weights are what limits are measured in: seconds, metres. Without coordinates there are bands and tables, but no polygons.
    source : label
        Where to start.
    limits : list of numbers
        Inclusive; in any order.
    reverse : bool
        Search against the edges: from where ``source`` can be reached within the limits.
    method, device, threads, memory_limit, progress
        As in :func:`steppe.sssp`.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [200, 300, 200, 900])
    >>> r = sp.isochrones(g, 0, [300, 600, 900]).verify()
    >>> r.bands.tolist(), r.counts()
    ([0, 0, 1, 2, -1], [2, 3, 4])
    """
    options = Options.of(locals())
    given = np.asarray(limits)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iuf":
        raise ValueError(f"limits must be a list of numbers, not {limits!r}")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ValueError(f"limits must be finite and not negative: {given.tolist()}")
    rising = tuple(np.unique(given).tolist())
    start = source_of(graph, source)
    paths = solve(graph, Call.SSSP, start, replace(options, cutoff=rising[-1]))
    bands = _bands(paths, rising)
    bands.flags.writeable = False
    return Isochrones(paths.graph, rising, bands, paths)


def _bands(paths: Paths, limits: tuple[int | float, ...]) -> npt.NDArray[np.int64]:
    bands = np.full(len(paths), -1, dtype=np.int64)
    for number, limit in reversed(list(enumerate(limits))):
        bands[paths.reachable & (paths.distances <= limit)] = number
    return bands


def _reached(paths: Paths, limit: float, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return the parts of edges within a limit as segments (four rows), and the distance at both ends of each; the source too, as a point."""
    graph = paths.graph
    within = paths.reachable & (paths.distances <= limit)
    places = np.flatnonzero(np.repeat(within, graph.degrees))
    u = np.repeat(np.arange(graph.num_vertices), graph.degrees)[places]
    v = graph.indices[places].astype(np.int64)
    w = np.ones(len(u)) if graph.weights is None else graph.weights[places].astype(np.float64)
    at = paths.distances[u].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(w > 0, np.minimum((limit - at) / w, 1.0), 1.0)
    source = paths.graph.indices_of([paths.source])
    u, v, at, w = (np.append(a, b) for a, b in ((u, source), (v, source), (at, 0.0), (w, 0.0)))
    share = np.append(share, 1.0)
    segments = np.stack([x[u], y[u], x[u] + share * (x[v] - x[u]), y[u] + share * (y[v] - y[u])])
    known = (~np.isnan(segments).any(axis=0)) & np.isfinite(w)
    return segments[:, known], at[known], (at + share * w)[known]
