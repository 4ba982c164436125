"""Lists: k_shortest_paths() and all_shortest_paths() against all simple paths, nearest(k=, offsets=) against a search from each source."""

import heapq
from math import inf

import numpy as np

import steppe as sp

from . import expect, nasty
from .attempt import attempt, options_of
from .cases import Case, number
from .expect import LARGEST, Expected, array
from .look import Wrong, same
from .program import built as built_lines
from .questions import cutoff_of
from .truth import NegativeCycle, dijkstra
from .weights import rounded

build = Case.build
ASKED = 12


def make(rng, index):
    case = nasty.graph(rng, (1, 2, 3, 4, 5, 6, 7), most=16)
    case.questions = [question_of(rng, case) for _ in range(ASKED)]
    return case


def question_of(rng, case):
    """Make a question."""
    call = rng.choice(("k_shortest_paths", "all_shortest_paths", "nearest"))
    s, t = rng.randrange(case.n), rng.randrange(case.n)
    if call == "k_shortest_paths":
        return {"call": call, "source": s, "target": t, "k": rng.choice((1, 2, 3, 5, 10, 100))}
    if call == "all_shortest_paths":
        methods = (None, None, "dijkstra", "delta-stepping", "bellman-ford", "frontier")
        method = rng.choice(methods)
        return {"call": call, "source": s, "target": t, **({"method": method} if method else {})}
    sources = [rng.randrange(case.n) for _ in range(rng.choice((1, 2, 3, 4)))]
    question = {"call": call, "sources": sources, "k": rng.choice((1, 2, 3, 5))}
    if question["k"] == 1 or rng.random() < 0.7:
        question["heads"] = heads_of(rng, case)
    if rng.random() < 0.4:
        from .truth import Truth

        kind = rng.choice(("0", "at", "below", "above", "half", "float", inf, 2**63 - 1, 2**31 - 1))
        question["cutoff"] = cutoff_of(rng, Truth(case).distances([s]), kind, case, hops=False)
    if rng.random() < 0.3:
        question["reverse"] = True
    return question


def heads_of(rng, case):
    """Return head starts, one for each vertex: a source's is that of its number, so that leaving out a source changes no other's."""
    weights = [w for _, _, w in case.edges if w is not None and 0 <= w < inf and w != expect.UNREACHABLE] or [1]
    pool = (0, 0, 0, 1, 2, *weights)
    if case.is_integer:
        return [int(rng.choice((*pool, rng.choice((0, 2**62, LARGEST))))) for _ in range(case.n)]
    largest = float(np.finfo(case.dtype).max)
    pool = [abs(x) for x in pool]  # no -0.0
    return [
        rounded(rng.choice((*pool, 1e-20, 0.1, rng.choice((0.0, 1.0, largest)))), case.dtype) for _ in range(case.n)
    ]


def one(case, truth, graph, question, folder):
    """Ask one question; raise where the answer is not right."""
    {"k_shortest_paths": k_shortest, "all_shortest_paths": all_shortest, "nearest": nearest}[question["call"]](
        case, truth, graph, question
    )


def simple_paths(truth, s, t):
    """Every path that visits no vertex twice: {vertices: length}; weights are added from the source on, a sum of inf is no path."""
    lightest = [{} for _ in range(truth.n)]
    for u, row in enumerate(truth.rows):
        for v, w in row:
            if v not in lightest[u] or w < lightest[u][v]:
                lightest[u][v] = w
    found, waiting = {}, [((s,), truth.zero)]
    while waiting:
        path, length = waiting.pop()
        if path[-1] == t:
            found[path] = length
            continue
        for v, w in lightest[path[-1]].items():
            if v not in path and (there := truth.add(length, w)) != inf:
                waiting.append(((*path, v), there))
    return found


def k_shortest(case, truth, graph, question):
    s, t, k = question["source"], question["target"], question["k"]
    if truth.has_negative:
        expected = Expected(must=("NegativeWeightError",))
    else:
        paths = simple_paths(truth, s, t)
        lengths = sorted(paths.values())[:k]
        over = case.is_integer and any(d > LARGEST for d in lengths)
        expected = Expected(must=("DistanceOverflowError",) if over else ())
    answer, error = attempt(lambda: sp.k_shortest_paths(graph, case.label(s), case.label(t), k), expected)
    if error:
        return
    back = {case.label(v): v for v in range(truth.n)}
    found = [tuple(back[x] for x in route.vertices.tolist()) for route in answer]
    if [(type(r.distance), r.distance) for r in answer] != [(type(truth.zero), d) for d in lengths]:
        raise Wrong(f"lengths {[r.distance for r in answer]}, right are {lengths}: paths {found}")
    if len(set(found)) < len(found):
        raise Wrong(f"a path comes twice: {found}")
    for route, path in zip(answer, found, strict=True):
        if paths.get(path) != route.distance:
            raise Wrong(f"path {path} of length {route.distance}, right is {paths.get(path)}")
        route.verify()


