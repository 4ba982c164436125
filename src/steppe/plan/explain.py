"""Explanation: how an answer was found, in figures."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What a search did: the method and why it was chosen, its work, and where the time went.

    Counts are 0 and choices None where they do not apply. ``print()`` shows a short table of what does.

    Attributes
    ----------
    method, reason : str
        The method that ran, and why it was chosen.
    note : str
        What else was decided, such as to stream the edges.
    device : str
        ``"cpu"`` or the device's name.
    threads : int
        CPU threads allowed.
    delta : int, float or None
        The bucket width of delta-stepping.
    rounds, launches : int
        Rounds (buckets, levels, sweeps) and kernel launches.
    edges_relaxed, edges_touched, atomics : int
        Edges that lowered a distance, edges looked at, atomic operations.
    parts, passes, bytes_copied, bytes_skipped, peak_device_bytes : int
        Streaming: parts of the graph, passes over them, bytes moved and saved, memory used on the device.
    copy_share : float
        Streaming: the share of the time in which the host only copied, or waited for a copy, between 0 and 1.
    prepare_seconds, compile_seconds, seconds : float
        Preparing data, compiling kernels, and the whole call.

    Examples
    --------
    >>> print(Explanation(method="dijkstra", reason="general weights", edges_touched=1234567, seconds=0.25))
    method         dijkstra
    reason         general weights
    device         cpu
    threads        1
    edges touched  1,234,567
    seconds        0.250
    """

    method: str
    reason: str = ""
    note: str = ""
    device: str = "cpu"
    threads: int = 1
    delta: int | float | None = None
    rounds: int = 0
    launches: int = 0
    edges_relaxed: int = 0
    edges_touched: int = 0
    atomics: int = 0
    parts: int = 0
    passes: int = 0
    bytes_copied: int = 0
    bytes_skipped: int = 0
    peak_device_bytes: int = 0
    copy_share: float = 0.0
    prepare_seconds: float = 0.0
    compile_seconds: float = 0.0
    seconds: float = 0.0

    def __str__(self) -> str:
        rows = [(f.name.replace("_", " "), getattr(self, f.name)) for f in fields(self)]
        shown = [(name, _text(name, value)) for name, value in rows if value or name == "seconds"]
        width = max(len(name) for name, _ in shown)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in shown)


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("seconds"):
        return f"{value:.3f}"
    if name.endswith("share"):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
