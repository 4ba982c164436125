"""Which devices there are, how one is chosen, and what each must do."""

import dataclasses
import gc
import os
import platform
import subprocess
import sys
import weakref

import numpy as np
import pytest

import protocol
import steppe as sp
from conftest import PATIENCE, missing
from steppe import gpu
from steppe.errors import DeviceError
from steppe.gpu import choose, loops, source
from steppe.planning.call import Call
from steppe.planning.plan import worth_a_device
from steppe.planning.question import Question


@pytest.fixture(autouse=True)
def _no_default(monkeypatch):
    monkeypatch.delenv("STEPPE_DEVICE", raising=False)
    monkeypatch.setattr(choose, "_default", None)


@pytest.mark.pocl
@pytest.mark.parametrize(
    "check", [protocol.check_arrays, protocol.check_launch, protocol.check_streaming, protocol.check_threads]
)
def test_protocol(device, check):
    check(device)


@pytest.mark.pocl
def test_budget(device):
    protocol.check_budget(device.info.name)


def test_import_touches_no_driver_and_no_optional_package():
    code = "import sys, steppe, steppe.gpu; print([m for m in sys.modules if m.split('.')[0] in ('pyopencl', 'cuda')])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_the_cpu_comes_first_and_each_absent_kind_says_why():
    found = gpu.devices()
    assert found[0].name == "cpu"
    assert {info.kind for info in found} == {"cpu", "cuda", "opencl"}
    for info in found:
        assert info.available or "install" in info.reason or "reports no" in info.reason


@pytest.mark.pocl
def test_oclgrind_is_taken_by_name_only(pocl):
    names = [info.description for info in gpu.devices()]
    assert "Oclgrind" not in gpu.get_device("opencl").info.description
    if any("Oclgrind" in name for name in names):
        assert "Oclgrind" in names[-1]
        assert "Oclgrind" in gpu.get_device("opencl:oclgrind").info.description


@pytest.mark.pocl
def test_a_name_chooses_and_an_unknown_one_lists_what_there_is(pocl):
    assert gpu.get_device("opencl:portable") is pocl
    found = [info.name for info in gpu.devices() if info.kind == "opencl"]
    for number, name in enumerate(found):  # a number is a place in the list, whatever the names contain
        assert gpu.get_device(f"opencl:{number}").info.name == name
    with pytest.raises(DeviceError, match=f"no OpenCL device 99: {len(found)} were found"):
        gpu.get_device("opencl:99")
    with pytest.raises(DeviceError, match=r"no OpenCL device is called 'nonsense'; there are: .*PoCL"):
        gpu.get_device("opencl:nonsense")
    with pytest.raises(DeviceError, match="no device is called 'metal'"):
        gpu.get_device("metal")
    with pytest.raises(DeviceError, match="cannot be negative"):
        gpu.get_device("opencl", memory_limit=-1)


@pytest.mark.pocl
def test_two_equal_devices_have_two_names(pocl, monkeypatch):
    from steppe.gpu import opencl

    first = opencl.cl.get_platforms()
    monkeypatch.setattr(opencl.cl, "get_platforms", lambda: first + first)
    names = [info.name for info, _ in opencl.find()]
    assert len(names) == len(set(names))
    assert f"{pocl.info.name}#2" in names
    assert opencl.choose(f"{pocl.info.name}#2".partition(":")[2])[0].name.endswith("#2")


@pytest.mark.pocl
def test_default_device(pocl, monkeypatch):
    assert gpu.default_device() == "cpu"
    assert gpu.get_device() is None
    monkeypatch.setenv("STEPPE_DEVICE", "opencl:pocl")
    assert gpu.get_device() is pocl
    gpu.set_default_device("cpu")
    assert gpu.get_device() is None
    with pytest.raises(DeviceError):
        gpu.set_default_device("opencl:nonsense")
    assert gpu.default_device() == "cpu"
    gpu.set_default_device(None)
    assert gpu.default_device() == "opencl:pocl"


@pytest.mark.parametrize(
    ("call", "vertices", "edges", "held", "taken", "why"),
    [
        ("sssp", 10**4, 10**5, False, False, "fewer than 1,000,000 edges"),
        ("sssp", 10**6, 10**7, False, True, "large enough"),
        ("sssp", 4 * 10**6, 10**7, False, False, "many small steps"),
        ("sssp", 4 * 10**6, 10**7, True, True, "lies on the device"),
        ("bfs", 10**7, 2 * 10**7, False, True, "large enough"),
        ("route", 10**6, 10**8, True, False, "no work for a device"),
    ],
)
def test_auto_weighs_what_it_knows_and_says_why(call, vertices, edges, held, taken, why):
    worth, reason = worth_a_device(Call(call), edges, edges / vertices, is_there=held)
    assert worth is taken
    assert why in reason


