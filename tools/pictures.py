"""Draw the pictures of the documentation from real runs: ``make pictures``, or ``python tools/pictures.py FOLDER``.

Nothing here is an artist's impression. Where an engine does not tell what it did round by round, the rounds are done again in
plain Python, and asserted to be as many, with as many relaxations and the same distances, as the engine reports.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from drawing import BLUE, EDGE, INK, PALE, RED, Drawing, shade

import steppe as sp

SIDE = 80
CITY = 4


def city() -> Any:
    """Return the tutorial's city: 6,400 crossings, numbered row by row, weights in tenths of a second."""
    return sp.generate.road(SIDE * SIDE, metric="time", seed=CITY)


class Map:
    """A sheet of crossings in rows and columns, drawn with its streets."""

    def __init__(self, drawing: Drawing, graph: Any, x: float, y: float, step: float, columns: int) -> None:
        self.drawing, self.columns, self.step, self.x, self.y = drawing, columns, step, x, y
        self.u, self.v, _ = graph.edges()

    def place(self, vertex: int) -> tuple[float, float]:
        """Return where a vertex is drawn."""
        row, column = divmod(int(vertex), self.columns)
        return self.x + column * self.step, self.y + row * self.step

    def streets(self, colours: list[str], number: np.ndarray, width: float) -> None:
        """Draw every street in the colour that the worse of its two ends has by `number`; -1: not reached, pale."""
        ends = np.stack([number[self.u], number[self.v]])
        each = np.where(ends.min(axis=0) < 0, -1, ends.max(axis=0))
        for which, colour in [(-1, PALE), *enumerate(colours)]:
            chosen = np.flatnonzero(each == which).tolist()
            self.drawing.strokes([(*self.place(self.u[e]), *self.place(self.v[e])) for e in chosen], colour, width)


def sheet(drawing: Drawing, x: float, y: float, size: float, side: int, colours: list[str]) -> None:
    """Draw a square grid of vertices, row by row, as cells of these colours."""
    for colour in sorted(set(colours)):
        chosen = [divmod(vertex, side) for vertex, own in enumerate(colours) if own == colour]
        drawing.cells([(x + size * column, y + size * row) for row, column in chosen], size, colour)


def tutorial_distances(folder: Path) -> None:
    """Minutes from one crossing, and the quickest way to another."""
    graph, start, goal = city(), 2440, 6159
    paths = sp.sssp(graph, start).verify()
    minutes = paths.distances / 600
    bands = np.digitize(minutes, [1, 2, 3, 4, 6])
    drawing = Drawing(640, 690, "Minutes from one crossing, and one path")
    here = Map(drawing, graph, 24, 24, 7.5, SIDE)
    colours = [shade(0.95 - i * 0.18) for i in range(6)]
    here.streets(colours, bands, 2.2)
    drawing.line([here.place(v) for v in paths.path(goal)], RED, 3.5)
    drawing.dot(*here.place(start), 6, "#ffffff", RED)
    drawing.dot(*here.place(goal), 6, RED)
    names = ["under 1 min", "1 to 2", "2 to 3", "3 to 4", "4 to 6", "6 and more"]
    drawing.key(24, 652, list(zip(colours, names, strict=True)))
    drawing.words(24, 678, f"{goal}: {minutes[goal]:.1f} minutes, {len(paths.path(goal)) - 1} streets", colour=RED)
    drawing.save(folder / "tutorial-distances.svg")


def tutorial_nearest(folder: Path) -> None:
    """Who is nearest to which of five stations."""
    graph, stations = city(), [808, 1270, 3440, 5222, 5668]
    found = sp.nearest(graph, stations).verify()
    drawing = Drawing(640, 665, "The nearest of five stations")
    here = Map(drawing, graph, 24, 24, 7.5, SIDE)
    colours = ["#30638e", "#edae49", "#66a182", "#d1495b", "#8d6a9f"]
    winners = np.array([stations.index(label) for label in found.sources.tolist()])
    here.streets(colours, np.where(found.distances >= 0, winners, -1), 2.2)
    for station in stations:
        drawing.dot(*here.place(station), 7, "#ffffff", INK)
    counts = np.bincount(winners, minlength=len(stations)).tolist()
    drawing.key(24, 652, [(c, f"{s}: {k:,}") for c, s, k in zip(colours, stations, counts, strict=True)])
    drawing.save(folder / "tutorial-nearest.svg")


