"""Layout: the arrays of a search on a device, in one table that both adds up their bytes and allocates them.

What a plan says a search will need is then what the search takes: there is no second list to keep in step.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .device import Device
    from .spares import Spares


class Array(NamedTuple):
    """One line of the table: so many cells of a type, each `fill` unless that is None; `times`: a list of so many such arrays."""

    name: str
    cells: int
    dtype: DTypeLike
    fill: object = None
    times: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes in all."""
        return self.cells * np.dtype(self.dtype).itemsize * (1 if self.times is None else self.times)


class Layout:
    """The arrays of a search.

    Examples
    --------
    >>> layout = Layout(("dist", 10, "u4", 0), ("slots", 100, "i4", None, 3))
    >>> layout.nbytes, (layout + Layout(("more", 1, "u8"))).nbytes
    (1240, 1248)
    """

    def __init__(self, *arrays: tuple[object, ...]) -> None:
        self.arrays = [Array(*array) for array in arrays]  # type: ignore[arg-type]

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    def __add__(self, other: Layout) -> Layout:
        return Layout(*self.arrays, *other.arrays)

    def allocate(self, device: Device, spares: Spares | None = None) -> SimpleNamespace:
        """Make the buffers, each an attribute of what is returned; from `spares`, where they are to be kept, too."""
        made = SimpleNamespace()
        for name, cells, dtype, fill, times in self.arrays:
            some = [device.alloc(cells, dtype, fill=fill, spares=spares) for _ in range(1 if times is None else times)]
            setattr(made, name, some[0] if times is None else some)
        return made
