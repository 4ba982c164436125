"""Ray as we start it: it listens on 127.0.0.1 alone, and asks no address outside of this machine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopback import NotPermittedError, only_loopback

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]  # Ray's own
ROOT = Path(__file__).parents[1]
ALL = os.environ.get("STEPPE_TEST_ALL") == "1"
CALLS = "trace=connect,bind,sendto,sendmsg,sendmmsg"
ADDRESS = re.compile(r'(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"')


def traced(words, trace, **options):
    """Run a program and all that it starts; return how it ended, and the addresses that it named to the system."""
    command = ["strace", "-f", "-qq", "-e", CALLS, "-o", str(trace), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)
    return done, set(ADDRESS.findall(trace.read_text(errors="replace")))


def outside(addresses):
    return {address for address in addresses if not re.fullmatch(r"127\..*|::1|::ffff:127\..*", address)}


@pytest.fixture
def watched(tmp_path):
    """A file to trace into, in a network from which nothing gets out; skips where processes may not be traced."""
    pytest.importorskip("ray", reason="the extra ray is not installed")
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    if subprocess.run([strace, "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not permit strace")
    try:
        with only_loopback():
            yield tmp_path / "trace"
    except NotPermittedError as error:
        pytest.skip(f"no network with loopback alone: {error}")


def test_whoever_asks_outside_is_seen(watched):
    """The control: the tests below can fail."""
    words = """
import contextlib, socket
for kind, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"), (socket.AF_INET, "127.0.0.1")):
    with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as s:
        s.connect((address, 53))
"""
    _, asked = traced([sys.executable, "-c", words], watched)
    assert "127.0.0.1" in asked
    assert outside(asked) == {"192.0.2.1", "2001:db8::1"}


SEARCH = """
import os, pathlib, sys, ray, steppe as sp
from steppe.cluster.loopback import ENVIRONMENT
before = dict(os.environ)
graph = sp.generate.grid(9, 9, seed=1)
parts = sp.partition(graph, pathlib.Path(sys.argv[1]) / "grid", parts=2)
with sp.Ray(workers=2, cpus=0.5) as engine:
    assert (sp.sssp(parts, 0, engine=engine).distances == sp.sssp(graph, 0).distances).all()
    assert sp.distances(graph, [1, 2], engine=engine).shape == (2, 81)
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
assert all(os.environ.get(name) == before.get(name) for name in ENVIRONMENT)
assert ray._private.ray_constants.ENABLE_RAY_CLUSTER
"""


def test_an_engine_asks_nobody_outside(watched, tmp_path):
    done, asked = traced([sys.executable, "-c", SEARCH, str(tmp_path)], watched)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "127.0.0.1" in asked
    assert outside(asked) == set()


@pytest.mark.skipif(not ALL, reason="three nodes take half a minute to start: make test-cluster")
def test_the_demo_asks_nobody_outside(watched):
    words = [sys.executable, str(ROOT / "examples" / "cluster.py")]
    done, asked = traced(words, watched, env=os.environ | {"STEPPE_LOOPBACK_ONLY": "1"})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "127.0.0.1" in asked
    assert outside(asked) == set()
    assert "proven: every vertex and every edge" in done.stdout
    assert len(done.stderr.splitlines()) + done.stdout.count("(raylet)") <= 5, done.stderr  # what Ray says
