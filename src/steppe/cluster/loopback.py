"""How Ray is started on this machine so that it listens on 127.0.0.1 alone and contacts no address outside.

By default, Ray finds its own address by opening a socket towards a public one, and listens there. Where usage reports are switched off, one of
its processes still asks the services of three clouds whether it runs there, and reports that reports are switched off.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_SERVER = "http://127.0.0.1:9"  # where nothing listens
ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # a node's address is 127.0.0.1, as it is on those systems
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_REPORT_URL": _NO_SERVER,
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of a future change
    # Ray's own processes talk to each other without a proxy. Requests to a cloud go to this address.
    "http_proxy": _NO_SERVER,
    "HTTP_PROXY": _NO_SERVER,
    "https_proxy": _NO_SERVER,
    "HTTPS_PROXY": _NO_SERVER,
    "no_proxy": "127.0.0.1,localhost",
    "NO_PROXY": "127.0.0.1,localhost",
}
"""The environment of the processes of such a cluster. It must be set before Ray is imported, or by :func:`alone`."""


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
