"""What tests of searches in parts share without a cluster: workers of this process that lose everything, and questions."""

import numpy as np
from hypothesis import strategies as st

import steppe as sp
from steppe.calls import partitioned
from steppe.cluster.question import UnknownQuestionError, WorkersLostError
from steppe.cluster.workers import LocalWorkers

SUPERSTEPS = ("advance", "mirror", "pull")


def _far(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


class Mortal(LocalWorkers):
    """Workers some of which lose everything before given supersteps, once each."""

    def __init__(self, graph, workers, deaths=()):
        super().__init__(graph, workers)
        self.deaths = {(step, worker) for step, worker in deaths if worker < len(self.workers)}
        self.step = 0
        self.had_state = 0

    def exchange(self, method, inbox, *args):
        if method in SUPERSTEPS:
            dying = {w for step, w in self.deaths if step == self.step}
            self.step += 1
            for w in dying:
                held = self.workers[w].questions.get(args[0], {})
                values = [s.search.values()[: s.part.own] for s in held.values()]
                self.had_state += any((v != _far(v.dtype)).any() for v in values)
                self.workers[w] = None
        if not all(self.workers):
            self._lost(method, inbox, *args)
        without_state = {w for w, worker in enumerate(self.workers) if args[0] not in worker.questions}
        if without_state:
            raise WorkersLostError(set(), without_state)
        return super().exchange(method, inbox, *args)

    def _lost(self, method, inbox, *args):
        dead = {w for w, worker in enumerate(self.workers) if worker is None}
        for number, worker in enumerate(self.workers):  # survivors work on; what they send is lost
            if worker is not None:
                getattr(worker, method)(*args, *inbox[number])
        raise WorkersLostError(dead, set())

    def call(self, method, *args, only=None, inbox=None):
        try:
            return super().call(method, *args, only=only, inbox=inbox)
        except UnknownQuestionError:
            chosen = range(len(self.workers)) if only is None else only
            raise WorkersLostError(set(), {w for w in chosen if args[0] not in self.workers[w].questions}) from None

    def release(self, question):
        for worker in filter(None, self.workers):
            worker.forget(question)

    def replace(self, workers):
        for w in workers:
            self.workers[w] = self._worker(w)


def without_resends(rounds):
    rounds.resends = False
    return rounds


def use(monkeypatch, graph, workers=2, chosen=None):
    team = LocalWorkers(graph, workers) if chosen is None else chosen
    monkeypatch.setattr(partitioned, "local_workers", lambda _: team)
    return team


@st.composite
def questions(draw):
    n = draw(st.integers(1, 14))
    m = draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["none", "int32", "int64", "float32", "float64", "zeros", "ones", "tiny", "wide"]))
    weights = {
        "none": None,
        "int32": rng.integers(0, 100, m).astype(np.int32),
        "int64": rng.integers(0, 2**40, m),
        "float32": rng.random(m).astype(np.float32),
        "float64": rng.random(m),
        "wide": rng.integers(2**29, 2**31, m).astype(np.int32),  # sums leave 32 bits
        "zeros": rng.integers(0, 2, m) * 7,
        "ones": np.ones(m, dtype=np.int32),
        "tiny": rng.choice([1.0, 1e-20, 3e8], m).astype(np.float32),  # lost in rounding
    }[kind]
    graph = sp.Graph.from_edges(
        rng.integers(0, n, m), rng.integers(0, n, m), weights, num_vertices=n, directed=draw(st.booleans())
    )
    parts = draw(st.integers(1, min(n, 5)))
    by = draw(st.sampled_from(["range", "locality", "array"]))
    by = rng.integers(0, parts, n) if by == "array" else by
    sources = np.unique(rng.integers(0, n, draw(st.integers(1, 3)))).tolist()
    return graph, parts, by, sources
