"""What docs/passes.md says of the passes is so: its table is the registry, and the tests that it names are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxgen import passes

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "passes.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and ".py::" in line]


def named(row):
    """(file, test) of each test that a row names; a name alone is of the file before it."""
    file = None
    for match in re.finditer(r"`(?:(\w+/test_\w+\.py)::)?(test_\w+)`", row):
        file = match[1] or file
        yield file, match[2]


def test_the_table_of_passes_is_the_registry():
    rows = re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \|$", PAGE, re.MULTILINE)
    assert rows == [(name, "yes" if name in passes.DEFAULT else "no") for name in passes.PASSES]


def test_the_page_compares():
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_test_named_is_there(row):
    found = list(named(row))
    assert found
    for file, test in found:
        text = (ROOT / "tests" / "ptxgen" / file).read_text("utf-8")
        assert re.search(rf"^def {test}\(", text, re.MULTILINE), f"{file} has no {test}"
