"""Every old public name gives what the new one gives, and warns what to write, at the line that uses it."""

import numpy as np
import pytest

import steppe as sp
from steppe import deprecated
from steppe.cli import application
from steppe.planning.explain import Explanation

EDGES = [0, 0, 1, 2], [1, 2, 2, 0], [5, 9, 3, 1]
G = sp.Graph.from_edges(*EDGES)
RAY = sp.Ray()


def drawn(**options):
    pytest.importorskip("matplotlib")
    (lines,) = G.with_coordinates([(0, 0), (1, 0), (1, 1)]).plot(**options).collections[:1]
    return lines.get_color()


def path_drawn(**options):
    pytest.importorskip("matplotlib")
    paths = sp.sssp(G.with_coordinates([(0, 0), (1, 0), (1, 1)]), 0)
    return len(paths.plot(**options).collections)


OLD = {
    "steppe.blocks": ("steppe.distance_blocks", lambda: sp.blocks, lambda: sp.distance_blocks),
    "steppe.NearestSources": ("steppe.Nearest", lambda: sp.NearestSources, lambda: sp.Nearest),
    "Nearest.winners": (
        "Nearest.source_index",
        lambda: sp.nearest(G, [0]).winners,
        lambda: sp.nearest(G, [0]).source_index,
    ),
    "Nearest.winner_labels": (
        "Nearest.sources",
        lambda: sp.nearest(G, [0], k=2).winner_labels,
        lambda: sp.nearest(G, [0], k=2).sources,
    ),
    "steppe.Skims": ("steppe.DistanceMatrix", lambda: sp.Skims, lambda: sp.DistanceMatrix),
    "Graph.about": ("Graph.metadata", lambda: G.about, lambda: G.metadata),
    "Ray.crew": ("Ray.workers_of", lambda: RAY.crew, lambda: RAY.workers_of),
    "Graph.plot(colour=)": ("Graph.plot(color=)", lambda: drawn(colour="#ff0000"), lambda: drawn(color="#ff0000")),
    "Paths.plot(to=)": ("Paths.plot(target=)", lambda: path_drawn(to=2), lambda: path_drawn(target=2)),
    "Explanation.peak_device_bytes": (
        "Explanation.peak_bytes",
        lambda: Explanation(method="", peak_bytes=7).peak_device_bytes,
        lambda: 7,
    ),
}
for before, now in deprecated.METHODS.items():
    if before != "edge":
        OLD[f'method="{before}"'] = (
            f'method="{now}"',
            lambda before=before: sp.all_pairs(G, method=before),
            lambda now=now: sp.all_pairs(G, method=now),
        )


@pytest.mark.parametrize("old", OLD)
def test_old_names_work_and_say_what_to_write(old):
    new, ask, expected = OLD[old]
    right = expected()  # a new name does not warn: all warnings are errors here
    with pytest.warns(DeprecationWarning, match="is deprecated") as caught:
        got = ask()
    assert [str(w.message) for w in caught] == [f"steppe: {old} is deprecated, write {new}"]
    assert caught[0].filename == __file__
    assert np.array_equal(got, right)


def test_every_old_name_is_tested():
    assert {f"steppe.{name}" for name in deprecated.NAMES} <= set(OLD)
    assert not set(deprecated.NAMES) & set(sp.__all__)


def test_an_old_method_of_devices_is_known_by_its_new_name():
    with (
        pytest.warns(DeprecationWarning, match='write method="edge-sweep"'),
        pytest.raises(ValueError, match='method="edge-sweep" runs on a device'),
    ):
        sp.all_pairs(G, method="edge", device="cpu")


def test_a_matrix_with_predecessors_is_still_a_pair():
    both = sp.all_pairs(G, predecessors=True)
    for ask in (tuple, lambda pair: (pair[0], pair[1])):
        with pytest.warns(DeprecationWarning, match=r"write .distances and .predecessors") as caught:
            distances, predecessors = ask(both)
        assert caught[0].filename == __file__
        assert distances is both.distances
        assert predecessors is both.predecessors


def test_old_and_new_argument_together_are_refused():
    with pytest.raises(TypeError, match="both colour= and color="):
        G.plot(colour="red", color="blue")


def test_a_budget_on_the_cpu_is_still_caught_by_its_old_error():
    assert issubclass(sp.MemoryLimitError, sp.DeviceMemoryError)
    with pytest.raises(sp.DeviceMemoryError):
        sp.sssp(G, 0, memory_limit=1)


@pytest.mark.parametrize("old", ["lanes", "essential"])
def test_the_command_line_warns_of_old_methods(old, tmp_path):
    typer = pytest.importorskip("typer.testing")
    file = tmp_path / "graph.gr"
    sp.write(G, file)
    result = typer.CliRunner().invoke(application(), ["all-pairs", str(file), "--method", old])
    assert result.exit_code == 0
    assert f"steppe: warning: --method {old} is deprecated, write --method {deprecated.METHODS[old]}" in result.stderr
