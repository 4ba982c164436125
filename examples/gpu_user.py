"""A GPU user's job: what devices are there, what would run, the same answer from a device, and a graph larger than its memory."""

import numpy as np

import steppe as sp

for device in sp.devices():
    print(device)
graph = sp.generate.rmat(14, seed=1)
print(sp.plan(graph, "sssp", device="auto").reason)  # what auto would take, and why

here = sp.sssp(graph, 0, device="cpu").verify()
try:
    there = sp.sssp(graph, 0, device="opencl")  # "cuda" is the same; PoCL makes the CPU an OpenCL device
    small = sp.sssp(
        graph, 0, device="opencl", memory_limit=graph.nbytes // 3
    )  # plays a device that cannot hold the edges
except sp.DeviceError as error:
    print("no device:", error)
else:
    assert np.array_equal(here.distances, there.distances)
    assert np.array_equal(here.distances, small.distances)
    print(f"same bits; {there.explain().rounds} rounds, {there.explain().launches} launches")
    print(f"streamed: {small.explain().parts} parts, at most {small.explain().peak_bytes:,} bytes on the device")
