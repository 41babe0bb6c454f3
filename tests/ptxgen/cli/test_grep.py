"""`ptxgen grep`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.ptxgen.cli.conftest import UNWISE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("programs")


def test_places_functions_and_source_lines(ptxgen: Command, programs: Path) -> None:
    (programs / "lines.ptx").write_text('.version 7.0\n.target sm_80\n.address_size 64\n.file 1 "k.cu"\n'
        ".func f() { .loc 1 4 2\n ret; }\n.entry k() {\n .loc 1 9 1\n bar.sync 0;\n ret; }\n")  # fmt: skip
    result = ptxgen("grep", "ret|bar.*", "lines.ptx")
    assert result.exit_code == 0
    assert result.stdout == (
        "lines.ptx:6: f: ret;  // k.cu:4\nlines.ptx:9: k: bar.sync 0;  // k.cu:9\nlines.ptx:10: k: ret;  // k.cu:9\n"
    )


def test_a_kernel_in_python_a_template_and_a_program_that_is_wrong(ptxgen: Command) -> None:
    assert ptxgen("grep", "fma.*.f32", "saxpy.py:saxpy").stdout.startswith("saxpy.py:9: saxpy: fma.rn.f32 ")
    assert ptxgen("grep", "fma.*", "saxpy.py:saxpy", "--set", "unroll=3", "-c").stdout == "3\n"
    assert "/scale.ptx.j2:23: scale: mul.f32 " in ptxgen("grep", "mul", "scale.ptx.j2").stdout
    assert ptxgen("grep", "addd|add.*", "broken.ptx", "--count").stdout == "2\n"


def test_several_instructions_are_set_apart(ptxgen: Command) -> None:
    result = ptxgen("grep", "mov.* $a,%tid.x; add.* *,$a,*", "broken.ptx")
    assert result.stdout == (
        "broken.ptx:7: broken: mov.u32 %r1, %tid.x;\nbroken.ptx:8: broken: add.u32 %r2, %r1, %r9;\n--\n"
    )


def test_folders_are_searched(ptxgen: Command, programs: Path) -> None:
    (programs / "deep" / "er").mkdir(parents=True)
    (programs / "deep" / "er" / "one.ptx").write_text(UNWISE)
    result = ptxgen("grep", "add", ".", "--count")
    assert result.stdout == "broken.ptx:1\ndeep/er/one.ptx:1\nunwise.ptx:1\n"
    assert ptxgen("grep", "add", "deep", "--count").stdout == "deep/er/one.ptx:1\n"


def test_the_standard_input(programs: Path) -> None:
    from ptxgen.cli.app import app

    for arguments in ([], ["-"]):
        result = CliRunner().invoke(app, ["grep", "add", *arguments], input=UNWISE)
        assert result.exit_code == 0
        assert result.stdout == "<stdin>:7: unwise: add.u32 %r1, %r2, 1;\n"
    latin = CliRunner().invoke(app, ["grep", "add"], input=UNWISE.encode() + b"// caf\xe9\n")
    assert latin.exit_code == 0
    cubin = CliRunner().invoke(app, ["grep", "add"], input=b"\x7fELF\2\1")
    assert cubin.exit_code == 2
    assert "<stdin> is machine code" in cubin.output


def test_exit_status(ptxgen: Command, programs: Path) -> None:
    assert ptxgen("grep", "wgmma", "unwise.ptx").exit_code == 1
    assert ptxgen("grep", "a[", "unwise.ptx").exit_code == 2
    (programs / "torn.ptx").write_text(UNWISE[:-5])
    result = ptxgen("grep", "add", "torn.ptx", "nowhere.ptx", "unwise.ptx")
    assert result.exit_code == 2, "what can be read is searched all the same"
    assert "unwise.ptx:7: " in result.stdout
    assert "torn.ptx:" in result.stderr
    assert "no file nowhere.ptx" in result.stderr


def test_what_the_table_knows(ptxgen: Command) -> None:
    assert ptxgen("grep", "*", "scale.ptx.j2", "--effect", "writes").stdout.count("\n") == 1
    assert ptxgen("grep", "*", "scale.ptx.j2", "--kind", "load", "--space", "param").stdout.count("\n") == 2
    assert ptxgen("grep", "*", "scale.ptx.j2", "--effect", "colour").exit_code == 2


def test_json(ptxgen: Command) -> None:
    (match,) = json.loads(ptxgen("grep", "setp.* $p,...; @$p bra $l", "scale.ptx.j2", "--json").stdout)
    assert match["program"] == "scale.ptx.j2"
    assert match["function"] == "scale"
    assert match["bindings"] == {"$p": "%p1", "$l": "done"}
    first, second = match["instructions"]
    assert first["text"] == "setp.ge.u32 %p1, %r2, %r1;"
    assert [place["kind"] for place in second["places"]] == ["ptx", "template"]
