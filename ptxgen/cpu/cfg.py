"""Flat operations -> blocks in execution order, with liveness.

Blocks are numbered so that a loop's blocks are contiguous and its header comes first (a weak topological order, which exists
for irreducible graphs too). Running always the lowest-numbered block that has lanes is then min-PC scheduling: lanes wait for
each other at the exits of loops and at the joins of branches, with no post-dominators and no reconvergence stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatKernel, FlatOperand, Inverse, Mark, Op, Place, Reg
from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.normalize import unsupported
from ptxgen.cpu.uniform import uniform_operations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Block", "build_blocks", "definitions", "frame_fields", "uses"]

TERMINATORS = ("bra", "brx", "exit")


class Block:
    """A straight run of operations, ended by at most one terminator; or one `sync` operation alone.

    `index` is the place in execution order. `targets` are where the terminator's branch goes, `following` is where lanes go that
    fall through (None when none do). `size` counts its instructions, those that are done once per warp too. `live_in` and
    `live_out` are sets of register ids as bits.
    """

    __slots__ = ("following", "index", "live_in", "live_out", "ops", "size", "sync", "targets", "terminator")

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.sync: Op | None = None
        self.terminator: Op | None = None
        self.targets: list[Block] = []
        self.following: Block | None = None
        self.index = -1
        self.size = 0
        self.live_in = 0
        self.live_out = 0

    @property
    def successors(self) -> list[Block]:
        return self.targets if self.following is None else [*self.targets, self.following]

    def __repr__(self) -> str:
        return f"Block({self.index}, {len(self.ops)} ops, {self.terminator}, -> {[s.index for s in self.successors]})"


# -- what an operation reads and writes -------------------------------------------------------------------------------


def registers_in(operand: FlatOperand) -> Iterator[Reg]:
    """Every register that an operand mentions, but not the fields of a .param variable."""
    if isinstance(operand, Reg):
        yield operand
    elif isinstance(operand, Inverse):
        yield operand.reg
    elif isinstance(operand, Place):
        if operand.base is not None:
            yield operand.base
    elif isinstance(operand, tuple):
        for element in operand:
            yield from registers_in(element)


def frame_fields(op: Op, place: Place) -> list[Reg]:
    """The registers that stand for the part of a .param variable that a ld or st touches; [] when it lies in memory."""
    if place.frame is None or not place.frame.fields:
        return []
    value = op.operands[1] if op.opcode == "st" else op.operands[0]
    count = len(value) if isinstance(value, tuple) else 1
    width = int("".join(c for c in op.op.rpartition(".")[2] if c.isdigit())) // 8
    return [place.frame.fields[place.offset + i * width] for i in range(count)]


def definitions(op: Op) -> list[Reg]:
    """Registers that an operation writes."""
    found = None if op.opcode in TERMINATORS else find(op.op)
    if found is None:
        return []
    written = [r for operand in op.operands[: found[0].destinations] for r in registers_in(operand)]
    if op.opcode == "st" and isinstance(op.operands[0], Place):
        written += frame_fields(op, op.operands[0])
    return written


def uses(op: Op) -> list[Reg]:
    """Registers that an operation reads; a guarded one also reads what it may leave as it is."""
    read = [] if op.guard is None else [op.guard, *definitions(op)]
    found = None if op.opcode in TERMINATORS else find(op.op)
    for operand in op.operands[found[0].destinations if found else 0 :]:
        read += registers_in(operand)
        if op.opcode == "ld" and isinstance(operand, Place):
            read += frame_fields(op, operand)
    return read


# -- blocks -----------------------------------------------------------------------------------------------------------


def build_blocks(kernel: FlatKernel) -> tuple[list[Block], list[Op]]:
    """(the reachable blocks of a kernel in execution order, the entry first; its uniform operations, taken out of them).

    Raises UnsupportedError for an instruction that nothing lowers.
    """
    entry = _split(kernel)
    _merge(entry)
    blocks = _order([entry], None)
    uniform = uniform_operations(kernel, blocks)
    hoisted = {id(op) for op in uniform}
    for index, block in enumerate(blocks):
        block.index = index
        block.size = len(block.ops) + (block.terminator is not None)
        block.ops = [op for op in block.ops if id(op) not in hoisted]
    _liveness(blocks, ~_bits([reg for op in uniform for reg in definitions(op)]))
    return blocks, uniform


def _split(kernel: FlatKernel) -> Block:
    """Cuts at labels, terminators and sync operations; the entry block."""
    entry = current = Block()
    heads: dict[int, Block] = {}
    branches: list[tuple[Block, Op]] = []

    def advance() -> Block:
        current.following = Block()
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
                current.ops.append(item)
                continue
            alone = Block() if current.ops or item.guard is not None or current is entry else current
            if alone is not current:
                current.following = alone
            alone.sync = item
            before, current = current, alone
            current = advance()
            if item.guard is not None:  # lanes whose guard is off go around
                before.terminator = Op("bra", (), item.origin, item.guard, not item.negated)
                before.targets = [current]
    if kernel.ops:  # falling off the end is exit
        current.terminator = Op("exit", (), kernel.ops[-1].origin)
    for block, op in branches:
        labels = op.operands[-1] if op.opcode == "brx" else op.operands
        assert isinstance(labels, tuple)
        block.targets = [heads[label] for label in labels if isinstance(label, int)]
    return entry


def _reachable(entry: Block) -> list[Block]:
    seen = {id(entry)}
    found = [entry]
    for block in found:
        for successor in block.successors:
            if id(successor) not in seen:
                seen.add(id(successor))
                found.append(successor)
    return found


def _merge(entry: Block) -> None:
    """Joins a block with its only successor when it is that block's only predecessor, and skips empty blocks."""
    blocks = _reachable(entry)
    for block in blocks:
        t = block.terminator
        if t is not None and t.opcode == "bra" and t.guard is None:
            block.following = block.targets[0]
            block.targets = []
            block.terminator = None
    predecessors: dict[int, int] = {id(entry): 1}
    for block in blocks:
        for successor in block.successors:
            predecessors[id(successor)] = predecessors.get(id(successor), 0) + 1
    gone: set[int] = set()
    for block in blocks:
        if id(block) in gone or block.sync is not None:
            continue
        while (
            block.terminator is None
            and (after := block.following) is not None
            and after is not block
            and after.sync is None
            and predecessors[id(after)] == 1
        ):
            block.ops += after.ops
            block.terminator, block.targets, block.following = after.terminator, after.targets, after.following
            gone.add(id(after))


