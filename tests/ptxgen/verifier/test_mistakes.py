"""docs/mistakes.md: what a user writes, what they read. Its blocks are run by tests/test_readme.py; this is about the page."""

from __future__ import annotations

import re
from pathlib import Path

from ptxgen.codes import GROUPS, group
from ptxgen.codes.index import INDEX

PAGE = Path(__file__).resolve().parents[3] / "docs" / "mistakes.md"
MISTAKES = re.split(r"^### ", PAGE.read_text("utf-8").partition("\n## Suppressing a warning")[0], flags=re.MULTILINE)[
    1:
]


def test_there_are_at_least_twenty() -> None:
    assert len(MISTAKES) >= 20
    assert [int(mistake.partition(".")[0]) for mistake in MISTAKES] == list(range(1, len(MISTAKES) + 1))


def test_each_shows_what_is_written_and_what_is_read() -> None:
    for mistake in MISTAKES:
        written, command, read = re.findall(r"^```(\w+)\n(.*?)^```$", mistake, re.MULTILINE | re.DOTALL)
        assert written[0] in ("python", "ptx")
        name = written[1].split()[1]
        assert command[0] == "console"
        assert f"ptxgen check {name}" in command[1]
        assert read[0] == "text"
        assert re.search(rf"^  {re.escape(name)}:\d+", read[1], re.MULTILINE), "the finding says where"
        assert re.search(r"^  (needs|instead) ", read[1], re.MULTILINE), "and what to do"


def test_they_are_of_all_kinds() -> None:
    shown = set(re.findall(r"\b(?:error|warning) (PTX\d{3}):", "\n".join(MISTAKES)))
    assert shown <= set(INDEX)
    assert {group(code) for code in shown} == set(GROUPS.values()) - {"style"}
    assert len(shown) >= 20
