"""Draw nanoseconds per edge.

- Bars: one group per graph of the largest size, one bar per library, the machine's limit as a line over each group.
- Growth: one panel per family, a line per library over the sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import graphs

if TYPE_CHECKING:
    from pathlib import Path

COLOURS = {
    "steppe": "#c8502d",
    "steppe, 2 threads": "#e39a7d",
    "GAP": "#3b6e8f",
    "SciPy": "#7f8c5a",
    "NetworKit": "#a79fc0",
    "igraph": "#b8a06a",
    "rustworkx": "#8a8a8a",
    "NetworkX": "#4a4a4a",
    "graph-tool": "#5f9e8f",
}


def _plain(rows: list[dict[str, Any]], task: str) -> list[dict[str, Any]]:
    return [
        r
        for r in rows
        if r["task"] == task and r["output"] == "distances" and r["state"] == "warm" and r["method"] in ("", "auto")
    ]


def draw(rows: list[dict[str, Any]], task: str, path: Path) -> None:
    """Write the chart of one task, distances only, warm; SVG or PNG by the name."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    groups: dict[str, dict[str, dict[str, Any]]] = {}
    sizes = (*graphs.SIZES, graphs.GIANT)
    largest = max((sizes.index(r["size"]) for r in rows), default=0)
    for r in _plain(rows, task):
        if r["size"] != sizes[largest]:
            continue
        name = r["rival"] if r["threads"] == 1 else f"{r['rival']}, {r['threads']} threads"
        weights = "" if r["weights"] == "int32" else f"\n{r['weights']}"
        if name in COLOURS:
            groups.setdefault(f"{r['family']}\n{r['size']}{weights}", {})[name] = r
    names = [name for name in COLOURS if any(name in found for found in groups.values())]
    if not names:
        return
    with mpl.rc_context({"svg.hashsalt": "steppe", "svg.fonttype": "none", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(max(6.0, 1.1 * len(groups) + 1.5), 4.2), layout="constrained")
        width = 0.8 / len(names)
        for i, name in enumerate(names):
            places = [(x, found[name]["ns"]) for x, found in enumerate(groups.values()) if name in found]
            at, height = zip(*places, strict=True)
            left = [x - 0.4 + width * (i + 0.5) for x in at]
            label = f"{name}, 1 thread" if name == "steppe" else name
            axes.bar(left, height, width * 0.92, label=label, color=COLOURS[name])
        for x, found in enumerate(groups.values()):
            limit = next((r["limit_ns"] for r in found.values() if r["threads"] == 1), None)
            if limit is not None:
                label = "one look at every edge, 1 thread" if x == 0 else None
                axes.hlines(limit, x - 0.42, x + 0.42, colors="black", linewidth=1.2, linestyles="dashed", label=label)
        axes.set_yscale("log")
        axes.set_ylabel("ns per edge (log)")
        axes.set_xticks(range(len(groups)), list(groups))
        axes.set_title(
            {"sssp": "Shortest paths from one source", "bfs": "Hops from one source"}[task] + ", distances only"
        )
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, ncols=4, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18))
        figure.savefig(
            path, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")) if path.suffix == ".svg" else None
        )
        plt.close(figure)


def growth(rows: list[dict[str, Any]]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Return {family: {library: (edges, ns per edge) over the sizes}}: shortest paths, one thread, whole weights."""
    panels: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for r in _plain(rows, "sssp"):
        if r["threads"] == 1 and r["weights"] == "int32" and r["rival"] in COLOURS:
            panels.setdefault(r["family"], {}).setdefault(r["rival"], []).append((r["m"], r["ns"]))
    return {family: lines for family, lines in panels.items() if max(map(len, lines.values())) > 1}


def draw_growth(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the chart of :func:`growth`, if any family has two sizes."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    panels = growth(rows)
    if not panels:
        return
    with mpl.rc_context({"svg.hashsalt": "steppe", "svg.fonttype": "none", "font.size": 9}):
        columns = min(3, len(panels))
        height = -(-len(panels) // columns)
        figure, grid = plt.subplots(
            height, columns, figsize=(3 * columns, 2.4 * height + 0.6), sharey=True, squeeze=False, layout="constrained"
        )
        for axes, (family, lines) in zip(grid.flat, panels.items(), strict=False):
            for name, colour in COLOURS.items():
                if name in lines:
                    edges, ns = zip(*sorted(lines[name]), strict=True)
                    axes.plot(edges, ns, marker="o", markersize=3.5, color=colour, label=name)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_title(family)
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        figure.supxlabel("edges")
        figure.supylabel("ns per edge, 1 thread")
        figure.legend(*grid.flat[0].get_legend_handles_labels(), frameon=False, ncols=6, loc="outside upper center")
        figure.savefig(
            path, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")) if path.suffix == ".svg" else None
        )
        plt.close(figure)