def test_a_plan_tells_why_auto_stays_on_the_cpu(monkeypatch):
    graph = sp.generate.grid(9, 9, seed=1)
    assert "auto: fewer than" in sp.plan(graph, "sssp", device="auto").note
    assert "auto: fewer than" in sp.sssp(graph, 0, device="auto").explain().note
    assert "auto" not in sp.plan(graph, "sssp", device="cpu").note
    monkeypatch.setattr("steppe.planning.plan.DEVICE_FROM", 1)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_DEVICE_FROM", 1)
    if gpu.get_device("auto") is None:
        assert sp.plan(graph, "sssp", device="auto").note == "auto: there is no GPU"


@pytest.mark.parametrize(("module", "name", "extra"), [("pyopencl", "opencl", "opencl"), ("cuda", "cuda", "cuda")])
def test_a_missing_extra_is_named(monkeypatch, module, name, extra):
    real = choose.importlib.util.find_spec
    monkeypatch.setattr(choose.importlib.util, "find_spec", lambda m: None if m.split(".")[0] == module else real(m))
    with pytest.raises(DeviceError, match=rf"pip install 'steppe\[{extra}\]'"):
        gpu.get_device(name)
    (info,) = [info for info in gpu.devices() if info.kind == name]
    assert not info.available
    assert "not installed" in info.reason


def test_no_nvidia_driver_is_said_so():
    if any(info.kind == "cuda" and info.available for info in gpu.devices()):
        pytest.skip("this machine has an NVIDIA GPU")
    with pytest.raises(DeviceError, match=r"driver|pip install"):
        gpu.get_device("cuda")
    assert gpu.get_device("auto") is None or "cuda" not in gpu.get_device("auto").info.name


@pytest.mark.pocl
def test_no_opencl_driver_is_said_so():
    pytest.importorskip("pyopencl")
    code = (
        "import pyopencl as cl, steppe, steppe.gpu as gpu\n"
        "def none(): raise cl.LogicError('clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR')\n"
        "cl.get_platforms = none\n"
        "try: gpu.get_device('opencl')\n"
        "except steppe.errors.DeviceError as e: print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install pyopencl[pocl]" in done.stdout


@pytest.mark.pocl
def test_without_doubles_or_64_bit_atomics_the_build_is_refused_in_words(pocl):
    import words
    from steppe.gpu import opencl

    _, handle = opencl.choose("pocl")
    poor = opencl.OpenCL(dataclasses.replace(pocl.info, has_f64=False, has_atomic_64=False), handle)
    words.check_ids(poor)
    words.check_types(poor, "f32", "f32", signed=False)
    with pytest.raises(DeviceError, match="no 64-bit floats"):
        poor.program(words.KERNELS / "typed.c", weight="f64", dist="f64")
    with pytest.raises(DeviceError, match="no 64-bit atomics"):
        poor.program(words.KERNELS / "typed.c", weight="i64", dist="u64")
    with pytest.raises(DeviceError, match="no 64-bit"):
        poor.program(words.KERNELS / "words64.c")


@pytest.mark.pocl
def test_a_compile_error_names_the_kernels_own_file_and_line(pocl, tmp_path):
    broken = tmp_path / "broken.c"
    broken.write_text("/* one */\nKERNEL broken(GLOBAL u32 *p) {\n    p[0] = nonsense;\n}\n", encoding="utf-8")
    with pytest.raises(DeviceError, match=r"broken\.c:3:.*nonsense"):
        pocl.program(broken)


def test_what_the_test_machine_promises_may_not_be_skipped(monkeypatch):
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception):
        missing("absent")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    with pytest.raises(pytest.fail.Exception):
        missing("absent")


