"""Graphs and matrices on a cluster: Ray on this machine, with real processes that are killed, stopped and replaced.

Needs the extra ``ray`` and a network namespace with nothing but loopback; skips visibly where there is neither. STEPPE_TEST_ALL=1 (``make
test-cluster``) sweeps every superstep × every victim; else a few.
"""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from cluster_checks import running, with_faults, wrong
from conftest import PATIENCE
from loopback import NotPermittedError
from steppe.cluster.cpu_holders import cpu_holders
from steppe.cluster.loopback import ENVIRONMENT

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]  # Ray's own
ALL = os.environ.get("STEPPE_TEST_ALL") == "1"


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("ray", reason="the extra ray is not installed")
    try:
        with running() as ray:
            yield ray
    except NotPermittedError as error:
        pytest.skip(f"no network with loopback alone: {error}")


@pytest.fixture(scope="module")
def graph():
    return sp.generate.grid(16, 20, seed=2)


@pytest.fixture(scope="module")
def parts(graph, tmp_path_factory):
    return sp.partition(graph, tmp_path_factory.mktemp("cluster") / "grid", parts=5)


@pytest.fixture(scope="module")
def engine(cluster):
    with sp.Ray(workers=3, timeout=20, cpus=0.1) as engine:
        yield engine
    assert cluster.is_initialized()  # it was running, so it is left running


def test_the_answer_of_one_machine(engine, graph, parts, tmp_path):
    r, right = sp.sssp(parts, 5, engine=engine), sp.sssp(graph, 5)
    assert np.array_equal(r.distances, right.distances)
    assert np.array_equal(r.predecessors, right.predecessors)
    assert r.path(319).tolist() == right.path(319).tolist()
    assert r.verify().distance(319) == right.distance(319)
    told = r.explain()
    assert (told.engine, told.parts, told.restarts) == ("ray", 5, 0)
    assert told.supersteps > 1
    assert told.message_bytes == 8 * told.messages > 0
    assert 0 < told.wait_share < 1
    assert sp.plan(parts, "sssp", engine=engine).engine == "ray"
    assert np.array_equal(sp.bfs(parts, 5, engine=engine).verify().distances, sp.bfs(graph, 5).distances)
    near, known = sp.nearest(parts, [3, 300], engine=engine).verify(), sp.nearest(graph, [3, 300])
    assert np.array_equal(near.source_index, known.source_index)
    assert np.array_equal(near.distances, known.distances)
    assert len(list(r.to_folder(tmp_path / "answer").iterdir())) == 6


def test_ray_listens_on_loopback_alone(engine, parts):
    """Told so, it does by itself: the network with nothing but loopback that it runs in here is a second wall."""
    sp.sssp(parts, 5, engine=engine)
    for kind, loopback in (
        ("tcp", {"0100007F"}),
        ("tcp6", {"0000000000000000FFFF00000100007F", "0" * 24 + "01000000"}),
    ):
        rows = [line.split() for line in Path(f"/proc/thread-self/net/{kind}").read_text().splitlines()[1:]]
        listening = {row[1].partition(":")[0] for row in rows if row[3] == "0A"}
        assert listening <= loopback
        assert listening or kind == "tcp"


def test_floats_and_another_graph_at_once(engine, tmp_path):
    graph = sp.generate.rmat(9, 6, weights="float64", seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=4, by="locality")
    source = int(np.argmax(graph.degrees))
    a, b = sp.sssp(g, source, engine=engine), sp.sssp(g, 1, engine=engine)
    right = sp.sssp(graph, source)
    assert np.array_equal(a.distances, right.distances)
    assert np.array_equal(b.verify().distances, sp.sssp(graph, 1).distances)
    assert np.array_equal(a.verify().predecessors, right.predecessors)
    engine.workers_of(g).close()


def test_killed_at_a_superstep(engine, graph, parts):
    right = sp.sssp(graph, 5)
    calm = sp.sssp(parts, 5, engine=engine, delta=400).explain().supersteps
    plans = [{(step, victim)} for step in range(calm) for victim in range(3)]
    plans += [{(2, 0), (2, 2)}, {(1, 0), (3, 0), (4, 1)}, {(0, 0), (0, 1), (0, 2)}]
    if not ALL:
        plans = [plans[4], plans[-3]]
    for plan in plans:
        found, faults = with_faults(engine, parts, plan, lambda: sp.sssp(parts, 5, engine=engine, delta=400))
        assert (wrong(found, right), found.explain().restarts, len(faults.sent)) == (0, len(plan), len(plan)), plan
    found.verify()
    assert np.array_equal(found.predecessors, right.predecessors)


