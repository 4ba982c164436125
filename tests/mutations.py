"""Seeded bugs: each changes the text of a kernel file, and Oclgrind must notice it.

This is the test of the tests: it shows that "no report" means something. Add an entry for every barrier, atomic and
bound that matters in a new kernel. `code` runs the kernel with `device` (Oclgrind) defined, on a small input.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from steppe.gpu import source

WORDS = Path(__file__).parent / "kernels"
SCAN = "import words; words.check_blocks(device, 64)"
ROUNDS = "import device_checks; device_checks.check_tiny(device, {!r}, record={})"
FRONTIER, RECORDED = ROUNDS.format("frontier", False), ROUNDS.format("frontier", True)
NARROW = "import device_checks; device_checks.check_tiny(device, {!r}, room=4096)"
FRONTIER_NARROW, DELTA_NARROW = NARROW.format("frontier"), NARROW.format("delta-stepping")
DELTA, BELLMAN = ROUNDS.format("delta-stepping", False), ROUNDS.format("bellman-ford", False)

BFS = "import level_checks as c\nwith c.form('one launch a level'): c.check_named(device, {'layers'})"
BFS_CLASSES = "import level_checks as c\nwith c.form('tiny classes'): c.check_named(device, {'layers'})"
BFS_NARROW = "import level_checks as c\nc.check_named(device, {'layers'}); c.check_owner(device)"
BFS_UP = "import level_checks as c\nwith c.form('up and down'): c.check_named(device, {'layers'})"
TREE = "import level_checks as c, numpy\nc.check_trees(device, {'ties', 'complete'}, (numpy.int32,))"
SCATTER = """import numpy as np
places, out = device.upload(np.array([3, 1], np.int32)), device.alloc(4, "u4")
cells = device.alloc(8, "u4", fill=7)
device.launch(device.program("fill"), "scatter_u32", 2, cells, places, 2, 5)
device.launch(device.program("fill"), "columns_u32", 4, cells, 4, places, 2, 4, out)
assert device.download(out).tolist() == [5, 5, 7, 7]
"""
EDGE = "import edge_checks as c\nc.check_slips(device)"


def copy_kernels(folder):
    """Copy all kernel files, the tests' own too, to `folder`."""
    for path in (*source.KERNELS.iterdir(), *WORDS.iterdir()):
        if path.suffix in (".c", ".h"):
            shutil.copy(path, folder)


@dataclass(frozen=True)
class Mutation:
    """One seeded bug: in `file`, `find` (which stands there once, or is counted by `times`) becomes `replace`."""

    name: str
    file: str
    find: str
    replace: str
    code: str
    times: int = 1
    timeout: int = 60

    def write(self, folder):
        """Copy all kernel files to `folder`, this one changed."""
        copy_kernels(folder)
        changed = Path(folder) / self.file
        text = changed.read_text()
        assert text.count(self.find) == self.times, f"{self.file} has {text.count(self.find)} times: {self.find}"
        changed.write_text(text.replace(self.find, self.replace))


