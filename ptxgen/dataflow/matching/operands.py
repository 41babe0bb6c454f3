"""Do these operands fit that instruction? The match of ir operands against the table's forms.

Answers depend on kinds and types alone, so they are remembered by signature: the second `add.f32` of three f32 registers
costs one dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, takewhile
from typing import TYPE_CHECKING, Any, Literal

from driver_ctypes.typing import NamedTuple
from ptxgen.dataflow.matching.leniency import common_type, constants_alone, exactly, takes, untyped
from ptxgen.ir import (
    Address,
    Arguments,
    Element,
    Immediate,
    Negated,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Sum,
    Symbol,
    Vector,
)
from ptxgen.isa.forms import OperandType, Resolved, opcodes_with, resolve, resolve_loosely
from ptxgen.isa.specials import special
from ptxgen.isa.types import TYPES, ScalarType, accepts

if TYPE_CHECKING:
    from ptxgen.isa.notation import Form

__all__ = [
    "Match",
    "Mismatch",
    "Reason",
    "assign",
    "describe",
    "destinations",
    "expected_operands",
    "manual_name",
    "match",
    "match_shapes",
    "shape",
]


Reason = Literal["count", "type", "kind", "value", "order"]
"""What does not fit: the number of operands, a register's type, the kind of an operand, a constant, the order of modifiers."""

Problem = tuple[Reason, str]
"""(what does not fit of an operand, what was expected)."""


class Mismatch(NamedTuple):
    """Why a form does not take these operands. `position` is the operand's, -1 for a wrong count or order."""

    reason: Reason
    position: int
    expected: str
    found: str


class Match(NamedTuple):
    """The form that an instruction is, or why it is none. `resolved` is None for an unknown name.

    `everywhere`: it is legal, without a warning, for every target and PTX version. `written`: so many of its operands, from the
    first on, are destinations.
    """

    resolved: Resolved | None
    mismatch: Mismatch | None
    warning: Mismatch | None
    everywhere: bool = False
    written: int = 0


_cache: dict[tuple[object, ...], Match] = {}


def _key(operand: Operand) -> object:
    return _KEYS[type(operand)](operand)


_KEYS: dict[type, Callable[[Any], object]] = {
    Register: lambda o: o.type.name if o.lanes == 1 else (o.type.name, o.lanes),
    Immediate: lambda o: (o.kind, o.value),
    Address: lambda o: ("[", o.handle, _key(o.base), *[_key(part) for part in o.coordinates]),
    Symbol: lambda o: "symbol+" if o.is_sum else "symbol",
    Special: lambda o: o,
    Sink: lambda o: "_",
    Vector: lambda o: ("{", *[p.type if type(p) is Register and p.lanes == 1 else _key(p) for p in o.elements]),
    Arguments: lambda o: ("(", *[_key(part) for part in o.elements]),
    Not: lambda o: ("!", _key(o.operand)),
    Negated: lambda o: ("-", _key(o.operand)),
    Sum: lambda o: ("+", _key(o.operand)),
    Pair: lambda o: ("|", _key(o.first), _key(o.second)),
    Element: lambda o: (".", _key(o.base), o.name),
}


def match(op: str, operands: tuple[Operand, ...]) -> Match:
    """The first form of the table that `op` spells and that takes the operands; else the nearest reason why not."""
    return match_shapes((op, *map(shape, operands)), operands)


def shape(operand: Operand) -> object:
    """All that a form may ask of an operand; of a register, its type."""
    return operand.type if type(operand) is Register and operand.lanes == 1 else _key(operand)


def match_shapes(key: tuple[object, ...], operands: tuple[Operand, ...]) -> Match:
    """The same for an instruction's name and the shapes of its operands, by which it is known once it was met."""
    found = _cache.get(key)
    if found is None:
        found = _match(str(key[0]), operands)
        if found.mismatch is None and found.warning is None:  # what they say names these operands
            if len(_cache) > 50_000:
                _cache.clear()
            if found.resolved is not None:
                form = found.resolved
                found = found._replace(everywhere=not (form.since or form.form.until), written=destinations(form.form))
            _cache[key] = found
    return found


@cache
def destinations(form: Form) -> int:
    """How many operands, from the first on, an instruction of that form writes."""
    return sum(1 for _ in takewhile(lambda spec: spec.written, form.operands))


def manual_name(op: str, operands: tuple[Operand, ...]) -> str:
    """The instruction's name with its modifiers in the manual's order; `op` itself where it is no form of the table."""
    found = match(op, operands)
    return op if found.resolved is None or found.mismatch is not None else found.resolved.name


def _match(op: str, operands: tuple[Operand, ...]) -> Match:
    best: tuple[int, Resolved, Mismatch] | None = None
    for candidate in resolve(op):
        mismatch = _fits(candidate, operands)
        if mismatch is None:
            return Match(candidate, None, _out_of_range(candidate, operands))
        if best is None or mismatch.position > best[0]:
            best = (mismatch.position, candidate, mismatch)
    return _match_loosely(op, operands, best)


def _match_loosely(op: str, operands: tuple[Operand, ...], best: tuple[int, Resolved, Mismatch] | None) -> Match:
    """What assemblers let pass is legal with a warning: modifiers that the manual writes otherwise, operands that it forbids."""
    strict = best is not None
    for candidate in resolve_loosely(op):
        mismatch = _fits(candidate, operands)
        if mismatch is None or _lets_pass(candidate, operands):
            disorder = None if candidate.name == op else _disorder(op, candidate)
            if (
                mismatch is not None
                and candidate.form.opcode in _LISTED
                and _fits(candidate, _unlisted(operands)) is None
            ):
                mismatch = None
            return Match(candidate, None, disorder or mismatch or _out_of_range(candidate, operands))
        if not strict and (best is None or mismatch.position > best[0]):
            best = (mismatch.position, candidate, mismatch)
    return Match(None, None, None) if best is None else Match(best[1], best[2], None)


_LISTED = opcodes_with("load", "store") - {"ldu"}
"""Opcodes whose scalars may stand in a list of one without a warning: compilers write all their loads and stores so."""


