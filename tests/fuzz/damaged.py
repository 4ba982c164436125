"""Damaged: a graph in parts whose files were changed is refused, or gives the same answer; never another one."""

import json
import os
import shutil
from pathlib import Path

import numpy as np

import steppe as sp

from . import expect, nasty
from .expect import array
from .look import Wrong, same
from .program import built as built_lines

ASKED = 10
DAMAGES = ("bit", "bit", "bit", "byte", "cut", "longer", "lost", "swapped", "older", "zeros", "manifest", "nothing")


def make(rng, index):
    families = ("tiny", "small", "any", "2^31", "2^53")
    case = nasty.graph(rng, (4, 8, 15, 30), families=families, most=120, where=("edges",))
    part = {"parts": rng.choice((1, 2, 3, 4)), "by": rng.choice(("range", "locality"))}
    case.questions = [
        {
            "call": rng.choice(("sssp", "sssp", "bfs", "nearest")),
            "source": rng.randrange(case.n),
            "damage": DAMAGES[(index * ASKED + i) % len(DAMAGES)],
            "seed": rng.randrange(2**32),
            **part,
        }
        for i in range(ASKED)
    ]
    return case


os.fsync = lambda fd: None  # the machine will not lose its power here


def build(case, folder):
    """Cut the graph and another one with the same vertices, by the first question's wishes; return both folders."""
    other = case.but(edges=[(v, u, w) for u, v, w in case.edges], directed=True, questions=[])
    folders = []
    for name, each in (("whole", case), ("other", other)):
        folders.append(Path(folder, name))
        shutil.rmtree(folders[-1], ignore_errors=True)
        wish = case.questions[0]
        sp.partition(each.build(folder), folders[-1], parts=min(wish["parts"], case.n), by=wish.get("by", "range"))
    return folders


def one(case, truth, folders, question, folder):
    """Damage a copy, search it."""
    if truth.has_negative:
        return
    whole, other = folders
    copy = Path(folder, "damaged")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    damage(question, copy, other)
    source, call = question["source"], question["call"]
    hops = call == "bfs"
    expected = expect.searched(truth, {}, [source], hops)
    try:
        opened = sp.open_partitioned(copy)
        label = case.label(source)
        answer = getattr(sp, call)(opened, [label] if call == "nearest" else label)
        found, labels = np.array(answer.distances), opened.labels_of(np.arange(opened.num_vertices)).tolist()
    except sp.DistanceOverflowError:
        if "DistanceOverflowError" in expected.must:
            return
        raise
    except sp.SteppeError as error:
        if question["damage"] == "nothing":
            raise Wrong(f"a partition that is whole is refused: {error}") from error
        str(error)
        return
    if expected.must:
        raise Wrong(f"an answer where {expected.must} is due")
    same(found, array(expected.rows, np.int32 if hops else case.distance_dtype)[0], "distances")
    if labels != case.named(range(case.n)):
        raise Wrong(f"labels {labels}")


def damage(question, copy, other):
    """Change the copy's files."""
    kind, seed = question["damage"], question["seed"]
    files = sorted(copy.iterdir())
    full = [f for f in files if f.stat().st_size] or files
    file = full[seed % len(full)]
    words = bytearray(file.read_bytes())
    at = seed // 101 % max(1, len(words))
    if kind == "bit":
        words[at] ^= 1 << seed % 8
    elif kind == "byte":
        words[at] = seed // 7 % 256
    elif kind == "cut":
        del words[at:]
    elif kind == "longer":
        words += bytes(1 + seed % 9)
    elif kind == "zeros":
        words[at : at + 16] = bytes(len(words[at : at + 16]))
    elif kind == "manifest":
        file = copy / "manifest.json"
        words = bytearray(crafted(file, seed))
    if kind == "lost":
        file.unlink()
    elif kind == "swapped":
        second = full[seed // 13 % len(full)]
        theirs = second.read_bytes()
        second.write_bytes(words)
        file.write_bytes(theirs)
    elif kind == "older":  # a file of another graph's partition, as a copy that was interrupted leaves it
        if (other / file.name).exists():
            file.write_bytes((other / file.name).read_bytes())
    elif kind != "nothing":
        file.write_bytes(words)


def crafted(path, seed):
    """A manifest with a number changed, and its digest left as it is: only who knows the format could seal it again."""
    sealed = json.loads(path.read_text())
    manifest = sealed["manifest"]
    names = sorted(k for k, v in manifest.items() if isinstance(v, int) and not isinstance(v, bool))
    manifest[names[seed % len(names)]] += 1
    return json.dumps(sealed).encode()


def lines(case):
    """A case as a program."""
    text = ["import numpy as np", "import steppe as sp", "", *built_lines(case)]
    for question in case.questions:
        call, label = question["call"], case.label(question["source"])
        text.append(f'sp.partition(g, "parts", parts={question["parts"]}, by={question.get("by", "range")!r})')
        text.append(f"# then a file of the folder is damaged: {question['damage']}, number {question['seed']}")
        text.append(
            f'print(sp.{call}(sp.open_partitioned("parts"), {[label] if call == "nearest" else label!r}).distances)'
        )
    return text
