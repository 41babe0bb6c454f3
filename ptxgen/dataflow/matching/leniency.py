"""What assemblers let pass against the manual: the second reading of operands, after the table's own (operands.py) has failed.

An instruction that passes here is a warning. The rules are those that nvJitLink was seen to follow (docs/isa-certification.md):
a vector is judged by one type that its elements have in common, a predicate may be negated wherever one is read, and
what a row's `lets` clauses say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Element, Immediate, Negated, Not, Register, Sink, Special, Sum, Symbol, Vector
from ptxgen.isa.specials import special
from ptxgen.isa.types import TYPES, ScalarType, accepts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.ir import Operand
    from ptxgen.isa.forms import OperandType
    from ptxgen.isa.notation import OperandSpec

__all__ = ["common_type", "exactly", "takes", "untyped"]

_B32, _B64, _PRED, _F16X2 = TYPES["b32"], TYPES["b64"], TYPES["pred"], TYPES["f16x2"]


def common_type(elements: Iterable[Operand], *, mixed: bool = False) -> ScalarType | Immediate | None:
    """The type that the elements of a vector have in common; an immediate when all are; None when there is none.

    Untyped bits take any type of their width and any constant; signed and unsigned integers make untyped bits; constants go
    with registers of their kind. `mixed`: predicates count as 32 bits, special registers and selectors as what they hold.
    """
    common: ScalarType | Immediate | None = None
    for element in elements:
        if isinstance(element, Sink):
            continue
        own = _own_type(element)
        if own is None or not (mixed or (own is not _PRED and isinstance(element, (Register, Immediate, Element)))):
            return None
        if common is None or common is own:
            common = own
            continue
        common = _join(common, own)
        if common is None:
            return None
    return common


def _own_type(element: Operand) -> ScalarType | Immediate | None:
    if isinstance(element, Register):
        return element.type if element.lanes == 1 else None
    if isinstance(element, Immediate):
        return element
    if isinstance(element, Element):
        return element.base.type
    if isinstance(element, Special):
        found = special(element.name)
        return None if found is None else _B64 if found.type.bits == 64 else _B32
    return None


def _join(first: ScalarType | Immediate, second: ScalarType | Immediate) -> ScalarType | Immediate | None:
    if isinstance(first, Immediate):
        if isinstance(second, Immediate):
            return first if (first.kind == "int") is (second.kind == "int") else None
        first, second = second, first
    if isinstance(second, Immediate):
        fits = first.kind == "b" or first.kind in ("us" if second.kind == "int" else "f")
        return first if fits else None
    if _width(first) != _width(second):
        return None
    if "b" in (first.kind, second.kind):
        return first if first.kind == "b" else second
    return TYPES[f"b{first.bits}"] if first.kind in "us" and second.kind in "us" else None


def _width(type_: ScalarType) -> int:
    return 32 if type_ is _PRED else type_.bits


def untyped(type_: ScalarType) -> ScalarType:
    """The register type that holds this very type: its own, or bits for a packed or an alternate format."""
    if type_.fundamental and type_.lanes == 1 and type_.name != "f16":
        return type_
    return TYPES[f"b{max(type_.bits, 8)}"]


def exactly(type_: ScalarType, register: ScalarType, wider: bool, halves: bool = False) -> bool:
    """Is the register of that very type, or untyped and `wider`, or (`halves`) a pair of f16?"""
    own = untyped(type_)
    if register is _F16X2 and (halves or type_ is _F16X2):
        return True
    return register is own or (wider and own.kind == register.kind == "b" and register.bits > own.bits)


def takes(wanted: OperandType, operand: Operand) -> bool:
    """Does the assembler let this operand pass?"""
    spec, lets = wanted.spec, wanted.spec.lets
    if isinstance(operand, Not):
        if spec.written or spec.kind != "value":
            return False
        return (wanted.type is _PRED or "bits" in lets) and _takes_value(wanted, operand.operand)
    if isinstance(operand, Negated):
        return "negated" in lets and _takes_value(wanted, operand.operand)
    if isinstance(operand, Sum):
        return not spec.written and operand.operand.type.kind in "bus" and _takes_value(wanted, operand.operand)
    if isinstance(operand, Sink):
        return "sink" in lets
    if isinstance(operand, Immediate):
        if operand.kind == "int":
            return "constant" in lets
        return "float" in lets and wanted.type is not None and operand.kind == f"f{wanted.type.bits}"
    if isinstance(operand, Address):
        return spec.kind == "address" and _takes_address(wanted, operand)
    if isinstance(operand, Vector):
        return _takes_vector(wanted, operand)
    if spec.kind == "vector" or wanted.lanes > 1:
        return "scalar" in lets and _takes_value(wanted.parts[0] if wanted.parts else wanted, operand)
    return spec.kind == "value" and _takes_value(wanted, operand)


def _takes_value(wanted: OperandType, operand: Operand) -> bool:
    type_ = wanted.type
    if type_ is None or not isinstance(operand, Register) or operand.lanes > 1:
        return False
    return _passes(wanted, type_, operand.type)


def _passes(wanted: OperandType, type_: ScalarType, register: ScalarType) -> bool:
    """A register of that type, or a vector whose elements have it in common."""
    spec, lets = wanted.spec, wanted.spec.lets
    if "bits" in lets and _width(type_) == _width(register):
        return True
    if spec.exact:
        return exactly(type_, register, spec.wider, spec.halves)
    if spec.floatless and register.is_float:
        return False
    return accepts(type_, register, wider=spec.wider or "wider" in lets)


def constants_alone(spec: OperandSpec, type_: ScalarType, constant: Immediate) -> bool:
    """May a vector be one of such constants alone?"""
    if spec.exact:
        return False
    if constant.kind == "int":
        return type_.kind in "bus" and not spec.register_among
    return type_.bits >= 32 and (type_.is_float or (type_.kind == "b" and constant.kind == f"f{type_.bits}"))


def _takes_address(wanted: OperandType, operand: Address) -> bool:
    """Coordinates are a vector; `bits` makes any register an address."""
    base, parts = operand.base, operand.coordinates
    if isinstance(base, Register):
        width = wanted.type or TYPES[f"b{min(max(base.type.bits, 8), 64)}"]
        fits = base.type is width if wanted.spec.exact else not base.type.is_float and accepts(width, base.type)
        if not fits and "bits" not in wanted.spec.lets:
            return False
    if wanted.inside:
        inside, last = parts[: len(wanted.inside)], parts[-1] if parts else None
        if len(inside) != len(wanted.inside) or not all(map(_takes_inside, wanted.inside, inside)):
            return False
        if not wanted.parts:
            return operand.handle and len(parts) == len(inside)
        if len(parts) != len(inside) + 1 or not isinstance(last, Vector):
            return False
        parts = last.elements
    elif wanted.spec.sampler and len(parts) == 2 and isinstance(parts[1], Vector):
        if not isinstance(parts[0], (Register, Symbol)):
            return False
        if isinstance(parts[0], Register) and (parts[0].type.bits != 64 or parts[0].type.is_float):
            return False
        parts = parts[1].elements
    elif wanted.spec.needs_sampler:
        return False
    if not wanted.parts:
        return not parts
    part = wanted.parts[-1]
    indices = {at: each for at, each in enumerate(wanted.parts) if each.spec.name != part.spec.name}  # an array's
    if not all(_takes_plainly(index, parts[at]) for at, index in indices.items() if at < len(parts)):
        return False
    positions = tuple(each for at, each in enumerate(parts) if at not in indices)
    common = common_type(positions)
    if part.type is not None and part.type.is_float and isinstance(common, ScalarType) and common.kind in "us":
        return common.bits == part.type.bits and len(parts) == len(wanted.parts)  # whole numbers as positions
    if "mixed" not in part.spec.lets and not all(_takes_plainly(part, each) for each in positions):
        return False
    longer = len(parts) > len(wanted.parts) and len(parts) in (2, 4, 8) and "vector" in part.spec.lets
    return (longer or len(parts) == len(wanted.parts)) and _common_passes(part, parts)


def _takes_inside(wanted: OperandType, operand: Operand) -> bool:
    """What stands between the base of an address and its coordinates."""
    return _takes_vector(wanted, operand) if isinstance(operand, Vector) else _takes_plainly(wanted, operand)


def _takes_plainly(part: OperandType, element: Operand) -> bool:
    """A coordinate that must fit by itself."""
    if not isinstance(element, Register) or (part.spec.floatless and element.type.is_float):
        return False
    return part.type is not None and accepts(part.type, element.type)


def _takes_vector(wanted: OperandType, operand: Vector) -> bool:
    spec, lets = wanted.spec, wanted.spec.lets
    lanes = wanted.lanes if spec.kind == "vector" or wanted.lanes > 1 else 0
    count = len(operand)
    fits = count == lanes or ("single" in lets and not lanes and count == 1)
    if not fits and not ("vector" in lets and count > lanes and count in (1, 2, 4, 8)):
        return False
    part = wanted.parts[0] if wanted.parts else wanted
    if any(isinstance(element, Sink) for element in operand) and not (spec.written or "sinks" in lets):
        return False
    return _common_passes(part._replace(spec=part.spec._replace(lets=part.spec.lets | lets)), operand.elements)


def _common_passes(part: OperandType, elements: tuple[Operand, ...]) -> bool:
    mixed = "mixed" in part.spec.lets
    common, type_ = common_type(elements, mixed=mixed), part.type
    if type_ is None or common is None:
        return False
    numbers = [element for element in elements if isinstance(element, Immediate)]
    if part.spec.written and numbers:
        return False
    if numbers and type_.is_float and part.spec.exact:
        return False
    if isinstance(common, Immediate):
        return constants_alone(part.spec, type_, common)
    narrow = type_.bits < 32 if type_.is_float else type_.bits < 16
    if narrow and any(number.kind != "int" for number in numbers):
        return False
    if mixed and type_.is_float and common.kind in "us" and common.bits == type_.bits and not part.spec.exact:
        return True
    return _passes(part, type_, common)
