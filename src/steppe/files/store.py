"""StoreQuestion: what a matrix on the disk answers, so that only the same question continues or replaces it.

A question has named parts: the graph's edges, weights and labels, the sources, the targets, the cutoff, the types, the format. Arrays are told by how
many entries they have and a digest. The parts are written into the store as text. A call that asks for something else is refused, and told which
parts differ, by both values.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ANEW = "overwrite=True begins anew"


class StoreQuestion:
    """The parts of a question, as they are kept in a store.

    Attributes
    ----------
    text : bytes
        The parts as one line of JSON.
    key : bytes
        The digest of the text.

    Examples
    --------
    >>> asked = StoreQuestion({"cutoff": None, "sources": np.array([3, 5])})
    >>> asked.differences(StoreQuestion({"cutoff": 7, "sources": np.array([3, 5])}).text)
    'cutoff (there 7, here none)'
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.parts = {name: _told(value) for name, value in parts.items()}
        self.text = json.dumps(self.parts, ensure_ascii=True).encode()
        self.key = key_of(self.text)

    def differences(self, found: bytes) -> str:
        """Return which parts are others in the text of another store, with both values."""
        try:
            there = dict(json.loads(found))
        except (ValueError, TypeError, RecursionError):  # whose digest is right all the same: not a text of ours
            return "what is asked there cannot be read"
        names = [name for name in {**self.parts, **there} if self.parts.get(name) != there.get(name)]
        values = [[str(parts.get(name, "unknown"))[:100] for name in names] for parts in (there, self.parts)]
        return ", ".join(f"{n} (there {found}, here {own})" for n, found, own in zip(names, *values, strict=True))

    def refusal(self, place: Path, found: bytes, *, finished: bool) -> StoreError:
        """Return the error that says which parts of the question are others in the store ``place``."""
        state, way = ("finished", "overwrite=True writes over it") if finished else ("unfinished", ANEW)
        return StoreError(f"{place} is {state} and answers another question: {self.differences(found)}; {way}")


def key_of(text: bytes) -> bytes:
    """Return the digest of a question's text."""
    return hashlib.blake2b(text, digest_size=16).digest()


def _told(value: Any) -> str:
    """Return a part of a question as a short text."""
    if value is None:
        return "none"
    if isinstance(value, tuple) and any(isinstance(item, np.ndarray) for item in value):
        return f"{len(value[-1]):,} entries, digest {_digest(*value)}"
    if isinstance(value, np.ndarray):
        return f"{len(value):,} entries, digest {_digest(value)}"
    return str(value)


def _digest(*arrays: Any) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        if array.dtype.kind in "biufUS":
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        else:  # objects, and strings that lie elsewhere
            for item in array:
                digest.update(f"{item!r}\0".encode(errors="surrogatepass"))
    return digest.hexdigest()
