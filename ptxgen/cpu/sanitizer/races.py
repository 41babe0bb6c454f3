"""racecheck: accesses of shared and global memory that nothing orders, by vector clocks of warps (Flanagan and Freund, FastTrack,
2009).

Of each word the last write is kept, a strong one beside it, and two of the reads since, by different threads where they were. An
access races with one of them when another thread made it, bytes are the same, one of the two writes, not both are strong with
scopes that have both threads in them (manual 8.7: morally strong), and the thread does not know of it. What earlier launches did
is known, unless the launch may run beside them. What is not sure counts as order: no race is made up.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, launch_of, nth_cta
from ptxgen.cpu.sanitizer.clocks import known, record_of, state_of
from ptxgen.cpu.sanitizer.granules import (
    READ_SLOTS,
    STRONG_SLOT,
    THREAD,
    WRITE_SLOT,
    Quick,
    agent_of,
    merged,
    slots_of,
)
from ptxgen.cpu.sanitizer.in_flight import is_same
from ptxgen.cpu.sanitizer.state_layout import (
    AGENT,
    ASYNC,
    ASYNC_ACCESS,
    EPOCH,
    EPOCHS,
    INSTRUCTION,
    INSTRUCTIONS,
    KNOWN,
    LANE,
    LARGEST_SIZE,
    MASK,
    PROXIED,
    SCOPE,
    WHO,
    WRITE,
    Column,
    FindingKind,
)
from ptxgen.cpu.sanitizer.warps import WROTE_THE_SAME, limit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue, Var

__all__ = ["write_race_access", "write_race_elsewhere", "write_race_read", "write_race_write"]

# -- is it ordered? ---------------------------------------------------------------------------------------------------


def is_ordered(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """A helper: does the thread of the access `mine` know of the earlier one?"""
    state = state_of(e, state_pointer)
    record = record_of(state)
    epoch = (earlier >> EPOCH).trunc("i32")
    found = e.var("i1", earlier.ult(record.get("settled")) | earlier.eq(0) | epoch.eq(EPOCHS))
    with e.if_(~found.get()):
        before = epoch.zext("i64").ult(record.get("first_epoch"))
        with e.if_(before):
            found.set(e.use(_launch_is_ordered, state_pointer, epoch))
        with e.if_(~before):
            found.set(e.use(_is_known, state_pointer, earlier, mine))
    return found.get()


def _launch_is_ordered(e: Emitter, state_pointer: LlvmValue, epoch: LlvmValue) -> LlvmValue:
    """A helper: was the earlier launch that has the epoch over before this one began?"""
    record = record_of(state_of(e, state_pointer))
    pairs = e.ptr(record.get("unordered"))
    found = e.var("i1", 1)
    with e.count(0, record.get("unordered_count")) as i:
        first, last = (e.load("i32", e.element("i32", pairs, (i << 1) + end)) for end in (0, 1))
        found.set(found.get() & (epoch.ult(first) | epoch.ugt(last)))
    return found.get()


def _is_known(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """A helper: the same for two accesses of one launch."""
    state = state_of(e, state_pointer)
    agent, epoch = agent_of(earlier), (earlier >> EPOCH).trunc("i32")
    start = MemoryRecord(
        e,
        Column,
        e.offset(e.ptr(record_of(state).get("columns")), state.get("column").zext("i64") * ctypes.sizeof(Column)),
    )
    own = agent.eq(agent_of(mine)) & epoch.uge(start.get("first_epoch"))
    synced = state.get("synced", ((mine >> WHO) & 31).trunc("i32"))
    mine_too = ((earlier ^ mine) & THREAD).eq(0) | synced.ugt(epoch)
    upto = e.load("i32", e.element("i32", known(state), agent.zext("i64"))).uge(epoch)
    covered = agent.ult(state.get("tag"))
    return covered & own.select(mine_too, upto) & epoch.uge(e.use(_first_known, state_pointer, agent))


def _first_known(e: Emitter, state_pointer: LlvmValue, agent: LlvmValue) -> LlvmValue:
    """A helper: how far back what a CTA's record did is known, an epoch."""
    state = state_of(e, state_pointer)
    stretch = record_of(state).get("stretch").trunc("i32")
    start = agent - agent.urem(stretch)
    return ~e.load("i32", e.element("i32", known(state), start.zext("i64")))


