"""Memory that several lanes touch at once in no simple pattern: checks lane by lane, gathers and scatters.

Code that runs `lanes` lanes at once calls these functions, which leave all registers as they are (emit.RARE). Lanes are bits of an
i32, the lowest of which is lane `first` of the warp; what each lane has lies in arrays, one element for each.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.emit import BITS
from ptxgen.cpu.rt.memory import WRITE, FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, launch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["functions"]

_WHO = ("ptr", "i32", "ptr", "i32", "i32", "ptr", "i32")
_MOVED = ("i64", "ptr", "i32", "ptr")


def functions(lanes: int) -> dict[str, tuple[str, tuple[str, ...], Callable[..., None]]]:
    """Name in generated code -> result type, argument types, and what writes the body."""
    found: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
        "resolve_lanes": ("i1", ("ptr", "ptr", "i64", *_WHO), partial(_resolve_lanes, lanes)),
        "window_lanes": ("i1", ("i64", "i64", *_WHO), partial(_window_lanes, lanes)),
    }
    for kind in ("i8", "i16", "i32", "i64"):
        found[f"gather_{BITS[kind]}"] = ("void", _MOVED, partial(_gather, lanes, kind))
        found[f"scatter_{BITS[kind]}"] = ("void", _MOVED, partial(_scatter, lanes, kind))
    return found


def _resolve_lanes(n: int, e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 resolve_lanes(write slot, read slot, room, addresses, lanes, table, count, access, warp, first)`: may each access of a
    table touch its block, in each lane? The check of rt/memory.py: for all lanes at once with the slot as it is, if the first
    access has `room` elements behind it; else `resolve` is asked of each."""
    write_slot, read_slot, room, addresses, lanes, table, count, access, warp, first = arguments
    shift = (access & 0xFF).zext("i64")
    limit = e.intrinsic("llvm.usub.sat", e.load("i64", e.offset(write_slot, 8)), room)
    away = e.load_vector("i64", addresses, n) - e.load("i64", write_slot)
    beyond = e.intrinsic("llvm.fshr", away, away, shift).uge(limit) & _mask(lanes, n)
    e.break_if(e.lanes_set(beyond).eq(0), "good")
    with _each_access(e, addresses, lanes, table, count, first) as (address, writes, who):
        slot, flag = writes.select(write_slot, read_slot), writes.select(e.const("i32", WRITE), 0)
        e.break_if(~e.call("resolve", "i1", slot, address, access | flag, warp, *who), "bad")


def _window_lanes(n: int, e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 window_lanes(limit, lowest limit, addresses, lanes, table, count, shift, warp, first)`: does each access of a table
    touch one of the `limit` elements, of 2^shift bytes, of shared memory, in each lane? All do where the lowest is one of the
    first `lowest limit`. If not, a fault is noted."""
    limit, lowest, addresses, lanes, table, count, shift, warp, first = arguments
    shift = shift.zext("i64")
    offsets = e.load_vector("i64", addresses, n)
    beyond = e.intrinsic("llvm.fshr", offsets, offsets, shift).uge(lowest) & _mask(lanes, n)
    e.break_if(e.lanes_set(beyond).eq(0), "good")
    with _each_access(e, addresses, lanes, table, count, first) as (address, _writes, who):
        with e.if_(e.intrinsic("llvm.fshr", address, address, shift).uge(limit)):
            size = e.const("i64", 1) << shift
            aligned = (address & (size - 1)).eq(0)
            kinds = (e.const("i32", int(kind)) for kind in (FaultKind.ILLEGAL_ADDRESS, FaultKind.MISALIGNED_ADDRESS))
            launch_of(MemoryRecord(e, record_layout.Warp, warp)).set("fault_window", int(record_layout.Window.SHARED))
            lane, number = who
            e.invoke("fault", warp, aligned.select(*kinds), number, lane, address, size.trunc("i32"))
            e.leave("bad")


@contextmanager
def _each_access(
    e: Emitter, addresses: LlvmValue, lanes: LlvmValue, table: LlvmValue, count: LlvmValue, first: LlvmValue
) -> Iterator[tuple[LlvmValue, LlvmValue, tuple[LlvmValue, LlvmValue]]]:
    """Its body runs for each access of a table in each lane: (the lane's address plus the access's offset, does it write, (the
    lane, the number of the operation)). A row of the table has that number, the offset, and whether it writes, all i32. At the
    end all is good, unless the body leaves for "bad"."""
    with _each_lane(e, lanes) as i, e.count(0, count) as row:
        number, offset, writes = (e.load("i32", e.element("i32", table, row * 3 + n)) for n in range(3))
        address = e.load("i64", e.element("i64", addresses, i)) + offset.zext("i64")
        yield address, writes.ne(0), (first + i, number)
    e.jump("good")
    e.label("good")
    e.line("ret i1 true")
    e.label("bad")
    e.line("ret i1 false")


@contextmanager
def _each_lane(e: Emitter, lanes: LlvmValue) -> Iterator[LlvmValue]:
    """Its body runs for each lane: its number among them, an i32."""
    left = e.var("i32", lanes)
    with e.loop() as end:
        now = left.get()
        e.break_if(now.eq(0), end)
        yield e.intrinsic("llvm.cttz", now, True)
        left.set(now & (now - 1))


def _mask(lanes: LlvmValue, n: int) -> LlvmValue:
    """Lanes as a vector of i1."""
    bits = lanes.trunc(f"i{n}")
    return lanes.emitter.op("i1", f"bitcast {bits.type} {bits.text} to <{n} x i1>", n)


def _gather(n: int, kind: str, e: Emitter, *arguments: LlvmValue) -> None:
    """`void gather_BITS(first, apart, lanes, values)`: each lane's value is what lies `apart` from the first address. Processors
    gather words: of the narrower elements, the word that each lies in."""
    first, apart, lanes, values = arguments
    addresses = e.load_vector("i64", apart, n) + first
    if kind in ("i8", "i16"):
        words = e.masked_gather("i32", e.ptr(addresses & -4), _mask(lanes, n))
        found = (words >> ((addresses.trunc("i32") & 3) << 3)).trunc(kind)
    else:
        found = e.masked_gather(kind, e.ptr(addresses), _mask(lanes, n))
    e.store_vector(found, values)
    e.line("ret void")


def _scatter(n: int, kind: str, e: Emitter, *arguments: LlvmValue) -> None:
    """`void scatter_BITS(first, apart, lanes, values)`: stores each lane's value `apart` from the first address, in the order of
    the lanes."""
    first, apart, lanes, values = arguments
    if kind in ("i8", "i16"):
        with _each_lane(e, lanes) as i:
            address = e.load("i64", e.element("i64", apart, i)) + first
            e.store(e.load(kind, e.element(kind, values, i)), e.ptr(address))
    else:
        addresses = e.load_vector("i64", apart, n) + first
        e.masked_scatter(e.load_vector(kind, values, n), e.ptr(addresses), _mask(lanes, n))
    e.line("ret void")
