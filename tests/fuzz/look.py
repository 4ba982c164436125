"""Looks at an answer: every bit of an array, the tree, paths; and damages it, to see that the proof refuses it."""

import pickle

import numpy as np

import steppe as sp
from steppe.paths import Paths

from . import expect


class Wrong(Exception):  # noqa: N818
    """An answer that is not the right one."""


def same(got, right, what):
    """Compare type, shape and every bit."""
    if got.dtype != right.dtype or got.shape != right.shape:
        raise Wrong(f"{what}: {got.dtype} of shape {got.shape}, right is {right.dtype} of shape {right.shape}")
    if got.tobytes() != right.tobytes():
        place = np.argwhere(
            np.frombuffer(np.ascontiguousarray(got), f"V{got.itemsize}").reshape(got.shape)
            != np.frombuffer(np.ascontiguousarray(right), f"V{got.itemsize}").reshape(got.shape)
        )
        i = tuple(int(x) for x in place[0])
        raise Wrong(
            f"{what}{list(i)} is {got[i].item()!r}, right is {right[i].item()!r} ({len(place)} of {right.size} are wrong)"
        )


def look(case, truth, paths, question, starts, row, hops):
    """Look at the answer in one of several ways."""
    kind, vertex = question.get("look"), question.get("vertex", 0)
    name = case.label(vertex)
    recorded = question.get("record_paths", False)
    if kind == "pickle":
        again = pickle.loads(pickle.dumps(paths))  # noqa: S301
        same(again.distances, paths.distances, "unpickled distances")
        again.verify()
    elif kind in ("predecessors", "damaged tree"):
        _check_tree(truth, paths.predecessors, recorded, starts, row, hops)
        paths.verify()
        if kind == "damaged tree":
            _damage_tree(paths, vertex)
    elif kind in ("path", "paths_to"):
        if kind == "paths_to":
            found = paths.paths_to([name])[0].tolist()
        else:
            try:
                found = paths.path(name).tolist()
            except sp.NoPathError:
                found = []
        if row[vertex] is None:
            if found:
                raise Wrong(f"a path {found} to an unreached vertex")
        else:
            check_path(case, truth, found, vertex, starts, row, hops)
    elif kind == "numbers":
        right = expect.UNREACHABLE if case.is_integer or hops else float("inf")
        right = right if row[vertex] is None else row[vertex]
        if paths.distance(name) != right:
            raise Wrong(f"distance({name!r}) is {paths.distance(name)!r}, right is {right!r}")
        same(paths.reachable, np.array([d is not None for d in row]), "reachable")
        if paths.to_dict() != {case.label(v): d for v, d in enumerate(row) if d is not None}:
            raise Wrong(f"to_dict() is {paths.to_dict()}")
    elif kind == "damage":
        _damage(paths, vertex)


def _check_tree(truth, predecessors, recorded, starts, row, hops):
    if not recorded:
        right = np.array(truth.tree(starts, row, hops), dtype=predecessors.dtype)
        return same(predecessors, right, "predecessors")
    parents = predecessors.tolist()
    tight = {p: truth.tight_from(p, row, hops) for p in set(parents) - {-1} if row[p] is not None}  # a hub's edges once
    for v, p in enumerate(parents):
        if (p == -1) != ((v in starts and row[v] == 0) or row[v] is None):
            raise Wrong(f"the recorded predecessor of {v} is {p}")
        if p != -1 and v not in tight.get(p, ()):
            raise Wrong(f"the recorded predecessor of {v} is {p}, but no tight edge leads from there")
    done = set(starts)
    for v in range(truth.n):
        trail = []
        while v not in done and parents[v] != -1:
            trail.append(v)
            done.add(v)
            v = parents[v]  # noqa: PLW2901
        if v in trail:
            raise Wrong(f"the recorded predecessors of {v} run in a circle")
    return None


def check_path(case, truth, found, vertex, starts, row, hops):
    if any(type(x) is not type(case.label(0)) for x in found):
        raise Wrong(f"a path of other labels: {found}")
    back = {case.label(v): v for v in range(truth.n)}
    path = [back[x] for x in found]
    length = len(path) - 1 if hops else truth.length(path)
    if (
        not path
        or path[0] not in starts
        or path[-1] != vertex
        or length != row[vertex]
        or (truth.length(path) is None and not hops)
    ):
        raise Wrong(f"path {path} to {vertex} of length {length}, right is {row[vertex]!r}")


def check_cycle(case, truth, error):
    back = {case.label(v): v for v in range(truth.n)}
    cycle = [back[x] for x in error.cycle]
    total = truth.length([*cycle, cycle[0]]) if cycle else None
    if total is None or total >= 0:
        raise Wrong(f"the cycle {cycle} has length {total}")


def _damage(paths, vertex):
    """Change one distance: no proof may accept that, since right distances are unique."""
    damaged = paths.distances.copy()
    kind = damaged.dtype.kind
    old = damaged[vertex]
    missing = np.inf if kind == "f" else np.iinfo(damaged.dtype).max
    if kind == "f":
        changes = [
            missing,
            np.nextafter(old, damaged.dtype.type(-np.inf)),
            damaged.dtype.type(0),
            np.nextafter(old, damaged.dtype.type(np.inf)),
        ]
    else:
        changes = [missing, max(int(old), -(2**31) + 1) - 1, 0, min(int(old), int(missing) - 1) + 1]
    for change in changes:
        damaged[vertex] = change
        if damaged[vertex] != old:
            _refused(paths, damaged, None, f"distance {old!r} of vertex {vertex} changed to {damaged[vertex]!r}")


def _damage_tree(paths, vertex):
    """Change one predecessor to one that cannot be: none, itself, out of range."""
    right = paths.predecessors
    for change in (-1, vertex, len(right), -2):
        damaged = right.copy()
        damaged[vertex] = change
        if damaged[vertex] != right[vertex]:
            _refused(
                paths, paths.distances, damaged, f"predecessor {right[vertex]} of vertex {vertex} changed to {change}"
            )


def _refused(paths, distances, predecessors, what):
    made = Paths._make(
        paths.graph,
        paths._sources,
        distances,
        recorded=predecessors,
        bound=paths.bound,
        hops=paths.hops,
        explanation=paths.explain(),
    )
    try:
        sp.verify(paths.graph, made)
    except sp.VerificationError as error:
        str(error)
    else:
        raise Wrong(f"verify accepts a damaged answer: {what}")