def rounds_of(graph: Any, source: int) -> tuple[list[np.ndarray], np.ndarray, int]:
    """Return the frontier of every round, the distances, and how many edges were relaxed."""
    far = np.iinfo(np.int64).max
    dist = np.full(graph.num_vertices, far)
    dist[source] = 0
    predist, frontier, frontiers, relaxed = dist.copy(), np.array([source]), [], 0
    while len(frontier):
        frontiers.append(frontier)
        for u in frontier.tolist():
            row = slice(graph.indptr[u], graph.indptr[u + 1])
            np.minimum.at(predist, graph.indices[row], dist[u] + graph.weights[row])
            relaxed += row.stop - row.start
        frontier = np.flatnonzero(predist < dist)
        dist[frontier] = predist[frontier]
    return frontiers, dist, int(relaxed)


def how_rounds(folder: Path) -> None:
    """Four rounds of `frontier` on a grid, and how wide each round was."""
    side, source = 40, 820
    graph = sp.generate.grid(side, side, weights=(1, 9), seed=3)
    engine = sp.sssp(graph, source, method="frontier").verify()
    frontiers, dist, relaxed = rounds_of(graph, source)
    how = engine.explain()
    assert np.array_equal(dist, engine.distances), "the picture's distances"
    assert (len(frontiers), relaxed) == (how.rounds, how.edges_relaxed), "the picture's rounds"
    drawing = Drawing(760, 400, "Rounds of relaxation")
    times = np.zeros(side * side, dtype=int)
    panels = iter([(5, 0), (15, 1), (25, 2), (32, 3)])
    number, panel = next(panels)
    for at, frontier in enumerate(frontiers, 1):
        times[frontier] += 1
        if at == number:
            x = 20 + panel * 185
            colours = [shade(0.75 - 0.15 * min(t, 5)) if t else PALE for t in times.tolist()]
            for vertex in frontier.tolist():
                colours[vertex] = RED
            sheet(drawing, x, 40, 4.2, side, colours)
            drawing.words(x, 30, f"round {at}: {len(frontier)} vertices", size=12)
            number, panel = next(panels, (0, 0))
    entries = [
        (PALE, "not seen"),
        (shade(0.6), "changed once"),
        (shade(0.3), "three times"),
        (RED, "the frontier: changed last"),
    ]
    drawing.key(20, 232, entries)
    widest, step = max(map(len, frontiers)), 700 / len(frontiers)
    for at, frontier in enumerate(frontiers):
        tall = 110 * len(frontier) / widest
        drawing.box(20 + at * step, 370 - tall, max(1, step - 1), tall, RED if at + 1 in {5, 15, 25, 32} else BLUE)
    drawing.words(20, 256, f"vertices in each of the {len(frontiers)} rounds (most: {widest})", size=12)
    again = relaxed / graph.num_edges
    drawing.words(
        20, 390, f"{relaxed:,} relaxations of {graph.num_edges:,} edges: each edge {again:.1f} times", size=12
    )
    drawing.save(folder / "how-rounds.svg")


def how_buckets(folder: Path) -> None:
    """Buckets on a map, and what their width costs."""
    side, source, width = 40, 820, 16
    graph = sp.generate.grid(side, side, weights=(1, 9), seed=3)
    found = sp.sssp(graph, source, method="delta-stepping", delta=width).verify()
    bucket = found.distances // width
    drawing = Drawing(760, 330, "Buckets, and their width")
    sheet(drawing, 20, 40, 6, side, [shade(b / bucket.max()) for b in bucket.tolist()])
    drawing.words(20, 28, f"the {bucket.max() + 1} buckets of width {width}, first to last", size=12)
    widths = [4**i for i in range(7)]
    large = sp.generate.grid(400, 400, weights=(1, 255), seed=3)
    runs = [sp.sssp(large, 0, method="delta-stepping", delta=d, threads=1).explain() for d in widths]
    left, right, top, bottom = 330, 740, 60, 270
    place = {d: left + 30 + i * (right - left - 40) / (len(widths) - 1) for i, d in enumerate(widths)}
    rounds = np.array([how.rounds for how in runs])
    again = np.array([how.relaxations_per_edge for how in runs])
    drawing.box(left, top, right - left, bottom - top, "none", EDGE)
    for values, colour in ((np.log(rounds), BLUE), (again, RED)):
        heights = bottom - 12 - (values - values.min()) / np.ptp(values) * (bottom - top - 24)
        drawing.line(list(zip(place.values(), heights.tolist(), strict=True)), colour, 2.5)
        for x, y in zip(place.values(), heights.tolist(), strict=True):
            drawing.dot(x, y, 3, colour)
    for d in widths:
        drawing.words(place[d], bottom + 16, f"{d:,}", size=11, anchor="middle")
    drawing.words(
        (left + right) / 2, bottom + 34, "width of buckets (400 × 400 grid, weights 1…255)", size=12, anchor="middle"
    )
    drawing.words(left, top - 24, f"rounds: {rounds.max():,} … {rounds.min():,} (logarithmic)", size=12, colour=BLUE)
    drawing.words(
        left, top - 8, f"relaxations of each edge: {again.min():.2f} … {again.max():.2f}", size=12, colour=RED
    )
    drawing.save(folder / "how-buckets.svg")


