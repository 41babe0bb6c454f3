"""`ptxgen fmt`, `diff` and `stat`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("programs")

UNTIDY = """\
.version 8.0
.target sm_80 .address_size 64
.visible .entry k(){ // a comment
.reg .b32 %r<2>;mov.u32   %r1,1;
ret; }
"""


def test_fmt_prints_one_statement_a_line(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    text = ptxgen("fmt", "untidy.ptx").stdout
    assert "\tmov.u32 %r1, 1;\n\tret;\n" in text
    assert "// a comment" in text
    (programs / "tidy.ptx").write_text(text)
    assert ptxgen("fmt", "tidy.ptx").stdout == text


def test_fmt_writes_and_checks(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    checked = ptxgen("fmt", "--check", "untidy.ptx")
    assert (checked.exit_code, checked.stdout) == (1, "untidy.ptx: would change\n")
    assert (programs / "untidy.ptx").read_text() == UNTIDY
    assert ptxgen("fmt", "--write", "untidy.ptx").exit_code == 0
    assert ptxgen("fmt", "--check", "untidy.ptx").exit_code == 0
    assert json.loads(ptxgen("fmt", "--check", "--json", "untidy.ptx").stdout) == [
        {"file": "untidy.ptx", "changed": False}
    ]


def test_fmt_of_what_is_no_ptx_says_where(ptxgen: Command, programs: Path) -> None:
    (programs / "bad.ptx").write_text(".version 8.0\n.target sm_80\nfoo\n")
    result = ptxgen("fmt", "bad.ptx")
    assert result.exit_code == 1
    assert "bad.ptx:3" in result.stderr


def test_diff_does_not_mind_layout(ptxgen: Command, programs: Path) -> None:
    (programs / "untidy.ptx").write_text(UNTIDY)
    (programs / "tidy.ptx").write_text(ptxgen("fmt", "untidy.ptx").stdout.replace("\t// a comment\n", ""))
    result = ptxgen("diff", "untidy.ptx", "tidy.ptx")
    assert (result.exit_code, result.stdout) == (0, "")
    assert ptxgen("diff", "--comments", "untidy.ptx", "tidy.ptx").exit_code == 1


def test_diff_shows_what_differs(ptxgen: Command, programs: Path) -> None:
    (programs / "one.ptx").write_text(UNTIDY)
    (programs / "two.ptx").write_text(UNTIDY.replace("%r1,1", "%r1,2"))
    result = ptxgen("diff", "one.ptx", "two.ptx")
    assert result.exit_code == 1
    assert "-\tmov.u32 %r1, 1;\n+\tmov.u32 %r1, 2;" in result.stdout
    assert json.loads(ptxgen("diff", "--json", "one.ptx", "two.ptx").stdout)["same"] is False


def test_diff_of_a_kernel_and_what_it_was(ptxgen: Command) -> None:
    ptxgen("emit", "saxpy.py", "--target", "sm_80", "-o", "old.ptx")
    assert ptxgen("diff", "saxpy.py", "old.ptx", "--target", "sm_80").exit_code == 0
    assert ptxgen("diff", "saxpy.py", "old.ptx", "--target", "sm_75").exit_code == 1


def test_stat_counts(ptxgen: Command) -> None:
    (report,) = json.loads(ptxgen("stat", "saxpy.py", "--target", "sm_80", "--json").stdout)
    (kernel,) = report["functions"]
    assert (report["version"], report["target"], kernel["name"], kernel["kernel"]) == ("7.0", "sm_80", "saxpy", True)
    assert kernel["parameters"] == 24
    assert kernel["shared"] == 0
    assert kernel["opcodes"]["fma"] == 1
    assert kernel["instructions"] == sum(kernel["opcodes"].values()) == sum(kernel["groups"].values())
    assert kernel["registers"][".pred"] == 1
    assert kernel["basic_blocks"] == 3


def test_stat_as_a_table(ptxgen: Command) -> None:
    text = ptxgen("stat", "saxpy.py", "unwise.ptx").stdout
    assert "unwise.ptx: PTX 7.0, sm_80" in text
    assert "saxpy" in text
