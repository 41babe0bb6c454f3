"""Which operations give the same value in every lane of a warp: they are done once per call of the warp function, not per lane.

An operation is uniform when it is pure and unguarded, reads nothing but constants, parameters, coordinates of the CTA and
uniform registers, and when nothing else writes its destination. Doing it early is harmless: it can neither fault nor be seen.

`dataflow.threads.uniformity` says of a program, branch by branch, how far threads agree. This one, on flat operations, asks for
less and is cheap: only what may be done once, before everything else. Both read one table of the special registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.blocks import definitions, operations
from ptxgen.cpu.flat import FlatAddress, FlatKernel, FlatOperand, Inverse, Op, Reg, Selection
from ptxgen.cpu.lower.registry import find
from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock

__all__ = ["only_computes", "uniform_operations"]

PURE_RAW = ("mov", "setp", "set", "lop3")
"""Opcodes whose lowerings take the operation itself and yet only compute."""


def uniform_operations(kernel: FlatKernel, blocks: Sequence[FlatBlock]) -> list[Op]:
    """The uniform operations, each after those that it needs."""
    writers: dict[Reg, int] = {}
    candidates: list[tuple[Op, list[Reg]]] = []
    seen: set[int] = set()
    for block in blocks:
        for op in (*operations(block.ops), *([block.sync] if block.sync is not None else [])):
            if id(op) in seen:  # a test that stands at both ends of its loop
                continue
            seen.add(id(op))
            written = definitions(op)
            for reg in written:
                writers[reg] = writers.get(reg, 0) + 1
            if op is not block.sync and op.guard is None and _is_pure(kernel, op):
                candidates.append((op, written))
    uniform: set[Reg] = set()
    found: list[Op] = []
    candidates = [each for each in candidates if all(writers[r] == 1 for r in each[1])]
    while True:
        waiting = []
        for op, written in candidates:
            if all(_is_uniform(o, uniform) for o in op.operands[1:]):
                uniform.update(written)
                found.append(op)
            else:
                waiting.append((op, written))
        if len(waiting) == len(candidates):
            return found
        candidates = waiting


def _is_pure(kernel: FlatKernel, op: Op) -> bool:
    """Does the operation only compute, the same in every lane? A load counts when its parameter is certainly there."""
    entry = find(op.op)
    if entry is None or entry[0].destinations != 1:
        return False
    if op.opcode == "ld":
        place, type = op.operands[1], TYPES.get(op.op.rpartition(".")[2])
        if not isinstance(place, FlatAddress) or type is None or ".param" not in op.op:
            return False
        count = len(op.operands[0]) if isinstance(op.operands[0], tuple) else 1
        end = place.offset + count * type.bytes
        aligned = place.offset % (count * type.bytes) == 0
        return place.base is None and place.frame is None and aligned and end <= kernel.parameter_bytes
    return only_computes(op) and op.opcode != "isspacep" and ".local" not in op.op


def only_computes(op: Op) -> bool:
    """Does the operation do nothing but set one register, or one pair or vector, to a function of its operands? No load does."""
    entry = find(op.op)
    if entry is None or entry[0].destinations != 1 or entry[0].sync or entry[0].updates:
        return False
    return op.opcode in PURE_RAW if entry[0].raw else True


def _is_uniform(operand: FlatOperand, uniform: set[Reg]) -> bool:
    if isinstance(operand, Reg):
        return operand in uniform
    if isinstance(operand, Inverse):
        return operand.reg in uniform
    if isinstance(operand, Selection):
        return _is_uniform(operand.operand, uniform)
    if isinstance(operand, FlatAddress):
        return operand.base is None and operand.frame is None
    if isinstance(operand, ir.Special):
        varies = variation(operand.name)
        return varies.same_in != "thread" and varies.changes != "always"
    if isinstance(operand, tuple):
        return all(_is_uniform(o, uniform) for o in operand)
    return isinstance(operand, ir.Immediate)
