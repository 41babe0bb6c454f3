"""Flat operations -> blocks in execution order, with liveness.

Blocks are numbered so that a loop's blocks are contiguous and its header comes first (a weak topological order, which exists
for irreducible graphs too). Running always the lowest-numbered block that has lanes is then min-PC scheduling: lanes wait for
each other at the exits of loops and at the joins of branches, with no post-dominators and no reconvergence stack.

`dataflow.graph.cfg` is the graph of the program as it is written, by positions in its text. This one is of flat operations, in
which predication, calls and structure have been rewritten and which is changed in place; the algorithms are the same ones.
"""

from __future__ import annotations

from ptxgen.cpu.blocks import (
    READS,
    TERMINATORS,
    WRITES,
    Choice,
    Effect,
    FlatBlock,
    Step,
    definitions,
    effect,
    exchange,
    register_set,
)
from ptxgen.cpu.flat import FlatKernel, Mark, Op
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.structure import simplify
from ptxgen.cpu.uniform import uniform_operations
from ptxgen.cpu.unsupported import unsupported
from ptxgen.dataflow.graph.algorithms import strongly_connected_components

__all__ = ["build_blocks"]


def build_blocks(kernel: FlatKernel, *, whole: bool = False, single: bool = False) -> tuple[list[FlatBlock], list[Op]]:
    """(the reachable blocks of a kernel in execution order, the entry first; its uniform operations, taken out of them).

    `whole`: no operation is taken out, nor a branch that need not be taken, for those who count what is executed. `single`: nor
    that, and each is a block of its own, behind which all registers are asked for. Raises UnsupportedError for an instruction
    that nothing lowers.
    """
    entry = _split(kernel, single=single)
    if not single:
        simplify(entry, whole=whole)
    blocks = _order([entry], None)
    uniform = [] if whole or single else uniform_operations(kernel, blocks)
    hoisted = {id(op) for op in uniform}
    for index, block in enumerate(blocks):
        block.index = index
        block.size = _measure(block.ops) + (block.terminator is not None)
        block.ops = _without(block.ops, hoisted)
    considered = ~register_set(reg for op in uniform for reg in definitions(op))
    _liveness(blocks, considered)
    if kernel.stack_calls:
        _keep_what_lives(kernel, blocks)
        _liveness(blocks, considered)
    for block in blocks if single else ():
        block.live_in = block.live_out = (1 << len(kernel.regs)) - 1
    return blocks, uniform


def _keep_what_lives(kernel: FlatKernel, blocks: list[FlatBlock]) -> None:
    """Callers keep those of their registers on the stack that are needed where the call returns to: a block of its own."""
    starts = {id(step): block for block in blocks for step in block.ops if isinstance(step, Op)}
    for call in kernel.stack_calls:
        block = starts.get(id(call.returned))
        live = block.live_in if block is not None else 0
        kept = tuple(reg for reg in call.registers if live >> reg.id & 1)
        call.save.operands = (*call.save.operands[:-1], kept)
        call.restore.operands = (kept, call.restore.operands[1])


def _split(kernel: FlatKernel, *, single: bool) -> FlatBlock:
    """Cuts at labels, terminators, sync operations, and where lanes may exchange values; `single`: behind each operation. The
    entry block."""
    entry = current = FlatBlock()
    heads: dict[int, FlatBlock] = {}
    branches: list[tuple[FlatBlock, Op]] = []

    def advance() -> FlatBlock:
        current.following = FlatBlock()
        return current.following

    for item in kernel.items:
        if isinstance(item, Mark):
            current = heads[item.label] = advance()
        elif item.opcode in TERMINATORS:
            current.terminator = item
            branches.append((current, item))
            follow = advance()
            if item.guard is None:
                current.following = None
            current = follow
        else:
            found = find(item.op)
            if found is None:
                raise unsupported(item.op, item.origin.source)
            if not found[0].sync:
                touched = exchange(item, lockstep=kernel.lockstep)
                if current.exchange | touched == READS | WRITES:
                    current = advance()
                current.exchange |= touched
                current.ops.append(item)
                if single:
                    current = advance()
                continue
            alone = FlatBlock() if current.ops or item.guard is not None or current is entry else current
            if alone is not current:
                current.following = alone
            alone.sync = item
            before, current = current, alone
            current = advance()
            if item.guard is not None:  # lanes whose guard is off go around
                before.terminator = Op("bra", (), item.origin, item.guard, not item.negated)
                before.terminator.index, before.terminator.leads = item.index, item.leads
                before.targets = [current]
    for block, op in branches:
        labels = op.operands[-1] if op.opcode == "brx" else op.operands
        assert isinstance(labels, tuple)
        block.targets = [heads[label] for label in labels if isinstance(label, int)]
    return entry


def _order(roots: list[FlatBlock], within: set[FlatBlock] | None) -> list[FlatBlock]:
    """Weak topological order of what `roots` reach: components in topological order, a loop's header before its rest."""

    def successors(block: FlatBlock) -> list[FlatBlock]:
        return block.successors if within is None else [s for s in block.successors if s in within]

    result: list[FlatBlock] = []
    for component in reversed(strongly_connected_components(roots, successors)):
        header = component[0]
        result.append(header)
        if len(component) > 1:
            rest = set(component) - {header}
            result += _order([s for s in header.successors if s in rest], rest)
    return result


def _without(steps: list[Step], hoisted: set[int]) -> list[Step]:
    """The steps, but for the operations with these ids."""
    for step in steps:
        if isinstance(step, Choice):
            step.then, step.otherwise = _without(step.then, hoisted), _without(step.otherwise, hoisted)
    return [step for step in steps if id(step) not in hoisted]


def _measure(steps: list[Step]) -> int:
    """Notes how many instructions each arm of a choice has; those of the steps themselves, a choice's branch being one."""
    for step in steps:
        if isinstance(step, Choice):
            step.sizes = (_measure(step.then), _measure(step.otherwise))
    return len(steps)


def _liveness(blocks: list[FlatBlock], considered: int) -> None:
    """Backward data flow over sets of registers held as integers; `considered` are the registers that count."""
    for block in blocks:
        last = [op for op in (block.sync, block.terminator) if op is not None]
        needs, sets, touches = effect([*block.ops, *last])
        block.effect = Effect(needs & considered, sets, touches)
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            out = 0
            for successor in block.successors:
                out |= successor.live_in
            into = block.effect.needs | (out & ~block.effect.sets)
            if into != block.live_in or out != block.live_out:
                block.live_in, block.live_out = into, out
                changed = True
