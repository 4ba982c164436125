"""The command ``steppe``, until its modules are imported.

That takes some tenths of a second, in which Ctrl-C should end the process without a traceback. So the signal gets its plain meaning first, when this
module is imported, which only the command does. It imports nothing that takes time; :func:`steppe.cli.main` gives the signal back to Python.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Run the command line with the arguments of this process."""
    from steppe.cli import main as run

    run()
