"""Accesses of all lanes of a warp at once: what an instruction of theirs has touched, told when its block has run.

Where 32 lanes touch 32 elements one behind the other, that is one run of memory, and what the shadow says of it is asked once.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.clocks import record_of, state_of
from ptxgen.cpu.sanitizer.granules import GRANULE, Quick, fold, head_of, slots_of
from ptxgen.cpu.sanitizer.runs import is_run, lanes_like, steps, touch_run, touch_word
from ptxgen.cpu.sanitizer.state_layout import INSTRUCTION, INSTRUCTIONS, LANE, LARGEST_SIZE, MASK, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = [
    "WROTE",
    "WROTE_THE_SAME",
    "address_of",
    "length_of",
    "limit_of",
    "write_init_warp",
    "write_race_lanes",
    "write_race_span",
    "write_race_warp",
]


def limit_of(e: Emitter, state: MemoryRecord, record: MemoryRecord, address: LlvmValue) -> LlvmValue:
    """What is kept of an access at an address is known to all lanes where it is below this."""
    return address.ult(record.get("windows")).select(record.get("settled"), state.get("floor"))


def address_of(e: Emitter, addresses: LlvmValue, lane: LlvmValue, delta: LlvmValue) -> LlvmValue:
    """What a lane, an i32, touches: an i64."""
    return e.load("i64", e.element("i64", addresses, lane.zext("i64"))) + delta


@contextmanager
def _each_lane(e: Emitter, mask: LlvmValue) -> Iterator[tuple[LlvmValue, str]]:
    """Its body runs for each lane, an i32, of a mask; the label is where it goes on with the next one."""
    left = e.var("i32", mask)
    following = e.fresh("next")
    with e.loop() as done:
        now = left.get()
        e.break_if(now.eq(0), done)
        left.set(now & (now - 1))
        yield e.intrinsic("llvm.cttz", now, True), following
        e.jump(following)
        e.label(following)


# -- races ------------------------------------------------------------------------------------------------------------


def write_race_warp(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_warp(state, addresses, delta, mask, access, instruction, alike, values)`: lanes have made a weak access of
    global or of their CTA's shared memory, each at its address, of 32, plus delta. `alike` are, of each word of an element, the
    lanes that have written what was there, `values` what each has written; null for none."""
    pointer, addresses, delta, mask, access, instruction, *_ = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    size = (access & LARGEST_SIZE).zext("i64")
    start = address_of(e, addresses, e.const("i32", 0), delta)
    inside = (start - record.get("arena")).ult(record.get("arena_bytes"))
    parts = size.ult(4)
    with e.if_(mask.ne(0xFFFFFFFF) | (start & 3).ne(0) | ~inside | (parts & (access & WRITE).ne(0))):
        e.invoke("race_lanes", *arguments)
        e.leave("out")
    base = state.get("now") | (
        e.intrinsic("llvm.umin", instruction, e.const("i32", INSTRUCTIONS)).zext("i64") << INSTRUCTION
    )
    apart = steps(e, addresses)
    behind = lanes_like(e, apart, size)
    limit = limit_of(e, state, record, start)
    with e.if_(parts):
        good = e.var("i1", behind.eq(_ALL_BUT_ONE))
        with e.if_(good.get()):
            good.set(_parts(e, state, start, size, base, limit))
        with e.if_(~good.get()):
            e.invoke("race_lanes", *arguments)
        e.leave("out")
    base = base | (0xF << MASK)
    whole = (start & (GRANULE - 1)).eq(0) & behind.eq(_ALL_BUT_ONE)
    with e.if_(whole):
        _granules(e, start, size, base, limit, arguments)
        e.leave("out")
    _runs(e, behind, lanes_like(e, apart, e.const("i64", 0)), size, base, limit, arguments)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _parts(
    e: Emitter, state: MemoryRecord, start: LlvmValue, size: LlvmValue, base: LlvmValue, limit: LlvmValue
) -> LlvmValue:
    """The lanes read one or two bytes each, one behind the other. Of a word the first reader and the last are kept. An i1: is it
    done?"""
    heads, slots, none = state.get("head_bias"), state.get("race_bias"), e.const("i64", 0)
    apart = e.const("i64", 2) - e.intrinsic("llvm.cttz", size, True)
    bits, last = (e.const("i64", 1) << size) - 1, (e.const("i64", 1) << apart) - 1
    readers = base | (bits << MASK), base + (last << LANE) | ((bits << (e.const("i64", 4) - size)) << MASK)
    good = e.const("i1", 1)
    for mine in readers:
        given = (start, size << 3, mine, none, apart, heads, slots, limit, e.const("i1", 0))
        good = good & e.use(touch_run, *given)
    return good


