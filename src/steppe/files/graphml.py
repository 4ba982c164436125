"""GraphML: an XML file with ``<node id="…">`` and ``<edge source="…" target="…">``, and ``<data>`` under keys that are declared first.

It is read by Python's own expat (what ``xml.etree`` stands on), element by element: nothing is built but the graph, and every complaint has the
exact line, which a tree no longer knows. A document type is refused: entities, with which a few lines unpack to gigabytes or other files are read,
are declared nowhere else. Nodes may come after the edges that mention them, as the format allows, but must come.

The weight is the edges' key ``weight``, or the only key of numbers whose name means one (:mod:`.heading`); ``weight=`` names another, and
``attributes=`` the keys that ride along. A file of ours says in its description whether it has a weight, and that all its other keys ride along.
Ids become labels, numbers where all of them are. Nested graphs and hyperedges are refused, ports not read.
"""

from __future__ import annotations

import math
from array import array
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from ..errors import GraphError
from ..graph.exports import edges_once
from . import edge_rows, heading, text
from .format import PLAIN, Format

if TYPE_CHECKING:
    from ..errors import FormatError
    from ..graph.graph import Graph
    from .format import ReadOptions
    from .source import Source

_NUMBERS = ("int", "long", "float", "double")
_TYPES = {"int32": "int", "int64": "long", "float32": "float", "float64": "double"}
_KINDS = {"b": "boolean", "i": "long", "u": "long"}
_WORDS = ({"-inf": -math.inf, "-infinity": -math.inf, "nan": math.nan}, {"true": 1, "false": 0})
_STEP = 1 << 20


class Key(NamedTuple):
    """A declared key of edges."""

    name: str
    type: str
    default: str | None


