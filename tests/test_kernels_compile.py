"""NVRTC compiles every kernel file for every type and architecture; that needs no GPU.

Kernel files are found by themselves. A file that uses WEIGHT, DIST or KEY is built for every combination of types. A comment
`/* BUILD: NAME=value ... */` adds a variant with these definitions, `/* BUILD: NAME=value for u32 f32 */` only for these types of
distances; variants are built together, too, where their types agree. `/* TYPES: signed */` (or unsigned) says that the file is
built for these only.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product

import pytest

from conftest import missing
from steppe.gpu import source

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
FILES = sorted(path.stem for path in source.KERNELS.glob("*.c"))

pytestmark = pytest.mark.nvrtc


def builds(file):
    """List the sources of a kernel file: types x variants, each variant by itself and with others."""
    body = (source.KERNELS / f"{file}.c").read_text()
    typed = re.search(r"\b(WEIGHT|DIST|KEY)\b", body) is not None
    types = source.COMBINATIONS if typed else [(None, None, False)]
    if only := re.search(r"TYPES: (signed|unsigned) \*/", body):
        types = [c for c in types if c[2] == (only[1] == "signed")]
    variants = []
    for line in re.findall(r"BUILD: ([^*]*)\*/", body):
        defines, _, dists = line.partition(" for ")
        variants.append((dict(pair.split("=") for pair in defines.split()), dists.split() or None))
    together = [some for k in range(len(variants) + 1) for some in combinations(variants, k)]
    for (weight, dist, signed), some in product(types, together):
        if all(dists is None or dist in dists for _, dists in some):
            defines = {name: value for pairs, _ in some for name, value in pairs.items()}
            yield source.make(file, target="cuda", weight=weight, dist=dist, signed=signed, defines=defines)


@pytest.fixture(scope="module")
def compile_text():
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        missing(f"NVRTC: {error}")
    from steppe.gpu import cuda

    return cuda.compile_text


@pytest.mark.parametrize("file", FILES)
def test_every_type_and_architecture(compile_text, file):
    every = list(builds(file))
    # All builds see the oldest and the newest architecture, the first of a file all between them, too: what a kernel may use
    # depends on its text, not on its types. `make test-kernels` does them all for all.
    jobs = {(0, arch) for arch in ARCHITECTURES}
    for k in range(len(every)):
        some = (ARCHITECTURES[0], ARCHITECTURES[-1])
        jobs |= {(k, arch) for arch in (ARCHITECTURES if os.environ.get("STEPPE_TEST_ALL") else some)}
    with ThreadPoolExecutor() as pool:
        images = list(pool.map(lambda job: compile_text(every[job[0]].text, every[job[0]].name, job[1]), sorted(jobs)))
    assert all(image.startswith(b"\x7fELF") for image in images)


def test_every_kernel_file_is_found():
    assert "fill" in FILES
    assert len(list(builds("fill"))) == 1
    assert len(list(builds("delta_stepping"))) == 2 * (5 + 2 + 3 + 1)  # with and without MANY
    texts = [build.text for build in builds("stream")]
    assert any("#define RECORD 1\n" in text and "#define UNWEIGHTED 1\n" in text for text in texts)


def test_a_wrong_kernel_does_not_compile(compile_text):
    from steppe.errors import DeviceError

    good = source.make("fill", target="cuda").text
    with pytest.raises(DeviceError, match=r"fill\.c\(\d+\)"):
        compile_text(good.replace("cells[first + i] = value", "cells[first + i] = valeu"), "fill", "sm_80")
