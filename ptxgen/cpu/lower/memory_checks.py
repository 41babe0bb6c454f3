"""Whether an access, or all of a group (checks.py), lies in memory that the kernel may touch: what is asked in line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.lower.windows import own_window
from ptxgen.cpu.rt.memory import GENERIC, WRITE, FaultKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["bounds_of", "check_blocks", "check_window", "rotated"]


def check_window(
    k: LoweringContext, offset: LlvmValue, size: int, fixed: int, limit: Callable[[], LlvmValue], space: str
) -> None:
    """Faults unless `size` bytes at `offset` are aligned and lie in a window of `limit()` bytes, at least `fixed`."""
    if offset.number is not None and offset.number % size == 0 and offset.number + size <= fixed:
        return
    group = k.group()
    first = offset if group is None else k.within_space(group.lowest, space)
    shift = size.bit_length() - 1
    whole, bound = bounds_of(k, space, shift, limit, group)
    with k.unlikely(rotated(k, first, shift).uge(bound)) as go_on:
        if group is None:
            window_fault(k, offset, size, space)
            return
        for access in group.accesses:
            address = k.within_space(access.place, space)
            with k.e.if_(rotated(k, address, shift).uge(whole)):
                window_fault(k, address, size, space, access.op)
                k.e.label(k.e.fresh("dead"))
        k.e.jump(go_on)


def bounds_of(
    k: LoweringContext, space: str, shift: int, limit: Callable[[], LlvmValue], group: CheckGroup | None
) -> tuple[LlvmValue, LlvmValue]:
    """How many elements of 2^shift bytes a window of `limit()` bytes has, and where the lowest access of a group may be."""
    whole = k.uniform(f"{space}.{shift}", lambda: limit() >> shift)
    if group is None:
        return whole, whole
    room = group.span >> shift
    return whole, k.uniform(
        f"{space}.{shift}-{room}", lambda: k.e.intrinsic("llvm.usub.sat", whole, k.e.const("i64", room))
    )


def window_fault(k: LoweringContext, offset: LlvmValue, size: int, space: str, op: Op | None = None) -> None:
    e = k.e
    misaligned = (offset & (size - 1)).ne(0)
    kinds = (FaultKind.MISALIGNED_ADDRESS, FaultKind.ILLEGAL_ADDRESS)
    first, second = (e.const("i32", int(kind)) for kind in kinds)
    index, nbytes = e.const("i32", (op or k.op).index), e.const("i32", size)
    k.launch.set("fault_window", int(record_layout.Window[space.upper()]))
    address = offset + own_window(k) if space == "shared" else offset
    e.invoke("fault", k.warp.pointer, misaligned.select(first, second), index, k.lane, address, nbytes)
    e.jump("faulted")


def rotated(k: LoweringContext, offset: LlvmValue, shift: int) -> LlvmValue:
    if shift == 0:
        return offset
    return k.e.intrinsic("llvm.fshr", offset, offset, k.e.const(offset.type, shift))


def check_blocks(k: LoweringContext, address: LlvmValue, size: int, *, write: bool, generic: bool) -> None:
    """The check of rt/memory.py: in line for the block that this instruction touched last, else by the run-time library."""
    e = k.e
    group = k.group()
    shift = size.bit_length() - 1
    slot = k.slot()
    offset = (address if group is None else k.address(group.lowest)) - e.load("i64", slot)
    limit = e.load("i64", e.offset(slot, 8))
    if group is not None:
        limit = e.intrinsic("llvm.usub.sat", limit, e.const("i64", group.span >> shift))
    with k.unlikely(rotated(k, offset, shift).uge(limit)) as go_on:
        accesses = [(k.op, address, write)]
        if group is not None:
            accesses = [(a.op, k.address(a.place), a.write) for a in group.accesses]
        read_slot = slot
        if len({writes for *_, writes in accesses}) > 1:
            read_slot = k.slot()  # what `slot` has may be written
        for op, where, writes in accesses:
            kind = e.const("i32", shift | (WRITE if writes else 0) | (GENERIC if generic else 0))
            own = slot if writes else read_slot
            good = e.call("resolve", "i1", own, where, kind, k.warp.pointer, k.lane, e.const("i32", op.index))
            following = e.fresh("good")
            e.branch(good, following, "faulted")
            e.label(following)
        e.jump(go_on)