def _order(roots: list[Block], within: set[Block] | None) -> list[Block]:
    """Weak topological order of what `roots` reach: components in topological order, a loop's header before its rest."""
    result: list[Block] = []
    for component in reversed(_components(roots, within)):
        header = component[0]
        result.append(header)
        if len(component) > 1:
            rest = set(component) - {header}
            result += _order([s for s in header.successors if s in rest], rest)
    return result


def _components(roots: Sequence[Block], within: set[Block] | None) -> list[list[Block]]:
    """Strongly connected components (Tarjan), sinks first; each begins with the block that was met first."""
    number: dict[Block, int] = {}
    low: dict[Block, int] = {}
    stack: list[Block] = []
    on_stack: set[Block] = set()
    components: list[list[Block]] = []

    def enter(block: Block) -> Iterator[Block]:
        number[block] = low[block] = len(number)
        stack.append(block)
        on_stack.add(block)
        return iter([s for s in block.successors if within is None or s in within])

    for root in roots:
        if root in number:
            continue
        work = [(root, enter(root))]
        while work:
            block, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[block])
                if low[block] == number[block]:
                    cut = stack.index(block)
                    components.append(stack[cut:])
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
            elif following not in number:
                work.append((following, enter(following)))
            elif following in on_stack:
                low[block] = min(low[block], number[following])
    return components


def _bits(registers: list[Reg]) -> int:
    word = 0
    for reg in registers:
        word |= 1 << reg.id
    return word


def _liveness(blocks: list[Block], considered: int) -> None:
    """Backward data flow over sets of registers held as integers; `considered` are the registers that count."""
    summary: list[tuple[int, int]] = []
    for block in blocks:
        read = written = 0
        for op in (
            *block.ops,
            *([block.sync] if block.sync else []),
            *([block.terminator] if block.terminator else []),
        ):
            read |= _bits(uses(op)) & ~written
            if op.guard is None:
                written |= _bits(definitions(op))
        summary.append((read & considered, written))
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            read, written = summary[block.index]
            out = 0
            for successor in block.successors:
                out |= successor.live_in
            into = read | (out & ~written)
            if into != block.live_in or out != block.live_out:
                block.live_in, block.live_out = into, out
                changed = True
