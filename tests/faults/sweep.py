"""Run one writing call again and again, with the n-th system call failing, for every n. ``python sweep.py MODE PLACE CASE…``

MODE is once, ever (all calls from then on), short (a write stores half) or kill; PLACE is old, where a file is to be replaced, or empty.

After every failure: an OSError was raised, the old file is there or the new one, whole, nothing else lies around, and the next try succeeds.
Where the process is killed instead, the same holds, but for a draft, which the next try removes; and a matrix goes on to the same bytes.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

import injector

import steppe as sp
from steppe.cli import application
from steppe.files import matrix_folder, target
from steppe.planning import bytes as sizes

sizes.BLOCK = matrix_folder.BLOCK = 40 * 8 * 8
GRAPH = sp.generate.grid(5, 8, seed=3)
PLAIN = sp.Graph.from_csr(GRAPH.indptr, GRAPH.indices, directed=False)
TEXT = [".gr", ".wel", ".el", ".txt", ".csv", ".tsv", ".e", ".mtx", ".graph"]
FORMATS = [*TEXT, ".npz", ".sg", ".wsg", ".steppe"]
PACKED = [".gr.gz", ".gr.xz", ".gr.zst", ".e.gz", ".steppe.zst"]
SAVED = [".npy", ".npz", ".csv", ".parquet"]


def written(path):
    unweighted = ".el" in path.suffixes or ".sg" in path.suffixes
    sp.write(PLAIN if unweighted else GRAPH, path)


def matrix(path):
    sp.all_pairs(GRAPH, out=path, overwrite=True)


def streamed(path):
    sp.generate.to_file(path, "grid", 5, 8, seed=3)


def command(*words):
    """Return a call of the command line that raises what it reports."""

    def call(path):
        texts = [str(path) if word == "OUT" else str(word) for word in words]
        silence = io.StringIO()
        try:
            with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
                application()(texts, standalone_mode=False)
        except SystemExit as error:
            if error.code:
                raise OSError("reported") from error

    return call


def careless(path):
    """What a writer must not do; the sweep has to find it."""
    path.write_bytes(b"half of it")
    with path.open("ab") as file:
        file.write(b"the other half")
        file.flush()
        os.fsync(file.fileno())


def cases(folder):
    """Return the name of every case, its suffix and its call. ``folder`` has the input of commands and is not watched."""
    source = Path(folder) / "in.gr"
    sp.write(GRAPH, source)
    found = {f"write{suffix}": (suffix, written) for suffix in (*FORMATS, *PACKED)}
    found["matrix.npy"] = (".npy", matrix)
    found["matrix.zarr"] = (".zarr", matrix)
    found["careless"] = (".txt", careless)
    found["to_file.steppe"] = (".steppe", streamed)
    for suffix in SAVED:
        found[f"cli-sssp{suffix}"] = (suffix, command("sssp", source, "-s", 0, "-o", "OUT"))
        found[f"cli-distances{suffix}"] = (suffix, command("distances", source, "-s", "0,1,2", "-o", "OUT", "--force"))
    found["cli-convert.steppe"] = (".steppe", command("convert", source, "OUT"))
    found["cli-generate.steppe"] = (".steppe", command("generate", "grid", 5, 8, "--stream", "-o", "OUT"))
    return found


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def take(found, word):
    """Remove the files whose names, or whose folders' names, end in ``word``; tell whether there are any."""
    names = [name for name in found if any(part.endswith(word) for part in name.split("/"))]
    for name in names:
        del found[name]
    return bool(names)


class Case:
    """A call on a file, with what is there before and after."""

    def __init__(self, faults, name, suffix, call, *, replaces):
        self.faults, self.name, self.call, self.suffix = faults, name, call, suffix
        folder = Path(tempfile.mkdtemp())
        self.call(folder / f"x{self.suffix}")
        self.new = contents(folder)
        self.old = {name: b"the old " + name.encode() for name in self.new} if replaces else {}
        shutil.rmtree(folder)

    def fresh(self, number):
        folder = Path(tempfile.mkdtemp(prefix=f"n{number}-"))
        for name, content in self.old.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        target._swept.clear()  # as a new process would
        self.faults.watch(folder)
        return folder

    def steps(self):
        folder = self.fresh(0)
        count = self.faults.count(lambda: self.call(folder / f"x{self.suffix}"))
        assert contents(folder) == self.new, self.name
        shutil.rmtree(folder)
        return count

    def fail(self, n, mode):
        folder = self.fresh(n)
        path = folder / f"x{self.suffix}"
        self.faults.arm(n, mode)
        raised = False
        try:
            self.call(path)
        except OSError:
            raised = True
        finally:
            self.faults.arm(0)
        found = contents(folder)
        growing, aside = take(found, ".rows"), take(found, ".aside")
        where = (self.name, n, mode, sorted(found))
        assert not growing or self.suffix in (".npy", ".zarr"), where
        assert raised or mode == injector.SHORT, where
        mixture = found.pop("x.e.unfinished", found.pop("x.e.gz.unfinished", None))
        if (
            aside and mode == injector.EVER_AFTER
        ):  # the old folder cannot be brought back, because every rename fails now
            assert found in ({}, self.new), where
        elif aside:  # the new one is there, but its name could not be brought to the disk
            assert (raised, found) == (True, self.new), where
        elif mixture is None:
            assert found in (self.old, self.new), where
            assert raised or found == self.new, where
        else:  # nothing could be undone, because every rename fails now
            assert mode == injector.EVER_AFTER, where
        self.again(folder, where)

    def kill(self, n):
        folder = self.fresh(n)
        path = folder / f"x{self.suffix}"
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                self.faults.arm(n, injector.KILL)
                self.call(path)
            os._exit(3)
        status = os.waitpid(child, 0)[1]
        where = (self.name, n, "killed", os.waitstatus_to_exitcode(status))
        assert os.waitstatus_to_exitcode(status) == -9, where
        found = contents(folder)
        take(found, ".part")
        take(found, ".rows")
        aside = take(found, ".aside")
        if found.pop(path.name + ".unfinished", None) is None:
            assert found in (self.old, self.new) or (aside and not found), where
        self.again(folder, where)

    def again(self, folder, where):
        target._swept.clear()
        self.faults.watch("/nowhere")
        self.call(folder / f"x{self.suffix}")
        assert contents(folder) == self.new, where
        shutil.rmtree(folder)


def main(mode, place, *names):
    faults = injector.Injector()
    tempfile.tempdir = tempfile.mkdtemp()
    shared = tempfile.mkdtemp()
    found = cases(shared)
    total = 0
    names = names or [name for name in found if name != "careless"]
    try:
        for name in names:
            case = Case(faults, name, *found[name], replaces=place == "old")
            steps = case.steps()
            assert steps >= 4, (name, steps)  # open, write, fsync, rename
            for n in range(1, steps + 1):
                if mode == "kill":
                    case.kill(n)
                else:
                    case.fail(n, {"once": injector.ONCE, "ever": injector.EVER_AFTER, "short": injector.SHORT}[mode])
            total += steps
            sys.stdout.write(f"{name}: {steps} calls\n")
    finally:
        shutil.rmtree(tempfile.tempdir)
    sys.stdout.write(f"{total} faults in {len(names)} cases\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
