"""What a step of a search on CUDA costs the host, without a GPU: real cuda-bindings over a driver whose launches do nothing.

    python -m benchmarks.host_cost

One step is a launch of relax and one of commit. "One by one" checks and packs the arguments of each launch, "prepared" does so once, "recorded"
lets the driver repeat 32 steps as one graph. The least of many batches, in microseconds per step.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

CODE = """
import time
import numpy as np
import steppe as sp
from steppe.gpu.loops import delta_stepping, frontier, work
from steppe.gpu.keys import choices
from steppe.planning.question import Question

graph = sp.generate.road(20_000, seed=1)
question = Question(np.array([0]))
keys = choices(graph)[0]


def least(call, steps, repeat=300):
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return 1e6 * min(times) / steps


def one_by_one(search, steps=32):
    for k in range(steps):
        for kernel in ("relax", "commit"):
            device.launch(search.program, kernel, 65_536, *search.arguments(kernel, k % 2))


for name, module, make in (
    ("delta-stepping", delta_stepping, lambda w: delta_stepping.Buckets(w, 64.0)),
    ("frontier", frontier, frontier.Rounds),
):
    search = make(work.Work(device, graph, question, keys, lists=module.LISTS))
    search.batch.rounds = 32
    both = search._two_steps()
    print(
        f"{name:16}",
        f"one by one {least(lambda: one_by_one(search), 32, 30):6.2f}",
        f"prepared {least(lambda: device.replay(list(both), 16), 32):6.2f}",
        f"recorded {least(lambda: device.replay(both, 16), 32):6.2f}",
        f"look {least(search.look, 1):6.2f}",
    )
"""


def main() -> None:
    """Print the table."""
    import standin

    if reason := standin.absent():
        sys.exit(reason)
    report = standin.run(CODE, STANDIN_IDLE="1")
    sys.stdout.write(report.text)
    sys.exit(report.returncode)


if __name__ == "__main__":
    main()
