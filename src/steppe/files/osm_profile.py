"""Who may use a road of OpenStreetMap, in which direction, and how fast: the tags of a way, read for a car, a bicycle or a walker.

Three steps, each a small table: the class of the road (``highway=``) has a speed, or is closed; the access tags close or open it, the most specific
one that is there; then one-way streets, with what is implied (motorways, roundabouts) and excepted (bicycles against the traffic). ``docs/osm.md``
shows the tables. Speeds are those of a free road: no lights, no traffic, no turns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MPH = 1.609344


@dataclass(frozen=True)
class Profile:
    """How somebody travels.

    Attributes
    ----------
    speeds : dict
        km/h on each class of road; classes that are not listed are closed.
    opened : float
        km/h on a class that is closed unless a tag of ``own`` opens it; only classes of ``OPENED``.
    access : tuple of str
        The access tags that count, the most specific last; ``own`` are those of this vehicle alone.
    limited : bool
        Whether ``maxspeed`` is the speed (a car's), and not only a bound.
    stopped : frozenset of str
        The barriers that cannot be passed.
    """

    speeds: dict[str, float]
    opened: float
    access: tuple[str, ...]
    own: tuple[str, ...]
    limited: bool
    stopped: frozenset[str]


_STREETS = "unclassified residential living_street service road"
_LARGE = "trunk trunk_link primary primary_link secondary secondary_link tertiary tertiary_link"
_WALLS = "wall fence hedge ditch"
_TURNSTILES = f"{_WALLS} stile turnstile full-height_turnstile kissing_gate horse_stile"

OPENED = ("track", "path", "footway", "pedestrian", "bridleway", "cycleway", "busway")

PROFILES = {
    "car": Profile(
        speeds={
            "motorway": 120,
            "motorway_link": 60,
            "trunk": 100,
            "trunk_link": 50,
            "primary": 80,
            "primary_link": 50,
            "secondary": 70,
            "secondary_link": 50,
            "tertiary": 60,
            "tertiary_link": 40,
            "unclassified": 50,
            "residential": 30,
            "living_street": 10,
            "service": 15,
            "road": 40,
        },
        opened=10,
        access=("access", "vehicle", "motor_vehicle", "motorcar"),
        own=("motor_vehicle", "motorcar"),
        limited=True,
        stopped=frozenset(
            f"{_TURNSTILES} bollard block jersey_barrier log debris cycle_barrier motorcycle_barrier planter chain rope bus_trap sump_buster".split()
        ),
    ),
    "bike": Profile(
        speeds=dict.fromkeys(f"{_LARGE} {_STREETS} cycleway".split(), 18.0)
        | {"living_street": 10, "service": 15, "track": 12, "path": 12, "footway": 5, "pedestrian": 5},
        opened=12,
        access=("access", "vehicle", "bicycle"),
        own=("bicycle",),
        limited=False,
        stopped=frozenset(_TURNSTILES.split()),
    ),
    "foot": Profile(
        speeds=dict.fromkeys(
            f"{_LARGE} {_STREETS} track path footway pedestrian bridleway cycleway corridor platform".split(), 5.0
        )
        | {"steps": 3},
        opened=5,
        access=("access", "foot"),
        own=("foot",),
        limited=False,
        stopped=frozenset(_WALLS.split()),
    ),
}

_CLOSED = "no private agricultural forestry military emergency delivery psv bus taxi permit residents staff employees use_sidepath"
CLOSED = frozenset(_CLOSED.split())
WELCOME = ("yes", "designated", "permissive")

ZONES: dict[str, float] = {
    "urban": 50,
    "rural": 90,
    "motorway": 120,
    "trunk": 100,
    "living_street": 10,
    "bicycle_road": 30,
    "walk": 5,
}
ZONES |= {"nsl_single": 60 * MPH, "nsl_dual": 70 * MPH, "nsl_restricted": 30 * MPH, "school": 30}
COUNTRIES: dict[str, float] = {
    "AT:motorway": 130,
    "AT:rural": 100,
    "CH:rural": 80,
    "DE:motorway": 130,
    "DE:rural": 100,
    "FR:motorway": 130,
    "FR:rural": 80,
    "GB:motorway": 70 * MPH,
    "IT:motorway": 130,
    "RU:urban": 60,
    "US:urban": 25 * MPH,
}
"""km/h: what ``maxspeed=DE:rural`` and its like mean; zones of countries that are not listed are as in ``ZONES``."""


def speed_limit(text: str | None) -> float | None:
    """Return the km/h that a ``maxspeed`` says; None where it says nothing that is known. Of several the lowest.

    >>> speed_limit("50"), round(speed_limit("30 mph")), speed_limit("DE:rural"), speed_limit("none"), speed_limit("signals")
    (50.0, 48, 100, 130.0, None)
    """
    if text is None:
        return None
    if ";" in text or "|" in text:
        known = [limit for part in re.split("[;|]", text) if (limit := speed_limit(part)) is not None]
        return min(known, default=None)
    text = text.strip()
    if text.lower() in ("none", "walk"):
        return 130.0 if text.lower() == "none" else 5.0
    if found := re.fullmatch(r"(\d{1,3}(?:\.\d+)?)\s*(km/?h|kph|kmph|mph|knots)?", text, re.IGNORECASE):
        unit = {"mph": MPH, "knots": 1.852}.get((found[2] or "").lower(), 1.0)
        return float(found[1]) * unit or None  # 0 is a mistake, not a speed
    if found := re.fullmatch(r"([A-Z]{2})(?:-\w+)?:(?:zone:?)?(\d{1,3})", text):
        return float(found[2]) * (MPH if found[1] in ("GB", "US") else 1.0) or None
    if found := re.fullmatch(r"([A-Z]{2})(?:-\w+)?:(\w+)", text):
        return COUNTRIES.get(f"{found[1]}:{found[2]}", ZONES.get(found[2]))
    return None


def speeds(profile: Profile, tags: Mapping[str, str]) -> tuple[float, float]:
    """Return the km/h along a way and against it, 0 where that is not allowed."""
    kind = tags.get("highway", "")
    speed = profile.speeds.get(kind, 0.0)
    own = next((tags[key] for key in reversed(profile.own) if key in tags), "")
    if not speed and kind in OPENED and own in WELCOME:
        speed = profile.opened
    if not speed or tags.get("area") == "yes" or not is_open(profile, tags):
        return 0.0, 0.0
    if tags.get("motorroad") == "yes" and not profile.limited:
        return 0.0, 0.0
    if own == "dismount":
        speed = min(speed, 5.0)
    elif profile is PROFILES["bike"] and own in WELCOME:
        speed = max(speed, profile.opened)
    forward, backward = directions(profile, tags)
    return forward * _limited(profile, tags, speed, "forward"), backward * _limited(profile, tags, speed, "backward")


def _limited(profile: Profile, tags: Mapping[str, str], speed: float, direction: str) -> float:
    limit = speed_limit(tags.get(f"maxspeed:{direction}"))
    limit = speed_limit(tags.get("maxspeed")) if limit is None else limit
    if limit is None:
        return speed
    return limit if profile.limited else min(speed, limit)


def is_open(profile: Profile, tags: Mapping[str, str]) -> bool:
    """Whether the access tags leave a way, or a barrier, open: the most specific one that is there decides."""
    for key in reversed(profile.access):
        if key in tags:
            values = [value.strip() for value in tags[key].split(";")]
            return not all(value in CLOSED for value in values)
    return True


def stops(profile: Profile, tags: Mapping[str, str]) -> bool:
    """Whether a node is a barrier that cannot be passed."""
    if "barrier" not in tags:
        return False
    if any(key in tags for key in profile.access):
        return not is_open(profile, tags)
    return tags["barrier"] in profile.stopped


def directions(profile: Profile, tags: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether a way may be used along its nodes, and against them."""
    if profile is PROFILES["foot"]:
        return _one_way(tags.get("oneway:foot"), None)
    implied = tags.get("junction") in ("roundabout", "circular") or tags.get("highway") == "motorway"
    general = _one_way(tags.get("oneway"), "yes" if implied else None)
    if profile is PROFILES["bike"]:
        against = any(
            tags.get(key) in ("opposite", "opposite_lane", "opposite_track", "opposite_share_busway")
            for key in ("cycleway", "cycleway:left", "cycleway:right", "cycleway:both")
        )
        against |= any(tags.get(f"cycleway:{side}:oneway") in ("no", "-1") for side in ("left", "right", "both"))
        if "oneway:bicycle" in tags:
            return _one_way(tags["oneway:bicycle"], None)
        return (True, True) if against else general
    for key in ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle"):
        if key in tags:
            return _one_way(tags[key], None)
    return general


def _one_way(value: str | None, implied: str | None) -> tuple[bool, bool]:
    value = implied if value is None else value
    if value in ("yes", "true", "1"):
        return True, False
    if value in ("-1", "reverse"):
        return False, True
    if value == "reversible":  # which way is open depends on the hour
        return False, False
    return True, True
