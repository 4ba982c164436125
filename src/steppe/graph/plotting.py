"""Plotting: graphs and answers as pictures. Here is decided which edges and colours; :mod:`steppe.pictures` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..deprecated import renamed_arguments
from ..errors import GraphError, NoPathError
from ..pictures.draw import (
    DISTINCT,
    GREY,
    ROUTE,
    SEQUENTIAL,
    draw_edges,
    draw_names,
    draw_points,
    draw_scale,
    new_axes,
    pieces_of,
)
from ..pictures.layout import MOST, laid_out
from ..pictures.plane import Plane

if TYPE_CHECKING:
    import numpy.typing as npt

    from .arrays import Array
    from .graph import Graph

_NAMED = 40
"""Vertices up to which each is drawn with its name."""


def plane_of(graph: Graph) -> Plane:
    """Return the map of a graph; one without coordinates is laid out, if it is small."""
    if graph.coordinates is not None:
        return Plane(graph.coordinates, geographic=graph.is_geographic)
    if graph.num_vertices > MOST:
        raise GraphError(
            f"a picture of {graph.num_vertices:,} vertices needs coordinates: graph.with_coordinates(…), or read(…, coordinates='FILE.co'); "
            f"only up to {MOST} are laid out without"
        )
    u, v = ends_once(graph)
    return Plane(laid_out(graph.num_vertices, u, v), geographic=False)


def ends_once(graph: Graph) -> tuple[Array, Array]:
    """Return both ends of the edges that exist, undirected ones once."""
    u, v = graph._edge_sources(), graph.indices
    keep = np.ones(len(u), dtype=bool) if graph.directed else u <= v
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        keep &= np.isfinite(graph.weights)
    return (u, v) if keep.all() else (u[keep], v[keep])


def plot_graph(graph: Graph, ax: Any, color: str) -> Any:
    """Draw all edges in one colour; return the axes."""
    plane = plane_of(graph)
    ax = new_axes(ax, plane)
    draw_edges(ax, pieces_of(plane, *ends_once(graph))[0], color=color)
    _name(graph, plane, ax)
    return ax


def _name(graph: Graph, plane: Plane, ax: Any) -> None:
    if graph.num_vertices <= _NAMED:
        draw_names(ax, plane, [str(name) for name in graph.labels_of(np.arange(graph.num_vertices)).tolist()])


def plot_values(
    graph: Graph, ax: Any, values: Array, there: Array, *, cmap: Any, edges: Any = None
) -> tuple[Any, Any, Plane]:
    """Draw the edges between vertices that are ``there`` by the values of their ends, the others in grey; return axes, what is drawn and the map."""
    plane = plane_of(graph)
    ax = new_axes(ax, plane)
    u, v = ends_once(graph)
    inside = there[u] & there[v]
    draw_edges(ax, pieces_of(plane, u[~inside], v[~inside])[0], width=0.4)
    u, v = (u[inside], v[inside]) if edges is None else edges
    segments, known = pieces_of(plane, u, v)
    first, last = values[u[known]].astype(np.float64), values[v[known]].astype(np.float64)
    shown = draw_edges(ax, segments, values=(first, last), cmap=cmap, order=2)
    _name(graph, plane, ax)
    return ax, shown, plane


class Plotting:
    """The part of an answer that draws it."""

    graph: Graph
    if TYPE_CHECKING:
        _sources: npt.NDArray[np.int64]

        @property
        def distances(self) -> Array: ...  # noqa: D102
        @property
        def reachable(self) -> npt.NDArray[np.bool_]: ...  # noqa: D102
        @property
        def predecessors(self) -> Array: ...  # noqa: D102
        def path(self, vertex: Any) -> Array: ...  # noqa: D102

    @renamed_arguments(to="target")
    def plot(
        self, target: Any = None, *, tree: bool = False, ax: Any = None, cmap: Any = SEQUENTIAL, label: str = "distance"
    ) -> Any:
        """Draw the graph with the distance as colour, and one path on top; return matplotlib's axes.

        ``ax.figure.savefig("map.png")`` saves it. It needs matplotlib (``pip install 'steppe[plot]'``), and coordinates where there are
        more than 500 vertices. Up to 60,000 edges are lines, more an image.

        Parameters
        ----------
        target : label, optional
            The path to this vertex is drawn.
        tree : bool
            Draw only the edges of the tree of shortest paths.
        ax : Axes, optional
            Where to draw; default: the axes of a new figure.
        cmap : str or Colormap
            The colours of the distances.
        label : str
            What stands at the colour bar.

        Examples
        --------
        >>> import steppe as sp
        >>> ax = sp.sssp(sp.generate.grid(5, 6), 0).plot(target=29)
        >>> len(ax.collections) > 2
        True
        """
        graph, edges = self.graph, None
        path = None if target is None else graph.indices_of(self.path(target))
        if not self.reachable.any():
            raise NoPathError("nothing was reached: there is nothing to draw")
        if tree:
            child = np.flatnonzero(self.predecessors >= 0)
            edges = (self.predecessors[child], child)
        ax, shown, plane = plot_values(graph, ax, self.distances, self.reachable, cmap=cmap, edges=edges)
        draw_scale(ax, shown, label)
        if path is not None:
            draw_edges(ax, pieces_of(plane, path[:-1], path[1:])[0], color=ROUTE, width=2.5, order=5)
            draw_points(ax, plane, path[-1:], color=ROUTE)
        draw_points(ax, plane, self._sources, color=ROUTE, marker="*", size=180)
        return ax


def plot_nearest(graph: Graph, nearest: npt.NDArray[np.int64], ax: Any) -> Any:
    """Draw every edge in the colour of the source that both its ends are nearest to; return the axes."""
    from matplotlib.colors import ListedColormap, Normalize

    plane = plane_of(graph)
    ax = new_axes(ax, plane)
    u, v = ends_once(graph)
    same = (nearest[u] == nearest[v]) & (nearest[u] >= 0)
    draw_edges(ax, pieces_of(plane, u[~same], v[~same])[0], color=GREY, width=0.4)
    sources = np.unique(nearest[nearest >= 0])
    segments, known = pieces_of(plane, u[same], v[same])
    color = (np.searchsorted(sources, nearest[u[same][known]]) % len(DISTINCT)).astype(np.float64)
    norm = Normalize(-0.5, len(DISTINCT) - 0.5)
    draw_edges(ax, segments, values=(color, color), cmap=ListedColormap(DISTINCT), norm=norm, order=2)
    _name(graph, plane, ax)
    draw_points(ax, plane, sources, marker="*", size=150)
    return ax
