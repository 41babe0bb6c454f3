"""Warnings that the author takes back, on a line, in a body, in a kernel; errors stay."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.errors import BuildError, PtxWarning, VerifyError
from ptxgen.text import parse
from ptxgen.verifier import assert_valid, verify


def program(body: str) -> str:
    return (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<5>;\n.reg .pred %p<2>;\n"
        f"{body}\nret;\n}}\n"
    )


def codes(body: str, *, style: bool = False) -> list[str]:
    module = parse(program(body))
    found = [finding.code for finding in verify(module, style=style)]
    again = [finding.code for finding in verify(parse(str(module)), style=style)]
    assert found == again, "the remark is part of the program"
    return found


UNWRITTEN = "add.u32 %r1, %r2, 1;"


@pytest.mark.parametrize(
    "body",
    [
        f"{UNWRITTEN} // ptxgen: ignore[PTX303]",
        f"// ptxgen: ignore[PTX303]\n{UNWRITTEN}",
        f"{UNWRITTEN} // a reason; ptxgen: ignore[PTX312, PTX303]",
        f"{UNWRITTEN} // ptxgen: ignore[PTX3xx]",
        f"// ptxgen: allow[PTX303]\nmov.u32 %r3, 1;\n{UNWRITTEN}",
        f"// ptxgen: allow[PTX303]\n{UNWRITTEN}\n// ptxgen: end allow",
        f"// ptxgen: allow[PTX303]\n{{ {UNWRITTEN} }}",
    ],
)
def test_taken_back(body: str) -> None:
    assert codes(body) == []


@pytest.mark.parametrize(
    "body",
    [
        f"{UNWRITTEN} // ptxgen: ignore[PTX312]",
        f"// ptxgen: ignore[PTX303]\nmov.u32 %r3, 1;\n{UNWRITTEN}",  # another line
        f"// ptxgen: allow[PTX303]\nmov.u32 %r3, 1;\n// ptxgen: end allow\n{UNWRITTEN}",
        f"{{\n// ptxgen: allow[PTX303]\nmov.u32 %r3, 1;\n}}\n{UNWRITTEN}",  # the end of its { }
    ],
)
def test_not_taken_back(body: str) -> None:
    assert codes(body) == ["PTX303"]


def test_allowances_nest() -> None:
    body = "// ptxgen: allow[PTX303]\n// ptxgen: allow[PTX312]\n// ptxgen: end allow[PTX303]\n"
    assert codes(f"{body}mov.u32 %r4, 1; setp.ge.u32 %p1, %r4, 0;\n{UNWRITTEN}") == ["PTX303"]


def test_an_error_stays() -> None:
    assert codes("add.u32 %r1, %r2; // ptxgen: ignore[PTX202]") == ["PTX202"]
    assert codes("// ptxgen: allow[PTX2xx]\nadd.u32 %r1, %r2;") == ["PTX202"]


def test_a_code_that_there_is_not() -> None:
    assert codes("mov.u32 %r1, 1; // ptxgen: ignore[PTX999]") == ["PTX690"]
    assert codes("// ptxgen: allow[PTX9xx]\nmov.u32 %r1, 1;") == ["PTX690"]


def test_a_remark_that_takes_nothing_back_is_untidy() -> None:
    body = "mov.u32 %r1, 1; // ptxgen: ignore[PTX303]\nmov.u32 %r2, %r1; mov.u32 %r1, %r2;"
    assert codes(body) == []
    assert "PTX691" in codes(body, style=True)


def test_strict_goes_by_what_is_left() -> None:
    assert assert_valid(parse(program(f"{UNWRITTEN} // ptxgen: ignore[PTX303]")), strict=True) == []
    with pytest.raises(VerifyError):
        assert_valid(parse(program(UNWRITTEN)), strict=True)


# In Python


@px.kernel
def unwritten(k: px.Builder, x: px.ptr[f32]):
    acc = k.var(f32)
    x[0] = acc + 1.0


@px.kernel
def on_the_line(k: px.Builder, x: px.ptr[f32]):
    acc = k.var(f32)
    x[0] = acc + 1.0  # ptxgen: ignore[PTX303]


@px.kernel
def for_the_kernel(k: px.Builder, x: px.ptr[f32]):
    k.allow("PTX303")
    acc = k.var(f32)
    x[0] = acc + 1.0


@px.kernel
def for_a_body(k: px.Builder, n: u32, x: px.ptr[f32], *, inside: bool = True):
    acc = k.var(f32)
    with k.allow("PTX3xx"):
        x[0] = acc + 1.0 if inside else 1.0
    if not inside:
        x[0] = acc + 1.0


def test_a_kernel_warns() -> None:
    with pytest.warns(PtxWarning, match="PTX303"):
        unwritten.module()


@pytest.mark.parametrize("kernel", [on_the_line, for_the_kernel, for_a_body])
def test_in_python(kernel: px.Kernel) -> None:
    module = kernel.module(strict=True)
    if kernel is not on_the_line:
        assert assert_valid(parse(str(module)), strict=True) == []  # the printed program knows it too


def test_behind_the_body_it_warns_again() -> None:
    with pytest.raises(VerifyError, match="PTX303"):
        for_a_body.module(strict=True, inside=False)


def test_k_allow_knows_the_codes() -> None:
    @px.kernel
    def wrong(k: px.Builder):
        k.allow("PTX999")

    with pytest.raises(BuildError, match="there is no diagnostic 'PTX999'"):
        wrong.module()
