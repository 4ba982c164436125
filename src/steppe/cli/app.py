"""The application without its commands: errors as one line and an exit code, and the arguments that commands share."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import GraphError, NegativeCycleError, NoPathError, SteppeError, VerificationError
from .terminal import escaped

if TYPE_CHECKING:
    from ..graph.graph import Graph

WRONG_ANSWER = (VerificationError, NegativeCycleError, NoPathError)


class Commands(TyperGroup):
    """A group of commands that turns the errors we raise on purpose into one readable line; a bug keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # `steppe … | head`: the framework ends quietly
        except (SteppeError, OSError, ValueError, ImportError, MemoryError) as error:
            text = escaped(" ".join(_words(error).split())) or type(error).__name__
            sys.stderr.write(f"steppe: error: {text}\n")
            raise SystemExit(1 if isinstance(error, WRONG_ANSWER) else 2) from None


def _words(error: Exception) -> str:
    """Return the message; of the system's errors the words without the number."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part is not None)
    return str(error)


app = typer.Typer(
    cls=Commands,
    help="Shortest paths, with a proof for every answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"steppe {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


# Arguments and options that several commands take, spelled once. ---------------------------------------------------


def number(text: str) -> int | float:
    """Return a number as exactly as it was written: an integer stays one."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def size(text: str) -> int:
    """Return bytes: ``1500000``, ``200M``, ``1.5G`` (powers of 1024)."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    unit = units.get(text[-1:].upper(), 0)
    return int(float(text[:-1]) * unit) if unit else int(text)


def vertex(graph: Graph, text: str) -> int | str:
    """Return the label that ``text`` means in this graph: a number where the graph has it, else the string itself."""
    labels: list[int | str] = [text]
    with contextlib.suppress(ValueError):
        labels.insert(0, int(text))
    for label in labels:
        try:
            graph.index(label)
        except GraphError as error:
            problem = error
        else:
            return label
    raise GraphError(f"vertex {text} is not in the graph") from problem


def keep_input(file: str, *outputs: str | Path | None) -> None:
    """Refuse to write over the file that is read, whatever its names are."""
    for out in outputs:
        if out is not None and out != "-" and _same(file, out):
            raise GraphError(f"{out} is the file that is read: give what is written another name")


def _same(file: str, out: str | Path) -> bool:
    try:
        read = os.fstat(sys.stdin.fileno()) if file == "-" else Path(file).stat()
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, Path(out).stat())
    except (OSError, ValueError):  # one of them is not there, or standard input is no file
        return False


def vertices(graph: Graph, texts: list[str]) -> list[int | str]:
    """Return the labels that lists like ``1,2,3`` mean. A text that is a label as a whole, comma and all, means that one."""
    found: list[int | str] = []
    for text in texts:
        try:
            found.append(vertex(graph, text))
        except GraphError:
            found += [vertex(graph, part.strip()) for part in text.split(",")]
    return found


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A graph file of any format; - reads standard input.")
]
FormatOption = Annotated[str | None, typer.Option("--format", help="The file's format, where its name does not tell.")]
DirectedOption = Annotated[
    bool | None, typer.Option("--directed/--undirected", help="Take edges so, whatever the format says.")
]
SourceOption = Annotated[str, typer.Option("--source", "-s", help="The vertex to start from.")]
TargetsOption = Annotated[
    list[str] | None, typer.Option("--target", "-t", help="Stop when this vertex is settled; may be repeated.")
]
DeviceOption = Annotated[str | None, typer.Option(help="cpu, auto, cuda, cuda:1, opencl or opencl:NAME.")]
CutoffOption = Annotated[
    Any, typer.Option(parser=number, metavar="NUMBER", help="Leave out what is further than this (inclusive).")
]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="CPU threads; default: all this process may use.")]
MemoryOption = Annotated[
    Any, typer.Option(parser=size, metavar="SIZE", help="Device memory to use at most: 200M, 1.5G, or bytes.")
]
RecordOption = Annotated[bool, typer.Option("--record-paths", help="Let the search itself record predecessors.")]
VerifyOption = Annotated[bool, typer.Option("--verify", help="Prove the answer before printing it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
OutputOption = Annotated[
    str | None,
    typer.Option("--output", "-o", help="Save the answer: .npy, .npz, .csv or .parquet; - for CSV to stdout."),
]
