"""CONTRIBUTING.md and the pre-commit hooks name what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")


def test_every_room_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE))
    rooms = {path.parent.name for path in (ROOT / "ptxgen").glob("*/__init__.py")} | {"errors"}
    assert sorted(rooms - named) == []


def test_every_hook_starts_a_tool_that_is_there() -> None:
    scripts = re.findall(r"entry: .*?(tools/\S+\.py)", HOOKS)
    assert scripts
    assert [script for script in scripts if not (ROOT / script).exists()] == []
    assert HOOKS.count("- repo: ") == HOOKS.count("- repo: local") == 1


@pytest.mark.parametrize("length, refused", [(1, False), (71, False), (72, True), (100, True)])
def test_a_long_subject_is_refused_and_a_long_body_is_not(length: int, refused: bool) -> None:
    pattern = re.search(r"entry: (\\A.*)", HOOKS)
    assert pattern is not None
    message = "x" * length + "\n\n" + "y" * 90 + "\n"
    assert bool(re.search(pattern[1], message, re.MULTILINE)) == refused
