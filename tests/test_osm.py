"""Roads of OpenStreetMap: a town written by the tests themselves, every answer counted by hand; damaged files are refused."""

import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from osm_files import STEP, arcs, both, place, write
from steppe.files.osm_profile import PROFILES, speed_limit, speeds

STREET = {"highway": "residential"}


@pytest.mark.parametrize("suffix", [".osm.pbf", ".osm", ".osm.gz", ".osm.bz2", ".pbf"])
def test_a_town(tmp_path, suffix):
    ways = [
        (100, [1, 2, 3, 4], {"highway": "primary", "maxspeed": "60"}),
        (101, [5, 6, 7, 8], {"highway": "residential"}),
        (102, [2, 6], {"highway": "residential", "oneway": "yes"}),
        (103, [4, 8], {"highway": "footway"}),
        (104, [1, 5], {"building": "yes"}),
    ]
    file = write(
        tmp_path / f"town{suffix}", ways, relations=[(9, {"type": "restriction", "restriction": "no_left_turn"})]
    )
    g = sp.read(file, profile="car")
    assert arcs(g) == both((1, 2), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8)) | {(2, 6)}
    assert g.labels.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert np.allclose(g.coordinates, [place(k) for k in range(1, 9)], atol=1e-9)
    r = sp.sssp(g, 1).verify()
    # One step at 60 km/h, one and one more at 30.
    assert r.distance(7) == pytest.approx(STEP * 3.6 * (1 / 60 + 2 / 30), rel=1e-9)
    assert r.along("metres")[g.index(7)] == pytest.approx(3 * STEP, rel=1e-9)
    assert r.path(7).tolist() == [1, 2, 6, 7]
    assert g.attribute("way")[r.edge_ids(7)].tolist() == [100, 102, 101]
    assert not sp.sssp(g, 8).reachable[g.index(1)]  # a one-way street
    assert g.metadata == {
        "profile": "car",
        "weight": "seconds",
        "ways": 3,
        "ways_closed": 1,
        "missing_nodes": 0,
        "barriers": 0,
        "turn_restrictions": "not supported: 1 in the file are not obeyed",
    }
    for other in (
        g.reverse,
        g.with_weights("metres"),
        g.subgraph([1, 2]),
        g.largest_component(),
        pickle.loads(pickle.dumps(g)),  # noqa: S301
    ):
        assert other.metadata == g.metadata
    foot = sp.read(file, profile="foot", weight="metres")
    assert arcs(foot) == arcs(g) | both((4, 8), (2, 6))
    assert sp.route(foot, 4, 8).distance == pytest.approx(STEP, rel=1e-9)
    assert arcs(sp.read(file, profile="bike")) == arcs(g) | both((4, 8))
    assert arcs(sp.read(file, largest_component=True)) == both((1, 2), (2, 3), (3, 4))


ONE_WAYS = [
    ({"oneway": "yes"}, "+", "+", "±"),
    ({"oneway": "true"}, "+", "+", "±"),
    ({"oneway": "1"}, "+", "+", "±"),
    ({"oneway": "-1"}, "-", "-", "±"),
    ({"oneway": "reverse"}, "-", "-", "±"),
    ({"oneway": "reversible"}, "", "", "±"),
    ({"oneway": "no"}, "±", "±", "±"),
    ({"junction": "roundabout"}, "+", "+", "±"),
    ({"junction": "roundabout", "oneway": "no"}, "±", "±", "±"),
    ({"oneway": "yes", "oneway:bicycle": "no"}, "+", "±", "±"),
    ({"oneway": "yes", "cycleway": "opposite"}, "+", "±", "±"),
    ({"oneway": "yes", "cycleway:left": "opposite_lane"}, "+", "±", "±"),
    ({"oneway": "yes", "cycleway:right:oneway": "no"}, "+", "±", "±"),
    ({"oneway:motor_vehicle": "yes"}, "+", "±", "±"),
    ({"oneway:bicycle": "-1"}, "±", "-", "±"),
    ({"oneway:foot": "yes"}, "±", "±", "+"),
    ({"highway": "motorway"}, "+", "", ""),
    ({"highway": "motorway", "oneway": "no"}, "±", "", ""),
    ({"highway": "motorway_link"}, "±", "", ""),
]

