"""`ptxgen emit`."""

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


@pytest.mark.parametrize("program", ["saxpy.py", "saxpy.py:saxpy", "saxpy:saxpy"])
def test_a_kernel_by_file_or_module(ptxgen: Command, program: str) -> None:
    result = ptxgen("emit", program, "--target", "sm_80")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(".version 7.0\n.target sm_80\n")
    assert ".visible .entry saxpy(" in result.stdout


def test_what_is_emitted_can_be_emitted_again(ptxgen: Command, programs: Path) -> None:
    assert ptxgen("emit", "saxpy.py", "-o", "saxpy.ptx").stdout == ""
    assert ptxgen("emit", "saxpy.ptx").stdout == (programs / "saxpy.ptx").read_text()


def test_a_compile_time_parameter(ptxgen: Command) -> None:
    once, thrice = (ptxgen("emit", "saxpy.py", "--set", f"unroll={n}").stdout.count("fma.rn") for n in (1, 3))
    assert (once, thrice) == (1, 3)


def test_a_function_that_makes_a_module(ptxgen: Command) -> None:
    result = ptxgen("emit", "saxpy.py:unrolled", "--set", "by=3", "--target", "sm_75")
    assert result.stdout.startswith(".version 6.3\n.target sm_75\n")
    assert result.stdout.count("fma.rn") == 3


def test_a_template_with_parameters(ptxgen: Command) -> None:
    result = ptxgen("emit", "scale.ptx.j2", "--set", "type=f64", "--target", "sm_90a")
    assert ".target sm_90a" in result.stdout
    assert "mul.f64" in result.stdout


def test_a_variant_of_the_library(ptxgen: Command) -> None:
    result = ptxgen("emit", "saxpy/f64", "--target", "sm_75")
    assert ".visible .entry saxpy(" in result.stdout
    assert "fma.rn.f64" in result.stdout


def test_the_version_is_the_lowest_or_the_one_asked_for(ptxgen: Command) -> None:
    assert ptxgen("emit", "saxpy.py", "--target", "sm_80", "--version", "8.3").stdout.startswith(".version 8.3")


def test_json(ptxgen: Command) -> None:
    said = json.loads(ptxgen("emit", "saxpy.py", "--json", "--target", "sm_75").stdout)
    assert (said["target"], said["version"], said["kernels"]) == ("sm_75", "6.3", ["saxpy"])
    assert said["ptx"].startswith(".version 6.3")


def test_warnings_go_to_stderr_and_strict_makes_them_errors(ptxgen: Command) -> None:
    mild = ptxgen("emit", "unwise.ptx")
    assert mild.exit_code == 0
    assert "warning PTX303" in mild.stderr
    assert "warning" not in mild.stdout
    assert ptxgen("emit", "unwise.ptx", "--strict").exit_code == 1


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["broken.ptx"], "PTX200"),
        (["scale.ptx.j2", "--set", "factor=10"], "an int from 1 to 9"),
        (["saxpy.py", "--set", "unrol=2"], "it has: unroll"),
        (["saxpy.py", "-o", "nowhere/saxpy.ptx"], "nowhere/saxpy.ptx: No such file or directory"),
    ],
)
def test_a_wrong_program_is_status_1_without_a_traceback(ptxgen: Command, arguments: list[str], said: str) -> None:
    result = ptxgen("emit", *arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["nowhere.ptx"], "no file nowhere.ptx"),
        (["nowhere:kernel"], "no module 'nowhere'"),
        (["saxpy.py:axpy"], "name one of them: saxpy.py:saxpy"),
        (["saxpy.py", "--target", "sm_99"], "no target 'sm_99'"),
        (["saxpy.py", "--version", "8"], "looks like '8.0'"),
        (["saxpy.py", "--set", "unroll"], "is not NAME=VALUE"),
        (["unwise.ptx", "--target", "sm_90"], "unwise.ptx is for sm_80"),
        (["saxpy.py:unrolled"], "missing a required argument: 'target'"),
        (["saxpy.py:answer"], "is not a kernel, and returns int"),
        (["saxpy/f31"], "there are saxpy/f32, "),
        (["daxpy/f32"], "there are saxpy, reduction, "),
        (["saxpy/f32", "--set", "unroll=1"], "is a variant"),
        (["unwise.ptx", "--set", "n=1"], "no parameters to --set"),
    ],
)
def test_wrong_usage_is_status_2(ptxgen: Command, arguments: list[str], said: str) -> None:
    result = ptxgen("emit", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("program", ["loud.py", "loud:loud", "loud.py:made"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_a_file_prints_is_no_part_of_the_output(
    ptxgen: Command, programs: Path, program: str, options: tuple[str, ...]
) -> None:
    (programs / "loud.py").write_text(
        "import ptxgen as px\nprint('imported')\n\n@px.kernel\ndef loud(k: px.Builder, x: px.ptr[px.f32]):\n"
        "    print('traced', flush=True)\n    x[k.tid.x] = 1.0\n\ndef made():\n    return loud.module(target='sm_80')\n"
    )
    result = ptxgen("emit", program, *options)
    assert result.exit_code == 0, result.stderr
    text = json.loads(result.stdout)["ptx"] if options else result.stdout
    assert text.startswith(".version")
    assert "traced" in result.stderr
    assert "imported" not in result.stdout
    assert "traced" not in result.stdout


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["scale.ptx.j2", "-D", "factor=3"], "--set NAME=VALUE"),
        (["scale.ptx.j2", "-Dfactor=3"], "--set NAME=VALUE"),
        (["scale.ptx.j2", "factor=3"], "a parameter is given by --set factor=3"),
        (["factor=3"], "'factor=3' is not a program; parameter 'factor' is given by --set factor=3"),
        (["saxpy.py", "--unroll=2"], "--set unroll=VALUE"),
    ],
)
def test_a_parameter_that_is_given_otherwise_names_set(ptxgen: Command, arguments: list[str], says: str) -> None:
    result = ptxgen("emit", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr


def test_an_option_that_is_misspelt_is_no_parameter(ptxgen: Command) -> None:
    result = ptxgen("emit", "saxpy.py", "--targt", "sm_80")
    assert "--target" in result.stderr
    assert "--set" not in result.stderr


def test_findings_of_one_template_line_are_one_with_a_count(ptxgen: Command, programs: Path) -> None:
    (programs / "rounds.ptx.j2").write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry e()\n{\n    .reg .b32 %r<3>;\n"
        "{% for i in range(3) %}\n    add.u32 %r{{ i }}, %r9, 1;\n{% endfor %}\n    add.u32 %r1, %r9, 1;\n    ret;\n}\n"
    )
    for command in ("emit", "check"):
        result = ptxgen(command, "rounds.ptx.j2")
        assert result.exit_code == 1
        shown = result.stdout + result.stderr
        assert shown.count("PTX301") == 2
        assert shown.count("  3 times in what comes from this line") == 1
        assert "4 errors" in shown
    found = json.loads(ptxgen("check", "rounds.ptx.j2", "--json").stdout)[0]["diagnostics"]
    assert [finding["count"] for finding in found] == [3, 1]
