"""The tests that docs/reference-systems.md names are there, and so is what it says where each feature lives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference-systems.md"

ROWS = [line for line in PAGE.read_text("utf-8").splitlines() if line.count("|") == 5 and ".py::" in line]


def named(row):
    """(file, test) of each test that a row of the table names; a name alone is of the file before it. Files of one name
    are told apart by their folder."""
    file = None
    for match in re.finditer(r"`(?:((?:\w+/)*test_\w+\.py)::)?(test_\w+)`", row):
        file = match[1] or file
        yield file, match[2]


def test_the_page_has_its_tables():
    assert len(ROWS) > 50


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_test_named_is_there(row):
    found = list(named(row))
    assert found
    for file, test in found:
        paths = [each for each in (ROOT / "tests").rglob(file) if "__pycache__" not in each.parts]
        assert len(paths) == 1, f"{file} is the name of {len(paths)} files"
        assert re.search(rf"^def {test}\(", paths[0].read_text("utf-8"), re.MULTILINE), f"{file} has no {test}"
