"""The function being built: its registers, instructions and the scopes in which values live.

Every operation is written against `FunctionBuilder`: it emits instructions there and returns typed operands. What a kernel
sees is `ptxgen.builder.builder.Builder`, which has the operations as methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.shared_memory import SharedMemoryPlan
from ptxgen.builder.core.source import Callers, build_error, caller
from ptxgen.ir import (
    Block,
    Directive,
    Immediate,
    Instruction,
    Label,
    Not,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
)
from ptxgen.ir.operands import register_range
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.specials import special
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.core.module_builder import ModuleBuilder
    from ptxgen.errors import BuildError
    from ptxgen.ir import Operand, PythonPlace, PythonSource, Statement
    from ptxgen.isa.targets import Target

__all__ = ["FunctionBuilder", "TypedOperand", "ValueScope"]

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V", bound="TypedOperand")

_PREFIX = {"pred": "%p", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "f32": "%f", "f64": "%fd"}
"""Storage type -> register prefix, as NVIDIA's own compilers name them."""

_SHARED = 1024
"""Registers of a type that programs share."""

_CHANGING = ("%clock", "%globaltimer", "%pm", "%smid", "%warpid")
"""How the names of special registers begin that may hold something else at every reading."""


class ValueScope:
    """A body of control flow. A value lives as long as the scope it was computed in is open."""

    __slots__ = ("cache", "exit", "kind", "left", "next", "open", "parent", "source")

    def __init__(self, kind: str, parent: ValueScope | None, *, next: str = "", exit: str = "") -> None:
        self.kind: str = kind
        self.parent: ValueScope | None = parent
        self.open: bool = True
        self.next: str = next  # label that `continue_` goes to
        self.exit: str = exit  # label that `break_` goes to
        self.left: bool = False  # does any?
        self.cache: dict[Any, Any] = {}
        self.source: PythonPlace | None = caller()


class TypedOperand:
    """An operand of the function being built, its type and the scope it lives in: the ground of every value of a kernel.

    The operand is a register, a constant, a negated predicate or a variable's name. `isa` is how instructions name the type,
    `storage` the type of its register, `memory` how ld and st name it: half and fp8 types move as bits.
    """

    __slots__ = ("builder", "mutable", "operand", "scope", "used")
    isa: ClassVar[ScalarType]
    storage: ClassVar[ScalarType]
    memory: ClassVar[str]

    def __init__(
        self,
        builder: FunctionBuilder,
        operand: Register | Immediate | Not | Symbol = None,  # type: ignore[assignment]
        scope: ValueScope = None,  # type: ignore[assignment]
        *,
        mutable: bool = False,
    ) -> None:
        if scope is None:
            raise _called_type(type(self), builder)
        self.builder: FunctionBuilder = builder
        self.operand: Register | Immediate | Not | Symbol = operand
        self.scope: ValueScope = scope
        self.mutable: bool = mutable
        self.used: bool = False


def _plain(negated: Not) -> Register:
    """What a negated predicate is the negation of."""
    assert isinstance(negated.operand, Register)
    return negated.operand


def _called_type(type: type[TypedOperand], argument: object) -> BuildError:
    """The error of `f32(n)`."""
    name = type.__name__
    number = isinstance(plain(argument), (int, float))
    value, variable = f"x.to({name}) converts a value", f"k.var({name}, x) makes a variable"
    return build_error(
        "PTX220",
        f"{name} is a type, it is not called",
        hint=f"k.const({name}, {argument})" if number else f"{value}, {variable}",
    )


