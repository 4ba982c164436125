"""Check arrays that come from other libraries and go to them, on a given device; plain functions, for all executors."""

import gc

import numpy as np

import steppe as sp
from protocol import raises
from steppe.errors import DeviceError
from steppe.gpu import exchange

WEIGHTS = (None, np.int32, np.int64, np.float32, np.float64)


class Interface:
    """An array that speaks ``__cuda_array_interface__`` and nothing else, as a cuDF column does."""

    def __init__(self, array, **more):
        self.array, self.more = array, more

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__ | self.more


def rows_on(device, weights, *, wide=False, wrap=exchange.DeviceArray):
    """Return a graph's rows as another library has them on the device, and the graph itself."""
    graph = sp.generate.grid(60, 70, weights=(1, 100), seed=1)
    w = None if weights is None else graph.weights.astype(weights)
    kind = np.int64 if wide else np.int32
    arrays = [graph.indptr.astype(kind if weights is np.int32 else np.int64), graph.indices.astype(kind)]
    there = [wrap(exchange.DeviceArray(device.upload(a)) if wrap is Interface else device.upload(a)) for a in arrays]
    if w is None:
        return (*there, None), sp.Graph.from_csr(graph.indptr, graph.indices)
    host = sp.Graph._make(graph.indptr, graph.indices, w, labels=None, directed=True)
    last = exchange.DeviceArray(device.upload(w)) if wrap is Interface else device.upload(w)
    return (*there, wrap(last)), host


def check_round_trip(device, wrap=exchange.DeviceArray, most=33_000):
    """In by one protocol, out by the other: the same bits, and the host sees a few looks only."""
    name = device.info.name
    for weights in WEIGHTS:
        for wide in (False, True):
            arrays, host = rows_on(device, weights, wide=wide, wrap=wrap)
            with device.count() as counters:
                graph = sp.Graph.from_csr(*arrays)
                del arrays  # the graph has its own
                gc.collect()
                found = {call: getattr(sp, call)(graph, 5, device=name, result="device") for call in ("sssp", "bfs")}
                there = {call: exchange.borrow(paths, device, call) for call, paths in found.items()}
            assert counters.bytes_down <= most, (weights, wide, counters)  # looks, and a thousand weights
            assert most < min(host.indices.nbytes, 8 * host.num_vertices)
            assert counters.bytes_up <= 200
            for call, paths in found.items():
                right = getattr(sp, call)(host, 5)
                assert there[call].dtype == right.distances.dtype
                assert np.array_equal(device.download(there[call]), right.distances)
                del there[call]
                assert np.array_equal(paths.distances, right.distances)  # and now the host has them, too
                assert np.array_equal(paths.predecessors, right.predecessors)
                paths.verify()
                assert paths.__dlpack_device__() == device.exchanged()
            assert np.array_equal(sp.distances(graph, [1, 2], device="cpu"), sp.distances(host, [1, 2]))
            assert (graph.min_weight, graph.max_weight) == (host.min_weight, host.max_weight)
    found = paths = None
    gc.collect()
    assert exchange._lent == {}


def check_capsules(device):
    """A capsule that nobody takes is freed, one that is taken keeps the array, and it can be taken once."""
    array = exchange.DeviceArray(device.upload(np.arange(10)))
    before = device.memory.used
    capsule = array.__dlpack__()
    assert len(exchange._lent) == 1
    del capsule
    assert exchange._lent == {}
    borrowed = exchange.borrow(array, device, "array")
    del array
    assert device.memory.used == before
    assert device.download(borrowed).tolist() == list(range(10))
    del borrowed
    gc.collect()
    assert (exchange._lent, device.memory.used) == ({}, before - 80)


def check_copies(device):
    """A borrower may ask for memory of its own, there or on the host; for another device it is refused."""
    array = exchange.DeviceArray(device.upload(np.arange(10)))
    place = device.exchanged()

    class Asking:
        """Asks as a borrower does that wants this."""

        def __init__(self, **options):
            self.options = options

        def __dlpack__(self, **options):
            return array.__dlpack__(**options | self.options)

        def __dlpack_device__(self):
            return self.options.get("dl_device", place)

    for options, own in (
        ({}, False),
        ({"copy": False}, False),
        ({"copy": None, "dl_device": place, "max_version": (1, 0)}, False),
        ({"copy": True}, True),
        ({"copy": True, "dl_device": place}, True),
    ):
        before = device.memory.used
        taken = exchange.borrow(Asking(**options), device, "array")
        assert (device.memory.used - before, (taken.handle != array.buffer.handle)) == (80 * own, own), options
        device.fill(taken, 5)
        assert device.download(array.buffer).tolist() == (list(range(10)) if own else [5] * 10), options
        device.upload(np.arange(10), into=array.buffer)
        del taken
        assert (exchange._lent, device.memory.used) == ({}, before)
    for copy in (None, True):
        down = np.from_dlpack(Asking(dl_device=(exchange.CPU, 0), copy=copy))
        assert down.tolist() == list(range(10))
    raises(BufferError, device.info.name, array.__dlpack__, dl_device=(exchange.CPU, 0), copy=False)
    raises(BufferError, device.info.name, array.__dlpack__, dl_device=(place[0], place[1] + 1))
    assert exchange._lent == {}


