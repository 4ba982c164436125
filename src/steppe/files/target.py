"""Where bytes go to: a file is there whole or not at all, whatever fails on the way, and whenever the process dies.

The rules of every careful writer. All is written to a draft in the same folder, under a name that nobody can guess, opened so that no link is
followed and nothing is overwritten; the draft is brought to the disk (fsync); then it takes the place of the old file in one step (rename), and
the folder is brought to the disk too. The new file has the mode of the one it replaces. A name that is a symbolic link stays one: the file it
leads to is replaced. Pipes and devices are written into, not replaced.

The process holds a lock on its draft. The next process that writes to the folder removes drafts nobody holds a lock on: their owner is dead.

Two files that belong together (``.e`` and ``.v``) are both complete before the first is renamed. Between the two renames stands a mark beside
them (``x.e.unfinished``), which makes :func:`steppe.read` refuse the mixture that a crash may leave there.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from . import file_system
from .source import split_suffix
from .unpack import zstandard as load_zstandard

if TYPE_CHECKING:
    from collections.abc import Iterator

_DRAFT = re.compile(r"\..*\.steppe-[0-9a-f]{16}\.part", re.DOTALL)
_swept: set[str] = set()  # folders that this process has looked through


@dataclass
class _Draft:
    """A file that is being written."""

    path: Path  # as the caller says it
    final: Path  # without links
    name: Path | None  # where it is written; None for a pipe or device, which is written into
    raw: IO[bytes]
    sink: _Sink
    packer: IO[bytes] | None


class Target:
    """One file or several that appear together when the ``with`` block ends without an error.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "x.txt.gz")
    >>> with Target() as target:
    ...     _ = target.open(file).write(b"1 2")
    ...     print(file.exists())
    False
    >>> file.exists()
    True
    """

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []

    def __enter__(self) -> Target:
        return self

    def open(self, path: Path, *, seek: bool = False) -> IO[bytes]:
        """Open a file for writing, packed as its suffix says. The first one is the one that is read by its name, the others stand beside."""
        packing = split_suffix(path)[1]
        zstandard = load_zstandard() if packing == ".zst" else None
        final, old = file_system.resolve(path)
        name: Path | None = None
        if old is None or stat.S_ISREG(old.st_mode):
            _sweep(final.parent)
            name, fd = _open_draft(final, old)
        else:
            fd = file_system.open_special(path, old, seek=seek)
        raw = os.fdopen(fd, "wb")
        sink = _Sink(raw)
        packer: Any = None
        if packing == ".gz":
            packer = gzip.GzipFile(fileobj=sink, mode="wb", filename="", mtime=0, compresslevel=4)
        elif packing == ".bz2":
            packer = bz2.BZ2File(sink, mode="wb")
        elif packing == ".xz":
            packer = lzma.LZMAFile(sink, mode="wb", preset=2)  # type: ignore[arg-type]  # noqa: SIM115
        elif zstandard is not None:
            packer = zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(sink, closefd=False)
        self._drafts.append(_Draft(path, final, name, raw, sink, packer))
        return raw if packer is None else packer

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        try:
            if error is None:
                self._finish()
        except BaseException as failure:
            error = failure
            raise
        finally:
            for draft in self._drafts:
                draft.sink.dead = True  # what packers still say when they are closed belongs to no file
                for file in (draft.packer, draft.raw):
                    with contextlib.suppress(OSError, ValueError):
                        if file is not None:
                            file.close()
                with contextlib.suppress(OSError):
                    if draft.name is not None:
                        draft.name.unlink()
            if isinstance(error, OSError) and error.errno is not None and self._drafts:
                drafts = {str(draft.name): draft.path for draft in self._drafts}
                if error.filename is None or str(error.filename) in drafts:
                    # People know the file by its own name.
                    error.filename = str(drafts.get(str(error.filename), self._drafts[0].path))
                    del error.filename2  # set to None it would be printed

    def _finish(self) -> None:
        for draft in self._drafts:
            if draft.packer is not None:
                draft.packer.close()
            draft.raw.flush()
            if draft.name is not None:
                os.fsync(draft.raw.fileno())
            if draft.name is None or os.name == "nt":  # Windows renames no file that is open
                draft.raw.close()
        files = [(draft.name, draft.final) for draft in self._drafts if draft.name is not None]
        if len(files) == 1:
            files[0][0].replace(files[0][1])
        elif files:
            _replace_together(files)
        for folder in {final.parent for _, final in files}:
            file_system.sync_folder(folder)


@contextlib.contextmanager
def destination(path: Path, *, seek: bool = False) -> Iterator[IO[bytes]]:
    """Open one file for writing, packed as its suffix says; it takes the place of ``path`` when all is written."""
    with Target() as target:
        yield target.open(path, seek=seek)


def unfinished(path: Path) -> Path:
    """Return the mark beside ``path`` that says: this file and its companion were being replaced when the process died."""
    path = Path(os.path.realpath(path))
    return path.with_name(path.name + ".unfinished")


class _Sink(io.RawIOBase):
    """What a packer writes to; once dead it swallows the rest, so that a failed file gets no proper end."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.dead = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data) if self.dead else self.file.write(data)


