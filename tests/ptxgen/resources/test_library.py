"""The library's kernels under the checks of this room: silent where they are right, and loud once a barrier is taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.golden import golden_text, goldens
from ptxgen.text import parse
from ptxgen.verifier import verify

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
PINNED = [(entry.name, entry.variant) for entry in goldens(GOLDEN) if entry.target == "sm_90a"]
FAMILIES = sorted({family for family, _ in PINNED})
MISTAKES = {"PTX603", "PTX604", "PTX605", "PTX606", "PTX608", "PTX609", "PTX610", "PTX613"}
"""Advice about what is likely wrong; the rest (6xx) is about speed and tidiness, and may be true of a kernel of the library."""


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_warned_of_and_no_mistake_suspected(family: str) -> None:
    for variant in (variant for of, variant in PINNED if of == family):
        module = parse(golden_text(family, variant, "sm_90a", folder=GOLDEN), name=f"{family}/{variant}")
        codes = {finding.code for finding in verify(module, style=True)}
        assert MISTAKES.isdisjoint(codes)
        assert all(code.startswith("PTX6") for code in codes), codes


@pytest.mark.parametrize(
    "name", ["reduction/sum.f32", "reduction/max.u32", "transpose/b32", "prefix/sum.u64.exclusive", "select/ge.f64"]
)
def test_every_barrier_that_is_taken_away_is_missed(name: str) -> None:
    lines = golden_text(*name.split("/"), "sm_90a", folder=GOLDEN).splitlines()
    barriers = [number for number, line in enumerate(lines) if line.strip() == "bar.sync 0;"]
    assert barriers
    for number in barriers:
        without = parse("\n".join(lines[:number] + lines[number + 1 :]))
        assert "PTX507" in [finding.code for finding in verify(without)]
