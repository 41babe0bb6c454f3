"""The bytes of a kernel: its parameter block (manual 5.1.6.1), and the static shared memory that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Block, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.ir import Function

__all__ = ["parameter_layout", "static_shared"]


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
