"""Images: compiled kernels on disk, checked before they are loaded.

An image runs on the GPU with the user's rights, so nobody else may be able to change it: folder and file belong to this user (or to root), others
cannot write to either, and the file is no link. Its first line is the SHA-256 of the rest, which finds damage. An image that fails a check is
compiled again, as is everything where no folder can be written to. Windows protects the folder of a user.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

HEADING = b"steppe image "
# No links, no waiting for a pipe's other end, no line ends of Windows; each where the system knows it.
_CAREFULLY = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def folder() -> Path:
    """Return where compiled kernels are kept: STEPPE_CACHE_DIR, or the system's place for caches."""
    if chosen := os.environ.get("STEPPE_CACHE_DIR"):
        return Path(chosen)
    chosen, below = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    try:
        return Path(os.environ.get(chosen) or Path.home() / below) / "steppe"
    except RuntimeError:  # a user without a home, as some containers have
        return Path(tempfile.gettempdir()) / f"steppe-{os.getuid()}"


def load(key: str) -> bytes | None:
    """Return the image of this name, or None where there is none that can be trusted."""
    path = folder() / f"{key}.cubin"
    try:
        if not _is_ours(path.parent.stat()):
            return None
        opened = os.open(path, os.O_RDONLY | _CAREFULLY)
        with os.fdopen(opened, "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or not _is_ours(facts):
                return None
            heading, image = file.readline(128), file.read()
    except OSError:
        return None
    return image if heading == _heading(image) else None


def store(key: str, image: bytes, text: str) -> None:
    """Keep an image, and beside it the text it was made of; nothing where the folder is not ours or cannot be written."""
    path = folder() / f"{key}.cubin"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_ours(path.parent.stat()):
            return
        for target, data in ((path.with_suffix(".cu"), text.encode()), (path, _heading(image) + image)):
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:  # its mode is 0600
                file.write(data)
            Path(file.name).replace(target)  # other processes see all of it or nothing
    except OSError:
        pass


def _heading(image: bytes) -> bytes:
    return HEADING + hashlib.sha256(image).hexdigest().encode() + b"\n"


def _is_ours(facts: os.stat_result) -> bool:
    """Whether only this user, or root, can have written it."""
    if sys.platform == "win32":
        return True
    return facts.st_uid in (0, os.geteuid()) and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
