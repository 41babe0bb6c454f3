"""mbarrier objects (manual 9.7.13.15): 64 bits of shared memory, in a layout of our own.

    bits 0 to 19    pending arrivals of the current phase
    bits 20 to 39   expected arrivals of the next phase
    bits 40 to 60   tx-count, signed
    bit 61          parity of the current phase
    bits 62 and 63  0b10 in a valid object

The opaque state that an arrival gives is the object before it. One host thread runs a cluster, so that nothing here is atomic.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, launch_of

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "LARGEST_COUNT", "Arrival", "MbarrierState", "Test", "parity_of", "pending_of", "read_state", "write_mbarrier_arrive",
    "write_mbarrier_init", "write_mbarrier_test", "write_mbarrier_transact", "write_mbarrier_valid",
]  # fmt: skip

LARGEST_COUNT = (1 << 20) - 1
"""Of arrivals, and of the tx-count to either side."""
_EXPECTED, _TX, _PARITY, _VALID = 20, 40, 61, 62


class Arrival(IntFlag):
    """How a thread arrives."""

    DROP = 1
    NO_COMPLETE = 2
    INCREMENT = 4
    """It does not: one more arrival of the current phase is pending."""


class Test(IntEnum):
    """What a look at a phase finds."""

    INCOMPLETE = 0
    COMPLETE = 1
    FAULT = 2


class MbarrierState(NamedTuple):
    """A valid object, read from the host."""

    pending: int
    expected: int
    tx: int
    parity: int


def read_state(word: int) -> MbarrierState | None:
    """What 64 bits of shared memory say; None when they are not a valid object."""
    if word >> _VALID != 2:
        return None
    tx = word >> _TX & (1 << 21) - 1
    tx -= (tx >> 20) << 21
    return MbarrierState(word & LARGEST_COUNT, word >> _EXPECTED & LARGEST_COUNT, tx, word >> _PARITY & 1)


def parity_of(word: LlvmValue) -> LlvmValue:
    """The parity of the phase of a state, as i32."""
    return ((word >> _PARITY) & 1).trunc("i32")


def pending_of(word: LlvmValue) -> LlvmValue:
    """The pending arrivals of a state, as i32."""
    return (word & LARGEST_COUNT).trunc("i32")


class _Object:
    """The words of an object as i64, and where its mistakes are noted."""

    def __init__(self, e: Emitter, pointer: LlvmValue, word: LlvmValue) -> None:
        self.e = e
        self.pointer = pointer
        self.pending = word & LARGEST_COUNT
        self.expected = (word >> _EXPECTED) & LARGEST_COUNT
        self.tx = (word << 3).sra(43)
        self.parity = (word >> _PARITY) & 1

    def store(self) -> None:
        """Stores the object; when nothing is pending, it is in its next phase."""
        complete = (self.pending | self.tx).eq(0)
        pending = complete.select(self.expected, self.pending)
        parity = self.parity ^ complete.zext("i64")
        tx = (self.tx & ((1 << 21) - 1)) << _TX
        word = pending | (self.expected << _EXPECTED) | tx | (parity << _PARITY)
        self.e.store(word | self.e.const("i64", 2 << _VALID), self.pointer)


def _refuse(
    e: Emitter, who: tuple[LlvmValue, ...], condition: LlvmValue, kind: FaultKind, detail: LlvmValue, label: str
) -> None:
    """Notes a fault of (warp, lane, instruction) and goes to the label."""
    warp_pointer, lane, instruction = who
    with e.if_(condition):
        number = e.const("i32", int(kind))
        e.invoke("fault", warp_pointer, number, instruction, lane, detail, e.const("i32", 0))
        e.leave(label)


def write_mbarrier_valid(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 mbarrier_valid(mbarrier, warp, lane, instruction)`: the object; 0 after a fault when it is none."""
    pointer, *who = arguments
    word = e.load("i64", pointer)
    address = e.op("i64", f"ptrtoint ptr {pointer.text} to i64")
    _refuse(e, tuple(who), (word >> _VALID).ne(2), FaultKind.MBARRIER_INVALID, address, "bad")
    e.line(f"ret i64 {word.text}")
    e.label("bad")
    e.line("ret i64 0")


