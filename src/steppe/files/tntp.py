"""TNTP: networks of the Transportation Networks collection (``…_net.tntp``), links with capacity, length, free flow time and the rest.

Metadata come first (``<NUMBER OF ZONES> 24``), then a link in each line, which ends in a semicolon; ``~`` begins a comment. The free flow time is the
weight unless ``weight=`` names another column; all columns are attributes of the edges.

**First thru node.** Nodes below it are centroids: trips begin and end there, and no path may pass through. They are split. Vertex ``7`` is zone 7
as an origin and has the links that leave it; vertex ``-7`` is zone 7 as a destination and has the links that enter it. No link leads from ``-7`` to
``7``, so that no path passes through, whoever searches. Where the first thru node is 1 nothing is split.

**More nodes than stated.** Some networks of the collection name nodes beyond ``<NUMBER OF NODES>``. They are taken as they are, and
``graph.metadata`` tells how many they are, and the line of the first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ..errors import GraphError
from ..graph.coordinates import Coordinates, replace_coordinates
from ..graph.labels import Labels
from . import edge_rows, text
from .format import PLAIN, Format

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .format import ReadOptions
    from .source import Source

COLUMNS = ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type")
_DATUM = re.compile(r"<([A-Z ]+)>\s*([^~]*)")


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a network."""
    weight = "free_flow_time" if options.weight is None else options.weight
    chosen = COLUMNS if not options.attributes else options.attributes
    for column in (*chosen, *([] if weight is False else [weight])):
        if column not in COLUMNS:
            raise GraphError(f"a TNTP network has no column {column!r}; its columns are {', '.join(COLUMNS)}")
    net = _Network(source)
    for _, line, content in source.lines():
        net.last = line
        if content.startswith("<"):
            net.datum(content, line)
        elif content and not content.startswith("~"):
            net.link(content, line)
    nodes, links = net.required("NUMBER OF NODES"), net.required("NUMBER OF LINKS")
    if links != len(net.u):
        raise source.error(f"<NUMBER OF LINKS> is {links}, but there are {len(net.u)}", net.lines["NUMBER OF LINKS"])
    first = net.data.get("FIRST THRU NODE", 1)
    if not 1 <= first <= nodes + 1:
        raise source.error(f"expected a first thru node of 1…{nodes + 1}, found {first}", net.lines["FIRST THRU NODE"])
    source.allow(nodes, 2 * text.VERTEX_BYTES, "nodes", net.lines["NUMBER OF NODES"], listed=2 * len(net.u))
    centroids = first - 1
    if centroids and options.directed is False:
        raise source.error(
            "a network whose centroids may not be passed through is directed", net.lines["FIRST THRU NODE"]
        )
    tails, heads = np.array(net.u, dtype=np.int64), np.array(net.v, dtype=np.int64)
    beyond = np.unique(np.concatenate([tails[tails > nodes], heads[heads > nodes]]))
    count = nodes + len(beyond)
    labels: range | text.Array = range(1, nodes + 1)
    if centroids or len(beyond):
        labels = np.concatenate([np.arange(1, nodes + 1), beyond, -np.arange(1, centroids + 1)])
        tails, heads = (np.where(x > nodes, nodes + 1 + np.searchsorted(beyond, x), x) for x in (tails, heads))
    ends = tails - 1, np.where(heads <= centroids, count + heads, heads) - 1
    columns = {name: edge_rows.typed(column) for name, column in zip(COLUMNS, net.values, strict=True)}
    graph = edge_rows.build(
        ends,
        None if weight is False else columns[str(weight)],
        count + centroids,
        Labels(labels),
        both=np.zeros(len(heads), dtype=np.bool_),
        undirected=False,
        directed=options.directed,
        attributes={str(name): columns[str(name)] for name in chosen},
    )
    if not len(beyond):
        return graph
    about = {"nodes_stated": nodes, "nodes_beyond": len(beyond), "first_line_beyond": net.beyond}
    return replace_coordinates(graph, Coordinates.unknown(count + centroids, about))


class _Network:
    """What was read so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data: dict[str, int] = {}
        self.lines: dict[str, int] = {}  # where they stand
        self.u: list[int] = []
        self.v: list[int] = []
        self.values: list[list[int | float]] = [[] for _ in COLUMNS]
        self.ended, self.last = False, 1
        self.beyond = 0  # the first line with a node beyond the number stated

    def required(self, key: str) -> int:
        if key not in self.data:
            raise self.source.error(f"expected <{key}> among the metadata", self.last)
        return self.data[key]

    def datum(self, content: str, line: int) -> None:
        found = _DATUM.match(content)
        key = found[1].strip() if found else ""
        self.ended = self.ended or key == "END OF METADATA"
        if key == "TOTAL OD FLOW":
            raise self.source.error("these are trips between zones; a network ends in _net.tntp", line)
        if found and key in ("NUMBER OF NODES", "NUMBER OF LINKS", "NUMBER OF ZONES", "FIRST THRU NODE"):
            value = text.whole(found[2].strip())
            if value is None or key in self.data:
                raise self.source.error(f"expected <{key}> once, with a whole number", line)
            self.data[key], self.lines[key] = value, line

    def link(self, content: str, line: int) -> None:
        if not self.ended:
            raise self.source.error("expected metadata such as <NUMBER OF NODES> 24, ended by <END OF METADATA>", line)
        stated, words = self.required("NUMBER OF NODES"), content.removesuffix(";").split()
        if len(words) != 2 + len(COLUMNS):
            raise self.source.error(
                f"expected {2 + len(COLUMNS)} columns (init_node, term_node, {', '.join(COLUMNS[:3])}, …), found {len(words)}",
                line,
            )
        for end, word in zip((self.u, self.v), words, strict=False):
            node = text.whole(word)
            if not node:
                raise self.source.error(f"expected a node, a whole number from 1 on, found {word[:80]!r}", line)
            if node > stated and not self.beyond:
                self.beyond = line
            end.append(node)
        for word, column, name in zip(words[2:], self.values, COLUMNS, strict=True):
            number = edge_rows.number(word)
            if number is None:
                raise self.source.error(f"expected a number for {name}, found {word[:80]!r}", line)
            column.append(number)


FORMAT = Format("TNTP", (".tntp",), read, looks={".tntp": r"<NUMBER OF "}, takes=(*PLAIN, "weight", "attributes"))