ACCESS = [
    ({"access": "no"}, "", "", ""),
    ({"access": "private"}, "", "", ""),
    ({"access": "private", "foot": "yes"}, "", "", "±"),
    ({"access": "no", "bicycle": "designated"}, "", "±", ""),
    ({"access": "destination"}, "±", "±", "±"),
    ({"access": "permissive"}, "±", "±", "±"),
    ({"vehicle": "no"}, "", "", "±"),
    ({"vehicle": "no", "motorcar": "yes"}, "±", "", "±"),
    ({"motor_vehicle": "no"}, "", "±", "±"),
    ({"motor_vehicle": "agricultural;forestry"}, "", "±", "±"),
    ({"motor_vehicle": "agricultural;destination"}, "±", "±", "±"),
    ({"bicycle": "use_sidepath"}, "±", "", "±"),
    ({"highway": "track"}, "", "±", "±"),
    ({"highway": "track", "motor_vehicle": "yes"}, "±", "±", "±"),
    ({"highway": "steps"}, "", "", "±"),
    ({"highway": "steps", "motorcar": "yes"}, "", "", "±"),
    ({"highway": "bridleway"}, "", "", "±"),
    ({"highway": "bridleway", "bicycle": "yes"}, "", "±", "±"),
    ({"highway": "trunk", "motorroad": "yes"}, "±", "", ""),
    ({"highway": "construction"}, "", "", ""),
    ({"highway": "pedestrian", "area": "yes"}, "", "", ""),
    ({}, "±", "±", "±"),
]


@pytest.mark.parametrize(("tags", "car", "bike", "foot"), ONE_WAYS + ACCESS, ids=str)
def test_who_may_go_which_way(tags, car, bike, foot):
    for profile, signs in (("car", car), ("bike", bike), ("foot", foot)):
        expected = {"+": (True, False), "-": (False, True), "±": (True, True), "": (False, False)}[signs]
        assert tuple(speed > 0 for speed in speeds(PROFILES[profile], STREET | tags)) == expected, profile


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50),
        (" 50 km/h ", 50),
        ("30kmh", 30),
        ("30 mph", 30 * 1.609344),
        ("30mph", 30 * 1.609344),
        ("10 knots", 18.52),
        ("walk", 5),
        ("none", 130),
        ("signals", None),
        ("variable", None),
        ("fast", None),
        ("", None),
        ("0", None),
        ("-5", None),
        ("1e9", None),
        ("50;30", 30),
        ("50|x", 50),
        ("DE:urban", 50),
        ("DE:rural", 100),
        ("FR:rural", 80),
        ("XX:rural", 90),
        ("DE:zone:30", 30),
        ("DE:30", 30),
        ("GB:nsl_single", 60 * 1.609344),
        ("GB:20", 20 * 1.609344),
        ("BE-VLG:rural", 90),
        ("XX:nothing", None),
        (None, None),
    ],
)
def test_maxspeed(text, kmh):
    assert speed_limit(text) == pytest.approx(kmh)


def test_speeds_follow_the_tags():
    car, bike, foot = PROFILES["car"], PROFILES["bike"], PROFILES["foot"]
    assert speeds(car, STREET) == (30, 30)
    assert speeds(car, STREET | {"maxspeed": "20"}) == (20, 20)
    assert speeds(car, STREET | {"maxspeed": "50", "maxspeed:backward": "20"}) == (50, 20)
    assert speeds(car, {"highway": "motorway", "maxspeed": "none"}) == (130, 0)
    assert speeds(bike, STREET | {"maxspeed": "10"}) == (10, 10)
    assert speeds(bike, STREET | {"maxspeed": "100"}) == (18, 18)
    assert speeds(bike, {"highway": "footway"}) == (5, 5)  # pushed
    assert speeds(bike, {"highway": "footway", "bicycle": "yes"}) == (12, 12)
    assert speeds(bike, STREET | {"bicycle": "dismount"}) == (5, 5)
    assert speeds(foot, {"highway": "steps"}) == (3, 3)


@pytest.mark.parametrize(
    ("tags", "car", "bike", "foot"),
    [
        ({"barrier": "bollard"}, False, True, True),
        ({"barrier": "bollard", "motor_vehicle": "yes"}, True, True, True),
        ({"barrier": "gate"}, True, True, True),
        ({"barrier": "gate", "access": "private"}, False, False, False),
        ({"barrier": "gate", "access": "private", "foot": "yes"}, False, False, True),
        ({"barrier": "stile"}, False, False, True),
        ({"highway": "crossing", "access": "no"}, True, True, True),  # no barrier
    ],
    ids=str,
)
def test_barriers(tmp_path, tags, car, bike, foot):
    file = write(tmp_path / "town.osm.pbf", [(1, [1, 2, 3, 4], STREET)], tags={3: tags})
    for profile, through in (("car", car), ("bike", bike), ("foot", foot)):
        g = sp.read(file, profile=profile)
        assert arcs(g) == (both((1, 2), (2, 3), (3, 4)) if through else both((1, 2)))
        assert g.metadata["barriers"] == (not through)


