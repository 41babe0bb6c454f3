"""Constants with which an instruction does nothing sensible, and carries that nothing has made (warnings)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Symbol
from ptxgen.ir.dataflow import solve
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.check.program.body import Body

__all__ = ["check_amounts", "check_carries", "check_results"]

_SHIFTS = ("shl", "shr")
_DIVISIONS = ("div", "rem")
_CARRIED = ("addc", "subc", "madc")
_MASKED = ("bar", "barrier", "shfl", "vote", "match", "redux", "elect")


def check_amounts(body: Body) -> None:
    """PTX313: shifts by the width and more, fields behind it, integers divided by zero. PTX503: masks that name no lane."""
    for opcode in (*_SHIFTS, "bfe"):
        for position in body.at.get(opcode, ()):
            _check_shift(body, position)
    for opcode in _DIVISIONS:
        for position in body.at.get(opcode, ()):
            words = body.instructions[position].op.split(".")
            if words[-1][0] in "us" and body.constant(body.instructions[position].operands[-1], position) == 0:
                body.report(
                    "PTX313", f"{body.instructions[position].op} divides by zero", position, hint="another divisor"
                )
    for opcode in _MASKED:
        for position in body.at.get(opcode, ()):
            _check_mask(body, position)


def _check_shift(body: Body, position: int) -> None:
    instruction = body.instructions[position]
    type_ = TYPES.get(instruction.op.rpartition(".")[2])
    amount = body.constant(instruction.operands[2], position)
    if type_ is None or amount is None or 0 <= amount < type_.bits:
        return
    what = "takes a field from bit" if instruction.opcode == "bfe" else "shifts by"
    body.report(
        "PTX313",
        f"{instruction.op} {what} {amount}, and the value has {type_.bits} bits: nothing of it is left",
        position,
        expected=f"0 to {type_.bits - 1}",
    )


def _check_mask(body: Body, position: int) -> None:
    instruction = body.instructions[position]
    words = instruction.op.split(".")
    if words[0] in ("bar", "barrier") and "warp" not in words:
        return
    if "sync" in words and instruction.operands and body.constant(instruction.operands[-1], position) == 0:
        body.report(
            "PTX503",
            f"the mask of {instruction.op} names no lane, not even this one",
            position,
            expected="a mask with a bit for each lane that comes",
            hint="0xffffffff",
        )


# -- carries -------------------------------------------------------------------------------------------------------


def check_carries(body: Body) -> None:
    """PTX303: addc, subc and madc where some way brings no carry: none of the instructions with .cc is on it."""
    readers = [position for opcode in _CARRIED for position in body.at.get(opcode, ())]
    if not readers:
        return
    makers = [position for position, instruction in enumerate(body.instructions) if ".cc" in instruction.op]
    flow = body.flow
    making = {flow.block_at(position).index for position in makers}
    made = solve(flow, lambda index, known: known or index in making, lambda one, other: one and other, False)
    for position in sorted(readers):
        block = flow.block_at(position)
        before = any(block.start <= maker < position for maker in makers)
        if not before and made[block.index] is False:
            op = body.instructions[position].op
            body.report(
                "PTX303",
                f"{op} reads a carry that nothing has made" + (" on some path" if makers else ""),
                position,
                expected="add.cc, sub.cc or mad.cc before it",
                hint=f"{op[:3]}.cc{op[4:].replace('.cc', '')} for the lower half",
            )
            return


# -- results -------------------------------------------------------------------------------------------------------


def check_results(body: Body) -> None:
    """PTX303: a device function returns, and has never written one of its results."""
    function = body.function
    if not function.results or not any(i.op in ("ret", "ret.uni") for i in body.instructions):
        return
    written = {body.registers[number].name for number in body.chains.definitions}
    for position in body.memory:
        first = body.instructions[position].operands[0]
        if type(first) is Address and type(first.base) is Symbol:
            written.add(first.base.name)
    for result in function.results:
        named = result.space == "param" and result.name in body.symbols  # its address is taken
        if result.name not in written and not named:
            end = next(p for p, i in enumerate(body.instructions) if i.op in ("ret", "ret.uni"))
            store = f"st.param.{result.type.name} [{result.name}], ...;"
            body.report(
                "PTX303",
                f"{function.name} returns without a value in its result {result.name}",
                end,
                hint=store if result.space == "param" else f"mov.{result.type.name} {result.name}, ...;",
            )
