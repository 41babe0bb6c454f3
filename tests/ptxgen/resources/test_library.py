"""The library's kernels under the checks of this room: silent where they are right, and loud once a barrier is taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
FAMILIES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
MISTAKES = {"PTX603", "PTX604", "PTX605", "PTX606", "PTX608", "PTX609", "PTX610", "PTX613"}
"""Advice about what is likely wrong; the rest (6xx) is about speed and tidiness, and may be true of a kernel of the library."""


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_warned_of_and_no_mistake_suspected(family: str) -> None:
    for path in sorted((GOLDEN / family).glob("*.sm_90a.ptx")):
        module = parse(path.read_text(), name=path.name)
        assert verify(module) == []
        assert MISTAKES.isdisjoint(finding.code for finding in verify(module, style=True))


@pytest.mark.parametrize(
    "name", ["reduction/sum.f32", "reduction/max.u32", "transpose/b32", "prefix/sum.u64.exclusive", "select/ne.u32"]
)
def test_every_barrier_that_is_taken_away_is_missed(name: str) -> None:
    lines = (GOLDEN / f"{name}.sm_90a.ptx").read_text().splitlines()
    barriers = [number for number, line in enumerate(lines) if line.strip() == "bar.sync 0;"]
    assert barriers
    for number in barriers:
        without = parse("\n".join(lines[:number] + lines[number + 1 :]))
        assert "PTX507" in [finding.code for finding in verify(without)]
