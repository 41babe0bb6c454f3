"""What a kernel needs of its launch, by its operations: room for what is under way, tensor memory, other CTAs beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import definitions, operations, register_set, uses
from ptxgen.cpu.lower.special import WORKSPACE, specials_of
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.flat import FlatKernel, Op

__all__ = [
    "all_operations", "most_live_words", "place", "polls", "takes_workspace", "uses_copies", "uses_tensor_memory", "waits",
]  # fmt: skip


def uses_copies(kernel: FlatKernel) -> bool:
    """Do its warps need room for what is under way: asynchronous copies, waits for mbarriers, wgmma?"""
    return uses_tensor_memory(kernel) or any(op.opcode in ("mbarrier", "wgmma") or _copies(op) for op in kernel.ops)


def uses_tensor_memory(kernel: FlatKernel) -> bool:
    return any(op.opcode == "tcgen05" for op in kernel.ops)


def _copies(op: Op) -> bool:
    words = op.op.split(".")
    plain_prefetch = "prefetch" in words and "tensor" not in words  # one of a tensor checks its map, as its copy does
    return "async" in words and not plain_prefetch and op.opcode not in opcodes_with("fence")


def place(block: FlatBlock) -> int:
    """The operation by which a report names the block; -1 for one without any."""
    passed = []
    while not (ops := all_operations(block)) and block.following is not None and block not in passed:
        passed.append(block)  # lanes that are at a label
        block = block.following
    reads = (op for op in ops if op.opcode in _READS)
    return next(reads, ops[0]).index if ops else -1


def all_operations(block: FlatBlock) -> list[Op]:
    """All of a block."""
    return [*operations(block.ops), *(op for op in (block.sync, block.terminator) if op is not None)]


_READS = frozenset({"mbarrier", *opcodes_with("load", "atomic")})


def polls(op: Op) -> bool:
    """May the operation see what another CTA writes while both run?"""
    words = op.op.split(".")
    if words[0] in opcodes_with("atomic"):
        return "global" in words or not any(w.startswith("shared") for w in words)
    return words[0] == "ld" and any(w in ("volatile", "relaxed", "acquire", "mmio", "cg", "cv") for w in words)


def waits(op: Op) -> bool:
    """May a loop around the operation wait for another thread, of its own warp too?"""
    return (
        op.opcode == "atom"
        or op.opcode == "mbarrier"
        or (op.opcode == "ld" and (polls(op) or "shared::cluster" in op.op))
    )


def takes_workspace(kernel: FlatKernel) -> bool:
    """Does it ask where its grid's workspace lies?"""
    return not specials_of(kernel).isdisjoint(WORKSPACE)


def most_live_words(kernel: FlatKernel, blocks: Sequence[FlatBlock]) -> int:
    """32-bit registers that live values take where they take most, in the order of the text."""
    wide = sum(1 << reg.id for reg in kernel.regs if reg.type.bits > 32)
    most = 0
    for block in blocks:
        alive = block.live_out
        for op in reversed(list(operations(block.ops))):
            if op.guard is None:
                alive &= ~register_set(definitions(op))
            alive |= register_set(uses(op))
            most = max(most, alive.bit_count() + (alive & wide).bit_count())
    return most
