"""Code that control cannot reach, ends that it runs past, and conditions that are always the same (warnings)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Immediate, Instruction, Register
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_conditions", "check_reach"]

_STEPS = opcodes_with("branch", "ends", "trap")
"""Instructions that compilers and builders leave behind a jump, where they do no harm."""


def check_reach(body: CheckedBody) -> None:
    """Warn of instructions that nothing leads to, and of an end without `ret`."""
    flow = body.flow
    if flow.falls_off and not _is_marked_noreturn(body):
        _report_end(body)
    if len(flow.order) == len(flow.blocks):
        return
    before = False
    for block in flow.blocks:
        dead = block.index not in flow.reachable
        work = [p for p in range(block.start, block.end) if body.instructions[p].opcode not in _STEPS]
        if dead and work and not before:
            body.report(
                "PTX310",
                f"nothing leads to {body.instructions[work[0]].op}"
                + (f" behind {block.labels[0]}" if block.labels else ""),
                work[0],
                hint="delete it, or branch to it",
            )
        before = dead and bool(work or before)


def _report_end(body: CheckedBody) -> None:
    name = body.function.name
    if not body.instructions:
        if body.function.is_entry:
            return  # an empty kernel
        body.context.report(
            "PTX311", f"{name} ends without ret", body.function.source, hint="ret;", severity="warning", body=body
        )
        return
    body.report("PTX311", f"control runs past the end of {name}", len(body.instructions) - 1, hint="ret;")


def _is_marked_noreturn(body: CheckedBody) -> bool:
    return body.function.directive("noreturn") is not None


_UNSIGNED_BELOW_ZERO = {"lt": False, "lo": False, "ge": True, "hs": True}
_SAME = {
    "eq": True, "ne": False, "lt": False, "lo": False, "gt": False, "hi": False, "le": True, "ls": True, "ge": True, "hs": True,
}  # fmt: skip


def check_conditions(body: CheckedBody) -> None:
    """Warn of comparisons of integers that are always true; with style findings, of those always false.

    The latter come from general code for special cases (a loop of no iterations) and do no harm.
    """
    for position in body.at.get("setp", ()):
        instruction = body.instructions[position]
        if body.forms[position] is None or len(instruction.operands) != 3:
            continue
        answer = _answer(instruction)
        if answer or (answer is False and body.context.style):
            body.report(
                "PTX312",
                f"{instruction.op} is always {'true' if answer else 'false'}: {_why(instruction)}",
                position,
                hint="compare what was meant, as signed numbers perhaps",
            )


def _answer(instruction: Instruction) -> bool | None:
    words = instruction.op.split(".")
    relation, kind = words[1], words[-1]
    _, left, right = instruction.operands
    if kind[0] not in "usb" or relation not in _SAME:
        return None
    if isinstance(left, Register) and left == right:
        return _SAME[relation]
    if not isinstance(left, Register) or not isinstance(right, Immediate) or right.kind != "int":
        return None  # two constants are how one writes a constant predicate
    if kind[0] == "u" and right.value == 0:
        return _UNSIGNED_BELOW_ZERO.get(relation)
    return None


def _why(instruction: Instruction) -> str:
    _, left, right = instruction.operands
    return "it compares a register with itself" if left == right else "no unsigned number is below 0"
