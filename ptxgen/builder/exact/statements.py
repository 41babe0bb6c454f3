"""What stands in a body beside instructions, in PTX's own words: labels, directives, declarations, `{}` scopes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ptxgen.builder.core.source import build_error
from ptxgen.builder.values.scalars import Value
from ptxgen.errors import PtxSyntaxError
from ptxgen.ir import Block, Instruction, Register, RegisterDeclaration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["block", "directive", "named_register", "registers"]

V = TypeVar("V", bound=Value)


def registers(k: FunctionBuilder, type: type[V], name: str, count: int) -> list[V]:
    """Variables in registers of given names, `%r0` to `%r<count-1>`, which are declared here: for debugging data that names them.
    The builder's own registers must have others."""
    k.statements.append(RegisterDeclaration(type.isa, (name,), count))
    return [type(k, Register(f"{name}{index}", type.isa), k.scope, mutable=True) for index in range(count)]


def named_register(k: FunctionBuilder, type: type[V], name: str) -> V:
    """A variable in a register of a given name, as `registers` gives several."""
    k.statements.append(RegisterDeclaration(type.isa, (name,)))
    return type(k, Register(name, type.isa), k.scope, mutable=True)


def directive(k: FunctionBuilder, text: str) -> None:
    """Directives and declarations of a body as PTX text: `.pragma "nounroll";`, `.param .b32 p;`, `t: .branchtargets a, b;`,
    `.loc 1 2 3`, `.reg .v2 .f32 %v;`, a comment. BuildError for anything else; instructions are `k.ptx`."""
    from ptxgen.text.parser import parse

    head = f".version 9.0\n.target {k.target.name}\n.address_size 64\n.func f()\n{{\n"
    try:
        (function,) = parse(f"{head}{text}\n}}\n").functions
    except PtxSyntaxError as wrong:
        first = wrong.diagnostics[0]
        raise build_error(first.code, f"{text!r:.60}: {first.message}", expected=first.expected) from None
    statements = list(function.body or ())
    if not statements or any(isinstance(each, (Instruction, Block)) for each in statements):
        raise build_error("PTX105", f"{text!r:.60} is not a directive", hint="k.ptx.mov.u32(d, a) is an instruction")
    k.statements += statements


@contextmanager
def block(k: FunctionBuilder) -> Iterator[None]:
    """A `{}` scope: what `k.directive` declares in it has its name there alone, such as the parameters of a call."""
    outer, k.statements = k.statements, []
    try:
        yield
    finally:
        outer.append(Block(k.statements))
        k.statements = outer
