"""Blocks that run several lanes at once: each operation is one instruction, or two, of the vector unit for 16 lanes of a warp.

A block does so when its operations only compute, load and store; every other block is a loop over lanes. Registers, masks and
slots lie in the same places either way, so that code of both kinds may run one launch. Code that the sanitizer watches does the
same, where its tools can tell of several lanes at once: `Probe.takes_lanes`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import operations
from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.lower.memory import is_strong, ld, ordering, st
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.lower.several_lanes import enter_lanes, leave_lanes
from ptxgen.cpu.uniform import only_computes
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["fits", "groups_of_lanes"]

WIDEST = 64
"""Bits of the largest value that a lane may have."""


def fits(block: FlatBlock) -> bool:
    """May the block run several lanes at once? Not all that may can: OneLaneError says so while it is lowered."""
    t = block.terminator
    if t is not None and t.opcode == "brx":  # each lane goes its own way
        return False
    return bool(block.ops) and all(_fits(op) for op in operations(block.ops))


def _fits(op: Op) -> bool:
    found = find(op.op)
    if found is None or found[0].sync or any(TYPES[word].bits > WIDEST for word in op.op.split(".") if word in TYPES):
        return False
    if found[0].function in (ld, st):
        return not is_strong(found[1]) and not ordering(found[1], "")
    return only_computes(op)


@contextmanager
def groups_of_lanes(
    k: LoweringContext, mask: LlvmValue, lanes: int, accumulators: int = 0
) -> Iterator[list[LlvmValue]]:
    """Runs its body for each group of `lanes` lanes up to the last that has lanes of a mask, though not each has; the body may
    replace the accumulators (i32)."""
    e = k.e
    head, exit_ = e.fresh("group"), e.fresh("groups")
    origin, before = e.block, len(e.lines)
    first, left, *sums = (LlvmValue(e, "i32", f"%{e.fresh('r')}") for _ in range(2 + accumulators))
    e.jump(head)
    e.label(head)
    at = len(e.lines)
    bits = left.trunc(f"i{lanes}")
    enter_lanes(k, lanes, first, e.op("i1", f"bitcast {bits.type} {bits.text} to <{lanes} x i1>", lanes))
    ends = list(sums)
    yield ends
    latch = e.block
    rest, following = left >> lanes, first + lanes
    phis = [(first, e.const("i32", 0), following), (left, mask, rest)]
    phis += [(value, e.const("i32", 0), end) for value, end in zip(sums, ends)]
    e.lines[at:at] = [
        f"  {value.text} = phi i32 [ {start.text}, %{origin} ], [ {after.text}, %{latch} ]"
        for value, start, after in phis
    ]
    e.branch(rest.eq(0), exit_, head)
    e.label(exit_)
    e.lines[before:before] = leave_lanes(k)
