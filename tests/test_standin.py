"""The CUDA host code, end to end, against our stand-in for the driver; and the stand-in's own strictness."""

import pytest

import standin
from conftest import missing

pytestmark = pytest.mark.standin


@pytest.fixture(scope="module", autouse=True)
def _installed():
    if reason := standin.absent():
        missing(reason)


def succeed(code, **options):
    report = standin.run(code + "\nprint('reached the end')", **options)
    assert report.returncode == 0, report.text
    assert "reached the end" in report.text
    assert "Exception ignored" not in report.text, report.text
    return report.text


def test_every_word():
    succeed("import words; words.check_all(device)")


def test_protocol():
    succeed("import protocol; protocol.check_all(device)")


def test_the_driver_runs_out_of_memory():
    # Two devices of the stand-in share one memory, and each has a budget that knows nothing of the other.
    code = """
from steppe.errors import DeviceMemoryError
other = get_device("cuda:1")
big = device.alloc(700_000, "u1")
try:
    other.alloc(740_000, "u1")
except DeviceMemoryError as error:
    assert (error.needed, error.free) == (740_000, 300_000), error
    assert "740,000 bytes needed, the driver has 300,000 free" in str(error), error
else:
    raise SystemExit("not refused")
assert other.memory.used == 0
big.free()
other.alloc(740_000, "u1")
"""
    succeed(code, memory=1_000_000)


def test_a_forgotten_wait_is_seen():
    code = """
import numpy as np
import words
program = device.program(words.KERNELS / "words.c")
a = device.staging(1000, "u8"); a[:] = 5
b = device.alloc(1000, "u8", fill=1)
device.finish()
e = device.upload_async(a, b)
{wait}
c = device.alloc(1000, "u8")
device.launch(program, "read_u64", 1000, b, c, 1000)
print("sum", device.download(c).sum())
"""
    assert "sum 5000" in succeed(code.format(wait="device.wait(e)"))
    assert "sum 1000" in succeed(code.format(wait=""))


def test_a_staging_buffer_reused_too_early_is_seen():
    code = """
a = device.staging(1000, "u4"); a[:] = 5
b = device.alloc(1000, "u4", fill=1)
e = device.upload_async(a, b, after=device.event())
{wait}
a[:] = 7
device.wait(e)
print("sum", device.download(b).sum())
"""
    assert "sum 5000" in succeed(code.format(wait="device.finish(e)"))
    assert "sum 7000" in succeed(code.format(wait=""))


def test_a_barrier_that_some_threads_miss_is_an_error(tmp_path):
    (tmp_path / "bad.c").write_text(
        "KERNEL bad(GLOBAL u32 *p) {\n    if (LOCAL_ID > 3) BARRIER();\n    p[0] = 1u;\n}\n", encoding="utf-8"
    )
    report = standin.run(
        f"p = device.program(Path({str(tmp_path / 'bad.c')!r}), block=8); b = device.alloc(1, 'u4')\n"
        "device.launch(p, 'bad', 8, b); device.finish()"
    )
    assert report.returncode != 0
    assert "unspecified launch failure" in report.text


def test_after_a_kernels_fault_the_error_says_to_restart(tmp_path):
    """Every later call fails in the same way, and what is freed afterwards is quiet."""
    (tmp_path / "bad.c").write_text(
        "KERNEL bad(GLOBAL u32 *p) {\n    if (LOCAL_ID > 3) BARRIER();\n    p[0] = 1u;\n}\n", encoding="utf-8"
    )
    code = f"""
import numpy as np, steppe as sp
from steppe.errors import DeviceError, DeviceMemoryError
program, cells = device.program(Path({str(tmp_path / "bad.c")!r}), block=8), device.alloc(1, "u4")
pinned, graph = device.staging(10, "u4"), sp.generate.grid(5, 5, seed=1)
event = device.upload_async(pinned, device.alloc(10, "u4"))
device.launch(program, "bad", 8, cells)
calls = (device.finish, lambda: device.alloc(10, "u4", fill=1), lambda: device.upload(np.arange(3), cells), device.event,
         lambda: sp.sssp(graph, 0, device="cuda"), lambda: device.finish(event))
for call in calls:
    try:
        call()
    except DeviceError as error:
        assert "unspecified launch failure" in str(error) and "restart the process" in str(error), error
        assert not isinstance(error, DeviceMemoryError)
    except TypeError:
        pass
    else:
        raise SystemExit("not refused")
del cells, pinned, event
assert sp.sssp(graph, 0).distances[0] == 0
"""
    succeed(code)


def test_memory_of_another_device_cannot_be_reached():
    code = """
from cuda.bindings import driver
own = device.alloc(10, "u4")
other = get_device("cuda:1")
foreign = other.alloc(10, "u8", fill=1)
attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
asked = [driver.cuPointerGetAttribute(attribute, one) for one in (own.handle, foreign.handle, foreign.handle + 79, 64)]
assert [(int(error), value if int(error) == 0 else None) for error, value in asked] == [(0, 0), (0, 1), (0, 1), (1, None)]
foreign.device = device
try:
    device.launch(device.program("fill"), "fill_u64", 1, foreign, 0, 1, 5)
except Exception as error:
    assert "illegal memory access" in str(error)
else:
    raise SystemExit("not refused")
"""
    succeed(code)


def test_second_device_and_number_out_of_range():
    succeed(
        """
from steppe.errors import DeviceError
assert get_device("cuda:1").info.name == "cuda:1"
assert get_device("cuda") is get_device("cuda:0")
assert get_device("auto") is device
for name, part in (("cuda:2", "there are 2"), ("cuda:x", "numbered")):
    try:
        get_device(name)
    except DeviceError as error:
        assert part in str(error), error
    else:
        raise SystemExit(name)
"""
    )


