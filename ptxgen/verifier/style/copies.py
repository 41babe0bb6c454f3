"""Copies of registers that nothing needs: a finding of style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Register, Variable

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_copies"]


def check_copies(body: CheckedBody) -> None:
    """PTX615: a mov between two registers of one type that are written once. Only when style is asked for."""
    definitions, uses = body.chains.definitions, body.chains.uses
    for position, instruction in enumerate(body.instructions):
        if instruction.opcode != "mov" or instruction.pred is not None or body.forms[position] is None:
            continue
        to, source = instruction.operands
        if type(to) is not Register or type(source) is not Register or to.type is not source.type:
            continue
        (written,), read = body.writes[position], body.reads[position][0]
        once = len(definitions[written]) == len(definitions.get(read, ())) == 1
        if once and written in uses and not _is_result(body, to, position):
            body.report(
                "PTX615",
                f"{to.name} is {source.name}, and stays it",
                position,
                hint=f"delete it, and read {source.name}",
            )


def _is_result(body: CheckedBody, register: Register, position: int) -> bool:
    """Is it a result of the function in .reg, or a parameter?"""
    return isinstance(body.scopes[position].find(register.name), Variable)