def test_killed_around_a_pull(engine, tmp_path, monkeypatch):
    """Between the two supersteps of a pull, and after it: what the dead had read nobody told it."""
    graph = sp.generate.rmat(14, 16, seed=1)
    g = sp.partition(graph, tmp_path / "g", parts=3)
    source, team, heard = int(np.argmax(graph.degrees)), engine.workers_of(g), []
    exchange = team.exchange
    monkeypatch.setattr(team, "exchange", lambda method, *args: (heard.append(method), exchange(method, *args))[1])
    right = sp.sssp(graph, source)
    assert wrong(sp.sssp(g, source, engine=engine), right) == 0
    at = heard.index("pull")
    plans = [{(at, 1)}, {(at + 1, 2)}]
    if ALL:
        plans += [{(step, victim)} for step in range(heard.index("pull") + 3) for victim in range(3)]
    for plan in plans:
        found, faults = with_faults(engine, g, plan, lambda: sp.sssp(g, source, engine=engine))
        assert (wrong(found, right), found.explain().restarts, len(faults.sent)) == (0, 1, 1), plan
    found.verify()
    team.close()


def test_without_the_word_of_survivors_the_same_is_wrong(engine, graph, parts):
    """The control: a restart alone is not enough, so the test above can fail."""
    right = sp.sssp(graph, 5)
    engine._resends = False
    try:
        found, faults = with_faults(engine, parts, {(4, 1)}, lambda: sp.sssp(parts, 5, engine=engine, delta=400))
        assert len(faults.sent) == 1
        assert wrong(found, right) > 0
    finally:
        engine._resends = True


def test_an_answer_survives_its_worker(engine, graph, parts):
    r, right = sp.sssp(parts, 5, engine=engine), sp.sssp(graph, 5)
    os.kill(engine.workers_of(parts).start().pids[2][0], signal.SIGKILL)
    assert r.path(319).tolist() == right.path(319).tolist()
    assert wrong(r.verify(), right) == 0


def test_a_worker_that_hangs_is_replaced(cluster, graph, parts):
    with sp.Ray(workers=2, timeout=3, cpus=0.1) as engine:
        call = lambda: sp.sssp(parts, 5, engine=engine, delta=400)  # noqa: E731
        found, faults = with_faults(engine, parts, {(3, 1)}, call, number=signal.SIGSTOP)
        (stopped,) = faults.stopped
        assert stopped.ended(60), f"left behind, stopped {stopped.times} times"
        assert found.explain().restarts >= 1  # more where the machine is so busy that another did not answer in time
        assert wrong(found, sp.sssp(graph, 5)) == 0


DRIVER = """
import os, signal, sys
import ray, steppe as sp
ray.init(address=sys.argv[4], log_to_driver=False, logging_level="error")
engine = sp.Ray(workers=2, checkpoint=sys.argv[2], checkpoint_every=0, cpus=0.1)
def die(step):
    if step == int(sys.argv[3]):
        print("dying", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
engine._before_step = die
sp.sssp(sp.open_partitioned(sys.argv[1]), 5, engine=engine, delta=400)
"""


@pytest.mark.skipif(not ALL, reason="a second driver takes half a minute to start: make test-cluster")
def test_a_dead_driver_is_gone_on_with(cluster, graph, parts, tmp_path):
    address = cluster.get_runtime_context().gcs_address
    words = [sys.executable, "-c", DRIVER, str(parts.folder), str(tmp_path), "6", address]
    env = os.environ | ENVIRONMENT
    died = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env)
    assert died.stdout == "dying\n", died.stderr
    assert died.returncode == -signal.SIGKILL
    kept = sorted(tmp_path.rglob("*.values"))
    assert len(kept) == 5
    with sp.Ray(workers=2, checkpoint=tmp_path, checkpoint_every=1000, cpus=0.1) as engine:
        kept[1].write_bytes(b"torn" + kept[1].read_bytes()[4:])  # not believed, and not needed
        r = sp.sssp(parts, 5, engine=engine, delta=400)
        assert wrong(r.verify(), sp.sssp(graph, 5)) == 0
        fresh = sp.sssp(parts, 5, engine=engine, delta=400).explain()
        assert r.explain().supersteps < fresh.supersteps
        assert not list(tmp_path.rglob("*.values"))
        assert sp.sssp(parts, 6, engine=engine).verify().distance(5) == sp.sssp(graph, 6).distance(5)


def grid(folder, seed, parts=4):
    graph = sp.generate.grid(12, 15, seed=seed)
    return graph, sp.partition(graph, folder / f"grid-{seed}", parts=parts)


