"""Races that were reported in public are found in what nvcc writes from reduced sources, and nothing in their mended versions."""

from __future__ import annotations

from functools import cache

import pytest

from ptxgen.hunt import Report
from tools.bench.hunt import FOLDER, RACES, hunted


@cache
def report(name: str, mended: bool) -> Report:
    return hunted(next(race for race in RACES if race.name == name), mended=mended, cases=1)


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_a_reported_race_is_found(race) -> None:
    found = [each for each in report(race.name, False).bugs if each.rule in race.rules]
    assert found
    for each in found:
        assert all(step.places[0].file == f"{race.name}.racing.ptx" for step in each.steps)
        assert any(line.file == f"{race.name}.cu" for line in each.steps[0].lines)


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_there_is_no_alarm_on_the_mended_version(race) -> None:
    assert report(race.name, True).bugs == ()


def test_both_accesses_are_named_with_their_lines() -> None:
    """The arrival of no scope in the source lets one CTA read what another one's write may not have brought yet."""
    (found,) = [each for each in report("cluster_scope", False).findings if each.rule == "race/read-after-write"]
    reads, wrote = found.steps
    source = (FOLDER / "cluster_scope.cu").read_text().splitlines()
    assert "tile[127 - thread]" in source[reads.lines[0].line - 1]
    assert "st.shared::cluster" in source[wrote.lines[0].line - 1]
    assert reads.what.startswith("CTA (1, 0, 0)")
    assert wrote.what.startswith("CTA (0, 0, 0)")
    assert ".release.cluster" in found.hint
    assert found.command.startswith("ptxgen hunt cluster_scope.racing.ptx --entry pass_tiles --arguments ")


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_the_sources_are_those_of_the_ptx(race) -> None:
    for kind in ("racing", "mended"):
        text = (FOLDER / f"{race.name}.{kind}.ptx").read_text()
        assert f'"{race.name}.cu"' in text
        assert "NVIDIA NVVM Compiler" in text
