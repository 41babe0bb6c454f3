"""Modules that are not finished, kernels without effect (PTX608 to PTX610)."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.verifier.style.programs import count, messages, program


@pytest.mark.parametrize(
    "comment, word",
    [("TODO: the tail", "TODO"), ("Placeholder only", "Placeholder"), ("not yet implemented", "not yet implemented")],
)
def test_remarks_that_say_so(comment: str, word: str) -> None:
    assert messages("PTX608", f"// {comment}\nadd.u32 %r2, %r2, 1;") == [f"this comment says {word!r}"]
    assert count("PTX608", "// the todos of others, and a stubborn index\nadd.u32 %r2, %r2, 1;") == 0


def test_the_place_of_a_remark_is_that_of_what_follows() -> None:
    text = program("\n// TODO\nadd.u32 %r2, %r2, 1;")
    (finding,) = [f for f in verify(parse(text, name="k.ptx"), style=True) if f.code == "PTX608"]
    assert [place.excerpt() for place in finding.locations] == ["add.u32 %r2, %r2, 1;"]


HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


@pytest.mark.parametrize(
    "text, expected",
    [
        (".entry k(.param .u64 a) { .reg .b64 %d<2>; ld.param.u64 %d1, [a]; ret; }", ["PTX601", "PTX609"]),
        (".entry k() { ret; }", []),
        (".entry k() { trap; }", []),
        (".func f() { ret; }", ["PTX610"]),
        (".visible .func f() { ret; }", []),
        (".visible .global .b32 g;", []),
        (".global .b32 g;", ["PTX610"]),
        ("", []),
    ],
)
def test_modules_without_effect_or_entrance(text: str, expected: list[str]) -> None:
    assert [finding.code for finding in verify(parse(HEADER + text), style=True)] == expected
