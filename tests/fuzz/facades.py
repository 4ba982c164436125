"""Facades: the same call to a library and to steppe's stand-in for it; what both come to is compared.

An outcome is a value or an error. An error must be of the library's type. What is compared of a value is the facade's promise: the modules
beside this one know it (``facade_csgraph.py``, ``facade_networkx.py``).
"""

import math
from dataclasses import dataclass

from .attempt import Declined
from .look import Wrong


@dataclass
class Outcome:
    """What a call came to."""

    value: object = None
    error: Exception | None = None

    def __str__(self):
        text = f"{type(self.error).__name__}: {self.error}" if self.error else repr(self.value)
        return text[:600]


def outcome(function, *, declines=()):
    """Call; an error of the kinds that decline a call is raised as Declined."""
    try:
        return Outcome(function())
    except declines as error:
        raise Declined(str(error)) from None
    except Exception as error:
        return Outcome(error=error)


def both(theirs, ours, compare):
    """Compare two outcomes: errors by type, values by `compare`, which raises Wrong."""
    if theirs.error is not None:
        if ours.error is None or not isinstance(ours.error, type(theirs.error)):
            raise Wrong(f"{ours}, theirs is {theirs}")
        return
    if ours.error is not None:
        raise Wrong(f"an error, {ours}; theirs is {theirs}")
    try:
        compare(theirs.value, ours.value)
    except Wrong as error:
        raise Wrong(f"{error}; ours {ours}, theirs {theirs}") from None


def close(a, b, *, exact):
    """Whether two numbers are the same, or nearly; NaN is NaN."""
    if a == b or (a != a and b != b):  # noqa: PLR0124
        return True
    if exact or isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return False
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-300)