def free(cluster, fits):
    """Whether as many CPUs are free as is asked for, sooner or later: Ray tells of it a moment afterwards."""
    deadline = time.monotonic() + 120
    while not (found := fits(cluster.available_resources().get("CPU", 0))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def test_one_graph_after_another(cluster, engine, tmp_path):
    """Each takes all CPUs: idle workers make room, and answers that lay with them are found again."""
    (one, first), (two, second) = grid(tmp_path, 1), grid(tmp_path, 2)
    right, other = sp.sssp(one, 3), sp.sssp(two, 3)
    with sp.Ray(workers=2, cpus=2) as engine_a, sp.Ray(workers=2, cpus=2) as engine_b:
        a = sp.sssp(first, 3, engine=engine_a)
        before = engine_a.workers_of(first).start().pids.copy()
        b = sp.sssp(second, 3, engine=engine_b)
        assert (
            engine_a.workers_of(first).start().pids != before
        )  # its workers were ended, and started again by this very line
        c = sp.sssp(second, 4, engine=engine_a)  # the same graph by another engine
        assert wrong(a.verify(), right) == 0
        assert wrong(b.verify(), other) == 0
        assert a.path(179).tolist() == right.path(179).tolist()
        assert c.distance(179) == sp.sssp(two, 4).distance(179)
        assert a.explain().restarts == b._rounds.counts["restarts"] == a._rounds.counts["restarts"] == 0
    for answer in (a, b):
        with pytest.raises(
            RuntimeError, match="the engine was closed, and the answers that lay with its workers are gone"
        ):
            answer.distance(5)


def test_graphs_that_fit_stay_side_by_side(cluster, tmp_path):
    (one, first), (two, second) = grid(tmp_path, 1), grid(tmp_path, 2)
    assert free(cluster, lambda cpus: cpus >= 3)
    with sp.Ray(workers=1) as engine:
        sp.sssp(first, 3, engine=engine)
        assert free(cluster, lambda cpus: 2 <= cpus < 4)
        before = engine.workers_of(first).start().pids.copy()
        assert wrong(sp.sssp(second, 3, engine=engine), sp.sssp(two, 3)) == 0
        assert wrong(sp.sssp(first, 5, engine=engine), sp.sssp(one, 5)) == 0
        assert engine.workers_of(first).start().pids == before


def test_two_graphs_at_once(cluster, tmp_path):
    """Two threads, each with a graph that takes all CPUs, take turns; one engine or two."""
    pairs = [grid(tmp_path, seed) for seed in (1, 2)]
    rights = [sp.sssp(graph, 3) for graph, _ in pairs]
    with sp.Ray(workers=2, cpus=2) as shared, sp.Ray(workers=2, cpus=1.5) as other:
        for engines in ((shared, shared), (shared, other)):

            def search(at, engines=engines):
                return [sp.sssp(pairs[at][1], 3, engine=engines[at]).verify().distances for _ in range(2)]

            with ThreadPoolExecutor(2) as pool:
                for found, right in zip(pool.map(search, range(2)), rights, strict=True):
                    assert all(np.array_equal(distances, right.distances) for distances in found)


def test_workers_of_a_graph_that_is_gone_are_freed(cluster, engine, tmp_path):
    engine.workers_of(grid(tmp_path, 1)[1]).start()  # of a graph that nobody keeps
    _, g = grid(tmp_path, 2)
    with sp.Ray(workers=2, cpus=2) as wide:
        r = sp.sssp(g, 3, engine=wide)
        assert free(cluster, lambda cpus: cpus == 0)
        del g, r
        gc.collect()
        assert free(cluster, lambda cpus: cpus == 4)
    _, g = grid(tmp_path, 3)
    r = sp.sssp(g, 3, engine=sp.Ray(workers=2))  # of an engine that nobody keeps: its answer does
    assert r.distance(3) == 0
    assert free(cluster, lambda cpus: cpus == 2)
    del r
    gc.collect()
    assert free(cluster, lambda cpus: cpus == 4)


def test_a_matrix_finds_room(cluster, tmp_path):
    """Idle workers hold all CPUs; others are at work, and make room when they are done."""
    (one, first), (_, second) = grid(tmp_path, 1), grid(tmp_path, 2)
    sources = list(range(40))
    right = sp.distances(one, sources)
    with sp.Ray(workers=2, cpus=2) as engine:
        r = sp.sssp(first, 3, engine=engine)
        assert np.array_equal(sp.distances(one, sources, engine=engine), right)
        begun, go_on = threading.Event(), threading.Event()

        def wait(step):
            begun.set()
            assert go_on.wait(120)

        engine._before_step = wait
        with ThreadPoolExecutor(2) as pool:
            search = pool.submit(sp.sssp, second, 3, engine=engine)
            assert begun.wait(120)
            engine._before_step = None
            matrix = pool.submit(sp.distances, one, sources, engine=engine)
            while not cpu_holders._matrices:
                time.sleep(0.01)
            go_on.set()
            assert np.array_equal(matrix.result(300), right)
            assert search.result(300).distance(3) == 0
        assert wrong(r, sp.sssp(one, 3)) == 0


def test_a_search_within_a_search_is_told(cluster, tmp_path, monkeypatch):
    """It would wait for ever: those who hold the CPUs wait for it."""
    from steppe.cluster import ray_workers

    (one, first), (_, second) = grid(tmp_path, 1), grid(tmp_path, 2)
    problems = []

    def again(now):
        if not problems:
            monkeypatch.setattr(ray_workers, "START", 0.5)
            with pytest.raises(RuntimeError, match="2 of 2 workers did not start") as problem:
                sp.sssp(second, 3, engine=sp.Ray(workers=2, cpus=2, timeout=0.5))
            monkeypatch.undo()
            problems.append(problem)

    with sp.Ray(workers=2, cpus=2) as engine:
        assert wrong(sp.sssp(first, 3, engine=engine, progress=again), sp.sssp(one, 3)) == 0
    assert problems


def test_too_many_workers_are_told(cluster, parts, monkeypatch):
    from steppe.cluster import ray_workers

    monkeypatch.setattr(ray_workers, "START", 0.5)
    with pytest.raises(RuntimeError, match=r"3 of 3 workers did not start within 1 seconds: each takes 5 CPUs"):
        sp.Ray(workers=3, timeout=0.5, cpus=5).workers_of(parts).start()


def test_a_damaged_part_is_named(engine, tmp_path):
    g = sp.partition(sp.generate.grid(9, 9, seed=1), tmp_path / "g", parts=3)
    file = tmp_path / "g" / "part-000001.steppe"
    data = file.read_bytes()
    file.write_bytes(data[:-5] + bytes([data[-5] ^ 1]) + data[-4:])
    with pytest.raises(sp.FormatError, match=r"part-000001\.steppe.*digest does not match"):
        sp.sssp(g, 0, engine=engine)


@pytest.mark.parametrize("name", ["m.npy", "m.zarr", "m.parquet", None])
def test_matrices(engine, graph, tmp_path, name):
    sp.write(graph, tmp_path / "g.steppe")
    mapped = sp.read(tmp_path / "g.steppe")
    sources = list(range(0, 320, 9))
    right = sp.distances(graph, sources)
    if name is None:
        seen = []
        for g in (graph, mapped):
            found = sp.distances(g, sources, engine=engine, progress=seen.append)
            assert np.array_equal(found, right)
        assert seen[-1].done == len(sources)
        assert np.array_equal(
            sp.distances(graph, sources, [3, 4], engine=engine, cutoff=900, dtype="uint16"),
            sp.distances(graph, sources, [3, 4], cutoff=900, dtype="uint16"),
        )
        assert np.array_equal(sp.all_pairs(graph, engine=engine), sp.all_pairs(graph))
        with pytest.raises(sp.DistanceOverflowError):
            sp.distances(graph, sources, engine=engine, dtype="uint8")
        return
    sp.distances(mapped, sources, out=tmp_path / name, engine=engine)
    sp.distances(graph, sources, out=tmp_path / f"one-{name}")
    if name == "m.npy":
        assert np.array_equal(np.load(tmp_path / name), right)
    else:
        for file in (tmp_path / name).iterdir():
            assert file.read_bytes() == (tmp_path / f"one-{name}" / file.name).read_bytes()


def test_forms_that_a_cluster_has_not(engine, graph):
    for options in ({"reduce": "max"}, {"predecessors": True}, {"sparse": True, "cutoff": 5}, {"pairs": True}):
        with pytest.raises(ValueError, match="engine= computes dense matrices"):
            sp.distances(graph, [1], [2], engine=engine, **options)
    with pytest.raises(ValueError, match="leave the method out"):
        sp.distances(graph, [1], engine=engine, method="floyd-warshall")
    with pytest.raises(ValueError, match="Ray is running already"):
        sp.Ray("10.0.0.1:6379").connect()


@pytest.mark.skipif(not ALL, reason="three nodes take half a minute to start: make test-cluster")
def test_a_node_that_is_lost_costs_its_unfinished_blocks(cluster, tmp_path):
    """Three nodes, 96 blocks, one node removed half-way: all there, equal, and no block was begun twice that was stored."""
    words = [sys.executable, str(Path(__file__).parent / "cluster_nodes.py"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "complete, equal" in done.stdout
