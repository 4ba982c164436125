"""Pictures: what is drawn is what was asked for, without a window; large graphs become images of the same map."""

import io
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import steppe as sp
from conftest import PATIENCE
from steppe.pictures import draw
from steppe.pictures.layout import laid_out
from steppe.pictures.plane import Plane
from steppe.pictures.raster import Grid


def lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def saved(ax):
    picture = io.BytesIO()
    ax.figure.savefig(picture, format="png", dpi=40)
    return picture.getbuffer().nbytes


TOWNS = {"Kiel": (10.1, 54.3), "Ulm": (10.0, 48.4), "Bonn": (7.1, 50.7), "Jena": (11.6, 50.9)}


def towns():
    u, v = ["Ulm", "Bonn", "Jena", "Kiel"], ["Bonn", "Kiel", "Kiel", "Kiel"]
    return sp.Graph.from_edges(u, v, [5, 6, 7, 8], relabel=True).with_coordinates(TOWNS)


def test_a_small_graph_has_names_and_the_right_aspect():
    ax = towns().plot()
    assert isinstance(ax, Axes)
    assert [text.get_text() for text in ax.texts] == ["Bonn", "Jena", "Kiel", "Ulm"]
    assert ax.get_aspect() == pytest.approx(1 / np.cos(np.radians((48.4 + 54.3) / 2)))
    (edges,) = lines(ax)
    assert {tuple(map(tuple, part)) for part in edges.get_segments()} == {
        (TOWNS["Ulm"], TOWNS["Bonn"]),
        (TOWNS["Bonn"], TOWNS["Kiel"]),
        (TOWNS["Jena"], TOWNS["Kiel"]),
        (TOWNS["Kiel"], TOWNS["Kiel"]),
    }
    assert saved(ax) > 1000


def test_axes_that_are_given_are_drawn_on():
    figure = Figure()
    one, other = figure.subplots(1, 2)
    assert towns().plot(ax=one) is one
    assert sp.sssp(towns(), "Ulm").plot(ax=other) is other
    assert len(figure.axes) == 3  # and a colour bar


def test_paths():
    g = towns()
    ax = sp.sssp(g, "Ulm").plot(target="Kiel", label="hours")
    grey, coloured, path = lines(ax)
    assert len(grey.get_segments()) == 1  # Jena is not reached
    assert sorted(coloured.get_array().tolist()) == [2.5, 8, 11]  # the middle of each edge
    assert [tuple(map(tuple, part)) for part in path.get_segments()] == [
        (TOWNS["Ulm"], TOWNS["Bonn"]),
        (TOWNS["Bonn"], TOWNS["Kiel"]),
    ]
    assert ax.figure.axes[1].get_ylabel() == "hours"
    tree = lines(sp.sssp(g, "Ulm").plot(tree=True))[1]
    assert len(tree.get_segments()) == 2
    with pytest.raises(sp.NoPathError):
        sp.sssp(g, "Ulm").plot(target="Jena")


def test_nearest():
    g = sp.generate.grid(10, 10, weights=None)
    r = sp.nearest(g, [0, 99])
    between, own = lines(r.plot())
    assert set(own.get_array().tolist()) == {0, 1}
    u, v, _ = g.edges()
    assert len(between.get_segments()) == int((r.source_index[u] != r.source_index[v]).sum())


def test_isochrones():
    g = sp.generate.road(2000, seed=1)
    r = sp.isochrones(g, 1000, [300, 600])
    ax = r.plot(names=["near", "far"], title="a town")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["near", "far"]
    x = g.coordinates[r.bands >= 0][:, 0]
    left, right = ax.get_xlim()
    assert left < x.min() < x.max() < right
    assert right - left < np.ptp(g.coordinates[:, 0])  # only what is reached, and a margin
    with pytest.raises(ValueError, match="1 names for 2 limits"):
        r.plot(names=["near"])
    assert saved(ax) > 1000


