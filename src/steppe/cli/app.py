"""The application without its commands: errors as one line and an exit code, and the arguments that commands share."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from .. import __version__, read
from ..deprecated import METHODS
from ..errors import (
    FormatError,
    GraphError,
    NegativeCycleError,
    NoPathError,
    SteppeError,
    StoreError,
    VerificationError,
)
from ..files.source import split_suffix
from ..machine.memory import size_of
from ..machine.threads import MOST
from .guard import Names, guarded
from .terminal import complain, escaped

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

WRONG_ANSWER = (VerificationError, NegativeCycleError, NoPathError)


class Commands(TyperGroup):
    """A group of commands that turns the errors we raise on purpose into one readable line; a bug keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return result
        except BrokenPipeError as error:
            if error.filename is None:  # `steppe … | head`: the reader has enough, and nothing is wrong
                _close_stdout()
                raise SystemExit(0) from None
            complain(escaped(_words(error)))
            raise SystemExit(2) from None
        except (SteppeError, OSError, ValueError, ImportError, MemoryError) as error:
            text = escaped(" ".join(_words(error).split())) or type(error).__name__
            complain(text)
            raise SystemExit(1 if isinstance(error, WRONG_ANSWER) else 2) from None


def _close_stdout() -> None:
    """Let what is still to be written to standard output go nowhere, also what the interpreter flushes at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _words(error: Exception) -> str:
    """Return the message; of the system's errors the words without the number."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part is not None)
    text = str(error)
    if isinstance(error, FormatError):
        return text.replace(
            "pass max_bytes= to read it all the same", "steppe --max-bytes SIZE COMMAND … reads it all the same"
        )
    return text.replace("overwrite=True", "--force") if isinstance(error, StoreError) else text


class Application(typer.Typer):
    """Commands, each with its options in groups and a check of its files before it (``guard.py``)."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a command."""
        register = super().command(name, **options)

        def registered(function: Any) -> Any:
            register(guarded(_ungrouped(function)))
            return function

        return registered


def _ungrouped(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the fields of each parameter that is a dataclass (a group of options) in the place of that parameter."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        kinds = get_type_hints(groups[name], include_extras=True) if name in groups else {name: hints[name]}
        for option, kind in kinds.items():
            default = getattr(groups[name], option) if name in groups else parameter.default
            parameters.append(parameter.replace(name=option, annotation=kind, default=default))

    @functools.wraps(command)
    def call(**given: Any) -> Any:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in dataclasses.fields(kind)})
        return command(**given)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


