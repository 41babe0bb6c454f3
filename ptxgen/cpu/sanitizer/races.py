"""racecheck: accesses of shared memory that nothing orders, by vector clocks of warps (Flanagan and Freund, FastTrack, 2009).

Of each word of shared memory the last write is kept, a strong one beside it, and two of the reads since, by different threads
where they were. An access races with one of them when another thread made it, bytes are the same, one of the two writes, not
both are strong, and the thread does not know of it: what its warp knows of the other's warp is older. Within a warp it is what
its lanes have waited for since: bar.warp.sync, a barrier, an mbarrier, an atomic word.

A release (arriving at a barrier or an mbarrier, an atomic or ordered store) joins what the warp knows into a clock; an acquire
(a barrier that is complete, a phase that is, an atomic or ordered load) joins that into what the warp knows. So the executor's
own order, which is one of many, makes no difference. Whatever is not sure counts as order: no race is made up.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta
from ptxgen.cpu.sanitizer.state_layout import (
    BARRIERS,
    CLUSTER_BARRIER,
    EPOCH,
    EPOCHS,
    FIRST_HASHED,
    HASHED,
    INSTRUCTION,
    INSTRUCTIONS,
    LARGEST_SIZE,
    MASK,
    NARROW,
    ROOM,
    STRONG,
    WHO,
    WRITE,
    FindingKind,
    FindingRecord,
    SanitizerRecord,
    WarpState,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.value import Number

__all__ = ["clock_of", "fill", "state_of", "write_race_access", "write_race_arrive", "write_race_barrier_complete",
           "write_race_cluster_complete", "write_race_elsewhere", "write_race_order", "write_race_warp_sync",
           "write_report"]  # fmt: skip

_CLOCK = WarpState.pad.offset + WarpState.pad.size
_THREAD = 0x3FFF << WHO
_STRONG, _NARROW = 1, 2
_WRITE_SLOT, _READ_SLOTS, _STRONG_SLOT = 0, (8, 16), 24
"""Of a word of shared memory, in 32 bytes: the last write that is not strong, two reads since, the last strong write since."""


def state_of(e: Emitter, pointer: LlvmValue) -> MemoryRecord:
    """A warp's state."""
    return MemoryRecord(e, WarpState, pointer)


def clock_of(e: Emitter, block: LlvmValue, number: Number, words: LlvmValue) -> LlvmValue:
    """The pointer to a clock of a CTA; `words`, an i32, is its length."""
    index = e.const("i64", number) if isinstance(number, int) else number.zext("i64")
    return e.offset(e.ptr(block), index * (words.zext("i64") << 2))


def fill(e: Emitter, pointer: LlvmValue, nbytes: LlvmValue) -> None:
    """Zeros; the bytes, an i64, are a multiple of 32."""
    with e.count(0, nbytes >> 5) as line:
        e.line(f"store <8 x i32> zeroinitializer, ptr {e.offset(pointer, line << 5).text}, align 1")


def _known(e: Emitter, state: MemoryRecord) -> LlvmValue:
    """The pointer to what a warp knows."""
    return e.offset(state.pointer, _CLOCK)


def _join(e: Emitter, into: LlvmValue, other: LlvmValue, words: LlvmValue) -> None:
    """The later of two clocks, word by word."""
    with e.count(0, words.zext("i64") >> 3) as line:
        places = [e.offset(clock, line << 5) for clock in (into, other)]
        mine, theirs = (e.op("ptr", f"load <8 x i32>, ptr {place.text}, align 4").text for place in places)
        above = e.op("ptr", f"icmp ugt <8 x i32> {mine}, {theirs}").text
        later = e.op("ptr", f"select <8 x i1> {above}, <8 x i32> {mine}, <8 x i32> {theirs}").text
        e.line(f"store <8 x i32> {later}, ptr {places[0].text}, align 4")


def _release(e: Emitter, state: MemoryRecord, clock: LlvmValue) -> None:
    """What the warp has done so far is told to whoever acquires the clock."""
    _join(e, clock, _known(e, state), state.get("agents"))
    _next_epoch(e, state)


