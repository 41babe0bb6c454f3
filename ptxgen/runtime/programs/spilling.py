"""The parts of a kernel that was cut: what each thread keeps in memory between them, and their code.

Memory between the parts has a slot for each value that crosses, of 8, 4, 2 or 1 bytes, and in it a place for each thread of
the grid, so that neighbouring threads have neighbouring places. A thread's places are its own in every part: it reads them
before it writes them again, and need not wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import (
    Address,
    Block,
    BranchTargets,
    Function,
    Immediate,
    Instruction,
    Label,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
)
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand, Statement
    from ptxgen.isa.types import ScalarType

__all__ = ["Cut", "KernelSegment", "Slots", "part_of", "slots_of"]

_SIZES = (8, 4, 2, 1)
_PREDICATE_BYTES = 4


class Cut(NamedTuple):
    """A barrier: its label, the block that begins there, the positions of what is computed anew behind it, in order, and the
    registers that go through memory."""

    label: str
    block: int
    again: tuple[int, ...]
    spilled: tuple[int, ...]
    body: Body

    def sizes(self) -> list[int]:
        """Bytes of each spilled register."""
        types = [self.body.registers[number].type for number in self.spilled]
        return [_PREDICATE_BYTES if type_.kind == "p" else type_.bytes for type_ in types]


class KernelSegment(NamedTuple):
    """What runs between two cuts, or an end: its blocks, and the positions of its instructions."""

    number: int
    first: Cut | None
    last: Cut | None
    blocks: frozenset[int]
    positions: tuple[int, ...]


class Slots(NamedTuple):
    """How many slots of each size there are; those of the larger sizes come first."""

    numbers: tuple[int, ...]

    @property
    def bytes_per_thread(self) -> int:
        """Bytes of all slots, for one thread."""
        return sum(size * number for size, number in zip(_SIZES, self.numbers))

    def places(self, cut: Cut) -> list[tuple[int, int]]:
        """For each spilled register (bytes of the slots before its own, bytes of its own), for one thread."""
        used = dict.fromkeys(_SIZES, 0)
        found = []
        for size in cut.sizes():
            before = sum(each * number for each, number in zip(_SIZES, self.numbers) if each > size)
            found.append((before + used[size] * size, size))
            used[size] += 1
        return found


def slots_of(cuts: Sequence[Cut]) -> Slots:
    """Slots that are enough for each cut."""
    return Slots(tuple([max((cut.sizes().count(size) for cut in cuts), default=0) for size in _SIZES]))


def part_of(body: Body, segment: KernelSegment, slots: Slots, name: str) -> Function:
    """The kernel of a segment."""
    whole = body.function
    assert whole.body is not None
    taken = {variable.name for variable in whole.parameters}
    pointer = next(each for each in ("spill_buf", *(f"spill_buf_{n}" for n in range(len(taken)))) if each not in taken)
    code = _SegmentCode(body, pointer, slots)
    statements = _text(body, segment, code)
    head = next((n for n, each in enumerate(statements) if isinstance(each, (Instruction, Label, Block))), 0)
    statements[head:head] = code.declarations()
    memory = Variable("param", TYPES["u64"], pointer, pointer=("global", _SIZES[0]))
    return Function(
        name,
        is_entry=True,
        parameters=(*whole.parameters, memory),
        linkage=whole.linkage,
        directives=whole.directives,
        attributes=whole.attributes,
        body=Block(statements),
        source=whole.source,
    )


def _text(body: Body, segment: KernelSegment, code: _SegmentCode) -> list[Statement]:
    """The body's text with what the segment does not reach left out, and its ends put in."""
    assert body.function.body is not None
    first, last = segment.first, segment.last
    kept = frozenset(segment.positions)
    shown = set(segment.blocks) | ({last.block} if last is not None else set())
    labels = {name for index in shown for name in body.flow.blocks[index].labels}
    found, _ = _kept(body.function.body, 0, kept, labels)
    if first is not None:
        starts = (i for i, each in enumerate(found) if isinstance(each, (Instruction, Label, Block)))
        begin = next(starts, len(found))
        found[begin:begin] = code.resume(first)
    if last is not None:
        ends = (i + 1 for i, each in enumerate(found) if isinstance(each, Label) and each.name == last.label)
        end = next(ends, len(found))
        found[end:end] = code.leave(last)
    return found


def _stays(statement: Statement, labels: set[str]) -> bool:
    """A label, or a table of labels, stays with the code that it names."""
    if isinstance(statement, BranchTargets):
        return labels.issuperset(statement.labels)
    return not isinstance(statement, Label) or statement.name in labels


