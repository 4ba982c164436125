"""Kernel text: prelude + definitions + the kernel's own file, and what its signatures and definitions say.

There are no templates in OpenCL C, so there is one build per combination of types, chosen by definitions. They stand in
the text itself, not in compiler options: the text is then all there is to know about a build, and its hash is its name.
`#line` makes compilers report errors at the kernel's own file and line. `#include "name.h"` takes in another file of the
folder, here and not in the compiler, which never sees a path.

The signatures are read from the text, which is possible because the dialect is small (`KERNEL name(type name, ...)`).
So host loops need not know the widths of arguments: a wrong dtype is an error in Python, not a wrong answer on a device.
The numbers that the text defines (`#define FAULTS 7`) are read, too: the meaning of an array's cells is defined in the
kernel's file only, and host loops write `program.names.FAULTS`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import DTypeLike

KERNELS: Path = Path(__file__).parent / "kernels"

TYPES: Final[dict[str, np.dtype[np.generic]]] = {
    "u8": np.dtype(np.uint8),
    "i32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "u64": np.dtype(np.uint64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}

# (weight as stored, distance as added up, negative weights allowed): one build each. Weights of 32 bits are added up in 32 bits
# first, and again in 64 if a sum did not fit; with negative weights in i64.
COMBINATIONS: Final[tuple[tuple[str, str, bool], ...]] = (
    ("i32", "u32", False),
    ("i32", "u64", False),
    ("i64", "u64", False),
    ("f32", "f32", False),
    ("f64", "f64", False),
    ("i32", "i64", True),
    ("i64", "i64", True),
    ("f32", "f32", True),
    ("f64", "f64", True),
)

Target = Literal["cuda", "opencl"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: its name, its type and whether it is a pointer to it."""

    name: str
    dtype: np.dtype[np.generic]
    pointer: bool

    @cached_property
    def low(self) -> int:
        """The least integer it may be; of a float, none."""
        return int(np.iinfo(self.dtype.name).min) if self.dtype.kind in "iu" else 0

    @cached_property
    def high(self) -> int:
        """The largest integer it may be; of a float, none."""
        return int(np.iinfo(self.dtype.name).max) if self.dtype.kind in "iu" else -1


class Names:
    """The numbers that a kernel file defines, as attributes."""

    def __init__(self, file: str, numbers: Mapping[str, int]) -> None:
        self._file, self._numbers = file, dict(numbers)

    def __getattr__(self, name: str) -> int:
        try:
            return self._numbers[name]
        except KeyError:
            raise AttributeError(f"{self._file} defines no number {name}, or several") from None


@dataclass(frozen=True)
class Source:
    """A kernel file made ready for one target and one choice of types."""

    name: str
    text: str
    kernels: Mapping[str, tuple[Parameter, ...]]
    names: Names
    needs_f64: bool
    needs_atomic_64: bool

    def key(self, *facts: object) -> str:
        """Return the name of this build: a hash of the text and of `facts` (options, architecture, versions)."""
        return hashlib.sha256("\0".join((self.text, *map(str, facts))).encode()).hexdigest()[:40]


def type_name(dtype: DTypeLike) -> str:
    """Return the dialect's name of a NumPy type.

    Examples
    --------
    >>> type_name("float32")
    'f32'
    """
    wanted = np.dtype(dtype)
    for name, known in TYPES.items():
        if known == wanted:
            return name
    raise TypeError(f"kernels know no type {wanted}: {', '.join(TYPES)}")


def key_type(dist: str) -> str:
    """Return the type of the key of a distance type: unsigned, of the same width.

    Examples
    --------
    >>> key_type("f64")
    'u64'
    """
    return "u64" if TYPES[dist].itemsize == 8 else "u32"


