"""At which instructions a thread that is followed pauses: sets of their numbers, found from the text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.flat import Call
    from ptxgen.debugger.program import Instruction, Program

__all__ = ["every", "exits", "later", "of_function", "other_lines", "outside"]


def every(program: Program, within: tuple[Call, ...] | None = None) -> set[int]:
    """All; with `within`, but for those of functions that this one calls."""
    return {n for n, each in program.instructions.items() if within is None or not _called_by(each, within)}


def other_lines(program: Program, here: Instruction, *, over_calls: bool) -> set[int]:
    """Those of other lines of the source than the one in hand, and of other functions; `over_calls`: not of functions that this
    one calls, or that were inlined into that line."""
    return {
        n for n in every(program, here.calls if over_calls else None)
        if ((each := program.instructions[n]).line != here.line or each.calls is not here.calls)
        and not (over_calls and _is_inlined_at(each, here))
    }  # fmt: skip


def later(program: Program, here: Instruction) -> set[int]:
    """Those of later lines of the same function, and of what called it: not those that a loop goes back to."""
    found = outside(program, here.calls)
    own = (each for each in program.instructions.values() if each.calls is here.calls)
    file, line = here.line
    return found | {each.number for each in own if each.line[0] == file and each.line[1] > line and each.ptx > here.ptx}


def outside(program: Program, calls: tuple[Call, ...]) -> set[int]:
    """Those that are neither of this function nor of what it calls."""
    return {n for n, each in program.instructions.items() if each.calls is not calls and not _called_by(each, calls)}


def of_function(program: Program, calls: tuple[Call, ...]) -> set[int]:
    """Those of a function, as it is called there."""
    return {n for n, each in program.instructions.items() if each.calls is calls}


def exits(program: Program) -> set[int]:
    """Those at which a thread may end."""
    return {n for n, each in program.instructions.items() if each.op.opcode == "exit"}


def _is_inlined_at(each: Instruction, here: Instruction) -> bool:
    return here.line in {(place.file, place.line) for place in each.inlined}


def _called_by(each: Instruction, calls: tuple[Call, ...]) -> bool:
    deeper = len(each.calls) > len(calls)
    return deeper and all(a is b for a, b in zip(each.calls, calls))
