"""Covering arrays: few rows of options in which every pair of options occurs.

All combinations of a dozen options would be millions; most faults need two of them to meet. The rows are made greedily: of some
random rows around a pair that is still missing, take the one that brings most new pairs (AETG, Cohen et al. 1997).
"""

import itertools
import random


def covering(factors, seed=0, tries=20):
    """Return rows, dicts of one level for every factor, in which each pair of levels of two factors occurs.

    >>> len(covering({"a": (1, 2), "b": (1, 2), "c": (1, 2)})) < 8
    True
    """
    rng = random.Random(seed)  # noqa: S311
    names = list(factors)
    missing = dict.fromkeys(
        pair
        for one, other in itertools.combinations(names, 2)
        for pair in itertools.product(((one, x) for x in factors[one]), ((other, y) for y in factors[other]))
    )
    if len(names) == 1:
        return [{names[0]: level} for level in factors[names[0]]]
    rows = []
    while missing:
        fixed = dict(next(iter(missing)))
        best, most = None, []
        for _ in range(tries):
            row = {name: fixed[name] if name in fixed else rng.choice(factors[name]) for name in names}
            new = [pair for pair in pairs_of(row) if pair in missing]
            if best is None or len(new) > len(most):
                best, most = row, new
        rows.append(best)
        for pair in most:
            del missing[pair]
    return rows


def pairs_of(row):
    """All pairs of (factor, level) in a row."""
    return itertools.combinations(row.items(), 2)


def count_pairs(factors):
    """How many pairs there are to cover."""
    sizes = [len(levels) for levels in factors.values()]
    return sum(a * b for a, b in itertools.combinations(sizes, 2))


class Coverage:
    """Which rows of a graph and rows of a question have met, and so which pairs of options, call by call."""

    def __init__(self, graph_factors, call_factors):
        self.possible = sum(count_pairs({**graph_factors, **factors}) for factors in call_factors.values())
        self.met = {}

    def add(self, graph_row, question_row, options):
        """Note a meeting of two rows, by number; `options` are both rows together."""
        if (graph_row, question_row) not in self.met:
            self.met[graph_row, question_row] = options

    def count(self):
        """Return how many pairs were seen."""
        seen = set()
        for options in self.met.values():
            call = options["call"]
            seen.update((call, pair) for pair in pairs_of({k: v for k, v in options.items() if k != "call"}))
            if len(seen) == self.possible:
                break
        return len(seen)
