"""The builder: what a kernel function gets as its first argument.

Its core makes registers, appends instructions and keeps the scopes in which values live. Everything else is a function in
the room's other files; the class body below is the index of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from ptxgen.builder import allowance, arithmetic, atomics, control, copies, integers, math, memory, ordering, warp
from ptxgen.builder.exact import Chain
from ptxgen.builder.indices import Dimensions, GlobalIndex, GridSize
from ptxgen.builder.pointers import ptr
from ptxgen.builder.source import build_error, caller
from ptxgen.builder.values import SCALARS, Value, pred, u32, u64
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

    from ptxgen.builder.chains import Ptx
    from ptxgen.builder.program import ModuleBuilder
    from ptxgen.ir import Operand, Statement
    from ptxgen.isa.targets import Target

__all__ = ["Builder", "Scope"]

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V", bound=Value)

_PREFIX = {"pred": "%p", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "f32": "%f", "f64": "%fd"}
"""Storage type -> register prefix, as NVIDIA's own compilers name them."""

_CHANGING = ("%clock", "%globaltimer", "%pm", "%smid", "%warpid")
"""How the names of special registers begin that may hold something else at every reading."""


class Scope:
    """A body of control flow. A value lives as long as the scope it was computed in is open."""

    __slots__ = ("cache", "exit", "kind", "next", "open", "parent", "source")

    def __init__(self, kind: str, parent: Scope | None, *, next: str = "", exit: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.open = True
        self.next = next  # label that `continue_` goes to
        self.exit = exit  # label that `break_` goes to
        self.cache: dict[Any, Any] = {}
        self.source = caller()


class Builder:
    """Builds one function. See the methods; `k.ptx` gives every instruction exactly."""

    types = SCALARS

    def __init__(self, module: ModuleBuilder, name: str) -> None:
        self.module = module
        self.target: Target = module.target
        self.name = name
        self.statements: list[Statement] = []
        self.variables: list[Variable] = []
        self.directives: list[Directive] = []
        self.guard: Register | Not | None = None
        self.scope = Scope("function", None)
        self.pending: Exception | None = None
        self._counters: dict[str, int] = {}
        self._ranges: dict[str, tuple[Register, ...]] = {}
        self._labels = 0
        self._watched: list[tuple[Value, Any]] = []
        self.unopened: dict[int, control.Body[Any]] = {}  # bodies that no `with` has opened yet
        self.results: tuple[Register, ...] | None = None

    # The core: registers, instructions, scopes

    def register(self, storage: ScalarType) -> Register:
        """A new register."""
        name = storage.name
        counters = self._counters
        if name not in counters:
            counters[name] = 0
            self._ranges[name] = register_range(_PREFIX[name], storage)
        counters[name] = number = counters[name] + 1
        shared = self._ranges[name]
        return shared[number] if number < len(shared) else Register(f"{_PREFIX[name]}{number}", storage)

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
        instruction = Instruction(op, operands, self.guard, caller(3))
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
        self.statements.append(Instruction(op, (destination, *operands), self.guard, caller(3)))
        return result

    def use(self, value: Value) -> Register | Immediate | Not | Symbol:
        """The operand of a value. BuildError when the value's scope is closed or it belongs to another kernel."""
        scope = value.scope
        if not scope.open or value.builder is not self:
            raise self._escaped(value)
        value.used = True
        return value.operand

    def _escaped(self, value: Value) -> Exception:
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

    def half_constant(self, bits: int) -> Register:
        """A 16-bit register that holds a bit pattern: half types have no immediates."""

        return self.once(("half", bits), self._half_constant, bits)

    def _half_constant(self, bits: int) -> Register:
        register = self.register(TYPES["b16"])
        self.emit("mov.b16", register, Immediate(bits))
        return register

    def find_kept(self, key: Any) -> Any:
        """What was kept in a scope that is still open, unless a guard is in force; None when there is none."""
        if self.guard is not None:
            return None
        scope: Scope | None = self.scope
        while scope is not None:
            if key in scope.cache:
                return scope.cache[key]
            scope = scope.parent
        return None

    def keep(self, key: Any, value: R) -> R:
        """Keep what was computed here for the rest of the scope; not under a guard, as where that does not hold it was not."""
        if self.guard is None:
            self.scope.cache[key] = value
        return value

    def once(self, key: Any, compute: Callable[P, R], /, *given: P.args, **named: P.kwargs) -> R:
        """What `compute(*given)` gives, computed once a scope."""
        known: R | None = self.find_kept(key)
        return self.keep(key, compute(*given, **named)) if known is None else known

    def special(self, name: str) -> Any:
        """The value of a special register, `k.special("%laneid")`; read once a scope unless it changes."""
        known = special(name)
        if known is None:
            raise build_error("PTX301", f"unknown special register {name}", hint="a full name such as %tid.x")
        return self.read_special(pred if known.type.kind == "p" else u64 if known.type.bits == 64 else u32, name)

    def read_special(self, type: type[V], name: str) -> V:
        """The value of a special register that is known to hold one of a type."""

        if name.startswith(_CHANGING):
            return self._read_special(type, name)
        return self.once(name, self._read_special, type, name)

    def _read_special(self, type: type[V], name: str) -> V:
        known = special(name)
        assert known is not None
        return self.emit1(type, f"mov.{known.type.name}", Special(name))

    def watch(self, value: Value) -> None:
        """Remember the predicate just emitted: one that nothing uses is reported when the function ends."""
        self._watched.append((value, self.statements[-1]))

    def open_scope(self, kind: str, **labels: str) -> Scope:
        self.scope = Scope(kind, self.scope, **labels)
        return self.scope

    def close_scope(self, scope: Scope) -> None:
        scope.open = False
        if scope.parent is not None:
            self.scope = scope.parent

    def finish(self) -> Block:
        """The function's body; the traps that only the end reveals are raised here."""
        if self.pending is not None:
            raise self.pending
        if self.scope.parent is not None:
            raise build_error("PTX327", f"the body of {self.scope.kind} is still open", source=self.scope.source)
        for body in self.unopened.values():
            raise body.not_opened()
        for value, made in self._watched:
            if not value.used:
                raise build_error(
                    "PTX322",
                    "the result of a comparison is thrown away",
                    hint="give it to k.if_, k.select, a vote or a guard, or delete it",
                    source=made.source,
                )
        last = self.statements[-1] if self.statements else None
        if not (isinstance(last, Instruction) and last.opcode in opcodes_with("ends") and last.pred is None):
            self.statements.append(Instruction("ret"))
        declarations: list[Statement] = [
            RegisterDeclaration(TYPES[name], (_PREFIX[name],), self._counters[name] + 1)
            for name in _PREFIX
            if name in self._counters
        ]
        self.scope.open = False
        return Block([*declarations, *self.variables, *self.statements])

    # Values

    def const(self, type: type[V], value: int | float) -> V:
        """A constant of a type, where the type of a plain Python number is not clear from its use."""
        return arithmetic.constant(self, type, value)

    def var(self, type: type[V], value: V | int | float | None = None) -> V:
        """A variable: a register that may be written again with `+=`, `set` or an exact instruction. No value: unwritten."""
        if hasattr(type, "selected"):
            hint = "an index that changes, x[i]" if issubclass(type, ptr) else "a variable a lane"
            raise build_error("PTX220", f"a variable of {type.__name__}", expected="a scalar type", hint=hint)
        arithmetic.isa_of(type)
        variable = type(self, self.register(type.storage), self.scope, mutable=True)
        if value is not None:
            arithmetic.assign(variable, value)
        return variable

    select = arithmetic.select
    fma = arithmetic.fma
    min = arithmetic.minimum
    max = arithmetic.maximum
    clamp = math.clamp
    abs = math.absolute
    sqrt = math.sqrt
    rsqrt = math.rsqrt
    rcp = math.rcp
    exp2 = math.exp2
    exp = math.exp
    log2 = math.log2
    log = math.log
    sin = math.sin
    cos = math.cos
    tanh = math.tanh
    div = math.div
    floor = math.floor
    ceil = math.ceil
    trunc = math.trunc
    round = math.to_nearest
    is_nan = math.is_nan
    is_inf = math.is_inf
    is_finite = math.is_finite
    canonical = math.canonical

    total_div = integers.total_div
    total_rem = integers.total_rem
    add_sat = integers.add_sat
    sub_sat = integers.sub_sat
    mul_sat = integers.mul_sat
    abs_diff = integers.abs_diff
    rotl = integers.rotl
    rotr = integers.rotr
    mulhi = integers.mulhi
    mul_wide = integers.mul_wide
    popc = integers.popc
    clz = integers.clz
    ctz = integers.ctz
    brev = integers.brev

    allow = allowance.allow

    # Control flow

    if_ = control.if_
    if_else = control.if_else
    while_ = control.while_
    range = control.range_
    break_ = control.break_
    continue_ = control.continue_
    pred = control.predicated
    return_ = control.return_
    trap = control.trap

    # Memory

    shared = memory.shared
    dynamic_shared = memory.dynamic_shared
    local = memory.local
    constant = memory.constant
    global_ = memory.global_
    atomic_add = atomics.atomic_add
    atomic_min = atomics.atomic_min
    atomic_max = atomics.atomic_max
    atomic_and = atomics.atomic_and
    atomic_or = atomics.atomic_or
    atomic_xor = atomics.atomic_xor
    atomic_exch = atomics.atomic_exch
    atomic_cas = atomics.atomic_cas
    atomic_inc = atomics.atomic_inc
    atomic_dec = atomics.atomic_dec
    reduce_add = atomics.reduce_add
    reduce_min = atomics.reduce_min
    reduce_max = atomics.reduce_max
    fence = atomics.fence
    ordered = ordering.ordered
    copy_async = copies.copy_async
    copy_commit = copies.copy_commit
    copy_wait = copies.copy_wait

    # Warps and CTAs

    barrier = warp.barrier
    barrier_any = warp.barrier_any
    barrier_all = warp.barrier_all
    barrier_count = warp.barrier_count
    syncwarp = warp.syncwarp
    shfl_up = warp.shfl_up
    shfl_down = warp.shfl_down
    shfl_xor = warp.shfl_xor
    shfl_idx = warp.shfl_idx
    any = warp.vote_any
    all = warp.vote_all
    uni = warp.vote_uni
    ballot = warp.ballot
    match_any = warp.match_any
    warp_reduce = warp.warp_reduce
    activemask = warp.activemask

    @property
    def tid(self) -> Dimensions:
        """The thread's index in its CTA: `.x`, `.y`, `.z`."""
        return Dimensions(self, "%tid")

    @property
    def ntid(self) -> Dimensions:
        """The CTA's size in threads."""
        return Dimensions(self, "%ntid")

    @property
    def ctaid(self) -> Dimensions:
        """The CTA's index in the grid."""
        return Dimensions(self, "%ctaid")

    @property
    def nctaid(self) -> Dimensions:
        """The grid's size in CTAs."""
        return Dimensions(self, "%nctaid")

    @property
    def global_id(self) -> GlobalIndex:
        """The thread's index in the grid, ctaid * ntid + tid."""
        return GlobalIndex(self)

    @property
    def grid_size(self) -> GridSize:
        """The grid's size in threads, nctaid * ntid."""
        return GridSize(self)

    @property
    def lane(self) -> u32:
        """The thread's lane in its warp, 0 to 31."""
        return self.read_special(u32, "%laneid")

    @property
    def clock(self) -> u64:
        """A 64-bit cycle counter."""
        return self.read_special(u64, "%clock64")

    @cached_property
    def ptx(self) -> Ptx:
        """Exactly one instruction: `k.ptx.add.rn.f32(d, a, b)`, or `k.ptx["ld.shared::cta.v4.f32"]((a, b, c, d), p)`."""
        return cast("Ptx", Chain(self))

    def pointer(self, address: u64, element: type[V], space: str = "global") -> ptr[V]:
        """A pointer from a 64-bit (shared: 32-bit) integer address."""
        kind: type[ptr[V]] = ptr.__class_getitem__(element)
        return kind(self, self.use(address), self.scope, space=space)

    def truth(self, condition: object) -> Register | Not:
        """The operand of a condition, which must be a predicate."""
        if not isinstance(condition, pred):
            found = f"a .{condition.isa.name} value" if isinstance(condition, Value) else repr(condition)
            raise build_error("PTX206", f"a condition is a predicate, not {found}", hint="x != 0, or Python's own if")
        operand = self.use(condition)
        assert isinstance(operand, (Register, Not))
        return operand
