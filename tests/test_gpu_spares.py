"""Spares: the second search of a graph on a device allocates nothing; what is kept goes when memory is short, and with the graph."""

import gc
import threading

import numpy as np
import pytest

import device_checks as checks
import standin
import steppe as sp
from conftest import missing
from steppe.gpu import downloads, get_device, loops
from steppe.gpu.spares import PATIENCE

LIMIT = 66_000_000  # a device object of our own


@pytest.fixture
def mine(device):
    """A device that holds nothing."""
    made = get_device(device.info.name, memory_limit=LIMIT)
    made.forget_graphs()
    assert made.memory.allocated == 0
    return made


def counted(device, monkeypatch):
    """Return the list of what the driver is asked for from now on."""
    asked, real = [], device._alloc
    monkeypatch.setattr(device, "_alloc", lambda nbytes: asked.append(nbytes) or real(nbytes))
    return asked


@pytest.mark.pocl
@pytest.mark.parametrize("dtype", checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
@pytest.mark.parametrize("method", loops.METHODS)
def test_the_second_search_allocates_nothing(mine, monkeypatch, method, dtype):
    graph = checks.random_graph(300, 2000, dtype, seed=1, hub=700)
    search = checks.search_of([1, 2], targets=[5, 6, 7], record_paths=True)
    first = loops.run(mine, graph, search, method)
    asked = counted(mine, monkeypatch)
    held = mine.memory.allocated
    again = loops.run(mine, graph, search, method)
    assert (asked, mine.memory.allocated) == ([], held)
    assert np.array_equal(first.distances, again.distances)
    assert mine.memory.used == graph.nbytes < held
    fresh = loops.run(get_device(mine.info.name, memory_limit=LIMIT + 1), graph, search, method)
    assert np.array_equal(fresh.distances, again.distances)
    assert first.explained["peak_bytes"] == again.explained["peak_bytes"]
    loops.run(mine, checks.random_graph(300, 2000, dtype, seed=2), search, method)
    assert len(asked) > 8  # every graph has its own


@pytest.mark.pocl
def test_all_is_given_back_with_the_graph(mine):
    graph = checks.random_graph(300, 2000, np.int32, seed=1)
    loops.run(mine, graph, checks.search_of(), "delta-stepping")
    assert mine.memory.allocated > graph.nbytes
    del graph
    assert mine.memory.allocated == mine.memory.used == 0


@pytest.mark.pocl
def test_spares_make_room_for_what_needs_it(mine, monkeypatch):
    graph = checks.random_graph(300, 2000, np.int32, seed=1)
    loops.run(mine, graph, checks.search_of(), "delta-stepping")
    spare = mine.memory.allocated - mine.memory.used
    assert spare > 10_000
    assert mine.memory.free == LIMIT - graph.nbytes
    buffer = mine.alloc(mine.memory.free, "u1")  # within the budget: all that no search uses
    assert mine.memory.allocated == mine.memory.used == LIMIT
    with pytest.raises(sp.DeviceMemoryError):
        mine.alloc(1, "u1")
    buffer.free()
    # And where the driver refuses what the budget allows: once more, without them.
    loops.run(mine, graph, checks.search_of(), "delta-stepping")
    real, asked = mine._alloc, []

    def refuses(nbytes):
        asked.append(mine.memory.allocated - mine.memory.used)
        if asked[-1] > 0:
            raise sp.DeviceMemoryError("the driver says no", needed=nbytes, free=0)
        return real(nbytes)

    monkeypatch.setattr(mine, "_alloc", refuses)
    assert mine.alloc(1000, "u1").size == 1000
    assert len(asked) == 2


@pytest.mark.pocl
def test_what_no_search_wants_any_more_is_given_back(mine):
    graph = checks.random_graph(300, 2000, np.int32, seed=1)
    held = []
    for count in range(1, 4 * PATIENCE):  # another number of targets each time
        loops.run(mine, graph, checks.search_of(targets=range(count)), "delta-stepping")
        held.append(mine.memory.allocated)
    assert held[-1] - held[PATIENCE] < 4 * 4 * PATIENCE * (PATIENCE + 2)
    loops.run(mine, graph, checks.search_of(), "bfs")
    most = mine.memory.allocated
    for _ in range(PATIENCE + 1):
        loops.run(mine, graph, checks.search_of(), "bfs")
    assert mine.memory.allocated < most  # the buckets' arrays are gone


@pytest.mark.pocl
def test_arrays_that_were_given_out_are_never_used_again(mine):
    for dtype in (np.int32, np.float64):
        graph = checks.random_graph(300, 2000, dtype, seed=1)
        right = sp.sssp(graph, 0).distances
        paths = sp.sssp(graph, 0, device=mine.info.name, memory_limit=LIMIT, result="device")
        buffer = paths.__dlpack__()
        other = sp.sssp(graph, 7, device=mine.info.name, memory_limit=LIMIT)
        assert np.array_equal(other.distances, sp.sssp(graph, 7).distances)
        assert np.array_equal(paths.distances, right)
        del buffer
    for method in ("frontier", "bfs"):
        answer = loops.run(mine, graph, checks.search_of(result="device"), method)
        held = answer.distances.buffer
        while held is not None:
            assert held.spares is None
            held = held.owner


@pytest.mark.pocl
def test_searches_of_several_threads_share_them(mine):
    graph = checks.random_graph(2000, 12_000, np.int32, seed=1)
    right = [sp.sssp(graph, s).distances for s in range(8)]
    wrong = []

    def search(number):
        for turn in range(12):
            source = (number + turn) % 8
            answer = loops.run(mine, graph, checks.search_of([source]), ("delta-stepping", "frontier")[turn % 2])
            if not np.array_equal(answer.distances, right[source]):
                wrong.append((number, turn))
            if turn % 5 == 4:
                mine.give_back_spares()

    threads = [threading.Thread(target=search, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    mine.give_back_spares()
    gc.collect()
    assert mine.memory.allocated == mine.memory.used == graph.nbytes


@pytest.mark.pocl
@pytest.mark.parametrize("size", [1, 999, 1000, 1001, 5003])
def test_downloads_come_through_two_pinned_buffers(pocl, monkeypatch, size):
    monkeypatch.setattr(downloads, "CHUNK", 1000)
    values = np.arange(size).astype(np.uint8)
    buffer, out = pocl.upload(values), np.zeros(max(size - 1, 1), np.uint8)
    assert downloads.Downloads().read(pocl, out, buffer.handle, size - len(out))
    assert np.array_equal(out, values[size - len(out) :])


def test_a_system_that_pins_nothing_downloads_all_the_same(monkeypatch):
    class Refuses:
        def staging(self, size, dtype):
            raise sp.DeviceMemoryError("no", needed=size, free=0)

    assert downloads.Downloads().read(Refuses(), np.zeros(3), None, 0) is False


@pytest.mark.standin
def test_on_the_stand_in_nothing_is_allocated_and_results_come_down_pinned(tmp_path):
    if reason := standin.absent():
        missing(reason)
    log = tmp_path / "log"
    code = f"""
import numpy as np, steppe as sp
from pathlib import Path
from steppe.gpu import downloads
downloads.CHUNK, downloads.FROM = 4096, 2000
log = Path({str(log)!r})
graph = sp.generate.grid(60, 60, weights=(1, 100), seed=1)
sp.sssp(graph, 1, device="cpu").distances
for method in ("delta-stepping", "frontier", "bellman-ford"):
    sp.sssp(graph, 0, device="cuda", method=method)
    before = log.read_text().count("alloc ")
    assert before > 10
    answer = sp.sssp(graph, 1, device="cuda", method=method)
    assert log.read_text().count("alloc ") == before, method
    assert np.array_equal(answer.distances, sp.sssp(graph, 1, device="cpu").distances)
sp.bfs(graph, 0, device="cuda")
before = log.read_text().count("alloc ")
assert np.array_equal(sp.bfs(graph, 1, device="cuda").distances, sp.bfs(graph, 1, device="cpu").distances)
assert log.read_text().count("alloc ") == before
print("end")
"""
    report = standin.run(code, STANDIN_LOG=log)
    assert report.returncode == 0, report.text
    assert "end" in report.text
    down = [line.split() for line in log.read_text().splitlines() if line.startswith("copy to pinned")]
    assert len({words[3] for words in down}) == 2
    assert sum(int(words[4]) for words in down) >= 6 * 8 * 3600  # every result
    assert not any(
        int(line.split()[3]) >= 8 * 3600 for line in log.read_text().splitlines() if line.startswith("copy to host")
    )
