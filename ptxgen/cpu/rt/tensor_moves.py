"""The bytes that a tensor copy moves between the tensor and its box in shared memory, in chunks of 16.

What an H200 does at the end of a row whose bytes are not a multiple of 16: loads fill from the end on, to the byte; stores and
reductions do whole chunks, and so reach beyond it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.tensor import CHUNK, Box

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["write_tensor_move"]

_NAN = 0x7FF77FF77FF77FF7
"""What elements outside the tensor are with the fill "nan", whatever their type."""


def write_tensor_move(e: Emitter, *arguments: LlvmValue) -> None:
    """`void tensor_move(map, numbers, shared, store, function)`: moves a box between the tensor and a shared address.

    Loads fill what lies outside the tensor, stores leave it out. `function`, when it is not 0, does what a store does with
    the elements of a chunk.
    """
    map_, numbers, shared, store, function = arguments
    box = Box(e, map_, numbers)
    fill = box.fill.ne(0).select(e.const("i64", _NAN), 0)
    loads, reduces = store.eq(0), function.ne(0)
    with box.each_row() as (row, address, inside):
        with e.count(0, box.inner >> 4) as chunk:
            where, flip = box.swizzled(shared + row * box.pitch + (chunk << 4))
            place = e.ptr(where)
            first = box.begin + chunk * box.chunk
            there, left = e.ptr(address + first), box.end - first
            known = inside & first.ult(box.end)
            with e.if_(known & reduces):
                run = f"ptr {there.text}, ptr {place.text}, i64 {CHUNK}, i32 {box.code.text}"
                e.op("i32", f"call i32 {e.ptr(function).text}({run})")
            whole = known & (~loads | left.sge(CHUNK)) & ~box.padded
            with e.if_(whole & ~reduces):
                to, source = loads.select(place, there), loads.select(there, place)
                for half in (0, 8):
                    e.store(e.load("i64", e.offset(source, half)), e.offset(to, flip ^ half))
            with e.if_(loads & ~whole):
                _load_bytes(
                    e, place, there, known.select(e.intrinsic("llvm.smin", left, box.chunk), 0), box.chunk, fill, flip
                )
            with e.if_(loads & known & box.rounds.ne(0)):
                _round(e, place, left, flip)
    e.line("ret void")


def _load_bytes(
    e: Emitter, place: LlvmValue, source: LlvmValue, known: LlvmValue, size: LlvmValue, fill: LlvmValue, flip: LlvmValue
) -> None:
    """`size` bytes of a chunk: `known` ones of the source, and filled from there on. What lies behind is padding, and stays."""
    with e.count(0, known) as byte:
        e.store(e.load("i8", e.offset(source, byte)), e.offset(place, byte ^ flip))
    with e.count(known, size) as byte:
        e.store((fill >> ((byte & 7) << 3)).trunc("i8"), e.offset(place, byte ^ flip))


def _round(e: Emitter, place: LlvmValue, left: LlvmValue, flip: LlvmValue) -> None:
    """The f32 of a chunk rounded to the 10 bits of tf32, to nearest even, with NaN 0x7fffe000; not those beyond `left` bytes,
    which are filled."""
    with e.count(0, e.intrinsic("llvm.smin", left, e.const("i64", CHUNK)) >> 2) as i:
        pointer = e.element("i32", place, i ^ flip >> 2)
        bits = e.load("i32", pointer)
        rounded = (bits + ((bits >> 13) & 1) + 0xFFF) & -0x2000
        nan = (bits & 0x7FFFFFFF).ugt(0x7F800000)
        e.store(nan.select(e.const("i32", 0x7FFFE000), rounded), pointer)