class _Reader:
    """Gets the elements from expat, keeps the edges."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype
        self.note = text.Note()
        self.keys: dict[str, Key] = {}
        self.places: dict[str, int] = {}  # of nodes, in the order they are mentioned
        self.listed = bytearray()  # which of them are there
        self.first: list[int] = []  # the line that mentions each
        self.u, self.v, self.both = array("q"), array("q"), bytearray()
        self.data: list[dict[str, str]] = []  # of each edge; the same empty one for edges without any
        self.lines = array("q")
        self.path: list[str] = []
        self.undirected: bool | None = None
        self.key: str | None = None  # whose text is collected
        self.text: list[str] = []
        self.edge: dict[str, str] = {}

    def error(self, message: str) -> FormatError:
        return self.source.error(message, self.parser.CurrentLineNumber)

    def refuse_doctype(self, *_: Any) -> None:
        raise self.error("a document type (<!DOCTYPE …>) is not read, because it may declare entities: take it out")

    def node(self, name: str | None) -> int:
        if name is None:
            raise self.error("expected an id, a source or a target")
        at = self.places.setdefault(name, len(self.places))
        if at == len(self.listed):
            self.listed.append(0)
            self.first.append(self.parser.CurrentLineNumber)
        return at

    def start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(":")[2]
        above = self.path[-1] if self.path else ""
        self.path.append(name)
        if not above and name != "graphml":
            raise self.error(f"expected <graphml>, found <{name[:40]}>")
        if name == "key" and above == "graphml":
            self.declare(attributes)
        elif name == "graph":
            if above != "graphml" or self.undirected is not None:
                raise self.error("expected one graph, and none in its nodes")
            way = attributes.get("edgedefault", "")
            if way not in ("directed", "undirected"):
                raise self.error('expected edgedefault="directed" or "undirected"')
            self.undirected = way == "undirected"
        elif name == "node" and above == "graph":
            at = self.node(attributes.get("id"))
            if self.listed[at]:
                raise self.error(f"the node {attributes['id'][:80]!r} is listed twice")
            self.listed[at] = 1
        elif name == "edge" and above == "graph":
            self.u.append(self.node(attributes.get("source")))
            self.v.append(self.node(attributes.get("target")))
            way = attributes.get("directed", "false" if self.undirected else "true")
            if way not in ("true", "false"):
                raise self.error('expected directed="true" or "false"')
            self.both.append(way == "false")
            self.edge = {}
            self.lines.append(self.parser.CurrentLineNumber)
        elif name == "hyperedge":
            raise self.error("hyperedges are not read")
        elif name == "data" and above == "edge":
            self.key = attributes.get("key")
            if self.key is None:
                raise self.error("expected the key of these data")
            self.text = []
        elif name in ("default", "desc"):
            self.text = []

    def declare(self, attributes: dict[str, str]) -> None:
        if attributes.get("for", "all") not in ("edge", "all"):
            return
        name = attributes.get("id")
        if name is None or name in self.keys:
            raise self.error("expected a key with an id of its own")
        self.keys[name] = Key(attributes.get("attr.name", name), attributes.get("attr.type", "string"), None)
        self.key = name

    def characters(self, data: str) -> None:
        if self.path[-1] in ("data", "default", "desc"):
            self.text.append(data)

    def end(self, _: str) -> None:
        name = self.path.pop()
        above = self.path[-1] if self.path else ""
        if name == "data" and above == "edge" and self.key is not None:
            if self.key in self.edge:
                raise self.error("expected data of each key once")
            self.edge[self.key] = "".join(self.text).strip()
            self.key = None
        elif name == "default" and above == "key" and self.key is not None:
            self.keys[self.key] = self.keys[self.key]._replace(default="".join(self.text).strip())
        elif name == "key":
            self.key = None
        elif name == "desc" and above == "graph":
            self.note.read("".join(self.text))
        elif name == "edge":
            self.data.append(self.edge)

    def run(self) -> None:
        data = memoryview(self.source.data)
        try:
            for at in range(self.source.start, len(data), _STEP):
                self.parser.Parse(bytes(data[at : at + _STEP]), False)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self.source.error(f"not well-formed XML: {expat.ErrorString(error.code)}", error.lineno) from None
        except GraphError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or expat cannot do
            raise self.error(f"not readable XML: {error}") from None
        if self.undirected is None:
            raise self.error("expected a <graph>")
        if 0 in self.listed:
            at = self.listed.index(0)
            name = next(name for name, place in self.places.items() if place == at)
            raise self.source.error(f"an edge leads to the node {name[:80]!r}, which is not listed", self.first[at])

    def column(self, key: str, *, attribute: bool = False) -> list[int | float]:
        """Return the numbers under a key, one for each edge; an attribute may be negative infinity, no number, or true or false."""
        name, kind, default = self.keys[key]
        if kind not in _NUMBERS and not (attribute and kind == "boolean"):
            raise self.source.error(f"the key {name!r} holds {kind}, not numbers")
        values: list[int | float] = []
        for line, edge in zip(self.lines, self.data, strict=True):
            word = edge.get(key, default)
            if word is None:
                raise self.source.error(f"this edge has no {name!r}, and there is no default", line)
            value = edge_rows.number(word)
            if value is None and attribute:
                value = _WORDS[kind == "boolean"].get(word.lower())
            if value is None:
                raise self.source.error(f"expected a number for {name!r}, found {word[:80]!r}", line)
            values.append(value if kind in ("int", "long") or not isinstance(value, int) else float(value))
        return values


def _attribute(got: _Reader, key: str) -> text.Array:
    """Return an attribute: in a file of ours in the type that it was written in, else in the narrowest."""
    values, kind = got.column(key, attribute=True), got.keys[key].type
    if kind == "boolean":
        return np.array(values, dtype=np.bool_)
    narrow = edge_rows.typed(values)
    if not got.note.attributes:
        return narrow
    with np.errstate(over="ignore"):
        made = narrow.astype(next(dtype for dtype, name in _TYPES.items() if name == kind))
    return made if kind in ("float", "double") or np.array_equal(made, narrow) else narrow


def _weight(got: _Reader, options: ReadOptions) -> str | None:
    """Return the key that is the weight."""
    if options.weight is False or (options.weight is None and got.note.attributes and got.note.unweighted):
        return None
    if options.weight is not None:
        return _key(got, str(options.weight))
    numbers = {
        key: one.name for key, one in got.keys.items() if one.type in _NUMBERS and one.name not in options.attributes
    }
    found = [key for key, name in numbers.items() if name == "weight"]
    found = found or [key for key, name in numbers.items() if heading.role(name) == "w"]
    if len(found) > 1:
        names = " and ".join(repr(numbers[key]) for key in found)
        raise got.source.error(f"cannot tell which key is the weight: {names} (pass weight= with its name)")
    return found[0] if found else None


def _key(got: _Reader, name: str) -> str:
    found = [key for key, one in got.keys.items() if one.name == name]
    if len(found) != 1:
        known = ", ".join(repr(one.name) for one in got.keys.values()) or "none"
        raise got.source.error(f"edges have {'several keys' if found else 'no key'} {name!r}; there are {known}")
    return found[0]


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a GraphML file."""
    got = _Reader(source)
    got.run()
    key = _weight(got, options)
    weights = None
    if key is not None:
        note = got.note if options.weight is None else text.Note()  # it speaks of the file's own weight
        if got.keys[key].type == "float":
            note.dtype = note.dtype or "float32"
        weights = edge_rows.stored(got.column(key), note, source.error)
        if got.keys[key].type in ("float", "double") and weights.dtype.kind == "i":
            weights = weights.astype(np.float64)
    names = [str(name) for name in options.attributes]
    if not names and got.note.attributes:  # a file of ours
        own = None if got.note.unweighted else "weight"
        names = [one.name for one in got.keys.values() if one.name != own and one.type in (*_NUMBERS, "boolean")]
    return edge_rows.build(
        (np.frombuffer(got.u, dtype=np.int64), np.frombuffer(got.v, dtype=np.int64)),
        weights,
        len(got.places),
        edge_rows.labels_of(list(got.places)),
        both=np.frombuffer(got.both, dtype=np.uint8).astype(np.bool_),
        undirected=bool(got.undirected),
        directed=options.directed,
        attributes={name: _attribute(got, _key(got, name)) for name in names},
    )


