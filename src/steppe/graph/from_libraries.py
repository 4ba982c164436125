"""Others: graphs out of what other libraries have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from .arrays import stored_weights
from .dlpack import on_host
from .labels import Labels
from .origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import networkx as nx

    from .convert import Weight


class Others:
    """The part of a :class:`~steppe.Graph` that takes tables and graphs of other libraries."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        source: Any,
        target: Any,
        weight: Any = None,
        *,
        directed: bool = True,
        attributes: Iterable[Any] = (),
        missing: str = "error",
        coordinates: Any = None,
    ) -> Self:
        """Build a graph from a table of edges.

        Tables of pandas, Polars, PyArrow, DuckDB and whatever speaks the Arrow PyCapsule interface are taken, and dicts of columns.
        Ids stay what they are, and are the labels: names are names ("01234" too), numbers are numbers. What comes back knows the rows
        (:meth:`Paths.edge_ids`), and ``to_frame()`` gives a table of the same library.

        Parameters
        ----------
        frame : table
            One row for each edge. Columns of numbers are read where they lie.
        source, target : str
            The columns of the ends.
        weight : str, optional
            The column of the weights; default: every edge has length 1.
        directed : bool
            False stores both directions of every edge.
        attributes : list of str
            Columns of numbers that ride along: :meth:`Paths.along`, :meth:`with_weights`. They are referred to, not copied.
        missing : {"error", "drop"}
            What to do with rows of which a value is missing (null, None, NaN).
        coordinates : array_like or mapping, optional
            See :meth:`Graph.with_coordinates`.

        Examples
        --------
        >>> import steppe as sp
        >>> roads = {"a": ["Ulm", "Bonn"], "b": ["Bonn", "Trier"], "min": [240, 95], "km": [420, 165]}
        >>> g = sp.Graph.from_frame(roads, "a", "b", "min", attributes=["km"])
        >>> sp.sssp(g, "Ulm").distance("Trier"), sp.sssp(g, "Ulm").along("km").tolist()
        (335, [420, 585, 0])
        """
        from .frame import graph_of_frame

        built: Self = graph_of_frame(
            cast("type[Any]", cls),
            frame,
            source,
            target,
            weight,
            directed=directed,
            attributes=attributes,
            missing=missing,
        )
        return built if coordinates is None else cast("Any", built).with_coordinates(coordinates)

    @classmethod
    def from_networkx(
        cls,
        graph: nx.Graph[Any],
        *,
        weight: str | Weight | None = "weight",
        coordinates: tuple[str, str] | None = None,
    ) -> Self:
        """Build a graph from a NetworkX graph; its nodes become the labels. Edges without the attribute weigh 1.

        ``weight`` may be a function of an edge's ends and its attributes, as in NetworkX: it returns a number, or None for "no edge".
        ``coordinates`` names the attributes of nodes that have longitude and latitude: ``("x", "y")`` in graphs of OSMnx.
        """
        from .convert import from_networkx

        made = from_networkx(graph, weight)
        if coordinates is not None:
            x, y = (
                [math.nan if (at := data.get(name)) is None else at for _, data in graph.nodes(data=True)]
                for name in coordinates
            )
            made = made.with_coordinates(np.array([x, y], dtype=np.float64).T)
        return cast("Self", made)

    @classmethod
    def from_igraph(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Build a graph from one of python-igraph; its vertices' ``name`` becomes the label, where they have one, and ids of edges are igraph's.

        Where edges have no attribute ``weight``, every edge has length 1.
        """
        made: Any = cls
        ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        u, v = ends[:, 0].copy(), ends[:, 1].copy()
        weights = None
        if weight is not None and weight in graph.es.attributes():
            weights = stored_weights(graph.es[weight] or np.empty(0, dtype=np.int32))
        labels = None
        if "name" in graph.vs.attributes():
            labels = Labels.of_objects(graph.vs["name"]).check()
        built: Self = made._build(u, v, weights, graph.vcount(), graph.is_directed(), labels, lambda: ([u], [v], 0))
        return built

    @classmethod
    def from_rustworkx(cls, graph: Any, *, weight: Callable[[Any], float] | None = None) -> Self:
        """Build a graph from one of rustworkx; labels are its node indices, and ids of edges its edge indices.

        ``weight`` makes a number of an edge's payload, as everywhere in rustworkx; default: the payload itself, or 1 where none has any.
        """
        made: Any = cls
        rows = graph.weighted_edge_list()
        nodes = np.array(graph.node_indices(), dtype=np.int64)
        payloads = [row[2] for row in rows]
        weights = None
        if weight is not None or any(payload is not None for payload in payloads):
            weights = stored_weights([weight(p) for p in payloads] if weight else payloads)
        ends = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
        plain = len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1
        if not plain:  # nodes were removed: their indices stay free
            ends = np.searchsorted(nodes, ends)
        u, v = ends[:, 0].copy(), ends[:, 1].copy()
        directed = "Di" in type(graph).__name__
        built = made._build(
            u, v, weights, len(nodes), directed, None if plain else Labels(nodes), lambda: ([u], [v], 0)
        )
        numbers = np.array(graph.edge_indices(), dtype=np.int64)
        if len(numbers) and int(numbers[-1]) != len(numbers) - 1:  # edges were removed
            origin = Origin(int(numbers.max()) + 1, lambda: ([u], [v], 0), rows=numbers)
            vars(built)["_origin"] = origin
        return cast("Self", built)

    @classmethod
    def from_edge_index(
        cls,
        edge_index: Any,
        weights: npt.ArrayLike | None = None,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
    ) -> Self:
        """Build a graph from an ``edge_index`` of PyTorch Geometric: two rows, sources and targets; a tensor on the host or any array.

        >>> import numpy as np
        >>> import steppe as sp
        >>> sp.Graph.from_edge_index(np.array([[0, 1], [1, 2]]), [5, 3]).edges()[2].tolist()
        [5, 3]
        """
        array = np.asarray(on_host(edge_index))
        if array.ndim != 2 or array.shape[0] != 2:
            raise GraphError(f"an edge_index has two rows, sources and targets, not the shape {array.shape}")
        made: Any = cls
        built: Self = made.from_edges(array[0], array[1], weights, num_vertices=num_vertices, directed=directed)
        return built
