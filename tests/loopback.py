"""A network with nothing but loopback, for what would listen on other addresses: this process, and all that it starts meanwhile."""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 0x1


class NotPermittedError(Exception):
    """This system or user may not have a network of its own."""


@contextlib.contextmanager
def only_loopback():
    """Give the calling thread, and threads and processes that it starts, such a network; give it back the old one in the end."""
    if sys.platform != "linux":
        raise NotPermittedError("network namespaces are Linux's")
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.unshare(CLONE_NEWNET) != 0:
            raise NotPermittedError(f"unshare -n: {os.strerror(ctypes.get_errno())}")
        try:
            with socket.socket() as s:
                fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
            names = {
                line.split(":")[0].strip() for line in Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]
            }
            assert names == {"lo"}, names
            yield
        finally:
            assert libc.setns(before, CLONE_NEWNET) == 0
    finally:
        os.close(before)