def how_atomics(folder: Path) -> None:
    """Levels of a breadth-first search, and its tree."""
    side, source = 24, 300
    graph = sp.generate.grid(side, side, weights=None)
    hops = sp.bfs(graph, source).verify()
    drawing = Drawing(760, 330, "Levels, and the tree")
    sheet(drawing, 20, 40, 11, side, [shade(0.9 * d / hops.distances.max()) for d in hops.distances.tolist()])
    before = hops.predecessors
    links = []
    for vertex in np.flatnonzero(before >= 0).tolist():
        (r, c), (s, d) = divmod(vertex, side), divmod(int(before[vertex]), side)
        links.append((25.5 + 11 * c, 45.5 + 11 * r, 25.5 + 11 * d, 45.5 + 11 * s))
    drawing.strokes(links, "#ffffff", 1.2)
    drawing.words(20, 28, f"{hops.distances.max() + 1} levels, and the canonical tree in white", size=12)
    large = sp.generate.rmat(16, seed=1).prepare()
    answer = sp.bfs(large, int(np.argmax(large.degrees)))
    sizes = np.bincount(answer.distances[answer.reachable])
    how = answer.explain()
    left, width, bottom = 350, 380 / len(sizes), 270
    for level, size in enumerate(sizes.tolist()):
        tall = 190 * size / sizes.max()
        drawing.box(left + level * width + 6, bottom - tall, width - 12, tall, BLUE)
        drawing.words(left + (level + 0.5) * width, bottom - tall - 6, f"{size:,}", size=11, anchor="middle")
        drawing.words(left + (level + 0.5) * width, bottom + 16, f"level {level}", size=11, anchor="middle")
    share = how.edges_touched / large.num_edges
    drawing.words(
        left,
        28,
        f"R-MAT, {large.num_vertices:,} vertices, {large.num_edges / 1e6:.1f} M edges: vertices in each level",
        size=12,
    )
    drawing.words(left, 310, f"edges looked at: {share:.1%} (wide levels are searched from below)", size=12)
    drawing.save(folder / "how-atomics.svg")


def how_parts(folder: Path) -> None:
    """Which parts of the edges a streamed search took to the device, pass by pass, and which it left where they were."""
    from steppe.gpu import get_device
    from steppe.gpu.stream.loop import run_with
    from steppe.gpu.stream.passes import Passes
    from steppe.planning.question import Question

    taken: dict[tuple[int, int], str] = {}

    class Traced(Passes):
        """Passes that note what they do."""

        def _gather(self, few: list[int]) -> None:
            taken.update({(self.passes, part): "gathered" for part in few})
            super()._gather(few)

        def _stream(self, order: list[int]) -> None:
            taken.update({(self.passes, part): "there" if self.slots.find(part) else "copied" for part in order})
            super()._stream(order)

    side, source = 120, 60 * 120 + 20
    graph = sp.generate.grid(side, side, weights=(1, 9), seed=3)
    device = get_device("opencl", memory_limit=420_000)
    answer = run_with(Traced, device, graph, Question(np.array([source])), "delta-stepping", part_size=4096)
    assert np.array_equal(answer.distances, sp.sssp(graph, source, device="cpu").distances), "the picture's distances"
    passes, parts = answer.explained["passes"], answer.explained["parts"]
    colours = {"there": BLUE, "copied": RED, "gathered": "#edae49"}
    wide, tall = 700 / passes, 14
    drawing = Drawing(760, 110 + tall * parts, "Parts taken, pass by pass")
    drawing.box(40, 40, 700, tall * parts, PALE)
    for (number, part), what in taken.items():
        drawing.box(40 + (number - 1) * wide, 40 + part * tall, max(1, wide - 0.5), tall - 1, colours[what])
    for part in range(parts):
        drawing.words(34, 51 + part * tall, str(part), size=10, anchor="end")
    drawing.words(
        40, 28, f"{parts} parts of 4,096 edges (rows) in {passes} passes (columns), from left to right", size=12
    )
    entries = [*((c, w) for w, c in colours.items()), (PALE, "nothing to do there: left where it was")]
    drawing.key(40, 62 + tall * parts, entries)
    copied, skipped = answer.explained["bytes_copied"], answer.explained["bytes_skipped"]
    drawing.words(
        40,
        92 + tall * parts,
        f"{copied / 1e6:.1f} MB moved; {skipped / 1e6:.0f} MB more if every pass took every part",
        size=12,
    )
    drawing.save(folder / "how-parts.svg")


