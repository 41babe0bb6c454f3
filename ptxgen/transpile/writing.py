"""A body's nodes as lines of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.errors import Diagnostic, Location, TranspileError
from ptxgen.ir import (
    Address,
    Arguments,
    Element,
    Immediate,
    Instruction,
    Negated,
    Not,
    Operand,
    Pair,
    Register,
    Special,
    Sum,
    Symbol,
    Vector,
    resolve,
)
from ptxgen.isa.forms import opcodes_with
from ptxgen.text.printer import format_instruction
from ptxgen.transpile.lines import Line
from ptxgen.transpile.natural import special_text
from ptxgen.transpile.nodes import Branch, Conditional, Jump, Loop, Mark, Node, Note, Scope, Step, Text
from ptxgen.transpile.spelling import Spelled, chain_text, is_pattern, spelled

if TYPE_CHECKING:
    from ptxgen.transpile.flat import FlatBody
    from ptxgen.transpile.natural import Bench
    from ptxgen.transpile.registers import PythonRegister, Registers

__all__ = ["Writer", "quoted"]

_ACCESSES = opcodes_with("load") | opcodes_with("store")


def quoted(text: str) -> str:
    """A text as Python writes it, in double quotes where it can."""
    if '"' not in text and "\\" not in text and text.isprintable():
        return f'"{text}"'
    return repr(text)


class Writer:
    """Writes one body. `needs` collects the names of `ptxgen.ir` and of types that its lines use."""

    def __init__(
        self,
        registers: Registers,
        flat: FlatBody,
        bench: Bench,
        *,
        original: bool,
        zeros: bool = False,
        skip: frozenset[int] = frozenset(),
    ) -> None:
        self.registers = registers
        self.body = registers.body
        self.needs: set[str] = set()
        self._flat = flat
        self._bench = bench
        self._original = original
        self._zeros = zeros  # is `[x+0]` kept? It makes other code in programs for debuggers alone
        self._skip = skip
        self._lists = 0
        self._read = {number for numbers in self.body.reads for number in numbers}
        self._specials: list[set[str]] = [set()]
        self._begun: set[str] = set()  # variables that were declared with their first value
        self._depth = 0

    def lines(self, nodes: list[Node]) -> list[Line]:
        """The lines of a list of nodes."""
        own, found = self._lists, []
        self._lists += 1
        for index, node in enumerate(nodes):
            found += self._declarations(own, index, node)
            found += self._node(node)
        return found

    def _body_lines(self, nodes: list[Node]) -> list[Line]:
        """The lines of a body of the builder: what is kept there is forgotten behind it."""
        self._specials.append(set())
        try:
            return self.lines(nodes)
        finally:
            self._specials.pop()

    # ---- variables

    def _declarations(self, own: int, index: int, node: Node) -> list[Line]:
        found: list[Line] = []
        groups: dict[Any, list[PythonRegister]] = {}
        for register in self.registers.declared_at.get((own, index), ()):
            if register.kind == "exact":
                found += self._exact(register)
            elif register.name not in self._begun and not self._begins(register, node):
                groups.setdefault(register.type, []).append(register)
        for type_, several in groups.items():
            name = self._type(type_)
            for start in range(0, len(several), 8):
                some = [each.name for each in several[start : start + 8]]
                value = f"k.var({name})" if len(some) == 1 else f"(k.var({name}) for _ in range({len(some)}))"
                found.append(Line(f"{', '.join(some)} = {value}", (), tuple(some)))
        return found

    def _exact(self, register: PythonRegister) -> list[Line]:
        """A register that no type of the builder stands for: declared as PTX has it."""
        declared = register.declared
        name = f"%{register.name}_"
        vector = f".v{declared.lanes} " if declared.lanes > 1 else ""
        self.needs |= {"Register", "TYPES"}
        lanes = f", {declared.lanes}" if declared.lanes > 1 else ""
        text = f'{register.name} = Register("{name}", TYPES["{declared.type.name}"]{lanes})'
        return [
            Line(f'k.directive(".reg {vector}.{declared.type.name} {name};")'),
            Line(text, (), (register.name,)),
        ]

    def _begins(self, register: PythonRegister, node: Node) -> bool:
        """Is the node the variable's first value, so that one line says both?"""
        if not isinstance(node, Step) or isinstance(node, (Branch, Jump)):
            return False
        instruction = node.instruction
        if instruction.opcode != "mov" or instruction.pred is not None or len(instruction.operands) != 2:
            return False
        target, source = instruction.operands
        if not isinstance(target, Register) or self.registers.at(target, node.position) is not register:
            return False
        if isinstance(source, Register) and self.registers.at(source, node.position) is register:
            return False
        if not isinstance(source, (Register, Immediate)):
            return False
        value = self._spell(source, node.position, plain=True)
        if isinstance(value.value, Register):
            return False
        if not self._bench.beginning(instruction.op, register.type, value.value, self._mapped(source, node.position)):
            return False
        self._begun.add(register.name)
        return True

    # ---- nodes

    def _node(self, node: Node) -> list[Line]:
        if isinstance(node, Note):
            return _comment(node.text)
        if isinstance(node, Text):
            return [Line(f"k.directive({quoted(node.text)})")]
        if isinstance(node, Mark):
            return [Line(f"k.place({quoted(node.label)})")]
        if isinstance(node, Scope):
            return [Line("with k.block():", (), (), self.lines(node.body))]
        if isinstance(node, Loop):
            return [self._loop(node)]
        if isinstance(node, Conditional):
            return self._conditional(node)
        if node.position in self._skip:
            return []
        lines = [self._jump(node)] if isinstance(node, Jump) else [self._step(node)]
        if self._original and lines[0].text:
            return [Line(f"# {format_instruction(node.instruction)}"), *lines]
        return lines

    def _loop(self, node: Loop) -> Line:
        labels = {"again": node.again, "end": node.end}
        stated = ", ".join(f"{word}={quoted(label)}" for word, label in labels.items() if label in node.placed)
        return Line(
            f"with k.{'while_' if node.endless else 'do_while'}({stated}):", (), (), self._body_lines(node.body)
        )

    def _conditional(self, node: Conditional) -> list[Line]:
        guard = node.branch.instruction.pred
        assert guard is not None
        inverse: Any = guard.operand if isinstance(guard, Not) else Not(guard)
        condition = self._guard(inverse, node.branch.position)
        before = [Line(f"# {format_instruction(node.branch.instruction)}")] if self._original else []
        end = f", end={quoted(node.end)}" if node.placed else ""
        if node.otherwise is None:
            body = self._body_lines(node.then)
            return [*before, Line(f"with k.if_({condition.text}{end}):", condition.reads, (), body)]
        suffix = f"_{self._depth}" if self._depth else ""
        self._depth += 1
        then, otherwise = self._body_lines(node.then), self._body_lines(node.otherwise)
        self._depth -= 1
        bodies = [
            Line(f"with then{suffix}:", (), (), then),
            Line(f"with otherwise{suffix}:", (), (), otherwise),
        ]
        head = f"with k.if_else({condition.text}{end}) as (then{suffix}, otherwise{suffix}):"
        return [*before, Line(head, condition.reads, (), bodies, together=True)]

    def _jump(self, node: Jump) -> Line:
        guard = node.instruction.pred
        condition = Spelled("", None) if guard is None else self._guard(guard, node.position)
        return Line(f"k.{node.word}_({condition.text})", condition.reads)

    # ---- instructions

    def _step(self, node: Step) -> Line:
        instruction, position = node.instruction, node.position
        if isinstance(node, Branch):
            guard = self._pred(instruction, position)
            return Line(f"k.ptx{chain_text(instruction.op)}({quoted(node.label)}{guard.text})", guard.reads)
        found = self._natural(instruction, position) if instruction.pred is None else None
        return found or self._exactly(instruction, position)

    def _natural(self, instruction: Instruction, position: int) -> Line | None:
        op, operands = instruction.op, instruction.operands
        if not operands:
            return Line("k.return_()") if op == "ret" else Line("k.trap()") if op == "trap" else None
        first = operands[0]
        target = self.registers.at(first, position) if isinstance(first, Register) else None
        if target is not None and target.name in self._begun and instruction.opcode == "mov":
            self._begun.discard(target.name)
            value = self._spell(operands[1], position, plain=True, bits=is_pattern(op))
            name = self._type(target.type)
            return Line(f"{target.name} = k.var({name}, {value.text})", value.reads, (target.name,))
        if instruction.opcode in _ACCESSES and len(operands) == 2:
            return self._pointed(instruction, position)
        if target is None or target.kind == "exact":
            return None
        parts = [self._spell(each, position, plain=True, bits=is_pattern(op)) for each in operands]
        if any(isinstance(each.value, (Register, tuple, list, str)) for each in parts):
            return None
        values, mapped = [each.value for each in parts], tuple(self._mapped(each, position) for each in operands)
        if target.kind != "value":
            text = self._bench.in_place(op, values, mapped)
            if text is None:
                return None
            texts = [parts[0].text, parts[-1].text]
            return self._line(text.format(*texts), (parts[0], parts[-1]))
        written = self.body.writes[position]
        if len(written) != 1 or written[0] not in self._read:
            return None
        if isinstance(operands[1] if len(operands) > 1 else None, Special):
            return self._special(instruction, target)
        found = self._bench.result(op, target.type, values[1:], mapped[1:])
        if found is None or found.type is not target.type:
            return None
        if instruction.opcode in ("cvt", "mov"):
            self._type(target.type)
        return self._line(found.text.format(*[each.text for each in parts[1:]]), tuple(parts[1:]), (target.name,))

    def _special(self, instruction: Instruction, target: PythonRegister) -> Line | None:
        """A special register, where the builder reads it anew: it keeps what it has read in a body that is still open."""
        source = instruction.operands[1]
        assert isinstance(source, Special)
        text, type_ = special_text(source.name)
        kept = any(source.name in known for known in self._specials)
        if not text or type_ is not target.type or instruction.op != f"mov.{type_.isa.name}" or kept:
            return None
        if not source.name.startswith("%clock"):
            self._specials[-1].add(source.name)
        return Line(f"{target.name} = {text}", (), (target.name,))

    def _pointed(self, instruction: Instruction, position: int) -> Line | None:
        """`k.pointer(p, f32)[i]`."""
        loads = instruction.opcode == "ld"
        address, other = instruction.operands[::-1] if loads else instruction.operands
        if not isinstance(address, Address) or not isinstance(address.base, Register) or isinstance(other, Vector):
            return None
        base, value = self._spell(address.base, position, plain=True), self._spell(other, position, plain=True)
        if isinstance(base.value, Register) or isinstance(value.value, (Register, tuple)):
            return None
        if loads:
            target = self.registers.at(other, position) if isinstance(other, Register) else None
            if target is None or target.kind != "value" or self.body.writes[position][0] not in self._read:
                return None
            value = value._replace(value=None)
        mapped = self._mapped(address, position)
        text = self._bench.pointed(instruction.op, base.value, self._mapped(other, position), value.value, mapped)
        if text is None:
            return None
        element = text.split(", ")[1].split(")")[0]
        self.needs.add(element)
        if not loads:
            return self._line(f"{text.format(base.text)} = {value.text}", (base, value))
        assert target is not None
        if element != target.type.__name__:
            return None
        return self._line(text.format(base.text), (base,), (target.name,))

    def _line(self, text: str, parts: tuple[Spelled, ...], binds: tuple[str, ...] = ()) -> Line:
        for part in parts:
            self.needs.update(part.needs)
        reads = tuple(name for part in parts for name in part.reads)
        return Line(f"{', '.join(binds)} = {text}" if binds else text, reads, binds)

    def _exactly(self, instruction: Instruction, position: int) -> Line:
        """`k.ptx...`: as the builder's exact layer says it."""
        op = instruction.op
        expected = Instruction(op, tuple(self._mapped(each, position) for each in instruction.operands))
        count = self._destinations(instruction, position)
        for plain in (True, False):
            parts = [
                self._spell(each, position, plain=plain, bits=is_pattern(op), written=index < count)
                for index, each in enumerate(instruction.operands)
            ]
            if self._bench.exactly(op, [each.value for each in parts], expected):
                break
        else:
            raise _unsaid(instruction, parts)
        made: list[str] = []
        for index in range(count):
            parts[index] = self._result(instruction.operands[index], parts[index], position, made)
        guard = self._pred(instruction, position)
        arguments = f"{', '.join(each.text for each in parts)}{guard.text}"
        unread = {number for number in self.body.writes[position] if number not in self._read}
        if len(made) == 1 and unread:
            made = []
        return self._line(f"k.ptx{chain_text(op)}({arguments.removeprefix(', ')})", (*parts, guard), tuple(made))

    def _destinations(self, instruction: Instruction, position: int) -> int:
        """How many of the operands, the first ones, are written."""
        if instruction.opcode == "call":
            return int(bool(instruction.operands) and isinstance(instruction.operands[0], Arguments))
        form = self.body.forms[position]
        count = 0
        for spec in form.form.operands if form is not None else ():
            if not spec.written:
                break
            count += 1
        return min(count, len(instruction.operands))

    def _result(self, operand: Operand, part: Spelled, position: int, made: list[str]) -> Spelled:
        """A destination: of a value its type, whose name is then bound to what the call returns."""
        if isinstance(operand, Register):
            register = self.registers.at(operand, position)
            if register is None or register.kind != "value":
                return part
            made.append(register.name)
            return Spelled(self._type(register.type), None)
        inside: tuple[Operand, ...]
        if isinstance(operand, (Vector, Arguments)):
            inside = operand.elements
        elif isinstance(operand, Pair):
            inside = (operand.first, operand.second)
        else:
            return part
        texts = [self._result(each, self._spell(each, position, plain=True), position, made) for each in inside]
        names = [each.text for each in texts]
        if len(names) > 3 and len(set(names)) == 1:
            text = f"({names[0]},) * {len(names)}"
        else:
            text = f"({', '.join(names)}{',' * (len(names) == 1)})"
        reads = tuple(name for each in texts for name in each.reads)
        return Spelled(text, None, reads, tuple(name for each in texts for name in each.needs))

    # ---- operands

    def _spell(
        self, operand: Operand, position: int, *, plain: bool, bits: bool = False, written: bool = False
    ) -> Spelled:
        def register(each: Register) -> Spelled:
            found = self.registers.at(each, position)
            if found is None:
                return Spelled(each.name, each)
            return Spelled(found.name, self._value(found, written), (found.root,))

        def named(each: Operand) -> Operand:
            """The new names of labels and tables."""
            if isinstance(each, Symbol):
                return Symbol(self._flat.tables.get((position, each.name), each.name), each.offset, each.zero)
            if isinstance(each, Address) and each.zero and not self._keeps_zero(each):
                return Address(each.base, 0, each.coordinates, each.handle)
            return each

        return spelled(named(operand), register, plain=plain, bits=bits)

    def _keeps_zero(self, address: Address) -> bool:
        plain = not address.coordinates and not isinstance(address.base, Immediate)
        return address.zero and self._zeros and plain

    def _value(self, register: PythonRegister, written: bool = False) -> Any:
        if register.type is None:
            return Register(f"%{register.name}_", register.declared.type, register.declared.lanes)
        return self._bench.value(register.name, register.type, register.mutable or written)

    def _mapped(self, operand: Operand, position: int) -> Any:
        """An operand with the registers of the bench."""

        def inner(each: Any) -> Any:
            return self._mapped(each, position)

        if isinstance(operand, Register):
            found = self.registers.at(operand, position)
            if found is None:
                return operand
            value = self._value(found)
            return value if isinstance(value, Register) else value.operand
        if isinstance(operand, Symbol):
            return Symbol(self._flat.tables.get((position, operand.name), operand.name), operand.offset, operand.zero)
        if isinstance(operand, Address):
            base, coordinates = inner(operand.base), tuple(inner(each) for each in operand.coordinates)
            return Address(base, operand.offset, coordinates, operand.handle, self._keeps_zero(operand))
        if isinstance(operand, (Vector, Arguments)):
            return type(operand)(tuple(inner(each) for each in operand))
        if isinstance(operand, Pair):
            return Pair(inner(operand.first), inner(operand.second))
        if isinstance(operand, (Not, Negated)):
            return type(operand)(inner(operand.operand))
        if isinstance(operand, Sum):
            return Sum(inner(operand.operand), operand.offset, operand.zero)
        return Element(inner(operand.base), operand.name) if isinstance(operand, Element) else operand

    def _guard(self, guard: Register | Not | Symbol, position: int) -> Spelled:
        """A predicate as a condition."""
        register = guard.operand if isinstance(guard, Not) else guard
        found = self.registers.at(register, position) if isinstance(register, Register) else None
        assert found is not None
        if not isinstance(guard, Not):
            return Spelled(found.name, None, (found.root,))
        if found.kind == "value":
            return Spelled(f"~{found.name}", None, (found.root,))
        self.needs.add("Not")
        return Spelled(f"Not({found.name})", None, (found.root,))

    def _pred(self, instruction: Instruction, position: int) -> Spelled:
        if instruction.pred is None:
            return Spelled("", None)
        guard = self._guard(instruction.pred, position)
        return guard._replace(text=f", pred={guard.text}")

    def _type(self, type_: Any) -> str:
        name: str = type_.__name__
        self.needs.add(name)
        return name


def _comment(text: str) -> list[Line]:
    if text.startswith("ptxgen:"):  # the verifier reads these
        return [Line(f"k.directive({quoted('// ' + text)})")]
    return [Line(f"# {row}".rstrip()) for row in text.split("\n")]


def _unsaid(instruction: Instruction, parts: list[Spelled]) -> TranspileError:
    places: tuple[Location, ...] = resolve(instruction.source)
    found = Diagnostic(
        "PTX204",
        f"the builder cannot say {format_instruction(instruction)}",
        locations=places,
        hint="report it, with the program",
    )
    return TranspileError("", [found])
