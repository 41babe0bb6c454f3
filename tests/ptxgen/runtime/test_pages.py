"""The tables of docs/runtime.md and docs/fusion.md name tests and things that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxgen.runtime import environment

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "docs" / "runtime.md", ROOT / "docs" / "fusion.md"]


def names_of_tests(*folders: str) -> set[str]:
    texts = [path.read_text("utf-8") for folder in folders for path in (ROOT / folder).rglob("test_*.py")]
    return {name for text in texts for name in re.findall(r"^\s*def (test_\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_test_that_a_table_names_is_there(page: Path) -> None:
    table = page.read_text("utf-8").partition("## Beside the original")[2]
    named = set(re.findall(r"`(test_\w+)`", table))
    assert len(named) > 10
    assert named <= names_of_tests("tests/ptxgen/runtime", "tests/driver_ctypes")
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert [line for line in rows if line.count("|") != 5] == []


def test_every_variable_of_the_room_is_on_the_page() -> None:
    page = PAGES[0].read_text("utf-8")
    sources = [path.read_text("utf-8") for path in (ROOT / "ptxgen" / "runtime").glob("*.py")]
    used = {name for text in sources for name in re.findall(r"\bPTXGEN_[A-Z_]+\b", text)} - {"PTXGEN_DEVICE"}
    assert {name for name in used if name not in page} == set()
    flags = set(re.findall(r'flag\("(PTXGEN_\w+)"', "".join(sources)))
    assert {name for name in flags if f"| {name} |" not in (environment.__doc__ or "")} == set()
