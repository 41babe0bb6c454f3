"""The walk over a body without a listener: facts, and nothing reported."""

from __future__ import annotations

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.scope import NameScope
from ptxgen.dataflow.bodies.walk import bodies_of, walk
from ptxgen.text import parse

TEXT = """.version 8.0
.target sm_90a
.address_size 64
.func f() { ret; }
.entry k() {
    .reg .b32 %r<3>;
    mov.u32 %r1, %clock;
    // ptxgen: allow[PTX501]
    frob.u32 %r1, %r2;
    { bra nowhere; }
    mov.u32 %r1, 1;
}
"""


class Heard:
    """A listener that keeps the names of what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __getattr__(self, name: str) -> object:
        def note(*_: object) -> None:
            self.told.append(name)

        return note


def test_every_function_with_a_body_is_walked() -> None:
    assert [body.function.name for body in bodies_of(parse(TEXT))] == ["f", "k"]


def test_an_illegal_instruction_has_no_form_and_the_walk_goes_on() -> None:
    body = bodies_of(parse(TEXT))[1]
    assert [form is not None for form in body.forms] == [True, False, False, True]


def test_a_listener_is_told_in_text_order() -> None:
    module = parse(TEXT)
    heard = Heard()
    walk(Body(module, NameScope(), module.function("k")), heard)  # type: ignore[arg-type]
    assert heard.told == ["special", "form", "unknown_name"]


def test_remarks_are_kept_by_scope() -> None:
    body = bodies_of(parse(TEXT))[1]
    assert [(remarks.lines, remarks.end) for remarks in body.remarks] == [([(1, "ptxgen: allow[PTX501]")], 4)]
