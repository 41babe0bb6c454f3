"""memcheck: accesses through the pointer to one allocation or variable that land in another one.

An access outside every allocation is a fault in any launch. One that is made from a parameter's value and lands in another
allocation than that value is good for the check of addresses, and so is one beyond the end of a shared variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.memory import find_block
from ptxgen.cpu.rt.records import MemoryRecord, launch_of
from ptxgen.cpu.sanitizer.clocks import state_of, thread_word
from ptxgen.cpu.sanitizer.state_layout import INSTRUCTION, INSTRUCTIONS, LARGEST_SIZE, FindingKind

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["block_of", "write_bounds_of_block", "write_bounds_of_variable"]


def _report(e: Emitter, kind: FindingKind, *arguments: LlvmValue) -> None:
    """Notes an access that is made from the variable or the parameter of a number."""
    pointer, address, access, lane, instruction, origin = arguments
    mine = thread_word(state_of(e, pointer), lane, instruction)
    source = (origin & INSTRUCTIONS).zext("i64") << INSTRUCTION
    e.invoke("sanitizer_report", pointer, e.const("i32", int(kind)), mine, source, address, access & LARGEST_SIZE)


def write_bounds_of_variable(e: Emitter, *arguments: LlvmValue) -> None:
    """`void bounds_of_variable(state, address, access, lane, instruction, origin)`: an access lies outside the shared variable of
    that number."""
    _report(e, FindingKind.OUTSIDE_VARIABLE, *arguments)
    e.line("ret void")


def write_bounds_of_block(e: Emitter, *arguments: LlvmValue) -> None:
    """`void bounds_of_block(state, address, access, lane, instruction, origin, value)`: judges an access whose address is made
    from a parameter with that value. One that leads into no block is not held to any."""
    *access, value = arguments
    pointer, address = access[:2]
    size = (access[2] & LARGEST_SIZE).zext("i64")
    with find_block(e, launch_of(state_of(e, pointer)), value) as (base, nbytes, _):
        offset = address - base
        outside = offset.uge(nbytes) | (nbytes - offset).ult(size)
        with e.if_((value - base).ult(nbytes) & outside):
            _report(e, FindingKind.OUTSIDE_ALLOCATION, *access)
    e.line("ret void")


def block_of(e: Emitter, launch: LlvmValue, value: LlvmValue, slot: LlvmValue) -> LlvmValue:
    """A helper: where the block begins that a parameter's value leads into, an i64. The slot keeps it from launch to launch,
    with its bytes: none for a value that leads into no block, or into one that may only be read."""
    with e.if_((value - e.load("i64", slot)).uge(e.load("i64", e.offset(slot, 8)))):
        for offset in (0, 8):
            e.store(e.const("i64", 0), e.offset(slot, offset))
        with find_block(e, MemoryRecord(e, record_layout.LaunchRecord, launch), value) as (base, nbytes, read_only):
            with e.if_((value - base).ult(nbytes) & ~read_only):
                e.store(base, slot)
                e.store(nbytes, e.offset(slot, 8))
    return e.load("i64", slot)
