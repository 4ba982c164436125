"""Who makes room for whom on a cluster, without one."""

import gc
import threading

from steppe.cluster.roster import Roster


class Crew:
    def __init__(self, cpus, thread=None):
        self.cpus, self.thread = cpus, thread

    def held(self):
        return self.cpus

    def asked_by(self):
        return self.thread

    def retire_if_idle(self):
        if self.thread is not None:
            return False
        self.cpus = 0
        return True


def entered(*crews):
    roster = Roster()
    for crew in crews:
        roster.used(crew)
    return roster


def test_used_longest_ago_first_and_no_more_than_needed():
    a, b, c = Crew(2), Crew(2), Crew(2)
    roster = entered(a, b, c)
    roster.used(a)
    roster.make_room(3, 1)
    assert (a.cpus, b.cpus, c.cpus) == (2, 0, 2)
    roster.make_room(2, 2)
    assert (a.cpus, c.cpus) == (2, 2)
    roster.make_room(99, 0)
    assert (a.cpus, c.cpus) == (0, 0)


def test_those_at_work_stay_and_will_be_free():
    busy, mine = Crew(2, thread=-1), Crew(2, thread=threading.get_ident())
    roster = entered(mine)
    assert not roster.will_be_free()  # this thread would wait for itself
    roster.used(busy)
    roster.make_room(99, 0)
    assert (busy.cpus, mine.cpus) == (2, 2)
    assert roster.will_be_free()
    busy.cpus = 0  # it waits for CPUs itself
    assert not roster.will_be_free()


def test_whoever_waits_is_known():
    roster = Roster()
    assert not roster.is_waited_for
    with roster.wanting():
        assert roster.is_waited_for
    with roster.matrix():
        assert roster.is_waited_for
        assert not roster.will_be_free()
        found = []
        other = threading.Thread(target=lambda: found.append(roster.will_be_free()))
        other.start()
        other.join()
        assert found == [True]
    assert not roster.is_waited_for


def test_those_that_are_gone_are_forgotten():
    roster = entered(Crew(2))
    gc.collect()
    roster.make_room(1, 0)
    kept = Crew(1)
    roster.used(kept)
    assert [ref() for ref in roster._holders] == [kept]
