"""Calls steppe: the answer, or the name of an error that is due; a call may also be declined."""

import steppe as sp

from .look import Wrong


class Declined(Exception):  # noqa: N818
    """A facade leaves the call to the library it stands for, as documented."""


DECLINED = "declined"
"""What is told of such a question instead of None."""


def options_of(question, *names):
    return {name: question[name] for name in names if name in question}


def attempt(function, expected):
    """Call; return (answer, None), or (None, name of the error) where an error was promised or allowed."""
    try:
        answer = function()
    except sp.SteppeError as error:
        name = type(error).__name__
        if name == "NegativeCycleError" and name in expected.must:
            return error, name
        if name in expected.must or name in expected.may:
            return None, name
        raise
    except ValueError:
        if "ValueError" in expected.must or "ValueError" in expected.may:
            return None, "ValueError"
        raise
    if expected.must:
        raise Wrong(f"an answer where {' or '.join(expected.must)} is due: {answer!r}")
    return answer, None
