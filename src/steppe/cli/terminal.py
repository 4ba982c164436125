"""What a terminal is shown: labels and file names come from strangers, and may hold codes that move the cursor or reverse the text."""

from __future__ import annotations

import contextlib
import re
import sys
import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, formats, surrogates, ends of lines and paragraphs
_JOINERS = "\u200c\u200d"  # formats that some scripts cannot do without


def complain(text: str, kind: str = "error") -> None:
    """Write an error, or a warning, to standard error; where that cannot be written to, the exit code has to do."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"steppe: {kind}: {text}\n")
        sys.stderr.flush()


def escaped(text: str) -> str:
    r"""Return the text with every character that is not seen written out.

    >>> escaped("Ulm\x1b[2J")
    'Ulm\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode() if _hidden(c) else c for c in text)


def escaped_json(text: str) -> str:
    r"""Return JSON with those characters written as JSON writes them, which is the same JSON.

    >>> escaped_json('"\x7f"')
    '"\\u007f"'
    """
    if text.isprintable():
        return text
    return re.sub(r"[^ -~]", lambda found: _json(found[0]) if _hidden(found[0]) else found[0], text)


def _hidden(c: str) -> bool:
    return unicodedata.category(c) in _HIDDEN and c not in _JOINERS


def _json(c: str) -> str:
    units = c.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
