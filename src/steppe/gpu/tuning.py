"""Tuning: the sizes that suit a device, measured on it by ``steppe tune`` and kept in the cache folder.

The numbers in the loops are estimates, made on a CPU. They change only how long a search takes, never its answer; so a file that is missing,
damaged or out of range is ignored.

| name | meaning | without a measurement |
|---|---|---|
| narrow | entries of a frontier that one block of threads takes on alone | `loops.steps.NARROW` |
| block | threads of a block | `loops.work.BLOCK` |
| width | of buckets, in typical weight / degree | `loops.delta_stepping.WIDTH` |
| frontier_from | edges a vertex from which rounds are chosen instead of buckets | `planning.plan.FRONTIER_FROM` |
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import images

if TYPE_CHECKING:
    from .device import DeviceInfo

RANGES: dict[str, tuple[float, float]] = {
    "narrow": (0, 1 << 20),
    "block": (32, 1024),
    "width": (0.25, 1024),
    "frontier_from": (0, 1 << 20),
}


def path() -> Path:
    """Return the file that keeps what was measured, for all devices of this user."""
    return images.folder() / "tuning.json"


def load(info: DeviceInfo) -> dict[str, float]:
    """Return what was measured on a device; nothing where nothing was, or where it cannot be."""
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))[info.description]
        found = {name: kept[name] for name in RANGES if name in kept}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {name: value for name, value in found.items() if _is_fine(name, value)}


def _is_fine(name: str, value: Any) -> bool:
    low, high = RANGES[name]
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
    return good and (name != "block" or (value == int(value) and int(value) & (int(value) - 1) == 0))


def store(info: DeviceInfo, chosen: dict[str, float]) -> None:
    """Keep what was measured on a device; an empty choice forgets it."""
    file = path()
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    known = known if isinstance(known, dict) else {}
    known.pop(info.description, None)
    if chosen:
        known[info.description] = chosen
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as target:
        json.dump(known, target, indent=1)
    Path(target.name).replace(file)
