"""Every name that a form spells, and example instructions for it, as PTX text.

The certifier assembles them, `explain` shows them. Registers are called as compilers call them: %p predicates, %rs 16, %r 32,
%rd 64 and %rq 128 bits untyped, %f and %fd floats, and %u16_, %s32_, ... where a form asks for an integer of a sign.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.isa.forms import OperandType, Resolved
    from ptxgen.isa.notation import Form
    from ptxgen.isa.types import ScalarType

__all__ = ["PREFIXES", "covering_names", "declarations", "every_name", "examples", "register"]

PREFIXES: dict[str, str] = {
    "pred": "%p", "b8": "%b", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "f32": "%f", "f64": "%fd",
    "u16": "%u16_", "u32": "%u32_", "u64": "%u64_", "s16": "%s16_", "s32": "%s32_", "s64": "%s64_",
}  # fmt: skip
"""Register type -> what the names of the examples' registers of that type begin with."""

_MANY = frozenset({"b32", "f32", "s32"})
_COUNTS = {name: 300 if name in _MANY else 72 for name in PREFIXES}


def declarations(version: tuple[int, int]) -> str:
    """The declarations of all registers that examples use, on one line; 128-bit registers came with PTX 8.3."""
    return " ".join(
        f".reg .{name} {prefix}<{_COUNTS[name]}>;"
        for name, prefix in PREFIXES.items()
        if name != "b128" or version >= (8, 3)
    )


def register(type_: ScalarType, index: int, *, wider: bool = False) -> str:
    """The name of a register that may hold the type (manual 5.2.3: alternate and packed formats live in untyped ones)."""
    name = type_.name
    if name not in PREFIXES or name == "b8":
        name = f"b{max(type_.bits, 16 if wider or type_.bits < 8 else 8)}"
    return f"{PREFIXES[name]}{index}"


def every_name(form: Form) -> Iterator[str]:
    """Every dotted name that the form spells: the product of its modifiers without what its rules exclude."""
    choices = [[*([""] if s.optional else ()), *s.choices] for s in form.segments]
    for chosen in product(*choices):
        words = [word for word in chosen if word]
        if not form.forbids(words):
            yield ".".join([form.opcode, *words])


def covering_names(form: Form) -> list[str]:
    """Some names of the form: every modifier stands in one of them at least."""
    first: list[str] = [("" if s.optional else next(iter(s.choices))) for s in form.segments]
    rows = [first] + [
        [*first[:i], choice, *first[i + 1 :]] for i, s in enumerate(form.segments) for choice in s.choices
    ]
    names = []
    for row in rows:
        words = [word for word in row if word]
        if not form.forbids(words):
            names.append(".".join([form.opcode, *words]))
    return list(dict.fromkeys(names)) or list(every_name(form))[:1]


class _Registers:
    """Hands out registers, each once in an instruction."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def __call__(self, type_: ScalarType | None, *, wider: bool = False) -> str:
        prefix = register(type_ or TYPES["b32"], 0, wider=wider)[:-1]
        self._used[prefix] = self._used.get(prefix, 0) + 1
        return f"{prefix}{self._used[prefix]}"


def _operand(entry: OperandType, new: _Registers, rich: bool) -> str:
    spec = entry.spec
    if spec.second is not None and (rich or not spec.second_optional):
        first = _operand(entry._replace(spec=spec._replace(second=None)), new, rich)
        return f"{first}|{new(TYPES[spec.second.type])}"
    if spec.kind == "address":
        return _address(entry, new, rich)
    if spec.kind == "vector" or entry.lanes > 1:
        parts = entry.parts or (entry._replace(spec=spec._replace(lanes=""), lanes=1),) * entry.lanes
        return "{" + ", ".join(_operand(part, new, rich) for part in parts) + "}"
    if spec.kind == "immediate":
        return str(_constant(entry))
    fixed = {"sink": "_", "label": "TARGETS" if spec.name == "tlist" else "DONE", "call": "callee"}.get(spec.kind)
    if fixed is not None:
        return fixed
    selector = f".{spec.selectors[-1]}" if rich and spec.selectors else ""
    sign = "" if not (rich and spec.negatable) else "!" if entry.type is TYPES["pred"] else ""
    return sign + new(entry.type, wider=spec.wider) + selector


def _constant(entry: OperandType) -> int:
    spec = entry.spec
    if spec.values:
        return spec.values[-1]
    return spec.range[1] if spec.range and spec.range[1] < 2**31 - 1 else 1


def _address(entry: OperandType, new: _Registers, rich: bool) -> str:
    spec = entry.spec
    inner = [new(entry.type or TYPES["u64"])]
    if spec.needs_sampler or (spec.sampler and rich):
        inner.append(new(TYPES["u64"]))
    inner += [_operand(part, new, rich) for part in entry.inside]
    if entry.parts:
        # Untyped registers for integers: nvJitLink takes no mixture of declared types beside a sampler.
        types = [
            part.type if part.type is None or part.type.is_float else TYPES[f"b{part.type.bits}"]
            for part in entry.parts
        ]
        inner.append("{" + ", ".join(new(type_) for type_ in types) + "}")
    return "[" + ", ".join(inner) + "]"


def examples(name: str, resolved: Resolved) -> list[str]:
    """Instructions of that name: with the fewest operands, with all, and with negation, selectors and second results."""
    found = []
    for optional, rich in ((False, False), (True, False), (True, True)):
        chosen = [entry for entry in resolved.operands if optional or not entry.spec.optional]
        new = _Registers()
        text = ", ".join(_operand(entry, new, rich) for entry in chosen)
        found.append(f"{name} {text};" if text else f"{name};")
    return list(dict.fromkeys(found))
