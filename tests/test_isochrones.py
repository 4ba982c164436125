"""Isochrones: bands by a plain loop over distances, polygons that hold what is reached and each other, a proof that can fail."""

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp


def line(weights, **options):
    """Return vertices on a line to the east, a degree / 100 apart."""
    n = len(weights) + 1
    at = [(k / 100, 0.0) for k in range(n)]
    return sp.Graph.from_edges(range(n - 1), range(1, n), weights, coordinates=at, **options)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_bands_are_what_the_distances_say(data):
    n = data.draw(st.integers(1, 12))
    vertices = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(vertices, vertices, st.integers(0, 9)), max_size=30))
    kind = data.draw(st.sampled_from([np.int32, np.int64, np.float32, np.float64, None]))
    u, v, w = ([e[i] for e in edges] for i in range(3))
    g = sp.Graph.from_edges(u, v, None if kind is None else np.array(w, dtype=kind), num_vertices=n)
    limits = data.draw(st.lists(st.integers(0, 20), min_size=1, max_size=4))
    reverse = data.draw(st.booleans())
    r = sp.isochrones(g, 0, limits, reverse=reverse).verify()
    whole = sp.sssp(g, 0, reverse=reverse)
    rising = sorted(set(limits))
    assert list(r.limits) == rising
    for band, d, ok in zip(r.bands.tolist(), whole.distances.tolist(), whole.reachable.tolist(), strict=True):
        assert band == next((k for k, limit in enumerate(rising) if ok and d <= limit), -1)
    assert r.counts() == [int((whole.reachable & (whole.distances <= limit)).sum()) for limit in rising]


def test_isochrones_tell_their_progress_and_keep_within_memory(tmp_path):
    g = sp.generate.grid(300, 300, seed=1)
    right = sp.isochrones(g, 0, [500, 10**6])
    sp.write(g, tmp_path / "g.steppe")
    small = sp.isochrones(sp.read(tmp_path / "g.steppe"), 0, [500, 10**6], memory_limit="8MB").verify()
    assert small.explain().engine == "external"
    assert np.array_equal(small.bands, right.bands)
    with pytest.raises(TypeError, match="progress must be True or a function"):
        sp.isochrones(g, 0, [5], progress="loud")


def test_limits_are_numbers():
    g = line([1, 2])
    for bad in ([], 5, "300", [[1]], ["a"], [-1], [np.inf], [np.nan]):
        with pytest.raises(ValueError, match="limits must be"):
            sp.isochrones(g, 0, bad)
    assert sp.isochrones(g, 0, [2.5, 1]).counts() == [2, 2]
    with pytest.raises(sp.GraphError, match="not in the graph"):
        sp.isochrones(g, 9, [1])


def test_tables():
    g = sp.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], [2, 2, 9], relabel=True)
    r = sp.isochrones(g, "a", [4, 2])
    frame = r.to_frame()
    assert frame.columns.tolist() == ["vertex", "distance", "limit"]
    assert frame.to_numpy().tolist() == [["a", 0, 2], ["b", 2, 2], ["c", 4, 4]]
    assert r.to_arrow().column("limit").to_pylist() == [2, 2, 4]
    assert "<td>c</td>" in r._repr_html_()
    assert pickle.loads(pickle.dumps(r)).counts() == [2, 3]  # noqa: S301


def test_the_proof_can_fail():
    r = sp.isochrones(line([1, 2, 3]), 0, [1, 6])
    bands = r.bands.copy()
    bands[2] = 0
    wrong = sp.Isochrones(r.graph, r.limits, bands, r.paths)
    with pytest.raises(sp.VerificationError, match="vertex 2 is in another band") as caught:
        wrong.verify()
    assert caught.value.vertex == 2


def features(text):
    found = json.loads(text)
    assert found["type"] == "FeatureCollection"
    shapes = [shapely.from_geojson(json.dumps(feature["geometry"])) for feature in found["features"]]
    assert all(shape.is_valid for shape in shapes)
    return [feature["properties"] for feature in found["features"]], shapes


