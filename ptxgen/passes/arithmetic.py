"""What integer instructions compute, of numbers: the manual's sections 9.7.1, 9.7.6, 9.7.8 and cvt between integers.

Values come as bit patterns of any width and are read at the width and sign of the operand that they stand for. What is
undefined (a division by zero) has no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["evaluate", "read", "signed"]


def signed(value: int, bits: int) -> int:
    """The low bits of a value as a number in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def read(value: int, type: ScalarType) -> int:
    """The number that a pattern is in an operand of that type."""
    return signed(value, type.bits) if type.is_signed else value & ((1 << type.bits) - 1)


def evaluate(op: str, values: Sequence[int]) -> int | None:
    """The result of an instruction whose sources are these patterns, to be cut to its destination; None when not known here."""
    opcode, *modifiers = op.split(".")
    type_ = TYPES.get(modifiers[-1]) if modifiers else None
    if type_ is None or type_.kind not in "usbp" or type_.lanes != 1:
        return None
    if opcode in ("cvt", "set", "setp", "slct", "lop3", "shf"):
        return _SPECIAL[opcode](modifiers, type_, values)
    mode = ".".join(modifiers[:-1])
    if opcode in ("shl", "shr") and not mode:
        count = min(values[1] & 0xFFFFFFFF, type_.bits)
        return read(values[0], type_) << count if opcode == "shl" else read(values[0], type_) >> count
    if opcode == "selp" and not mode:
        return values[0 if values[2] & 1 else 1]
    if opcode in ("mad", "mul") and mode in ("lo", "hi", "wide"):
        product = read(values[0], type_) * read(values[1], type_)
        product >>= type_.bits if mode == "hi" else 0
        return product + values[2] if opcode == "mad" else product
    compute = _PLAIN.get(opcode)
    if compute is None or mode:
        return None
    return compute(type_, *[read(value, type_) for value in values])


def _quotient(type: ScalarType, a: int, b: int) -> int | None:
    """Truncated toward zero (manual 9.7.1.8); the least number over -1 has no quotient."""
    if b == 0 or (type.is_signed and b == -1 and a == -(1 << (type.bits - 1))):
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(type: ScalarType, a: int, b: int) -> int | None:
    quotient = _quotient(type, a, b)
    return None if quotient is None else a - b * quotient


def _reversed(type: ScalarType, a: int) -> int:
    return int(f"{a:0{type.bits}b}"[::-1], 2)


_PLAIN: dict[str, Callable[..., int | None]] = {
    "mov": lambda t, a: a,
    "add": lambda t, a, b: a + b,
    "sub": lambda t, a, b: a - b,
    "min": lambda t, a, b: min(a, b),
    "max": lambda t, a, b: max(a, b),
    "neg": lambda t, a: -a,
    "abs": lambda t, a: abs(a),
    "sad": lambda t, a, b, c: abs(a - b) + c,
    "div": _quotient,
    "rem": _remainder,
    "and": lambda t, a, b: a & b,
    "or": lambda t, a, b: a | b,
    "xor": lambda t, a, b: a ^ b,
    "not": lambda t, a: ~a,
    "cnot": lambda t, a: int(a == 0),
    "popc": lambda t, a: a.bit_count(),
    "clz": lambda t, a: t.bits - a.bit_length(),
    "brev": _reversed,
}

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}


def _setp(modifiers: list[str], type: ScalarType, values: Sequence[int]) -> int | None:
    """setp.cmp.type, without a second predicate."""
    compare = _COMPARE.get(modifiers[0])
    if compare is None or len(modifiers) != 2:
        return None
    return int(compare(read(values[0], type), read(values[1], type)))


def _set(modifiers: list[str], type: ScalarType, values: Sequence[int]) -> int | None:
    """set.cmp.dtype.type with an integer result: all ones or zero (manual 9.7.6.1)."""
    compare = _COMPARE.get(modifiers[0])
    if compare is None or len(modifiers) != 3 or modifiers[1] not in ("u32", "s32"):
        return None
    return -int(compare(read(values[0], type), read(values[1], type)))


def _slct(modifiers: list[str], type: ScalarType, values: Sequence[int]) -> int | None:
    return None if len(modifiers) != 2 else values[0 if signed(values[2], 32) >= 0 else 1]


def _cvt(modifiers: list[str], source: ScalarType, values: Sequence[int]) -> int | None:
    """Between integers; what comes out is extended to a wider register by its own sign (manual 9.4.1)."""
    saturates = modifiers[0] == "sat"
    names = modifiers[saturates:]
    if len(names) != 2 or not (source.is_integer and TYPES[names[0]].is_integer):
        return None
    to, value = TYPES[names[0]], read(values[0], source)
    if saturates:
        low, high = (-(1 << (to.bits - 1)), (1 << (to.bits - 1)) - 1) if to.is_signed else (0, (1 << to.bits) - 1)
        return max(low, min(high, value))
    return read(value, to)


def _lop3(modifiers: list[str], type: ScalarType, values: Sequence[int]) -> int | None:
    if len(modifiers) != 1:
        return None
    a, b, c, table = (value & 0xFFFFFFFF for value in values)
    found = 0
    for row in range(8):
        if table >> row & 1:
            found |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return found


def _shf(modifiers: list[str], type: ScalarType, values: Sequence[int]) -> int | None:
    low, high, count = (value & 0xFFFFFFFF for value in values)
    way, mode = modifiers[:2]
    count = min(count, 32) if mode == "clamp" else count & 31
    both = high << 32 | low
    return both << count >> 32 if way == "l" else both >> count


_SPECIAL: dict[str, Callable[[list[str], ScalarType, Sequence[int]], int | None]] = {
    "cvt": _cvt,
    "set": _set,
    "setp": _setp,
    "slct": _slct,
    "lop3": _lop3,
    "shf": _shf,
}
