"""Manifest: what a partition says of itself, ``manifest.json``, read with suspicion.

Its digest tells whether it was damaged, not whether it was ever right: anybody can write one that fits. So every number in it is looked at
before it is used, and each against the others: after that the parts do make up the whole.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

NAME, VERSION = "manifest.json", 1
MOST_PARTS = 4096
"""Parts that a graph may have. Each is two files, and every superstep looks at each; 10¹¹ edges are 24 million a part."""

_MOST_BYTES = 16 << 20  # of a manifest: some 400 a part
_DIGEST = re.compile(r"[0-9a-f]{32}")
_TYPES = ("<i4", "<i8", "<f4", "<f8")


def seal(manifest: dict[str, Any]) -> str:
    """Return the digest of a manifest."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()


def file_names(part: int) -> tuple[str, str]:
    """Return the names of a part's files: its rows, its ghosts.

    >>> file_names(3)
    ('part-000003.steppe', 'ghosts-000003.npy')
    """
    return f"part-{part:06}.steppe", f"ghosts-{part:06}.npy"


def read(folder: Path) -> tuple[dict[str, Any], str]:
    """Return the manifest of a folder and its digest; FormatError where there is none, or anything in it cannot be."""
    path = folder / NAME
    try:
        words = _bytes_of(path)
    except OSError as error:
        problem = f"a partitioned graph is a folder with a manifest: {error.strerror}"
        raise FormatError(problem, file=str(path)) from None
    try:
        sealed = json.loads(words, parse_constant=_refuse)
        manifest, digest = sealed["manifest"], sealed["digest"]
        if digest != seal(manifest):
            raise ValueError("its digest does not match")
        if manifest["version"] != VERSION:
            raise FormatError(
                f"version {manifest['version']} of the format; this release reads {VERSION}", file=str(path)
            )
        _check(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"the manifest is damaged: {error}", file=str(path)) from None
    return manifest, digest


def _bytes_of(path: Path) -> bytes:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))  # of a pipe, too
    with open(fd, "rb") as file:  # noqa: PTH123 - it is open already
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise FormatError("a manifest is a file, and this is none", file=str(path))
        if found.st_size > _MOST_BYTES:
            raise FormatError(f"the manifest has {found.st_size:,} bytes: at most {_MOST_BYTES:,}", file=str(path))
        return file.read(_MOST_BYTES)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _expect(condition: object, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _are_counts(*numbers: Any) -> bool:
    return all(type(k) is int and 0 <= k < 2**62 for k in numbers)


def _check(m: dict[str, Any]) -> None:
    n, edges, starts, parts = m["vertices"], m["edges"], m["starts"], m["parts"]
    _expect(_are_counts(n, edges), "vertices and edges must be counts")
    _expect(
        type(m["directed"]) is bool and type(m.get("sorted", False)) is bool, "directed and sorted are true or false"
    )
    _expect(m["by"] in ("range", "locality", "array"), "by")
    _expect(type(parts) is list and 1 <= len(parts) <= MOST_PARTS, f"a graph has 1 to {MOST_PARTS} parts")
    _expect(type(starts) is list and _are_counts(*starts), "starts must be places")
    _expect(
        len(starts) == len(parts) + 1 and starts[0] == 0 and starts[-1] == n,
        "starts must lead from 0 to the last vertex",
    )
    _expect(all(a <= b for a, b in itertools.pairwise(starts)), "starts must rise")
    for part, first, last in zip(parts, starts[:-1], starts[1:], strict=True):
        own, inside, ghosts, cut = (part[key] for key in ("vertices", "edges", "ghosts", "cut"))
        _expect(_are_counts(own, inside, ghosts, cut), "what parts have must be counts")
        _expect(own == last - first and ghosts <= n - own and ghosts <= cut <= inside, "a part cannot be so")
    _expect(sum(part["edges"] for part in parts) == edges, "the edges of the parts must be those of the graph")
    _check_weights(m)
    _check_files(m)


def _check_weights(m: dict[str, Any]) -> None:
    facts, dtype, typical = m["weights"], m["dtype"], m["typical_weight"]
    _expect((facts is None) == (dtype is None), "a graph has weights of a type, or neither")
    if facts is not None:
        _expect(dtype in _TYPES, "the type of the weights")
        _expect(type(facts) is list and len(facts) == 3, "the range of the weights")
        whole = np.dtype(dtype).kind == "i"
        types = [type(x) in ((int,) if whole and i < 2 else (int, float)) for i, x in enumerate(facts)]
        _expect(all(types) and all(abs(x) < np.inf for x in facts), "the range of the weights")
        _expect(not whole or all(-(2**63) <= x < 2**63 for x in facts[:2]), "the range of the weights")
    low, high, mean = facts or (1, 1, 1.0)
    largest = max(abs(float(low)), abs(float(high))) * (1 + 1e-6)  # of rounding
    _expect(low <= high and abs(mean) <= largest, "the range of the weights")
    _expect(type(typical) in (int, float) and abs(typical) <= largest, "the typical weight")
    _expect(not m.get("sorted", False) or (facts and low >= 0 and not m["directed"]), "rows that may be sorted")


def _check_files(m: dict[str, Any]) -> None:
    n, labels = m["vertices"], m["labels"]
    named = labels == "array"
    _expect(
        named or labels is None or (type(labels) is int and -(2**63) <= labels <= 2**63 - n),
        "labels are an array, or begin with a number",
    )
    counts: dict[str, int] = {}
    for number, part in enumerate(m["parts"]):
        rows, ghosts = file_names(number)
        counts |= {rows: part["edges"], ghosts: part["ghosts"]}
    if m["by"] != "range":
        counts |= {"numbers.npy": n, "places.npy": n}
    if named:
        counts["labels.npy"] = n
    files = m["files"]
    _expect(files.keys() == counts.keys(), "the files must be those of the parts")
    for name, entry in files.items():
        _expect(_are_counts(entry["bytes"], entry["count"]) and entry["count"] == counts[name], f"the size of {name}")
        _expect(type(entry["digest"]) is str and _DIGEST.fullmatch(entry["digest"]), f"the digest of {name}")
