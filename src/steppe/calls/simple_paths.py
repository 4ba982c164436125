"""Simple paths: every path between two vertices that visits no vertex twice, given the predecessors of each vertex.

Paths are listed from their end, depth first. Where the predecessors make no cycle, each step leads to the source. In a cycle a step may lead to a
dead end: every way to the source passes a vertex that is already on the path. A search that does not notice would try all orders of the vertices
of the cycle. So after the first dead end, each step is tested before it is taken: can the source be reached without the vertices on the path?
Cycles lie within strongly connected components, and a path never returns to a component that it has left: the test is a search in one component.
From one path to the next it takes at most one such search for each vertex of a path.

To count paths, components are passed one after the other. Only the paths through each are listed: how many there are is the problem of counting
simple paths, for which nothing much better than listing is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import SteppeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STEPS = 10_000_000
"""Steps of listing paths through components after which counting gives up: some seconds."""

_END: Any = object()
_OUTSIDE: Any = object()


def simple_paths(
    before: Mapping[Any, list[Any]], source: Any, target: Any, *, left: list[int] | None = None
) -> Iterator[list[Any]]:
    """Yield every path from ``source`` to ``target`` that visits no vertex twice; ``before``: the predecessors of each vertex.

    The source must be reachable from each of them. ``left``: how many steps may be taken; after those, :class:`SteppeError`.

    >>> [*simple_paths({0: [], 1: [0, 2], 2: [0, 1], 3: [1, 2]}, 0, 3)]
    [[0, 1, 3], [0, 2, 1, 3], [0, 2, 3], [0, 1, 2, 3]]
    """
    if source == target:
        yield [target]
        return
    path, on_path = [target], {target}
    steps = [iter(before[target])]
    tested = [False]  # whether only steps from which the source can be reached are left
    shared = 0  # the first vertices of the path that belong to a path already yielded
    dead_end = False
    components: Components | None = None
    while steps:
        if dead_end and not tested[-1]:
            components = components or Components(before, source, target)
            steps[-1], tested[-1] = iter(components.reaching_source(path[-1], list(steps[-1]), on_path)), True
            if left is not None:
                left[0] -= components.size(path[-1])
        if left is not None:
            _take_step(left)
        u = next(steps[-1], _END)
        if u is _END:
            dead_end |= shared < len(path)
            steps.pop()
            tested.pop()
            on_path.discard(path.pop())
            shared = min(shared, len(path))
        elif u == source:
            shared, dead_end = len(path), False
            yield [u, *reversed(path)]
        elif u not in on_path:
            path.append(u)
            on_path.add(u)
            steps.append(iter(before[u]))
            tested.append(False)


def _take_step(left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise SteppeError(
            "edges of length 0 make cycles, and the paths through them are counted by listing them: "
            f"there are too many, {STEPS:,} steps did not list them all; iterate over the paths instead"
        )


def count(before: Mapping[Any, list[Any]], source: Any, target: Any) -> int:
    """Return how many paths :func:`simple_paths` yields.

    >>> count({0: [], 1: [0, 2], 2: [0, 1], 3: [1, 2]}, 0, 3)
    4
    """
    if source == target:
        return 1
    number = _count_without_cycles(before, source, target)
    if number is not None:
        return number
    components = Components(before, source, target)
    arriving = {
        target: 1
    }  # the number of paths from the target to each vertex that is the first of its component on them
    left = [STEPS]
    for members in components.from_target():
        for v in [v for v in members if v in arriving]:
            if v == source:
                return arriving[v]
            through: dict[Any, int] = {}
            if len(members) == 1:
                through[v] = 1
            else:
                for path in simple_paths(components.alone(members), _OUTSIDE, v, left=left):
                    through[path[1]] = through.get(path[1], 0) + 1
            for last, number in through.items():
                for u in components.outside(last):
                    arriving[u] = arriving.get(u, 0) + number * arriving[v]
    return 0


def _count_without_cycles(before: Mapping[Any, list[Any]], source: Any, target: Any) -> int | None:
    """Return the same by one pass over the edges in topological order (Kahn, 1962), or None where there is a cycle."""
    left = {v: len(some) for v, some in before.items()}
    after: dict[Any, list[Any]] = {v: [] for v in before}
    for v, some in before.items():
        for u in some:
            after[u].append(v)
    counts = dict.fromkeys(before, 0)
    counts[source] = 1
    ready, done = [v for v, number in left.items() if number == 0], 0
    while ready:
        u = ready.pop()
        done += 1
        for v in after[u]:
            counts[v] += counts[u]
            left[v] -= 1
            if left[v] == 0:
                ready.append(v)
    return counts[target] if done == len(left) else None  # vertices of a cycle are never ready


class Components:
    """The strongly connected components of the vertices before a target (Tarjan, 1972)."""

    def __init__(self, before: Mapping[Any, list[Any]], source: Any, target: Any) -> None:
        self._before, self._source = before, source
        self._of: dict[Any, int] = {}
        self._members: list[list[Any]] = []
        self._after: dict[int, dict[Any, list[Any]]] = {}
        self._find(target)

    def from_target(self) -> Iterator[list[Any]]:
        """Yield the members of each component, each component before those that its predecessors are in."""
        yield from reversed(self._members)

    def outside(self, v: Any) -> list[Any]:
        """Return the predecessors of ``v`` in other components."""
        return [u for u in self._steps(v) if self._of[u] != self._of[v]]

    def size(self, v: Any) -> int:
        """Return how many vertices the component of ``v`` has."""
        return len(self._members[self._of[v]])

    def alone(self, members: list[Any]) -> dict[Any, list[Any]]:
        """Return the predecessors of each member, with all that are not in the component as one vertex."""
        found: dict[Any, list[Any]] = {_OUTSIDE: []}
        for v in members:
            found[v] = [u for u in self._steps(v) if self._of[u] == self._of[v]]
            if len(found[v]) < len(self._steps(v)):
                found[v].append(_OUTSIDE)
        return found

    def reaching_source(self, v: Any, steps: list[Any], on_path: set[Any]) -> list[Any]:
        """Return those steps from ``v`` from which the source can be reached without the vertices ``on_path``."""
        mine = self._of[v]
        if all(u in on_path or self._of[u] != mine for u in steps):
            return [u for u in steps if u not in on_path]
        after = self._inside(mine)
        leaving = {u for u in after if u not in on_path and self.outside(u)}
        stack = list(leaving)
        while stack:
            for u in after[stack.pop()]:
                if u not in on_path and u not in leaving:
                    leaving.add(u)
                    stack.append(u)
        return [u for u in steps if u in leaving or self._of[u] != mine]

    def _inside(self, component: int) -> dict[Any, list[Any]]:
        """Return the successors of each member within the component."""
        if component not in self._after:
            after: dict[Any, list[Any]] = {v: [] for v in self._members[component]}
            for v in after:
                for u in self._steps(v):
                    if u in after:
                        after[u].append(v)
            self._after[component] = after
        return self._after[component]

    def _steps(self, v: Any) -> list[Any]:
        return [] if v == self._source else self._before[v]

    def _find(self, target: Any) -> None:
        number = {target: 0}  # in order of discovery
        low = {target: 0}  # the smallest number that can be reached from a vertex through those found after it
        stack, path = [target], [(target, iter(self._steps(target)))]
        while path:
            v, steps = path[-1]
            u = next(steps, _END)
            if u is _END:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[v])
                if low[v] == number[v]:
                    members = [stack.pop()]
                    while members[-1] != v:
                        members.append(stack.pop())
                    self._of.update(dict.fromkeys(members, len(self._members)))
                    self._members.append(members)
            elif u not in number:
                number[u] = low[u] = len(number)
                stack.append(u)
                path.append((u, iter(self._steps(u))))
            elif u not in self._of:
                low[v] = min(low[v], number[u])
