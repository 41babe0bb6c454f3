"""From a function to its graph: which value each operand is, whatever register it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.compare.blocks import code_blocks, is_plain_branch
from ptxgen.compare.graph import Graph, Leaf, Merge, Node, Result
from ptxgen.compare.operands import CLASSES, Names, constant, narrowed, parts_of, written_shape
from ptxgen.ir import Address, Element, Immediate, Not, Register, Sink, Special, Sum, Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.compare.graph import CodeBlock, Value
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction, Operand
    from ptxgen.isa.forms import OperandType
    from ptxgen.isa.types import ScalarType

__all__ = ["ASYNCHRONOUS", "graph_of"]

_BRANCHES = opcodes_with("branch")
_ENDS = opcodes_with("ends")
_COMMUTES = opcodes_with("commutes")
ASYNCHRONOUS = opcodes_with("matrix") & opcodes_with("protocol")
"""Opcodes that use registers after they were issued: when a register is copied tells."""


def graph_of(body: Body, canonical: Mapping[str, str]) -> Graph:
    """The graph of a function. `canonical`: names of the module that are compared under another name."""
    return _Builder(body, canonical).build()


class _Builder:
    def __init__(self, body: Body, canonical: Mapping[str, str]) -> None:
        self.body = body
        self.names = Names(body, canonical)
        self.copies_tell = any(opcode in body.at for opcode in ASYNCHRONOUS)
        self.results = {v.name: place for place, v in enumerate(body.function.results) if v.space == "reg"}
        self.merges: list[Merge] = []
        self.merge_at: dict[tuple[int, int], Merge] = {}
        self.read_through: set[int] = set()
        """The positions of movs whose results somebody reads."""
        self.inputs: list[Value] = []
        self.origins: list[int] = []
        self.blocks, self.roots, self.block_of = code_blocks(body)

    def build(self) -> Graph:
        body, nodes = self.body, dict[int, Node]()
        silent: list[tuple[int, CodeBlock]] = []
        for code in self.blocks:
            for block in code.chain:
                here = body.flow.blocks[block]
                for position in range(here.start, here.end):
                    if self._is_silent(position):
                        silent.append((position, code))
                    elif not is_plain_branch(body, position):
                        nodes[position] = self._node(position, code, ends=position == here.end - 1)
                        code.nodes.append(position)
        self._fill()
        for position, code in reversed(silent):
            if position not in self.read_through:
                nodes[position] = self._node(position, code, ends=False)
                code.nodes = sorted([*code.nodes, position])
                self._fill()
        simpler = _simplified(self.merges)
        for node in nodes.values():
            node.inputs = tuple([_standing(value, simpler) for value in node.inputs])
        for merge in self.merges:
            merge.inputs = {block: _standing(value, simpler) for block, value in merge.inputs.items()}
        return Graph(body, self.blocks, self.roots, nodes, [merge for merge in self.merges if merge not in simpler])

    # -- registers -------------------------------------------------------------------------------------------------

    def _is_silent(self, position: int) -> bool:
        """Does it only put a constant, or what another register holds, into a register?"""
        instruction = self.body.instructions[position]
        if instruction.opcode != "mov" or instruction.pred is not None or self.body.forms[position] is None:
            return False
        to, source = instruction.operands
        if type(to) is not Register or to.lanes > 1:
            return False
        if type(source) is Register:
            return source.lanes == 1 and source.type.bits == to.type.bits and not self.copies_tell
        return type(source) in (Immediate, Symbol)

    def _register(self, register: Register, position: int) -> tuple[Value, int]:
        """What a register holds before an instruction, and the position of the mov that brought it there, or -1."""
        number = self.body.number(register, position)
        if number is None:
            return Leaf(("unknown", register.name)), -1
        return self._held(number, self._before(number, position))

    def _before(self, register: int, position: int) -> int | None:
        """As `Merges.before`; of a register that nobody writes, None."""
        merges = self.body.merges
        return merges.before(register, position) if register in merges.definitions else None

    def _held(self, register: int, written: int | None) -> tuple[Value, int]:
        origin, seen = -1, set[int]()
        while written is not None and written >= 0 and self._is_silent(written):
            if written in seen:  # it copies itself
                return Leaf(("unwritten",)), origin
            seen.add(written)
            self.read_through.add(written)
            origin = written if origin < 0 else origin
            form, source = self.body.forms[written], self.body.instructions[written].operands[1]
            assert form is not None
            if isinstance(source, Immediate):
                return constant(source, form.operands[1].type or form.type), origin
            if isinstance(source, Symbol):
                return self._symbol(source, written), origin
            assert isinstance(source, Register)
            number = self.body.number(source, written)
            if number is None:
                return Leaf(("unknown", source.name)), origin
            register, written = number, self._before(number, written)
        if written is None:
            return self._unwritten(register), origin
        if written < 0:
            return self._merge(register, -1 - written), origin
        return Result(written, self.body.writes[written].index(register)), origin

    def _unwritten(self, register: int) -> Leaf:
        """What a register holds that nobody has written: of a parameter in a register, the argument."""
        name = self.body.registers[register].name
        for place, parameter in enumerate(self.body.function.parameters):
            if parameter.space == "reg" and parameter.name == name:
                return Leaf(("parameter", place))
        return Leaf(("unwritten",))

    def _merge(self, register: int, block: int) -> Merge:
        merge = self.merge_at.get((register, block))
        if merge is None:
            merge = self.merge_at[register, block] = Merge(register, block, self.block_of[block])
            self.merges.append(merge)
        return merge

    def _fill(self) -> None:
        """Gives each merge its inputs, which may be further merges."""
        flow, rank, done = self.body.flow, self.body.flow.rank, 0
        while done < len(self.merges):
            merge = self.merges[done]
            done += 1
            if merge.inputs:
                continue
            for index in flow.blocks[merge.start].predecessors:
                if index in rank:
                    block = self.block_of[index]
                    value = self._held(merge.register, self.body.merges.behind(merge.register, index))
                    merge.inputs[block], merge.origins[block] = value

    # -- instructions ----------------------------------------------------------------------------------------------

    def _node(self, position: int, code: CodeBlock, *, ends: bool) -> Node:
        instruction, form = self.body.instructions[position], self.body.forms[position]
        self.inputs, self.origins = [], []
        label: list[object] = [instruction.op if form is None else form.name]
        commutes = False
        if instruction.opcode in _BRANCHES:
            label += self._branch(instruction, position, code)
        else:
            written = self._written(position)
            label += [written_shape(operand) for operand in instruction.operands[:written]]
            types: tuple[OperandType | None, ...] = () if form is None else form.operands[written:]
            for place, operand in enumerate(instruction.operands[written:]):
                label.append(self._read(operand, types[place] if place < len(types) else None, position))
            commutes = instruction.opcode in _COMMUTES and len(self.inputs) == 2 and label[-2:] == ["", ""]
            if instruction.pred is not None:
                label.append(self._guard(instruction, position))
        self._kept(position)
        if self.results and (instruction.opcode in _ENDS or ends):
            self._returned(position)
        return Node(position, code.index, tuple(label), tuple(self.inputs), tuple(self.origins), commutes)

    def _branch(self, instruction: Instruction, position: int, code: CodeBlock) -> list[object]:
        """A branch goes where the successors of its block say; the guard's sign is in their order, unless they are one."""
        label: list[object] = [len(code.successors)]
        for operand in instruction.operands:
            if isinstance(operand, Symbol):
                if self.body.scopes[position].find(operand.name) is None:
                    label.append(operand.name)
            else:
                label.append(self._read(operand, None, position))
        guard = "" if instruction.pred is None else self._guard(instruction, position)
        one = len(set(code.successors)) < 2 or instruction.opcode == "brx"
        return [*label, guard if one else ""]

    def _written(self, position: int) -> int:
        """How many operands are written."""
        form, instruction = self.body.forms[position], self.body.instructions[position]
        if form is None:
            return 0
        if form.form.opcode == "call":
            return 1 if self.body.writes[position] else 0
        count = 0
        for spec in form.form.operands:
            if not spec.written:
                break
            count += 1
        return min(count, len(instruction.operands))

    def _guard(self, instruction: Instruction, position: int) -> str:
        guard = instruction.pred
        register = guard.operand if isinstance(guard, Not) else guard
        if isinstance(register, Register):
            self._append(*self._register(register, position))
        else:
            self._append(Leaf(("unknown", repr(register))), -1)
        return "unless" if isinstance(guard, Not) else "if"

    def _append(self, value: Value, origin: int) -> None:
        self.inputs.append(value)
        self.origins.append(origin)

    def _kept(self, position: int) -> None:
        """What the results were before, where the instruction may leave some of it."""
        body = self.body
        if (
            body.instructions[position].pred is not None
            or body.forms[position] is None
            or position in body.accumulators
        ):
            kept = list(body.writes[position])
        else:
            kept = [register for register in body.writes[position] if register in body.partly.get(position, ())]
        for register in kept:
            self._append(*self._held(register, body.merges.before(register, position)))

    def _returned(self, position: int) -> None:
        """The results that a function has in registers when it ends."""
        for register, declared in enumerate(self.body.registers):
            if declared.name in self.results and register in self.body.merges.definitions:
                if register in self.body.writes[position]:
                    self._append(Result(position, self.body.writes[position].index(register)), -1)
                else:
                    self._append(*self._held(register, self.body.merges.before(register, position)))

    # -- operands --------------------------------------------------------------------------------------------------

    def _read(self, operand: Operand, type_: OperandType | None, position: int) -> object:
        """Notes the values that an operand reads; returns its shape, "" for a single value."""
        of = None if type_ is None else type_.type
        if isinstance(operand, (Register, Immediate, Special, Symbol)):
            value, origin = self._value(operand, of, position)
            self._append(value, origin)
            return ""
        if isinstance(operand, Element):
            self._append(*self._register(operand.base, position))
            return ("element", operand.name)
        if isinstance(operand, Address):
            return self._address(operand, type_, position)
        if isinstance(operand, Sum):
            self._append(*self._register(operand.operand, position))
            return ("sum", operand.offset)
        inner = parts_of(operand)
        if inner is None:
            return "_" if isinstance(operand, Sink) else repr(operand)
        parts = type_.parts if type_ is not None and len(type_.parts) == len(inner) else (type_,) * len(inner)
        return (CLASSES[type(operand)], *(self._read(each, part, position) for each, part in zip(inner, parts)))

    def _value(self, operand: Operand, of: ScalarType | None, position: int) -> tuple[Value, int]:
        if isinstance(operand, Register):
            value, origin = self._register(operand, position)
            return (narrowed(value, of) if isinstance(value, Leaf) else value), origin
        if isinstance(operand, Immediate):
            return constant(operand, of), -1
        if isinstance(operand, Symbol):
            return self._symbol(operand, position), -1
        assert isinstance(operand, Special)
        return Leaf(("special", operand.name)), -1

    def _symbol(self, symbol: Symbol, position: int) -> Leaf:
        leaf = self.names.leaf(symbol, position)
        return Leaf((*leaf.label, "+", symbol.offset), leaf.variable) if symbol.offset else leaf

    def _address(self, address: Address, type_: OperandType | None, position: int) -> object:
        value, origin = self._value(address.base, None, position)
        offset = address.offset
        if isinstance(value, Leaf) and offset:
            value, offset = _moved(value, offset), 0
        self._append(value, origin)
        shapes = tuple(self._read(part, None, position) for part in address.coordinates)
        return ("address", offset, address.handle, shapes)


def _moved(leaf: Leaf, offset: int) -> Leaf:
    """A constant address so many bytes on."""
    label = leaf.label
    if label[0] == "constant":
        return Leaf((*label[:2], label[2] + offset))  # type: ignore[operator]
    if len(label) > 2 and label[-2] == "+":
        return Leaf((*label[:-1], label[-1] + offset), leaf.variable)  # type: ignore[operator]
    return Leaf((*label, "+", offset), leaf.variable)


def _standing(value: Value, simpler: Mapping[Merge, Value]) -> Value:
    while isinstance(value, Merge) and value in simpler:
        value = simpler[value]
    return value


def _simplified(merges: list[Merge]) -> dict[Merge, Value]:
    """The merges of one value alone, and what stands for each."""
    simpler: dict[Merge, Value] = {}
    again = True
    while again:
        again = False
        for merge in merges:
            if merge in simpler:
                continue
            values = {_standing(value, simpler) for value in merge.inputs.values()} - {merge}
            if len(values) <= 1:
                simpler[merge] = next(iter(values), Leaf(("unwritten",)))
                again = True
    return simpler
