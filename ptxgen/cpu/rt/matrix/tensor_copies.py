"""tcgen05.cp and .shift at run time (manual 9.7.16.9): rows of 16 or 32 bytes from shared memory to lanes of tensor memory, and
the rows of 32 bytes there moved up by one.

With a format of 4 or 6 bits, each 16 bytes of the source begin with 16 elements side by side, and padding follows; in tensor
memory each has a byte, and is in its middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.matrix.pairs import ctas_of
from ptxgen.cpu.rt.matrix.shared_tiles import SharedMatrix
from ptxgen.cpu.rt.matrix.tcgen05_parameters import Parameter
from ptxgen.cpu.rt.matrix.tcgen05_request import LANES, Parameters
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["shift_rows", "write"]

_LANES = {
    "128x256b": ((0,), (32,), (64,), (96,)), "128x128b": ((0,), (32,), (64,), (96,)), "4x256b": ((0,), (32,), (64,), (96,)),
    "warpx2::02_13": ((0, 64), (32, 96)), "warpx2::01_23": ((0, 32), (64, 96)), "warpx4": ((0, 32, 64, 96),),
}  # fmt: skip
"""The first lanes to which each run of rows goes: rows 0 to 31, 32 to 63, ...; with .4x256b each single row."""
SHIFTED = 8
"""Columns that tcgen05.shift moves: 32 bytes."""


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    e, p = f.e, Parameters(f)
    address = p.word(Parameter.D)
    lane, first = address >> 16, address & 0xFFFF
    shifts, few = f.words[1] == "shift", "4x256b" in f.words
    if not few:
        p.refuse((lane & (31 if shifts else -1)).ne(0), FaultKind.TENSOR_MEMORY_LANES, address)
    p.refuse(lane.uge(32 if few else LANES), FaultKind.TENSOR_MEMORY_LANES, address)
    for cta in ctas_of(MemoryRecord(e, record_layout.Warp, f.warp), f.words, p.refuse):
        if shifts:
            _shift(p, cta, lane, first)
        else:
            _copy(p, cta, lane, first)
    e.jump("out")
    e.label("out")


def _copy(p: Parameters, cta: MemoryRecord, lane: LlvmValue, first: LlvmValue) -> None:
    e, words = p.e, p.f.words
    runs = next(_LANES[w] for w in reversed(words) if w in _LANES)
    rows, width = (int(n) for n in words[3].removesuffix("b").split("x"))
    p.refuse(not_allocated(cta, first, e.const("i32", width // 32)), FaultKind.TENSOR_MEMORY_COLUMNS, first)
    source = SharedMatrix(e, cta, p.wide(Parameter.B), e.const("i1", 0), p.refuse)
    memory = tensor_memory(cta)
    each = min(rows, 32) if rows > 4 else 1
    with e.count(0, e.const("i32", each)) as row:
        for number, lanes in enumerate(runs):
            for chunk in range(width // 128):
                pointer = source.pointer(row + each * number, e.const("i32", 16 * chunk))
                for word in range(4):
                    value = _word(e, pointer, word, words[-1])
                    for start in lanes:
                        e.store(value, column_pointer(e, memory, row + lane + start, first + (4 * chunk + word)))


def _word(e: Emitter, pointer: LlvmValue, word: int, format: str) -> LlvmValue:
    """One of the four words that 16 bytes become."""
    bits = {"b8x16.b6x16_p32": 6, "b6x16_p32": 6, "b4x16_p64": 4}.get(format, 8)
    if bits == 8:
        return e.load("i32", e.offset(pointer, 4 * word))
    source = e.const("i32", 0)
    for i in range(bits // 2):
        source = source | e.load("i8", e.offset(pointer, bits // 2 * word + i)).zext("i32") << 8 * i
    made = e.const("i32", 0)
    for i in range(4):
        element = source >> bits * i & ((1 << bits) - 1)
        made = made | element << (8 * i + (8 - bits) // 2)
    return made


def _shift(p: Parameters, cta: MemoryRecord, lane: LlvmValue, first: LlvmValue) -> None:
    p.refuse(not_allocated(cta, first, p.e.const("i32", SHIFTED)), FaultKind.TENSOR_MEMORY_COLUMNS, first)
    shift_rows(p.e, cta, lane, first)


def shift_rows(e: Emitter, cta: MemoryRecord, lane: LlvmValue, first: LlvmValue) -> None:
    """Each row from a lane on gets the next one's 32 bytes, but the last row of each 32 keeps its own (observed on a B200, says
    an example of CUTLASS; .ashift of tcgen05.mma does so behind the product)."""
    memory = tensor_memory(cta)
    with e.count(lane, e.const("i32", LANES)) as row:
        with e.if_((row & 31).ne(31)):
            with e.count(0, e.const("i32", SHIFTED)) as i:
                column = first + i
                e.store(
                    e.load("i32", column_pointer(e, memory, row + 1, column)), column_pointer(e, memory, row, column)
                )
