"""Request: what a plan is made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .options import DEFAULT

if TYPE_CHECKING:
    from .call import Call
    from .facts import DeviceFacts
    from .options import Options


@dataclass(frozen=True, kw_only=True)
class Request:
    """A call, its options, and what else the plan must know of it.

    Attributes
    ----------
    call : Call
        The function.
    options : Options
        What the caller chose.
    device : DeviceFacts or None
        What the option of this name led to; None: the CPU.
    placed : str
        Why this device, where it was left open.
    rows, columns : int
        Of a matrix; of pairs, the sources that differ and the pairs.
    item : int
        Bytes of an entry of it, where distances are stored in another type than they are found in; else 0.
    """

    call: Call
    options: Options = DEFAULT
    device: DeviceFacts | None = None
    placed: str = ""
    rows: int = 1
    columns: int = 0
    item: int = 0

    @property
    def may_stop(self) -> bool:
        """Whether a search may end at targets."""
        return self.options.may_stop(self.call)
