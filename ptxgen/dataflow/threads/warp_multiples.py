"""Integers that are whole numbers of warps: what a thread's number may be added to without leaving its warp.

So `tid.y * 32` is one, and `tid.y * ntid.x` in the number of a thread of a CTA of several dimensions. A CTA's first dimension is
taken for a multiple of the warp where nothing says otherwise.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.ir import Immediate, Register, Special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand

__all__ = ["WarpMultiples"]

_LOG_WARP = 5


class WarpMultiples:
    """Which values of a body are known to be multiples of 32."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[tuple[int, int], bool] = {}

    def of(self, value: tuple[int, int] | None) -> bool:
        """Is a value of a register, (its number, where it is written), a multiple? What merges is not followed."""
        if value is None or value[1] < 0:
            return False
        if value not in self._known:
            self._known[value] = False  # what depends on itself
            self._known[value] = self._written(value[1])
        return self._known[value]

    def product(self, position: int) -> bool:
        """Is the product in the mad there one?"""
        return any(self._read(self.body.instructions[position].operands[1:3], position))

    def _written(self, position: int) -> bool:
        instruction = self.body.instructions[position]
        opcode, sources = instruction.opcode, instruction.operands[1:]
        if instruction.pred is not None or ".hi" in instruction.op:
            return False
        if opcode in ("mov", "cvt", "add", "sub"):
            return all(self._read(sources, position))
        if opcode == "mul":
            return any(self._read(sources, position))
        if opcode == "mad":
            return self.product(position) and all(self._read(sources[2:], position))
        if opcode == "shl":
            amount = sources[1]
            far = isinstance(amount, Immediate) and amount.value >= _LOG_WARP
            return far or all(self._read(sources[:1], position))
        return False

    def _read(self, operands: Sequence[Operand], position: int) -> list[bool]:
        return [self._operand(operand, position) for operand in operands]

    def _operand(self, operand: Operand, position: int) -> bool:
        if isinstance(operand, Immediate):
            return operand.kind == "int" and operand.value % (1 << _LOG_WARP) == 0
        if isinstance(operand, Special):
            return operand.name == "%ntid.x"
        if not isinstance(operand, Register):
            return False
        number = self.body.number(operand, position)
        where = None if number is None else self.body.merges.at(number, position)
        return number is not None and where is not None and self.of((number, where))