def test_many_edges_become_an_image(monkeypatch):
    monkeypatch.setattr(draw, "LINES", 100)
    monkeypatch.setattr(draw, "PIXELS", 100)
    g = sp.generate.road(3000, seed=1)
    paths = sp.sssp(g, 0)
    for ax in (
        g.plot(),
        paths.plot(target=2999),
        sp.isochrones(g, 0, [900, 5000]).plot(),
        sp.nearest(g, [0, 2999]).plot(),
    ):
        assert ax.images
        assert saved(ax) > 1000
    image = paths.plot().images[0]
    left, right, bottom, top = image.get_extent()
    values = image.get_array()
    assert values.max() <= paths.distances.max()
    for v in (0, 1234, 2999):  # what a vertex's pixel shows is no more than its distance, and near it
        x, y = g.coordinates[v]
        row = min(int((y - bottom) / (top - bottom) * values.shape[0]), values.shape[0] - 1)
        column = min(int((x - left) / (right - left) * values.shape[1]), values.shape[1] - 1)
        assert paths.distances[v] - 1500 <= values[row, column] <= paths.distances[v]


def test_without_coordinates():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert np.array_equal(
        laid_out(3, np.array([0, 1, 2]), np.array([1, 2, 0])), laid_out(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
    )
    assert len(g.plot().texts) == 3
    assert sp.sssp(g, 0).plot(target=2).collections
    with pytest.raises(sp.GraphError, match="a picture of 501 vertices needs coordinates"):
        sp.Graph.from_edges([0], [1], num_vertices=501).plot()
    at = laid_out(20, np.arange(19), np.arange(1, 20))
    apart = np.hypot(*(at[:, None] - at[None, :]).transpose(2, 0, 1)) + np.eye(20)
    assert np.isfinite(at).all()
    assert apart.min() > 0.02  # no two on one spot


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_graphs(n):
    g = sp.Graph.from_edges([], [], num_vertices=n)
    assert saved(g.plot()) > 0
    assert saved(g.with_coordinates(np.zeros((n, 2))).plot()) > 0
    assert saved(g.with_coordinates(np.full((n, 2), np.nan)).plot()) > 0
    if n:
        assert saved(sp.sssp(g, 0).plot(target=0)) > 0
        assert saved(sp.nearest(g, [0]).plot()) > 0
        assert saved(sp.isochrones(g.with_coordinates(np.zeros((n, 2))), 0, [1]).plot()) > 0
        with pytest.raises(sp.GraphError, match="no place is known"):
            sp.isochrones(g.with_coordinates(np.full((n, 2), np.nan)), 0, [1]).plot()


def test_a_map_across_the_date_line_is_in_one_piece():
    plane = Plane(np.array([(179.0, 10), (-179, 12), (178, 11)]), geographic=True)
    assert np.ptp(plane.lon) == pytest.approx(3)
    assert np.allclose(plane.back(np.stack([plane.x, plane.y], axis=1))[:, 1], [10, 12, 11])
    whole = Plane(np.array([(-100.0, 0), (20, 0), (150, 0)]), geographic=True)  # not narrower in any way
    assert np.ptp(whole.lon) <= 250
    assert Plane(np.empty((0, 2)), geographic=True).aspect == 1


def test_a_grid_has_every_cell_a_segment_passes():
    grid = Grid(0, 0, (1, 1), 10, 10)
    counted = grid.counted(np.array([[0.5], [2.5], [9.5], [2.5]]))
    assert np.flatnonzero(counted.any(axis=1)).tolist() == [2]
    assert (counted[2] > 0).all()
    least = grid.least(
        np.array([[0.5, 0.5], [2.5, 2.5], [9.5, 0.5], [2.5, 2.5]]), np.array([0.0, 5]), np.array([9.0, 5])
    )
    assert least[2, 0] == 0
    assert least[2, 9] == 8.5  # from 9.0 on: every half cell is looked at
    assert np.isnan(least[3]).all()


def test_no_window_and_no_pyplot(tmp_path):
    code = (
        "import sys, steppe as sp; ax = sp.sssp(sp.generate.grid(4, 4), 0).plot(); ax.figure.savefig('a.png');"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=tmp_path
    )
    assert done.stdout == "False\n"


def test_pictures_tell_what_is_missing(monkeypatch):
    g = sp.generate.grid(3, 3)
    r = sp.isochrones(g, 0, [300])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"steppe\[plot\]"):
        g.plot()
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(ImportError, match=r"steppe\[geo\]"):
        r.to_geojson()
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match=r"steppe\[geo\]"):
        sp.generate.grid(3, 3).nearest_vertex(0, 0)
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(ImportError, match=r"steppe\[osm\]"):
        sp.read(__file__, format="osm")