def all_shortest(case, truth, graph, question):
    s, t = question["source"], question["target"]
    plain = {} if truth.has_negative else {"targets": [t]}
    expected = expect.searched(truth, {**question, **plain}, [s])
    answer, error = attempt(
        lambda: sp.all_shortest_paths(graph, case.label(s), case.label(t), **options_of(question, "method")), expected
    )
    if error:
        return
    distances = truth.distances([s])
    assert distances is not NegativeCycle
    right = expect.UNREACHABLE if case.is_integer else inf
    right = right if distances[t] is None else distances[t]
    if answer.distance != right:
        raise Wrong(f"distance {answer.distance!r}, right is {right!r}")
    wanted = sorted(path for path in simple_paths(truth, s, t) if is_tight(truth, path, distances))
    back = {case.label(v): v for v in range(truth.n)}
    found = [tuple(back[x] for x in path.tolist()) for path in answer]
    if sorted(found) != wanted or answer.count != len(wanted):
        raise Wrong(f"{answer.count} paths {sorted(found)}, right are {len(wanted)}: {wanted}")


def is_tight(truth, path, distances):
    """Whether a path is a shortest one up to each of its vertices."""
    return all(truth.length(path[: i + 1]) == distances[v] for i, v in enumerate(path))


def nearest(case, truth, graph, question):
    side = truth.reverse if question.get("reverse") else truth
    given = options_of(question, "k", "cutoff", "reverse")
    heads = [question["heads"][s] for s in question["sources"]] if "heads" in question else None
    if heads is not None:
        given["offsets"] = np.array(heads, dtype=case.distance_dtype)
    expected, winners = k_nearest(side, question, heads)
    answer, error = attempt(lambda: sp.nearest(graph, case.named(question["sources"]), **given), expected)
    if error:
        return
    shape = truth.n, question["k"]
    same(answer.distances.reshape(shape), array(expected.rows, case.distance_dtype).reshape(shape), "distances")
    if answer.source_index.reshape(shape).tolist() != winners:
        raise Wrong(
            f"sources {answer.source_index.tolist()}, right are {winners}: distances {answer.distances.tolist()}"
        )
    answer.verify()


def k_nearest(truth, question, heads):
    """Return what to expect, a row of k for each vertex, and the winners: nearest first, of equally near ones the one given first."""
    if truth.has_negative:
        return Expected(must=("NegativeWeightError",)), None
    starts = {}
    for i, s in enumerate(question["sources"]):
        head = truth.zero if heads is None else heads[i]
        if s not in starts or head < starts[s][0]:
            starts[s] = (
                head,
                i,
            )  # a source given twice counts with its smaller head start, from its first place of those
    cutoff, k = question.get("cutoff"), question["k"]
    reached, beyond = by_rows(truth, starts) if truth.case.is_integer else by_labels(truth, starts, k), False
    table, winners = [], []
    for found in reached:
        within = sorted(x for x in found if cutoff is None or x[0] <= cutoff)[:k]
        beyond |= any(d > LARGEST for d, *_ in found)
        table.append([d for d, *_ in within] + [None] * (k - len(within)))
        winners.append([s for *_, s in within] + [-1] * (k - len(within)))
    whole = truth.case.is_integer
    if whole and any(d is not None and d > LARGEST for row in table for d in row):
        return Expected(must=("DistanceOverflowError",)), None
    may = ("DistanceOverflowError",) if whole and beyond and cutoff is not None and cutoff > LARGEST else ()
    return Expected(table, may=may), winners


def by_rows(truth, starts):
    """Return of each vertex all sources that reach it: (distance, place among those given, source), by a search from each."""
    rows = {s: dijkstra(truth.rows, [s], truth.add, head) for s, (head, _) in starts.items()}
    return [[(row[v], starts[s][1], s) for s, row in rows.items() if row[v] is not None] for v in range(truth.n)]


def by_labels(truth, starts, k):
    """Return the same of the k nearest. Floats round: a source goes on only from a vertex of which it is among the k nearest."""
    found = [[] for _ in range(truth.n)]
    heap = [(head, place, s, s) for s, (head, place) in starts.items()]
    heapq.heapify(heap)
    while heap:
        d, place, s, u = heapq.heappop(heap)
        if len(found[u]) == k or any(s == known for *_, known in found[u]):
            continue
        found[u].append((d, place, s))
        for v, w in truth.rows[u]:
            if (there := truth.add(d, w)) != inf:
                heapq.heappush(heap, (there, place, s, v))
    return found


def lines(case):
    """A case as a program."""
    text = ["import numpy as np", "import steppe as sp", "", *built_lines(case)]
    for question in case.questions:
        call = question["call"]
        given = {k: number(v) for k, v in options_of(question, "k", "cutoff", "reverse", "method").items()}
        if call == "nearest":
            names = [str(case.named(question["sources"]))]
            if "heads" in question:
                given["offsets"] = f"[{', '.join(number(question['heads'][s]) for s in question['sources'])}]"
        else:
            names = [repr(case.label(question[k])) for k in ("source", "target")]
        text.append(f"r = sp.{call}({', '.join(['g', *names, *(f'{k}={v}' for k, v in given.items())])})")
        text += {
            "k_shortest_paths": ["print([(p.distance, p.vertices.tolist()) for p in r])"],
            "all_shortest_paths": ["print(r.distance, r.count, [p.tolist() for p in r])"],
            "nearest": ["print(r.distances.tolist(), r.source_index.tolist())"],
        }[call]
    return text
