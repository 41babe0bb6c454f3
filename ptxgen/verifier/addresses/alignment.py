"""Addresses known to be misaligned for their access, or outside their variable (manual 6.4.1.1, 9.7.9).

Only what is certain is reported. Asynchronous copies have their own rules (protocols/).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.values.alignment import Alignments, access_size
from ptxgen.ir import Address, Register, Symbol, Variable

if TYPE_CHECKING:
    from ptxgen.dataflow.values.alignment import Known
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_alignment"]


def check_alignment(body: CheckedBody) -> None:
    """Warn of accesses whose address is certainly no multiple of their size, or reaches past its variable."""
    alignments: Alignments | None = None
    for position in body.memory:
        instruction, form = body.instructions[position], body.forms[position]
        size = access_size(form) if form is not None else 0
        if size < 2:
            continue
        for operand in instruction.operands:
            if type(operand) is not Address:
                continue
            base = operand.base
            if type(base) is Register:
                if size < 8 and operand.offset % size == 0:
                    continue  # a single element at a register: nothing to say in all but strange cases
            elif type(base) is Symbol and _is_inside(body.scopes[position].find(base.name), operand.offset, size):
                continue
            alignments = alignments or Alignments(body)
            _check(body, position, size, operand, alignments.of(operand, position))


def _is_inside(variable: object, offset: int, size: int) -> bool:
    """Is an access at an offset of a variable certainly right?"""
    if type(variable) is not Variable or variable.alignment % size or offset % size:
        return False
    return 0 <= offset <= variable.size - size


def _check(body: CheckedBody, position: int, size: int, address: Address, known: Known) -> None:
    op = body.instructions[position].op
    if known.variable is not None:
        _check_variable(body, position, size, known)
        return
    common = min(known.modulus, size)
    if known.residue % common:
        body.report(
            "PTX425",
            f"{op} of {size} bytes at an address that is {known.residue % size} past a multiple of {common}",
            position,
            expected=f"a multiple of {size}",
            hint="a smaller vector, or another offset",
        )


def _check_variable(body: CheckedBody, position: int, size: int, known: Known) -> None:
    op, variable, offset = body.instructions[position].op, known.variable, known.offset
    assert variable is not None
    where = f"{variable.name}+{offset}" if offset else variable.name
    if 0 < variable.size < size:
        body.report(
            "PTX426",
            f"{op} of {size} bytes at {where}, which has {variable.size} bytes",
            position,
            expected="a smaller access",
        )
    elif offset % min(size, variable.alignment):
        body.report(
            "PTX425",
            f"{op} of {size} bytes at {where}, which is not a multiple of {size}",
            position,
            expected=f"an offset that is a multiple of {size}",
        )
    elif variable.alignment < size:
        body.report(
            "PTX425",
            f"{op} of {size} bytes at {where}, which is aligned to {variable.alignment}",
            position,
            expected=f".align {size} for {variable.name}",
        )
    elif variable.size and not 0 <= offset <= variable.size - size:
        body.report(
            "PTX426",
            f"{op} of {size} bytes at {where}, which has {variable.size} bytes",
            position,
            expected=f"an offset from 0 to {variable.size - size}",
        )
