"""`ptxgen opt`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ptxgen as px
from ptxgen import passes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("programs")

HALVES = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry halves(.param .u64 .ptr .global .align 4 x, .param .u64 .ptr .global .align 16 y)
{
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    mov.u32 %r0, 5;
    add.u32 %r1, %r0, 2;
    ld.global.f32 %f0, [%d0];
    ld.global.f32 %f1, [%d0+4];
    st.global.f32 [%d1], %f0;
    st.global.f32 [%d1+4], %f1;
    st.global.u32 [%d1+8], %r1;
    ret;
}
"""


@pytest.fixture
def halves(programs: Path) -> Path:
    file = programs / "halves.ptx"
    file.write_text(HALVES)
    return file


def test_it_prints_what_the_passes_make(ptxgen: Command, halves: Path) -> None:
    text = ptxgen("opt", "halves.ptx").stdout
    assert px.parse(text) == passes.run(px.parse(HALVES))
    assert "st.global.v2.f32 [%d1], {%f0, %f1};" in text
    assert "st.global.u32 [%d1+8], 7;" in text
    assert halves.read_text() == HALVES


def test_passes_run_as_they_are_named(ptxgen: Command, halves: Path) -> None:
    text = ptxgen("opt", "halves.ptx", "--pass", "constants", "--pass", "dead").stdout
    assert px.parse(text) == passes.run(px.parse(HALVES), ["constants", "dead"])
    every = ptxgen("opt", "halves.ptx", "--pass", "default", "--pass", "fma").stdout
    assert px.parse(every) == passes.run(px.parse(HALVES), [*passes.DEFAULT, "fma"])


@pytest.mark.parametrize("name", ["x", "halves.x"])
def test_read_only_parameters_are_named(ptxgen: Command, halves: Path, name: str) -> None:
    assert "ld.global.nc.f32 %f0, [%d0];" in ptxgen("opt", "halves.ptx", "--read-only", name).stdout


def test_it_writes_a_file(ptxgen: Command, halves: Path, programs: Path) -> None:
    done = ptxgen("opt", "halves.ptx", "-o", "better.ptx")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (programs / "better.ptx").read_text() == ptxgen("opt", "halves.ptx").stdout


def test_statistics_are_a_table(ptxgen: Command, halves: Path) -> None:
    lines = ptxgen("opt", "halves.ptx", "--stats", "-o", "better.ptx").stdout.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line and line.split()[0] in (*passes.PASSES, "all")}
    assert rows["dead"] == ["2", "7", "-2"]
    assert rows["vectors"][-1] == "-1"
    assert rows["all"][-1] == "-3"


def test_a_difference_instead_of_the_text(ptxgen: Command, halves: Path) -> None:
    text = ptxgen("opt", "halves.ptx", "--diff").stdout
    assert "-\tst.global.f32 [%d1], %f0;" in text
    assert "+\tst.global.v2.f32 [%d1], {%f0, %f1};" in text


def test_remarks_say_what_was_left_undone(ptxgen: Command, halves: Path) -> None:
    done = ptxgen("opt", "halves.ptx", "--remarks")
    assert "remark: halves.ptx:13:5: vectors: ld.global.f32 in halves not joined with the next 4 bytes" in done.stderr
    assert "known to be a multiple of 4, not of 8" in done.stderr


def test_json_has_everything(ptxgen: Command, halves: Path) -> None:
    found = json.loads(ptxgen("opt", "halves.ptx", "--json").stdout)
    assert [step["name"] for step in found["steps"]] == list(passes.DEFAULT)
    assert [remark["pass"] for remark in found["remarks"]] == ["vectors"]
    assert px.parse(found["ptx"]) == passes.run(px.parse(HALVES))


def test_the_list_says_which_run(ptxgen: Command) -> None:
    text = ptxgen("opt", "--list").stdout
    for name in passes.PASSES:
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert line.rstrip().endswith("yes" if name in passes.DEFAULT else "no")
    assert json.loads(ptxgen("opt", "--list", "--json").stdout)["default"] == list(passes.DEFAULT)


def test_any_program_can_be_rewritten(ptxgen: Command) -> None:
    assert ".visible .entry saxpy" in ptxgen("opt", "saxpy.py", "--target", "sm_80", "--set", "unroll=2").stdout
    assert ptxgen("opt", "scale.ptx.j2").exit_code == 0


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["halves.ptx", "--pass", "lop"], "there is no pass 'lop'; there are constants, common"),
        (["halves.ptx", "--read-only", "z"], "no kernel has a parameter 'z'; there are halves.x, halves.y, x, y"),
        (["nothing.ptx"], "no file nothing.ptx"),
        ([], "no program; ptxgen opt --list prints the passes"),
    ],
)
def test_wrong_usage(ptxgen: Command, halves: Path, arguments: list[str], complaint: str) -> None:
    done = ptxgen("opt", *arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_an_illegal_program_is_said_to_be_one(ptxgen: Command) -> None:
    done = ptxgen("opt", "broken.ptx", "-o", "better.ptx")
    assert done.exit_code == 1
    assert "broken.ptx:8" in done.stderr
