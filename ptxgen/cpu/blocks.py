"""Blocks of operations: what the executor runs lane by lane, and what an operation reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Inverse, Op, Reg, Selection
from ptxgen.cpu.lower.registry import find
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "READS",
    "TERMINATORS",
    "WRITES",
    "Choice",
    "Effect",
    "FlatBlock",
    "Step",
    "definitions",
    "effect",
    "exchange",
    "frame_fields",
    "members",
    "operations",
    "register_set",
    "registers_in",
    "uses",
]  # fmt: skip

TERMINATORS = opcodes_with("branch") | {"exit"}


class Choice:
    """Steps that a lane takes when its predicate holds, and others that it takes when not: an `if` inside a block.

    `sizes` counts the instructions of both arms, those that are done once per warp too. `depth` is that of its nesting.
    """

    __slots__ = ("branch", "depth", "otherwise", "sizes", "then")

    def __init__(self, branch: Op, then: list[Step], otherwise: list[Step]) -> None:
        self.branch = branch  # its guard is the predicate
        self.then = then
        self.otherwise = otherwise
        self.sizes = (len(then), len(otherwise))
        inner = [step for step in (*then, *otherwise) if isinstance(step, Choice)]
        self.depth: int = 1 + max((choice.depth for choice in inner), default=0)


Step = Op | Choice


class FlatBlock:
    """A straight run of operations, ended by at most one terminator; or one `sync` operation alone.

    It reads shared memory (in lockstep: memory that lanes share) or writes it, and not both (`exchange`): so lanes of a warp that
    are together see there what the others have written an instruction before, without `bar.warp.sync`, as on a GPU.

    `index` is the place in execution order. `targets` are where the terminator's branch goes, `following` is where lanes go that
    fall through (None when none do). `size` counts its instructions, those that are done once per warp too. `live_in` and
    `live_out` are sets of register ids as bits.
    """

    __slots__ = (
        "effect", "exchange", "following", "index", "live_in", "live_out", "ops", "size", "sync", "targets", "terminator",
    )  # fmt: skip

    def __init__(self) -> None:
        self.ops: list[Step] = []
        self.sync: Op | None = None
        self.exchange = 0
        self.terminator: Op | None = None
        self.targets: list[FlatBlock] = []
        self.following: FlatBlock | None = None
        self.index = -1
        self.size = 0
        self.effect = Effect(0, 0, 0)
        self.live_in = 0
        self.live_out = 0

    @property
    def successors(self) -> list[FlatBlock]:
        return self.targets if self.following is None else [*self.targets, self.following]

    def __repr__(self) -> str:
        return (
            f"FlatBlock({self.index}, {len(self.ops)} ops, {self.terminator}, -> {[s.index for s in self.successors]})"
        )


# -- what an operation reads and writes -------------------------------------------------------------------------------


def registers_in(operand: FlatOperand) -> Iterator[Reg]:
    """Every register that an operand mentions, but not the fields of a .param variable."""
    if isinstance(operand, Reg):
        yield operand
    elif isinstance(operand, Inverse):
        yield operand.reg
    elif isinstance(operand, Selection):
        yield from registers_in(operand.operand)
    elif isinstance(operand, FlatAddress):
        if operand.base is not None:
            yield operand.base
        if operand.frame is not None and operand.frame.base is not None and not operand.frame.fields:
            yield operand.frame.base
    elif isinstance(operand, tuple):
        for element in operand:
            yield from registers_in(element)


def frame_fields(op: Op, place: FlatAddress) -> list[Reg]:
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
    if op.opcode == "st" and isinstance(op.operands[0], FlatAddress):
        written += frame_fields(op, op.operands[0])
    return written


def uses(op: Op) -> list[Reg]:
    """Registers that an operation reads, its guard among them."""
    read = [] if op.guard is None else [op.guard]
    found = None if op.opcode in TERMINATORS else find(op.op)
    for operand in op.operands[found[0].destinations if found and not found[0].updates else 0 :]:
        read += registers_in(operand)
        if op.opcode == "ld" and isinstance(operand, FlatAddress):
            read += frame_fields(op, operand)
    return read


class Effect(NamedTuple):
    """What steps do to registers, as sets of register ids held as bits."""

    needs: int  # read before they are certain to be written
    sets: int  # written whatever happens
    touches: int  # written perhaps


def effect(steps: Iterable[Step]) -> Effect:
    """What a run of steps does."""
    needs = sets = touches = 0
    for step in steps:
        if isinstance(step, Op):
            written = register_set(definitions(step))
            inner = Effect(register_set(uses(step)), 0 if step.guard is not None else written, written)
        else:
            one, other = effect(step.then), effect(step.otherwise)
            guard = register_set([step.branch.guard] if step.branch.guard is not None else [])
            inner = Effect(guard | one.needs | other.needs, one.sets & other.sets, one.touches | other.touches)
        needs |= inner.needs & ~sets
        sets |= inner.sets
        touches |= inner.touches
    return Effect(needs, sets, touches)


def register_set(registers: Iterable[Reg]) -> int:
    """Registers as bits."""
    word = 0
    for reg in registers:
        word |= 1 << reg.id
    return word


def members(word: int) -> Iterator[int]:
    """The ids in a set of registers, in order."""
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low


READS, WRITES = 1, 2

_OWN = frozenset({"local", "param", "const", "nc"})
"""Words of accesses to what a lane has for itself, and to what nobody writes."""

_LOADS, _STORES = opcodes_with("load"), opcodes_with("store")


def exchange(op: Op, *, lockstep: bool) -> int:
    """READS or WRITES for a plain access to shared memory, and for a volatile one to whatever memory; in lockstep for one to any
    memory that lanes share; else 0."""
    found = READS if op.opcode in _LOADS else WRITES if op.opcode in _STORES else 0
    if not found:
        return 0
    words = op.op.split(".")
    if "volatile" in words or any(word.startswith("shared") for word in words):
        return found
    return found if lockstep and not _OWN.intersection(words) else 0


def operations(steps: Iterable[Step]) -> Iterator[Op]:
    """Every operation, those inside choices too."""
    for step in steps:
        if isinstance(step, Op):
            yield step
        else:
            yield from operations(step.then)
            yield from operations(step.otherwise)