MUTATIONS = [
    Mutation(
        "block_scan: no barrier after reading",
        "prelude.h",
        "        u32 before = me >= step ? scratch[me - step] : 0u;\n        BARRIER();\n",
        "        u32 before = me >= step ? scratch[me - step] : 0u;\n",
        SCAN,
    ),
    Mutation(
        "block_scan: no barrier after writing",
        "prelude.h",
        "        scratch[me] = sum;\n        BARRIER();\n    }\n",
        "        scratch[me] = sum;\n    }\n",
        SCAN,
    ),
    Mutation(
        "block_scan: scratch used again too early",
        "prelude.h",
        "    *total = scratch[LOCAL_SIZE - 1];\n    BARRIER();\n",
        "    *total = scratch[LOCAL_SIZE - 1];\n",
        SCAN,
    ),
    Mutation(
        "fill: out of bounds",
        "fill.c",
        "i < count; i += GLOBAL_SIZE) cells[first",
        "i <= count; i += GLOBAL_SIZE) cells[first",
        'b = device.alloc(100, "u8")\n'
        'device.launch(device.program("fill"), "fill_u64", 100, b, 0, 100, 1); device.finish()',
    ),
    Mutation(
        "scatter: out of bounds",
        "fill.c",
        "i < count; i += GLOBAL_SIZE) cells[places",
        "i <= count; i += GLOBAL_SIZE) cells[places",
        SCATTER,
        times=2,
    ),
    Mutation("columns: out of bounds", "fill.c", "i < total;", "i <= total;", SCATTER, times=2),
    Mutation(
        "atomics: a plain add for ADD",
        "words.c",
        "old[1 * n + i] = ADD_u32(&cells[1], 3u);",
        "old[1 * n + i] = cells[1]; cells[1] += 3u;",
        "import words, numpy; words.KERNELS = source.KERNELS\n"
        'words.check_atomics(device, "words.c", "atomics_u32", numpy.dtype("u4"), 300)',
    ),
    Mutation(
        "local atomics: a barrier that one thread misses",
        "words.c",
        "    BARRIER();\n    for (u32 r = 0;",
        "    if (LOCAL_ID > 0) BARRIER();\n    for (u32 r = 0;",
        "import words, numpy; words.KERNELS = source.KERNELS\n"
        'words.check_local_atomics(device, "words.c", numpy.uint32, numpy.int32)',
    ),
    Mutation(
        "racing: plain accesses for LOAD and STORE",
        "prelude_opencl.h",
        "#ifdef CHECK",
        "#if 0",
        'import words, numpy; words.check_racing(device, "words.c", numpy.dtype("u4"), 300)',
    ),
    Mutation(
        "relax: a plain store for MIN",
        "relax.h",
        "return MIN_KEY(&predist[v], key) == dist[v] ? 1u : 0u;",
        "predist[v] = key; return 1u;",
        FRONTIER,
    ),
    Mutation(
        "relax: a plain read where others write",
        "relax.h",
        "if (key >= LOAD(&predist[v])) return 0u;",
        "if (key >= predist[v]) return 0u;",
        FRONTIER,
    ),
    Mutation(
        "relax: dist and pred written apart",
        "relax.h",
        "return (KEY)(MIN_CELL(&cells[v], cell) >> 32) == committed ? 1u : 0u;",
        "((GLOBAL u32 *)cells)[2 * v + 1] = (u32)key; ((GLOBAL u32 *)cells)[2 * v] = (u32)u; return 1u;",
        RECORDED,
    ),
    Mutation(
        "relax: the row after the last",
        "relax.h",
        "i64 degree = indptr[row + 1] - indptr[row];",
        "i64 degree = indptr[row + 2] - indptr[row];",
        FRONTIER,
        timeout=15,  # it is noticed at once, and never ends
    ),
    Mutation(
        "relax: a chunk that runs past its row",
        "relax.h",
        "return end < indptr[u + 1] ? end : indptr[u + 1];",
        "return end + 1000;",
        FRONTIER,
    ),
    Mutation(
        "frontier: a plain count of the touched",
        "frontier.c",
        "touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v;",
        "touched[counts[TOUCHED + parity]++] = v;",
        FRONTIER,
    ),
    Mutation(
        "frontier: relax and commit without a boundary between them",
        "frontier.c",
        "touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v;",
        "{ touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v; ((GLOBAL KEY *)dist)[v] = TO_KEY(sum); }",
        FRONTIER,
    ),
    Mutation(
        "frontier: the length in use is cleared",
        "frontier.c",
        "counts[SMALLS + other] = 0u;",
        "counts[SMALLS + parity] = 0u;",
        FRONTIER,
    ),
    Mutation(
        "reductions: no barrier before the scratch is used again",
        "prelude.h",
        "        T result = scratch[0];                                                                                         \\\n"
        "        BARRIER();  ",
        "        T result = scratch[0];                                                                                         \\\n"
        "                    ",
        SCAN,
    ),
    Mutation(
        "sums: added to before they are cleared",
        "relax.h",
        "sums[k] = 0u;\n    BARRIER();\n",
        "sums[k] = 0u;\n",
        DELTA,
    ),
    Mutation(
        "sums: read before all have added",
        "frontier.c",
        "    ADD_WIDE(sums, atomics);\n    BARRIER();\n",
        "    ADD_WIDE(sums, atomics);\n",
        FRONTIER,
    ),
    Mutation(
        "sums: the block's least read before all have offered theirs",
        "delta_stepping.c",
        "    ADD_WIDE(&sums[2], atomics);\n    BARRIER();\n",
        "    ADD_WIDE(&sums[2], atomics);\n",
        DELTA,
    ),
    Mutation(
        "wide numbers: the high word without an atomic",
        "prelude.h",
        "if (high_ != 0u) ADD_u32(&(cells)[1], high_);",
        "(cells)[1] += high_;",
        "import words; words.KERNELS = source.KERNELS; words.check_wide(device, 200)",
    ),
    Mutation(
        "delta-stepping: the pile in use is cleared",
        "delta_stepping.c",
        "        counts[PILED + 1u - side] = 0u;\n",
        "        counts[PILED + side] = 0u;\n",
        DELTA,
    ),
    Mutation(
        "delta-stepping: the phase is changed while others read it",
        "delta_stepping.c",
        "counts[PHASE + other] = mode",
        "counts[PHASE + parity] = mode",
        DELTA,
    ),
    Mutation(
        "delta-stepping: a plain minimum of the pile",
        "delta_stepping.c",
        "MIN_KEY(&bounds[LEAST + 1u - side], nearest[0]);",
        "bounds[LEAST + 1u - side] = nearest[0];",
        DELTA,
    ),
    Mutation(
        "frontier: one block commits while it still relaxes",
        "frontier.c",
        "        BARRIER(); /* all candidates",
        "        /* all candidates",
        FRONTIER_NARROW,
    ),
    Mutation(
        "frontier: one block begins a round before the last is committed",
        "frontier.c",
        "        BARRIER(); /* the next frontier",
        "        /* the next frontier",
        FRONTIER_NARROW,
    ),
    Mutation(
        "frontier: one block clears the count it is using",
        "frontier.c",
        "counts[TOUCHED + other] = 0u;",
        "counts[TOUCHED + parity] = 0u;",
        FRONTIER_NARROW,
    ),
    Mutation(
        "delta-stepping: one block commits while it still relaxes",
        "delta_stepping.c",
        "        BARRIER(); /* all candidates",
        "        /* all candidates",
        DELTA_NARROW,
    ),
    Mutation(
        "delta-stepping: one block begins a step before all is filed",
        "delta_stepping.c",
        "        BARRIER(); /* all that was touched",
        "        /* all that was touched",
        DELTA_NARROW,
    ),
    Mutation(
        "delta-stepping: one block takes the pile's least without an atomic",
        "delta_stepping.c",
        "if (least != KEY_INF) MIN_KEY(&bounds[LEAST + side], least);",
        "if (least != KEY_INF) bounds[LEAST + side] = least;",
        DELTA_NARROW,
    ),
    Mutation(
        "bellman-ford: tails that tie write plainly",
        "bellman_ford.c",
        "STORE(&parents[v], u);",
        "parents[v] = u;",
        BELLMAN,
    ),
    Mutation(
        "bfs: a plain store for STORE",
        "bfs.c",
        "STORE(&dist[v], next);",
        "dist[v] = next;",
        BFS,
    ),
    Mutation(
        "bfs: places given out without an atomic",
        "bfs.c",
        "u32 at = ADD_u32(&tally[c], 1u);",
        "u32 at = tally[c]++;",
        BFS_CLASSES,
    ),
    Mutation(
        "bfs: dist and pred written apart",
        "bfs.c",
        "if (LOAD(&dist[v]) == UNREACHED) {\n            work->atomics++;\n            if (CAS_i32(&dist[v], UNREACHED, next) == UNREACHED) {",
        "if (LOAD(&dist[v]) >= next) {\n            STORE(&dist[v], next);\n            {",
        BFS,
    ),
    Mutation(
        "bfs: no barrier before the sums",
        "bfs.c",
        "        for (i32 k = 0; k < 6; k++) sums[k] = 0;\n    BARRIER();\n",
        "        for (i32 k = 0; k < 6; k++) sums[k] = 0;\n",
        BFS,
    ),
    Mutation(
        "bfs: no barrier between the levels of one block",
        "bfs.c",
        "        BARRIER(); /* the next level's",
        "        /* the next level's",
        BFS_NARROW,
    ),
    Mutation(
        "bfs: the slot moves while it is read",
        "bfs.c",
        "    BARRIER(); /* all have read the last slot",
        "    /* all have read the last slot",
        BFS_NARROW,
    ),
    Mutation(
        "bfs: bottom-up writes plainly what others read",
        "bfs.c",
        "                STORE(&dist[v], level + 1);\n#ifdef RECORD",
        "                dist[v] = level + 1;\n#ifdef RECORD",
        BFS_UP,
    ),
    Mutation(
        "predecessors: the smallest one without an atomic",
        "bfs.c",
        "MIN_i32(&pred[v], u);",
        "if (u < pred[v]) pred[v] = u;",
        TREE,
    ),
    Mutation(
        "predecessors: the smallest one without an atomic, uniform weights",
        "predecessors.c",
        "MIN_i32(&pred[v], u);",
        "pred[v] = u;",
        TREE,
    ),
    Mutation(
        "predecessors: one vertex too many",
        "predecessors.c",
        "v < n;",
        "v <= n;",
        TREE,
    ),
    Mutation(
        "edge: the sweep begins before the flag is down",
        "edge.c",
        "            BARRIER();                         /* the",
        "            /* the",
        EDGE,
    ),
    Mutation(
        "edge: the flag is read before all have swept",
        "edge.c",
        "            BARRIER(); /* all have swept */\n",
        "",
        EDGE,
        timeout=15,
    ),
    Mutation(
        "edge: the flag is lowered before all have read it",
        "edge.c",
        "            BARRIER(); /* all have read the flag",
        "            /* all have read the flag",
        EDGE,
    ),
    Mutation(
        "edge: a plain minimum for MIN",
        "edge.c",
        "if (k < MIN_KEY(&row[v], k)) STORE",
        "row[v] = k; STORE",
        EDGE,
    ),
    Mutation(
        "edge: one edge too many",
        "edge.c",
        "e < end;",
        "e <= end;",
        EDGE,
    ),
]