def _are_together(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """A helper: are both strong, with scopes that have both threads in them?"""
    state = state_of(e, state_pointer)
    record, scope = record_of(state), e.intrinsic("llvm.umin", earlier & 3, mine & 3)
    found = e.var("i1", scope.eq(3))
    with e.if_(scope.eq(1) | scope.eq(2)):
        theirs, own = agent_of(earlier).udiv(record.get("stretch").trunc("i32")), state.get("column")
        entry, mine_ = (
            MemoryRecord(e, Column, e.offset(e.ptr(record.get("columns")), each.zext("i64") * ctypes.sizeof(Column)))
            for each in (theirs, own)
        )
        leaders = [each.follow("cta", record_layout.Cta).get("cluster") for each in (entry, mine_)]
        near = scope.eq(1).select(theirs.eq(own), leaders[0].eq(leaders[1]))
        found.set(near & (earlier >> EPOCH).uge(entry.get("first_epoch").zext("i64")))
    return found.get()


@contextmanager
def _clash(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue) -> Iterator[None]:
    """Its body runs when two accesses, one of which writes, are of the same bytes, not ordered, and not both strong enough."""
    with e.if_((earlier & mine & (0xF << MASK)).ne(0)):
        with e.if_(~e.use(is_ordered, state_pointer, earlier, mine)):
            with e.if_(~e.use(_are_together, state_pointer, earlier, mine)):
                yield


def _races(e: Emitter, state_pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue, kind: FindingKind, address: LlvmValue,
           size: LlvmValue) -> None:  # fmt: skip
    """Reports two accesses that clash."""
    with _clash(e, state_pointer, earlier, mine):
        e.invoke("sanitizer_report", state_pointer, e.const("i32", int(kind)), mine, earlier, address, size)


# -- accesses ---------------------------------------------------------------------------------------------------------


def write_race_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_access(state, address, access, lane, instruction, new)`: an access of shared or global memory at an address of
    the machine; `access` is its bytes, with flags. `new` is where the bytes are that it is about to write, null where they are
    elsewhere: threads that write the same bytes do no harm."""
    pointer, address, access, lane, instruction, new = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    e.break_if((address - record.get("arena")).uge(record.get("arena_bytes")), "out")  # of a peer: nothing is known
    base = state.get("now") | (lane.zext("i64") << LANE)
    base = base | (e.intrinsic("llvm.umin", instruction, e.const("i32", INSTRUCTIONS)).zext("i64") << INSTRUCTION)
    base = base | ((access >> SCOPE) & 3).zext("i64")
    base = base | (access & ASYNC_ACCESS).ne(0).select(e.const("i64", 1 << ASYNC), 0)
    writes = (access & WRITE).ne(0)
    size = access & LARGEST_SIZE
    end = address + size.zext("i64")
    heads, accesses = state.get("head_bias"), state.get("race_bias")
    quick = Quick(e, state, record.get("stretch").trunc("i32"), limit_of(e, state, record, address))
    synced = state.get("synced", lane)
    copies, strong = (base & (1 << ASYNC)).ne(0), (base & 3).ne(0)
    at = e.var("i64", address)
    with e.loop() as done:
        place = at.get()
        e.break_if(place.uge(end), done)
        word = place & ~3
        stop = e.intrinsic("llvm.umin", word + 4, end)
        bits = (e.const("i64", 1) << (stop - place)) - 1
        mine = base | ((bits << (place & 3)) << MASK)
        slots = slots_of(e, word, heads, accesses)
        at.set(stop)
        handled = e.var("i1", 0)
        with e.if_(writes & strong):
            handled.set(quick.update(slots, mine, synced))
        with e.if_(writes & ~strong):
            handled.set(quick.write(slots, mine, synced))
        with e.if_(~writes & ~copies & ~strong):
            handled.set(quick.read(slots, mine, synced))
        with e.if_(~handled.get()):
            given = (pointer, slots, mine, place, size)
            with e.if_(writes):
                e.invoke("race_write", *given, address, end, new, e.const("i32", 0))
            with e.if_(~writes):
                e.invoke("race_read", *given)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def write_race_write(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_write(state, slots, mine, address, size, start, end, new, done)`: a write of a word, of bytes from `start`
    on. `done`: 0, or warps.WROTE, WROTE_THE_SAME. A strong one leaves a weak one in mind, which those who come may not know of.
    Where it writes what is there, beside another one or beside tensor cores that read, whoever comes need not know of it."""
    pointer, slots, mine, address, size, start, end, new, done = arguments
    alike = e.var("i1", 0)

    def same(earlier: LlvmValue) -> LlvmValue:
        """Is what was there before the later of the two what it writes? Lanes have run in order, each through its whole block: of
        two writes that are done, the one of the higher lane was the later."""
        now = is_same(e, new, start, address & -4, end)
        behind = ((earlier ^ mine) >> AGENT).eq(0) & ((earlier >> LANE) & 31).ugt((mine >> LANE) & 31)
        return (done.eq(0) | behind).select(now, done.eq(WROTE_THE_SAME))

    given = (pointer, mine, address, size, alike, same)
    for slot in (WRITE_SLOT, STRONG_SLOT):
        _write_beside(e, e.load("i64", e.offset(slots, slot)), FindingKind.WRITE_AFTER_WRITE, *given)
    strong = (mine & 3).ne(0)
    for slot in READ_SLOTS:
        place = e.offset(slots, slot)
        read = e.load("i64", place)
        with e.if_(read.ne(0)):
            _write_beside(e, read, FindingKind.WRITE_AFTER_READ, *given)
            e.store(strong.select(read, 0), place)
    own = e.offset(slots, strong.select(e.const("i64", STRONG_SLOT), WRITE_SLOT))
    kept = alike.get().select(mine | (EPOCHS << EPOCH), merged(e.load("i64", own), mine))
    e.store(kept, own)
    with e.if_(~strong):
        e.store(e.const("i64", 0), e.offset(slots, STRONG_SLOT))
    e.line("ret void")


def _write_beside(
    e: Emitter, earlier: LlvmValue, kind: FindingKind, pointer: LlvmValue, mine: LlvmValue, address: LlvmValue,
    size: LlvmValue, alike: Var, same: Callable[[LlvmValue], LlvmValue],
) -> None:  # fmt: skip
    """Reports a write that clashes with an earlier access, unless it changes nothing for that one; then `alike` is set. What
    tensor cores have read a copy of another CTA's may overwrite: kernels say so by arrivals without a scope at its mbarrier."""
    with _clash(e, pointer, earlier, mine):
        equal, copies = same(earlier), (earlier & mine & (1 << ASYNC)).ne(0)
        excused = e.const("i1", 0)
        if kind is FindingKind.WRITE_AFTER_READ:
            equal = equal & (earlier & (1 << ASYNC)).ne(0)
            state = state_of(e, pointer)
            excused = copies & agent_of(earlier).udiv(record_of(state).get("stretch").trunc("i32")).ne(
                state.get("column")
            )
        else:  # lanes that execute one bulk store together
            equal = equal | (copies & (((earlier ^ mine) & ~(31 << LANE)) >> INSTRUCTION).eq(0))
        with e.if_(equal):
            alike.set(1)
        with e.if_(~(equal | excused)):
            e.invoke("sanitizer_report", pointer, e.const("i32", int(kind)), mine, earlier, address, size)


def write_race_read(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_read(state, slots, mine, address, size)`: a read of a word."""
    pointer, slots, mine, address, size = arguments
    for slot in (WRITE_SLOT, STRONG_SLOT):
        last = e.load("i64", e.offset(slots, slot))
        _races(e, pointer, last, mine, FindingKind.READ_AFTER_WRITE, address, size)
        with e.if_((mine & (1 << ASYNC)).ne(0)):
            _check_proxy(e, pointer, last, mine, address, size)
    place, other = (e.offset(slots, slot) for slot in READ_SLOTS)
    first = e.load("i64", place)
    replaces = e.use(is_ordered, pointer, first, mine)
    with e.if_(replaces):
        e.store(merged(first, mine), place)
    with e.if_(~replaces):
        e.store(merged(e.load("i64", other), mine), other)
    e.line("ret void")


def _check_proxy(e: Emitter, pointer: LlvmValue, earlier: LlvmValue, mine: LlvmValue, address: LlvmValue,
                 size: LlvmValue) -> None:  # fmt: skip
    """A copy or the tensor cores read what threads of the launch have written, in the order that they should: has a proxy fence
    made it visible to them (manual 8.2)?"""
    state = state_of(e, pointer)
    record = record_of(state)
    epoch = earlier >> EPOCH
    threads = (earlier & (1 << ASYNC)).eq(0) & (earlier & mine & (0xF << MASK)).ne(0)
    here = epoch.uge(record.get("first_epoch")) & epoch.ne(EPOCHS)
    with e.if_(threads & here & record.get("layers").ugt(PROXIED)):
        with e.if_(e.use(is_ordered, pointer, earlier, mine)):
            word = agent_of(earlier).zext("i64")
            upto = e.load("i32", e.element("i32", known(state, PROXIED), word)).zext("i64")
            with e.if_(upto.ult(epoch)):
                kind = e.const("i32", int(FindingKind.NO_PROXY_FENCE))
                e.invoke("sanitizer_report", pointer, kind, mine, earlier, address, size)


def write_race_elsewhere(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_elsewhere(state, address, access, lane, instruction, new)`: `race_access` of an address that may lie in global
    memory, in the shared memory of a CTA of the cluster, or where no other thread comes."""
    pointer, address, *rest = arguments
    state = state_of(e, pointer)
    with e.if_(address.ult(record_of(state).get("windows"))):
        e.invoke("race_access", pointer, address, *rest)
        e.leave("out")
    warp = state.follow("warp", record_layout.Warp)
    launch = launch_of(state)
    shared_bytes = launch.get("shared_bytes").zext("i64")
    first = warp.follow("cta", record_layout.Cta).follow("cluster", record_layout.Cta)
    with e.count(0, launch.get("cluster_ctas")) as rank:
        with e.if_((address - nth_cta(e, first.pointer, rank).get("shared")).ult(shared_bytes)):
            e.invoke("race_access", pointer, address, *rest)
            e.leave("out")
    e.jump("out")
    e.label("out")
    e.line("ret void")


assert KNOWN == 0
