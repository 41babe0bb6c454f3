"""The emulated driver's graphs answer as an H200 with driver 580 did, to every call of every recorded program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ptxgen.emulated_driver.scenarios.graph_kinds import LATER

pytestmark = pytest.mark.cpu_only

ROOT = Path(__file__).parents[3]
RECORDED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "h200_graphs.json").read_text())


@pytest.fixture(scope="module")
def emulated() -> dict[str, dict[str, Any]]:
    """The emulated driver's answers, each program in a process of its own."""
    command = [sys.executable, "-m", "tests.ptxgen.emulated_driver.scenarios", "emulated", *LATER]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_every_program_was_recorded() -> None:
    assert sorted(RECORDED) == sorted(LATER)


@pytest.mark.parametrize("name", LATER)
def test_answers_are_those_of_hardware(name: str, emulated: dict[str, dict[str, Any]]) -> None:
    assert emulated[name] == RECORDED[name]
