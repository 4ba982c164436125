"""Explanation: how an answer was found: the plan, and what was measured while it ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..deprecated import Renamed
from .plan import Plan


@dataclass(frozen=True, kw_only=True)
class Explanation(Plan):
    """A plan that has been carried out, its work, and where the time went.

    Counts are 0 and choices None where they do not apply. ``print()`` shows a short table of what does.

    Attributes
    ----------
    method, reason, note, engine, device, delta, uses, making, missing, bytes_needed
        As in :class:`~steppe.Plan`. The note also has what was learnt on the way.
    threads : int
        CPU threads that took part.
    rounds, launches : int
        Rounds (buckets, levels, sweeps) and kernel launches.
    width_changes : int
        How often the width of buckets was changed on the way; ``delta`` is the last.
    edges_relaxed, edges_touched, atomics : int
        Relaxations that were tried, edges read, atomic operations.
    relaxations_per_edge : float
        Relaxations over the edges of the graph: more than 1 where edges were relaxed again.
    parts, passes, bytes_copied, bytes_skipped, peak_bytes : int
        Streaming: parts of the graph, passes over them, bytes moved and saved, the most memory that was used at a time.
    copy_share : float
        Streaming: the share of the time in which the host only copied, or waited for a copy, between 0 and 1.
    supersteps, messages, message_bytes, restarts : int
        Graphs in parts: rounds of all workers, vertices that one told another of, the bytes of that, workers that were lost and replaced.
    wait_share : float
        The share of the supersteps' time in which even the busiest worker did not search: waiting for messages, and for others.
    prepare_seconds, compile_seconds, seconds : float
        Preparing data, compiling kernels, and the whole call.

    Examples
    --------
    >>> print(Explanation(method="dijkstra", reason="general weights", edges_touched=1234567, seconds=0.25))
    method         dijkstra
    reason         general weights
    engine         cpu
    device         cpu
    threads        1
    edges touched  1,234,567
    seconds        0.250
    """

    rounds: int = 0
    launches: int = 0
    width_changes: int = 0
    edges_relaxed: int = 0
    relaxations_per_edge: float = 0.0
    edges_touched: int = 0
    atomics: int = 0
    parts: int = 0
    passes: int = 0
    bytes_copied: int = 0
    bytes_skipped: int = 0
    peak_bytes: int = 0
    peak_device_bytes = Renamed("peak_bytes")
    copy_share: float = 0.0
    supersteps: int = 0
    messages: int = 0
    message_bytes: int = 0
    restarts: int = 0
    wait_share: float = 0.0
    prepare_seconds: float = 0.0
    compile_seconds: float = 0.0
    seconds: float = 0.0

    @classmethod
    def of(cls, plan: Plan, measured: dict[str, Any], seconds: float) -> Self:
        """Return the plan with what was measured; a note that was made on the way is added to the plan's own."""
        made = cls.__new__(
            cls
        )  # past __init__, which takes as long as a small search; what is not given is the class's default
        vars(made).update(vars(plan), **measured, seconds=seconds)
        if plan.note and measured.get("note"):
            vars(made)["note"] = f"{plan.note}; {measured['note']}"
        elif plan.note:
            vars(made)["note"] = plan.note
        return made
