"""A plugin for pytest: counts, while NetworkX's own tests run with NETWORKX_TEST_BACKEND=steppe, who answered calls to what we declare.

NetworkX logs what it does with each call: that it uses the backend, and that it falls back, with the reason. Both are counted per function.
"""

import collections
import json
import logging

from _steppe_networkx import FUNCTIONS

used, fallen = collections.Counter(), collections.Counter()


class Count(logging.Handler):
    def emit(self, record):
        text = record.msg
        if text.startswith("Using backend"):
            name = record.args[1]
            used[name] += name in FUNCTIONS
        elif "alling back" in text:  # before the call, or out of it
            name = next(
                arg for arg in record.args if (isinstance(arg, str) and arg in FUNCTIONS) or arg is record.args[-1]
            )
            if name in FUNCTIONS:
                fallen[name] += 1
                if text.startswith("Backend"):  # it was used, and gave up
                    used[name] -= 1


logger = logging.getLogger("networkx.utils.backends")
logger.setLevel(logging.DEBUG)
logger.propagate = False
logger.addHandler(Count())


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("used " + json.dumps(+used))
    terminalreporter.write_line("fallen " + json.dumps(+fallen))
