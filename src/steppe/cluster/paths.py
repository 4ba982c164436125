"""PartitionedPaths: an answer that stays in the parts where it was found, and is fetched only as far as it is used."""

from __future__ import annotations

import contextlib
import json
import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import NoPathError, StoreError, VerificationError
from ..files.target import destination
from ..graph.arrays import read_only
from ..machine import locks
from ..machine.memory import check_fits
from ..paths import Paths
from ..planning.distance_types import UNREACHABLE, unreachable

if TYPE_CHECKING:
    from os import PathLike

    from ..files.partitioned import PartitionedGraph
    from ..planning.explain import Explanation
    from .rounds import Rounds

Array = npt.NDArray[Any]
PREDECESSORS = "the canonical tree of a partitioned graph has no edges by number"


@locks.opened_in_child
class PartitionedPaths(Paths):
    """The :class:`~steppe.Paths` of a search in a partitioned graph.

    It has the methods of any other answer. ``distance``, ``path``, ``predecessor``, ``verify`` and ``to_folder`` work where the parts are;
    ``distances``, ``reachable``, ``predecessors`` and what is made of them fetch an array with an entry for each vertex first, and keep it.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> g = sp.partition(sp.generate.grid(9, 9, seed=1), pathlib.Path(tempfile.mkdtemp(), "grid"), parts=3)
    >>> r = sp.sssp(g, 0)
    >>> r.distance(80), r.verify() is r, len(r.path(80))
    (1215, True, 17)
    >>> np.array_equal(r.gather(), sp.sssp(sp.generate.grid(9, 9, seed=1), 0).distances)
    True
    """

    _rounds: Rounds
    _whole: PartitionedGraph

    @classmethod
    def _of(
        cls, graph: PartitionedGraph, sources: npt.NDArray[np.int64], rounds: Rounds, explanation: Explanation
    ) -> Self:
        self = cls.__new__(cls)
        self.graph = graph  # type: ignore[assignment]
        self._whole, self._rounds = graph, rounds
        self.bound, self.hops = rounds.bound, rounds.question.hops
        self._sources = sources
        self._remote = self._predecessors = self._canonical = self._device = self._threads = None
        self._is_recorded = False
        self._explanation = explanation
        self._lock = locks.make()
        weakref.finalize(self, _release, rounds)
        return self

    # Where the parts are --------------------------------------------------------------------------------------------

    def _call_owner(self, place: int, method: str, *args: Any) -> Any:
        part = int(self._whole.owners_of(np.array([place]))[0])
        return self._rounds.workers.call(
            method, self._rounds.question.id, *args, only=[self._rounds.workers.worker_of_part[part]]
        )[0]

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex; ``inf`` or :data:`steppe.UNREACHABLE` where there is no path."""
        place = int(self._whole.places_of(self._whole.indices_of([vertex]))[0])
        (value,) = self._rounds.run(lambda: self._call_owner(place, "distances_at", np.array([place])))
        return UNREACHABLE if isinstance(value, int) and value == self.unreachable else value

    def path(self, vertex: Any) -> Array:
        """Return the labels of the vertices from the source to this one, both included: :class:`~steppe.NoPathError` where there is none."""
        (at,) = self._whole.indices_of([vertex]).tolist()
        if self.distance(vertex) in (UNREACHABLE, np.inf):
            further = "" if self.bound is None else f" of length ≤ {self.bound}"
            raise NoPathError(f"there is no path{further} from {self._origin()} to {vertex!r}")

        def walk() -> list[int]:
            self._rounds.grow_tree()
            found: list[int] = []
            before = at
            while before >= 0:
                place = int(self._whole.places_of(np.array([before]))[0])
                some, before = self._call_owner(place, "walk", place)
                found += some
            return found

        return self._whole.labels_of(np.array(self._rounds.run(walk)[::-1]))

    def predecessor(self, vertex: Any) -> Any:
        """Return the label of the vertex before this one on its path; None for a source or an unreached vertex."""
        with contextlib.suppress(NoPathError):
            path = self.path(vertex)
            return path[-2].item() if len(path) > 1 else None
        return None

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove the answer where the parts are, every vertex and every edge; return it, or raise :class:`~steppe.VerificationError`."""
        del threads  # a worker proves one part after the other
        fault = self._rounds.run(self._rounds.prove)
        if fault is not None:
            label = self._whole.label(fault["vertex"])
            raise VerificationError(_words(fault, self._whole, self.bound), label)
        return self

    def to_folder(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the distances as a folder of ``.npy`` files, one for each part, from where they are; return it.

        A folder that has something in it is refused with a :class:`~steppe.StoreError`, unless ``overwrite=True``: then files of these names in it
        are replaced.

        ``answer.json`` is written last, and has the files in the order of the parts; ``PartitionedGraph.part(i).numbers`` are the vertices of a
        file's entries. All workers must see the folder.
        """
        place = Path(folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
        if not overwrite and any(place.iterdir()):
            raise StoreError(
                f"{place} is there already, and not empty: overwrite=True replaces the files of an answer in it"
            )
        (place / "answer.json").unlink(missing_ok=True)
        rounds = self._rounds
        names = rounds.run(lambda: rounds.workers.call("store", rounds.question.id, place))
        description = {
            "graph": self._whole.digest,
            "sources": self._sources.tolist(),
            "hops": self.hops,
            "bound": self.bound,
            "files": sorted(name for some in names for name in some),
        }
        with destination(place / "answer.json") as file:
            file.write(json.dumps(description, indent=1).encode())
        return place

    # Fetched --------------------------------------------------------------------------------------------------------

    def gather(self) -> Array:
        """Return the distance of every vertex, fetched into this process's memory; :class:`~steppe.ResultSizeError` where it does not fit."""
        return self.distances

    @cached_property
    def _base(self) -> Array:
        return self._fetched("distances", self._whole.distance_dtype(hops=self.hops))

    def _fetched(self, field: str, dtype: np.dtype[Any]) -> Array:
        graph, rounds = self._whole, self._rounds
        check_fits((1, graph.num_vertices), dtype, None)

        def fetch() -> Array:
            result = np.zeros(graph.num_vertices, dtype=dtype)  # never uninitialised memory, whatever a file claims
            for part in range(graph.num_parts):
                first, last = graph.starts[part : part + 2].tolist()
                found = rounds.workers.call(
                    "collect", rounds.question.id, part, field, only=[rounds.workers.worker_of_part[part]]
                )[0]
                result[graph.numbers_at(first, last)] = found
            return result

        return rounds.run(fetch)

    @property
    def unreachable(self) -> int | float:
        """What ``distances`` holds for an unreached vertex."""
        return unreachable(self._whole.distance_dtype(hops=self.hops))

    @property
    def predecessors(self) -> Array:
        """The index 0…n-1 of the vertex before each vertex on its canonical path, -1 for sources and unreached vertices; fetched."""
        with self._lock:
            if self._predecessors is None:
                self._rounds.run(self._rounds.grow_tree)
                dtype = np.dtype(np.int32 if self._whole.num_vertices < 2**31 else np.int64)
                self._predecessors = read_only(self._fetched("tails", dtype))
            return self._predecessors

    def edge_ids(self, vertex: Any) -> npt.NDArray[np.int64]:
        """Not known in parts: raises."""
        raise TypeError(f"{PREDECESSORS}, and {vertex!r} is no exception")

    def along(self, column: str | npt.ArrayLike) -> Array:
        """Not known in parts: raises."""
        del column
        raise TypeError(PREDECESSORS)

    def __repr__(self) -> str:
        reached = sum(self._rounds.run(lambda: self._rounds.workers.call("count_reached", self._rounds.question.id)))
        e = self._explanation
        count = f"{reached:,} of {len(self):,} reached"
        return f"<PartitionedPaths: from {self._origin()}, {count}, {e.method} in {self._whole.num_parts} parts, {e.seconds:.3f} s>"

    def __reduce__(self) -> Any:
        raise TypeError("an answer that lies in parts cannot be pickled: write it with to_folder(), or take gather()")


def _release(rounds: Rounds) -> None:
    rounds.workers.release(rounds.question.id)


def _words(fault: dict[str, Any], graph: PartitionedGraph, bound: float | None) -> str:
    """Say in words what is wrong."""
    name, kind = repr(graph.label(fault["vertex"])), fault["kind"]
    d = fault.get("distance")
    plain = {
        "source": f"source {name} is at distance {d}, not 0",
        "not_a_number": f"the distance of vertex {name} is {d}",
        "negative": f"the distance of vertex {name} is {d}, but no weight is negative",
        "beyond_bound": f"vertex {name} is at distance {d}, beyond the cutoff {bound}",
        "not_hung": f"no path leads to vertex {name} that is as long as its distance",
    }
    if kind in plain:
        return plain[kind]
    to = repr(graph.label(fault["other"]))
    if kind == "unreached":
        return f"vertex {to} counts as unreached, but an edge leads to it from {name} at distance {d}"
    return f"an edge from {name} at distance {d} improves {to} at distance {fault['other_distance']}"