def test_a_gpu_newer_than_nvrtc_gets_ptx_and_one_too_old_an_error(tmp_path):
    succeed("import words; words.check_ids(device)", cache=tmp_path, STANDIN_CAPABILITY=999)
    (image,) = tmp_path.glob("*.cubin")
    assert b".visible .entry ids" in image.read_bytes()
    report = standin.run("", STANDIN_CAPABILITY=30)
    assert "the GPU has 3.0" in report.text


def test_kernels_are_cached_on_disk_and_damage_is_repaired(tmp_path):
    code = """
import time
with device.count() as c:
    device.program("fill")
print("compiled", cuda_compiles)
"""
    head = standin.HEAD + (
        "from steppe.gpu import cuda\ncuda_compiles = 0\n_compile = cuda.compile_text\n"
        "def compile_text(*a):\n    global cuda_compiles\n    cuda_compiles += 1\n    return _compile(*a)\n"
        "cuda.compile_text = compile_text\n"
    )
    assert "compiled 1" in succeed(code, cache=tmp_path, head=head)
    assert "compiled 0" in succeed(code, cache=tmp_path, head=head)
    (image,) = tmp_path.glob("*.cubin")
    good = image.read_bytes()
    image.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert "compiled 1" in succeed(code, cache=tmp_path, head=head)
    assert "compiled 0" in succeed(code, cache=tmp_path, head=head)
    changed = code.replace('"fill"', '"fill", block=128')
    assert "compiled 1" in succeed(changed, cache=tmp_path, head=head)


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    succeed(
        "from steppe.gpu import cuda\n"
        "assert cuda.cached_image(source.make('fill', target='cuda'), 'sm_86').startswith(b'\\x7fELF')",
        cache=blocked,
    )


def test_a_compile_error_names_the_kernels_own_file_and_line(tmp_path):
    (tmp_path / "broken.c").write_text(
        "/* one */\nKERNEL broken(GLOBAL u32 *p) {\n    p[0] = nonsense;\n}\n", encoding="utf-8"
    )
    report = standin.run(f"device.program(Path({str(tmp_path / 'broken.c')!r}))")
    assert "broken.c(3)" in report.text
    assert "nonsense" in report.text


def test_few_device_objects_with_a_limit_are_kept():
    """Their streams are ended with them; what others on the same GPU enqueue goes on."""
    code = """
import gc, weakref
import numpy as np
made = weakref.WeakSet()
for limit in range(100_000, 100_009):
    small = get_device("cuda", memory_limit=limit)
    made.add(small)
    assert small.download(small.alloc(100, "u4", fill=limit)).sum() == 100 * limit
del small
gc.collect()
assert len(made) == 4, len(made)
assert device.download(device.upload(np.arange(5))).tolist() == [0, 1, 2, 3, 4]
"""
    succeed(code)


def test_the_callers_context_stays_current():
    """Another library's context, and how many of them it has entered, is the same after every call, and after what is freed later."""
    code = """
import gc
import numpy as np
from cuda.bindings import driver
import steppe as sp

def current():
    return int(driver.cuCtxGetCurrent()[1])

def unchanged(call):
    result = call()
    assert current() == theirs, call
    return result

mine = int(device._context)
theirs = int(driver.cuDevicePrimaryCtxRetain(1)[1])
graph = sp.generate.grid(6, 6, seed=1)
for theirs, name in ((0, "cuda"), (theirs, "cuda"), (mine, "cuda:1"), (theirs, "cuda:1")):
    if theirs:
        driver.cuCtxSetCurrent(theirs)
    assert current() == theirs
    paths = unchanged(lambda: sp.sssp(graph, 0, device=name))
    assert np.array_equal(paths.distances, sp.sssp(graph, 0, device="cpu").distances)
    unchanged(lambda: paths.predecessors)
    unchanged(lambda: sp.bfs(graph, 0, device=name, memory_limit=5000))
    unchanged(lambda: sp.distances(graph, [1, 2], device=name))
    other = unchanged(lambda: get_device(name))
    held = [unchanged(lambda: other.alloc(100, "u4", fill=3)), unchanged(lambda: other.staging(100, "u4"))]
    held.append(unchanged(lambda: other.upload_async(held[1], held[0], after=other.event())))
    unchanged(lambda: other.wait(held[2]))
    unchanged(lambda: other.finish(held[2]))
    unchanged(lambda: held.clear())
    unchanged(gc.collect)
    seen = []
    unchanged(lambda: sp.sssp(graph, 0, device=name, progress=lambda p: seen.append(current())))
    assert set(seen) == {theirs}, seen
assert int(driver.cuCtxPopCurrent()[0]) != 0  # nothing of ours is left there
"""
    succeed(code)


@pytest.mark.parametrize(("version", "words"), [(12080, "steppe[cuda12]"), (11080, "update the driver")])
def test_nvrtc_newer_than_the_driver_is_said_when_the_device_is_chosen(version, words):
    report = standin.run("", STANDIN_VERSION=version)
    assert report.returncode != 0
    assert f"driver is for CUDA {version // 1000}.{version % 1000 // 10}" in report.text
    assert words in report.text
    assert "DeviceError" in report.text


def test_an_older_nvrtc_than_the_driver_will_do():
    succeed("device.program('fill')", STANDIN_VERSION=14000)


def test_a_kernel_that_allows_fewer_threads_is_built_again_for_fewer():
    code = """
import numpy as np, steppe as sp
program = device.program("bfs", SMALL=8, MIDDLE=512)
assert program.block == 64, program.block
graph = sp.generate.grid(8, 8, seed=1)
assert np.array_equal(sp.sssp(graph, 0, device="cuda").distances, sp.sssp(graph, 0).distances)
"""
    succeed(code, STANDIN_THREADS=100)
