"""`ptxgen check`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ptxgen.text import TemplateLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("programs")


def test_a_good_program(ptxgen: Command) -> None:
    result = ptxgen("check", "saxpy.py:saxpy", "scale.ptx.j2")
    assert result.exit_code == 0
    assert result.stdout == "saxpy.py:saxpy: ok\nscale.ptx.j2: ok\n"


def test_every_finding_with_its_line(ptxgen: Command) -> None:
    result = ptxgen("check", "broken.ptx")
    assert result.exit_code == 1
    assert "error PTX301: unknown name %r9\n  broken.ptx:8:5" in result.stdout
    assert "error PTX200: unknown instruction 'addd'\n  broken.ptx:9:5" in result.stdout
    assert "\nbroken.ptx: 2 errors" in result.stdout


def test_a_warning_fails_only_when_strict(ptxgen: Command) -> None:
    assert ptxgen("check", "unwise.ptx").exit_code == 0
    assert ptxgen("check", "unwise.ptx", "--strict").exit_code == 1


def test_one_bad_program_among_good_ones(ptxgen: Command) -> None:
    result = ptxgen("check", "saxpy.py", "broken.ptx")
    assert result.exit_code == 1
    assert result.stdout.startswith("saxpy.py: ok\n")


def test_json(ptxgen: Command) -> None:
    result = ptxgen("check", "unwise.ptx", "broken.ptx", "--json")
    mild, bad = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (mild["program"], mild["ok"], [d["code"] for d in mild["diagnostics"]]) == ("unwise.ptx", True, ["PTX303"])
    assert mild["diagnostics"][0]["locations"][0]["line"] == 7
    assert bad["ok"] is False


def test_a_kernel_that_cannot_be_built_names_its_python_line(ptxgen: Command) -> None:
    source = (
        "import ptxgen as px\nfrom ptxgen import u32\n\n@px.kernel\ndef f(k, n: u32):\n    if n > 1:\n        pass\n"
    )
    with open("branch.py", "w") as file:
        file.write(source)
    result = ptxgen("check", "branch.py")
    assert result.exit_code == 1
    assert "branch.py:6" in result.stdout
    assert "k.if_" in result.stdout


def test_advice_includes_what_the_assembler_says(ptxgen: Command, programs: Path, assembler: object) -> None:
    body = "".join(f"ld.volatile.global.u64 %x{i}, [%rd1+{8 * i}];\n" for i in range(20))
    body += "".join(f"st.volatile.global.u64 [%rd1+{8 * i}], %x{19 - i};\n" for i in range(20))
    (programs / "spills.ptx").write_text(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n.maxnreg 24\n"
        f"{{\n.reg .b64 %rd<2>; .reg .b64 %x<20>;\nld.param.u64 %rd1, [a];\n{body}ret;\n}}\n"
    )
    assert ptxgen("check", "spills.ptx").stdout == "spills.ptx: ok\n"
    assert "PTX620: k spills registers" in ptxgen("check", "--style", "spills.ptx").stdout


HOSTILE = ".version 8.0\n.target sm_80\n.address_size 64\n// {{ types.f32.__class__.__name__ }} of {{ f|default(5) }}\n"


def test_a_template_is_in_the_sandbox_unless_it_is_trusted(ptxgen: Callable[..., Result], programs: Path) -> None:
    (programs / "hostile.ptx.j2").write_text(HOSTILE)
    result = ptxgen("check", "hostile.ptx.j2")
    assert result.exit_code == 1
    assert "PTX155" in result.stdout
    assert "hostile.ptx.j2:4" in result.stdout
    assert "--trust" in result.stdout
    assert "// PtxType of 7" in ptxgen("emit", "hostile.ptx.j2", "--set", "f=7", "--trust").stdout


def test_a_template_of_a_command_has_limits(
    ptxgen: Callable[..., Result], programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TemplateLimits.__new__, "__defaults__", (0.2, 512))
    (programs / "endless.ptx.j2").write_text(
        "{% for a in 'ab' * 9999 %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    )
    result = ptxgen("check", "endless.ptx.j2")
    assert result.exit_code == 1
    assert "PTX156" in result.stdout
    assert "endless.ptx.j2:1" in result.stdout
    assert "0.2 s of processor time" in result.stdout


def test_of_a_python_file_each_kernel_is_checked(ptxgen: Command, tmp_path: Path) -> None:
    head = "import ptxgen as px\n"
    kernel = "@px.kernel\ndef {}(k: px.Builder, n: px.u32):\n    {}\n"
    (tmp_path / "two.py").write_text(head + kernel.format("first", "pass") + kernel.format("second", "k.barrier"))
    result = ptxgen("check", str(tmp_path / "two.py"))
    assert result.exit_code == 1
    assert "two.py:first: ok\n" in result.stdout
    assert "PTX331" in result.stdout


@pytest.mark.parametrize(
    "text, said",
    [
        ("import nowhere", "No module named 'nowhere'"),
        ("def f(:", "SyntaxError"),
        ("import ptxgen as px\n@px.kernel\ndef f(k: px.Builder): raise RuntimeError('mine')", "RuntimeError: mine"),
    ],
)
def test_what_a_program_raises_is_told_from_its_own_line_on(
    ptxgen: Command, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "raises.py").write_text(text)
    result = ptxgen("check", str(tmp_path / "raises.py"))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: the program raised")
    assert said in result.stderr
    assert "cli" not in result.stderr.replace(str(tmp_path), "")


def test_what_is_no_program(ptxgen: Command) -> None:
    result = ptxgen("check", ".")
    assert result.exit_code == 2
    assert "'.' is no program; a program is" in " ".join(result.stderr.split())
