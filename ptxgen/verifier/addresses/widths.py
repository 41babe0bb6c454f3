"""Addresses in registers that are too narrow for them: global and generic memory is addressed by 64 bits (manual 6.4.1, 11.1.3).

From sm_90 on, assemblers refuse plain accesses through 32-bit registers, and addresses of global variables in them. Before,
and in bulk copies, they take the register for the whole address.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ptxgen.ir import Address, Register, Symbol, Variable
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_widths"]

_PLAIN = opcodes_with("load", "store", "atomic", "hint") | {"mbarrier", "cp"}
"""Opcodes whose 32-bit addresses assemblers refuse; of cp the non-bulk ones, of prefetch not those of tensor maps."""

_OTHER = frozenset({"shared", "local", "const", "param", "sparam"})


def check_widths(body: CheckedBody) -> None:
    """PTX209: a global or generic address in fewer than 64 bits."""
    if body.module.address_size == 32:
        return
    modern = body.context.target.sm >= 90
    for position in body.memory:
        instruction = body.instructions[position]
        form = body.forms[position]
        if form is None or not _may_be_wide(instruction.op):
            continue
        for operand, wanted in zip(instruction.operands, form.operands):
            if type(operand) is not Address or type(operand.base) is not Register or wanted.type is not None:
                continue
            if operand.base.type.bits < 64 and wanted.space.partition("::")[0] in ("", "global"):
                refused = modern and operand.base.type.bits == 32 and _is_refused(instruction.op)
                space = f".{wanted.space}" if wanted.space else "generic"
                _report(body, position, f"[{operand.base.name}] is a {space} address", operand.base, refused)
                break
    for position in body.at.get("isspacep", ()):
        source = body.instructions[position].operands[-1]
        if isinstance(source, Register) and source.type.bits < 64:
            _report(body, position, f"{body.instructions[position].op} asks about a generic address", source, False)
    if modern:
        for position in _copies(body):
            instruction = body.instructions[position]
            _report(body, position, _copied(body, position), instruction.operands[0], True)


def _report(body: CheckedBody, position: int, what: str, register: object, refused: bool) -> None:
    assert isinstance(register, Register)
    body.report(
        "PTX209",
        f"{what} in the {register.type.bits}-bit register {register.name}",
        position,
        expected="a 64-bit register: global and generic addresses have 64 bits",
        hint=f".reg .b64 for {register.name}, and what goes into it with .u64: ld.param.u64, cvta.to.global.u64, add.u64",
        severity="error" if refused else "warning",
    )


@cache
def _may_be_wide(op: str) -> bool:
    return _OTHER.isdisjoint(word.partition("::")[0] for word in op.split(".")) or ".global" in op


@cache
def _is_refused(op: str) -> bool:
    words = op.split(".")
    return words[0] in _PLAIN and "bulk" not in words and "tensormap" not in words


def _copies(body: CheckedBody) -> list[int]:
    """cvta, and mov of a global variable's address, into 32 bits."""
    found = list(body.at.get("cvta.u32", ()))
    if body.symbols:
        moves = ("mov.u32", "mov.b32", "mov.s32")
        found += [p for p, i in enumerate(body.instructions) if i.op in moves and _names_global(body, p)]
    return found


def _names_global(body: CheckedBody, position: int) -> bool:
    source = body.instructions[position].operands[-1]
    found = body.scopes[position].find(source.name) if isinstance(source, Symbol) else None
    return isinstance(found, Variable) and found.space == "global"


def _copied(body: CheckedBody, position: int) -> str:
    instruction = body.instructions[position]
    source = instruction.operands[1]
    return f"the address of {source.name}" if isinstance(source, Symbol) else f"{instruction.op} puts an address"
