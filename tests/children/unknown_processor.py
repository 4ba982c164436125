"""PoCL on a processor that its LLVM does not know.

PoCL asks LLVM for the processor's name. The wheel's LLVM is of 2022, and calls every later processor "generic", which Clang refuses for x86-64:
no kernel can be built. No option and no variable of PoCL 3 changes that (POCL_LLVM_CPU_NAME came with PoCL 5). But the name is read from PoCL's
record of the device at each build. So `watch` waits until pyopencl is asked for its platforms, and then writes the name of a known processor with the
same instructions into the record. Where LLVM knew the processor, nothing is written.

This writes into a driver's private memory. It is for tests only, and only for Linux, where a bad address is an error of `pread` and not a crash.

STEPPE_TEST_POCL=generic makes PoCL say "generic" on any processor, and then mends it; STEPPE_TEST_POCL=broken only does the first, as if nothing
could be mended. Both keep kernels in a cache of their own: one that was built under the right name would be found again.
"""

import ctypes
import hashlib
import importlib.abc
import importlib.util
import os
import platform
import struct
import sys
from contextlib import suppress
from pathlib import Path

UNKNOWN = b"generic"
PLATFORM = "Portable Computing Language"
WORDS = 256
"""Words of PoCL's record that are looked at; the name is the 80th in PoCL 3.0."""

_kept = []  # names that PoCL's records point to
_done = set()  # devices that were looked at


def watch():
    """Mend PoCL's records as soon as this process asks pyopencl for its platforms; give it a kernel cache of its own."""
    wish = os.environ.get("STEPPE_TEST_POCL", "")
    if wish not in ("", "generic", "broken"):
        raise ValueError(f"STEPPE_TEST_POCL is generic, broken or nothing, not {wish!r}")
    if sys.platform != "linux" or platform.machine() != "x86_64" or any(isinstance(f, _Finder) for f in sys.meta_path):
        return
    os.environ.setdefault("POCL_CACHE_DIR", str(cache(wish)))
    if "pyopencl" in sys.modules:
        _wrap(sys.modules["pyopencl"])
    else:
        sys.meta_path.insert(0, _Finder())


def cache(wish):
    """Return a folder for kernels built on this processor: PoCL tells its entries apart by LLVM's name, and all unknown processors have the same."""
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        wish += "\n".join(sorted({line for line in text.splitlines() if line.startswith(("flags", "model name"))}))
    name = hashlib.blake2b(wish.encode(), digest_size=6).hexdigest()
    return Path(__file__).parents[2] / "build" / f"pocl-{name}"


class _Finder(importlib.abc.MetaPathFinder):
    """Finds pyopencl as others would, and wraps its `get_platforms` when it has been loaded."""

    searching = False

    def find_spec(self, name, path=None, target=None):
        if name != "pyopencl" or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)  # asks the other finders
        finally:
            self.searching = False
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _wrap(module)

            spec.loader.exec_module = exec_module
        return spec


def _wrap(cl):
    ask = cl.get_platforms

    def get_platforms():
        found = ask()
        for handle in (h for p in found if p.name == PLATFORM for h in p.get_devices()):
            if handle.int_ptr not in _done:
                _done.add(handle.int_ptr)
                _look_at(cl, handle)
        return found

    cl.get_platforms = get_platforms
    if os.environ.get("STEPPE_TEST_POCL"):
        cl.Device.version = property(lambda handle: _version(cl, handle))


def _look_at(cl, handle):
    wish = os.environ.get("STEPPE_TEST_POCL")
    if wish:
        rename(handle, called(cl, handle), UNKNOWN)
    if wish != "broken":
        rename(handle, UNKNOWN, known(cl, handle))


def called(cl, handle):
    """Return LLVM's name of the processor: PoCL's version of a device ends with it ("… HSTR: pthread-x86_64-pc-linux-gnu-znver4")."""
    return handle.get_info(cl.device_info.VERSION).strip().rpartition("-gnu-")[2].encode()


def _version(cl, handle):
    """Return a device's version as PoCL has it on an unknown processor; it asks LLVM for it, and not the record that was written to."""
    text = handle.get_info(cl.device_info.VERSION).strip()
    head, separator, _ = text.rpartition("-gnu-")
    return f"{head}{separator}{UNKNOWN.decode()}" if separator else text


def known(cl, handle):
    """Return a processor that LLVM knows, with the instructions of this one: PoCL chooses its built-in functions by the same ones."""
    width = handle.native_vector_width_int
    if width >= 16:
        return b"skylake-avx512"
    if width < 8:
        return b"x86-64"
    fused = handle.single_fp_config & cl.device_fp_config.FMA
    return b"haswell" if fused and _has_avx2() else b"sandybridge"


def _has_avx2():
    import numpy as np

    core = np._core if hasattr(np, "_core") else np.core
    return bool(core._multiarray_umath.__cpu_features__.get("AVX2"))


def rename(handle, old, new):
    """Write `new` where PoCL's record of the device has `old` as LLVM's name; say whether it was written.

    The record is private, so the place is searched for: the one word that leads to `old`, shortly behind a word that leads to a target
    ("x86_64-…"). If there is not exactly one, nothing is written.
    """
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return False
    try:
        base = handle.int_ptr
        words = struct.unpack(f"{WORDS}Q", os.pread(memory, 8 * WORDS, base))
        texts = [_text(memory, word) for word in words]
    except OSError:
        return False
    finally:
        os.close(memory)
    behind = [k for k, text in enumerate(texts) if any(t.startswith(b"x86_64-") for t in texts[max(0, k - 4) : k])]
    places = [k for k in behind if texts[k] == old]
    if len(places) != 1:
        return False
    _point(base + 8 * places[0], new)
    return True


def _text(memory, address):
    try:
        return os.pread(memory, 256, address).split(b"\0")[0]
    except (OSError, OverflowError):
        return b""


def _point(place, text):
    kept = ctypes.create_string_buffer(text)
    _kept.append(kept)
    ctypes.c_void_p.from_address(place).value = ctypes.addressof(kept)
