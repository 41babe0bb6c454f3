"""The stack of a thread (manual 9.7.17), and what normalize makes of calls through it. Operands name the stack pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.emit import BITS
from ptxgen.cpu.flat import Reg
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.normalize.functions import CODE, CODE_STEP
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand, Op
    from ptxgen.cpu.lower.context import LoweringContext

U32, U64 = TYPES["u32"], TYPES["u64"]
UNIT = 16
"""Records begin at a multiple of it, in bytes."""


def aligned(address: LlvmValue, unit: int) -> LlvmValue:
    return (address + (unit - 1)) & -unit


def check(k: LoweringContext, top: LlvmValue) -> None:
    """Faults when the stack would end there: the launch says how large local memory is."""
    k.fault_if(top.ugt(k.local_limit()), FaultKind.STACK_OVERFLOW, top)


@lowers("stacksave.type", type="u32 u64", reads="u64")
def stacksave(k: LoweringContext, form: FormModifiers, pointer: LlvmValue) -> LlvmValue:
    return pointer.resize(representation(form.type))


@lowers("stackrestore.type", type="u32 u64", writes="u64")
def stackrestore(k: LoweringContext, form: FormModifiers, saved: LlvmValue) -> LlvmValue:
    return saved.resize("i64")


@lowers("alloca.type", type="u32 u64", raw=True)
def alloca(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    written, size, *rest, pointer = op.operands
    assert isinstance(written, tuple)
    alignment = rest[0].value if rest and isinstance(rest[0], ir.Immediate) else UNIT
    unit = max(alignment, UNIT)
    with k.when(k.guard()):
        begin = aligned(k.read(pointer, U64), unit)
        end = begin + k.read(size, form.type).resize("i64")
        check(k, end)
        k.write(written[0], begin, U64)
        k.write(pointer, end, U64)


def places(operands: tuple[FlatOperand, ...]) -> tuple[list[tuple[Reg, int]], int]:
    """(where each register is kept, bytes of all): the largest first, so that none needs a gap."""
    found, end = [], 0
    registers = [reg for reg in operands if isinstance(reg, Reg)]
    for reg in sorted(registers, key=lambda reg: -BITS[representation(reg.type)]):
        found.append((reg, end))
        end += max(BITS[representation(reg.type)] // 8, 1)
    return found, end


@lowers("stack.save", raw=True)
def save(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Puts registers on the stack; the result is where a record of that size may begin."""
    target, pointer, record, kept = op.operands
    assert isinstance(kept, tuple)
    e, (found, size) = k.e, places(kept)
    begin = aligned(k.read(pointer, U64), UNIT)
    end = aligned(begin + size, UNIT)
    check(k, end + k.read(record, U64))
    if found:
        memory = e.offset(k.local_base(), begin)
        for reg, at in found:
            value = k.get(reg)
            e.store(value.zext("i8") if value.type == "i1" else value, e.offset(memory, at))
    k.write(target, end, U64)


@lowers("stack.restore", raw=True)
def restore(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Takes registers back from where `stack.save` has put them."""
    kept, pointer = op.operands
    assert isinstance(kept, tuple)
    e, (found, _) = k.e, places(kept)
    if found:
        memory = e.offset(k.local_base(), aligned(k.read(pointer, U64), UNIT))
        for reg, at in found:
            kind = representation(reg.type)
            value = e.load("i8" if kind == "i1" else kind, e.offset(memory, at))
            k.values[reg] = value.trunc("i1") if kind == "i1" else value


@lowers("stack.enter", raw=True)
def enter(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """The stack behind a record of the function that begins here."""
    pointer, frame, size = op.operands
    top = k.read(frame, U64) + k.read(size, U64)
    check(k, top)
    k.write(pointer, top, U64)


@lowers("callee", raw=True)
def callee(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Which of these functions, given by their numbers, the address in a register means; any other one is a fault."""
    e = k.e
    target, pointer, numbers = op.operands
    assert isinstance(numbers, tuple)
    address = k.read(pointer, U64)
    found = e.const("i32", -1)
    for place, number in enumerate(numbers):
        assert isinstance(number, int)
        found = address.eq(CODE + CODE_STEP * number).select(e.const("i32", place), found)
    k.fault_if(found.eq(-1), FaultKind.FUNCTION_POINTER, address)
    k.write(target, found, U32)
