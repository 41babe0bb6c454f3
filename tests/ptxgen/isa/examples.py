"""Concrete instructions for the table's forms: every modifier of a form at least once, operands of the stated types."""

from __future__ import annotations

from ptxgen.ir import Address, Immediate, Instruction, Operand, Pair, Register, Symbol, Vector
from ptxgen.isa.forms import OperandType, Resolved, resolve
from ptxgen.isa.notation import Availability, Form
from ptxgen.isa.types import TYPES, ScalarType

_PREFIX = {"p": "%p", "f": "%f", "b": "%b", "u": "%u", "s": "%s"}


def register(type_: ScalarType, index: int) -> Register:
    """A register that may hold the type; `declarations` declares it."""
    if type_.kind == "p":
        return Register(f"%p{index}", TYPES["pred"])
    kind = type_.kind if type_.fundamental and type_.lanes == 1 and type_.bits >= 16 else "b"
    kind = "b" if kind == "f" and type_.bits == 16 else kind
    bits = max(type_.bits, 16)
    return Register(f"{_PREFIX[kind]}{bits}_{index}", TYPES[f"{kind}{bits}"])


def declarations(version: tuple[int, int]) -> list[str]:
    """The registers of the examples; 128-bit ones came with PTX 8.3."""
    names = {"pred": "%p"}
    for kind in "busf":
        for bits in (16, 32, 64) if kind != "b" else (16, 32, 64, 128):
            if (kind, bits) != ("f", 16):
                names[f"{kind}{bits}"] = f"{_PREFIX[kind]}{bits}_"
    return [f".reg .{t} {prefix}<40>;" for t, prefix in names.items() if t != "b128" or version >= (8, 3)]


def spellings(form: Form) -> list[str]:
    """Names the form spells: all-default, then each choice of each position once."""

    def spell(overrides: dict[str, str | None]) -> str:
        parts = [form.opcode]
        for segment in form.segments:
            value = overrides.get(segment.name, None if segment.optional else next(iter(segment.choices)))
            if value:
                parts.append(value)
        return ".".join(parts)

    found = [spell({})]
    for segment in form.segments:
        found += [spell({segment.name: choice}) for choice in segment.choices]
    return list(dict.fromkeys(found))


def operand(entry: OperandType, index: int, space: str) -> Operand:
    spec, type_ = entry.spec, entry.type or TYPES["b32"]
    if spec.second is not None and not spec.second_optional:
        first = operand(entry._replace(spec=spec._replace(second=None)), index, space)
        return Pair(first, register(TYPES[spec.second.type], index + 1))
    if spec.kind == "address":
        return Address(Register("%u64_30", TYPES["u64"]))
    if spec.kind == "label":
        return Symbol("DONE")
    if spec.kind == "immediate":
        return Immediate(spec.range[1] if spec.range and spec.range[1] < 2**31 - 1 else 1)
    if spec.kind == "vector":
        return Vector(tuple(register(TYPES[e.type], index * 8 + i) for i, e in enumerate(spec.elements)))
    if entry.lanes > 1:
        return Vector(tuple(register(type_, index * 8 + i) for i in range(entry.lanes)))
    return register(type_, index)


def instructions(form: Form) -> list[tuple[Instruction, Resolved]]:
    """One instruction a spelling, with and without the optional operands."""
    found: list[tuple[Instruction, Resolved]] = []
    for name in spellings(form):
        resolved = next((r for r in resolve(name) if r.form is form), None)
        if resolved is None or form.opcode in ("call", "brx"):
            continue
        policy = "L2::cache_hint" in name
        for full in (False, True):
            chosen = [
                o for o in resolved.operands
                if not o.spec.optional or (policy if o.spec.name == "policy" else full)
            ]  # fmt: skip
            operands = tuple(operand(o, i, "") for i, o in enumerate(chosen))
            entry = (Instruction(name, operands), resolved)
            if not any(entry[0] == other for other, _ in found):
                found.append(entry)
    return found


def minimum(resolved: Resolved) -> list[Availability]:
    """One availability for each condition: the first stated."""
    return [choices[0] for choices in resolved.since]