def _granules(
    e: Emitter, start: LlvmValue, size: LlvmValue, base: LlvmValue, limit: LlvmValue, arguments: Sequence[LlvmValue]
) -> None:
    """The lanes touch all of some granules, one element after the other."""
    pointer, addresses, delta, _mask, access, *rest = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    width = e.intrinsic("llvm.cttz", size, True) - 2
    lanes = e.const("i64", 32) >> width  # of a granule
    writes = (access & WRITE).ne(0)
    quick = Quick(e, state, record.get("stretch").trunc("i32"), limit, whole=True)
    heads, slots, none = state.get("head_bias"), state.get("race_bias"), e.const("i64", 0)
    with e.count(0, size >> 2) as part:
        place, first = start + part * GRANULE, part * lanes
        head, mine = head_of(e, place, heads), base | width | (first << LANE)
        done = e.var("i1", fold(e, head, place, slots, writes.select(limit, record.get("settled"))))
        with e.if_(done.get()):
            with e.if_(writes):
                done.set(quick.write(head, mine))
            with e.if_(~writes):
                done.set(quick.read(head, mine))
        with e.if_(~done.get()):
            mine = base | (first << LANE)
            good = e.use(touch_run, place, e.const("i64", 32), mine, width, none, heads, slots, limit, writes)
            with e.if_(~good):
                those = ((e.const("i64", 1) << lanes) - 1) << first
                e.invoke("race_lanes", pointer, addresses, delta, those.trunc("i32"), access, *rest)


def _runs(
    e: Emitter,
    behind: LlvmValue,
    alike: LlvmValue,
    size: LlvmValue,
    base: LlvmValue,
    limit: LlvmValue,
    arguments: Sequence[LlvmValue],
) -> None:
    """Lanes that follow each other in memory, or touch one element, go together. Of readers of the same, two are kept."""
    pointer, addresses, delta, _mask, access, *rest = arguments
    state = state_of(e, pointer)
    heads, slots, none = state.get("head_bias"), state.get("race_bias"), e.const("i64", 0)
    writes = (access & WRITE).ne(0)
    width = e.intrinsic("llvm.cttz", size, True) - 2
    lane = e.var("i32", 0)
    before, length, times = e.var("i64", 0), e.var("i64", 0), e.var("i32", 0)
    record = record_of(state)
    arena, nbytes = record.get("arena"), record.get("arena_bytes")
    with e.loop() as done:
        first = lane.get()
        e.break_if(first.uge(32), done)
        many, copies = (length_of(e, bits, first) for bits in (behind, alike))
        lane.set(first + e.intrinsic("llvm.umax", many, copies))
        place, words = address_of(e, addresses, first, delta), many.zext("i64") << width
        again = place.eq(before.get()) & words.eq(length.get())
        times.set(again.select(times.get() + 1, e.const("i32", 1)))
        before.set(place)
        length.set(words)
        with e.if_((writes | times.get().ule(2)) & (place - arena).ult(nbytes)):
            mine = base | (first.zext("i64") << LANE)
            good = e.var("i1", ~(writes & copies.ugt(1)))
            with e.if_(good.get() & words.eq(1) & ~writes):
                other = mine + copies.ugt(1).select(e.const("i64", 1 << LANE), 0)
                good.set(e.use(touch_word, place, mine, other, heads, slots, limit))
            with e.if_(good.get() & (words.ne(1) | writes)):
                next_ = e.intrinsic("llvm.umin", lane.get(), e.const("i32", 31))
                given = (place, words, mine, width, none, heads, slots, limit, writes)
                pair = ~writes & copies.eq(1) & times.get().eq(1) & length_of(e, behind, next_).eq(many)
                pair = pair & lane.get().ult(32) & address_of(e, addresses, next_, delta).eq(place)
                twice = pair | copies.ugt(1)
                with e.if_(twice):
                    ahead = copies.ugt(1).select(e.const("i64", 1), (next_ - first).zext("i64"))
                    good.set(e.use(touch_run, *given, ahead << LANE, twice=True))
                with e.if_(~twice):
                    good.set(e.use(touch_run, *given))
                with e.if_(pair):
                    lane.set(next_ + many)
                    times.set(2)
            with e.if_(~good.get()):
                count = (lane.get() - first).zext("i64")
                those = ((e.const("i64", 1) << count) - 1) << first.zext("i64")
                e.invoke("race_lanes", pointer, addresses, delta, those.trunc("i32"), access, *rest)


