"""Walks: every way between two vertices that visits nothing twice, given the vertices that may come before each.

Ways are listed from their end, depth first. Where no edges lead in a circle, each step leads on to the source. In a circle a step may lead
into a corner: every way out of it is on the path already. A search without foresight would try all orders of the vertices in there. So once a
way has met a dead end, each step is looked at before it is taken: can the source still be reached without the vertices on the path? The edges
that lead in circles join vertices to components, and a way never comes back to one that it has left: to look is a search in one component.
From one way to the next it takes at most such a search for each vertex of a way.

To count ways, components are passed one after the other. Only the ways through each are listed: how many there are is the problem of
counting simple paths, for which nothing much better than listing is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import SteppeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STEPS = 10_000_000
"""Steps of listing ways through components after which they are no longer counted: some seconds."""

_END: Any = object()
_OUTSIDE: Any = object()


def walks(
    before: Mapping[Any, list[Any]], source: Any, target: Any, *, left: list[int] | None = None
) -> Iterator[list[Any]]:
    """Yield every way from ``source`` to ``target`` that visits nothing twice; ``before``: what may come before each.

    From each of them some way must lead to the source. ``left``: how many steps may be taken; once there are none, :class:`SteppeError`.

    >>> [*walks({0: [], 1: [0, 2], 2: [0, 1], 3: [1, 2]}, 0, 3)]
    [[0, 1, 3], [0, 2, 1, 3], [0, 2, 3], [0, 1, 2, 3]]
    """
    if source == target:
        yield [target]
        return
    path, here = [target], {target}
    ways = [iter(before[target])]
    sifted = [False]  # whether only steps that lead on are left
    fruitful = 0  # so many vertices of the path are on a way that was yielded
    looks = False
    components: Components | None = None
    while ways:
        if looks and not sifted[-1]:
            components = components or Components(before, source, target)
            ways[-1], sifted[-1] = iter(components.leading_on(path[-1], list(ways[-1]), here)), True
            if left is not None:
                left[0] -= components.size(path[-1])
        if left is not None:
            _take_step(left)
        u = next(ways[-1], _END)
        if u is _END:
            looks |= fruitful < len(path)  # a dead end
            ways.pop()
            sifted.pop()
            here.discard(path.pop())
            fruitful = min(fruitful, len(path))
        elif u == source:
            fruitful, looks = len(path), False
            yield [u, *reversed(path)]
        elif u not in here:
            path.append(u)
            here.add(u)
            ways.append(iter(before[u]))
            sifted.append(False)


def _take_step(left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise SteppeError(
            "edges of length 0 lead in circles, and the ways through them are counted by listing them: "
            f"there are too many, {STEPS:,} steps did not list them all; iterate over the paths instead"
        )


def count(before: Mapping[Any, list[Any]], source: Any, target: Any) -> int:
    """Return how many ways :func:`walks` yields.

    >>> count({0: [], 1: [0, 2], 2: [0, 1], 3: [1, 2]}, 0, 3)
    4
    """
    if source == target:
        return 1
    number = _without_circles(before, source, target)
    if number is not None:
        return number
    components = Components(before, source, target)
    arriving = {target: 1}  # how many ways lead from the target to each that is the first of its component on them
    left = [STEPS]
    for members in components.from_target():
        for v in [v for v in members if v in arriving]:
            if v == source:
                return arriving[v]
            through: dict[Any, int] = {}
            if len(members) == 1:
                through[v] = 1
            else:
                for way in walks(components.alone(members), _OUTSIDE, v, left=left):
                    through[way[1]] = through.get(way[1], 0) + 1
            for last, number in through.items():
                for u in components.outside(last):
                    arriving[u] = arriving.get(u, 0) + number * arriving[v]
    return 0


def _without_circles(before: Mapping[Any, list[Any]], source: Any, target: Any) -> int | None:
    """Return the same by one pass over the edges, or None where some lead in a circle."""
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
    return counts[target] if done == len(left) else None  # else some vertices were never ready


class Components:
    """The vertices before a target, joined where edges lead in a circle (Tarjan, 1972)."""

    def __init__(self, before: Mapping[Any, list[Any]], source: Any, target: Any) -> None:
        self._before, self._source = before, source
        self._of: dict[Any, int] = {}
        self._members: list[list[Any]] = []
        self._after: dict[int, dict[Any, list[Any]]] = {}
        self._find(target)

    def from_target(self) -> Iterator[list[Any]]:
        """Yield the members of each component; what lies before them comes later."""
        yield from reversed(self._members)

    def outside(self, v: Any) -> list[Any]:
        """Return what comes before ``v`` and is not of its component."""
        return [u for u in self._steps(v) if self._of[u] != self._of[v]]

    def size(self, v: Any) -> int:
        """Return how many vertices the component of ``v`` has."""
        return len(self._members[self._of[v]])

    def alone(self, members: list[Any]) -> dict[Any, list[Any]]:
        """Return what comes before each member, all that is not of the component as one vertex."""
        found: dict[Any, list[Any]] = {_OUTSIDE: []}
        for v in members:
            found[v] = [u for u in self._steps(v) if self._of[u] == self._of[v]]
            if len(found[v]) < len(self._steps(v)):
                found[v].append(_OUTSIDE)
        return found

    def leading_on(self, v: Any, steps: list[Any], here: set[Any]) -> list[Any]:
        """Return the steps from ``v`` that lead to the source without the vertices ``here``."""
        mine = self._of[v]
        if all(u in here or self._of[u] != mine for u in steps):
            return [u for u in steps if u not in here]
        after = self._inside(mine)
        open_ = {u for u in after if u not in here and self.outside(u)}
        stack = list(open_)
        while stack:
            for u in after[stack.pop()]:
                if u not in here and u not in open_:
                    open_.add(u)
                    stack.append(u)
        return [u for u in steps if u in open_ or self._of[u] != mine]

    def _inside(self, component: int) -> dict[Any, list[Any]]:
        """Return of each member the members that come after it."""
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
        least = {target: 0}  # the smallest number that a vertex and those behind it lead back to
        stack, ways = [target], [(target, iter(self._steps(target)))]
        while ways:
            v, steps = ways[-1]
            u = next(steps, _END)
            if u is _END:
                ways.pop()
                if ways:
                    least[ways[-1][0]] = min(least[ways[-1][0]], least[v])
                if least[v] == number[v]:
                    members = [stack.pop()]
                    while members[-1] != v:
                        members.append(stack.pop())
                    self._of.update(dict.fromkeys(members, len(self._members)))
                    self._members.append(members)
            elif u not in number:
                number[u] = least[u] = len(number)
                stack.append(u)
                ways.append((u, iter(self._steps(u))))
            elif u not in self._of:
                least[v] = min(least[v], number[u])
