"""What the documentation promises of a question: the right numbers, or the errors one of which must come.

The rules, in one place:

- a cutoff is inclusive, compared exactly (as Python compares an integer with a float);
- with targets, what lies beyond the furthest counts as unreached, unless a target is not reached or weights are negative;
- DistanceOverflowError comes exactly when a distance that is asked for lies beyond 2^63 - 2 and within the cutoff. A cutoff of 2^63 - 1
  or more may act as none: a distance beyond it may be called unreached or an overflow;
- a method that cannot do what is asked says so: NegativeWeightError, or ValueError for options that exclude each other.
"""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from .truth import NegativeCycle

LARGEST = 2**63 - 2
LEAST = -(2**63)
UNREACHABLE = 2**63 - 1


@dataclass
class Expected:
    """Lists of numbers (None: unreached), one for each source; errors that must come (one of them), and those that may."""

    rows: list = field(default_factory=list)
    must: tuple = ()
    may: tuple = ()
    bound: object = None  # of a search with targets: how far it goes


def searched(truth, question, sources, hops=False):
    """Expect the answer of sssp, bfs or nearest."""
    must = [] if hops else refusals(truth, question)
    if must:
        return Expected(must=tuple(must))
    found = truth.distances(sources, hops)
    if found is NegativeCycle:
        return _cycle(truth)
    negative = truth.has_negative and not hops
    cutoff, targets = question.get("cutoff"), question.get("targets")
    if negative:
        targets = None
    row, ends, bound = within(found, cutoff), None, cutoff
    if targets is not None:
        ends = [row[t] for t in targets]
        if None not in ends and (max(ends) <= LARGEST or not truth.case.is_integer):
            bound = max(ends)
            row = within(row, bound)
    over = [d for d in row if d is not None and not LEAST <= d <= LARGEST]
    if truth.case.is_integer and not hops and over:
        return Expected(must=("DistanceOverflowError",))
    may = beyond(truth, found, cutoff, hops) if bound is cutoff else ()
    return Expected([row], may=may, bound=bound)


def matrix(truth, question, sources):
    """Expect the answer of distances or all_pairs, in the type of the distances; None among columns for every vertex."""
    must = refusals(truth, question, many=True)
    if must:
        return Expected(must=tuple(must))
    columns, cutoff = question.get("targets"), question.get("cutoff")
    rows = []
    may = ("ValueError",) if question.get("sparse") and cutoff == inf else ()  # inf may count as no cutoff
    lost = ("DistanceOverflowError", *may)
    for s in sources:
        found = truth.distances([s])
        if found is NegativeCycle:
            return _cycle(truth)
        row = within(found, cutoff)
        may += beyond(truth, found, cutoff, False)
        rows.append(row if columns is None else [row[t] for t in columns])
        if truth.has_negative and any(d is not None and not LEAST <= d <= LARGEST for d in row):
            may = lost  # Bellman-Ford finishes its row, whatever the columns
    if truth.case.is_integer and any(d is not None and not LEAST <= d <= LARGEST for row in rows for d in row):
        return Expected(must=lost)
    stored = question.get("dtype")
    if stored is not None and any(d is not None and not fits(d, stored) for row in rows for d in row):
        return Expected(must=lost)
    return Expected(rows, may=may)


def beyond(truth, found, cutoff, hops):
    """What may come because a cutoff beyond all 64-bit numbers acts as none."""
    if hops or not truth.case.is_integer or cutoff is None or cutoff <= LARGEST:
        return ()
    return ("DistanceOverflowError",) if any(d is not None and d > LARGEST for d in found) else ()


def within(row, cutoff):
    """Leave out what is further than the cutoff."""
    return row if cutoff is None else [d if d is not None and d <= cutoff else None for d in row]


def _cycle(truth):
    total = sum(abs(w) for _, _, w in truth.case.arcs())
    return Expected(must=("NegativeCycleError", "DistanceOverflowError") if total > 2**62 else ("NegativeCycleError",))


def refusals(truth, question, many=False):
    """Return the errors of options that exclude each other or the graph; each of them will do."""
    method, device = question.get("method", "auto"), question.get("device", "cpu")
    errors = []
    if many:
        if method == "edge-sweep" and device == "cpu":
            errors.append("ValueError")
        if method not in ("auto", "edge-sweep", "delta-stepping") and device != "cpu":
            errors.append("ValueError")
        if method == "contraction" and not truth.case.is_integer:
            errors.append("ValueError")
        if question.get("sparse") and (question.get("cutoff") is None or question.get("out")):
            errors.append("ValueError")
        able = method in ("bellman-ford", "johnson") or (method == "auto" and device == "cpu")
        if method == "johnson" and truth.has_negative and not truth.case.is_integer:
            errors.append("ValueError")
    else:
        if method == "dijkstra" and (device != "cpu" or ("memory_limit" in question and not truth.has_negative)):
            errors.append("ValueError")
        able = method in ("auto", "bellman-ford")
    case = truth.case
    ones = case.dtype is None or (case.is_integer and all(w == 1 for _, _, w in case.arcs()))
    if method == "bfs" and not ones:
        errors.append("ValueError")
    if truth.has_negative:
        if not able:
            errors.append("NegativeWeightError")
        if question.get("cutoff") is not None:
            errors.append("ValueError")
    return errors


def fits(d, dtype):
    """Whether a distance may be stored in this type: integers whole and below its largest, floats below inf."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            return bool(np.isfinite(kind.type(np.int64(d) if isinstance(d, int) else d)))
    limits = np.iinfo(kind)
    return d == int(d) and int(limits.min) <= d < int(limits.max)


def array(rows, dtype):
    """Turn lists into the public array of this type: the sentinel where a vertex is not reached."""
    kind = np.dtype(dtype)
    missing = inf if kind.kind == "f" else int(np.iinfo(kind).max)
    if kind.kind == "f":
        values = [
            [missing if d is None else kind.type(np.int64(d) if isinstance(d, int) else d) for d in row] for row in rows
        ]
    else:
        values = [[missing if d is None else int(d) for d in row] for row in rows]
    return np.array(values, dtype=kind)