def write_mbarrier_init(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 mbarrier_init(mbarrier, count, warp, lane, instruction)`: false when it is a fault."""
    pointer, count, *who = arguments
    _refuse(e, tuple(who), (count - 1).uge(LARGEST_COUNT), FaultKind.MBARRIER_COUNT, count.zext("i64"), "bad")
    both = count.zext("i64") * ((1 << _EXPECTED) + 1)
    e.store(both | e.const("i64", 2 << _VALID), pointer)
    _note_change(e, who[0])
    e.line("ret i1 true")
    e.label("bad")
    e.line("ret i1 false")


def _note_change(e: Emitter, warp_pointer: LlvmValue) -> None:
    launch_of(MemoryRecord(e, record_layout.Warp, warp_pointer)).add("changes", 1)


def write_mbarrier_arrive(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 mbarrier_arrive(mbarrier, count, tx, how, warp, lane, instruction)`: the object before, 0 when it is a fault.

    Expects `tx` bytes more, then arrives `count` times; `how` is an Arrival.
    """
    pointer, count, tx, how, *rest = arguments
    who = tuple(rest)
    word = e.call("mbarrier_valid", "i64", pointer, *who)
    e.break_if(word.eq(0), "bad")
    o = _Object(e, pointer, word)
    n = count.zext("i64")
    o.tx = o.tx + tx.zext("i64")
    _refuse(e, who, o.tx.sgt(LARGEST_COUNT), FaultKind.MBARRIER_TX, o.tx, "bad")
    drops, increments = (how & Arrival.DROP).ne(0), (how & Arrival.INCREMENT).ne(0)
    _refuse(e, who, ~increments & n.ugt(o.pending), FaultKind.MBARRIER_OVERFULL, o.pending, "bad")
    o.expected = drops.select(o.expected - n, o.expected)
    _refuse(e, who, o.expected.slt(0), FaultKind.MBARRIER_OVERFULL, o.pending, "bad")
    o.pending = increments.select(o.pending + n, o.pending - n)
    _refuse(e, who, o.pending.ugt(LARGEST_COUNT), FaultKind.MBARRIER_COUNT, o.pending, "bad")
    completes = (o.pending | o.tx).eq(0) & (how & Arrival.NO_COMPLETE).ne(0)
    _refuse(e, who, completes, FaultKind.MBARRIER_COMPLETES, n, "bad")
    o.store()
    _note_change(e, who[0])
    e.line(f"ret i64 {word.text}")
    e.label("bad")
    e.line("ret i64 0")


def write_mbarrier_transact(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 mbarrier_transact(mbarrier, tx, warp, lane, instruction)`: adds `tx`, an i64, to the tx-count; false when it is a
    fault."""
    pointer, tx, *rest = arguments
    who = tuple(rest)
    word = e.call("mbarrier_valid", "i64", pointer, *who)
    e.break_if(word.eq(0), "bad")
    o = _Object(e, pointer, word)
    o.tx = o.tx + tx
    _refuse(e, who, (o.tx + LARGEST_COUNT).ugt(2 * LARGEST_COUNT), FaultKind.MBARRIER_TX, o.tx, "bad")
    o.store()
    _note_change(e, who[0])
    e.line("ret i1 true")
    e.label("bad")
    e.line("ret i1 false")


def write_mbarrier_test(e: Emitter, *arguments: LlvmValue) -> None:
    """`i32 mbarrier_test(mbarrier, parity, finish, copies, warp, lane, instruction)`: a Test of the phase of that parity.

    With `finish`, does what is under way and completes on this mbarrier, one after the other, until the phase is complete.
    """
    pointer, parity, finish, copies, *who = arguments
    launch = launch_of(MemoryRecord(e, record_layout.Warp, who[0]))
    answer = e.var("i32", int(Test.INCOMPLETE))
    with e.loop() as end:
        word = e.call("mbarrier_valid", "i64", pointer, *who)
        with e.if_(word.eq(0) | launch.get("fault_kind").ne(0)):
            answer.set(int(Test.FAULT))
            e.leave(end)
        with e.if_(parity_of(word).ne(parity)):
            answer.set(int(Test.COMPLETE))
            e.leave(end)
        e.break_if(finish.eq(0), end)
        e.break_if(~e.call("bulk_advance", "i1", copies, who[0], pointer), end)
    e.line(f"ret i32 {answer.get().text}")
