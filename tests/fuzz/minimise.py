"""Makes a failing case small: fewer questions, fewer edges, fewer options, simpler numbers, as long as it fails in the same way.

Delta debugging (Zeller and Hildebrandt 2002): leave out halves, quarters, eighths …; keep what still fails.
"""

from .cases import Case
from .weights import DTYPES

NEEDED = ("call", "function", "source", "sources", "target", "suffix", "again", "store", "k", "damage", "seed", "parts")
"""What a question is not one without."""


def minimise(case, failure, attempt, tries):
    """Return (small case, its message); `attempt` asks a case and returns (question, message) or None."""
    kind = kind_of(failure.message)
    state = {"case": case, "message": failure.message + " (not seen again when asked alone)"}
    left = iter(range(tries))

    def fails(candidate):
        if next(left, None) is None:
            return False
        found = attempt(candidate)
        if found is None or kind_of(found[1]) != kind:
            return False
        state.update(case=candidate, message=found[1])
        return True

    try:
        if fails(case.but(questions=case.questions[-1:])) or fails(case):
            before = None
            while before != state["case"]:
                before = state["case"]
                _questions(state, fails)
                _edges(state, fails)
                _vertices(state, fails)
                _options(state, fails)
                _numbers(state, fails)
    finally:
        attempt.close()
    return state["case"], state["message"]


def kind_of(message):
    """A wrong answer, an error of a type, a crash or a hang: a small case must fail in the same way."""
    head = message.split(":")[0].split()[0]
    return head if head in ("hang", "crash") or head.endswith(("Error", "Exception")) else "wrong"


def shorten(items, fails):
    """Leave out as many items as possible; `fails` takes a list."""
    size = max(1, len(items) // 2)
    while items:
        at, found = 0, False
        while at < len(items):
            fewer = items[:at] + items[at + size :]
            if fails(fewer):
                items, found = fewer, True
            else:
                at += size
        if size == 1 and not found:
            break
        size = max(1, size // 2)
    return items


def _questions(state, fails):
    if len(state["case"].questions) > 1:
        shorten(
            state["case"].questions[:-1],
            lambda qs: fails(state["case"].but(questions=[*qs, state["case"].questions[-1]])),
        )


def _edges(state, fails):
    shorten(state["case"].edges, lambda edges: fails(state["case"].but(edges=edges)))


def _vertices(state, fails):
    """Leave out vertices that nothing speaks of, all at once or the last one."""
    case = state["case"]
    used = {v for e in case.edges for v in e[:2]} | {v for q in case.questions for v in vertices_of(q)}
    keep = sorted(used) or [0]
    for kept in (keep, sorted({*keep, case.n - 1}), [v for v in range(case.n) if v != case.n - 1 or v in used]):
        if 0 < len(kept) < case.n and fails(renumber(case, kept)):
            return


NAMING = ("source", "target", "vertex", "u", "v", "sources", "targets", "center_nodes", "nbunch", "nodelist")
"""What has a vertex in a question, or a list of some; -1 is a name that no vertex has."""


def vertices_of(question):
    named = [question[k] for k in NAMING if question.get(k) is not None]
    return [v for x in named for v in (x if isinstance(x, list) else [x]) if v >= 0]


def renumber(case, kept):
    place = {v: i for i, v in enumerate(kept)} | {-1: -1}
    questions = []
    for q in case.questions:
        new = dict(q)
        for k in NAMING:
            if new.get(k) is not None:
                new[k] = [place[v] for v in new[k]] if isinstance(new[k], list) else place[new[k]]
        if "heads" in new:  # one for each vertex
            new["heads"] = [new["heads"][v] for v in kept]
        questions.append(new)
    return case.but(n=len(kept), edges=[(place[u], place[v], w) for u, v, w in case.edges], questions=questions)


def _options(state, fails):
    plain = Case(1, [])
    for name in ("labels", "where", "prepared", "eager", "directed"):
        value = getattr(plain, name)
        if getattr(state["case"], name) != value:
            fails(state["case"].but(**{name: value}))
    dtype = state["case"].dtype
    for simpler in ("int64", "float64"):
        if dtype in DTYPES[1:] and dtype != simpler and dtype.startswith("float") == simpler.startswith("float"):
            fails(state["case"].but(dtype=simpler))
    for i, question in enumerate(state["case"].questions):
        for name in list(question):
            if name not in NEEDED:
                _change(state, fails, i, {k: v for k, v in state["case"].questions[i].items() if k != name})
        for name in ("sources", "targets"):
            for v in list(state["case"].questions[i].get(name, ())):
                left = [x for x in state["case"].questions[i][name] if x != v]
                if left:
                    _change(state, fails, i, {**state["case"].questions[i], name: left})
        if state["case"].questions[i].get("again", 1) > 1:
            _change(state, fails, i, {**state["case"].questions[i], "again": 1})


def _change(state, fails, i, question):
    case = state["case"]
    return fails(case.but(questions=[*case.questions[:i], question, *case.questions[i + 1 :]]))


def _numbers(state, fails):
    """Try simpler weights and cutoffs."""
    for i in range(len(state["case"].edges)):
        u, v, w = state["case"].edges[i]
        if w is None or len(state["case"].edges) > 60:
            continue
        number = float if isinstance(w, float) else int
        for simpler in (number(0), number(1)):
            edges = state["case"].edges
            if w != simpler and fails(state["case"].but(edges=[*edges[:i], (u, v, simpler), *edges[i + 1 :]])):
                break
    for i, question in enumerate(state["case"].questions):
        cutoff = question.get("cutoff")
        for simpler in (0, 1, 5, 2**31 - 1, 2**32):
            if cutoff is not None and cutoff != simpler and _change(state, fails, i, {**question, "cutoff": simpler}):
                break
