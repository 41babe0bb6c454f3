"""Memory that several lanes touch at once in no simple pattern: checks of each lane's address, gathers and scatters.

Code that runs several lanes at once calls `load_lanes` and `store_lanes`, which leave all registers as they are (emit.RARE), with

    origin  an address of the machine, an i64
    buffer  for each lane how far from there its own address lies, an i64; then its words, room for an i64 each
    lanes   those that are meant, bits of an i32
    table   what the instruction does: see Table
    warp    the warp's record, and the number in it of the lane that the lowest bit means

The result is false where an address is bad, and then the fault is noted.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu import record_layout
from ptxgen.cpu.emit import BITS
from ptxgen.cpu.rt.memory import WRITE, FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["IN_BLOCKS", "IN_SHARED", "UNCHECKED", "Table", "functions"]

UNCHECKED, IN_BLOCKS, IN_SHARED = range(3)
SIGNATURE = ("i64", "ptr", "i32", "ptr", "ptr", "i32")


class Table(NamedTuple):
    """Numbers, i32 in memory, of an access. `rows`: of each access that it is checked with, the number of the operation, how far
    it is from the lowest, whether it writes."""

    check: int
    """One of the three above."""
    word: int
    """log2 of the bytes of a word of this access,"""
    words: int
    """and how many lie side by side."""
    offset: int = 0
    """From the lowest access to this,"""
    room: int = 0
    """and to the highest, in elements."""
    access: int = 0
    """Of `resolve`: log2 of the bytes of an element, and flags."""
    write_slot: int = 0
    read_slot: int = 0
    """Where the slots lie in the launch record."""
    rows: tuple[tuple[int, int, bool], ...] = ()

    def numbers(self) -> list[int]:
        """As they lie in memory."""
        return [*self[:-1], len(self.rows), *(int(n) for row in self.rows for n in row)]


_ROWS = len(Table._fields)


def functions(lanes: int) -> dict[str, tuple[str, tuple[str, ...], Callable[..., None]]]:
    """Name in generated code -> result type, argument types, and what writes the body, for so many lanes at once."""
    return {
        "load_lanes": ("i1", SIGNATURE, partial(_move, lanes, _gather)),
        "store_lanes": ("i1", SIGNATURE, partial(_move, lanes, _scatter)),
    }


def _move(n: int, move: Callable[..., None], e: Emitter, *arguments: LlvmValue) -> None:
    origin, buffer, lanes, table, warp, lane = arguments

    def number(name: str) -> LlvmValue:
        return e.load("i32", e.element("i32", table, e.const("i64", Table._fields.index(name))))

    addresses = e.load_vector("i64", buffer, n) + origin
    lowest = addresses - number("offset").zext("i64")
    with e.if_(number("check").eq(IN_BLOCKS)):
        _check_blocks(e, lowest, (buffer, lanes, table, warp, lane), number)
    with e.if_(number("check").eq(IN_SHARED)):
        _check_shared(e, lowest, (buffer, lanes, table, warp, lane), number)
    with e.count(0, number("words")) as word:
        values = e.offset(buffer, (word + 1).zext("i64") * (8 * n))
        at = addresses + (word.zext("i64") << number("word").zext("i64"))
        for size, kind in enumerate(("i8", "i16", "i32", "i64")):
            with e.if_(number("word").eq(size)):
                move(e, kind, at, lanes, values)
    e.line("ret i1 true")
    e.label("bad")
    e.line("ret i1 false")


def _check_blocks(
    e: Emitter, lowest: LlvmValue, arguments: tuple[LlvmValue, ...], number: Callable[[str], LlvmValue]
) -> None:
    """The check of rt/memory.py: for all lanes at once with the slot as it is, else `resolve` is asked of each."""
    _, lanes, _, warp, _ = arguments
    launch = launch_of(MemoryRecord(e, record_layout.Warp, warp))
    access = number("access")
    shift = (access & 0xFF).zext("i64")
    write_slot, read_slot = (e.offset(launch.pointer, number(name).zext("i64")) for name in ("write_slot", "read_slot"))
    limit = e.intrinsic("llvm.usub.sat", e.load("i64", e.offset(write_slot, 8)), number("room").zext("i64"))
    away = lowest - e.load("i64", write_slot)
    beyond = e.intrinsic("llvm.fshr", away, away, shift).uge(limit) & _mask(lanes, lowest.lanes)
    with e.if_(e.lanes_set(beyond).ne(0)):
        with _each_access(e, lowest, arguments) as (address, writes, who):
            slot, flag = writes.select(write_slot, read_slot), writes.select(e.const("i32", WRITE), 0)
            e.break_if(~e.call("resolve", "i1", slot, address, access | flag, warp, *who), "bad")


def _check_shared(
    e: Emitter, lowest: LlvmValue, arguments: tuple[LlvmValue, ...], number: Callable[[str], LlvmValue]
) -> None:
    """Does each access touch an element of shared memory, in each lane?"""
    warp = MemoryRecord(e, record_layout.Warp, arguments[3])
    launch = launch_of(warp)
    shift = (number("access") & 0xFF).zext("i64")
    limit = launch.get("shared_bytes").zext("i64") >> shift
    with _each_access(e, lowest - cta_of(warp).get("shared"), arguments) as (address, _, (lane, op)):
        with e.if_(e.intrinsic("llvm.fshr", address, address, shift).uge(limit)):
            size = e.const("i64", 1) << shift
            aligned = (address & (size - 1)).eq(0)
            kinds = (e.const("i32", int(kind)) for kind in (FaultKind.ILLEGAL_ADDRESS, FaultKind.MISALIGNED_ADDRESS))
            launch.set("fault_window", int(record_layout.Window.SHARED))
            e.invoke("fault", warp.pointer, aligned.select(*kinds), op, lane, address, size.trunc("i32"))
            e.leave("bad")


@contextmanager
def _each_access(
    e: Emitter, lowest: LlvmValue, arguments: tuple[LlvmValue, ...]
) -> Iterator[tuple[LlvmValue, LlvmValue, tuple[LlvmValue, LlvmValue]]]:
    """Its body runs for each row of the table in each lane: (address, does it write, (lane of the warp, number of the
    operation))."""
    _, lanes, table, _, first = arguments
    stored = e.var(f"[{lowest.lanes} x i64]", align=64).pointer
    e.store_vector(lowest, stored)
    count = e.load("i32", e.element("i32", table, e.const("i64", _ROWS - 1)))
    with e.each_bit(lanes) as i, e.count(0, count) as row:
        number, offset, writes = (e.load("i32", e.element("i32", table, row * 3 + (_ROWS + n))) for n in range(3))
        address = e.load("i64", e.element("i64", stored, i)) + offset.zext("i64")
        yield address, writes.ne(0), (first + i, number)


def _mask(lanes: LlvmValue, n: int) -> LlvmValue:
    """Lanes as a vector of i1."""
    bits = lanes.trunc(f"i{n}")
    return lanes.emitter.op("i1", f"bitcast {bits.type} {bits.text} to <{n} x i1>", n)


def _gather(e: Emitter, kind: str, addresses: LlvmValue, lanes: LlvmValue, values: LlvmValue) -> None:
    """Processors gather words: of the narrower elements, the word that each lies in."""
    mask = _mask(lanes, addresses.lanes)
    if kind in ("i8", "i16"):
        words = e.masked_gather("i32", e.ptr(addresses & -4), mask)
        found = (words >> ((addresses.trunc("i32") & 3) << 3)).trunc(kind)
    else:
        found = e.masked_gather(kind, e.ptr(addresses), mask)
    e.store_vector(found, values)


def _scatter(e: Emitter, kind: str, addresses: LlvmValue, lanes: LlvmValue, values: LlvmValue) -> None:
    """In the order of the lanes."""
    if BITS[kind] >= 32:
        e.masked_scatter(e.load_vector(kind, values, addresses.lanes), e.ptr(addresses), _mask(lanes, addresses.lanes))
        return
    stored = e.var(f"[{addresses.lanes} x i64]", align=64).pointer
    e.store_vector(addresses, stored)
    with e.each_bit(lanes) as i:
        e.store(e.load(kind, e.element(kind, values, i)), e.ptr(e.load("i64", e.element("i64", stored, i))))
