"""Plan: what will run, and why. The only place where that is decided.

``plan_for`` is a pure function of plain values (facts.py): it looks at nothing, so it can be tested as a table, and ``steppe.plan`` can show
what a call would do without doing it. Engines obey: what they learn while they run (a search that pulls, threads that are held up) goes
into the note of the explanation and never changes the method. Every threshold stands here, with its measurement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from .. import deprecated
from ..prepared.account import due
from ..prepared.contraction import LOOK
from ..prepared.landmarks import LANDMARKS
from . import bytes as _bytes
from . import costs
from .blocks import far_beyond_caches
from .call import Call
from .capabilities import DENSE, FALLBACKS, MANY_METHODS, METHODS, check, check_engine
from .preparing import with_preparations
from .widths import SPARSE, TINY, between_parts, on_device, width_of, within_part

if TYPE_CHECKING:
    from ..prepared.preparation import Estimate
    from .facts import DeviceFacts, Facts, Machine
    from .request import Request

EDGES_PER_THREAD = 50_000
"""Edges below which one more thread costs more than it brings."""

SPARSE_EDGES_PER_THREAD = 300_000
"""The same where vertices have few edges: buckets are small, and threads often wait for each other (AMD EPYC, November 2026, two
threads: New York's roads, 0.7 M edges, 4.5 -> 4.0 ms; a grid of 9 M 55 -> 36)."""

DEVICE_FROM = 1_000_000
"""Edges from which ``device="auto"`` takes a GPU: a core searches fewer in a few milliseconds, in which a device makes some hundred launches. An
estimate: no GPU has been measured."""

SPARSE_DEVICE_FROM = 20_000_000
"""The same for graphs of few edges a vertex (roads, grids), whose searches have thousands of steps with little to do in each; an estimate, too."""

FRONTIER_FROM = 24
"""Edges a vertex from which rounds beat buckets on a device, where an edge costs when it is read, relaxed or not: buckets read their light and heavy
edges apart. (R-MAT of scale 16: buckets read 4.2 m edges in 46 steps, rounds the same in 11; random, 16 a vertex: 2.1 m against 4.8.)
``steppe tune`` measures it on a device."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will run. ``print()`` shows a short table.

    Attributes
    ----------
    method, reason : str
        The method, and why it was chosen.
    note : str
        What else was decided, such as to prepare the graph first, or to stream its edges.
    engine : {"cpu", "external", "device", "streamed", "parts", "ray"}
        Edges in memory; in their file or in blocks; in a device's memory; passing through it in parts; in the files of a partition; the same, or
        rows of a matrix, with the workers of a cluster.
    device : str
        "cpu" or the device's name.
    threads : int
        CPU threads.
    delta : float or None
        The width of buckets, where there are some.
    fallback : str
        Of a method for many rows at once: the method that finds the rows that it leaves, should it leave any. Of a device: the engine that takes over
        should its memory turn out too small.
    bins : bool
        Of a search in blocks: relaxations are sorted by the block of their target before they are made.
    part_delta : float or None
        Of a graph in parts: the width of buckets within a part, where ``delta`` is how far a superstep goes.
    pulls : bool
        Of a graph in parts: the search may be finished by pulling.
    uses : tuple of str
        The preparations (``Graph.prepared``) that the method takes.
    making : dict
        Those of them that are made first, and what each is expected to cost.
    missing : dict
        Those that would have made it quicker, and the estimated seconds that calls are still to take before each is made: this one counts.
    bytes_needed : int
        Memory that it takes beside the graph: of the host, or of the device.
    estimates : dict
        Of a matrix: the seconds that the methods in question are expected to take.

    Examples
    --------
    >>> import steppe as sp
    >>> print(sp.plan(sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3]), "sssp"))
    method        dijkstra
    reason        fewer than 8,000 edges: a heap is quickest
    engine        cpu
    device        cpu
    threads       1
    bytes needed  52
    """

    method: str
    reason: str = ""
    note: str = ""
    engine: str = "cpu"
    device: str = "cpu"
    threads: int = 1
    delta: int | float | None = None
    fallback: str = ""
    bins: bool = False
    part_delta: float | None = None
    pulls: bool = False
    uses: tuple[str, ...] = ()
    making: dict[str, Estimate] = field(default_factory=dict)
    missing: dict[str, float] = field(default_factory=dict)
    bytes_needed: int = 0
    estimates: dict[str, float] = field(default_factory=dict)

    @property
    def makes(self) -> tuple[str, ...]:
        """The preparations that are made first, in this order."""
        return tuple(self.making)

    @property
    def prepares(self) -> bool:
        """An old name: whether ``makes`` has any."""
        deprecated.warn(f"{type(self).__name__}.prepares", f"{type(self).__name__}.makes")
        return bool(self.making)

    @property
    def work_limit(self) -> int:
        """An old name: the limit of a contraction, in looks at an arc."""
        deprecated.warn(f"{type(self).__name__}.work_limit", f"{type(self).__name__}.making")
        limits = (estimate.limit for estimate in self.making.values() if estimate.limit < math.inf)
        return int(max(limits, default=0.0) / LOOK)

    def __str__(self) -> str:
        rows = [(f.name.replace("_", " "), getattr(self, f.name)) for f in fields(self)]
        shown = [(name, _text(name, value)) for name, value in rows if value or name == "seconds"]
        width = max(len(name) for name, _ in shown)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in shown)


