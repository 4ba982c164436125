"""The parts of the fuzzer: each makes cases of its own, asks and prints them. ``answers`` is the first: searches, matrices, routes, files.

Every other part is a module with ``make(rng, number)``, which returns a case; ``build(case, folder)``, what its questions are asked of;
``one(case, truth, built, question, folder)``, which raises where an answer is not right; and ``lines(case)``, the case as a program.
"""

import random
from importlib import import_module
from types import SimpleNamespace

from . import ask as answers
from . import questions
from .attempt import DECLINED, Declined
from .cases import Case
from .look import Wrong
from .truth import Truth

MODULES = {
    "csgraph": "facade_csgraph",
    "networkx": "facade_networkx",
    "matrices": "matrices",
    "resumed": "resumed",
    "lists": "lists",
    "damaged": "damaged",
}
NAMES = ("answers", *MODULES)
MIX = ("answers", "csgraph", "answers", "networkx", "matrices", "answers", "networkx", "lists", "answers", "resumed", "damaged")  # fmt: skip
"""What comes in turn where all parts are asked; an odd number, so that two workers both see all of them."""


def of(name):
    """Return a part."""
    if name == "answers":
        return SimpleNamespace(build=Case.build, one=answers.one)
    return import_module(f".{MODULES[name]}", __package__)


def make(seed, index, *, parts=("answers",), device=False, only=None):
    """Make case number `index`: (case, its truth, number of its graph's row or -1, numbers of its questions' rows)."""
    name, number = parts[index % len(parts)], index // len(parts)
    if name == "answers":
        return questions.make(seed, number, device=device, only=only)
    rng = random.Random(f"{seed}/{name}/{number}")  # noqa: S311
    case = of(name).make(rng, number)
    case.part = name
    if only is not None:
        case.questions = [q for q in case.questions if q["call"] in only]
    return case, Truth(case), -1, [0]


def ask(case, truth, folder, *, note=lambda i: None):
    """Ask all questions; yield (number of the question, None, DECLINED or what is wrong). Number -1 is the building of the graph."""
    answers.set_eager(case.eager, blocks=not case.eager and len(case.edges) % 3 == 0)
    part = of(case.part)
    note(-1)
    try:
        built = part.build(case, folder)
    except Exception as error:
        yield -1, f"{type(error).__name__} while the graph is built: {error}"
        return
    for i, question in enumerate(case.questions):
        note(i)
        try:
            if case.prepared.startswith("fresh") and i:
                built = part.build(case, folder)
            part.one(case, truth, built, question, folder)
        except Declined:
            yield i, DECLINED
        except Wrong as error:
            yield i, str(error)
        except Exception as error:
            yield i, f"{type(error).__name__}: {error}"
        else:
            yield i, None
