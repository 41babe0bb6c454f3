"""`instructions()`: a hypothesis strategy of single legal instructions, from the table's rows.

A row is drawn, then its modifiers one after the other as its rules and the target allow, then operands: registers, typed and
untyped, constants, sinks, negations, addresses with offsets, variables of the right state space. What is drawn comes in a
module that declares all it needs.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from ptxgen.ir import (
    Address,
    Block,
    BranchTargets,
    Element,
    Function,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Not,
    Operand,
    Pair,
    Register,
    RegisterDeclaration,
    Sink,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.forms import OperandType, Resolved, chapters, forms_of, opcodes, resolve
from ptxgen.isa.notation import Availability, Form, OperandSpec
from ptxgen.isa.spaces import WINDOW
from ptxgen.isa.targets import Target, find_target
from ptxgen.isa.types import TYPES, ScalarType
from ptxgen.text.printer import print_module
from ptxgen.verifier.versions import minimum_version

__all__ = ["Drawn", "instructions"]


class Drawn(NamedTuple):
    """An instruction, the row that it is of, and a module whose only other contents is what it needs."""

    module: Module
    instruction: Instruction
    form: Resolved

    @property
    def text(self) -> str:
        """The module as PTX."""
        return print_module(self.module)


def instructions(
    *, target: str = "sm_90a", opcode: str | None = None, chapter: str | None = None
) -> st.SearchStrategy[Drawn]:
    """Legal instructions for a target, of one opcode or of one chapter of the table (`ptxgen.isa.forms.chapters`), else of all.

    They shrink toward the first row, the fewest modifiers and operands, and small constants. ValueError when there are none.
    """
    place = find_target(target)
    rows = _rows(place, opcode, chapter)
    if not rows:
        raise ValueError(f"{target} has no instruction {opcode or f'in chapter {chapter}'}")
    return st.sampled_from(rows).flatmap(lambda form: _instruction(form, place))


@st.composite
def _instruction(draw: st.DrawFn, form: Form, target: Target) -> Drawn:
    name = draw(_names(form, target))
    resolved = next((found for found in resolve(name) if found.form is form), None)
    # Code generation refuses addresses of 32 bits that are not shared ones from sm_90 on: "32-Bit ABI is not supported".
    assume(resolved is not None and not (form.opcode == "cvta" and name.endswith(".u32") and target.sm >= 90))
    assert resolved is not None
    operands = _Operands(draw, resolved)
    instruction = Instruction(name, operands.all(), draw(_guards) if "control" not in form.effects else None)
    return Drawn(_module(instruction, target, operands.variables), instruction, resolved)


_guards = st.sampled_from(
    [None, None, None, Register("%pred_0", TYPES["pred"]), Not(Register("%pred_0", TYPES["pred"]))]
)


# ---- rows and names --------------------------------------------------------------------------------------------------


@cache
def _rows(target: Target, opcode: str | None, chapter: str | None) -> tuple[Form, ...]:
    names = (opcode,) if opcode else chapters()[chapter] if chapter else opcodes()
    return tuple(form for name in names for form in forms_of(name) if _exists(form, target))


def _exists(form: Form, target: Target) -> bool:
    ended = form.until is not None and target.provides(form.until.sm, form.until.suffix)
    return (
        _has(target, form.since) and not ended and all(s.optional or _choices(s.choices, target) for s in form.segments)
    )


def _has(target: Target, since: tuple[Availability, ...]) -> bool:
    return any(target.provides(place.sm, place.suffix) for place in since)


def _choices(choices: dict[str, tuple[Availability, ...]], target: Target) -> list[str]:
    return [choice for choice, since in choices.items() if _has(target, since)]


@st.composite
def _names(draw: st.DrawFn, form: Form, target: Target) -> str:
    words: list[str] = []
    for segment in form.segments:
        allowed = [c for c in _choices(segment.choices, target) if not form.forbids([*words, c])]
        if segment.optional:
            allowed.insert(0, "")
        assume(allowed)
        word = draw(st.sampled_from(allowed))
        words += [word] if word else []
    return ".".join([form.opcode, *words])


# ---- operands --------------------------------------------------------------------------------------------------------


@cache
def _holders(type_: ScalarType, wider: bool) -> tuple[ScalarType, ...]:
    """The register types that every instruction takes for its type: its own, or untyped ones (manual 5.2.3, 9.4)."""
    bits = max(type_.bits, 16 if wider or type_.bits < 8 else 8)
    untyped = TYPES.get(f"b{bits}", type_)
    own = type_.kind == "p" or (type_.fundamental and type_.bits > 8 and type_.name not in ("f16", "f16x2"))
    return (type_, untyped) if own and type_.kind != "p" else (type_,) if own else (untyped,)


class _Operands:
    """Draws the operands of one instruction, and notes the variables that they name."""

    def __init__(self, draw: st.DrawFn, resolved: Resolved) -> None:
        self.draw = draw
        self.resolved = resolved
        self.variables: dict[str, Variable] = {}
        self.counts: dict[str, int] = {}

    def all(self) -> tuple[Operand, ...]:
        entries = [e for e in self.resolved.operands if not e.spec.optional or self.draw(st.booleans())]
        if entries and entries[0].spec.kind == "call":
            return (Symbol("callee"),)
        return tuple(self.one(entry) for entry in entries)

    def one(self, entry: OperandType) -> Operand:
        spec = entry.spec
        if spec.second is not None and (not spec.second_optional or self.draw(st.booleans())):
            first = self.one(entry._replace(spec=spec._replace(second=None)))
            if spec.sink and self.draw(_rarely):
                first = Sink()
            return Pair(first, self.value(OperandType(spec.second, TYPES.get(spec.second.type), 1)))
        if spec.kind == "address":
            return self.address(entry)
        if spec.kind == "vector" or entry.lanes > 1:
            return self.vector(entry)
        if spec.kind == "immediate":
            return self.constant(entry)
        if spec.kind == "label":
            return Symbol("TARGETS" if spec.name == "tlist" else "DONE")
        if spec.kind == "symbol" and entry.type is not None and entry.type.bits == 64 and not entry.type.is_float:
            return self.symbol(entry) if self.draw(st.booleans()) else self.value(entry)
        return Sink() if spec.kind == "sink" else self.value(entry)

    def register(self, type_: ScalarType) -> Register:
        number = self.counts[type_.name] = self.counts.get(type_.name, 0) + 1
        return Register(f"%{type_.name}_{number}", type_)

    def holder(self, type_: ScalarType, spec: OperandSpec) -> ScalarType:
        """The type of a register that stands for the type."""
        fitting = _holders(type_, spec.wider)
        found: st.SearchStrategy[ScalarType] = st.sampled_from(fitting[:1] if spec.register_only else fitting)
        return self.draw(found)

    def value(self, entry: OperandType, holder: ScalarType | None = None) -> Operand:
        """A register, or where one is read what may stand for it. `holder`: the type of a vector's other registers."""
        spec, type_ = entry.spec, entry.type or TYPES["b32"]
        if not spec.written and holder is None and self.takes_constants(spec, type_) and self.draw(_rarely):
            return self.constant(entry)
        if holder is None:
            holder = self.holder(type_, spec)
        register = self.register(holder)
        either = st.booleans()
        if len(spec.selectors) and self.draw(either):
            return Element(register, spec.selectors[-1])
        if spec.negatable and self.draw(either):
            return Not(register) if type_.kind == "p" else Negated(register)
        return register

    def takes_constants(self, spec: OperandSpec, type_: ScalarType) -> bool:
        if spec.range or spec.values:
            return True
        if spec.type != "type" or type_.lanes > 1 or (type_.is_float and type_.name not in ("f32", "f64")):
            return False
        return not spec.register_only and ".".join(self.resolved.form.section.split(".")[:3]) in _CONSTANTS

    def constant(self, entry: OperandType) -> Immediate:
        spec, type_ = entry.spec, entry.type
        if spec.values:
            return Immediate(self.draw(st.sampled_from(spec.values)))
        if spec.range is not None:
            low, high = spec.range
            step = _STEPS.get(self.resolved.form.opcode, 1)
            return Immediate(step * self.draw(st.integers(-(-low // step), min(high, 2**31) // step)))
        if type_ is not None and type_.is_float:
            return Immediate(self.draw(st.integers(0, (1 << type_.bits) - 1)), type_.name)
        if type_ is None or spec.kind == "immediate":
            return Immediate(self.draw(st.integers(0, 1)))
        if type_.kind == "p":
            return Immediate(self.draw(st.integers(0, 1)))
        top = 1 << min(type_.bits, 64) - 1
        return Immediate(self.draw(st.integers(-top if type_.kind == "s" else 0, top - 1)))

    def vector(self, entry: OperandType) -> Operand:
        """All parts of one type are in registers of one type."""
        spec = entry.spec
        parts = entry.parts or (entry._replace(spec=spec._replace(lanes="", sink=True), lanes=1),) * entry.lanes
        types = {part.type or TYPES["b32"]: part.spec for part in parts}
        holders = {type_: self.holder(type_, part) for type_, part in types.items()}
        found = [self.value(part, holders[part.type or TYPES["b32"]]) for part in parts]
        if self.resolved.form.opcode == "ld" and self.draw(_rarely):
            found[-1] = Sink()  # one at least is wanted
        return Vector(tuple(found))

    def address(self, entry: OperandType) -> Address:
        if entry.inside and not entry.parts:  # a handle of the fabric
            parts = tuple(self.value(part) for part in entry.inside)
            return Address(self.register(entry.type or TYPES["b64"]), 0, parts, handle=True)
        if entry.parts:
            base: Any = self.register(TYPES["b64"])
            inner: tuple[Operand, ...] = tuple(self.register(_coordinate(part)) for part in entry.parts)
            if entry.inside:
                between = (self.vector(p) if p.spec.kind == "vector" else self.value(p) for p in entry.inside)
                return Address(base, 0, (*between, Vector(inner)))
            if entry.spec.needs_sampler or (entry.spec.sampler and self.draw(st.booleans())):
                return Address(base, 0, (self.register(TYPES["b64"]), Vector(inner)))
            return Address(base, 0, inner)
        if entry.type is not None:
            return Address(self.register(entry.type))
        space = WINDOW.get(entry.space, entry.space)
        offset = 0 if space == "param" else 32 * self.draw(st.integers(-2, 2))
        if space in _VARIABLES and self.draw(st.booleans()):
            return Address(self.variable(space), abs(offset))
        return Address(self.register(TYPES["b64"]), offset)

    def variable(self, space: str) -> Symbol:
        name = f"{space}_data"
        self.variables[name] = Variable(space, TYPES["b8"], name, shape=(256,), align=32)
        return Symbol(name)

    def symbol(self, entry: OperandType) -> Symbol:
        named = next(
            (word for word in self.resolved.bindings.values() if WINDOW.get(word, word) in _VARIABLES), "global"
        )
        return self.variable(WINDOW.get(named, named))


_rarely = st.integers(0, 3).map(lambda n: n == 3)
_VARIABLES = ("global", "shared", "const", "local")


_CONSTANTS = frozenset("9.7.1 9.7.2 9.7.3 9.7.6 9.7.7 9.7.8".split())
"""Sections whose instructions take any constant that their type holds; elsewhere many must be multiples of something."""

_STEPS = {"setmaxnreg": 8}
"""Opcode -> what its constants are multiples of."""


def _coordinate(part: OperandType) -> ScalarType:
    """Untyped registers for integers: nvJitLink takes no mixture of declared types beside a sampler."""
    type_ = part.type or TYPES["b32"]
    return type_ if type_.is_float else TYPES[f"b{type_.bits}"]


# ---- the module around it --------------------------------------------------------------------------------------------


def _module(instruction: Instruction, target: Target, variables: dict[str, Variable]) -> Module:
    """A kernel with the instruction, or a device function where it speaks of a function's parameters."""
    body: list[Any] = [
        RegisterDeclaration(TYPES[name], (f"%{name}_",), count) for name, count in _registers(instruction).items()
    ]
    body += [variable for variable in variables.values() if variable.space == "local"]
    if instruction.opcode == "brx":
        body.append(BranchTargets("TARGETS", ("DONE",)))
    body += [instruction, Label("DONE"), Instruction("ret")]
    items: list[Any] = [variable for variable in variables.values() if variable.space != "local"]
    if instruction.opcode == "call":
        items.append(Function("callee", is_entry=False, body=Block([Instruction("ret")])))
    inside = "param::func" in instruction.op
    items.append(
        Function(
            "drawn",
            is_entry=not inside,
            linkage="visible",
            parameters=(Variable("param", TYPES["b64"], "parameter"),),
            body=Block(body),
        )
    )
    module = Module(target.since, target.name, items, name="drawn")
    module.version = minimum_version(module)
    return module


def _registers(instruction: Instruction) -> dict[str, int]:
    """Type name -> how many registers of it to declare."""
    found: dict[str, int] = {}
    pending: list[Any] = [*instruction.operands, instruction.pred]
    while pending:
        operand = pending.pop(0)
        if isinstance(operand, Register):
            number = int(operand.name.rpartition("_")[2])
            found[operand.type.name] = max(found.get(operand.type.name, 0), number + 1)
        elif isinstance(operand, (Vector,)):
            pending += operand.elements
        elif isinstance(operand, Pair):
            pending += [operand.first, operand.second]
        elif isinstance(operand, (Not, Negated)):
            pending.append(operand.operand)
        elif isinstance(operand, Element):
            pending.append(operand.base)
        elif isinstance(operand, Address):
            pending += [operand.base, *operand.coordinates]
    return dict(sorted(found.items()))
