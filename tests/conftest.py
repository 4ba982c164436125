"""Fixtures shared by all tests."""

import os
import platform
import sys

import pytest


def missing(reason):
    """Skip visibly where something is not installed; fail where the test machine promises to have it."""
    promised = os.environ.get("CI") == "true" and sys.platform == "linux" and platform.machine() == "x86_64"
    if promised:
        pytest.fail(reason)
    pytest.skip(reason)


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
