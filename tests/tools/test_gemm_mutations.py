"""Some of the mistakes of tools/gemm_mutations.py; the tool has all."""

from __future__ import annotations

import re

import pytest

from tools.gemm_mutations import KERNEL, MUTATIONS, Report, judged, mutated

SOME = (
    "wait: the stage just issued is released",
    "swizzle: the descriptor of A",
    "registers: two accumulators are one",
)


@pytest.mark.cpu_only
def test_the_kernel_itself_has_no_findings():
    assert judged(KERNEL) == Report("", "", True)


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", SOME)
def test_a_mistake_is_found(name):
    (mutation,) = (each for each in MUTATIONS if each.name.startswith(name))
    report = judged(mutated(mutation), mutation.boxes)
    assert re.search(mutation.words, report.verifier + report.executor)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_each_changes_the_kernel_or_its_boxes(mutation):
    assert mutated(mutation) != KERNEL or mutation.boxes != MUTATIONS[0].boxes
