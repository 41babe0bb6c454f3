"""Limits of the target: shared memory, parameters, launch bounds (manual 11.4), alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Block, Directive, Function, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.check.context import Context

__all__ = ["check_limits", "parameter_layout", "static_shared"]

_CLUSTER = frozenset({"reqnctapercluster", "explicitcluster", "maxclusterrank"})
_BLOCK = frozenset({"maxntid", "reqntid"})


def check_limits(context: Context, function: Function) -> None:
    """Report what of a function is over the target's limits."""
    for variable in _variables(function):
        if variable.align is not None and variable.align & (variable.align - 1):
            context.report(
                "PTX425", f".align {variable.align} of {variable.name} is not a power of two", variable.source
            )
    if not function.is_entry:
        return
    _check_shared(context, function)
    size = parameter_layout(function)[1]
    limit = context.target.parameter_bytes(context.module.version)
    if size > limit:
        context.report(
            "PTX423",
            f"{function.name} has {size} bytes of parameters, the limit is {limit}",
            function.source,
            hint="PTX 8.1 allows 32764 bytes on sm_70 and newer" if limit < 32764 else "pass a pointer to a structure",
        )
    for directive in function.directives:
        _check_directive(context, function, directive)
    if {"maxntid", "reqntid"} <= {d.name for d in function.directives}:
        context.report(
            "PTX422", f"{function.name} has both .maxntid and .reqntid", function.source, hint="keep .reqntid"
        )


def _check_shared(context: Context, function: Function) -> None:
    used = static_shared(context.module.variables, function)
    limit = context.target.shared_static
    if used > limit:
        context.report(
            "PTX421",
            f"{function.name} declares {used} bytes of shared memory, {context.target.name} allows {limit}",
            function.source,
            hint=f"dynamic shared memory: {context.target.name} allows {context.target.shared_optin} bytes a CTA",
        )


def _check_directive(context: Context, function: Function, directive: Directive) -> None:
    target = context.target
    numbers = [a for a in directive.arguments if isinstance(a, int)]
    if directive.name in _CLUSTER and target.sm < 90:
        context.report(
            "PTX412",
            f".{directive.name} needs target sm_90 or newer, this module is for {target.name}",
            directive.source or function.source,
            expected="PTX 7.8 and sm_90 or newer",
        )
    if directive.name == "reqntid" and any(n <= 0 for n in numbers):
        context.report("PTX422", f".reqntid {numbers} must be positive", directive.source or function.source)
    if directive.name in _BLOCK:
        threads = 1
        for n in numbers:
            threads *= n
        if threads > target.max_threads:
            context.report(
                "PTX422",
                f".{directive.name} of {function.name} states {threads} threads, a CTA has at most {target.max_threads}",
                directive.source or function.source,
                severity="warning",
            )
    if directive.name == "maxnreg" and any(n > target.max_registers for n in numbers):
        context.report(
            "PTX422",
            f".maxnreg {numbers[0]} is over the {target.max_registers} registers of a thread",
            directive.source or function.source,
            severity="warning",
        )


def _variables(function: Function) -> Iterator[Variable]:
    yield from function.parameters
    stack = [function.body] if function.body is not None else []
    while stack:
        for statement in stack.pop():
            if isinstance(statement, Variable):
                yield statement
            elif isinstance(statement, Block):
                stack.append(statement)


def static_shared(module_variables: tuple[Variable, ...], function: Function) -> int:
    """Bytes of shared memory that a kernel declares: its own variables and the module's, each aligned."""
    total = 0
    own = [v for v in _variables(function) if v.space == "shared"]
    for variable in [*(v for v in module_variables if v.space == "shared" and v.linkage != "extern"), *own]:
        total = -(-total // variable.alignment) * variable.alignment + variable.size
    return total


def parameter_layout(function: Function) -> tuple[tuple[tuple[str, int, int], ...], int]:
    """((name, offset, size), ...) of a kernel's parameters in its parameter block, and the block's size in bytes."""
    offset = 0
    rows = []
    for parameter in function.parameters:
        offset = -(-offset // parameter.alignment) * parameter.alignment
        rows.append((parameter.name, offset, parameter.size))
        offset += parameter.size
    return tuple(rows), offset