def length_of(e: Emitter, bits: LlvmValue, first: LlvmValue) -> LlvmValue:
    """How many lanes from one on go together, each bit saying so of a lane and the next."""
    return e.intrinsic("llvm.cttz", ~(bits >> first), False) + 1


_ALL_BUT_ONE = 0x7FFFFFFF
WROTE, WROTE_THE_SAME = 1, 2
"""What `race_write` is told of a write that is done already; 0 of one that is not."""


def write_race_lanes(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_lanes(...)`: `race_warp`, lane by lane. A word that two lanes have read in this instruction is the same to a
    third one."""
    pointer, addresses, delta, mask, access, instruction, alike, values = arguments
    e.break_if(mask.eq(0), "out")
    state = state_of(e, pointer)
    record = record_of(state)
    size = (access & LARGEST_SIZE).zext("i64")
    base = state.get("now") | (
        e.intrinsic("llvm.umin", instruction, e.const("i32", INSTRUCTIONS)).zext("i64") << INSTRUCTION
    )
    writes = (access & WRITE).ne(0)
    some = address_of(e, addresses, e.intrinsic("llvm.cttz", mask, True), delta)
    quick = Quick(e, state, record.get("stretch").trunc("i32"), limit_of(e, state, record, some))
    arena, nbytes = record.get("arena"), record.get("arena_bytes")
    heads, accesses = state.get("head_bias"), state.get("race_bias")
    once, twice = _Run(e, size), _Run(e, size)
    with _each_lane(e, mask) as (lane, following):
        address = address_of(e, addresses, lane, delta)
        with e.if_(~writes):
            again = once.has(address)
            with e.if_(again):
                e.break_if(twice.has(address), following)
                twice.add(address)
            with e.if_(~again):
                once.add(address)
        e.break_if((address - arena).uge(nbytes), following)  # of a peer: nothing is known
        thread, synced = base | (lane.zext("i64") << LANE), state.get("synced", lane)
        end, at = address + size, e.var("i64", address)
        with e.loop() as done:
            place = at.get()
            word = place & ~3
            stop = e.intrinsic("llvm.umin", word + 4, end)
            bits = (e.const("i64", 1) << (stop - place)) - 1
            mine = thread | ((bits << (place & 3)) << MASK)
            slots = slots_of(e, word, heads, accesses)
            handled = e.var("i1", 0)
            with e.if_(writes):
                handled.set(quick.write(slots, mine, synced))
                with e.if_(~handled.get()):
                    same = _is_alike(e, alike, lane, (place - address) >> 2)
                    new = alike.eq(e.undef("ptr")).select(alike, e.offset(values, lane.zext("i64") * size))
                    e.invoke("race_write", pointer, slots, mine, place, size.trunc("i32"), address, end, new, same)
            with e.if_(~writes):
                handled.set(quick.read(slots, mine, synced))
                with e.if_(~handled.get()):
                    e.invoke("race_read", pointer, slots, mine, place, size.trunc("i32"))
            at.set(stop)
            e.break_if(stop.uge(end), done)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def write_race_span(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_span(state, address, bytes, flags)`: work of the host has read or written a run of global memory."""
    pointer, address, nbytes, flags = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    quick = Quick(e, state, record.get("stretch").trunc("i32"), record.get("settled"), whole=True)
    heads, slots, zero = state.get("head_bias"), state.get("race_bias"), e.const("i32", 0)
    writes, end = (flags & WRITE).ne(0), address + nbytes
    mine = state.get("now") | (0xF << MASK)
    at = e.var("i64", address)
    with e.loop() as done:
        place = at.get()
        e.break_if(place.uge(end), done)
        stop = e.intrinsic("llvm.umin", (place | (GRANULE - 1)) + 1, end)
        at.set(stop)
        good = e.var("i1", (stop - place).eq(GRANULE))
        with e.if_(good.get()):
            head = head_of(e, place, heads)
            good.set(fold(e, head, place, slots, record.get("settled")))
            with e.if_(good.get() & writes):
                good.set(quick.write(head, mine))
            with e.if_(good.get() & ~writes):
                good.set(quick.read(head, mine))
        with e.if_(~good.get()):
            e.invoke("race_access", pointer, place, (stop - place).trunc("i32") | flags, zero, zero, e.undef("ptr"))
    e.line("ret void")


def _is_alike(e: Emitter, alike: LlvmValue, lane: LlvmValue, word: LlvmValue) -> LlvmValue:
    """WROTE; and WROTE_THE_SAME where the lane has written what was there, in that word of its element."""
    found = e.var("i32", WROTE)
    with e.if_(alike.ne(e.undef("ptr"))):
        lanes = e.load("i32", e.element("i32", alike, word))
        found.set(((lanes >> lane) & 1).ne(0).select(e.const("i32", WROTE_THE_SAME), WROTE))
    return found.get()


class _Run:
    """Memory that grows by one element behind its end, or begins anew elsewhere."""

    def __init__(self, e: Emitter, size: LlvmValue) -> None:
        self._size = size
        self._start, self._end = e.var("i64", 0), e.var("i64", 0)

    def has(self, address: LlvmValue) -> LlvmValue:
        """An i1: does all of the element at an address lie in it?"""
        return address.uge(self._start.get()) & (address + self._size).ule(self._end.get())

    def add(self, address: LlvmValue) -> None:
        self._start.set(address.eq(self._end.get()).select(self._start.get(), address))
        self._end.set(address + self._size)


# -- what nobody has written ------------------------------------------------------------------------------------------

_LINE = 32


def write_init_warp(e: Emitter, *arguments: LlvmValue) -> None:
    """`void init_warp(state, addresses, delta, mask, access, instruction)`: lanes have read or written, each at its address, of
    32, plus delta; an access of 1 to 16 bytes, a power of two."""
    pointer, addresses, delta, mask, access, instruction = arguments
    e.break_if(mask.eq(0), "out")
    state = state_of(e, pointer)
    record = record_of(state)
    size = (access & LARGEST_SIZE).zext("i64")
    bias, writes = state.get("init_bias"), (access & WRITE).ne(0)
    arena, nbytes = record.get("arena"), record.get("arena_bytes")
    with e.if_(is_run(e, addresses, mask, size)):
        start = address_of(e, addresses, e.const("i32", 0), delta)
        e.break_if((start - arena).uge(nbytes), "out")  # of a peer: nothing is known
        shadow = e.ptr(start + bias)
        with e.if_(writes):
            with e.count(0, size) as line:
                e.line(f"store <{_LINE} x i8> {_splat_ones()}, ptr {e.offset(shadow, line * _LINE).text}, align 1")
            e.leave("out")
        written = e.var("i64", -1)
        with e.count(0, size) as line:
            for eight in range(0, _LINE, 8):
                word = e.op("i64", f"load i64, ptr {e.offset(e.offset(shadow, line * _LINE), eight).text}, align 1")
                written.set(written.get() & word)
        e.break_if(written.get().eq(_ONES), "out")
    with e.if_(~writes & mask.eq(0xFFFFFFFF) & size.uge(4)):
        e.break_if(_all_written(e, addresses, delta + bias, arena + bias, nbytes, size), "out")
    short = (
        size.ult(4).select((e.const("i32", 1) << (size << 3).trunc("i32")) - 1, e.const("i32", -1)) & _ONES & 0xFFFFFFFF
    )
    with _each_lane(e, mask) as (lane, following):
        address = address_of(e, addresses, lane, delta)
        e.break_if((address - arena).uge(nbytes), following)
        at = e.var("i64", 0)
        with e.loop() as done:
            place = e.ptr(address + bias + at.get())
            there = e.op("i32", f"load i32, ptr {place.text}, align 1")
            with e.if_(writes):
                e.line(f"store i32 {(there | short).text}, ptr {place.text}, align 1")
            with e.if_(~writes & (there & short).ne(short)):
                e.invoke("init_access", pointer, address, access, lane, instruction)
                e.leave(following)
            at.set(at.get() + 4)
            e.break_if(at.get().uge(size), done)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _all_written(
    e: Emitter, addresses: LlvmValue, to_shadow: LlvmValue, shadow: LlvmValue, nbytes: LlvmValue, size: LlvmValue
) -> LlvmValue:
    """An i1: have all lanes read what was written? In the arena, whose shadow begins there."""
    good, at = e.var("i1", 1), e.var("i64", 0)
    with e.loop() as done:
        e.break_if(at.get().uge(size), done)
        ahead = to_shadow + at.get()
        written = e.const("i32", -1)
        for lane in range(32):
            place = e.load("i64", e.offset(addresses, 8 * lane)) + ahead
            place = (place - shadow).ult(nbytes).select(place, shadow)  # of a peer: nothing is known
            written = written & e.op("i32", f"load i32, ptr {e.ptr(place).text}, align 1")
        good.set(good.get() & written.eq(_ONES & 0xFFFFFFFF))
        at.set(at.get() + 4)
    return good.get()


_ONES = int.from_bytes(bytes([1]) * 8, "little")


def _splat_ones() -> str:
    return "<" + ", ".join(["i8 1"] * _LINE) + ">"
