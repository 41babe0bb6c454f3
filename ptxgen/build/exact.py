"""Exact control: one call, one instruction, modifiers in the manual's order.

    k.ptx.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(d, a, b, c)
    k.ptx["ld.shared::cta.v4.f32"]((x, y, z, w), tile.at(0))

Python's lexis: a trailing underscore is dropped (`global_`, `and_`), `__` stands for `::` (`shared__cta`), a leading
underscore before a digit is dropped (`_2d`). Vectors are tuples, `sink` is `_`, `(d, p)` is `d|p` where the form has two
destinations, `~p` negates, a list `[base, offset]` is an address, and `pred=p` guards the instruction.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ptxgen.build.memory import Array
from ptxgen.build.pointers import ptr, vec
from ptxgen.build.source import build_error
from ptxgen.build.values import Value
from ptxgen.check.forms import unknown_form
from ptxgen.check.operands import assign, expected_operands, match
from ptxgen.ir import Address, Immediate, Pair, Register, Sink, Symbol, Vector, float_immediate
from ptxgen.isa.forms import OperandType, Resolved, opcodes, resolve

if TYPE_CHECKING:
    from ptxgen.build.builder import Builder
    from ptxgen.build.values import pred as Predicate
    from ptxgen.ir import Operand

__all__ = ["Chain", "sink"]

sink = Sink()
"""The destination `_`: a result that nobody wants."""


def _modifier(name: str) -> str:
    if name.startswith("_") and name[1:2].isdigit():
        name = name[1:]
    return name.rstrip("_").replace("__", "::")


class Chain:
    """An instruction's name as far as it has been spelled; calling it appends the instruction."""

    __slots__ = ("_builder", "_parts")

    def __init__(self, builder: Builder, parts: tuple[str, ...]) -> None:
        self._builder = builder
        self._parts = parts

    def __getattr__(self, name: str) -> Chain:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Chain(self._builder, (*self._parts, _modifier(name)))

    def __getitem__(self, name: str) -> Chain:
        return Chain(self._builder, (*self._parts, *name.split(".")))

    def __dir__(self) -> list[str]:
        """The modifiers that may follow here, for completion."""
        from ptxgen.isa.forms import forms_of

        if not self._parts:
            return [name + "_" if name in _KEYWORDS else name for name in opcodes()]
        following: dict[str, None] = {}
        for form in forms_of(self._parts[0]):
            for cut in range(len(form.segments) + 1):
                head = form.segments[:cut]
                done = type(form)(form.opcode, "", head, (), (), frozenset(), "").bind(list(self._parts[1:]))
                if done is not None and cut < len(form.segments):
                    following.update(dict.fromkeys(form.segments[cut].choices))
        return [name.replace("::", "__") + ("_" if name in _KEYWORDS else "") for name in following]

    def __repr__(self) -> str:
        return f"<instruction {'.'.join(self._parts)}>"

    def __call__(self, *operands: Any, pred: Predicate | None = None) -> None:
        k = self._builder
        op = ".".join(self._parts)
        candidates = resolve(op)
        if not candidates:
            code, message, hint = unknown_form(op)
            raise build_error(code, message, hint=hint)
        form = next((c for c in candidates if assign(c.operands, len(operands)) is not None), candidates[0])
        specs = assign(form.operands, len(operands))
        converted = tuple(_operand(k, spec, value) for spec, value in zip(specs or itertools.repeat(None), operands))
        found = match(op, converted)
        if found.mismatch is not None:
            problem = found.mismatch
            raise build_error(
                problem.code,
                f"{op} operand {problem.position + 1} is {problem.found}"
                if problem.position >= 0
                else f"{op} has {problem.found}",
                expected=problem.expected,
                hint=f"{op}({expected_operands(found.resolved or form)})",
            )
        assert found.resolved is not None
        _check_available(k, op, found.resolved)
        _check_written(found.resolved, operands)
        _check_kinds(op, found.resolved, operands)
        instruction = k.emit(op, *converted)
        if pred is not None:
            if k.guard is not None:
                raise build_error("PTX328", "pred= inside k.pred", hint="k.pred(a & b)")
            instruction.pred = k.truth(pred)


