"""Global memory at an index made of the thread's number in the grid, without anything that bounds it.

A grid is a whole number of CTAs; where the problem is not, its last threads have nothing to do, and must know it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Register, Special
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_bounds"]

_BOUNDING = frozenset("min max selp and rem bfe slct".split())
"""Opcodes by which an index is kept in bounds without a condition."""
_READS = opcodes_with("load", "atomic")
_ACCESSES = opcodes_with("load", "store", "atomic")


def check_bounds(body: CheckedBody) -> None:
    """PTX606, once a function: an access to global memory indexed by %ctaid and %tid, where no condition depends on the thread.

    Only when style is asked for: a launch may fit exactly.
    """
    if not body.function.is_entry:
        return
    sources = _Sources(body)
    for position in body.memory:
        instruction = body.instructions[position]
        if instruction.opcode not in _ACCESSES or ".global" not in instruction.op:
            continue
        base = next((o.base for o in instruction.operands if type(o) is Address), None)
        number = body.number(base, position) if type(base) is Register else None
        if number is None or not sources.is_grid_index(number):
            continue
        if instruction.pred is not None or any(sources.of_thread(n) for n in _conditions(body, position)):
            return  # somebody has thought of it
        body.report(
            "PTX606",
            f"the address of {instruction.op} is made of %ctaid and %tid, and nothing bounds the thread's number",
            position,
            expected="a condition such as index < n, where the launch may have more threads than elements",
        )
        return


def _conditions(body: CheckedBody, position: int) -> list[int]:
    """The registers on which the branches depend that decide whether control comes here."""
    flow = body.flow
    branches = flow.branches_of(flow.controllers[flow.block_at(position).index])
    return [number for branch in branches for number in body.reads[flow.blocks[branch].end - 1]]


class _Sources:
    """What registers are computed from, whatever the path: special registers and opcodes."""

    def __init__(self, body: CheckedBody) -> None:
        self.body = body

    def is_grid_index(self, number: int) -> bool:
        """Is it computed from %ctaid and %tid, by nothing that keeps it in bounds?"""
        specials, opcodes = self._of(number, through_loads=False)
        return any(s.startswith("%ctaid") for s in specials) and "%tid.x" in specials and not opcodes & _BOUNDING

    def of_thread(self, number: int) -> bool:
        """Has the thread's or the CTA's number anything to do with it?"""
        return any(s.startswith(("%tid", "%ctaid", "%laneid")) for s in self._of(number, through_loads=True)[0])

    def _of(self, number: int, *, through_loads: bool) -> tuple[set[str], set[str]]:
        body, definitions = self.body, self.body.chains.definitions
        specials: set[str] = set()
        opcodes: set[str] = set()
        seen, work = {number}, [number]
        while work:
            for position in definitions.get(work.pop(), ()):
                instruction = body.instructions[position]
                opcodes.add(instruction.opcode)
                specials.update(o.name for o in instruction.operands if type(o) is Special)
                if through_loads or instruction.opcode not in _READS:
                    onward = [register for register in body.reads[position] if register not in seen]
                    seen.update(onward)
                    work += onward
        return specials, opcodes
