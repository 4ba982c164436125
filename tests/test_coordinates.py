"""Coordinates stay with a graph, and the nearest vertex is the nearest: at the poles, across the date line, in the plane."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp

UNKNOWN = (np.nan, np.nan)


def angle(a, b):
    """Return the angle between two places, by the haversine formula in plain numbers."""
    (x, y), (u, v) = np.radians(a), np.radians(b)
    return np.sin((v - y) / 2) ** 2 + np.cos(y) * np.cos(v) * np.sin((u - x) / 2) ** 2


def chain(coordinates, **options):
    n = len(coordinates)
    g = sp.Graph.from_edges(range(n - 1), range(1, n), num_vertices=n)
    return g.with_coordinates(coordinates, **options)


places = st.tuples(st.floats(-180, 180), st.floats(-90, 90))


@settings(max_examples=200, deadline=None)
@given(st.lists(places, min_size=1, max_size=30), places)
def test_nearest_on_the_sphere(points, query):
    found = chain(points).nearest_vertex(*query)
    best = min(angle(query, p) for p in points)
    assert angle(query, points[found]) <= best * (1 + 1e-9) + 1e-15


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-500, 500)), min_size=1, max_size=30), st.data())
def test_nearest_in_the_plane_and_the_first_of_one_place(points, data):
    x, y = data.draw(st.tuples(st.integers(-60, 60), st.integers(-600, 600)))
    found = chain(points, geographic=False).nearest_vertex(x, y)
    squares = [(a - x) ** 2 + (b - y) ** 2 for a, b in points]
    assert squares[found] == min(squares)
    assert found == points.index(points[found])


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ((-179.9, 10), 0),
        ((180, 9.9), 0),
        ((-180, 9.9), 0),
        ((540 - 360, 10), 0),
        ((0, 89.5), 1),
        ((170, 89), 1),
        ((0, -90), 2),
    ],
)
def test_the_date_line_and_the_poles(query, nearest):
    assert chain([(179.9, 10), (-100, 90), (33, -88), (0, 0), (-90, 45)]).nearest_vertex(*query) == nearest


def test_arrays_of_points_labels_and_shapes():
    g = sp.Graph.from_edges(["b", "a"], ["c", "b"], relabel=True, coordinates=[(0, 0), (1, 0), (2, 0)])
    assert g.nearest_vertex(0.9, 0.1) == "b"
    assert g.nearest_vertex([0.1, 1.9], [0, 0]).tolist() == ["a", "c"]
    assert g.nearest_vertex([], []).tolist() == []
    assert g.nearest_vertex([2, 0], 0).tolist() == ["c", "a"]
    with pytest.raises(ValueError, match="broadcast"):
        g.nearest_vertex([1, 2], [1, 2, 3])


def test_what_is_no_place_is_refused():
    g = sp.Graph.from_edges([0], [1])
    for bad, words in [
        ([(0, 0)], "1 coordinates for 2 vertices"),
        ([0, 1], "shape"),
        ([(0, 0, 0)] * 2, "shape"),
        ([(0, np.inf), (0, 0)], "finite"),
        ([(0, 91), (0, 0)], "geographic=False"),
        ([(0, 0), (361, 0)], "361"),
    ]:
        with pytest.raises(sp.GraphError, match=words):
            g.with_coordinates(bad)
    assert g.with_coordinates([(0, 91), (400, 0)], geographic=False).is_geographic is False
    with pytest.raises(sp.GraphError, match="needs coordinates, and this graph has none"):
        g.nearest_vertex(0, 0)
    placed = g.with_coordinates([(0, 0), (1, 1)])
    for query in ((np.nan, 0), (0, np.inf)):
        with pytest.raises(sp.GraphError, match="finite"):
            placed.nearest_vertex(*query)
    with pytest.raises(sp.GraphError, match="degrees"):
        placed.nearest_vertex(0, 91)


def test_unknown_places_are_never_nearest():
    g = chain([UNKNOWN, (50, 50), (np.nan, 0)])
    assert g.nearest_vertex(0, 0) == 1
    with pytest.raises(sp.GraphError, match="no vertex of this graph has a known place"):
        chain([UNKNOWN]).nearest_vertex(0, 0)
    with pytest.raises(sp.GraphError, match="no vertex"):
        sp.Graph.from_edges([], [], num_vertices=0).with_coordinates([]).nearest_vertex(0, 0)


def test_rows_by_label():
    g = sp.Graph.from_edges([10, 20], [20, 40], relabel=True)
    h = g.with_coordinates([(1, 1), (4, 4), (9, 9)], labels=[10, 40, 99])
    assert np.array_equal(h.coordinates, [(1, 1), UNKNOWN, (4, 4)], equal_nan=True)
    names = sp.Graph.from_edges(["b"], ["a"], relabel=True).with_coordinates({"a": (1, 2), "x": (3, 4)})
    assert np.array_equal(names.coordinates, [(1, 2), UNKNOWN], equal_nan=True)
    plain = sp.Graph.from_edges([0], [1]).with_coordinates([(5, 5), (6, 6)], labels=[1, 7])
    assert np.array_equal(plain.coordinates, [UNKNOWN, (5, 5)], equal_nan=True)
    with pytest.raises(sp.GraphError, match="2 labels for 1 coordinates"):
        g.with_coordinates([(1, 1)], labels=[10, 20])
    with pytest.raises(sp.GraphError, match="a mapping has its own"):
        g.with_coordinates({10: (1, 1)}, labels=[10])


def test_a_graph_made_of_it_keeps_them():
    at = np.array([(0.0, 0), (1, 5), (2, 0), (3, 0)])
    g = sp.Graph.from_edges([0, 1, 2, 2], [1, 2, 1, 3], [1.5, 2, 3, 4], coordinates=at)
    assert g.coordinates.flags.writeable is False
    same = [g.reverse, g.reverse.reverse, g.with_weights([1, 2, 3, 4]), g.with_weights(None), g.without_edges([0])]
    for h in [*same, pickle.loads(pickle.dumps(g))]:  # noqa: S301
        assert np.array_equal(h.coordinates, at)
        assert h.is_geographic
    assert np.array_equal(g.subgraph([3, 1]).coordinates, at[[1, 3]])
    assert np.array_equal(g.largest_component().coordinates, at[[1, 2]])
    assert g.with_coordinates(None).coordinates is None
    assert g.coordinates is not None  # graphs do not change
    moved = g.with_coordinates(at + 1)
    assert np.array_equal(sp.sssp(moved, 0).distances, sp.sssp(g, 0).distances)
    assert np.array_equal(moved.reverse.coordinates, at + 1)
    assert np.array_equal(moved.edge_ids, g.edge_ids)


def test_largest_component_is_strong_and_whole():
    assert sp.Graph.from_edges([], [], num_vertices=0).largest_component().num_vertices == 0
    assert sp.Graph.from_edges([0, 1], [1, 0], num_vertices=5).largest_component().num_vertices == 2
    assert sp.Graph.from_edges([3], [4], num_vertices=5, directed=False).largest_component().labels.tolist() == [3, 4]
    one_way = sp.Graph.from_edges([0, 1], [1, 2])
    assert len(one_way.largest_component()) == 1  # the first of three of one vertex
    assert one_way.largest_component().labels is None
    closed = sp.Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 1], [1.0, np.inf, 1, 1])  # inf: no edge
    assert closed.largest_component().labels.tolist() == [1, 2]


@pytest.mark.parametrize("suffix", [".steppe", ".npz", ".steppe.gz"])
@pytest.mark.parametrize("geographic", [True, False])
def test_files_keep_them(tmp_path, suffix, geographic):
    at = [(1.5, 2), UNKNOWN, (3, 4)]
    g = sp.Graph.from_edges(["b", "a"], ["c", "b"], [1, 2], relabel=True).with_coordinates(at, geographic=geographic)
    sp.write(g, tmp_path / f"g{suffix}")
    for directed in (None, False):
        h = sp.read(tmp_path / f"g{suffix}", directed=directed)
        assert np.array_equal(h.coordinates, at, equal_nan=True)
        assert h.is_geographic == geographic
    if suffix == ".steppe":
        sp.files.check(tmp_path / "g.steppe")


def test_only_files_with_coordinates_are_of_version_2(tmp_path):
    g = sp.Graph.from_edges([0], [1], [7])
    sp.write(g, tmp_path / "a.steppe")
    sp.write(g.with_coordinates([(1, 2), (3, 4)]), tmp_path / "b.steppe")
    assert (tmp_path / "a.steppe").read_bytes()[8] == 1
    assert (tmp_path / "b.steppe").read_bytes()[8] == 2
    assert sp.read(tmp_path / "a.steppe").coordinates is None


def test_damaged_coordinates_are_refused(tmp_path):
    file = tmp_path / "g.steppe"
    sp.write(sp.Graph.from_edges([0], [1]).with_coordinates([(1, 2), (3, 4)]), file)
    whole = file.read_bytes()
    at = whole.rindex(np.array([1.0, 2, 3, 4]).tobytes())
    for value in (np.inf, 1000.0):  # infinite, or no latitude
        file.write_bytes(whole[: at + 8] + np.float64(value).tobytes() + whole[at + 16 :])
        with pytest.raises(sp.GraphError):
            _ = sp.read(file).coordinates
        with pytest.raises(sp.FormatError, match="checksum"):
            sp.files.check(file)


def test_dimacs(tmp_path):
    (tmp_path / "x.gr").write_text("p sp 3 2\na 1 2 7\na 2 3 4\n")
    (tmp_path / "x.co").write_text("p aux sp co 3\nv 2 -73530767 41085396\nv 1 0 0\nv 3 180000000 -90000000\n")
    (tmp_path / "plane.co").write_text("p aux sp co 3\nv 1 0.5 0\nv 2 1 1\nv 3 2 2\n")
    (tmp_path / "short.co").write_text("p aux sp co 2\nv 1 0 0\nv 2 1 1\n")
    g = sp.read(tmp_path / "x.gr", coordinates=tmp_path / "x.co")
    assert g.coordinates.tolist() == [[0, 0], [-73.530767, 41.085396], [180, -90]]
    assert g.is_geographic
    assert g.nearest_vertex(-74, 41) == 2
    assert sp.read(tmp_path / "x.gr", coordinates=tmp_path / "plane.co").is_geographic is False
    with pytest.raises(sp.FormatError, match=r"short.co: expected the places of 3 vertices, found 2"):
        sp.read(tmp_path / "x.gr", coordinates=tmp_path / "short.co")


def test_plain_lines_of_coordinates_are_read_as_any_others(tmp_path):
    rows = [
        (k, (7919 * k) % 360_000_001 - 180_000_000, (104_729 * k) % 180_000_001 - 90_000_000) for k in range(1, 500)
    ]
    head = "c places\np aux sp co 499\n"
    (tmp_path / "plain.co").write_text(head + "".join(f"v {k} {x} {y}\n" for k, x, y in rows))
    (tmp_path / "dressed.co").write_text(head + "".join(f" v  {k}\t{x} {y}\nc dress\n" for k, x, y in rows))
    plain, dressed = (sp.files.read_coordinates(tmp_path / f"{name}.co") for name in ("plain", "dressed"))
    assert plain.dtype == dressed.dtype == np.int64
    assert np.array_equal(plain, dressed)
    assert plain.tolist() == [[x, y] for _, x, y in rows]
    for line in ("v 0 1 1", "v 500 1 1", "v 1 1 1"):
        (tmp_path / "bad.co").write_text(head + "".join(f"v {k} {x} {y}\n" for k, x, y in rows[1:]) + line + "\n")
        if line == "v 1 1 1":
            assert sp.files.read_coordinates(tmp_path / "bad.co")[0].tolist() == [1, 1]
        else:
            with pytest.raises(sp.FormatError, match=r"bad\.co:501: expected 'v ID X Y'"):
                sp.files.read_coordinates(tmp_path / "bad.co")


def test_networkx_and_tables():
    import networkx as nx

    theirs = nx.Graph([("a", "b")])
    theirs.add_node("a", x=9.0, y=48.0)
    g = sp.Graph.from_networkx(theirs, coordinates=("x", "y"))
    assert np.array_equal(g.coordinates, [(9, 48), UNKNOWN], equal_nan=True)
    frame = {"u": ["a"], "v": ["b"]}
    assert sp.Graph.from_frame(frame, "u", "v", coordinates={"b": (1, 2)}).coordinates[1].tolist() == [1, 2]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("ids", [[30, 10, 20, 77], ["c", "a", "b", "z"]])
def test_a_table_of_places(library, ids):
    """Rows in another order than the vertices, and one of a node that no edge has."""
    nodes = pytest.importorskip(library).DataFrame({"id": ids, "lon": [3.0, 1, 2, 9], "lat": [33.0, 11, 22, 9]})
    g = sp.Graph.from_edges([ids[1], ids[2]], [ids[2], ids[0]], relabel=True)
    h = g.with_coordinates(nodes[["lon", "lat"]], labels=nodes["id"])
    assert h.coordinates.tolist() == [[1, 11], [2, 22], [3, 33]]


def test_generated_roads_lie_where_their_lengths_say():
    g = sp.generate.road(3000, seed=5)
    at = g.coordinates
    sources = np.repeat(np.arange(len(g)), g.degrees)
    metres = np.hypot(*(at[sources] - at[g.indices]).T)
    assert np.array_equal(np.maximum(1, np.floor(metres + 0.5)), g.weights)
    assert sp.generate.grid(2, 3).coordinates.tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
    assert sp.generate.grid(0, 3).coordinates.shape == (0, 2)
