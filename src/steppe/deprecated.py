"""Deprecated: every old public name keeps working, and warns what to write instead."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

NAMES = {"NearestSources": "Nearest", "Skims": "DistanceMatrix", "blocks": "distance_blocks"}
"""Names of the package, and what each is called now."""

METHODS = {"edge": "edge-sweep", "essential": "essential-edges", "lanes": "batched"}
"""Methods of matrices."""


def warn(old: str, new: str) -> None:
    """Warn of an old name, at the first line outside this package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "steppe":
        frame, level = frame.f_back, level + 1
    warnings.warn(f"steppe: {old} is deprecated, write {new}", DeprecationWarning, stacklevel=level)


def method_name(method: str) -> str:
    """Return the present name of a method, with a warning where it was given by an old one."""
    if method in METHODS:
        warn(f'method="{method}"', f'method="{METHODS[method]}"')
    return METHODS.get(method, method)


class Renamed:
    """An attribute that has another name now: ``about = Renamed("metadata")`` in its class."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, _owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the value of the new name."""
        if instance is None:
            return self
        name = type(instance).__name__
        warn(f"{name}.{self.old}", f"{name}.{self.new}")
        return getattr(instance, self.new)


def renamed_arguments(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function whose keyword arguments have other names now: ``old="new"``."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in names.keys() & kwargs.keys():
                new, name = names[old], function.__name__
                if "." in function.__qualname__:
                    name = f"{type(args[0]).__name__}.{name}"
                if new in kwargs:
                    raise TypeError(f"{name}() got both {old}= and {new}=, which is its new name")
                warn(f"{name}({old}=)", f"{name}({new}=)")
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate
