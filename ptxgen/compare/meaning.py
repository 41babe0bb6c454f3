"""What the instructions of a graph compute, as terms: a rule for each kind of integer instruction, by its opcode; any other is a
term of its label and its inputs.

To say more of an opcode, write a function of the `Read` and name it in `RULES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import Register
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.compare.terms import Term, Terms
    from ptxgen.ir import Instruction

__all__ = ["RULES", "Read", "computed"]


class Read(NamedTuple):
    """An instruction with one result, and the terms that it reads. `words` are its modifiers without the type, `width` its
    type's."""

    terms: Terms
    words: tuple[str, ...]
    type: str
    width: int
    inputs: Sequence[Term]
    instruction: Instruction

    @property
    def signed(self) -> bool:
        return self.type[0] == "s"


def computed(terms: Terms, instruction: Instruction, inputs: Sequence[Term]) -> Term | None:
    """The term of an instruction's result, its guard aside; None where no rule says it."""
    rule = RULES.get(instruction.opcode)
    words = instruction.modifiers
    type_ = TYPES.get(words[-1]) if words else None
    result = instruction.operands[0] if instruction.operands else None
    if rule is None or type_ is None or type(result) is not Register or result.lanes > 1:
        return None
    if not (type_.is_integer or type_.kind in "bp" or rule in (_copy, _select)) or type_.lanes > 1:
        return None
    return rule(Read(terms, words[:-1], type_.name, 1 if type_.kind == "p" else type_.bits, inputs, instruction))


def _add(r: Read) -> Term | None:
    return None if r.words else r.terms.add(r.inputs[0], r.inputs[1], r.width)


def _subtract(r: Read) -> Term | None:
    return None if r.words else r.terms.add(r.inputs[0], r.inputs[1], r.width, -1)


def _negate(r: Read) -> Term | None:
    return None if r.words else r.terms.add(r.terms.number(0, r.width), r.inputs[0], r.width, -1)


def _product(r: Read) -> tuple[Term, int] | None:
    """Of a mul or mad, with its width."""
    one, other = r.inputs[:2]
    if r.words == ("lo",):
        return r.terms.multiply(one, other, r.width), r.width
    if r.words == ("wide",):
        to = 2 * r.width
        one, other = (r.terms.extended(each, r.width, to, r.signed) for each in (one, other))
        return r.terms.multiply(one, other, to), to
    return None


def _multiply(r: Read) -> Term | None:
    found = _product(r)
    return None if found is None else found[0]


def _multiply_add(r: Read) -> Term | None:
    found = _product(r)
    return None if found is None else r.terms.add(found[0], r.inputs[2], found[1])


def _shift_left(r: Read) -> Term | None:
    by = r.terms.constant(r.inputs[1])
    if by is None:
        return None
    return r.terms.multiply(r.inputs[0], r.terms.number(1 << by if by < r.width else 0, r.width), r.width)


def _shift_right(r: Read) -> Term | None:
    by = r.terms.constant(r.inputs[1])
    if by is None or by >= r.width:
        return None
    return r.terms.shifted_right(r.inputs[0], by, r.width, r.signed)


def _power(r: Read) -> int | None:
    """The exponent of a constant divisor of unsigned integers that is a power of two."""
    by = r.terms.constant(r.inputs[1])
    return by.bit_length() - 1 if by and not by & (by - 1) and r.type[0] == "u" else None


def _divide(r: Read) -> Term | None:
    by = _power(r)
    return None if by is None else r.terms.shifted_right(r.inputs[0], by, r.width, signed=False)


def _remainder(r: Read) -> Term | None:
    by = _power(r)
    return None if by is None else r.terms.bitwise("and", r.inputs[0], r.terms.number((1 << by) - 1, r.width), r.width)


def _bitwise(r: Read) -> Term:
    return r.terms.bitwise(r.instruction.opcode, r.inputs[0], r.inputs[1], r.width)


def _complement(r: Read) -> Term:
    if r.width == 1:
        return r.terms.negated(r.inputs[0])
    return r.terms.add(r.terms.number(-1, r.width), r.inputs[0], r.width, -1)


def _extreme(r: Read) -> Term | None:
    return None if r.words else r.terms.make(r.instruction.opcode, r.type, *sorted(r.inputs))


def _copy(r: Read) -> Term | None:
    (result,) = r.instruction.operands[:1]
    assert isinstance(result, Register)
    return r.inputs[0] if len(r.inputs) == 1 and (result.type.bits == r.width or result.type.kind == "p") else None


def _compare(r: Read) -> Term | None:
    if len(r.words) != 1 or len(r.inputs) != 2:
        return None
    word, (one, other) = r.words[0], r.inputs
    if word in ("eq", "ne"):
        found = r.terms.equal(one, other, r.width)
        return found if word == "eq" else r.terms.negated(found)
    word, signed = _UNSIGNED.get(word, word), r.signed and word not in _UNSIGNED
    if word in ("gt", "le"):
        one, other = other, one
    found = r.terms.less(one, other, r.width, signed)
    return found if word in ("lt", "gt") else r.terms.negated(found) if word in ("le", "ge") else None


_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def _select(r: Read) -> Term:
    return r.terms.selected(r.inputs[2], r.inputs[0], r.inputs[1])


def _convert(r: Read) -> Term | None:
    to = TYPES.get(r.words[0]) if len(r.words) == 1 else None
    (result,) = r.instruction.operands[:1]
    source = r.instruction.operands[1]
    assert isinstance(result, Register)
    if to is None or to.name[0] not in "us" or result.type.bits != to.bits:
        return None
    if type(source) is Register and source.type.bits != r.width:
        return None
    if to.bits == r.width:
        return r.inputs[0]
    if to.bits > r.width:
        return r.terms.extended(r.inputs[0], r.width, to.bits, r.signed)
    return r.terms.truncated(r.inputs[0], r.width, to.bits)


RULES: dict[str, Callable[[Read], Term | None]] = {
    "add": _add, "sub": _subtract, "neg": _negate, "mul": _multiply, "mad": _multiply_add,
    "shl": _shift_left, "shr": _shift_right, "div": _divide, "rem": _remainder,
    "and": _bitwise, "or": _bitwise, "xor": _bitwise, "not": _complement, "min": _extreme, "max": _extreme,
    "mov": _copy, "setp": _compare, "selp": _select, "cvt": _convert,
}  # fmt: skip
"""What each opcode of integers and predicates computes."""
