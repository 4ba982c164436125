"""How the site is made (`make docs`): Sphinx reads the Markdown pages through MyST and the reference out of the docstrings.

Sphinx and not MkDocs, because the docstrings are numpydoc in reStructuredText with roles such as :func:`steppe.sssp`: Sphinx
turns them into links and checks them. The pages stay plain Markdown, so that they can be read as they are and
tests/test_docs.py can run their code blocks.

The reference is not written by hand. Its pages are made from ``steppe.__all__`` before each build (docs/reference/, not in
git): a public name that has a docstring is in it. Only a new room may want a title in ``TITLES``; without one it gets its
own name.
"""

from __future__ import annotations

import inspect
import pydoc
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging

import steppe
import steppe.csgraph
import steppe.files

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "steppe"
author = "The steppe authors"
version = release = steppe.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
highlight_language = "text"  # drawings and commands are set as they are; Python says that it is
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_member_order = "bysource"
napoleon_use_ivar = True  # else a property that "Attributes" lists too is there twice
suppress_warnings = [
    "ref.python"
]  # "labels" in "list of labels" is a word, whatever classes have an attribute of that name
napoleon_use_rtype = False
napoleon_google_docstring = False

# Furo brings its fonts, styles and scripts along: the site asks no other server for anything.
html_theme = "furo"
html_title = "steppe " + release.split("+")[0]
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
html_show_sourcelink = False
html_static_path: list[str] = []

TITLES = {
    "graph": "Graphs",
    "calls": "Questions",
    "answers": "Answers",
    "planning": "Plans",
    "files": "Files",
    "generate": "Generated graphs",
    "gpu": "Devices",
    "errors": "Errors",
    "csgraph": "steppe.csgraph",
}
"""Title of each group of public names, in the order of the pages."""

CONSTANTS = {
    "UNREACHABLE": "The distance of vertices not reached, where distances are integers: it equals the largest value of every integer type.",
    "__version__": "The version of steppe, from the tag it was built from.",
}


def group_of(name: str) -> str:
    """Return the group of a public name: the room that it is defined in; classes of the engines and calls are answers."""
    thing = getattr(steppe, name)
    if isinstance(thing, types.ModuleType):
        return name
    module = getattr(thing, "__module__", None) if callable(thing) else None
    if module is None:
        return "planning"  # a constant
    room = module.split(".")[1]
    return "answers" if inspect.isclass(thing) and room in {"calls", "cpu", "paths"} else room


def entry(path: str, thing: Any, text: str = "") -> list[str]:
    """Return the lines of the reference for one name."""
    if inspect.isclass(thing):
        return [f".. autoclass:: {path}", "   :members:", "   :inherited-members: tuple, Exception, Mapping", ""]
    if callable(thing):
        return [f".. autofunction:: {path}", ""]
    return [f".. py:data:: {path}", "", f"   {text}", ""]


def public_functions(module: types.ModuleType) -> list[str]:
    """Return the functions that a module defines itself, in the order of its text."""
    return [
        name
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


def pages() -> dict[str, list[str]]:
    """Return the lines of the page of each group."""
    groups: dict[str, list[str]] = {group: [] for group in TITLES}
    for name in steppe.__all__:
        thing = getattr(steppe, name)
        lines = groups.setdefault(group_of(name), [])
        if isinstance(thing, types.ModuleType):
            lines += [f".. automodule:: steppe.{name}", ""]
            for function in public_functions(thing):
                lines += entry(f"steppe.{name}.{function}", getattr(thing, function))
        else:
            lines += entry(f"steppe.{name}", thing, CONSTANTS.get(name, ""))
    for room in (steppe.files, steppe.csgraph):
        lines = groups[room.__name__.split(".")[1]]
        for name in sorted(set(room.__all__) - set(steppe.__all__ if room is steppe.files else ())):
            lines += entry(f"{room.__name__}.{name}", getattr(room, name))
    return groups


def write_reference(_app: Sphinx) -> None:
    """Write docs/reference: a page for each group, and leave alone what has not changed."""
    folder = HERE / "reference"
    folder.mkdir(exist_ok=True)
    wanted = {}
    for number, (group, lines) in enumerate(pages().items()):
        title = TITLES.get(group, group.replace("_", " ").capitalize())
        wanted[folder / f"{number:02d}-{group}.rst"] = "\n".join([title, "=" * len(title), "", *lines])
    for old in set(folder.iterdir()) - set(wanted):
        old.unlink()
    for page, text in wanted.items():
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def skip(_app: Sphinx, _what: str, _name: str, thing: Any, skipped: bool, _options: Any) -> bool | None:
    """Leave out what a class's docstring lists under "Attributes": fields of a NamedTuple, rows."""
    return True if type(thing).__name__ in {"_tuplegetter", "Row"} else skipped or None


def exists(path: str) -> bool:
    """Tell whether there is such a module, or such a thing in one; a class's docstring may list what only its objects have."""
    owner, _, name = path.rpartition(".")
    try:
        if pydoc.locate(path) is not None:
            return True
        holder = pydoc.locate(owner) if owner else None
    except pydoc.ErrorDuringImport:
        return False
    return inspect.isclass(holder) and name in (inspect.getdoc(holder) or "").replace(",", " ").split()


def missing(_app: Sphinx, _env: Any, node: Any, _content: Any) -> None:
    """Warn of a role in a docstring that names nothing; what is there but not public becomes plain text."""
    if node.get("refdomain") == "py" and node.get("reftype") in {"func", "meth", "attr", "data", "mod", "exc"}:
        name = node["reftarget"]
        places = [node.get("py:module"), node.get("py:class"), "steppe"]
        if not any(map(exists, [name, *(f"{place}.{name}" for place in places if place)])):
            logging.getLogger(__name__).warning("no such name: %s", name, location=node)


def setup(app: Sphinx) -> None:
    """Make the reference before the pages are read."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", missing)