def sweeps_of(graph: Any, source: int) -> list[np.ndarray]:
    """Return the distances from a source after every sweep over the list of links, both directions of each."""
    row = [np.iinfo(np.int64).max] * graph.num_vertices
    row[source] = 0
    after = []
    while not after or len(after) == 1 or not np.array_equal(after[-1], after[-2]):
        for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
            row[v] = min(row[v], row[u] + w)
            row[u] = min(row[u], row[v] + w)
        after.append(np.array(row))
    return after


def how_edges(folder: Path) -> None:
    """All pairs by sweeps: the matrix as it fills, and how often an edge is looked at."""
    from steppe.gpu import get_device
    from steppe.gpu.loops import edge, many

    device = get_device("opencl")
    graph = sp.generate.road(36, seed=2)
    n = graph.num_vertices
    matrix, _ = edge.run(device, graph, np.arange(n))
    rows = [sweeps_of(graph, source) for source in range(n)]
    assert np.array_equal(np.stack([row[-1] for row in rows]), matrix), "the picture's matrix"
    most = max(map(len, rows))
    drawing = Drawing(760, 400, "All pairs by sweeps")
    panels = [1, 2, 3, most - 1]
    for panel, sweep in enumerate(panels):
        states = [row[min(sweep, len(row)) - 1] for row in rows]
        right = np.stack(states) == matrix
        reached = np.stack(states) < np.iinfo(np.int64).max
        colours = np.where(right, shade(0.6), np.where(reached, RED, PALE)).ravel().tolist()
        sheet(drawing, 20 + panel * 185, 40, 4.6, n, colours)
        drawing.words(20 + panel * 185, 30, f"sweep {sweep}: {right.mean():.0%} final", size=12)
    drawing.key(20, 228, [(PALE, "no path yet"), (RED, "a path, not the shortest"), (shade(0.6), "final")])
    families = {
        "R-MAT, 1,024 vertices": sp.generate.rmat(10, seed=1),
        "small world, 1,000": sp.generate.small_world(1000, 8, seed=1),
        "grid, 32 × 32": sp.generate.grid(32, 32, seed=1),
        "road, 1,000": sp.generate.road(1000, seed=1),
    }
    drawing.words(20, 262, "times that each edge is looked at for a source (64 sources)", size=12)
    looks = {}
    for name, family in families.items():
        sources = np.arange(64)
        each = [loop.run(device, family, sources) for loop in (edge, many)]
        assert np.array_equal(each[0][0], each[1][0]), "two methods, one matrix"
        looks[name] = [how["edges_relaxed"] / family.num_edges / 64 for _, how in each]
    largest = max(sweeps for sweeps, _ in looks.values())
    for at, (name, pair) in enumerate(looks.items()):
        drawing.words(180, 284 + 28 * at, name, size=12, anchor="end")
        for up, value, colour in ((0, pair[0], RED), (11, pair[1], BLUE)):
            drawing.box(190, 272 + 28 * at + up, max(1.5, 480 * value / largest), 9, colour)
            drawing.words(196 + max(1.5, 480 * value / largest), 281 + 28 * at + up, f"{value:.1f}", size=10)
    drawing.key(440, 262, [(RED, "sweeps (edge)"), (BLUE, "buckets (delta-stepping)")])
    drawing.save(folder / "how-edges.svg")


CPU = [tutorial_distances, tutorial_nearest, how_rounds, how_buckets, how_atomics]
DEVICE = [how_parts, how_edges]
"""These need an OpenCL device: PoCL will do."""


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    target = Path(words[0]) if words else Path(__file__).parents[1] / "docs" / "pictures"
    target.mkdir(parents=True, exist_ok=True)
    for draw in CPU if "--cpu" in sys.argv else CPU + DEVICE:
        draw(target)
        print(draw.__name__)