FORKED = """
import os, sys, numpy as np, steppe as sp
graph = sp.generate.grid(12, 12, weights=(1, 9), seed=1)
found = sp.sssp(graph, 0, device={name!r})
child = os.fork()
if child == 0:
    right = sp.sssp(graph, 0, device="cpu")
    os._exit(0 if np.array_equal(found.predecessors, right.predecessors) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.pocl
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_the_predecessors_of_its_parents_search(device):
    """It cannot use the driver, so the tree is made on the CPU."""
    code = FORKED.format(name=device.info.name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.pocl
def test_few_device_objects_with_a_limit_are_kept(pocl):
    """Each has queues and programs of its own, and keeps copies of graphs: all that goes with the object."""
    graph = sp.generate.random(300, 1_500, seed=1)
    expected = sp.sssp(graph, 0).distances
    made = weakref.WeakSet()
    for limit in range(10_000_000, 10_000_012):
        answer = sp.sssp(graph, 0, device=pocl.info.name, memory_limit=limit)
        assert np.array_equal(answer.distances, expected)
        made.add(gpu.get_device(pocl.info.name, memory_limit=limit))
    del answer
    gc.collect()
    assert len(made) == choose.LIMITED
    assert gpu.get_device(pocl.info.name) is pocl
    assert all(graph in small.copies for small in made)
    kept = gpu.get_device(pocl.info.name, memory_limit=10_000_011)
    assert kept in made
    assert kept.memory.used > 0


COLLECTED = """
import faulthandler, gc, sys
faulthandler.dump_traceback_later(100, exit=True)
from steppe.errors import DeviceMemoryError
from steppe.gpu import get_device
device = get_device({name!r}, memory_limit=10_000)

class Circle:
    def __init__(self):
        self.me, self.cells = self, device.alloc(10, "u4")

def collected_within(k, call):
    "Let the collector run at the k-th allocation of an object from now on; it frees a buffer."
    really()
    Circle()
    gc.set_threshold(gc.get_count()[0] + k)
    try:
        call()
    except DeviceMemoryError as error:
        return error
    finally:
        gc.set_threshold(0)

gc.set_threshold(0)
really = gc.collect
if not {collects}:
    gc.collect = lambda: 0  # as if an allocation were refused at once
for k in range(1, 160):
    refused = collected_within(k, lambda: device.alloc(9_999, "u1"))
    assert refused is None or refused.free == 9_960, refused
    kept = collected_within(k, lambda: device.alloc(100, "u1"))
    assert kept is None
    really()
assert device.memory.used == 0, device.memory.used
print("the end")
"""


@pytest.mark.pocl
@pytest.mark.parametrize("collects", [True, False])
def test_a_collection_in_the_middle_of_an_allocation_blocks_nothing(pocl, collects):
    """The collector may free a buffer at any moment, also while another is refused: at every allocation of an object on that way."""
    code = COLLECTED.format(name=pocl.info.name, collects=collects)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "the end" in done.stdout


@pytest.mark.pocl
def test_what_only_a_cycle_holds_is_freed_before_an_allocation_is_refused(pocl):
    small = gpu.get_device(pocl.info.name, memory_limit=10_001)
    gc.disable()
    try:
        circle = [small.alloc(9_000, "u1")]
        circle.append(circle)
        del circle
        assert small.alloc(9_500, "u1").size == 9_500
    finally:
        gc.enable()


@pytest.mark.pocl
def test_a_kernel_that_allows_fewer_threads_is_built_again_for_fewer(pocl, monkeypatch):
    """A compiler may spend so many registers that a block cannot have as many threads as the device's most."""
    from steppe.gpu import opencl

    real, asked = opencl.cl.Kernel.get_work_group_info, []

    def limited(kernel, what, device):
        assert real(kernel, what, device) >= 1
        asked.append(kernel.function_name)
        return 100

    monkeypatch.setattr(opencl.cl.Kernel, "get_work_group_info", limited)
    _, handle = opencl.choose("pocl")
    poor = opencl.OpenCL(pocl.info, handle)
    program = poor.program("frontier", weight="i32", dist="u32")
    assert program.block == program.names.BLOCK == 64
    assert set(asked) == {"relax", "commit", "narrow"} & set(program.source.kernels)
    graph = sp.generate.grid(20, 20, seed=1)
    for method in ("frontier", "delta-stepping", "bfs"):
        answer = loops.run(poor, graph, Question(np.array([0])), method)
        right = sp.bfs(graph, 0) if method == "bfs" else sp.sssp(graph, 0)
        assert np.array_equal(answer.distances, right.distances)


def test_racing_accesses_are_volatile_everywhere():
    """Else a compiler may read a key of 64 bits in two halves, and drop a candidate on the word of a mixture."""
    for target, words in (
        ("cuda", ("const volatile T *", "(volatile T *)")),
        ("opencl", ("const volatile T *", "volatile T *)p = y")),
    ):
        text = source.make("frontier", target=target, weight="i64", dist="u64").text
        for name, word in zip(("LOAD", "STORE"), words, strict=True):
            assert any(name in line and word in line for line in text.splitlines()), (target, name)
        assert f"#define {name}(" not in text
