"""Rules of the dialect (kernels/DIALECT.md) that can be seen in the text of a kernel file."""

import re


def plain(text):
    """Return the text without comments, each macro on one line."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return text.replace("\\\n", " ")


def macros(text):
    """Return what every macro stands for, by its name."""
    return dict(re.findall(r"^#define (\w+)(?:\([^)]*\))?[ \t]*(.*)$", text, re.M))


def functions(text):
    """Return the body of every kernel and helper, by its name; those that a macro defines, too."""
    found = {}
    for begin in re.finditer(r"^(?:KERNEL|DEVICE [\w ]+?) (\w+)\([^)]*\) \{", text, re.M):
        depth, end = 1, begin.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found[begin[1]] = text[begin.end() : end - 1]
    for name, body in macros(text).items():
        if "DEVICE" in body:  # its first argument is the function's name
            inside = body[body.index("{") + 1 : body.rindex("}")]
            found |= dict.fromkeys(re.findall(rf"^{name}\((\w+)", text, re.M), inside)
    return found


def words_with(word, bodies):
    """Return the names of everything that contains `word`, by way of others too."""
    found, before = {word}, set()
    while found != before:
        before = set(found)
        found |= {name for name, body in bodies.items() if uses(body, before)}
    return found


def uses(body, words):
    """Whether a body has one of these words; PASTE(block_min_, KEY) has every word that begins so."""
    pasted = tuple(re.findall(r"PASTE\((\w+),", body))
    return bool(set(re.findall(r"\w+", body)) & words) or (pasted and any(w.startswith(pasted) for w in words))


def early_returns(text):
    """List the functions that come to a barrier and have a `return` other than as their last statement."""
    text = plain(text)
    bodies = functions(text)
    barriers = words_with("BARRIER", macros(text) | bodies)
    returns = words_with("return", macros(text))
    return [
        name
        for name, body in bodies.items()
        if uses(body, barriers) and uses(re.sub(r"\breturn\b[^;{}]*;\s*$", "", body), returns)
    ]
