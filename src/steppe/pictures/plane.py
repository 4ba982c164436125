"""Plane: places as a flat map, in metres or in the unit of their own, and back.

Longitude and latitude are spread around the middle latitude of the map (equirectangular): true to scale there, good enough for a city or a small
country, and wrong near the poles. A map that crosses the date line is shifted, so that it is in one piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
METRES = 6_371_008.8 * np.pi / 180  # of a degree of latitude


class Plane:
    """The flat map of some places.

    Attributes
    ----------
    x, y : ndarray
        Metres, or what the places have; NaN where a place is not known.
    lon, lat : ndarray
        The places as given, longitudes perhaps shifted by 360 degrees; what is drawn.
    aspect : float
        How much longer a step of ``lat`` is than one of ``lon``.
    """

    def __init__(self, places: Array, *, geographic: bool) -> None:
        self.geographic = geographic
        self.lon, self.lat = places[:, 0], places[:, 1]
        self.aspect, self._scale = 1.0, (1.0, 1.0)
        known = self.lat[~np.isnan(self.lat) & ~np.isnan(self.lon)]
        if geographic and len(known):
            self.lon = _in_one_piece(self.lon)
            middle = (known.min() + known.max()) / 2
            self.aspect = 1 / max(np.cos(np.radians(middle)), 0.01)
            self._scale = (METRES / self.aspect, METRES)
        self.x, self.y = self.lon * self._scale[0], self.lat * self._scale[1]

    def back(self, points: Array) -> Array:
        """Return rows of x and y as longitude and latitude (beyond 180 degrees where the map crosses the date line)."""
        return points / self._scale


def _in_one_piece(lon: Array) -> Array:
    """Shift longitudes west of the widest gap by 360 degrees, where a map would otherwise be wider than half the globe."""
    known = np.unique(np.mod(lon[~np.isnan(lon)], 360))
    plain = lon[~np.isnan(lon)]
    if plain.max() - plain.min() <= 180:
        return lon
    gaps = np.diff(np.append(known, known[0] + 360))
    widest = int(np.argmax(gaps))
    start = known[(widest + 1) % len(known)]
    shifted: Array = np.mod(lon - start, 360) + start
    return shifted - 360 if np.nanmin(shifted) >= 180 else shifted
