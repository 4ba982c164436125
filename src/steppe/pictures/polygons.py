"""Polygons: the area around roads that were reached, one around the other.

Exact buffers of a hundred thousand streets take long to unite. Instead the streets are drawn onto a grid whose cells are a third of the ``radius``
wide, every cell within the radius of one is filled, and the filled cells become polygons, their stairs flattened: the time of a search or two for any
city. What is reached lies inside (the stairs lose less than a cell, the radius has three), and each band contains the ones before, because it is
united with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .raster import Grid

Array = npt.NDArray[Any]
CELLS = 4_000_000
"""Cells of a grid at most; a larger map gets larger cells."""
_PER_RADIUS = 3


def around(bands: list[Array], radius: float) -> list[Any]:
    """Return a shapely geometry for each band: what lies within the radius of its segments and of those of the bands before.

    ``bands`` holds arrays of four rows: x and y of one end, x and y of the other.
    """
    shapely = needed()
    every = np.concatenate(bands, axis=1) if bands else np.empty((4, 0))
    if not every.shape[1]:
        return [shapely.Polygon() for _ in bands]
    x, y = every[[0, 2]], every[[1, 3]]
    cell = radius / _PER_RADIUS
    area = float(np.ptp(x) + 4 * radius) * float(np.ptp(y) + 4 * radius)
    if area > CELLS * cell**2:
        cell = (area / CELLS) ** 0.5
        radius = _PER_RADIUS * cell
    grid = Grid.over(x, y, (cell, cell), margin=_PER_RADIUS + 2)
    reached = np.zeros((grid.height, grid.width), dtype=bool)
    found: list[Any] = []
    for segments in bands:
        reached |= grid.counted(segments) > 0
        area_now = _smooth(_united(_grown(reached), grid), cell, radius)
        found.append(area_now.union(found[-1]) if found else area_now)
    return found


def needed() -> Any:
    """Return shapely, or raise an error that says how to install it."""
    try:
        import shapely
        import shapely.geometry
    except ImportError as error:
        raise ImportError("polygons need shapely: pip install 'steppe[geo]'") from error
    return shapely


def _grown(cells: Array) -> Array:
    """Return the cells within the radius of those given; there is a margin around them."""
    grown = cells.copy()
    r = _PER_RADIUS
    height, width = cells.shape
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            if dx * dx + dy * dy <= (r + 0.5) ** 2:
                to, at = _overlap(dy, height), _overlap(dx, width)
                grown[to[0], at[0]] |= cells[to[1], at[1]]
    return grown


def _overlap(shift: int, size: int) -> tuple[slice, slice]:
    return slice(max(shift, 0), size + min(shift, 0)), slice(max(-shift, 0), size - max(shift, 0))


def _united(cells: Array, grid: Grid) -> Any:
    """Return the union of cells: a rectangle for each run of them in a row."""
    shapely = needed()
    padded = np.zeros((cells.shape[0], cells.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = cells
    steps = np.diff(padded, axis=1)
    row, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    width, height = grid.cell
    left, right = grid.left + start * width, grid.left + end * width
    bottom = grid.bottom + row * height
    return shapely.union_all(shapely.box(left, bottom, right, bottom + height))


def _smooth(area: Any, cell: float, radius: float) -> Any:
    """Return an area with its stairs flattened, its nicks closed, and without holes smaller than a block."""
    shapely = needed()
    flat = (
        area.simplify(0.75 * cell).buffer(1.5 * cell, quad_segs=3).buffer(-1.5 * cell, quad_segs=3).simplify(0.2 * cell)
    )
    if not flat.is_valid:
        flat = flat.buffer(0)
    parts = shapely.get_parts(flat)
    smallest = (4 * radius) ** 2
    filled = [
        shapely.Polygon(part.exterior, [hole for hole in part.interiors if shapely.Polygon(hole).area >= smallest])
        for part in parts
    ]
    return shapely.union_all(filled)


def geometries(areas: list[Any], places: Any, *, geographic: bool) -> list[dict[str, Any]]:
    """Return areas as geometries of GeoJSON (RFC 7946): counter-clockwise, cut at the date line.

    ``places`` makes longitude and latitude of x and y. Degrees have six decimals, a tenth of a metre; shapely rounds them, because plain rounding may
    make rings cross themselves.
    """
    shapely = needed()
    found: list[dict[str, Any]] = []
    for area in areas:
        turned = shapely.transform(area, places)
        if geographic:
            turned = _cut(shapely.set_precision(turned, 1e-6))
        parts = [part for part in shapely.get_parts(turned) if part.geom_type == "Polygon" and not part.is_empty]
        rings = [[part.exterior, *part.interiors] for part in map(shapely.geometry.polygon.orient, parts)]
        corners = [[np.round(np.array(ring.coords), 9).tolist() for ring in one] for one in rings]
        found.append({"type": "MultiPolygon", "coordinates": corners})
    return found


def _cut(area: Any) -> Any:
    """Return an area with longitudes of -180…180, cut in two where it crosses the date line."""
    shapely = needed()
    west, _, east, _ = (0, 0, 0, 0) if area.is_empty else area.bounds
    if east <= 180 and west >= -180:
        return area
    pieces = []
    for turn in (-360, 0, 360):
        inside = area.intersection(shapely.box(turn - 180, -90, turn + 180, 90))
        pieces.append(shapely.transform(inside, lambda points, by=turn: points - (by, 0)))
    return shapely.union_all(pieces)
