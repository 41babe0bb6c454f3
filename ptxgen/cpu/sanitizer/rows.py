"""Reads of an unrolled loop that many lanes share: of several instructions, each reads the word behind that of the one before.

The lanes of a warp that read one word then read a run of words, which is told of at once (runs.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.clocks import record_of, state_of
from ptxgen.cpu.sanitizer.runs import lanes_like, steps, touch_run
from ptxgen.cpu.sanitizer.state_layout import INSTRUCTION, INSTRUCTIONS, LANE, MASK
from ptxgen.cpu.sanitizer.warps import address_of, length_of, limit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["SHORTEST", "WORD", "progressions", "write_race_row"]

WORD = 4
SHORTEST = 4
"""Reads that are worth the while."""
_FEW = 4
"""Words that the lanes of a warp may read in one instruction."""


def progressions(reads: Sequence[tuple[int, int]]) -> list[range]:
    """Which of (address, instruction) are such rows: stretches of `SHORTEST` and more, by their places in the sequence."""
    found: list[range] = []
    first = 0
    while first < len(reads):
        stop = first + 1
        while stop < len(reads) and _goes_on(reads[first : stop + 1]):
            stop += 1
        if stop - first >= SHORTEST and reads[stop - 1][1] < INSTRUCTIONS:
            found.append(range(first, stop))
        first = stop
    return found


def _goes_on(reads: Sequence[tuple[int, int]]) -> bool:
    """Is the last one as far from the one before as the others are?"""
    stride = reads[1][1] - reads[0][1]
    return reads[-1][0] - reads[-2][0] == WORD and reads[-1][1] - reads[-2][1] == stride > 0


def write_race_row(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_row(state, addresses, delta, mask, access, instruction, count, stride)`: so many reads as `race_warp` has them;
    each is of the word behind that of the one before, by instructions whose numbers are `stride` apart."""
    pointer, addresses, delta, mask, _access, instruction, count, stride = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    alike = lanes_like(e, steps(e, addresses), e.const("i64", 0))
    start = address_of(e, addresses, e.const("i32", 0), delta)
    few = e.intrinsic("llvm.ctpop", alike).uge(e.const("i32", 32 - _FEW))
    with e.if_(mask.ne(0xFFFFFFFF) | ~few | (start & (WORD - 1)).ne(0)):
        _one_by_one(e, mask, arguments)
        e.leave("out")
    heads, slots, none = state.get("head_bias"), state.get("race_bias"), e.const("i64", 0)
    limit, arena, nbytes = limit_of(e, state, record, start), record.get("arena"), record.get("arena_bytes")
    base = state.get("now") | (instruction.zext("i64") << INSTRUCTION) | (0xF << MASK)
    lane, before, times = e.var("i32", 0), e.var("i64", 0), e.var("i32", 0)
    with e.loop() as done:
        first = lane.get()
        e.break_if(first.uge(32), done)
        copies = length_of(e, alike, first)
        lane.set(first + copies)
        place = address_of(e, addresses, first, delta)
        times.set(place.eq(before.get()).select(times.get() + 1, e.const("i32", 1)))
        before.set(place)
        with e.if_(times.get().ule(2) & (place - arena).ult(nbytes)):  # of a peer nothing is known
            mine = base | (first.zext("i64") << LANE)
            other = copies.ugt(1).select(e.const("i64", 1 << LANE), none)
            given = (place, count.zext("i64"), mine, none, none, heads, slots, limit, e.const("i1", 0), other)
            good = e.use(touch_run, *given, stride.zext("i64") << INSTRUCTION, twice=True, along=True)
            with e.if_(~good):
                those = ((e.const("i64", 1) << copies.zext("i64")) - 1) << first.zext("i64")
                _one_by_one(e, those.trunc("i32"), arguments)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _one_by_one(e: Emitter, lanes: LlvmValue, arguments: Sequence[LlvmValue]) -> None:
    pointer, addresses, delta, _mask, access, instruction, count, stride = arguments
    null = e.undef("ptr")
    with e.count(0, count) as i:
        there, by = delta + (i.zext("i64") << 2), instruction + i * stride
        e.invoke("race_warp", pointer, addresses, there, lanes, access, by, null, null)
