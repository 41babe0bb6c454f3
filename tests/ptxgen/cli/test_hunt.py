"""`ptxgen hunt`: exit status, JSON, SARIF, progress, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ptxgen.hunt.kernels import ORDERED, RACE, scaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]

STATED = ("--arguments", "out=zeros:u32:64", "--grid", 1, "--cases", 1)


@pytest.fixture
def hunt(programs: Path, ptxgen: Command) -> Command:
    """`ptxgen hunt`, in a folder with race.ptx, ordered.ptx and scaled.ptx."""
    for name, text in (("race.ptx", RACE), ("ordered.ptx", ORDERED), ("scaled.ptx", scaled())):
        (programs / name).write_text(text)
    return lambda *arguments: ptxgen("hunt", *arguments)


def test_findings_are_told_with_exit_status_1(hunt: Command) -> None:
    result = hunt("race.ptx", *STATED, "--sarif", "race.sarif")
    assert result.exit_code == 1
    assert "error race/" in result.stdout
    assert "race.ptx: shared: 1 bug in 1 case" in result.stdout
    log = json.loads(Path("race.sarif").read_text())
    assert {each["ruleId"].partition("/")[0] for each in log["runs"][0]["results"]} == {"race"}
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "race.ptx"


def test_nothing_found_is_exit_status_0_and_json_is_alone_on_stdout(hunt: Command) -> None:
    result = hunt("ordered.ptx", *STATED, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "program": "ordered.ptx", "kernel": "shared", "seed": 0, "cases": 1, "complete": True, "guesses": [], "skipped": [],
        "findings": [],
    }  # fmt: skip
    assert "case 1" in result.stderr


def test_a_kernel_in_python_is_hunted_in_at_its_own_lines(hunt: Command) -> None:
    stated = (
        "--arguments",
        "n=2..9 a=2.0 x=random:f32:1 y=random:f32:n",
        "--grid",
        1,
        "--block",
        32,
        "--cases",
        1,
        "--json",
    )
    result = hunt("saxpy.py", "--set", "unroll=2", *stated)
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)["findings"]
    assert (found["rule"], found["steps"][0]["places"][0]["file"]) == ("bounds/address", "saxpy.py")
    assert "--set unroll=2 --entry saxpy --arguments 'n=2 " in found["command"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["nowhere.ptx"], "no file nowhere.ptx"),
        (["scaled.ptx", "--entry", "other"], "has no kernel 'other'"),
        (["scaled.ptx", "--arguments", "n=9..1"], "is not a range"),
        (["scaled.ptx", "--arguments", "'"], "No closing quotation"),
        (["scaled.ptx", "--arguments", "m=1 zeros:f32:k"], "no whole number is named 'k'"),
        (["scaled.ptx", "--target", "sm_90"], "states its own .target"),
        (["saxpy/f32", "--grid", "2"], "it takes no --grid"),
        (["saxpy/f32", "--arguments", "n=3"], "is not like problem=3"),
        (["scaled.ptx", "--cases", "0"], "0 is not in the range"),
    ],
)
def test_what_makes_no_sense_is_exit_status_2(hunt: Command, arguments: list[str], said: str) -> None:
    result = hunt(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_action_gives_the_command_its_own_options() -> None:
    from ptxgen.cli.cmd_hunt import hunt as command

    text = (Path(__file__).resolve().parents[3] / "tools/actions/hunt/action.yml").read_text()
    known = {name for parameter in command.params for name in parameter.opts}
    script = text.partition("run: |")[2].partition("- if:")[0]
    used = set(re.findall(r"(?<!-)--[a-z-]+", script))
    assert used
    assert used <= known
    inputs = set(re.findall(r"^  (\w+):$", text.partition("runs:")[0], re.MULTILINE))
    assert set(re.findall(r"inputs\.(\w+)", text)) == inputs
