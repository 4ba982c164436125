"""A plugin for pytest: SciPy's own tests, with steppe's functions in the place of SciPy's; prints how often each was called.

``python -m pytest -p scipy_suite --pyargs scipy.sparse.csgraph.tests.test_shortest_path …``. The tests import the functions by name from
``scipy.sparse.csgraph``, so that putting ours there before they are collected is enough.
"""

import collections
import functools
import json

import scipy.sparse.csgraph

import steppe.csgraph

calls = collections.Counter()


def counted(name, function):
    @functools.wraps(function)
    def call(*args, **options):
        calls[name] += 1
        return function(*args, **options)

    return call


for name in steppe.csgraph.__all__:
    ours = getattr(steppe.csgraph, name)
    setattr(scipy.sparse.csgraph, name, ours if isinstance(ours, type) else counted(name, ours))


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("calls " + json.dumps(calls))
