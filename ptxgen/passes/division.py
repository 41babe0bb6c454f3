"""Division by a constant is a multiplication by its reciprocal, a shift, and a correction.

Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994); the search for the multiplier is
that of Warren, Hacker's Delight, 10-1 and 10-9. Powers of two are shifts and masks.
"""

from __future__ import annotations

from typing import NamedTuple

from ptxgen.ir import Immediate, Instruction, Operand, Register
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES, ScalarType
from ptxgen.passes.editing import Edit, move_into

__all__ = ["divide_by_multiplying", "signed_magic", "unsigned_magic"]

_DIVISIONS = opcodes_with("division")


class Magic(NamedTuple):
    """n / d is the high half of n * multiplier, plus n where `adds`, shifted right by `shift`."""

    multiplier: int
    shift: int
    adds: bool


def unsigned_magic(divisor: int, bits: int) -> Magic:
    """For every n of that width: the least shift whose rounded-up 2**(bits + shift) / divisor errs by too little to matter."""
    for shift in range(bits + 1):
        multiplier = -(-(1 << (bits + shift)) // divisor)
        if multiplier * divisor - (1 << (bits + shift)) <= 1 << shift:
            break
    if multiplier >> bits:  # one bit too many: its top bit is the addition of n
        return Magic(multiplier - (1 << bits), shift, True)
    return Magic(multiplier, shift, False)


def signed_magic(divisor: int, bits: int) -> Magic:
    """The same for signed numbers and a divisor of 2 or more; a multiplier of `bits` bits counts as negative, `adds` makes up."""
    power = bits
    while True:
        multiplier = (1 << power) // divisor + 1
        if multiplier * divisor - (1 << power) <= 1 << (power - bits + 1):
            break
        power += 1
    return Magic(multiplier, power - bits, multiplier >> (bits - 1) == 1)


def divide_by_multiplying(edit: Edit) -> None:
    """Turns div and rem by constants into multiplications and shifts."""
    for position, instruction in enumerate(edit.body.instructions):
        opcode, _, name = instruction.op.partition(".")
        type_ = TYPES.get(name)
        if opcode not in _DIVISIONS or type_ is None or not type_.is_integer:
            continue
        d, n, by = instruction.operands
        if not (isinstance(by, Immediate) and isinstance(d, Register) and isinstance(n, Register)):
            continue
        divisor = by.value & ((1 << type_.bits) - 1)
        if type_.is_signed and divisor >> (type_.bits - 1):
            divisor -= 1 << type_.bits
        if divisor == 0:  # undefined
            continue
        code = _DivisionCode(edit, type_, instruction)
        if abs(divisor) == 1:
            code.by_one(d, n, opcode, divisor)
        elif opcode == "rem":  # it has the sign of n
            code.remainder(d, n, code.quotient(n, abs(divisor), None), abs(divisor))
        else:
            code.quotient(n, divisor, d)
        edit.replace(position, *code.instructions)


class _DivisionCode:
    """The instructions that stand for one division. New registers are written without a guard: nobody else reads them."""

    def __init__(self, edit: Edit, type: ScalarType, old: Instruction) -> None:
        self.edit = edit
        self.type = type
        self.old = old
        self.instructions: list[Instruction] = []

    def emit(self, op: str, *sources: Operand, into: Register | None = None) -> Register:
        """An instruction into a new register, or into the division's own under its guard."""
        to = self.edit.fresh(self.type) if into is None else into
        guard = None if into is None else self.old.pred
        self.instructions.append(Instruction(op, (to, *sources), guard, self.old.source))
        return to

    def by_one(self, d: Register, n: Register, opcode: str, divisor: int) -> None:
        """n / 1 and n / -1, or what is left, which is nothing."""
        if opcode == "rem":
            self.instructions.append(move_into(d, Immediate(0), self.old))
        elif divisor == 1:
            self.instructions.append(move_into(d, n, self.old))
        else:
            self.emit(f"neg.{self.type.name}", n, into=d)

    def quotient(self, n: Register, divisor: int, into: Register | None) -> Operand:
        """n / divisor; for a remainder (`into` None) it may be left out where that is a mask."""
        bits, name = self.type.bits, self.type.name
        negative, divisor = divisor < 0, abs(divisor)
        power = divisor.bit_length() - 1
        exact = divisor == 1 << power
        if not self.type.is_signed:
            if exact:
                return n if into is None else self.emit(f"shr.{name}", n, Immediate(power), into=into)
            magic = unsigned_magic(divisor, bits)
            high = self.emit(
                f"mul.hi.{name}", n, Immediate(magic.multiplier), into=None if magic.adds or magic.shift else into
            )
            if magic.adds:  # (n + high) / 2 without a carry: (n - high) / 2 + high
                half = self.emit(f"shr.{name}", self.emit(f"sub.{name}", n, high), Immediate(1))
                high = self.emit(f"add.{name}", half, high)
                return self.emit(f"shr.{name}", high, Immediate(magic.shift - 1), into=into)
            return self.emit(f"shr.{name}", high, Immediate(magic.shift), into=into) if magic.shift else high
        if exact:  # a negative n is rounded toward zero: add divisor - 1 to it first
            sign = self.emit(f"shr.s{bits}", n, Immediate(bits - 1)) if power > 1 else n
            biased = self.emit(f"add.{name}", n, self.emit(f"shr.u{bits}", sign, Immediate(bits - power)))
            if not negative:
                return self.emit(f"shr.{name}", biased, Immediate(power), into=into)
            return self.emit(f"neg.{name}", self.emit(f"shr.{name}", biased, Immediate(power)), into=into)
        magic = signed_magic(divisor, bits)
        multiplier = magic.multiplier - (1 << bits if magic.adds else 0)
        high = self.emit(f"mul.hi.{name}", n, Immediate(multiplier))
        if magic.adds:
            high = self.emit(f"add.{name}", high, n)
        if magic.shift:
            high = self.emit(f"shr.{name}", high, Immediate(magic.shift))
        sign = self.emit(f"shr.{name}", n, Immediate(bits - 1))  # -1 for a negative n: it is rounded toward zero
        return self.emit(f"sub.{name}", *((sign, high) if negative else (high, sign)), into=into)

    def remainder(self, d: Register, n: Register, quotient: Operand, divisor: int) -> None:
        """n - quotient * divisor."""
        bits, name = self.type.bits, self.type.name
        power = divisor.bit_length() - 1
        if divisor == 1 << power and not self.type.is_signed:
            self.emit(f"and.b{bits}", n, Immediate(divisor - 1), into=d)
        elif divisor == 1 << power:
            self.emit(f"sub.{name}", n, self.emit(f"shl.b{bits}", quotient, Immediate(power)), into=d)
        else:
            self.emit(f"mad.lo.{name}", quotient, Immediate(-divisor), n, into=d)
