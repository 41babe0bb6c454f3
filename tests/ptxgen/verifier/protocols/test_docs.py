"""docs/protocols.md keeps its word: its programs are silent and assemble, and each marked line is missed as it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.codes.index import INDEX
from ptxgen.text import parse
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[4] / "docs" / "protocols.md"
PROGRAMS = dict(re.findall(r"^```ptx\n// (\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
DROPS = [
    (name, number, mark[2] or "")
    for name, text in PROGRAMS.items()
    for number, line in enumerate(text.splitlines())
    if (mark := re.search(r"// drop: (silent \(.+\)|(PTX\d{3}))$", line))
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_is_right(name: str, assembler: Callable[..., Any]) -> None:
    assert verify(parse(PROGRAMS[name], name=name)) == []
    assert assembler(PROGRAMS[name]).cubin


@pytest.mark.parametrize("name, line, code", DROPS)
def test_the_missing_line_is_missed(name: str, line: int, code: str) -> None:
    lines = PROGRAMS[name].splitlines()
    lines[line] = ""
    codes = [finding.code for finding in verify(parse("\n".join(lines), name=name))]
    assert (code in codes) if code else codes == []


def test_every_code_of_a_protocol_is_on_the_page() -> None:
    named = set(re.findall(r"PTX\d{3}", PAGE.read_text("utf-8")))
    assert sorted(code for code in INDEX if "PTX510" <= code <= "PTX589" and code not in named) == []