def check_refusals(device):
    """What is no graph is refused, before any search runs over it."""
    name = device.info.name
    (indptr, indices, weights), host = rows_on(device, np.float64)
    there = exchange.DeviceArray

    def graph(*arrays, **options):
        return sp.Graph.from_csr(*arrays, **options)

    bad = host.indices.copy()
    bad[7] = len(host.indptr) - 1
    raises(sp.GraphError, "vertex ids must be", graph, indptr, there(device.upload(bad)))
    raises(sp.GraphError, "vertex ids must be", graph, indptr, there(device.upload(bad.astype(np.int64) + 2**32)))
    raises(sp.GraphError, "indptr must rise", graph, there(device.upload(host.indptr[::-1].copy())), indices)
    raises(sp.GraphError, "indptr must rise", graph, there(device.upload(host.indptr + 1)), indices)
    for wrong in (np.nan, -np.inf):
        heavy = host.weights.copy()
        heavy[-1] = wrong
        raises(sp.GraphError, "must be numbers", graph, indptr, indices, there(device.upload(heavy)))
    raises(sp.GraphError, "ragged", graph, indptr, indices, there(device.upload(host.weights[1:])))
    raises(sp.GraphError, "one device", graph, host.indptr, indices)
    raises(sp.GraphError, "proven on the host", graph, indptr, indices, directed=False)
    raises(sp.GraphError, "int32 or int64", graph, indptr, there(device.upload(host.weights)))
    good = graph(indptr, indices, weights)
    raises(ValueError, "leave out targets", sp.sssp, good, 0, device=name, result="device", targets=[1])
    raises(ValueError, "needs a search on a device", sp.sssp, good, 0, device="cpu", result="device")
    raises(ValueError, "host", sp.sssp, good, 0, device=name, result="gpu")
    negative = there(device.upload(np.where(host.weights > 98, -1.0, host.weights)))
    assert graph(indptr, indices, negative).has_negative
    raises(AttributeError, "host", getattr, sp.sssp(good, 0), "__cuda_array_interface__")
    edges = sp.Graph.from_edges(there(device.upload(np.array([0, 1]))), there(device.upload(np.array([1, 2]))))
    assert sp.sssp(edges, 0).distances.tolist() == [0, 1, 2]


def check_cuda(device):
    """What only CUDA has: its interface, with streams and strides."""
    check_round_trip(device, wrap=Interface)
    (indptr, indices, _), host = rows_on(device, None)
    on_stream = Interface(indices, stream=device.stream_number())
    assert sp.Graph.from_csr(Interface(indptr), on_stream).num_edges == host.num_edges
    strided = Interface(indices, strides=(8,))
    raises(DeviceError, "contiguous", sp.Graph.from_csr, Interface(indptr), strided)
    masked = Interface(indices, mask=Interface(indices))
    raises(DeviceError, "indices has a mask", sp.Graph.from_csr, Interface(indptr), masked)
    raises(DeviceError, "has a mask", sp.Graph.from_edges, masked, masked)
    nowhere = Interface(indices, data=(64, False))
    raises(DeviceError, "no memory at 0x40", sp.Graph.from_csr, Interface(indptr), nowhere)
    none = Interface(indices, data=(0, False), shape=(0,))  # has no memory, so it lies where the others do
    empty = sp.Graph.from_csr(Interface(exchange.DeviceArray(device.upload(np.zeros(4, np.int64)))), none, none)
    found = sp.sssp(empty, 1, device=device.info.name)
    assert found.distances.tolist() == [sp.UNREACHABLE, 0, sp.UNREACHABLE]
    raises(sp.GraphError, "indptr do not", sp.Graph.from_csr, [0, 0], none)


def check_two(device, other):
    """Rows on two devices are refused, whatever they speak."""
    (indptr, _, _), _ = rows_on(device, None, wrap=Interface)
    (_, indices, _), _ = rows_on(other, None, wrap=Interface)
    raises(sp.GraphError, f"indices lie on {other.info.name}, indptr do not", sp.Graph.from_csr, indptr, indices)