def plan_for(facts: Facts, request: Request, machine: Machine) -> Plan:
    """Return the plan of a call.

    Raises
    ------
    ValueError
        Options contradict each other, or the graph; the message has a way out.

    Examples
    --------
    >>> from steppe.planning.facts import Facts, Machine
    >>> from steppe.planning.request import Request
    >>> plan_for(Facts(vertices=4, edges=3, max_weight=9), Request(call=Call.SSSP), Machine()).method
    'dijkstra'
    """
    call, options = request.call, request.options
    if facts.parts:
        return _in_parts(facts, request)
    if call is Call.ROUTE and request.device is None:
        return _route(facts)
    if call.many and options.method in deprecated.METHODS:
        options = replace(options, method=deprecated.method_name(options.method))
        request = replace(request, options=options)
    in_question = call.many and request.device is None and not request.may_stop  # else each row is a search
    estimates = costs.estimates(facts, request, machine) if in_question else {}
    method, reason = _method(facts, request, estimates)
    wanted = method
    if call.many:
        method, reason = _of_form(method, reason, facts, request)
    if options.engine is not None:
        check_engine(request)
    engine, why = _engine(method, facts, request, machine)
    for name in dict.fromkeys((wanted, method)):
        check(call, engine, name, facts, bounded=options.bounded)
    if method in DENSE and options.memory_limit is not None:
        _bytes.check_closed(method, facts, options.memory_limit)
    note = "; ".join(filter(None, (why, _form(facts), request.placed)))
    plan = Plan(method=method, reason=reason, engine=engine, note=note, estimates=estimates)
    if engine == "cpu" and call.many:
        plan = replace(plan, fallback=FALLBACKS.get(method, ""))
    if request.device is not None:
        needed = min(request.device.needs.get(method, facts.bytes), request.device.free)
        delta = on_device(facts, options.delta, request.device.width) if method == "delta-stepping" else None
        fallback = "streamed" if engine == "device" and not call.many else ""
        return replace(plan, device=request.device.name, delta=delta, fallback=fallback, bytes_needed=needed)
    plan = replace(plan, threads=_threads(plan, facts, request, machine))
    if options.engine is not None:
        plan = replace(plan, engine="ray", threads=1, note="a block of rows is a task of one thread")
    plan = with_preparations(plan, facts, request, machine)
    plan = replace(plan, bins=_takes_bins(plan, facts, request, machine))
    plan = replace(plan, delta=width_of(plan, facts, options.delta, many=call.many))
    made = sum(estimate.bytes + estimate.beside for estimate in plan.making.values())
    return replace(plan, bytes_needed=_bytes.total(_arrays(plan, facts, request)) + made)


def _in_parts(facts: Facts, request: Request) -> Plan:
    """Return the plan of a search in a graph that lies in parts: buckets within a part, supersteps between them."""
    call, options = request.call, request.options
    if call.many or call is Call.ROUTE:
        raise ValueError(
            f"{call.value} takes a graph in one piece: give the Graph or the file that was partitioned, with engine= or without"
        )
    if options.method not in ("auto", "delta-stepping") and not call.hops:
        raise ValueError(f"{options.method} does not run on a graph in parts: leave the method out")
    method, reason = ("bfs", "hops") if call.hops else ("delta-stepping", "a fix point in each part, then a message")
    engine = "parts" if options.engine is None else "ray"
    check(call, engine, method, facts, bounded=options.bounded)
    needed = _bytes.in_parts(facts, hops=call.hops)
    note = f"{facts.parts:,} parts"
    delta = 1.0 * facts.vertices if call.hops else between_parts(facts, options.delta)
    plan = Plan(method=method, reason=reason, note=note, engine=engine, delta=delta, bytes_needed=_bytes.total(needed))
    return replace(plan, part_delta=within_part(facts, hops=call.hops), pulls=facts.can_pull and not call.hops)