# Writing ------------------------------------------------------------------------------------------------------------


def write(graph: Graph, file: IO[bytes], _suffix: str) -> None:
    """Write a GraphML file: nodes, then edges with their weight and attributes, an undirected edge once."""
    labels = edge_rows.kept_labels(graph, "GraphML", _is_xml)
    columns: dict[str, text.Array] = {}
    u, v, w, places = edges_once(graph)
    if w is not None:
        columns["weight"] = w
    for name in graph.attributes:
        if str(name) in columns or not _is_xml(str(name)):
            raise GraphError(f"GraphML files cannot keep an attribute called {name!r} beside the weight")
        columns[str(name)] = graph.attribute(name)[graph._edge_ids_at(places)]
        if columns[str(name)].dtype == np.uint64 and bool((columns[str(name)] >= 2**63).any()):
            raise GraphError(f"GraphML files cannot keep numbers beyond 2^63, and the attribute {name!r} has one")
    head = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for at, (name, values) in enumerate(columns.items()):
        kind = _TYPES.get(str(values.dtype), _KINDS.get(values.dtype.kind, "double"))
        head.append(f'<key id="d{at}" for="edge" attr.name={quoteattr(name)} attr.type="{kind}"/>')
    head.append(f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">')
    wide = w is not None and w.dtype == np.int64
    note = text.Note(
        dtype="int64" if wide else None,
        attributes=bool(graph.attributes),
        unweighted=bool(graph.attributes) and w is None,
    )
    if str(note):
        head.append(f"<desc>{note}</desc>")
    ids = [quoteattr(str(label)) for label in labels]
    file.write("".join(line + "\n" for line in head).encode())
    for begin in range(0, len(ids), _STEP):
        file.write("".join(f"<node id={one}/>\n" for one in ids[begin : begin + _STEP]).encode())
    step = 1 << 17
    for begin in range(0, len(u), step):
        cut = slice(begin, begin + step)
        ends = zip(u[cut].tolist(), v[cut].tolist(), strict=True)
        lines = [f"<edge source={ids[a]} target={ids[b]}>" for a, b in ends]
        for at, values in enumerate(columns.values()):
            shown = values[cut].tolist() if values.dtype != np.float32 else [str(x) for x in values[cut]]
            shown = [str(x).lower() for x in shown] if values.dtype == np.bool_ else shown
            lines = [f'{line}<data key="d{at}">{x}</data>' for line, x in zip(lines, shown, strict=True)]
        file.write("".join(line + "</edge>\n" for line in lines).encode())
    file.write(b"</graph>\n</graphml>\n")


def _is_xml(label: str) -> bool:
    """Return whether XML can keep a text, and an attribute gives it back as it is."""
    return all(c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" for c in label)


FORMAT = Format(
    "GraphML",
    (".graphml",),
    read,
    write,
    magic={".graphml": rb"\s*(<\?xml|<graphml)"},
    takes=(*PLAIN, "weight", "attributes"),
)
