"""Who makes room for whom on a cluster, without one."""

import gc
import threading

from steppe.cluster.cpu_holders import CpuHolders


class Workers:
    def __init__(self, cpus, thread=None):
        self.cpus, self.thread = cpus, thread

    def cpus_held(self):
        return self.cpus

    def used_by(self):
        return self.thread

    def stop_if_idle(self):
        if self.thread is not None:
            return False
        self.cpus = 0
        return True


def entered(*workers):
    cpu_holders = CpuHolders()
    for team in workers:
        cpu_holders.used(team)
    return cpu_holders


def test_used_longest_ago_first_and_no_more_than_needed():
    a, b, c = Workers(2), Workers(2), Workers(2)
    cpu_holders = entered(a, b, c)
    cpu_holders.used(a)
    cpu_holders.make_room(3, 1)
    assert (a.cpus, b.cpus, c.cpus) == (2, 0, 2)
    cpu_holders.make_room(2, 2)
    assert (a.cpus, c.cpus) == (2, 2)
    cpu_holders.make_room(99, 0)
    assert (a.cpus, c.cpus) == (0, 0)


def test_those_at_work_stay_and_will_be_free():
    busy, mine = Workers(2, thread=-1), Workers(2, thread=threading.get_ident())
    cpu_holders = entered(mine)
    assert not cpu_holders.can_wait()  # this thread would wait for itself
    cpu_holders.used(busy)
    cpu_holders.make_room(99, 0)
    assert (busy.cpus, mine.cpus) == (2, 2)
    assert cpu_holders.can_wait()
    busy.cpus = 0  # it waits for CPUs itself
    assert not cpu_holders.can_wait()


def test_whoever_waits_is_known():
    cpu_holders = CpuHolders()
    assert not cpu_holders.is_contended
    with cpu_holders.waiting():
        assert cpu_holders.is_contended
    with cpu_holders.matrix():
        assert cpu_holders.is_contended
        assert not cpu_holders.can_wait()
        found = []
        other = threading.Thread(target=lambda: found.append(cpu_holders.can_wait()))
        other.start()
        other.join()
        assert found == [True]
    assert not cpu_holders.is_contended


def test_those_that_are_gone_are_forgotten():
    cpu_holders = entered(Workers(2))
    gc.collect()
    cpu_holders.make_room(1, 0)
    kept = Workers(1)
    cpu_holders.used(kept)
    assert [ref() for ref in cpu_holders._holders] == [kept]
