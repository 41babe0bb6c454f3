"""The functions that counted kernels link against: what a request of a warp costs in sectors and in turns of the banks.

The rules are those of `dataflow.memory.access_patterns`, which applies them to addresses that it derives from the text.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.profiler.counters import offset_of
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta
from ptxgen.dataflow.memory.access_patterns import BANKS, SECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["PROFILER"]

_WORD = 4
_LINE = BANKS * _WORD
"""Bytes that the banks give in one turn."""


def _add(e: Emitter, record: LlvmValue, field: str, value: LlvmValue) -> None:
    place = e.offset(record, offset_of(field))
    e.store(e.load("i64", place) + value.resize("i64"), place)


@contextmanager
def _each(e: Emitter, lanes: LlvmValue) -> Iterator[LlvmValue]:
    """Its body runs for each lane of a mask; its number, an i64."""
    left = e.var("i32", lanes)
    with e.loop() as done:
        now = left.get()
        e.break_if(now.eq(0), done)
        yield e.intrinsic("llvm.cttz", now, True).zext("i64")
        left.set(now & (now - 1))


def write_global(e: Emitter, *arguments: LlvmValue) -> None:
    """`void profile_global(record, addresses, lanes, size)`: a warp accesses `size` bytes a lane, aligned to that."""
    record, addresses, lanes, size = arguments
    sectors, used = e.var("[32 x i64]").pointer, e.var("[32 x i32]").pointer
    count = e.var("i64", 0)
    ones = (e.const("i64", 1) << size.zext("i64")) - 1
    with _each(e, lanes) as lane:
        address = e.load("i64", e.element("i64", addresses, lane))
        sector = address.udiv(SECTOR)
        bytes_ = (ones << (address & (SECTOR - 1))).trunc("i32")
        at = e.var("i64")
        at.set(count.get())
        with e.loop() as found:  # the one that the lane before has touched comes first
            before = at.get() - 1
            with e.if_(at.get().eq(0)):
                new = count.get()
                e.store(sector, e.element("i64", sectors, new))
                e.store(bytes_, e.element("i32", used, new))
                count.set(new + 1)
                e.leave(found)
            with e.if_(e.load("i64", e.element("i64", sectors, before)).eq(sector)):
                place = e.element("i32", used, before)
                e.store(e.load("i32", place) | bytes_, place)
                e.leave(found)
            at.set(before)
    total = e.var("i64", 0)
    with e.count(0, count.get()) as i:
        total.set(total.get() + e.intrinsic("llvm.ctpop", e.load("i32", e.element("i32", used, i))).zext("i64"))
    _add(e, record, "global_requests", e.const("i64", 1))
    _add(e, record, "global_sectors", count.get())
    _add(e, record, "global_fewest", (total.get() + SECTOR - 1).udiv(SECTOR))
    _add(e, record, "global_bytes", e.intrinsic("llvm.ctpop", lanes) * size)
    e.line("ret void")


def write_shared(e: Emitter, *arguments: LlvmValue) -> None:
    """`void profile_shared(record, addresses, lanes, size)`: the same in shared memory. So many lanes are served at once as take
    a line together: all, half of them with 8 bytes, a quarter with 16."""
    record, addresses, lanes, size = arguments
    width = size.ult(_WORD).select(e.const("i32", _WORD), size)
    together = e.const("i32", _LINE).udiv(width)
    words = width.udiv(_WORD).zext("i64")
    group = ((e.const("i64", 1) << together.zext("i64")) - 1).trunc("i32")
    first, wavefronts, fewest = e.var("i32", 0), e.var("i64", 0), e.var("i64", 0)
    with e.loop() as done:
        now = first.get()
        e.break_if(now.uge(32), done)
        here = lanes & (group << now)
        with e.if_(here.ne(0)):
            wavefronts.set(wavefronts.get() + _turns(e, addresses, here, words))
            fewest.set(fewest.get() + 1)
        first.set(now + together)
    _add(e, record, "shared_requests", e.const("i64", 1))
    _add(e, record, "shared_wavefronts", wavefronts.get())
    _add(e, record, "shared_fewest", fewest.get())
    _add(e, record, "shared_bytes", e.intrinsic("llvm.ctpop", lanes) * size)
    e.line("ret void")


def _turns(e: Emitter, addresses: LlvmValue, lanes: LlvmValue, words: LlvmValue) -> LlvmValue:
    """How many different words the busiest bank gives to lanes that take so many neighbouring words each."""
    last, count = e.var(f"[{BANKS} x i32]").pointer, e.var(f"[{BANKS} x i32]").pointer  # by bank
    known, before = e.var("[32 x i64]").pointer, e.var("[32 x i32]").pointer  # by number of a word, from 1 on
    for table in (last, count):
        e.line(f"store [{BANKS} x i32] zeroinitializer, ptr {table.text}")
    number, most = e.var("i32"), e.var("i32")
    number.set(0)
    most.set(0)
    with _each(e, lanes) as lane:
        start = e.load("i64", e.element("i64", addresses, lane)).udiv(_WORD)
        with e.count(0, words) as i:
            word = start + i
            bank = word & (BANKS - 1)
            at = e.var("i32")
            at.set(e.load("i32", e.element("i32", last, bank)))
            with e.loop() as found:
                with e.if_(at.get().eq(0)):
                    new = number.get()
                    e.store(word, e.element("i64", known, new.zext("i64")))
                    head, busy = e.element("i32", last, bank), e.element("i32", count, bank)
                    e.store(e.load("i32", head), e.element("i32", before, new.zext("i64")))
                    e.store(new + 1, head)
                    e.store(e.load("i32", busy) + 1, busy)
                    most.set(e.intrinsic("llvm.umax", most.get(), e.load("i32", busy)))
                    number.set(new + 1)
                    e.leave(found)
                here = (at.get() - 1).zext("i64")
                with e.if_(e.load("i64", e.element("i64", known, here)).eq(word)):
                    e.leave(found)
                at.set(e.load("i32", e.element("i32", before, here)))
    return most.get().zext("i64")


def write_generic(e: Emitter, *arguments: LlvmValue) -> None:
    """`void profile_generic(record, addresses, lanes, size, warp)`: the same at generic addresses, each wherever it leads."""
    record, addresses, lanes, size, pointer = arguments
    warp = MemoryRecord(e, record_layout.Warp, pointer)
    cta, launch = cta_of(warp), launch_of(warp)
    first = cta.follow("cluster", record_layout.Cta)
    limit, stride = launch.get("shared_bytes").zext("i64"), launch.get("local_stride")
    local, own = warp.get("local"), launch.get("param")
    shared, elsewhere, other = e.var("i32", 0), e.var("i32", 0), e.var("i32", 0)
    with _each(e, lanes) as lane:
        address, bit = e.load("i64", e.element("i64", addresses, lane)), e.const("i32", 1) << lane.trunc("i32")
        with e.count(0, launch.get("cluster_ctas")) as rank:
            with e.if_((address - nth_cta(e, first.pointer, rank).get("shared")).ult(limit)):
                shared.set(shared.get() | bit)
        with e.if_((address - local).ult(stride << 5)):
            elsewhere.set(elsewhere.get() | bit)
        with e.if_((address - own).ult(launch.get("param_bytes"))):
            other.set(other.get() | bit)
    _add(e, record, "local_bytes", e.intrinsic("llvm.ctpop", elsewhere.get()) * size)
    rest = lanes & ~(shared.get() | elsewhere.get() | other.get())
    for name, part in (("shared", shared.get()), ("global", rest)):
        with e.if_(part.ne(0)):
            e.invoke(f"profile_{name}", record, addresses, part, size)
    e.line("ret void")


def write_global_run(e: Emitter, *arguments: LlvmValue) -> None:
    """`void profile_global_run(record, address, size)`: a thread has so many bytes moved, from an address of the machine on."""
    record, address, size = arguments
    nbytes = size.zext("i64")
    with e.if_(size.ne(0)):
        sectors = (address + nbytes - 1).udiv(SECTOR) - address.udiv(SECTOR) + 1
        _add(e, record, "global_requests", e.const("i64", 1))
        _add(e, record, "global_sectors", sectors)
        _add(e, record, "global_fewest", (nbytes + SECTOR - 1).udiv(SECTOR))
        _add(e, record, "global_bytes", nbytes)
    e.line("ret void")


def write_shared_run(e: Emitter, *arguments: LlvmValue) -> None:
    """`void profile_shared_run(record, address, size)`: the same in shared memory; a run of bytes has no conflicts."""
    record, _, size = arguments
    nbytes = size.zext("i64")
    with e.if_(size.ne(0)):
        turns = (nbytes + _LINE - 1).udiv(_LINE)
        _add(e, record, "shared_requests", e.const("i64", 1))
        _add(e, record, "shared_wavefronts", turns)
        _add(e, record, "shared_fewest", turns)
        _add(e, record, "shared_bytes", nbytes)
    e.line("ret void")


_LANES = ("ptr", "ptr", "i32", "i32")
PROFILER: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "profile_global": ("void", _LANES, write_global),
    "profile_shared": ("void", _LANES, write_shared),
    "profile_generic": ("void", (*_LANES, "ptr"), write_generic),
    "profile_global_run": ("void", ("ptr", "i64", "i32"), write_global_run),
    "profile_shared_run": ("void", ("ptr", "i64", "i32"), write_shared_run),
}
"""Name in generated code -> result type, argument types, and what writes the body."""
