"""What a warp knows of others: vector clocks in generated code, as state_layout.py has them.

A release joins what the warp knows into a clock, and its next epoch begins; an acquire joins a clock into what the warp knows.
Within a warp a lane knows of what the others did before the epoch in which it last waited for them.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.sanitizer.state_layout import (
    AGENT,
    EPOCH,
    EPOCHS,
    FENCED,
    GRID_CLOCKS,
    INSTRUCTION,
    INSTRUCTIONS,
    KNOWN,
    NEAR,
    WHO,
    SanitizerRecord,
    WarpState,
    clocks_at,
    tags_at,
)

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.value import Number

__all__ = [
    "Clock", "GridClock", "acquire", "acquire_from_grid", "epoch_of", "fill", "forget_told", "keep_in_layer", "known",
    "next_epoch", "raise_floor", "record_of", "release", "release_fenced", "release_to_grid", "state_of", "sync_lanes",
    "thread_word", "warp_state", "write_clock_join",
]  # fmt: skip

HEAD = ctypes.sizeof(WarpState)


def state_of(e: Emitter, pointer: LlvmValue) -> MemoryRecord:
    """A warp's state."""
    return MemoryRecord(e, WarpState, pointer)


def record_of(state: MemoryRecord) -> MemoryRecord:
    return state.follow("record", SanitizerRecord)


def thread_word(state: MemoryRecord, lane: LlvmValue, instruction: LlvmValue) -> LlvmValue:
    """Who is where, as it is kept of an access: an i64."""
    who = ((state.get("agent") << 5) | lane).zext("i64") << WHO
    last = state.emitter.intrinsic("llvm.umin", instruction, state.emitter.const("i32", INSTRUCTIONS))
    return (last.zext("i64") << INSTRUCTION) | who


def fill(e: Emitter, pointer: LlvmValue, nbytes: LlvmValue) -> None:
    """Zeros; the bytes, an i64, are a multiple of 32."""
    with e.count(0, nbytes >> 5) as line:
        e.line(f"store <8 x i32> zeroinitializer, ptr {e.offset(pointer, line << 5).text}, align 1")


# -- clocks -----------------------------------------------------------------------------------------------------------


def write_clock_join(e: Emitter, *arguments: LlvmValue) -> None:
    """`void clock_join(into, tag, source, reach, layers, joined, words)`: the later of two clocks, word by word, in so many
    layers of them. `into` has `layers`, and its tag grows to `reach`, the words of `source` that are in use; words that its tag
    did not cover are zero then."""
    into, tag, source, reach, layers, joined, words = arguments
    old, pitch = e.load("i32", tag), words << 2
    with e.if_(old.ult(reach)):
        with e.count(0, layers) as layer:
            place = e.offset(into, layer * pitch + (old.zext("i64") << 2))
            fill(e, place, (reach - old).zext("i64") << 2)
        e.store(reach, tag)
    with e.count(0, joined) as layer:
        ends = [e.offset(clock, layer * pitch) for clock in (into, source)]
        with e.count(0, reach.zext("i64") >> 3) as line:
            places = [e.offset(end, line << 5) for end in ends]
            mine, theirs = (e.op("ptr", f"load <8 x i32>, ptr {place.text}, align 4").text for place in places)
            above = e.op("ptr", f"icmp ugt <8 x i32> {mine}, {theirs}").text
            later = e.op("ptr", f"select <8 x i1> {above}, <8 x i32> {mine}, <8 x i32> {theirs}").text
            e.line(f"store <8 x i32> {later}, ptr {places[0].text}, align 4")
    e.line("ret void")


def known(state: MemoryRecord, layer: int = KNOWN) -> LlvmValue:
    """The pointer to what a warp knows."""
    e = state.emitter
    start = e.offset(state.pointer, HEAD)
    return start if layer == KNOWN else e.offset(start, record_of(state).get("words") * (4 * layer))


class Clock:
    """One of a CTA: where it lies, and its tag."""

    def __init__(self, record: MemoryRecord, block: LlvmValue, number: Number) -> None:
        self._e = e = record.emitter
        index = e.const("i64", number) if isinstance(number, int) else number.zext("i64")
        pitch = record.get("words") * (record.get("layers") << 2)
        self.pointer = e.offset(e.ptr(block), index * pitch + clocks_at())
        self.tag = e.offset(e.ptr(block), (index << 2) + tags_at())

    def forget(self) -> None:
        """It is empty."""
        self._e.store(self._e.const("i32", 0), self.tag)


class GridClock:
    """One of the launch's, for the word or the mbarrier at an address of the machine; of one layer."""

    def __init__(self, record: MemoryRecord, address: LlvmValue) -> None:
        e = record.emitter
        index = (address >> 2) & (GRID_CLOCKS - 1)
        base = e.ptr(record.get("grid_clocks"))
        self.pointer = e.offset(base, index * (record.get("words") << 2) + 4 * GRID_CLOCKS)
        self.tag = e.offset(base, index << 2)


def _join(e: Emitter, into: LlvmValue, tag: LlvmValue, source: LlvmValue, reach: LlvmValue, layers: LlvmValue,
          joined: LlvmValue, words: LlvmValue) -> None:  # fmt: skip
    e.invoke("clock_join", into, tag, source, reach, layers, joined, words)


def release(state: MemoryRecord, clock: Clock) -> None:
    """What the warp has done so far is told to whoever acquires the clock."""
    record = record_of(state)
    layers = record.get("layers")
    _join(state.emitter, clock.pointer, clock.tag, known(state), state.get("tag"), layers, layers, record.get("words"))