def make(
    file: str | Path,
    *,
    target: Target,
    weight: str | None = None,
    dist: str | None = None,
    signed: bool = False,
    block: int = 256,
    defines: Mapping[str, object] | None = None,
) -> Source:
    """Put a kernel file together with its prelude.

    Parameters
    ----------
    file
        Name of a file in `kernels/` without its suffix, or a path.
    target
        Which prelude: "cuda" or "opencl".
    weight, dist
        Types of the stored weights and of the distances; None for kernels without weights. KEY follows from `dist`.
    signed
        Whether distances may be negative.
    block
        Threads in a block (BLOCK).
    defines
        Further definitions; a value of None leaves a name undefined.

    Examples
    --------
    >>> source = make("fill", target="opencl")
    >>> [p.name for p in source.kernels["fill_u64"]]
    ['cells', 'first', 'count', 'value']
    """
    path = file if isinstance(file, Path) else KERNELS / f"{file}.c"
    values: dict[str, object] = {"BLOCK": block, **(defines or {})}
    if dist is not None:
        values |= {"WEIGHT": weight or dist, "DIST": dist, "KEY": key_type(dist), f"DIST_{dist}": 1}
        if signed:
            values["SIGNED"] = 1
    head = [f"#define {name} {value}" for name, value in sorted(values.items()) if value is not None]
    body = _body(path)
    pieces = ["\n".join(head)]
    for part in (f"prelude_{target}.h", "prelude.h"):
        pieces += [f'#line 1 "{part}"', (KERNELS / part).read_text(encoding="utf-8")]
    pieces.append(body)
    kernels = _signatures(body, values, path.name)
    used = {p.dtype.name for parameters in kernels.values() for p in parameters} | {
        TYPES[str(v)].name for k, v in values.items() if k in ("WEIGHT", "DIST", "KEY")
    }
    atomics = re.search(r"\b(CAS|ADD|MIN|MAX|EXCH|OR)_[ui]64\b", body) is not None
    keyed = values.get("KEY") == "u64" and re.search(r"\b\w+_KEY\s*\(", body) is not None
    found = Names(path.name, _numbers(body, values))
    return Source(path.stem, "\n".join(pieces), kernels, found, "float64" in used, atomics or keyed)


def names(file: str) -> Names:
    """Return the numbers that a file of `kernels/` defines, where no build is at hand.

    Examples
    --------
    >>> names("bfs.c").UNREACHED
    2147483647
    """
    return _names(KERNELS, file)


@lru_cache
def _names(folder: Path, file: str) -> Names:
    return Names(file, _numbers(_body(folder / file), {}))


def _numbers(body: str, values: Mapping[str, object]) -> dict[str, int]:
    """Read every `#define NAME number`; what the host defines counts before the text's own, and a name with two numbers is none."""
    plain = _without_comments(body)
    found: dict[str, set[int]] = {}
    for name, number in re.findall(r"^#define (\w+)[ \t]+(0x[0-9a-f]+|\d+)[ul]*[ \t]*$", plain, flags=re.MULTILINE):
        found.setdefault(name, set()).add(int(number, 0))
    read = {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1}
    return read | {name: value for name, value in values.items() if isinstance(value, int)}


def _without_comments(body: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", body, flags=re.DOTALL)


def _body(path: Path) -> str:
    """Return a kernel file's text with what it includes in place, each line under its own file's name."""
    lines = [f'#line 1 "{path.name}"']
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        included = re.fullmatch(r'#include "(\w+\.h)"', line)
        if included is None:
            lines.append(line)
        else:
            text = (KERNELS / included[1]).read_text(encoding="utf-8")
            lines += [f'#line 1 "{included[1]}"', text, f'#line {number + 1} "{path.name}"']
    return "\n".join(lines) + "\n"


def _signatures(body: str, values: Mapping[str, object], file: str) -> dict[str, tuple[Parameter, ...]]:
    """Read the parameters of every kernel from its text."""
    plain = _without_comments(body)
    kernels: dict[str, tuple[Parameter, ...]] = {}
    for name, inside in re.findall(r"^KERNEL\s+(\w+)\s*\(([^)]*)\)", plain, flags=re.MULTILINE):
        parameters = []
        for parameter in inside.split(","):
            words = parameter.replace("*", " * ").split()
            kept = [w for w in words if w not in ("GLOBAL", "const", "RESTRICT", "*")]
            if len(kept) != 2 or str(values.get(kept[0], kept[0])) not in TYPES:
                raise ValueError(f"{file}: kernel {name}: cannot read the parameter {' '.join(words)!r}")
            parameters.append(Parameter(kept[1], TYPES[str(values.get(kept[0], kept[0]))], "*" in words))
        kernels[name] = tuple(parameters)
    return kernels
