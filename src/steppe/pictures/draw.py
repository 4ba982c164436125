"""Draw: edges, places and areas onto axes of matplotlib. No window is opened, and nothing of ``pyplot`` is touched.

Up to ``LINES`` edges are lines, which a printer may scale. More are drawn onto a grid of ``PIXELS`` across by NumPy and shown as an image, which
takes about a second for a million vertices, and looks the same at the size of a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .raster import Grid

if TYPE_CHECKING:
    from .plane import Plane

Array = npt.NDArray[Any]

Window = tuple[float, float, float, float]
"""Left, right, bottom, top."""

LINES, PIXELS = 60_000, 1600
GREY, INK, ROUTE = "#b8b8b8", "#222222", "#d55e00"
SEQUENTIAL = "viridis"
DISTINCT = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
"""Okabe and Ito's colours, which the colour-blind can tell apart, too."""


def new_axes(ax: Any, plane: Plane, window: Window | None = None) -> Any:
    """Return axes for a map, or for a window of it: those given, or new ones of a figure that fits it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'steppe[plot]'") from error
    if ax is None:
        known = ~np.isnan(plane.x) & ~np.isnan(plane.y)
        wide, high = (np.ptp(v[known]) if known.any() else 1.0 for v in (plane.lon, plane.lat))
        if window is not None:
            wide, high = window[1] - window[0], window[3] - window[2]
        ratio = float(np.clip(high * plane.aspect / wide if wide else 1.0, 0.4, 1.6))
        ax = Figure(figsize=(8, 8 * ratio), layout="constrained").subplots()
    ax.set_aspect(plane.aspect)
    if window is not None:
        ax.set(xlim=window[:2], ylim=window[2:])
    ax.set_axis_off()
    return ax


def pieces_of(plane: Plane, u: Array, v: Array) -> tuple[Array, Array]:
    """Return edges as segments (four rows), and which of the edges these are: those of which both ends are known."""
    segments = np.stack([plane.lon[u], plane.lat[u], plane.lon[v], plane.lat[v]])
    known = np.flatnonzero(~np.isnan(segments).any(axis=0))
    return segments[:, known], known


def draw_edges(
    ax: Any,
    segments: Array,
    *,
    values: tuple[Array, Array] | None = None,
    color: str = GREY,
    cmap: Any = SEQUENTIAL,
    norm: Any = None,
    width: float | None = None,
    order: float = 1,
) -> Any:
    """Draw segments in one colour, or coloured by the values at their two ends; return what a colour bar is made of."""
    m = segments.shape[1]
    if not m:
        return None
    width = float(np.clip(60 / np.sqrt(m), 0.5, 1.6)) if width is None else width
    if m <= LINES:
        from matplotlib.collections import LineCollection

        ends: Any = segments.T.reshape(-1, 2, 2)
        lines = LineCollection(ends)
        lines.set(linewidth=width, zorder=order, capstyle="round")
        if values is None:
            lines.set_color(color)
        else:
            lines.set_array((values[0] + values[1]) / 2)
            lines.set_cmap(cmap)
            lines.set_norm(norm)
        ax.add_collection(lines)
        ax.autoscale_view()
        return lines
    x, y = segments[[0, 2]], segments[[1, 3]]
    side = max(float(np.ptp(x)), float(np.ptp(y)) * ax.get_aspect()) / PIXELS
    grid = Grid.over(x, y, (side, side / ax.get_aspect()))
    if values is None:
        from matplotlib.colors import to_rgb

        counted = grid.counted(segments)
        typical = float(np.quantile(counted[counted > 0], 0.9))
        image: Array = np.empty((*counted.shape, 4))
        image[..., :3] = to_rgb(color)
        image[..., 3] = np.where(counted > 0, 0.25 + 0.75 * np.minimum(1, counted / typical), 0)
        options: dict[str, Any] = {}
    else:
        image = grid.least(segments, *values)
        options = {"cmap": cmap, "norm": norm}
    shown = ax.imshow(
        image,
        extent=grid.extent,
        origin="lower",
        interpolation="antialiased",
        zorder=order,
        aspect=ax.get_aspect(),
        **options,
    )
    ax.autoscale_view()
    return shown


def draw_bands(ax: Any, bands: list[tuple[Array, Array, Array]], limits: tuple[float, ...], colors: list[Any]) -> None:
    """Draw the segments of each band, with the distances at their ends, in its colour; a band has those of the bands before, too."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    segments, first, last = bands[-1]
    if segments.shape[1] > LINES:  # a pixel has the colour of the least distance in it
        steps = [-1.0, *(np.nextafter(limit, np.inf) for limit in limits)]
        norm = BoundaryNorm(steps, len(limits))
        draw_edges(ax, segments, values=(first, last), cmap=ListedColormap(colors), norm=norm, order=2)
        return
    for order, ((parts, _, _), color) in enumerate(reversed(list(zip(bands, colors, strict=True)))):
        width = float(np.clip(100 / np.sqrt(segments.shape[1]), 0.8, 2.5))
        draw_edges(ax, parts, color=color, width=width, order=2 + order / 100)


def window_of(segments: Array, margin: float = 0.08) -> Window:
    """Return what holds all segments, and a margin around them."""
    x, y = segments[[0, 2]], segments[[1, 3]]
    wide, high = (max(float(np.ptp(v)), 1e-9) for v in (x, y))
    dx, dy = margin * max(wide, high / 3), margin * max(high, wide / 3)
    return float(x.min()) - dx, float(x.max()) + dx, float(y.min()) - dy, float(y.max()) + dy


def inside(segments: Array, window: Window) -> Array:
    """Return the segments that may be seen in a window."""
    x, y = segments[[0, 2]], segments[[1, 3]]
    left, right, bottom, top = window
    seen = (x.max(axis=0) >= left) & (x.min(axis=0) <= right) & (y.max(axis=0) >= bottom) & (y.min(axis=0) <= top)
    return segments[:, seen]


def draw_points(
    ax: Any, plane: Plane, vertices: Array, *, color: Any = INK, size: float = 60, marker: str = "o"
) -> None:
    """Draw vertices on top of all."""
    ax.scatter(
        plane.lon[vertices],
        plane.lat[vertices],
        s=size,
        c=color,
        marker=marker,
        zorder=6,
        edgecolors="white",
        linewidths=1.2,
    )


def draw_names(ax: Any, plane: Plane, names: list[str]) -> None:
    """Draw every vertex as a dot with its name; for a few dozen."""
    draw_points(ax, plane, np.arange(len(names)), color=INK, size=25)
    for name, x, y in zip(names, plane.lon, plane.lat, strict=True):
        if not (np.isnan(x) or np.isnan(y)):
            ax.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=9, zorder=7)


def draw_scale(ax: Any, shown: Any, label: str) -> None:
    """Draw the colour bar of what :func:`draw_edges` returned."""
    if shown is not None:
        ax.figure.colorbar(shown, ax=ax, label=label, shrink=0.6, pad=0.01, aspect=30)


def draw_legend(ax: Any, colors: list[Any], words: list[str], title: str | None = None) -> None:
    """Draw a legend of colours."""
    from matplotlib.patches import Patch

    patches = [Patch(facecolor=color, label=word) for color, word in zip(colors, words, strict=True)]
    ax.legend(handles=patches, title=title, loc="upper left", framealpha=0.9, edgecolor="none")


def colors_of(count: int, cmap: str = SEQUENTIAL) -> list[Any]:
    """Return so many colours, dark to light, of a sequential palette."""
    from matplotlib import colormaps

    return [colormaps[cmap](t) for t in np.linspace(0.05, 0.85, max(count, 1))[:count]]