def _open_draft(final: Path, old: os.stat_result | None) -> tuple[Path, int]:
    """Open a draft for ``final``, locked."""
    while True:
        name = final.with_name(f".{final.name[:40]}.steppe-{secrets.token_hex(8)}.part")
        try:
            # What replaces a file gets its mode, never more than that on the way; a new file gets what the umask leaves.
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | file_system.CAREFUL, 0o600 if old else 0o666)
        except OSError as error:
            error.filename = str(final)
            raise
        try:
            with contextlib.suppress(BlockingIOError):
                file_system.lock(fd)
                if os.name == "nt" or os.fstat(fd).st_nlink:
                    file_system.keep_mode(fd, old)
                    return name, fd
            os.close(fd)  # taken for a dead process's draft in the moment before it was locked
        except BaseException:
            os.close(fd)
            name.unlink(missing_ok=True)
            raise


def _sweep(folder: Path) -> None:
    """Remove the drafts of dead processes, once in the life of this one."""
    if str(folder) not in _swept:
        _swept.add(str(folder))
        file_system.remove_dead(folder, _DRAFT)


def _replace_together(files: list[tuple[Path, Path]]) -> None:
    """Rename drafts to their places, the first one last; if a rename fails, undo those before it."""
    mark = unfinished(files[0][1])
    fd = os.open(mark, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | file_system.CAREFUL, 0o666)
    size = os.fstat(fd).st_size
    os.close(fd)
    if size:  # ours is empty
        raise FileExistsError(errno.EEXIST, "this is not a mark of ours, and would be removed: move it away", str(mark))
    undo: list[tuple[Path | None, Path]] = []
    mixed = False
    try:
        file_system.sync_folder(mark.parent)
        for name, final in reversed(files[1:]):
            undo.append((_kept(final), final))
            name.replace(final)
        files[0][0].replace(files[0][1])
    except BaseException:
        mixed = True
        for kept, final in undo:
            if kept is not None:
                kept.replace(final)
            else:
                final.unlink(missing_ok=True)
        mixed = False
        raise
    finally:
        if not mixed:  # otherwise the mark has to stay, and the old file under its second name
            mark.unlink()
            for kept, _ in undo:
                if kept is not None:
                    kept.unlink(missing_ok=True)


def _kept(final: Path) -> Path | None:
    """Give the old file a second name, by which it can be brought back; None where there is no old file."""
    name = final.with_name(f".{final.name[:40]}.steppe-{secrets.token_hex(8)}.part")
    try:
        os.link(final, name, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK):
            raise
        final.rename(name)  # a file system without hard links
    return name
