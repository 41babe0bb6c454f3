"""Each of the mistakes of seeded_bugs.py is found, with its lines; the same program without it has no findings."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen.cpu import KernelFault
from ptxgen.cpu.sanitizer.tools import TOOLS
from tests.ptxgen.cpu.machine import HEADER, entry
from tests.ptxgen.cpu.sanitized import watch
from tests.ptxgen.cpu.seeded_bugs import BUGS, program


def told(bug, *, right):
    """What the verifier or a launch under all tools says, in the words of a row."""
    body = program(bug, right=right)
    if bug.found.startswith("verifier"):
        module = px.parse(HEADER + entry("test", body), "test.ptx")
        return {
            f"verifier: {finding.code}" for finding in px.verify(module) if f"verifier: {finding.code}" == bug.found
        }
    shape = {"block": (64, 1, 1), "words": 256, "data": bytes(1024), **bug.shape}
    try:
        found = watch(body, *TOOLS, watchdog=0.3, **shape)
    except KernelFault as fault:
        return {f"fault: {fault.kind}"}
    return {_words(finding.tool, *each) for finding, each in zip(found.findings, found.told)}


def _words(tool, kind, *ends):
    """A finding as a row has it: its lines in the order of their marks."""
    what = "race" if tool == "racecheck" and " after " in kind else kind
    return f"{tool}: {what} {''.join(sorted(str(end) for end in ends if end))}"


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_mistake_is_found_and_its_correction_is_not(bug):
    assert bug.found in told(bug, right=False)
    assert told(bug, right=True) == set()


def test_there_are_as_many_as_there_should_be():
    assert len(BUGS) >= 80
    assert len({bug.name for bug in BUGS}) == len(BUGS)