def release_fenced(state: MemoryRecord, clock: Clock, near: LlvmValue) -> None:
    """The same of what a fence has made visible: with `near`, an i1, any fence, else a wide one. The kernel has fences."""
    e, record = state.emitter, record_of(state)
    layers, words, one = record.get("layers"), record.get("words"), state.emitter.const("i64", 1)
    near = (near & layers.ugt(NEAR)).select(e.const("i64", NEAR), FENCED)
    source, reach = known(state), state.get("tag")
    visible = e.offset(source, near * (words << 2))
    _join(e, clock.pointer, clock.tag, visible, reach, layers, one, words)
    pitch = words << 2
    others = [e.offset(each, pitch) for each in (clock.pointer, source)]
    _join(e, others[0], clock.tag, others[1], reach, layers, layers - 1, words)


def forget_told(state: MemoryRecord) -> None:
    """There is something that no clock has been told."""
    state.emitter.line(f"store <8 x i32> zeroinitializer, ptr {state.pointer_to('told').text}, align 4")


def acquire(state: MemoryRecord, clock: Clock) -> None:
    e, record = state.emitter, record_of(state)
    forget_told(state)
    layers, reach = record.get("layers"), e.load("i32", clock.tag)
    with e.if_(reach.ne(0)):
        _join(e, known(state), state.pointer_to("tag"), clock.pointer, reach, layers, layers, record.get("words"))


def release_to_grid(state: MemoryRecord, clock: GridClock, layer: LlvmValue) -> None:
    """A layer (an i64) of what the warp knows is told to whoever acquires the clock."""
    e, record = state.emitter, record_of(state)
    words, one = record.get("words"), e.const("i64", 1)
    source = e.offset(known(state), (layer * words) << 2)
    _join(e, clock.pointer, clock.tag, source, state.get("tag"), one, one, words)


def acquire_from_grid(state: MemoryRecord, clock: GridClock) -> None:
    e, record = state.emitter, record_of(state)
    forget_told(state)
    reach, one = e.load("i32", clock.tag), e.const("i64", 1)
    with e.if_(reach.ne(0)):
        layers = record.get("layers")
        _join(e, known(state), state.pointer_to("tag"), clock.pointer, reach, layers, one, record.get("words"))


def keep_in_layer(state: MemoryRecord, layer: int) -> None:
    """All that the warp knows now is in this layer too."""
    e, record = state.emitter, record_of(state)
    one = e.const("i64", 1)
    _join(
        e, known(state, layer), state.pointer_to("tag"), known(state), state.get("tag"), one, one, record.get("words")
    )


# -- epochs -----------------------------------------------------------------------------------------------------------


def _own_word(state: MemoryRecord) -> LlvmValue:
    return state.emitter.element("i32", known(state), state.get("agent").zext("i64"))


def epoch_of(state: MemoryRecord) -> LlvmValue:
    return state.emitter.load("i32", _own_word(state))


def next_epoch(state: MemoryRecord) -> LlvmValue:
    e, own, record = state.emitter, _own_word(state), record_of(state)
    epoch = e.load("i32", own)
    later = epoch + epoch.ult(EPOCHS).zext("i32")
    e.store(later, own)
    state.set("now", (later.zext("i64") << EPOCH) | (state.get("agent").zext("i64") << AGENT))
    forget_told(state)
    record.set("last_epoch", e.intrinsic("llvm.umax", record.get("last_epoch"), later.zext("i64")))
    return later


def sync_lanes(state: MemoryRecord, lanes: LlvmValue, epoch: LlvmValue) -> None:
    """The lanes know of all that their warp has done before this epoch."""
    e = state.emitter
    whole = lanes.eq(0xFFFFFFFF)
    with e.if_(whole):
        state.set("together", epoch.zext("i64") << EPOCH)
        first = e.op("ptr", f"insertelement <8 x i32> zeroinitializer, i32 {epoch.text}, i32 0").text
        order = "<8 x i32> zeroinitializer"
        all_ = e.op("ptr", f"shufflevector <8 x i32> {first}, {order}, {order}").text
        for byte in range(0, 128, 32):
            e.line(f"store <8 x i32> {all_}, ptr {e.offset(state.pointer_to('synced'), byte).text}, align 4")
    left = e.var("i32", whole.select(e.const("i32", 0), lanes))
    with e.loop() as end:
        now = left.get()
        e.break_if(now.eq(0), end)
        state.set("synced", epoch, e.intrinsic("llvm.cttz", now, True))
        left.set(now & (now - 1))


def raise_floor(state: MemoryRecord, launch: MemoryRecord) -> None:
    """All lanes know of whatever was done in the CTA before the least epoch that they know of; shared memory belongs to it alone
    where it has no cluster."""
    e, record = state.emitter, record_of(state)
    with e.if_(launch.get("cluster_ctas").eq(1)):
        least = e.var("i64", state.get("together") >> EPOCH)
        first = state.get("first_word").zext("i64") + 1
        with e.count(first, first + launch.get("warps").zext("i64")) as word:
            theirs = e.load("i32", e.element("i32", known(state), word)).zext("i64") + 1
            least.set(e.intrinsic("llvm.umin", least.get(), theirs))
        state.set("floor", e.intrinsic("llvm.umax", least.get() << EPOCH, record.get("settled")))


def warp_state(e: Emitter, warp: LlvmValue) -> MemoryRecord:
    """The state of the warp whose record lies at an address."""
    return MemoryRecord(e, record_layout.Warp, e.ptr(warp)).follow("sanitizer", WarpState)