_KEYWORDS = frozenset({"and", "or", "not", "global", "async", "is", "in", "if", "for"})


def _check_available(k: Builder, op: str, form: Resolved) -> None:
    for choices in form.since:
        if not any(k.target.provides(c.sm, c.suffix) for c in choices):
            needed = " or ".join(f"sm_{c.sm}{c.suffix}" for c in choices)
            raise build_error(
                "PTX412",
                f"{op} needs target {needed}, this module is for {k.target.name}",
                expected=" or ".join(map(str, choices)),
                hint=f'target="sm_{choices[0].sm}{choices[0].suffix}"',
            )


def _check_written(form: Resolved, operands: tuple[Any, ...]) -> None:
    """A value is single-assignment: only a variable may be a destination."""
    for entry, operand in zip(assign(form.operands, len(operands)) or (), operands):
        if not entry.spec.written and not (entry.spec.elements and entry.spec.elements[0].written):
            continue
        for part in operand if isinstance(operand, (tuple, vec)) else (operand,):
            if isinstance(part, Value) and not part.mutable:
                raise build_error(
                    "PTX326",
                    f"{part!r} is written by {form.form.opcode}, but a value is assigned only once",
                    expected="a variable",
                    hint=f"d = k.var({part.isa.name})",
                )


def _check_kinds(op: str, form: Resolved, operands: tuple[Any, ...]) -> None:
    """Integers live in untyped registers, which the verifier lets stand for floats; the value's own type says more."""
    for entry, operand in zip(assign(form.operands, len(operands)) or (), operands):
        wanted = entry.type
        if wanted is None or entry.spec.kind != "value" or wanted.lanes > 1:
            continue
        for part in operand if isinstance(operand, (tuple, vec)) else (operand,):
            if not isinstance(part, Value) or isinstance(part, ptr):
                continue
            if (wanted.is_float and part.isa.is_integer) or (wanted.is_integer and part.isa.is_float):
                raise build_error(
                    "PTX203",
                    f"{part!r} is given to {op} where a .{wanted.name} is read or written",
                    hint=f"x.to({wanted.name}) converts, x.bits(b{part.isa.bits}) says that its bits are meant",
                )


def _operand(k: Builder, entry: OperandType | None, value: Any) -> Operand:
    spec = entry.spec if entry is not None else None
    if isinstance(value, (ptr, Array)):
        pointer = value.pointer if isinstance(value, Array) else value
        if spec is None or spec.kind == "address":
            return Address(k.use(pointer), pointer.offset)
        if pointer.offset:
            raise build_error("PTX204", "a pointer with an offset is an address, not a register", hint="[x.at(i)]")
        return k.use(pointer)  # type: ignore[no-any-return]
    if isinstance(value, Value):
        operand = k.use(value)
        return Address(operand) if spec is not None and spec.kind == "address" else operand
    if isinstance(value, list):
        base = _operand(k, None, value[0])
        offset = value[1] if len(value) > 1 else 0
        if isinstance(base, Address):
            return Address(base.base, base.offset + offset)
        assert isinstance(base, (Register, Symbol, Immediate))
        return Address(base, offset)
    if isinstance(value, (tuple, vec)):
        if spec is not None and spec.second is not None and len(value) == 2:
            return Pair(_operand(k, None, value[0]), _operand(k, None, value[1]))
        inner = None if entry is None else entry._replace(lanes=1)
        return Vector(tuple(_operand(k, inner, part) for part in value))
    if isinstance(value, (bool, int, float)):
        return _number(entry, value)
    if isinstance(value, str):
        return Symbol(value)
    return value  # type: ignore[no-any-return]


def _number(entry: OperandType | None, value: int | float) -> Immediate:
    type_ = entry.type if entry is not None else None
    if type_ is not None and type_.is_float:
        return float_immediate(float(value), "f64" if type_.bits == 64 else "f32")
    if isinstance(value, float):
        return float_immediate(value, "f64" if type_ is not None and type_.bits == 64 else "f32")
    return Immediate(int(value))
