"""Loopback: how Ray is started on this machine so that it listens on 127.0.0.1 alone, and asks no address outside.

Left to itself, Ray finds its own address by opening a socket towards a public one, and listens there. Where reports of usage are switched off, a
process of Ray's still asks the services of three clouds which of them it runs in, and reports that reports are switched off.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOBODY = "http://127.0.0.1:9"  # where nobody listens
ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # a node's address is 127.0.0.1, as it is on those systems
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_REPORT_URL": _NOBODY,
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of what it will do some day
    # Ray's own processes talk to each other without a proxy. Whoever asks for a cloud is sent to nobody.
    "http_proxy": _NOBODY,
    "HTTP_PROXY": _NOBODY,
    "https_proxy": _NOBODY,
    "HTTPS_PROXY": _NOBODY,
    "no_proxy": "127.0.0.1,localhost",
    "NO_PROXY": "127.0.0.1,localhost",
}
"""What the processes of such a cluster find in their environment. It must be set before Ray is imported, or by :func:`alone`."""


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Start Ray meanwhile; processes that it starts keep the environment, this one does not."""
    from ray._private import ray_constants

    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    joins = getattr(ray_constants, "ENABLE_RAY_CLUSTER", None)
    os.environ |= ENVIRONMENT
    ray_constants.ENABLE_RAY_CLUSTER = False  # read from the environment when Ray was imported
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = joins
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
