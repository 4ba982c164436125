"""partition(): a graph cut into parts on the disk, for those that one machine does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import GraphError
from ..files import partition as _partition
from ..files import read
from ..graph.graph import Graph
from ..planning.progress import Progress, teller

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from ..files.partitioned import PartitionedGraph


def partition(
    source: Graph | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    parts: int | None = None,
    by: Any = "range",
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> PartitionedGraph:
    """Cut a graph into parts, each a file of its own, and open what was written.

    Where edges lead both ways and vertices have eight or more, each row is written sorted by weight: searches end sooner by it.

    Parameters
    ----------
    source : Graph or path
        A ``.steppe`` file is read piece by piece and never held as a whole; a file of another format is read first, as :func:`steppe.read` does.
    folder : path
        The folder to make. It appears when all of it is written and on the disk, or not at all; one that is there already is refused.
    parts : int, optional
        How many, at most 4,096 and as many as vertices; workers may have several each. Default: 64, or as many as vertices where those are fewer.
    by : {"range", "locality"} or array of int
        Vertices in the order of their numbers; in an order in which neighbours stand together, breadth first, which cuts far fewer edges where
        numbers say nothing about places (``docs/cluster.md`` has figures); or the part of each vertex. Answers are in the graph's own numbers always.
    memory_limit : int or str, optional
        Bytes ("512MiB") that may be taken beside the file; refused before anything is written where they do not do: about 1.25 a vertex, 8 for each
        vertex of a part and its ghosts, and 96 MiB; with an order of its own, 9 or 17 a vertex more.
    progress : bool or callable, optional
        True draws a bar; a function gets a :class:`~steppe.Progress` that counts edges.

    Returns
    -------
    PartitionedGraph
        See :func:`steppe.open_partitioned`.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "roads")
    >>> g = sp.partition(sp.generate.grid(30, 30, seed=1), folder, parts=4, by="locality")
    >>> g.num_parts, g.num_edges, sp.sssp(g, 0).verify().distance(899)
    (4, 3480, 4159)
    """
    if isinstance(source, Graph):
        graph = source
    elif isinstance(source, (str, Path)) or hasattr(source, "__fspath__"):
        graph = read(source)
    else:
        raise GraphError(f"partition takes a Graph or the name of a file, not a {type(source).__name__}")
    tell = teller(progress, graph.num_edges, "edges")
    return _partition.write(graph, Path(folder), parts=parts, by=by, memory_limit=memory_limit, tell=tell)
