"""What tensor cores and tensor copies read and write: matrices in shared memory by their descriptors, boxes by their maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.matrix.descriptors import CHUNK, Descriptor
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of
from ptxgen.cpu.rt.tensor import Box
from ptxgen.cpu.sanitizer.clocks import state_of, thread_word
from ptxgen.cpu.sanitizer.in_flight import MATRIX
from ptxgen.cpu.sanitizer.state_layout import ASYNC_ACCESS, FindingKind

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["write_box_mark", "write_matrix_access", "write_tensor_access"]

FAR = 4
_BOX, _SWIZZLE, _START = 31, 29, 16
"""Of what is kept of a word of a box, in 32 bits, from the highest on: it is of one, its swizzle as maps have it, where in shared
memory it begins, in units of 128 bytes; then the row."""


def write_matrix_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void matrix_access(state, queue, descriptor, lines, chunks, transposed, instruction)`: the warp has issued a wgmma that
    reads a matrix of so many lines, of chunks of 16 bytes each; of a transposed one lines are the indexes along K. Each warp of
    the warpgroup answers for a quarter of it: of the lines, or of the chunks of a transposed one."""
    pointer, queue_pointer, word, lines, chunks, transposed, instruction = arguments
    state = state_of(e, pointer)
    warp = state.follow("warp", record_layout.Warp)
    cta, launch = cta_of(warp), launch_of(warp)
    place = Descriptor(e, word, transposed)
    quarter = warp.get("index") & 3
    split = transposed.select(chunks, lines)
    low, high = ((quarter + more) * split >> 2 for more in (0, 1))
    zero = e.const("i32", 0)
    ends = [
        transposed.select(zero, low),
        transposed.select(lines, high),
        transposed.select(low, zero),
        transposed.select(high, chunks),
    ]
    shared, limit = cta.get("shared"), launch.get("shared_bytes").zext("i64")
    number = MemoryRecord(e, record_layout.WgmmaQueue, queue_pointer).get("next") - 1
    with e.count(ends[0], ends[1]) as line:
        with e.count(ends[2], ends[3]) as chunk:
            address = place.swizzled(place.address(line.zext("i64"), chunk.zext("i64") * CHUNK))
            with e.if_((address + CHUNK).ule(limit)):
                where, nbytes = shared + address, e.const("i32", CHUNK)
                given = (where, nbytes | ASYNC_ACCESS, zero, instruction)
                _watch(e, pointer, given)
                with e.if_(state.get("box_bias").ne(0)):
                    _compare(e, state, place, (line, chunk), shared, address, instruction)
                with e.if_(state.get("async_bias").ne(0)):
                    e.invoke("async_access", pointer, *given, e.undef("ptr"))
                    e.invoke("async_mark", pointer, where, nbytes, zero, e.const("i32", MATRIX), number)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _compare(
    e: Emitter, state: MemoryRecord, place: Descriptor, at: tuple[LlvmValue, LlvmValue], shared: LlvmValue,
    address: LlvmValue, instruction: LlvmValue,
) -> None:  # fmt: skip
    """Has the box that lies there the descriptor's swizzle, and its rows where the descriptor has lines? `at` is the line, and
    the chunk in it."""
    line, chunk = at
    start = place.swizzled(place.address(e.const("i64", 0), chunk.zext("i64") * CHUNK))
    found, before = (e.load("i32", e.ptr(shared + where + state.get("box_bias"))) for where in (address, start))
    with e.if_((found >> _BOX).ne(0)):
        swizzle = place.swizzle.trunc("i32")
        theirs, own = (found >> _SWIZZLE) & 3, (e.const("i32", 4) - swizzle) & 3
        mine = thread_word(state, e.const("i32", 0), instruction)
        none = e.const("i64", 0)
        with e.if_(theirs.ne(own)):
            kind = e.const("i32", int(FindingKind.OTHER_SWIZZLE))
            e.invoke("sanitizer_report", state.pointer, kind, mine, none, shared + address, theirs | (own << 2))
            e.leave("out")
        one_box = (found >> _START).eq(before >> _START)
        rows = (found & 0xFFFF) - (before & 0xFFFF)
        with e.if_(one_box & rows.ne(line)):
            kind = e.const("i32", int(FindingKind.OTHER_ROWS))
            e.invoke(
                "sanitizer_report", state.pointer, kind, mine, none, shared + address, (rows & 0xFFFF) | (line << 16)
            )
            e.leave("out")


def write_box_mark(e: Emitter, *arguments: LlvmValue) -> None:
    """`void box_mark(state, map, numbers, address)`: a tensor copy brings a box to an address of the machine, in shared
    memory."""
    pointer, map_, numbers, address = arguments
    state = state_of(e, pointer)
    box = Box(e, map_, numbers)
    cta = cta_of(state.follow("warp", record_layout.Warp))
    start = ((address - cta.get("shared")) >> 7).trunc("i32") & ((1 << _SWIZZLE - _START) - 1)
    head = e.const("i32", 1 << _BOX) | (box.swizzle << _SWIZZLE) | (start << _START)
    with e.count(0, box.rows) as row:
        word = head | row.trunc("i32")
        to = e.ptr(address + row * box.pitch + state.get("box_bias"))
        with e.count(0, box.pitch >> 2) as i:
            e.store(word, e.element("i32", to, i))
    e.line("ret void")


def write_tensor_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void tensor_access(state, map, numbers, flags, lane, instruction)`: a tensor copy reads or writes what of its box lies
    in the tensor; `flags` are those of an access."""
    pointer, map_, numbers, flags, lane, instruction = arguments
    box = Box(e, map_, numbers)
    low = e.intrinsic("llvm.smax", box.begin, e.const("i64", 0))
    high = e.intrinsic("llvm.smin", box.begin + box.width, box.end)
    with box.each_row() as (_row, address, inside):
        with e.if_(inside & low.slt(high)):
            access = (high - low).trunc("i32") | flags | ASYNC_ACCESS
            _watch(e, pointer, (address + low, access, lane, instruction))
    state = state_of(e, pointer)
    with e.if_(_is_far(box) & state.get("bounds").ne(0)):
        kind, mine = e.const("i32", int(FindingKind.OUTSIDE_TENSOR)), thread_word(state, lane, instruction)
        e.invoke("sanitizer_report", pointer, kind, mine, e.const("i64", 0), box.base, e.const("i32", 0))
    e.line("ret void")


def _is_far(box: Box) -> LlvmValue:
    """Does the box begin FAR boxes or more from the tensor, in some dimension? Tiles at the end may have boxes beyond it."""
    found = box.e.const("i1", 0)
    for d in box.dimensions:
        room = d.elements * FAR
        found = found | d.first.sge(d.extent + room) | (d.first + d.elements + room).sle(0)
    return found & ~box.columns & ~box.gathers


def _watch(e: Emitter, pointer: LlvmValue, given: tuple[LlvmValue, ...]) -> None:
    """Tells those tools that are on."""
    state = state_of(e, pointer)
    with e.if_(state.get("init_bias").ne(0)):
        e.invoke("init_access", pointer, *given)
    with e.if_(state.get("race_bias").ne(0)):
        e.invoke("race_access", pointer, *given, e.undef("ptr"))
