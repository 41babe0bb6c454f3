"""The record of a function that is called through the stack, and the place of each thing in it:

    0  the number of the call, by which the function finds back     8  the caller's FP     16  the caller's SP
    32 results, parameters, local variables

FP, a register, is where the record of the function in hand begins, SP where the next one may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen import ir
    from ptxgen.cpu.flat import Op, Reg

__all__ = ["CALLER_FP", "CALLER_SP", "Activation", "record_of"]

_HEAD = 32
CALLER_FP, CALLER_SP = 8, 16


class Activation:
    """A function that is called through the stack: where it begins, how large its records are, which registers are its own,
    where it goes back (labels, by the numbers of its calls)."""

    def __init__(self, function: ir.Function, label: int, frame_pointer: Reg) -> None:
        self.function = function
        self.label = label
        self.frame_pointer = frame_pointer
        self.places, self.size = record_of(function.results, function.parameters)
        self.registers: list[Reg] = []
        self.returns: list[int] = []
        self.enter: Op | None = None
        self.leave: Op | None = None

    def allocate(self, size: int, align: int) -> int:
        """The place of another local variable."""
        offset = -(-self.size // align) * align
        self.size = offset + size
        return offset


def record_of(results: Sequence[ir.Variable], parameters: Sequence[ir.Variable]) -> tuple[list[int], int]:
    """(where each result and each parameter lies in a record, its size with them)."""
    places, end = [], _HEAD
    for variable in (*results, *parameters):
        place = -(-end // variable.alignment) * variable.alignment
        places.append(place)
        end = place + variable.size
    return places, end
