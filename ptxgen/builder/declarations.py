"""`px.declare`: what a module declares, in PTX's own words, as `k.ptx` says an instruction.

table = px.declare(".const .align 4 .u32 table[2] = {1, 2};")

@px.declare(".weak .func (.reg .u32 result) double(.reg .u32 x)")
def double(k, result, x):
    k.ptx.add.u32(result, x, x)
    k.return_()

px.module(table, double, ..., target="sm_90a")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.builder import Builder
from ptxgen.builder.core.source import build_error, caller
from ptxgen.builder.tracing import trace
from ptxgen.builder.values.scalars import SCALARS
from ptxgen.errors import BuildError, Diagnostic, PtxSyntaxError
from ptxgen.ir import Function, Register, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.core.module_builder import ModuleBuilder
    from ptxgen.ir import ModuleItem, PythonPlace, Variable

__all__ = ["Declaration", "DeclaredFunction", "declare"]


class Declaration:
    """Items of a module as PTX text. As a decorator, a function's head gets its body of a Python function."""

    def __init__(self, text: str, source: PythonPlace | None) -> None:
        self.text = text
        self._source = source

    def __repr__(self) -> str:
        return f"<declaration {self.text.splitlines()[0] if self.text else ''}>"

    def __call__(self, function: Callable[..., None]) -> DeclaredFunction:
        return DeclaredFunction(self, function)

    def items(self, target: str) -> list[ModuleItem]:
        """What the text declares. BuildError, at the declaration's line, for what is not PTX."""
        text = self.text.strip()
        end = "" if not text or text.endswith((";", "}")) or text.startswith((".file", "//")) else ";"
        try:
            from ptxgen.text.parser import parse

            return parse(f".version 9.0\n.target {target}\n.address_size 64\n{text}{end}\n").items
        except PtxSyntaxError as wrong:
            first = wrong.diagnostics[0]
            places = (*resolve(self._source), *first.locations)
            found = Diagnostic(first.code, first.message, locations=places, expected=first.expected, hint=first.hint)
            raise BuildError("", [found]) from None

    def add_to(self, into: ModuleBuilder) -> None:
        """Enter the items into a module that is being built."""
        into.items += self.items(into.target.name)

    def head(self, target: str) -> Function:
        """The one function that the text declares."""
        items = self.items(target)
        if len(items) != 1 or not isinstance(items[0], Function) or items[0].body is not None:
            raise build_error(
                "PTX306",
                f"{self!r} is given a body",
                expected="the head of one .entry or .func",
                hint='@px.declare(".visible .entry f(.param .u64 x)")',
                source=self._source,
            )
        return items[0]


class DeclaredFunction:
    """A function whose head is PTX text and whose body is a Python function of the builder, and of the registers among its
    results and parameters. The body ends as it was written: no `ret` is added."""

    def __init__(self, declaration: Declaration, function: Callable[..., None]) -> None:
        self.declaration = declaration
        self.function = function
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        return f"<function {self.__name__}, {self.declaration!r}>"

    def add_to(self, into: ModuleBuilder) -> Function:
        """Trace the function into a module that is being built."""
        made = self.declaration.head(into.target.name)
        k = Builder(into, made.name)
        registers = [_register(k, each) for each in (*made.results, *made.parameters) if each.space == "reg"]
        returned = trace(k, self.function, registers, {})
        if returned is not None:
            raise BuildError(
                f"{self.__name__} returns {returned!r:.60}", hint="k.return_(), and results in their places"
            )
        made.body = k.finish(returns=False)
        made.directives = (*made.directives, *k.directives)
        made.source = (self.function.__code__, -1)
        made.dynamic_shared = k.shared_memory.bytes
        into.items.append(made)
        return made


def _register(k: Builder, parameter: Variable) -> Any:
    """A parameter in a register, as a variable."""
    register = Register(parameter.name, parameter.type, parameter.vector)
    type_ = SCALARS.get(parameter.type.name)
    if type_ is None or register.lanes > 1 or type_.storage.bits != parameter.type.bits:
        return register
    return type_(k, register, k.scope, mutable=True)


def declare(text: str) -> Declaration:
    """A declaration of a module, as PTX text: variables with their values, prototypes, `.alias`, `.file`, or as a decorator the
    head of an `.entry` or a `.func`. It stands in the module where `px.module` names it. BuildError where it is used, when the
    text is not PTX."""
    return Declaration(text, caller())
