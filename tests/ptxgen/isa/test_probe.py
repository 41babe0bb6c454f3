"""The probe finds what the table lacks: gaps are planted in a copy of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from ptxgen.dataflow.matching import operands
from ptxgen.isa import forms
from ptxgen.isa.notation import Chapter
from tools.certify.assembler_leniency import lenient_form
from tools.certify.probe import Finding, Probed, probe, seeds
from tools.certify.probe_report import probe_markdown, probe_section, with_probe
from tools.certify.verdicts import Place
from tools.certify.words import Lexicon, lexed_names, lexed_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.certify.verdicts import Tool

WORDS = tuple(
    "b16 b32 b64 s32 u32 u64 f32 clamp wrap ftz approx sat cc cta global shared add min xor finite number volatile".split()
)


def _forget() -> None:
    forms.resolve.cache_clear()
    forms.resolve_loosely.cache_clear()
    operands._cache.clear()


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """plant(chapter, old, new): the table with one text in the place of another, until the test ends."""

    def planted(chapter: str, old: str, new: str) -> None:
        rows = importlib.import_module(f"ptxgen.isa.table.{chapter}").ROWS
        assert rows.count(old) == 1
        altered, real = Chapter(rows.replace(old, new)), forms._chapter
        monkeypatch.setattr(forms, "_chapter", lambda name: altered if name == chapter else real(name))
        _forget()

    yield planted
    monkeypatch.undo()
    _forget()


def _probe(tool: Tool, *only: str) -> Probed:
    return probe(tool, only, Lexicon(WORDS, (), (), len(WORDS)))


def test_a_whole_table_lacks_nothing_here(tool: Tool) -> None:
    probed = _probe(tool, "bmsk", "szext", "brev")
    assert probed.missing == []
    assert probed.rows == 3
    assert probed.known > 0
    assert {"finite", "number"} <= set(probed.careless)


def test_a_missing_modifier_is_found(tool: Tool, plant: Callable[[str, str, str], None]) -> None:
    old = "bmsk.mode.b32                  d~, a~, b~     ; mode = clamp wrap"
    plant("integer", old, old.removesuffix(" wrap"))
    (finding,) = _probe(tool, "bmsk").missing
    assert finding.text == "bmsk.wrap.b32 %r1, %r2, %r3;"
    assert finding.word == "wrap"
    assert finding.ours.startswith("PTX201")


def test_a_missing_type_with_other_registers_is_found(tool: Tool, plant: Callable[[str, str, str], None]) -> None:
    plant(
        "logic", "cnot.type                      d, a         ; type = b16 b32 b64", "cnot.type d, a ; type = b16 b64"
    )
    (finding,) = _probe(tool, "cnot").missing
    assert finding.text.startswith("cnot.b32 %")
    assert finding.word == "b32"


def test_a_missing_row_is_found_by_its_neighbours(tool: Tool, plant: Callable[[str, str, str], None]) -> None:
    row = next(line for line in _rows("integer") if line.startswith("mad24.hi.sat.s32"))
    plant("integer", row + "\n", "\n")
    assert "mad24.hi.s32.sat %s32_1, %s32_2, %s32_3, %s32_4;" in [found.text for found in _probe(tool, "mad24").missing]


def _rows(chapter: str) -> list[str]:
    rows: str = importlib.import_module(f"ptxgen.isa.table.{chapter}").ROWS
    return rows.split("\n")


def test_words_and_names_are_asked_for(tool: Tool) -> None:
    place = Place(tool.versions[-1], "sm_100a")
    assert lexed_words(tool, place, ["ftz", "nonsense", "shared::cta", "shared::cto"]) == {"ftz", "shared::cta"}
    assert lexed_names(tool, place, ["cp.async", "copy", "brev"], ["async", "ftz", "bulk"]) == {
        "cp.async", "cp.async.bulk", "brev",
    }  # fmt: skip


def test_seeds_are_of_every_row_and_the_same_each_time(tool: Tool) -> None:
    found = seeds(tool)
    assert found == seeds(tool)
    rows = {id(seed.form) for seed in found}
    assert len(rows) == sum(form.until is None for form in forms.all_forms())


def test_what_the_certifier_knows_is_no_news() -> None:
    assert lenient_form("fma.rz.relu.f16 %rs1, %rs2, %rs3, %rs4;", "PTX201 no form") is not None
    assert lenient_form("bmsk.wrap.b32 %r1, %r2, %r3;", "PTX201 no form") is None


def test_the_section_is_put_in_place(tool: Tool) -> None:
    probed = _probe(tool, "brev")._replace(missing=[Finding("a|b;", Place((9, 0), "sm_90"), "b", "PTX201", 7)])
    section = probe_markdown(probed, tool)
    assert "| `a\\|b;` | sm_90 | b | 7 |" in section
    page = with_probe("# The page\n", section)
    assert page == with_probe(page, section)
    assert probe_section(page) == section
    assert probe_section("# The page\n") == ""