def _next_epoch(e: Emitter, state: MemoryRecord) -> LlvmValue:
    own = e.element("i32", _known(e, state), state.get("agent").zext("i64"))
    epoch = e.load("i32", own)
    later = epoch + epoch.ult(EPOCHS).zext("i32")
    e.store(later, own)
    return later


def _acquire(e: Emitter, state: MemoryRecord, clock: LlvmValue) -> None:
    _join(e, _known(e, state), clock, state.get("agents"))


def _epoch(e: Emitter, state: MemoryRecord) -> LlvmValue:
    return e.load("i32", e.element("i32", _known(e, state), state.get("agent").zext("i64")))


def _sync_lanes(e: Emitter, state: MemoryRecord, lanes: LlvmValue, epoch: LlvmValue) -> None:
    """The lanes know of all that their warp has done before this epoch."""
    left = e.var("i32", lanes)
    with e.loop() as end:
        now = left.get()
        e.break_if(now.eq(0), end)
        state.set("synced", epoch, e.intrinsic("llvm.cttz", now, True))
        left.set(now & (now - 1))


# -- accesses ---------------------------------------------------------------------------------------------------------


def _is_ordered(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """A helper: does the thread of the access `mine` know of the earlier one?"""
    state = state_of(e, state_pointer)
    theirs, own = ((each >> WHO) & 0x3FFF for each in (earlier, mine))
    epoch = (earlier >> EPOCH).trunc("i32")
    seen = e.load("i32", e.element("i32", _known(e, state), theirs >> 5))
    synced = state.get("synced", (own & 31).trunc("i32")) - 1
    known = (theirs >> 5).eq(own >> 5).select(synced, seen)
    return theirs.eq(own) | known.uge(epoch)


def _are_of_one_cta(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """A helper: were two accesses made by threads of one CTA?"""
    warps = launch_of(state_of(e, state_pointer).follow("warp", record_layout.Warp)).get("warps")
    ranks = [((each >> (WHO + 5)) & 0x1FF).trunc("i32").udiv(warps) for each in (earlier, mine)]
    return ranks[0].eq(ranks[1])


@contextmanager
def _clash(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> Iterator[None]:
    """Its body runs when two accesses, one of which writes, are of the same bytes, not ordered, and not both strong with scopes
    that have both threads in them (manual 8.7: morally strong)."""
    together = earlier & mine
    with e.if_((together & (0xF << MASK)).ne(0)):
        harmless = e.var("i1", (together & _STRONG).ne(0))
        with e.if_(harmless.get() & ((earlier | mine) & _NARROW).ne(0)):
            harmless.set(e.use(_are_of_one_cta, state_pointer, earlier, mine))
        with e.if_(~harmless.get()):
            with e.if_(~e.use(_is_ordered, state_pointer, earlier, mine)):
                yield


def _races(e: Emitter, state: MemoryRecord, earlier: LlvmValue, mine: LlvmValue, kind: FindingKind, address: LlvmValue,
           size: LlvmValue) -> None:  # fmt: skip
    """Reports two accesses that clash."""
    with _clash(e, state.pointer, earlier, mine):
        e.invoke("sanitizer_report", state.pointer, e.const("i32", int(kind)), mine, earlier, address, size)


def _is_same(e: Emitter, new: LlvmValue, offset: LlvmValue, address: LlvmValue, bits: LlvmValue) -> LlvmValue:
    """Is what is about to be written at an address there already? `bits` has one for each byte, from the lowest on."""
    same = e.var("i1", 0)
    with e.if_(new.ne(e.undef("ptr"))):
        same.set(1)
        left = e.var("i64", 0)
        with e.loop() as end:
            i = left.get()
            e.break_if(((bits >> i) & 1).eq(0), end)
            was, will = e.load("i8", e.offset(e.ptr(address), i)), e.load("i8", e.offset(new, offset + i))
            same.set(same.get() & was.eq(will))
            left.set(i + 1)
    return same.get()


def write_race_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_access(state, address, access, lane, instruction, new)`: an access of shared memory at an address of the
    machine; `access` is its bytes, with flags. `new` is where the bytes are that it is about to write, null where they are
    elsewhere: threads that write the same bytes do no harm."""
    pointer, address, access, lane, instruction, new = arguments
    state = state_of(e, pointer)
    who = ((state.get("agent") << 5) | lane).zext("i64") << WHO
    number = (instruction & INSTRUCTIONS).zext("i64") << INSTRUCTION
    strong = ((access & STRONG).ne(0)).select(e.const("i64", _STRONG), 0)
    narrow = ((access & NARROW).ne(0)).select(e.const("i64", _NARROW), 0)
    base = (_epoch(e, state).zext("i64") << EPOCH) | number | who | strong | narrow
    writes = (access & WRITE).ne(0)
    size = access & LARGEST_SIZE
    end = address + size.zext("i64")
    bias = state.get("race_bias")
    at = e.var("i64", address)
    with e.loop() as done:
        place = at.get()
        e.break_if(place.uge(end), done)
        word = place & ~3
        after = word + 4
        stop = after.ult(end).select(after, end)
        bits = (e.const("i64", 1) << (stop - place)) - 1
        mine = base | ((bits << (place & 3)) << MASK)
        slots = e.ptr((word << 3) + bias)
        with e.if_(writes):
            for slot in (_WRITE_SLOT, _STRONG_SLOT):
                last = e.load("i64", e.offset(slots, slot))
                with _clash(e, pointer, last, mine):
                    with e.if_(~_is_same(e, new, place - address, place, bits)):
                        report = (e.const("i32", int(FindingKind.WRITE_AFTER_WRITE)), mine, last, place, size)
                        e.invoke("sanitizer_report", pointer, *report)
            _write_word(e, state, slots, mine, place, size)
        with e.if_(~writes):
            _read_word(e, state, slots, mine, place, size)
        at.set(stop)
    e.line("ret void")


def _merged(earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """An access with the bytes of an earlier one of the same thread in the same epoch."""
    same = ((earlier ^ mine) & ((EPOCHS << EPOCH) | _THREAD)).eq(0)
    return mine | same.select(earlier & (0xF << MASK), 0)


def _write_word(
    e: Emitter, state: MemoryRecord, slots: LlvmValue, mine: LlvmValue, address: LlvmValue, size: LlvmValue
) -> None:
    """A strong write leaves a weak one in mind, which those who come may not know of."""
    strong = (mine & _STRONG).ne(0)
    for slot in _READ_SLOTS:
        place = e.offset(slots, slot)
        read = e.load("i64", place)
        with e.if_(read.ne(0)):
            _races(e, state, read, mine, FindingKind.WRITE_AFTER_READ, address, size)
            e.store(strong.select(read, 0), place)
    own = e.offset(slots, strong.select(e.const("i64", _STRONG_SLOT), _WRITE_SLOT))
    e.store(_merged(e.load("i64", own), mine), own)
    with e.if_(~strong):
        e.store(e.const("i64", 0), e.offset(slots, _STRONG_SLOT))


def _read_word(
    e: Emitter, state: MemoryRecord, slots: LlvmValue, mine: LlvmValue, address: LlvmValue, size: LlvmValue
) -> None:
    for slot in (_WRITE_SLOT, _STRONG_SLOT):
        last = e.load("i64", e.offset(slots, slot))
        _races(e, state, last, mine, FindingKind.READ_AFTER_WRITE, address, size)
    place, other = (e.offset(slots, slot) for slot in _READ_SLOTS)
    first = e.load("i64", place)
    known = e.use(_is_ordered, state.pointer, first, mine) | first.eq(0)
    with e.if_(known):
        e.store(_merged(first, mine), place)
    with e.if_(~known):
        e.store(_merged(e.load("i64", other), mine), other)


def write_race_elsewhere(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_elsewhere(state, address, access, lane, instruction, new)`: `race_access` of an address that may
    lie in the shared memory of a CTA of the cluster, or not."""
    pointer, address, *rest = arguments
    warp = state_of(e, pointer).follow("warp", record_layout.Warp)
    cta, launch = cta_of(warp), launch_of(warp)
    shared_bytes = launch.get("shared_bytes").zext("i64")
    first = cta.follow("cluster", record_layout.Cta)
    with e.count(0, launch.get("cluster_ctas")) as rank:
        with e.if_((address - nth_cta(e, first.pointer, rank).get("shared")).ult(shared_bytes)):
            e.invoke("race_access", pointer, address, *rest)
            e.jump("out")
            e.label(e.fresh("dead"))
    e.jump("out")
    e.label("out")
    e.line("ret void")


def write_report(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sanitizer_report(state, kind, mine, earlier, address, size)`: notes a finding, or that it was made again. `mine` and
    `earlier` are accesses as they are kept, `earlier` 0 where there is none."""
    pointer, kind, mine, earlier, address, size = arguments
    state = state_of(e, pointer)
    record = state.follow("record", SanitizerRecord)
    warp = state.follow("warp", record_layout.Warp)
    cta, launch = cta_of(warp), launch_of(warp)
    own, other = (((each >> INSTRUCTION) & INSTRUCTIONS).trunc("i32") for each in (mine, earlier))
    length, found = _sizeof(FindingRecord), record.get("found")
    findings = e.ptr(record.get("findings"))
    with e.count(0, found) as i:
        known = MemoryRecord(e, FindingRecord, e.offset(findings, i * length))
        pair = known.get("instruction"), known.get("other_instruction")
        same = known.get("kind").eq(kind) & pair[0].eq(own) & pair[1].eq(other)
        turned = pair[0].eq(other) & pair[1].eq(own) & other.ne(0)  # a race, found by the other of the two
        with e.if_(same | turned):
            known.add("times", 1)
            e.line("ret void")
            e.label(e.fresh("dead"))
    with e.if_(found.uge(ROOM)):
        e.line("ret void")
        e.label(e.fresh("dead"))
    record.set("found", found + 1)
    new = MemoryRecord(e, FindingRecord, e.offset(findings, found * length))
    rank = cta.get("rank")
    for name, value in (("kind", kind), ("instruction", own), ("other_instruction", other), ("size", size), ("rank", rank),
                        ("who", ((mine >> WHO) & 0x3FFF).trunc("i32")), ("times", 1), ("window", 0), ("owner", rank),
                        ("other_who", ((earlier >> WHO) & 0x3FFF).trunc("i32")), ("address", address)):  # fmt: skip
        new.set(name, value)
    for axis in range(3):
        new.set("ctaid", cta.get("ctaid", axis), axis)
    first = cta.follow("cluster", record_layout.Cta)
    with e.count(0, launch.get("cluster_ctas")) as owner:
        offset = address - nth_cta(e, first.pointer, owner).get("shared")
        with e.if_(offset.ult(launch.get("shared_bytes").zext("i64"))):
            new.set("window", int(record_layout.Window.SHARED))
            new.set("owner", owner)
            new.set("address", offset)
    stride = launch.get("local_stride")
    offset = address - warp.get("local")
    with e.if_(offset.ult(stride << 5)):
        new.set("window", int(record_layout.Window.LOCAL))
        new.set("address", offset.urem(stride))
    e.line("ret void")


def _sizeof(structure: type[FindingRecord]) -> int:
    import ctypes

    return ctypes.sizeof(structure)


# -- order ------------------------------------------------------------------------------------------------------------

RELEASES, ACQUIRES, CTA_SCOPE, COMPLETES = 1, 2, 4, 8
"""What `race_order` is told. CTA_SCOPE: among the threads of the CTA alone. COMPLETES: a copy does it, for all who wait."""


def write_race_order(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_order(state, address, lane, how)`: a thread acquires, then releases, the clocks of a word at an address of the
    machine; `how` says which of the two, and for whom.

    A word has one clock for the cluster, and where that has several CTAs one for each of them. What is released to the cluster
    goes into the first and into that of the own CTA; with the scope .cta, into the latter alone. An acquire of that scope looks
    there alone.
    """
    pointer, address, lane, how = arguments
    state = state_of(e, pointer)
    number, words, known = (address >> 2).trunc("i32") & (HASHED - 1), state.get("agents"), _known(e, state)
    ctas = launch_of(state.follow("warp", record_layout.Warp)).get("cluster_ctas")
    several = ctas.ne(1)
    wide = ~several | (how & CTA_SCOPE).eq(0)
    everyones = clock_of(e, state.get("cluster_block"), number + FIRST_HASHED, words)
    with e.if_((how & ACQUIRES).ne(0)):
        with e.if_(wide):
            _acquire(e, state, everyones)
        with e.if_(several):
            _acquire(e, state, _own_clock(e, state, state.get("block"), number))
        state.set("synced", _epoch(e, state), lane)
    with e.if_((how & RELEASES).ne(0)):
        with e.if_(wide):
            _join(e, everyones, known, words)
        with e.if_(several):
            _join(e, _own_clock(e, state, state.get("block"), number), known, words)
        with e.if_(several & (how & COMPLETES).ne(0)):
            length = state.follow("record", SanitizerRecord).get("block_bytes")
            with e.count(0, ctas) as rank:
                block = state.get("cluster_block") + rank.zext("i64") * length
                _join(e, _own_clock(e, state, block, number), known, words)
        _next_epoch(e, state)
    e.line("ret void")


def _own_clock(e: Emitter, state: MemoryRecord, block: LlvmValue, number: LlvmValue) -> LlvmValue:
    """Of what threads of the block's CTA released to each other alone, through a word of that number."""
    words = state.get("agents").zext("i64")
    start = block + state.follow("record", SanitizerRecord).get("block_bytes") - words * (4 * HASHED)
    return e.offset(e.ptr(start), number.zext("i64") * (words << 2))


def write_race_warp_sync(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_warp_sync(state, lanes)`: the lanes have waited for each other."""
    pointer, lanes = arguments
    state = state_of(e, pointer)
    _sync_lanes(e, state, lanes, _next_epoch(e, state))
    e.line("ret void")


def write_race_arrive(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_arrive(state, barrier, waiting)`: lanes arrive at a barrier of the CTA, or at that of the cluster (16);
    `waiting` are those that will go on when it is complete."""
    pointer, barrier, waiting = arguments
    state = state_of(e, pointer)
    home = barrier.eq(CLUSTER_BARRIER).select(state.get("cluster_block"), state.get("block"))
    with e.if_(barrier.ule(BARRIERS)):
        _release(e, state, clock_of(e, home, barrier, state.get("agents")))
        _sync_lanes(e, state, waiting, _epoch(e, state))
    e.line("ret void")


def write_race_barrier_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_barrier_complete(cta, barrier)`: the warps that wait at a barrier of the CTA know of all who arrived."""
    pointer, barrier = arguments
    cta = MemoryRecord(e, record_layout.Cta, pointer)
    launch = launch_of(cta)
    first, stride = cta.get("warps"), launch.get("warp_stride")
    state = MemoryRecord(e, record_layout.Warp, e.ptr(first)).follow("sanitizer", WarpState)
    words = state.get("agents")
    clock = clock_of(e, state.get("block"), barrier, words)
    with e.count(0, launch.get("warps")) as i:
        warp = MemoryRecord(e, record_layout.Warp, e.ptr(first + i.zext("i64") * stride))
        with e.if_(warp.get("barrier_lanes", barrier).ne(0)):
            _acquire(e, warp.follow("sanitizer", WarpState), clock)
    fill(e, clock, words.zext("i64") << 2)
    e.line("ret void")


def write_race_cluster_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_cluster_complete(cta)`: the phase of the cluster's barrier is complete; `cta` is that of rank 0."""
    pointer = arguments[0]
    first = MemoryRecord(e, record_layout.Cta, pointer)
    launch = launch_of(first)
    stride = launch.get("warp_stride")
    state = first.follow("warps", record_layout.Warp).follow("sanitizer", WarpState)
    words = state.get("agents")
    clock = clock_of(e, state.get("block"), CLUSTER_BARRIER, words)
    with e.count(0, launch.get("cluster_ctas")) as rank:
        warps = nth_cta(e, pointer, rank).get("warps")
        with e.count(0, launch.get("warps")) as i:
            warp = MemoryRecord(e, record_layout.Warp, e.ptr(warps + i.zext("i64") * stride))
            theirs = warp.follow("sanitizer", WarpState)
            _acquire(e, theirs, clock)
            _sync_lanes(e, theirs, e.const("i32", -1), _epoch(e, theirs))
    fill(e, clock, words.zext("i64") << 2)
    e.line("ret void")
