"""Fixtures shared by all tests."""

import faulthandler
import os
import platform
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SANITIZER = os.environ.get("STEPPE_SANITIZE")
"""What the extension was built with, "address" or "thread"; None in an ordinary build."""

# Slowness says nothing: machines have other work. Under a sanitizer, a run is to find what the last one found.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
settings.register_profile(
    "sanitize", deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None, derandomize=True
)
if SANITIZER:
    from steppe import _core

    settings.load_profile("sanitize")
    _core.testing.use_avx512(False)  # sanitizers do not see what vectors read; test_scan.py asks for both ways
    _core.testing.set_patience(20_000)  # a slow thread is not a blocked one: threads are to go on sharing

# Processes that tests start are to find PoCL as the tests do: Python imports sitecustomize.py from there.
CHILDREN = str(Path(__file__).parent / "children")
os.environ["PYTHONPATH"] = os.pathsep.join(
    [CHILDREN, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p not in ("", CHILDREN))]
)
sys.path.append(CHILDREN)
import unknown_processor  # noqa: E402 - found by the line above

unknown_processor.watch()

# Where the home cannot be written, the libraries that keep something there get a folder of the tests'.
try:
    (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steppe").mkdir(parents=True, exist_ok=True)
except (OSError, RuntimeError):
    os.environ["XDG_CACHE_HOME"] = str(Path(__file__).parents[1] / "build" / "cache")

# A shell that starts the suite in the background lets it ignore SIGINT, and its children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

TIME_LIMIT = float(
    os.environ.get("STEPPE_TIME_LIMIT") or (3600 if SANITIZER or os.environ.get("STEPPE_FAULTS") else 600)
)
"""Seconds a test may take: far more than any does. After that the stacks of all threads are printed, and the run ends."""

PATIENCE = max(60, TIME_LIMIT - 60)
"""Seconds after which a process that a test has started is taken for one that hangs: on a busy machine the quick ones take a minute."""

_stderr = []


def pytest_configure(config):
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        _stderr.append(os.dup(2))  # the one that people see


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    faulthandler.dump_traceback_later(TIME_LIMIT, exit=True, file=_stderr[0])
    yield
    faulthandler.cancel_dump_traceback_later()


def examples(count):
    """Return how many of ``count`` examples or queries to try: half of them in ``make test``, all with STEPPE_TEST_ALL=1.

    A tenth under a sanitizer, which looks at the code they reach and takes long.
    """
    share = 10 if SANITIZER else 1 if os.environ.get("STEPPE_TEST_ALL") == "1" else 2
    return min(count, max(10, count // share))


def missing(reason):
    """Skip visibly where something is not installed; fail where the test machine promises to have it."""
    promised = os.environ.get("CI") == "true" and sys.platform == "linux" and platform.machine() == "x86_64"
    if promised:
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def _flaw():
    """Return why PoCL can build no kernel on this processor, whatever name it is given; else nothing."""
    from steppe.gpu import devices

    return next((info.reason for info in devices() if info.kind == "opencl" and "pthread" in info.name), "")


def pytest_runtest_setup(item):
    """Skip what runs kernels on PoCL where PoCL can build none. Oclgrind, NVRTC and the stand-in go on."""
    wanted = os.environ.get("STEPPE_TEST_DEVICE", "opencl:pocl")
    if item.get_closest_marker("pocl") and wanted == "opencl:pocl" and _flaw():
        pytest.skip(f"PoCL builds no kernel here: {_flaw()}")


def _device(name):
    from steppe.errors import DeviceError
    from steppe.gpu import get_device

    try:
        return get_device(name)
    except DeviceError as error:
        return missing(f"{name}: {error}")


@pytest.fixture(scope="session")
def pocl():
    """The PoCL device."""
    return _device("opencl:pocl")


@pytest.fixture(scope="session")
def device():
    """The device under test: PoCL, or what STEPPE_TEST_DEVICE names (`make test-gpu` says cuda or opencl)."""
    return _device(os.environ.get("STEPPE_TEST_DEVICE", "opencl:pocl"))


@pytest.fixture(params=[True, False], ids=["avx512", "plain"])
def vectors(request):
    """Scan with AVX-512, or without it; a processor that has none runs the plain scan twice."""
    from steppe import _core

    before = _core.testing.use_avx512(request.param)
    yield request.param
    _core.testing.use_avx512(before)
