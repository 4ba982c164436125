"""Graph: an immutable weighted graph in compressed sparse rows.

``indptr`` (int64, n + 1) and ``indices`` hold the out-edges of every vertex; ``weights`` runs beside ``indices`` or is None. Weights are stored
as int32, int64, float32 or float64 (:func:`steppe.graph.arrays.stored_weights`): one list of types for the core, the kernels and the files.
An undirected graph stores both directions of every edge. Nothing changes after construction, so a graph may be shared by threads; facts that cost a
pass (reverse graph, symmetry) are computed once, when first asked for, under a lock. Rows of files and lent rows are proven when asked for
(:mod:`steppe.graph.proof`). A graph keeps its reverse, not the other way round: no cycles, so memory is free with the last reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import _core
from ..deprecated import renamed_arguments
from ..errors import GraphError
from ..machine import locks
from ..prepared import making
from ..prepared.kept import Prepared
from . import build, changes, coordinates, exports, from_libraries, pickles, plotting
from .advice import advice
from .arrays import read_only
from .derived import Derived
from .proof import LentRows
from .properties import Properties
from .shape import Shape
from .vertices import Vertices

if TYPE_CHECKING:
    import numpy.typing as npt

    from .arrays import Array
    from .coordinates import Coordinates
    from .labels import Labels
    from .origin import Origin
    from .proof import Claim, Facts


@locks.opened_in_child
class Graph(Vertices, Properties):
    """An immutable graph. Build one with :meth:`from_edges`, :meth:`from_frame` and their like, or :func:`steppe.read`.

    Attributes
    ----------
    num_vertices, num_edges : int
        ``num_edges`` counts stored arcs: an undirected edge counts twice.
    indptr, indices, weights : ndarray
        The rows. ``weights`` is None for an unweighted graph, where every edge has length 1.
    directed : bool
        False when the graph was built from undirected edges.
    min_weight, max_weight : int or float
        Over the edges that exist (a weight of ``+inf`` means "no edge").
    mean_weight : float
        Likewise.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
    >>> g
    <Graph: 3 vertices, 3 edges, directed, weights int32 3…9>
    >>> g.degrees.tolist()
    [2, 1, 0]
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        """Refuse, and tell what to write."""
        del options
        ways = "from_edges, from_frame, from_csr, from_scipy, from_networkx or steppe.read"
        raise TypeError(f"build a Graph with {advice(given[0]) if given else ways}")

    @classmethod
    def _make(
        cls,
        indptr: npt.NDArray[np.int64],
        indices: Array,
        weights: Array | None,
        *,
        labels: Labels | None,
        directed: bool,
        facts: Facts | None = None,
        claim: Claim | None = None,
        origin: Origin | None = None,
        coordinates: Coordinates | None = None,
        shape: Shape | None = None,
    ) -> Self:
        """Wrap checked arrays, or such as ``claim`` proves. ``facts`` (min, max, mean weight) saves a pass when they are known.

        ``shape``: that of another graph with the same edges.
        """
        self = cls.__new__(cls)
        n = len(indptr) - 1
        if labels is not None and len(labels) != n:
            raise GraphError(f"{len(labels)} labels for {n} vertices")
        if facts is None:
            facts = (1, 1, 1.0) if weights is None else build.weight_facts(weights)
        low, high, mean = facts
        rows = (read_only(indptr), read_only(indices), None if weights is None else read_only(weights))
        if claim is None:
            vars(self).update(zip(("indptr", "indices", "weights"), rows, strict=True))
        shape = shape or Shape()
        # vars(), because __setattr__ refuses every change.
        vars(self).update(
            _rows=rows,
            _claim=claim,
            num_vertices=n,
            num_edges=len(indices),
            directed=directed,
            min_weight=low,
            max_weight=high,
            mean_weight=mean,
            _labels=labels,
            _origin=origin,
            _coordinates=coordinates,
            _lock=locks.make(),
            _shape=shape,
            derived=Derived(),
            prepared=Prepared(shape.prepared),
        )
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Graph is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph is immutable: {name} cannot be deleted")

    # Each method below is a function of the module of its topic, which has the docstring.

    from_edges = classmethod(build.from_edges)
    from_csr = classmethod(build.from_csr)
    from_scipy = classmethod(build.from_scipy)
    from_frame = classmethod(from_libraries.from_frame)
    from_networkx = classmethod(from_libraries.from_networkx)
    from_igraph = classmethod(from_libraries.from_igraph)
    from_rustworkx = classmethod(from_libraries.from_rustworkx)
    from_edge_index = classmethod(from_libraries.from_edge_index)

    with_weights = changes.with_weights
    without_edges = changes.without_edges
    subgraph = changes.subgraph
    largest_component = changes.largest_component

    with_coordinates = coordinates.with_coordinates
    nearest_vertex = coordinates.nearest_vertex

    edges = exports.edges
    to_frame = exports.to_frame
    to_arrow = exports.to_arrow
    to_scipy = exports.to_scipy
    to_networkx = exports.to_networkx
    _repr_html_ = exports.to_html

    __reduce__ = pickles.reduced
    __setstate__ = pickles.set_state

    # What is derived from the rows ----------------------------------------------------------------------------------

    @property
    def _native(self) -> _core.Rows:
        """The rows as the native core knows them, proven where they are a file's or a caller's."""
        rows = self.indptr, self.indices, self.weights  # the offsets first: they have all of them proven
        with self._lock:
            if self.derived.core is None:
                self.derived.core = _core.Rows(*rows, mapped=self.is_mapped)
            return self.derived.core

    @property
    def reverse(self) -> Graph:
        """The graph with every edge turned round; built on first use and kept. An undirected graph is its own reverse."""
        known = self._reverse_if_known()
        if known is None:
            made = making.make(self, "reverse")
            assert made is not None  # noqa: S101 - there is one of every directed graph, and nobody limits it
            known = made.value
        return known

    def _reverse_if_known(self) -> Graph | None:
        """Return the reverse graph if it costs nothing: the graph is undirected, or it was built before."""
        if not self.directed:
            return self
        made, origin = self.prepared.get("reverse"), self.derived.reverse_of
        return made.value if made else origin() if origin else None

    def prepare(self, *names: str, routes: bool = False, threads: int | None = None) -> Self:
        """Make the graph ready for many calls; return it. Searches do this by themselves when they have cost as much.

        Without names edges are packed: sorted by weight and stored with their targets, and in-edges are built; 8 to 10 bytes an edge, twice
        that where the graph is directed. Where nearly all vertices have at most four edges (roads), each gets a record of four, 32
        bytes, instead. It takes as long as a few searches. With ``routes``, roads also get the landmarks that
        :func:`steppe.route` otherwise makes after about a hundred queries: sixteen searches and 32 bytes a vertex, twice that where directed.

        Parameters
        ----------
        *names : str
            What else to make or what instead, however long it takes: the documentation (choosing.md) lists them. :attr:`prepared` tells what
            there is, and why a graph has none of some.
        routes : bool
            Make landmarks, too.
        threads : int, optional
            Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.generate.grid(20, 20).prepare("packed", "landmarks")
        >>> sp.sssp(g, 0).verify().distance(0), list(g.prepared)
        (0, ['packed', 'landmarks'])
        """
        making.make_named(self, names, routes=routes, threads=threads)
        return self

    def forget(self, name: str | None = None) -> None:
        """Drop what was made for the graph, and what requires it; None: all. Calls that go on meanwhile keep what they use.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.generate.grid(20, 20).prepare(routes=True)
        >>> g.forget("landmarks")
        >>> list(g.prepared)
        ['packed']
        """
        making.forget(self, name)

    @property
    def can_prepare(self) -> bool:
        """Whether :meth:`prepare` can do anything for searches: not for negative weights, nor beyond 32 bits of vertices and edges."""
        return self._rows[1].dtype == np.int32 and self.num_edges < 2**32 and not self.has_negative

    def _with_own_rows(self) -> Graph:
        """Return a graph whose rows native code may keep beyond a call: this one, or a copy where its rows are only lent."""
        if self._claim is None or self._claim.settled:
            return self
        u, v, w = self._claim.rows(offsets=True)
        if not isinstance(self._claim, LentRows):
            return self
        with self._lock:
            if self.derived.copy is None:
                self.derived.copy = Graph.from_csr(u, v, w, directed=self.directed)
            return self.derived.copy

    @renamed_arguments(colour="color")
    def plot(self, *, ax: Any = None, color: str = "#555555") -> Any:
        """Draw the edges; return matplotlib's axes. Up to 40 vertices have their names.

        It needs matplotlib (``pip install 'steppe[plot]'``), and coordinates where there are more than 500 vertices: smaller graphs are laid out.

        Examples
        --------
        >>> import steppe as sp
        >>> ax = sp.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True).plot()
        >>> [text.get_text() for text in ax.texts]
        ['a', 'b', 'c']
        """
        return plotting.plot_graph(self, ax, color)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        kept = self._rows[2]
        weights = "unweighted" if kept is None else f"weights {kept.dtype} {self.min_weight:g}…{self.max_weight:g}"
        return f"<Graph: {self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}, {weights}>"
