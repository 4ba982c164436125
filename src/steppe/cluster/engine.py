"""Ray: the connection to a cluster, and the workers of each graph on it."""

from __future__ import annotations

import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..deprecated import Renamed
from ..machine import locks
from .loopback import alone
from .workers import LocalWorkers

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from ..files.partitioned import PartitionedGraph
    from .ray_workers import RayWorkers
    from .rounds import Rounds

MISSING = "engine=\"ray\" needs Ray: pip install 'steppe[ray]'"


class Ray:
    """A cluster of `Ray <https://docs.ray.io>`_ workers: ``engine=sp.Ray(...)``; ``engine="ray"`` is one with the defaults.

    If Ray is running in this process it is used as it is, and left running. Otherwise the first call connects to ``address``, or to the cluster
    that ``RAY_ADDRESS`` names, or starts one on this machine, which listens on 127.0.0.1 alone; :meth:`close` ends what was started. Any other Ray
    listens on the machine's own address and trusts whoever reaches it: keep it on a private network (``docs/cluster.md``).
    Workers open their parts once, and stay for the calls that follow: until their graph and its answers are freed, or :meth:`close`, or until other
    calls of this process need their CPUs while they are not in use. Then the next call that uses them starts them again.

    Parameters
    ----------
    address : str, optional
        Of a cluster, as for ``ray.init``: ``"auto"``, ``"10.0.0.1:6379"``, ``"ray://…"``.
    workers : int, optional
        How many; default: one for each CPU of the cluster, and no more than parts.
    checkpoint : path, optional
        A folder that all workers see. Values are kept there now and then: the same call made again, by another process, goes on from there.
    checkpoint_every : float
        Seconds between two checkpoints of a worker.
    timeout : float
        Seconds after which a worker that has not answered is asked whether it lives; if it does not answer that either, it is replaced.
    cpus : float
        CPUs of the cluster that a worker takes.

    Examples
    --------
    >>> engine = Ray(workers=2, timeout=30)
    >>> engine
    Ray(workers=2)
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        timeout: float = 60.0,
        cpus: float = 1.0,
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        if not timeout > 0:
            raise ValueError(f"timeout must be a positive number: {timeout!r}")
        self.address, self.workers, self.timeout, self.cpus = address, workers, timeout, cpus
        self.checkpoint = None if checkpoint is None else Path(checkpoint).resolve()
        self.checkpoint_every = checkpoint_every
        self._workers: weakref.WeakKeyDictionary[PartitionedGraph, RayWorkers] = weakref.WeakKeyDictionary()
        self._started = False
        self._lock = locks.make()
        # For tests: a function called before each superstep, whether all workers send again after a loss, a folder for traces of tasks.
        self._before_step: Callable[[int], object] | None = None
        self._resends = True
        self._trace: str | None = None

    def connect(self) -> Any:
        """Return the package ``ray``, connected."""
        if find_spec("ray") is None:
            raise ImportError(MISSING)
        import os

        import ray

        if not ray.is_initialized():
            quiet = {"log_to_driver": False, "logging_level": "error"}
            if self.address is not None or os.environ.get("RAY_ADDRESS"):
                ray.init(address=self.address, **quiet)
            else:
                with alone():
                    ray.init(address="local", include_dashboard=False, **quiet)
                self._started = True
        elif self.address not in (None, "auto", ray.get_runtime_context().gcs_address):
            raise ValueError(
                f"Ray is running already, and not at {self.address}: leave out address=, or call ray.shutdown()"
            )
        return ray

    def workers_of(self, graph: PartitionedGraph) -> RayWorkers:
        """Return the workers of a graph; their first use starts them."""
        from .ray_workers import RayWorkers, session

        with self._lock:
            ray = self.connect()
            kept = self._workers.get(graph)
            if kept is None or kept.is_closed or kept.session != session():
                cpus = int(ray.cluster_resources().get("CPU", 1) // max(self.cpus, 1e-3))
                count = cpus if self.workers is None else self.workers
                kept = self._workers[graph] = RayWorkers(graph, max(1, count), timeout=self.timeout, cpus=self.cpus)
            return kept

    crew = Renamed("workers_of")

    def prepare(self, rounds: Rounds) -> None:
        """Pass on what tests have set."""
        rounds.before_step, rounds.resends = self._before_step, self._resends

    def checkpoint_of(self, graph: PartitionedGraph) -> Path | None:
        """Return the folder of checkpoints of this graph's searches, None: there is none."""
        if self.checkpoint is None:
            return None
        folder = self.checkpoint / graph.digest
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def close(self) -> None:
        """Stop the workers, and Ray itself where this object started it; answers that lie with them are lost."""
        with self._lock:
            for workers in list(self._workers.values()):
                workers.close()
            self._workers.clear()
            if self._started:
                import ray

                ray.shutdown()
                self._started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        given = {
            "address": self.address,
            "workers": self.workers,
            "checkpoint": self.checkpoint and str(self.checkpoint),
        }
        return f"Ray({', '.join(f'{name}={value!r}' for name, value in given.items() if value is not None)})"


_default: list[Ray] = []
_local: weakref.WeakKeyDictionary[PartitionedGraph, LocalWorkers] = weakref.WeakKeyDictionary()


def engine_of(engine: str | Ray | None) -> Ray | None:
    """Return the cluster that a call names; None: this process."""
    if engine is None or isinstance(engine, Ray):
        return engine
    if engine != "ray":
        raise ValueError(f'engine must be None, "ray" or a steppe.Ray, not {engine!r}')
    if not _default:
        _default.append(Ray())
    return _default[0]


def local_workers(graph: PartitionedGraph) -> LocalWorkers:
    """Return the one worker in this process that has all parts of a graph."""
    if graph not in _local:
        _local[graph] = LocalWorkers(graph, 1)
    return _local[graph]