def _unlisted(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The operands, lists of one register as that register."""
    return tuple(o.elements[0] if isinstance(o, Vector) and len(o) == 1 else o for o in operands)


def _disorder(op: str, form: Resolved) -> Mismatch:
    same = sorted(op.split(".")) == sorted(form.name.split("."))
    found = "its modifiers in another order than the manual's" if same else "other modifiers than the manual's"
    return Mismatch("order", -1, form.name, found)


def _lets_pass(form: Resolved, operands: tuple[Operand, ...]) -> bool:
    return any(
        all(_lets_pass_as(form, wanted, operand) for wanted, operand in zip(chosen, operands))
        for chosen in _assignments(form.operands, len(operands))
    )


def _lets_pass_as(form: Resolved, wanted: OperandType, operand: Operand) -> bool:
    if _refused_constant(wanted, operand):
        return False
    if isinstance(operand, Pair) and wanted.spec.second is not None:
        if isinstance(operand.first, Element):
            return False
        first = wanted._replace(spec=wanted.spec._replace(second=None))
        second = OperandType(wanted.spec.second, TYPES.get(wanted.spec.second.type), 1)
        return _lets_pass_as(form, first, operand.first) and _lets_pass_as(form, second, operand.second)
    return _operand_problem(form, wanted, operand) is None or takes(wanted, operand)


def _fits(form: Resolved, operands: tuple[Operand, ...]) -> Mismatch | None:
    if form.operands and form.operands[0].spec.kind == "call":
        return None
    worst: Mismatch | None = None
    for chosen in _assignments(form.operands, len(operands)):
        problem = _fits_as(form, chosen, operands)
        if problem is None:
            return None
        if worst is None or problem.position > worst.position:
            worst = problem
    if worst is None:
        needed = sum(not o.spec.optional for o in form.operands)
        bound = f"{needed}" if needed == len(form.operands) else f"{needed} to {len(form.operands)}"
        return Mismatch("count", -1, f"{bound} operands: {expected_operands(form)}", f"{len(operands)} operands")
    return worst


def _fits_as(form: Resolved, chosen: Sequence[OperandType], operands: tuple[Operand, ...]) -> Mismatch | None:
    for index, (wanted, operand) in enumerate(zip(chosen, operands)):
        problem = _operand_problem(form, wanted, operand)
        if problem is None:
            problem = _refused_constant(wanted, operand)
        if problem is not None:
            return Mismatch(problem[0], index, problem[1], describe(operand))
    return None


def _assignments(specs: tuple[OperandType, ...], count: int) -> Iterator[list[OperandType]]:
    """Every choice of optional operands that makes `count`, the leftmost first."""
    optional = [i for i, entry in enumerate(specs) if entry.spec.optional]
    spare = count - (len(specs) - len(optional))
    if 0 <= spare <= len(optional):
        for kept in combinations(optional, spare):
            yield [entry for i, entry in enumerate(specs) if not entry.spec.optional or i in kept]


def assign(specs: tuple[OperandType, ...], count: int) -> list[OperandType] | None:
    """Which specs the `count` operands stand for, when optional ones (leftmost first) are filled; None: wrong count."""
    return next(_assignments(specs, count), None)


def _operand_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    spec = wanted.spec
    if isinstance(operand, Pair):
        if spec.second is None or isinstance(operand.first, Element):
            return "kind", f"one destination for {spec.name}, not a pair" if spec.second is None else "two registers"
        first = _operand_problem(form, wanted._replace(spec=spec._replace(second=None)), operand.first)
        second_spec = OperandType(spec.second, TYPES.get(spec.second.type), 1)
        return first or _operand_problem(form, second_spec, operand.second)
    if spec.second is not None and not spec.second_optional:
        return "kind", f"two destinations {spec.name}|{spec.second.name}"
    if isinstance(operand, Not):
        if not spec.negatable:
            return "kind", f"{spec.name} without negation"
        return _operand_problem(form, wanted, operand.operand)
    judge = _BY_KIND.get(spec.kind)
    if judge is not None:
        return judge(form, wanted, operand)
    if wanted.lanes > 1 or (spec.lanes and isinstance(operand, Vector)):
        return _vector_problem(form, wanted, operand)
    return _value_problem(form, wanted, operand)


def _address_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    if not isinstance(operand, Address):
        return "kind", "an address such as [%rd1+4]"
    if isinstance(operand.base, Register):
        problem = _base_problem(wanted, operand.base.type)
        if problem is not None:
            return problem
    if wanted.inside:
        return _parts_problem(form, wanted, operand)
    if operand.handle:
        return "kind", "an address, not the handle of a fabric's endpoint"
    return _coordinates_problem(form, wanted, operand.coordinates)


def _parts_problem(form: Resolved, wanted: OperandType, operand: Address) -> Problem | None:
    """An address of several parts: `[map, address, {sizes}, {strides}, high, {coordinates}]`, a handle of the fabric."""
    found = operand.coordinates
    count = len(wanted.inside) + bool(wanted.parts)
    if operand.handle is bool(wanted.parts) or len(found) != count or (wanted.parts and not _braced(found)):
        return "kind", f"an address of {count + 1} parts, such as {expected_operands(form)}"
    for part, each in zip(wanted.inside, found):
        problem = _operand_problem(form, part, each) or _refused_constant(part, each)
        if problem is not None:
            return problem[0], f"an address of {count + 1} parts; {part.spec.name} is {problem[1]}"
    last = found[-1]
    return _coordinates_problem(form, wanted, last.elements) if wanted.parts and isinstance(last, Vector) else None


def _braced(parts: tuple[Operand, ...]) -> bool:
    return isinstance(parts[-1], Vector)


def _base_problem(wanted: OperandType, register: ScalarType) -> Problem | None:
    needed, exact = wanted.type, wanted.spec.exact
    if needed is not None:
        fits = register is needed if exact else accepts(needed, register, wider=wanted.spec.wider)
        fits = fits and not register.is_float and register.bits <= 64
        shape = f"{needed.bits}-bit" + (" (or wider)" if wanted.spec.wider else "")
        return None if fits else ("type", f"an address in {'an untyped' if exact else 'a'} {shape} register")
    fits = register.kind in "bus" and register.bits <= 64
    return None if fits else ("type", "an address in an integer register")


def _coordinates_problem(form: Resolved, wanted: OperandType, found: tuple[Operand, ...]) -> Problem | None:
    parts, spec = wanted.parts, wanted.spec
    if spec.sampler and len(found) == 2 and isinstance(found[1], Vector):
        handle = found[0]
        own = isinstance(handle, Register) and handle.type.bits == 64 and not handle.type.is_float
        if not isinstance(handle, Symbol) and not own:
            return "type", "a sampler's name or handle in a 64-bit register"
        found = found[1].elements
    elif spec.needs_sampler:
        return "kind", "an address with a sampler before its coordinates"
    if len(found) != len(parts):
        return "kind", f"an address with {len(parts)} coordinates" if parts else "an address without coordinates"
    for part, operand in zip(parts, found):
        problem = _value_problem(form, part, operand)
        if problem is not None:
            return problem[0], f"an address with {len(parts)} coordinates; each is {problem[1]}"
    return None


def _vector_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    lanes = wanted.lanes
    shape = f"a vector of {lanes} .{wanted.type.name if wanted.type else '?'} registers"
    if isinstance(operand, Register) and operand.lanes == lanes and lanes > 1:
        return None if wanted.type and accepts(wanted.type, operand.type) else ("type", shape)
    if not isinstance(operand, Vector) or len(operand) != lanes:
        return "kind", shape
    sink = wanted.spec.written or wanted.spec.sink
    same = wanted._replace(spec=wanted.spec._replace(lanes="", second=None, sink=sink), lanes=1)
    parts = wanted.parts or (same,) * lanes
    common = common_type(operand)
    if isinstance(common, Immediate) and not all(
        part.type is not None and constants_alone(part.spec, part.type, common) for part in parts
    ):
        return "kind", f"{shape}, not of these constants alone"
    for part, element in zip(parts, operand):
        problem = _value_problem(form, part, element) or _refused_constant(part, element)
        if problem is not None:
            return problem[0], f"{shape}; each is {problem[1]}"
    alike = common is not None or all(isinstance(element, Sink) for element in operand)
    return None if alike else ("type", f"{shape}, alike in width and kind")


def _label_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    return None if isinstance(operand, Symbol) else ("kind", "a label")


def _immediate_only_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    if isinstance(operand, Immediate) and operand.kind == "int":
        return None
    return "kind", "an integer constant"


def _sink_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    return None if isinstance(operand, Sink) else ("kind", "the sink _")


_BY_KIND: dict[str, Callable[[Resolved, OperandType, Operand], Problem | None]] = {
    "address": _address_problem,
    "vector": _vector_problem,
    "label": _label_problem,
    "immediate": _immediate_only_problem,
    "sink": _sink_problem,
}


def _value_problem(form: Resolved, wanted: OperandType, operand: Operand) -> Problem | None:
    spec, type_ = wanted.spec, wanted.type
    if type_ is None:
        return None
    if isinstance(operand, Register):
        fits = operand.lanes == 1 and accepts(type_, operand.type, wider=spec.wider)
        if spec.exact and not exactly(type_, operand.type, spec.wider, spec.halves):
            return "type", f"a .{untyped(type_).name} register, of that very type"
        fits = fits and not (spec.floatless and operand.type.is_float)
        return None if fits else ("type", _wanted_register(type_, spec.wider))
    if isinstance(operand, Element) and operand.name in spec.selectors:
        return None if accepts(type_, operand.base.type) else ("type", _wanted_register(type_, False))
    if isinstance(operand, Sink) and spec.sink and (spec.written or form.form.effects >= {"writes"}):
        return None
    if isinstance(operand, Element) and _is_component(operand):
        own = operand.base.type
        fits = exactly(type_, own, spec.wider, spec.halves) if spec.exact else accepts(type_, own, wider=spec.wider)
        return None if fits else ("type", _wanted_register(type_, spec.wider))
    if spec.written:
        return "kind", f"a .{type_.name} register to write"
    if isinstance(operand, Symbol) and operand.is_sum and not spec.register_only and spec.kind == "value":
        # `name+4` is a constant, though not known before linking; a name alone is an address, which mov and cvta take
        return None if type_.kind in "bus" and type_.lanes == 1 else ("kind", f"a .{type_.name} register or constant")
    if isinstance(operand, Immediate):
        if spec.register_only or (spec.floatless and operand.kind != "int"):
            return "kind", f"a .{type_.name} register" + ("" if spec.register_only else " or an integer constant")
        return _immediate_problem(type_, operand)
    if isinstance(operand, Special):
        found = special(operand.name)
        if not spec.special or found is None:
            return "kind", "a register: special registers are read with mov, or with cvt between integers"
        if not found.reads_as(type_, wider=spec.wider):
            return "type", f"a register: {operand.name} is .{found.type.name}"
        return None
    if isinstance(operand, Symbol) and spec.kind == "symbol":
        return None if type_.bits in (32, 64) and type_.kind in "bus" else ("type", "a 32- or 64-bit integer type")
    return "kind", f"a .{type_.name} register or constant"


_COMPONENTS = {name: place for names in ("xyzw", "rgba") for place, name in enumerate(names)}
"""The components of a vector register, by the names that they have (manual 5.4.2)."""


def _is_component(operand: Element) -> bool:
    lanes = operand.base.lanes
    return lanes > 1 and _COMPONENTS.get(operand.name, lanes) < lanes


def _wanted_register(type_: ScalarType, wider: bool) -> str:
    if type_.kind == "p":
        return "a .pred register"
    bits = max(type_.bits, 16)
    kinds = {"f": f".f{bits} or .b{bits}", "b": f"{bits}-bit"}.get(type_.kind, f".u{bits}, .s{bits} or .b{bits}")
    if not type_.fundamental:
        kinds = f".b{bits}"
    return f"a {kinds} register" + (" (or a wider one)" if wider else "")


def _immediate_problem(type_: ScalarType, operand: Immediate) -> Problem | None:
    if type_.kind == "p":
        return None if operand.kind == "int" else ("kind", "a .pred register")
    if operand.kind == "int":
        return (
            ("kind", f"a .{type_.name} register or a floating constant such as 0f3F800000") if type_.is_float else None
        )
    if type_.is_float:
        return None if type_.bits >= 32 and type_.lanes == 1 else ("kind", f"a .{type_.name} register")
    return (
        None
        if type_.kind == "b" and operand.kind == f"f{type_.bits}"
        else ("kind", f"a .{type_.name} register or an integer constant")
    )


def _out_of_range(form: Resolved, operands: tuple[Operand, ...]) -> Mismatch | None:
    """What an assembler lets pass although the manual states a range."""
    for index, (wanted, operand) in enumerate(zip(assign(form.operands, len(operands)) or (), operands)):
        problem = _range_problem(wanted, operand)
        if problem is not None:
            return Mismatch(problem[0], index, problem[1], describe(operand))
    return None


_WHOLE = (1 << 64) - 1
"""A range as wide as this is not a bound."""


def _refused_constant(wanted: OperandType, operand: Operand) -> Problem | None:
    """What an assembler refuses of the constants."""
    if isinstance(operand, Vector):
        parts = wanted.parts if len(wanted.parts) == len(operand) else ()
        return next((found for part, each in zip(parts, operand) if (found := _refused_constant(part, each))), None)
    hard = wanted.spec.hard
    if hard is not None and isinstance(operand, Immediate):
        low, high, step = hard
        if not (low <= operand.value <= high and operand.value % step == 0):
            bounds = f"from {low} to {high}" if high - low < _WHOLE else ""
            multiple = f"that is a multiple of {step}" if step > 1 else ""
            return "value", f"a constant {', '.join(filter(None, (bounds, multiple)))}"
    return _range_problem(wanted, operand) if wanted.spec.strict else None


def _range_problem(wanted: OperandType, operand: Operand) -> Problem | None:
    limits, values = wanted.spec.range, wanted.spec.values
    if values and isinstance(operand, Immediate) and operand.value not in values:
        return "value", _one_of(values)
    if limits and isinstance(operand, Immediate) and not limits[0] <= operand.value <= limits[1]:
        return "value", f"a constant from {limits[0]} to {limits[1]}"
    if limits is None and not values and isinstance(operand, Immediate) and operand.kind == "int":
        return _width_problem(wanted.type, operand.value)
    return None


def _one_of(values: Sequence[int]) -> str:
    """ "one of the constants 4, 8, 16", "a multiple of 16 from 0 to 4080"."""
    if len(values) == 1:
        return f"the constant {values[0]}"
    if isinstance(values, range):
        return f"a multiple of {values.step} from {values[0]} to {values[-1]}"
    return f"one of the constants {', '.join(map(str, values))}"


def _width_problem(type_: ScalarType | None, value: int) -> Problem | None:
    """A constant that does not fit its type is cut. Some compilers print a negative one with the sign in all 64 bits."""
    if type_ is None or type_.kind not in "bus" or type_.bits >= 64 or type_.lanes > 1:
        return None
    low, high = -(1 << type_.bits - 1), (1 << type_.bits) - 1
    if low <= value <= high or value >= (1 << 64) + low:
        return None
    return "value", f"a constant of {type_.bits} bits: from {low} to {high}"


def expected_operands(form: Resolved) -> str:
    """The operands a form takes, for a message: "d:.f32, a:.f32, [a]"."""
    texts = []
    for entry in form.operands:
        spec = entry.spec
        type_ = f":.{entry.type.name}" if entry.type is not None and spec.kind in ("value", "symbol") else ""
        text = spec.name + type_
        if spec.kind == "address":
            inside = [each.spec.name if each.spec.kind == "value" else f"{{{each.spec.name}}}" for each in entry.inside]
            inside += [f"{{{len(entry.parts)} coordinates}}"] if entry.parts else []
            text = f"[{', '.join([spec.name, *inside])}]"
        if entry.lanes > 1 or spec.kind == "vector":
            text = "{" + f"{entry.lanes} x {text}" + "}"
        texts.append(f"{text}?" if spec.optional else text)
    return ", ".join(texts)


def describe(operand: Operand) -> str:
    """What an operand is, for a message: "%f1 (.f32)"."""
    if isinstance(operand, Register):
        return f"{operand.name} (.{operand.type.name})"
    if isinstance(operand, Immediate):
        return f"the constant {operand.value if operand.kind == 'int' else operand.as_float()}"
    if isinstance(operand, Address):
        return f"the address [{describe(operand.base)}]"
    if isinstance(operand, (Vector, Arguments)):
        return f"a list of {len(operand)}: " + ", ".join(describe(part) for part in operand)
    if isinstance(operand, Pair):
        return f"{describe(operand.first)}|{describe(operand.second)}"
    if isinstance(operand, (Not, Negated)):
        return f"{'!' if isinstance(operand, Not) else '-'}{describe(operand.operand)}"
    if isinstance(operand, Element):
        return f"{operand.base.name}.{operand.name}"
    if isinstance(operand, Sum):
        return f"{describe(operand.operand)}{operand.offset:+}"
    return "_" if isinstance(operand, Sink) else operand.name