@pytest.mark.parametrize("geographic", [True, False])
def test_polygons_hold_what_is_reached_and_each_other(geographic):
    g = sp.generate.road(4000, seed=2)
    if geographic:
        g = g.with_coordinates(g.coordinates / 111_000 + (10, 50))
    r = sp.isochrones(g, 2000, [500, 1200, 2500])
    words, shapes = features(r.to_geojson())
    assert [word["limit"] for word in words] == [2500, 1200, 500]
    assert [word["vertices"] for word in words] == r.counts()[::-1]
    assert {word["source"] for word in words} == {2000}
    slack = 3e-6 if geographic else 1e-6
    for larger, smaller in pairwise(shapes):
        assert larger.buffer(slack).covers(smaller)
        assert larger.area > 1.5 * smaller.area
    for number, shape in enumerate(shapes[::-1]):
        within = g.coordinates[(r.bands >= 0) & (r.bands <= number)]
        assert shapely.contains_xy(shape, within).all()
    far = g.coordinates[sp.sssp(g, 2000).distances > 4000]
    assert not shapely.contains_xy(shapes[0], far).any()
    for ring in (polygon.exterior for shape in shapes for polygon in shape.geoms):
        assert ring.is_ccw


def test_an_edge_that_is_reached_in_part_counts_in_part():
    g = line([100, 100])  # 0.01 degrees, about 1,112 m each
    shape = features(sp.isochrones(g, 0, [150]).to_geojson(radius=50))[1][0]
    west, _, east, north = shape.bounds
    metre = 1 / 111_195
    assert east == pytest.approx(0.015 + 50 * metre, abs=25 * metre)
    assert west == pytest.approx(-50 * metre, abs=25 * metre)
    assert north == pytest.approx(50 * metre, abs=25 * metre)


def test_one_vertex_and_unknown_places():
    g = line([5, 5])
    (word,), (shape,) = features(sp.isochrones(g, 2, [0]).to_geojson(radius=100))
    assert word["vertices"] == 1
    assert shape.contains(shapely.Point(0.02, 0))
    assert not features(sp.isochrones(g, 2, [3]).to_geojson())[1][0].is_empty
    hidden = g.with_coordinates([(0, 0), (np.nan, np.nan), (1, 1)])
    assert features(sp.isochrones(hidden, 1, [9]).to_geojson(radius=10))[1][0].is_empty
    with pytest.raises(sp.GraphError, match="coordinates"):
        sp.isochrones(g.with_coordinates(None), 0, [9]).to_geojson()
    with pytest.raises(ValueError, match="radius must be positive"):
        sp.isochrones(g, 0, [9]).to_geojson(radius=0)


def test_the_date_line_cuts_polygons_in_two():
    at = [(179.99, 0), (-179.995, 0.001), (-179.98, 0)]
    g = sp.Graph.from_edges([0, 1], [1, 2], [10, 10], coordinates=at, directed=False)
    r = sp.isochrones(g, 0, [5, 20])
    _, shapes = features(r.to_geojson(radius=200))
    whole = shapes[0]
    assert len(whole.geoms) == 2
    assert all(part.bounds[0] >= -180 and part.bounds[2] <= 180 for part in whole.geoms)
    assert sum(part.bounds[2] - part.bounds[0] for part in whole.geoms) < 0.1
    assert shapely.contains_xy(whole, np.array(at)).all()


def test_no_matter_which_way_round_the_globe():
    at = [(359.99, 10), (0.01, 10), (0.03, 10)]
    g = sp.Graph.from_edges([0, 1], [1, 2], [10, 10], coordinates=at)
    _, shapes = features(sp.isochrones(g, 0, [20]).to_geojson(radius=200))
    assert shapely.contains_xy(shapes[0], [(-0.01, 10), (0.01, 10), (0.03, 10)]).all()


def test_a_grid_never_has_more_cells_than_it_may():
    g = line([1] * 50)
    _, shapes = features(sp.isochrones(g, 0, [50]).to_geojson(radius=0.01))  # a centimetre along 55 km
    assert shapely.contains_xy(shapes[0], g.coordinates).all()