class FunctionBuilder:
    """Builds one function: makes registers, appends instructions, opens and closes scopes."""

    def __init__(self, module: ModuleBuilder, name: str) -> None:
        self.module = module
        self.target: Target = module.target
        self.name = name
        self.statements: list[Statement] = []
        self.variables: list[Variable] = []
        self.directives: list[Directive] = []
        self.guard: Register | Not | None = None
        self.scope: ValueScope = ValueScope("function", None)
        self.pending: Exception | None = None
        self._counters: dict[str, int] = {}
        self._ranges: dict[str, tuple[Register, ...]] = {}
        self.callers: Callers = Callers()
        self._labels = 0
        self._expected: list[tuple[TypedOperand, Any]] = []  # predicates that must be used, and the instructions
        self.unopened: dict[int, Callable[[], BuildError]] = {}  # the errors of bodies that no `with` has opened yet
        self.results: tuple[Register, ...] | None = None
        self.shared_memory: SharedMemoryPlan = SharedMemoryPlan(module)
        self.unstarted: list[Any] = []  # mbarriers that are declared and not initialised
        self.named_barriers = 1  # those in use: barrier 0 is the whole CTA's
        self.tensors: dict[str, Any] = {}  # of each tensor map among the parameters, what its copies move

    # Registers and instructions

    def register(self, storage: ScalarType) -> Register:
        """A new register."""
        name = storage.name
        counters = self._counters
        if name not in counters:
            counters[name] = 0
            self._ranges[name] = register_range(_PREFIX[name], storage, 128)
        counters[name] = number = counters[name] + 1
        shared = self._ranges[name]
        if number >= len(shared):
            if number >= _SHARED:
                return Register(f"{_PREFIX[name]}{number}", storage)
            shared = self._ranges[name] = register_range(_PREFIX[name], storage, 2 * len(shared))
        return shared[number]

    def registers_made(self) -> dict[str, int]:
        """How many registers there are so far by their names' prefix; a later register has a higher number."""
        return {_PREFIX[name]: count for name, count in self._counters.items()}

    def label(self, hint: str) -> str:
        """A new label's name."""
        self._labels += 1
        return f"$L_{hint}_{self._labels}"

    def place(self, label: str) -> None:
        """Put a label here."""
        self.statements.append(Label(label))

    def emit(self, op: str, *operands: Operand) -> Instruction:
        """Append an instruction that is known to be legal; the guard in force applies."""
        if self.pending is not None:
            raise self.pending
        instruction = Instruction(op, operands, self.guard, self.callers.find(3))
        self.statements.append(instruction)
        return instruction

    def emit1(self, type: type[V], op: str, *operands: Operand, into: V | None = None) -> V:
        """Append an instruction whose first operand is its result; returns that result."""
        if self.pending is not None:
            raise self.pending
        if into is None:
            destination: Any = self.register(type.storage)
            result = type(self, destination, self.scope)
        else:
            destination, result = self.use(into), into
        self.statements.append(Instruction(op, (destination,) + operands, self.guard, self.callers.find(3)))
        return result

    def use(self, value: TypedOperand) -> Register | Immediate | Not | Symbol:
        """The operand of a value. BuildError when the value's scope is closed or it belongs to another kernel."""
        scope = value.scope
        if not scope.open or value.builder is not self:
            raise self._escaped(value)
        value.used = True
        return value.operand

    def _escaped(self, value: TypedOperand) -> Exception:
        if value.builder is not self:
            return build_error(
                "PTX321",
                f"{value!r} belongs to {value.builder.name}, not to {self.name}",
                hint="pass it as an argument",
            )
        return build_error(
            "PTX321",
            f"{value!r} was computed inside the body of {value.scope.kind} and cannot be used outside it",
            expected="a variable for state that outlives a body",
            hint=f"x = k.var({value.isa.name}, ...) before {value.scope.kind}, then x.set(...) or x += ... inside",
        )

    def truth(self, condition: object) -> Register | Not:
        """The operand of a condition, which must be a predicate. `ir.Not(p)` is the negation of a variable as well, at no
        instruction: it is that of the value which the variable has where the condition stands."""
        if isinstance(condition, Not):
            inner = self.truth(condition.operand)
            return Not(inner) if isinstance(inner, Register) else _plain(inner)
        if not isinstance(condition, TypedOperand) or condition.isa.kind != "p":
            found = f"a .{condition.isa.name} value" if isinstance(condition, TypedOperand) else repr(condition)
            raise build_error("PTX206", f"a condition is a predicate, not {found}", hint="x != 0, or Python's own if")
        operand = self.use(condition)
        assert isinstance(operand, (Register, Not))
        return operand

    def half_constant(self, bits: int) -> Register:
        """A 16-bit register that holds a bit pattern: half types have no immediates."""
        return self.once(("half", bits), self._half_constant, bits)

    def _half_constant(self, bits: int) -> Register:
        register = self.register(TYPES["b16"])
        self.emit("mov.b16", register, Immediate(bits))
        return register

    # What is computed once

    def find_kept(self, key: Any) -> Any:
        """What was kept in a scope that is still open, unless a guard is in force; None when there is none."""
        if self.guard is not None:
            return None
        scope: ValueScope | None = self.scope
        while scope is not None:
            found = scope.cache.get(key)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def keep(self, key: Any, value: R) -> R:
        """Keep what was computed here for the rest of the scope; not under a guard, as where that does not hold it was not."""
        if self.guard is None:
            self.scope.cache[key] = value
        return value

    def once(self, key: Any, compute: Callable[P, R], /, *arguments: P.args, **named: P.kwargs) -> R:
        """The result of `compute(*arguments)`, computed once a scope."""
        known: R | None = self.find_kept(key)
        return self.keep(key, compute(*arguments, **named)) if known is None else known

    def read_special(self, type: type[V], name: str) -> V:
        """The value of a special register that is known to hold one of a type."""
        if name.startswith(_CHANGING):
            return self._read_special(type, name)
        return self.once(name, self._read_special, type, name)

    def _read_special(self, type: type[V], name: str) -> V:
        known = special(name)
        assert known is not None
        return self.emit1(type, f"mov.{known.type.name}", Special(name))

    def expect_use(self, value: TypedOperand) -> None:
        """Remember the predicate just emitted: one that nothing uses is reported when the function ends."""
        self._expected.append((value, self.statements[-1]))

    # Scopes

    def open_scope(self, kind: str, **labels: str) -> ValueScope:
        """Begin a body; its values may be used until it is closed."""
        self.scope = ValueScope(kind, self.scope, **labels)
        return self.scope

    def close_scope(self, scope: ValueScope) -> None:
        """End a body."""
        scope.open = False
        if scope.parent is not None:
            self.scope = scope.parent

    def finish(self, source: PythonSource | None = None, *, returns: bool = True) -> Block:
        """The function's body, with a `ret` at its end whose place is `source`; the traps that only the end reveals are raised
        here. Without `returns` it ends as it was written, and no `ret` is added."""
        if self.pending is not None:
            raise self.pending
        if self.scope.parent is not None:
            raise build_error("PTX327", f"the body of {self.scope.kind} is still open", source=self.scope.source)
        for not_opened in self.unopened.values():
            raise not_opened()
        for value, made in self._expected:
            if not value.used:
                raise build_error(
                    "PTX322",
                    "the result of a comparison is thrown away",
                    hint="give it to k.if_, k.select, a vote or a guard, or delete it",
                    source=made.source,
                )
        last = self.statements[-1] if self.statements else None
        if returns and not (
            isinstance(last, Instruction) and last.opcode in opcodes_with("ends") and last.pred is None
        ):
            self.statements.append(Instruction("ret", source=source))
        declarations: list[Statement] = [
            RegisterDeclaration(TYPES[name], (_PREFIX[name],), self._counters[name] + 1)
            for name in _PREFIX
            if name in self._counters
        ]
        self.scope.open = False
        return Block([*declarations, *self.variables, *self.statements])