def _kept(
    statements: Iterable[Statement], position: int, kept: frozenset[int], labels: set[str]
) -> tuple[list[Statement], int]:
    """What stays of statements of which the first instruction is at `position`, and the position behind them."""
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Instruction):
            if position in kept:
                found.append(statement)
            position += 1
        elif isinstance(statement, Block):
            inner, position = _kept(statement, position, kept, labels)
            found.append(Block(inner))
        elif _stays(statement, labels):
            found.append(statement)
    return found, position


class _SegmentCode:
    """Instructions that a part has beside those of the whole, and their registers."""

    def __init__(self, body: Body, pointer: str, slots: Slots) -> None:
        self._body, self._pointer, self._slots = body, pointer, slots
        taken = {register.name for register in body.registers}
        self._prefix = "%spill_"
        while any(name.startswith(self._prefix) for name in taken):
            self._prefix += "_"
        self._made: dict[ScalarType, int] = {}

    def declarations(self) -> list[Statement]:
        """Of the registers that were made."""
        return [
            RegisterDeclaration(type_, (f"{self._prefix}{type_.name}_",), number)
            for type_, number in self._made.items()
        ]

    def _fresh(self, name: str) -> Register:
        type_ = TYPES[name]
        number = self._made.get(type_, 0)
        self._made[type_] = number + 1
        return Register(f"{self._prefix}{name}_{number}", type_)

    def resume(self, cut: Cut) -> list[Statement]:
        """Everything that the code behind a cut needs, and the way there."""
        again: list[Statement] = [self._body.instructions[position] for position in cut.again]
        cells, found = self._cells(cut)
        for number, cell in zip(cut.spilled, cells):
            register = self._body.registers[number]
            if register.type.kind == "p":
                truth = self._fresh("b32")
                found.append(Instruction("ld.global.u32", (truth, cell)))
                found.append(Instruction("setp.ne.u32", (register, truth, Immediate(0))))
            else:
                found.append(Instruction(f"ld.global.b{register.type.bits}", (register, cell)))
        return [*again, *found, Instruction("bra", (Symbol(cut.label),))]

    def leave(self, cut: Cut) -> list[Statement]:
        """Registers that cross a cut are stored to memory, and the part ends."""
        cells, found = self._cells(cut)
        for number, cell in zip(cut.spilled, cells):
            register = self._body.registers[number]
            if register.type.kind == "p":
                truth = self._fresh("b32")
                found.append(Instruction("selp.u32", (truth, Immediate(1), Immediate(0), register)))
                found.append(Instruction("st.global.u32", (cell, truth)))
            else:
                found.append(Instruction(f"st.global.b{register.type.bits}", (cell, register)))
        return [*found, Instruction("ret")]

    def _cells(self, cut: Cut) -> tuple[list[Address], list[Statement]]:
        """This thread's place for each spilled register, and the code that finds it."""
        code: list[Statement] = []
        if not cut.spilled:
            return [], code

        def emit(result: str, op: str, *operands: Operand) -> Register:
            made = self._fresh(result)
            code.append(Instruction(op, (made, *operands)))
            return made

        def special(name: str) -> Register:
            return emit("b64", "cvt.u64.u32", emit("b32", "mov.u32", Special(name)))

        def flat(inner: str, outer: str) -> tuple[Register, Register]:
            """(index, number) over the three axes: x is the fastest."""
            index, number = special(f"{inner}.z"), special(f"{outer}.z")
            for axis in "yx":
                extent = special(f"{outer}.{axis}")
                index = emit("b64", "mad.lo.u64", index, extent, special(f"{inner}.{axis}"))
                number = emit("b64", "mul.lo.u64", number, extent)
            return index, number

        thread, threads = flat("%tid", "%ntid")
        cta, ctas = flat("%ctaid", "%nctaid")
        index = emit("b64", "mad.lo.u64", cta, threads, thread)
        total = emit("b64", "mul.lo.u64", ctas, threads)
        start = emit("b64", "ld.param.u64", Address(Symbol(self._pointer)))
        memory = emit("b64", "cvta.to.global.u64", start)
        cells = []
        for before, size in self._slots.places(cut):
            slot = emit("b64", "mad.lo.u64", total, Immediate(before), memory)
            cells.append(Address(emit("b64", "mad.lo.u64", index, Immediate(size), slot)))
        return cells, code