def test_what_is_missing_is_left_out_and_counted(tmp_path):
    ways = [(1, [1, 2, 3, 4], STREET), (2, [5, 5, 6], STREET), (3, [7], STREET), (4, [8, 1], STREET)]
    g = sp.read(write(tmp_path / "a.osm.pbf", ways, leave_out=[3, 8]))
    assert arcs(g) == both((1, 2), (5, 6))
    assert g.metadata["missing_nodes"] == 2
    assert g.num_edges == 4  # no loop from 5 to 5


def test_ids_of_editors_and_huge_ones(tmp_path):
    (tmp_path / "new.osm").write_text(
        '<osm version="0.6"><node id="-1" lat="0" lon="0"/><node id="-2" lat="0" lon="0.001"/>'
        '<node id="9007199254740993" lat="0" lon="0.002"/><node id="77" lat="50" lon="50"/>'
        '<way id="-5"><nd ref="-1"/><nd ref="-2"/><nd ref="9007199254740993"/><tag k="highway" v="service"/></way></osm>'
    )
    g = sp.read(tmp_path / "new.osm")
    assert arcs(g) == both((-1, -2), (-2, 9007199254740993))
    assert sp.sssp(g, -1).along("metres")[g.index(9007199254740993)] == pytest.approx(2 * STEP, rel=1e-6)


def test_options_that_cannot_be(tmp_path):
    file = write(tmp_path / "a.osm", [(1, [1, 2], STREET)])
    with pytest.raises(ValueError, match="profile must be one of car, bike, foot"):
        sp.read(file, profile="horse")
    with pytest.raises(ValueError, match="weight must be one of seconds, metres"):
        sp.read(file, weight="miles")
    with pytest.raises(ValueError, match="their own directions"):
        sp.read(file, directed=False)
    with pytest.raises(ValueError, match="their own directions, coordinates and encoding: leave encoding= out"):
        sp.read(file, encoding="latin-1")
    sp.write(sp.generate.grid(2, 2), tmp_path / "a.csv")
    with pytest.raises(ValueError, match="OpenStreetMap"):
        sp.read(tmp_path / "a.csv", profile="car")
    with pytest.raises(FileNotFoundError):
        sp.read(tmp_path / "none.osm.pbf")
    renamed = tmp_path / "town.dat"
    renamed.write_bytes(write(tmp_path / "b.osm", [(1, [1, 2], STREET)]).read_bytes())
    assert arcs(sp.read(renamed, format="osm")) == both((1, 2))


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"<osm", b"\0\0\0\rjunkjunkjunk", b"<osm version='0.6'></osm>", b"<html/>"]
)
@pytest.mark.parametrize("suffix", [".osm.pbf", ".osm", ".osm.gz", ".osm.bz2"])
def test_no_files_of_osm(tmp_path, suffix, content):
    file = tmp_path / f"bad{suffix}"
    file.write_bytes(content)
    with pytest.raises(sp.FormatError, match=r"bad\.osm"):
        sp.read(file)


DAMAGED = """
import sys
import steppe as sp

read = refused = 0
for path in sys.argv[1:]:
    try:
        g = sp.read(path)
        sp.sssp(g, g.label(0)).verify()
        read += 1
    except sp.FormatError as error:
        assert path in str(error), error
        refused += 1
print(read, refused)
"""


def test_damaged_files_give_an_error_never_a_crash(tmp_path):
    """Cut, and with bytes changed: in a process of its own, because a crash would end this one."""
    rng = random.Random(7)  # noqa: S311
    paths = []
    for suffix in (".osm.pbf", ".osm", ".osm.gz", ".osm.bz2"):
        whole = write(tmp_path / f"whole{suffix}", [(1, [1, 2, 3, 4], STREET), (2, [5, 6, 2], STREET)]).read_bytes()
        for k in range(60):
            damaged = bytearray(whole)
            if k % 3 == 0:
                damaged = damaged[: rng.randrange(1, len(whole))]
            else:
                for _ in range(k % 3):
                    damaged[rng.randrange(len(whole))] = rng.randrange(256)
            file = tmp_path / f"d{k}{suffix}"
            file.write_bytes(bytes(damaged))
            paths.append(str(file))
    done = subprocess.run(
        [sys.executable, "-c", DAMAGED, *paths], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    read, refused = map(int, done.stdout.split())
    assert read + refused == len(paths)
    assert refused > 80
