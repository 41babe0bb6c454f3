"""Variables that can be declared so, and those that cannot: judged as the assembler judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from ptxgen.text import parse
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = ".entry k() { ret; }"


def program(text: str) -> str:
    return f".version 8.4\n.target sm_90a\n.address_size 64\n{text}\n"


def legal(text: str, assembler: Callable[..., Any]) -> None:
    assert verify(parse(program(text))) == []
    assert assembler(program(text)).cubin


def illegal(code: str, text: str, assembler: Callable[..., Any]) -> None:
    assert {f"{finding.severity} {finding.code}" for finding in verify(parse(program(text)))} == {f"error {code}"}
    with pytest.raises(AssembleError):
        assembler(program(text))


@pytest.mark.parametrize(
    "declaration",
    [
        ".extern .shared .b32 x[];",
        ".extern .shared .align 16 .b8 x[0];",
        ".global .b32 x[] = {1, 2};",
        ".global .b32 x[][2] = {{1, 2}, {3}};",
        ".global .b32 x[4] = {};",
        ".global .b128 x;",
        ".global .v2 .f64 x;",
        ".global .v4 .f32 x = {1.0, 2.0, 3.0, 4.0};",
        ".global .v2 .f32 x[2] = {{1.0, 2.0}};",
        ".const .b16 x = 1.5;",
        ".global .f32 x = 0d3FF0000000000000;",
        ".global .u8 x = 256;",
        ".global .b32 y; .global .u64 x[2] = {y, generic(y)};",
        ".global .b32 y; .global .u8 x[2] = {0xff(y), 0xff00(y)};",
        ".func f(.param .b32 a, .param .b8 x[]) { ret; }",
        ".func f(.param .align 128 .b8 x[256]) { ret; }",
    ],
)
def test_declarations(declaration: str, assembler: Callable[..., Any]) -> None:
    legal(declaration + KERNEL, assembler)


@pytest.mark.parametrize(
    "code, declaration",
    [
        ("PTX107", ".global .pred x;"),
        ("PTX107", ".extern .shared .pred x[];"),
        ("PTX107", ".global .v4 .f64 x;"),
        ("PTX107", ".shared .v2 .b128 x;"),
        ("PTX107", ".func f(.param .v2 .f32 x) { ret; }"),
        ("PTX107", ".func f(.param .f16x2 x) { ret; }"),
        ("PTX109", ".global .b32 x[];"),
        ("PTX109", ".visible .const .b32 x[];"),
        ("PTX109", ".shared .b32 x[0];"),
        ("PTX109", ".global .b32 x[][3];"),
        ("PTX109", ".extern .shared .b32 x[2][0];"),
        ("PTX109", ".global .b32 x[] = {};"),
        ("PTX109", ".func f(.param .b8 x[], .param .b32 a) { ret; }"),
        ("PTX425", ".global .align 3 .b32 x;"),
        ("PTX425", ".shared .align 0 .b32 x;"),
        ("PTX425", ".extern .shared .align 12 .b8 x[];"),
        ("PTX425", ".func f(.param .align 256 .b8 x[256]) { ret; }"),
        ("PTX110", ".shared .b32 x = 1;"),
        ("PTX110", ".extern .global .b32 x = 1;"),
        ("PTX110", ".global .f16 x = 1.0;"),
        ("PTX110", ".global .f32 x = 1;"),
        ("PTX110", ".global .f64 x[2] = {1.0, 2};"),
        ("PTX110", ".global .s32 x = 1.5;"),
        ("PTX110", ".global .b32 x = {1};"),
        ("PTX110", ".global .b32 x[2] = 1;"),
        ("PTX110", ".global .b32 x[2] = {1, 2, 3};"),
        ("PTX110", ".global .b32 x[2][2] = {1, 2, 3, 4};"),
        ("PTX110", ".global .v2 .f32 x = {1.0};"),
        ("PTX110", ".global .b32 y; .global .b64 x = y;"),
        ("PTX110", ".global .b32 y; .global .u16 x = y;"),
        ("PTX110", ".global .b32 y; .global .b8 x = 0xff(y);"),
    ],
)
def test_declarations_that_cannot_be(code: str, declaration: str, assembler: Callable[..., Any]) -> None:
    illegal(code, declaration + KERNEL, assembler)


@pytest.mark.parametrize(
    "code, entry",
    [
        ("PTX107", ".entry k(.param .pred x) { ret; }"),
        ("PTX109", ".entry k(.param .b32 x[]) { ret; }"),
        ("PTX109", ".entry k() { .local .b32 x[]; ret; }"),
        ("PTX110", ".entry k() { .local .b32 x = 1; ret; }"),
        ("PTX425", ".entry k() { .param .align 256 .b8 x[256]; ret; }"),
    ],
)
def test_parameters_and_variables_of_a_kernel(code: str, entry: str, assembler: Callable[..., Any]) -> None:
    illegal(code, entry, assembler)


def test_what_is_said() -> None:
    (finding,) = verify(parse(program(".global .b32 x[2] = {1, 2, 3};" + KERNEL)))
    assert finding.message == "x: 3 initial values for 2 elements"
    (finding,) = verify(parse(program(".global .b32 y; .global .b64 x = y;" + KERNEL)))
    assert finding.message == "x: an address for a .b64; .u64 takes one"
    (finding,) = verify(parse(program(".shared .b32 tile[];" + KERNEL)))
    assert (finding.message, finding.hint) == ("the array tile has no size", "tile[N]")


def in_kernel(text: str) -> str:
    return f".entry k() {{ {text} ret; }}"


@pytest.mark.parametrize(
    "text",
    [
        ".reg .v2 .f64 %v;",
        ".reg .v4 .f32 %v;",
        ".reg .v4 .b16 %v<3>;",
        ".reg .v2 .u64 %v, %w;",
        ".reg .b128 %v;",
        "p: .callprototype (.param .b8 r[4]) _ (.param .b32 a);",
        "p: .callprototype (.param .b32 _) _ (.param .b32 a, .param .align 16 .b8 _[]);",
        "p: .callprototype _ (.param .b32 a);",
        "p: .callprototype (.reg .b32 _) _ ();",
    ],
)
def test_in_a_body(text: str, assembler: Callable[..., Any]) -> None:
    legal(in_kernel(text), assembler)


@pytest.mark.parametrize(
    "code, text",
    [
        ("PTX107", ".reg .v4 .f64 %v;"),
        ("PTX107", ".reg .v4 .b64 %v<4>;"),
        ("PTX107", ".reg .v2 .b128 %v;"),
        ("PTX107", ".reg .v2 .pred %v;"),
        ("PTX107", ".reg .v4 .pred %v;"),
        ("PTX107", ".reg .v8 .b16 %v;"),
        ("PTX109", "p: .callprototype (.param .b8 r[]) _ (.param .b32 a);"),
        ("PTX109", "p: .callprototype (.param .align 16 .b8 _[]) _ ();"),
        ("PTX109", "p: .callprototype _ (.param .b8 a[], .param .b32 b);"),
        ("PTX107", "{ .reg .v4 .f64 %v; }"),
    ],
)
def test_not_in_a_body(code: str, text: str, assembler: Callable[..., Any]) -> None:
    illegal(code, in_kernel(text), assembler)
