"""Document 001's schedule, for comparison: every part is copied in every round, whatever there is to do in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steppe.gpu.stream.passes import Passes

if TYPE_CHECKING:
    import steppe as sp
    from steppe.gpu import Device
    from steppe.gpu.keys import Keys
    from steppe.planning.question import Question


class EveryPart(Passes):
    """Passes over all parts in order. The document knows no distance up to which it works, and no targets."""

    def __init__(
        self, device: Device, graph: sp.Graph, search: Question, keys: Keys, method: str, **options: Any
    ) -> None:
        super().__init__(device, graph, replace(search, targets=search.targets[:0]), keys, method, **options)

    def first_bound(self) -> int:
        """Work on all vertices from the first pass on."""
        return self.keys.infinity

    def make_pass(self) -> None:
        """Copy and work on every part once, in order: the document's round."""
        slots = self.slots
        self.passes += 1
        for part in range(self.parts.count):
            slot = slots.slots[part % len(slots.slots[:2])]
            slots.load(part, slot)
            slots.arrive(slot)
            self.collect(part)
            self.relax(slot, int(self.parts.bounds[part]), self.parts.capacity)
        self.read_state()