def worth_a_device(call: Call, edges: int, degree: float = SPARSE, *, is_there: bool = False) -> tuple[bool, str]:
    """Tell whether ``device="auto"`` should mean a GPU, where there is one, and why; `is_there`: the graph's rows lie on it.

    >>> worth_a_device(Call.SSSP, 10**7)
    (True, 'auto: large enough for a device')
    >>> worth_a_device(Call.SSSP, 10**7, 2.5)[0], worth_a_device(Call.SSSP, 10**7, 2.5, is_there=True)[0]
    (False, True)
    """
    if call is Call.ROUTE:
        return False, "auto: a path between two vertices is no work for a device"
    if is_there:
        return True, "auto: the graph lies on the device"
    if edges < DEVICE_FROM:
        return False, f"auto: fewer than {DEVICE_FROM:,} edges stay on the CPU"
    if degree < SPARSE and edges < SPARSE_DEVICE_FROM:
        return False, f"auto: few edges a vertex mean many small steps: below {SPARSE_DEVICE_FROM:,} edges the CPU"
    return True, "auto: large enough for a device"


def _form(facts: Facts) -> str:
    """Return what is to be told of the form in which a method runs: each has one for vertices of 64 bits."""
    return "2^31 vertices or more: the plain form of the method" if facts.vertex == 8 else ""


def _engine(method: str, facts: Facts, request: Request, machine: Machine) -> tuple[str, str]:
    device, many = request.device, request.call.many
    if device is not None:
        if many or device.needs.get(method, 0) <= device.free:
            return "device", ""
        return "streamed", "edges do not fit the device, and are streamed"
    if many:
        return "cpu", ""
    if request.options.memory_limit is not None:
        return "external", "edges stay in their file" if facts.is_mapped else "a budget of memory was given"
    if facts.is_mapped and machine.memory is not None and 2 * facts.bytes > machine.memory:
        return "external", "edges stay in their file"
    short = request.may_stop or request.options.bounded
    if method == "delta-stepping" and far_beyond_caches(facts) and not short:
        return "external", "far beyond the caches: searched in blocks"
    return "cpu", ""


def _method(facts: Facts, request: Request, estimates: dict[str, float]) -> tuple[str, str]:
    """Return the method and the reason for it."""
    many, options, device = request.call.many, request.options, request.device
    if request.call.hops:
        return "bfs", "hops"
    if options.method != "auto":
        names = MANY_METHODS if many else METHODS
        if options.method not in names:
            raise ValueError(f"method must be one of {', '.join(('auto', *names))}, not {options.method!r}")
        return options.method, "asked for"
    if many and device is not None:
        return (
            "delta-stepping",
            "all sources of a batch share the steps, and each edge is read about as often as it must be",
        )
    if facts.has_negative and many and facts.is_integer and request.rows > 1:
        return "johnson", "some weights are negative: one search for potentials, then quick ones"
    if facts.has_negative:
        return "bellman-ford", "some weights are negative"
    if facts.all_ones:
        return "bfs", "every edge has length 1"
    if device is not None and _suits_rounds(facts, request, device):
        return "frontier", "many edges a vertex: rounds read no more of them than buckets, in fewer steps"
    if device is not None:
        return "delta-stepping", "buckets relax fewest edges on a device"
    if facts.edges < TINY and options.memory_limit is None:
        return "dijkstra", f"fewer than {TINY:,} edges: a heap is quickest"
    if estimates and options.engine is None:
        for name in sorted(estimates, key=lambda name: estimates[name]):
            if name == "batched":
                return name, "many rows: a look at an edge serves a cache line of sources"
            if name == "contraction":
                return name, "many rows of a graph like roads: contracted, and swept for a cache line of sources"
            if name in DENSE and _bytes.closed_fits(facts, request):
                return name, "many rows of a dense graph: all pairs at once, in tiles"
            if name == "delta-stepping":
                break
    return "delta-stepping", "buckets need no heap, and share between threads"


def _of_form(method: str, reason: str, facts: Facts, request: Request) -> tuple[str, str]:
    """Return the method that can give a matrix in the form that was asked for, and the reason for it."""
    options = request.options
    if request.device is not None:
        return ("edge-sweep", "pairs on a device: sweeps from each source") if options.pairs else (method, reason)
    if method == "johnson" and not facts.has_negative:
        method, reason = "delta-stepping", "no weight is negative, as if Johnson had changed them"
    if options.along is not None and method not in ("dijkstra", "delta-stepping"):
        signs = facts.has_negative or method == "bellman-ford"
        return "bellman-ford" if signs else "delta-stepping", "sums follow the tree of each source"
    if options.pairs and method in ("batched", "contraction"):
        return "delta-stepping", f"{method} shares the targets of all sources, and in pairs each has its own"
    return method, reason


