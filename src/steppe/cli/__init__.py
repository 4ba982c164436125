"""The command line, with a command for each job.

``steppe sssp | bfs | route | distances | all-pairs | nearest | isochrone | plot | verify``
``steppe info | convert | partition | generate | bench | tune | devices``

It needs the extra ``cli`` (typer and rich), so nothing of it is imported before :func:`main` is called.

Exit codes: 0 all is well; 1 the answer is wrong or there is none (failed proof, negative cycle, no path); 2 bad usage, a bad file or a
device that cannot do it; 130 interrupted.
"""

from __future__ import annotations

import importlib
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

__all__ = ["application", "main"]


def application() -> typer.Typer:
    """Return the application with all its commands; ``--help`` lists them in this order."""
    from .app import app

    for module in ("search", "route", "distances", "isochrone", "plot", "graphs", "bench", "tune"):
        importlib.import_module(f"{__name__}.{module}")
    return app


def main() -> None:
    """Run the command line with the arguments of this process."""
    from .guard import open_streams
    from .terminal import complain

    open_streams()
    try:
        app = application()
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as _steppe_cli left it
            signal.signal(signal.SIGINT, signal.default_int_handler)
    except KeyboardInterrupt:
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(f"steppe: the command line needs {error.name}: pip install 'steppe[cli]'")
    try:
        app(prog_name="steppe")
    except KeyboardInterrupt:  # before a command has begun, or after it has ended
        sys.exit(130)
    except OSError as error:  # of what is printed without a command: the help, the version
        complain(error.strerror or str(error))
        sys.exit(2)
