"""Do a module's declarations agree with each other (manual 5.4, 11.1, 11.6)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import FileDirective, Function, Generic, IntermediateSource, Masked, Symbol, Variable
from ptxgen.verifier.instruction.calls import is_passable
from ptxgen.verifier.module_level.variables import check_name

if TYPE_CHECKING:
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_declarations", "check_initializer"]


def check_declarations(context: VerifierContext) -> None:
    """Report functions declared twice in different ways or with parameters that cannot be passed, too many constants, and
    numbers of files that are given twice or not at all."""
    for variable in context.module.variables:
        if variable.space == "param":
            context.report(
                "PTX106",
                f".param {variable.name} stands outside of functions",
                variable.source,
                expected=".global, .const or .shared",
            )
    first: dict[str, Function] = {}
    for function in context.module.functions:
        check_name(context, function)
        known = first.setdefault(function.name, function)
        if known is not function:
            _check_agreement(context, known, function)
        if not function.is_entry and function.body is not None:
            _check_passable(context, function)
    _check_constants(context)
    _check_files(context)


def _check_files(context: VerifierContext) -> None:
    """Each number is one `.file`'s; the text of an intermediate language names one above it, `.loc` may name any."""
    files: dict[int, str] = {}
    for item in context.module.items:
        if isinstance(item, FileDirective):
            if item.index in files:
                message = f'.file {item.index} is "{files[item.index]}" already'
                context.report("PTX302", message, item.source, hint="another number")
            files[item.index] = item.name
        elif isinstance(item, IntermediateSource):
            for block in item.blocks:
                if block.file not in files:
                    context.report(
                        "PTX301",
                        f".sourceFileName: {block.file} names no file",
                        block.source,
                        expected=f'.file {block.file} "name" above it',
                    )


def _check_agreement(context: VerifierContext, one: Function, other: Function) -> None:
    difference = _difference(one, other)
    if difference:
        context.report(
            "PTX305",
            f"the declarations of {other.name} differ: {difference}",
            other.source,
            expected="the same parameters everywhere; only names may differ",
        )


def _difference(one: Function, other: Function) -> str:
    if one.is_entry != other.is_entry:
        return "one is an .entry, the other a .func"
    if (one.linkage == "extern") != (other.linkage == "extern"):
        return "one is .extern"
    for what, left, right in (
        ("results", one.results, other.results),
        ("parameters", one.parameters, other.parameters),
    ):
        if len(left) != len(right):
            return f"{len(left)} and {len(right)} {what}"
        for a, b in zip(left, right):
            if _kind(a) != _kind(b):
                return f"{a.name} and {b.name} have different types, sizes, alignments or spaces"
    return ""


def _kind(variable: Variable) -> tuple[object, ...]:
    return variable.space, variable.type.name, variable.shape, variable.vector, variable.alignment


def _check_passable(context: VerifierContext, function: Function) -> None:
    for variable in (*function.results, *function.parameters):
        if not is_passable(variable, context.module):
            passable = f".b{variable.type.bits}" if variable.type.kind != "p" else ".reg .b32"
            context.report(
                "PTX305",
                f".{variable.space} .{variable.type.name} {variable.name} of {function.name} cannot be passed",
                function.source,
                expected="an untyped parameter, or one of 32 bits and more",
                hint=f"{passable} {variable.name}",
            )


def check_initializer(context: VerifierContext, variable: Variable) -> None:
    """Report names in an initialiser that are not declared before it."""
    if variable.type.kind == "o":  # the fields of a sampler have names of their own (manual 5.3)
        return
    work = [variable.init]
    while work:
        value = work.pop()
        if isinstance(value, tuple):
            work += value
        elif isinstance(value, (Masked, Generic)):
            work.append(value.symbol)
        elif isinstance(value, Symbol) and context.names.find(value.name) is None:
            context.report(
                "PTX301",
                f"{value.name}, which initialises {variable.name}, is not declared before it",
                variable.source,
                expected="its declaration before that of the variable",
            )


def _check_constants(context: VerifierContext) -> None:
    total = 0
    last: Variable | None = None
    for variable in context.module.variables:
        if variable.space == "const" and variable.linkage != "extern":
            total = -(-total // variable.alignment) * variable.alignment + variable.size
            last = variable
    limit = context.target.constant_bytes
    if last is not None and total > limit:
        context.report(
            "PTX427",
            f"{context.module.name} declares {total} bytes of .const variables, a module has {limit}",
            last.source,
            hint=".global for what is read at different addresses by the lanes of a warp",
        )