def _suits_rounds(facts: Facts, request: Request, device: DeviceFacts) -> bool:
    dense = FRONTIER_FROM if device.frontier_from is None else device.frontier_from
    if facts.degree < dense or request.options.delta is not None or request.may_stop:
        return False
    return device.needs.get("frontier", 0) <= device.free  # streamed, buckets copy fewer parts


def _threads(plan: Plan, facts: Facts, request: Request, machine: Machine) -> int:
    """Return how many threads are worth their while.

    Threads of one search wait for each other: one that shares its CPU with somebody else holds all up. Searches from many sources do not.
    """
    if request.call.many:
        worth = machine.threads if machine.asked else request.rows * (facts.edges + facts.vertices) // EDGES_PER_THREAD
        return 1 if plan.method == "bellman-ford" else max(1, min(machine.threads, worth))
    threads = min(machine.threads, machine.idle)
    if plan.method in ("dijkstra", "bellman-ford") and (plan.engine == "cpu" or facts.has_negative):
        return 1
    if plan.engine == "cpu" and plan.method != "delta-stepping":
        return threads  # round by round, for as long as there is enough to share
    least = SPARSE_EDGES_PER_THREAD if plan.engine == "cpu" and facts.degree < SPARSE else EDGES_PER_THREAD
    threads = min(threads, facts.edges // least) if least else threads
    if threads <= 1:
        return 1
    if plan.engine == "cpu" and request.may_stop:
        return 1  # such a search is usually short, and one thread can stop at the exact bucket
    return threads


def _takes_bins(plan: Plan, facts: Facts, request: Request, machine: Machine) -> bool:
    """Whether a search in blocks has bins: where the graph is far beyond the caches, and there is memory for them beside its edges."""
    if plan.engine != "external" or plan.method == "bfs" or request.options.memory_limit is not None:
        return False
    if facts.has_negative or facts.weight == 0 or not far_beyond_caches(facts):
        return False
    paths, shift = request.options.record_paths, _bytes.BIN_SHIFT
    arrays = _bytes.sweep(facts, record_paths=paths, threads=plan.threads, shift=shift, hops=False, bins=True)
    needed = _bytes.total(arrays)
    if facts.is_mapped:  # edges in memory are no part of what is free
        needed += facts.edges * (facts.vertex + facts.weight)
    return machine.memory is None or needed <= machine.memory


def _arrays(plan: Plan, facts: Facts, request: Request) -> list[_bytes.Array]:
    hops, options = request.call.hops, request.options
    if request.call.many:
        return _bytes.matrix(facts, plan.method, request, threads=plan.threads)
    if plan.engine == "external":
        if facts.has_negative and not hops:
            return _bytes.sweep_negative(facts, shift=10)
        hops = hops or plan.method == "bfs"
        bins = plan.bins
        return _bytes.sweep(
            facts, record_paths=options.record_paths, threads=plan.threads, shift=10, hops=hops, bins=bins
        )
    paths, threads = options.record_paths, plan.threads
    arrays = _bytes.search(facts, plan.method, record_paths=paths, threads=threads, hops=hops, delta=plan.delta)
    return max(arrays, _bytes.winners(facts), key=_bytes.total) if request.call is Call.NEAREST else arrays


def _route(facts: Facts) -> Plan:
    """Return the plan of one path: the search grows from both ends, or goes straight for the target where landmarks have been made."""
    check(Call.ROUTE, "cpu", "delta-stepping", facts, bounded=False)
    needed = _bytes.total(_bytes.route(facts))
    if facts.has("landmarks"):
        reason = "queries so far have paid for landmarks: a tenth of the vertices is settled"
        return Plan(method="landmarks", reason=reason, uses=("landmarks",), note=_form(facts), bytes_needed=needed)
    suits = not (LANDMARKS.suits(facts) or facts.state("landmarks").reason)
    missing = {"landmarks": due(LANDMARKS, facts)} if suits else {}
    reason = "a path between two vertices touches few others"
    return Plan(method="bidirectional", reason=reason, note=_form(facts), missing=missing, bytes_needed=needed)


def _text(name: str, value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {x:.2g} s" if isinstance(x, float) else f"{name} ({x})" for name, x in value.items())
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, (str, bool)):
        return str(value)
    if name.endswith("seconds"):
        return f"{value:.3f}"
    if name.endswith("share"):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
