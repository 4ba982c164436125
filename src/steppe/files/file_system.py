"""What writers ask of the file system: what is at a path already, its mode, locks, and bringing names to the disk."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

if sys.platform != "win32":
    import fcntl

# Follow no link in the last part of the name; no child inherits the file; bytes are bytes on Windows too.
CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def resolve(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return the path without symbolic links, and what is there; a folder is refused."""
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))
    return Path(os.path.realpath(path)), old


def open_special(path: Path, old: os.stat_result, *, seek: bool) -> int:
    """Open a pipe or a device to write into it; ``seek`` says that this will not do."""
    if seek:
        raise OSError(errno.ESPIPE, "this is a pipe or a device, and a file in pieces needs a real one", str(path))
    try:
        # Without waiting: a pipe that nobody reads would keep us for ever.
        fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(old.st_mode):
            raise OSError(errno.ENXIO, "this is a pipe, and nobody reads from it", str(path)) from None
        raise
    if os.name != "nt":
        os.set_blocking(fd, True)
    return fd


def lock(fd: int) -> bool:
    """Take the lock on a file, until it is closed; BlockingIOError if somebody has it. False where the file system has no locks."""
    if sys.platform != "win32":
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS):
                raise
            return False
    return True


def remove_dead(folder: Path, drafts: re.Pattern[str], within: str = "") -> None:
    """Remove drafts whose process is dead: nobody holds a lock on them, or on the file ``within``, if they are folders."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if drafts.fullmatch(entry.name) and (entry.is_dir if within else entry.is_file)(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_dead(Path(entry.path), within)


def _remove_if_dead(draft: Path, within: str) -> None:
    if os.name == "nt":
        if not within:
            draft.unlink()  # fails while somebody has it open
        return
    fd = os.open(draft / within, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | CAREFUL)
    try:
        if os.fstat(fd).st_uid == os.geteuid() and lock(fd):
            shutil.rmtree(draft, ignore_errors=True) if within else draft.unlink()
    finally:
        os.close(fd)


def same(fd: int, path: Path) -> bool:
    """Tell whether ``path`` is still the name of the open file, and no link to it."""
    try:
        return os.path.samestat(os.fstat(fd), path.lstat())
    except FileNotFoundError:
        return False


def keep_mode(fd: int, old: os.stat_result | None) -> None:
    """Give a new file the owner and the mode of the one it replaces, as far as user and file system may: it is nobody else's before."""
    if old is None or sys.platform == "win32":
        return
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    with contextlib.suppress(PermissionError):
        os.fchmod(fd, stat.S_IMODE(old.st_mode) & 0o777)


def sync_folder(folder: Path) -> None:
    """Bring names to the disk: a rename is only certain when its folder is."""
    if os.name == "nt":
        return
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return  # one may write in a folder that one may not list
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that syncs no folders
            raise
    finally:
        os.close(fd)
