"""Layout: places for a small graph that has none: neighbours attract, all others repel (Fruchterman and Reingold 1991).

It starts from a circle and has no random numbers: the same graph has the same picture.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
MOST = 500
"""Vertices: every pair is looked at in each of the rounds."""
_ROUNDS = 200


def laid_out(count: int, u: Array, v: Array) -> Array:
    """Return a place for each vertex, in a square of about the side 1."""
    if count == 0:
        return np.empty((0, 2))
    turn = 2 * np.pi * np.arange(count) / count
    at = np.stack([np.cos(turn), np.sin(turn)], axis=1) / 2
    linked = np.zeros((count, count), dtype=bool)
    linked[u, v] = linked[v, u] = True
    np.fill_diagonal(linked, False)
    ideal = 1 / np.sqrt(count)
    for step in range(_ROUNDS):
        apart = at[:, None, :] - at[None, :, :]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force = ideal**2 / distance**2 - linked * distance / ideal
        move = (apart * force[..., None]).sum(axis=1)
        length = np.maximum(np.hypot(move[:, 0], move[:, 1]), 1e-9)
        at += move / length[:, None] * np.minimum(length, 0.1 * (1 - step / _ROUNDS))[:, None]
        at -= at.mean(axis=0)
    return at
