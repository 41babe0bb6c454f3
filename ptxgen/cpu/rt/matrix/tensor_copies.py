"""tcgen05.cp at run time (manual 9.7.16.9.1): rows of 16 or 32 bytes from shared memory to lanes of tensor memory.

With a format of 4 or 6 bits, each 16 bytes of the source begin with 16 elements side by side, and padding follows; in tensor
memory each has a byte: 6 bits its low ones, 4 bits those in its middle.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.matrix.pairs import ctas_of
from ptxgen.cpu.rt.matrix.shared_tiles import SharedMatrix
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Parameter", "write"]

_QUARTERS = {"warpx2::02_13": ((0, 2), (1, 3)), "warpx2::01_23": ((0, 1), (2, 3)), "warpx4": ((0, 1, 2, 3),)}
"""To which quarters of the lanes each 32 rows go; else every row goes to its own lane."""


class Parameter(IntEnum):
    """The 64-bit words that the function gets in place of pointers to rows."""

    ADDRESS = 0
    DESCRIPTOR = 1
    FAULT = 2
    """Set by the function: a FaultKind, or 0; and its number."""
    NUMBER = 3


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    e, words = f.e, f.words
    rows, width = (int(n) for n in words[3].removesuffix("b").split("x"))
    quarters = next((_QUARTERS[w] for w in words if w in _QUARTERS), ((0,), (1,), (2,), (3,))[: rows // 32])
    address, descriptor = (e.load("i64", e.offset(f.rows, 8 * n)) for n in (Parameter.ADDRESS, Parameter.DESCRIPTOR))
    lane, first = address.trunc("i32") >> 16, address.trunc("i32") & 0xFFFF

    def refuse(condition: LlvmValue, kind: FaultKind, number: LlvmValue) -> None:
        with e.if_(condition):
            e.store(e.const("i64", int(kind)), e.offset(f.rows, 8 * Parameter.FAULT))
            e.store(number.zext("i64"), e.offset(f.rows, 8 * Parameter.NUMBER))
            e.leave("out")

    refuse(lane.ne(0), FaultKind.TENSOR_MEMORY_LANES, address)
    for cta in ctas_of(MemoryRecord(e, record_layout.Warp, f.warp), words, refuse):
        refuse(not_allocated(cta, first, e.const("i32", width // 32)), FaultKind.TENSOR_MEMORY_COLUMNS, first)
        source = SharedMatrix(e, cta, descriptor, e.const("i1", 0), refuse)
        memory = tensor_memory(cta)
        with e.count(0, e.const("i32", 32)) as row:
            for number, lanes in enumerate(quarters):
                for chunk in range(width // 128):
                    pointer = source.pointer(row + 32 * number, e.const("i32", 16 * chunk))
                    for word in range(4):
                        value = _word(e, pointer, word, words[-1])
                        for quarter in lanes:
                            column = first + (4 * chunk + word)
                            e.store(value, column_pointer(e, memory, row + 32 * quarter, column))
    e.jump("out")
    e.label("out")


def _word(e: Emitter, pointer: LlvmValue, word: int, format: str) -> LlvmValue:
    """One of the four words that 16 bytes become."""
    bits = {"b8x16.b6x16_p32": 6, "b8x16.b4x16_p64": 4}.get(format, 8)
    if bits == 8:
        return e.load("i32", e.offset(pointer, 4 * word))
    source = e.load("i32", e.offset(pointer, bits // 2 * word))
    made = e.const("i32", 0)
    for i in range(4):
        element = source >> bits * i & ((1 << bits) - 1)
        made = made | element << (8 * i + (2 if bits == 4 else 0))
    return made
