"""Seeded bugs fit the kernels and headers as they are now; `make test-mutations` runs them where something has changed."""

import pytest

import noticed
from core_mutations import DRIVERS, write


@pytest.mark.parametrize("mutation", noticed.IN_KERNELS, ids=lambda m: m.name)
def test_a_bug_of_the_kernels_finds_its_place(mutation, tmp_path):
    mutation.write(tmp_path)  # which looks for it


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_bugs_of_a_driver_find_their_places(driver, tmp_path):
    _, seeded = write(driver, tmp_path, noticed.IN_CORE)
    assert seeded, "a driver without a seeded bug may be blind"
    headers = {noticed.CPP / mutation.header for mutation in seeded.values()}
    assert headers <= noticed.files_of(driver), "a bug in a header that the driver does not include"


def test_seeded_bugs_have_names_of_their_own_and_a_driver():
    tests = [*(mutation.name for mutation in noticed.IN_KERNELS), *noticed.CODES]
    assert len(tests) == len({*tests}) == noticed.GROUPS["kernels"]
    assert {mutation.driver for mutation in noticed.IN_CORE} == set(DRIVERS)


def test_the_digest_of_a_driver_covers_what_it_includes():
    names = {path.name for path in noticed.files_of("search")}
    assert {"search.cpp", "seeded.hpp", "graphs.hpp", "dijkstra.hpp", "heap.hpp", "csr.hpp"} <= names
    assert "contraction.hpp" not in names


@pytest.mark.parametrize("group", noticed.GROUPS)
def test_a_group_runs_again_when_something_changes(group, tmp_path, monkeypatch):
    """A file or a bug; as long as nothing does, and all were noticed, it is skipped."""
    before = noticed.digest(group)
    monkeypatch.setattr(noticed, "KEPT", tmp_path / "noticed.json")
    monkeypatch.setattr(noticed, "LEFT", tmp_path / "left")
    monkeypatch.delenv("STEPPE_TEST_ALL", raising=False)
    noticed.skip_unless_changed(group)  # nothing is known yet
    for number in range(noticed.GROUPS[group] - 1):
        noticed.passed(group, str(number))
    noticed.keep()
    assert not any(noticed.kept().values()), "one test of the group has not passed yet"
    noticed.passed(group, "the last")
    noticed.keep()
    assert {name for name, kept in noticed.kept().items() if kept} == {group}
    with pytest.raises(pytest.skip.Exception, match=group):
        noticed.skip_unless_changed(group)
    files = noticed.files_of(group)
    changed = tmp_path / max(files).name
    changed.write_bytes(max(files).read_bytes() + b" ")
    monkeypatch.setattr(noticed, "files_of", lambda _: files - {max(files)} | {changed})
    assert noticed.digest(group) != before
    noticed.skip_unless_changed(group)
    monkeypatch.setattr(noticed, "files_of", lambda _: files)
    assert noticed.digest(group) == before
    bugs = "IN_KERNELS" if group == "kernels" else "IN_CORE"
    one = next(bug for bug in getattr(noticed, bugs) if getattr(bug, "driver", "kernels") == group)
    monkeypatch.setattr(noticed, bugs, [bug for bug in getattr(noticed, bugs) if bug is not one])
    assert noticed.digest(group) != before