app = Application(
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


# Arguments and options that several commands take, spelled once. ---------------------------------------------------


def number(text: str) -> int | float:
    """Return a number as exactly as it was written: an integer stays one."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def renamed(old: str, new: str) -> None:
    """Warn on standard error that an option or its value has another name now."""
    complain(f"{old} is deprecated, write {new}", "warning")


def method_name(method: str) -> str:
    """Return the present name of a method."""
    if method in METHODS:
        renamed(f"--method {method}", f"--method {METHODS[method]}")
    return METHODS.get(method, method)


def _in_words(parse: Callable[[str], Any], expected: str) -> Callable[[str], Any]:
    """Return a parser of an option that says what it expected."""

    def parsed(text: str) -> Any:
        try:
            return parse(text)
        except (ValueError, OverflowError):
            raise typer.BadParameter(f"expected {expected}, not {text!r}") from None

    return parsed


read_options: dict[str, Any] = {}
"""What stands before the command (``steppe --max-bytes SIZE COMMAND …``) and holds for every graph that it reads."""


@app.callback()
def _options(
    max_bytes: Annotated[
        Any,
        typer.Option(
            parser=_in_words(size_of, "bytes, such as 200M or 1.5G"),
            metavar="SIZE",
            help="What a packed graph file may unpack to; default: 64 times its size and 1 MiB.",
        ),
    ] = None,
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    read_options["max_bytes"] = max_bytes


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


def vertices(graph: Graph, texts: list[str]) -> list[int | str]:
    """Return the labels that lists like ``1,2,3`` mean. A text that is a label as a whole, comma and all, means that one."""
    found: list[int | str] = []
    for text in texts:
        try:
            found.append(vertex(graph, text))
        except GraphError:
            if text.startswith("@"):
                found += _listed(graph, text[1:])
            else:
                found += [vertex(graph, part.strip()) for part in text.split(",")]
    return found


def _listed(graph: Graph, file: str) -> list[int | str]:
    """Return the vertices of a file, one in each line; # begins a comment."""
    found: list[int | str] = []
    lines = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    for number, line in enumerate(lines.splitlines(), 1):
        if (text := line.strip()) and not text.startswith("#"):
            try:
                found.append(vertex(graph, text.strip('"')))
            except GraphError as error:
                raise FormatError(str(error), file=file, line=number) from None
    if not found:
        raise FormatError("no vertices are listed there", file=file)
    return found


def output_kind(save: str, kinds: tuple[str, ...]) -> str:
    """Return the suffix of what is saved, which may be packed if it is a table."""
    if save == "-":
        return ".csv"
    kind, packing = split_suffix(Path(save))
    if kind not in kinds:
        raise GraphError(f"cannot save this as {save!r}: use {', '.join(kinds[:-1])} or {kinds[-1]}")
    if packing and kind != ".csv":
        raise GraphError(f"only .csv files are packed on the way: save {save.removesuffix(packing)}")
    return kind


def keep_finished(save: str | None, *, stored: bool, force: bool) -> None:
    """Refuse to write over a finished matrix, which may have taken hours, before the graph is read."""
    if save is None or not stored or force:
        return
    place = Path(save)
    if any(place.iterdir()) if place.is_dir() else place.is_file() and place.stat().st_size:
        raise StoreError(f"{save} is there already: overwrite=True writes over it")


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A graph file of any format; - reads standard input."), Names.READ
]
FormatOption = Annotated[str | None, typer.Option("--format", help="The file's format, where its name does not tell.")]
DirectedOption = Annotated[
    bool | None, typer.Option("--directed/--undirected", help="Take edges so, whatever the format says.")
]
ProfileOption = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="car, bike or foot: whose roads of OpenStreetMap.")
]


@dataclasses.dataclass(frozen=True)
class Reading:
    """The options of commands that read a graph of any format."""

    file_format: FormatOption = None
    directed: DirectedOption = None
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Columns of a table: source,target or source,target,weight; names or positions from 0.",
        ),
    ] = None
    profile: ProfileOption = None

    def open(self, file: str, **options: Any) -> Graph:
        """Read a graph as the options say."""
        if self.columns is not None:
            places: list[Any] = [int(word) if word.isdecimal() else word for word in self.columns.split(",")]
            if len(places) not in (2, 3):
                raise ValueError(f"--columns names a source, a target and perhaps a weight, not {self.columns!r}")
            options |= {"source": places[0], "target": places[1], "weight": places[2] if len(places) > 2 else False}
        options |= read_options | {"profile": self.profile}
        return read(file, format=self.file_format, directed=self.directed, **options)


LIST = "Vertices with commas between them, or @FILE with one in each line; may be repeated."
SourceOption = Annotated[str, typer.Option("--source", "--sources", "-s", help="The vertex to start from.")]
TargetsOption = Annotated[
    list[str] | None,
    typer.Option("--targets", "--target", "-t", metavar="LIST", help=f"Stop when these are settled. {LIST}"),
    Names.LISTED,
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Write over what is there already, or begin an unfinished matrix anew.")
]
DeviceOption = Annotated[str | None, typer.Option(help="cpu, auto, cuda, cuda:1, opencl or opencl:NAME.")]
CutoffOption = Annotated[
    Any,
    typer.Option(
        parser=_in_words(number, "a number"), metavar="NUMBER", help="Leave out what is further than this (inclusive)."
    ),
]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="CPU threads; default: all this process may use.")
]
MemoryOption = Annotated[
    Any,
    typer.Option(
        "--memory-limit",
        "--memory",
        parser=_in_words(size_of, "a size such as 1500000, 200M or 2GB"),
        metavar="SIZE",
        help="Memory to use at most: 200M, 2GB, or bytes.",
    ),
]
RecordOption = Annotated[bool, typer.Option("--record-paths", help="Let the search itself record predecessors.")]
VerifyOption = Annotated[bool, typer.Option("--verify", help="Prove the answer before printing it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
OutputOption = Annotated[
    str | None,
    typer.Option("--output", "-o", help="Save the answer: .npy, .npz, .csv or .parquet; - for CSV to stdout."),
    Names.WRITTEN,
]
