"""What racecheck keeps of memory: the accesses of each word, in short where a whole warp made them.

A granule is 128 bytes, aligned. Of each of its 32 words four accesses are kept, the slots: the last write that is not strong, two
reads since by different threads, the last strong write since. The granule's head has four numbers too: the first three are such
accesses, of all words at once, and the fourth says of which words it does not hold (a bit each): their own slots do. So a warp
that reads or writes 128 bytes, each lane the element behind that of the lane before, touches one head and not 32 words.

An access in a head is one of whole words by lanes that follow each other: its lane is that of the first word, and its two bits
for a scope, which is never needed there, say how many words each lane has: 1 << bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.clocks import known
from ptxgen.cpu.sanitizer.state_layout import AGENT, AGENTS, ASYNC, EPOCH, EPOCHS, LANE, MASK, WHO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["APART", "GRANULE", "HEAD", "READ_SLOTS", "SLOTS", "STRONG_SLOT", "THREAD", "WIDTH", "WRITE_SLOT", "Quick", "agent_of",
           "fold", "head_of", "merged", "place_of", "slots_of"]  # fmt: skip

GRANULE = 128
THREAD = ((1 << EPOCH - WHO) - 1) << WHO
WRITE_SLOT, READ_SLOTS, STRONG_SLOT = 0, (256, 512), 768
"""Of a word, in bytes behind its first one: those of the 32 words of a granule lie one behind the other."""
SLOTS = (WRITE_SLOT, *READ_SLOTS, STRONG_SLOT)
HEAD = (0, 8, 16, 24)
"""The same in a head."""
APART = 24
"""In a head: the words, a bit each, that have slots of their own."""
WIDTH = 3
"""In a head's access: the logarithm of the words that each lane has."""


def head_of(e: Emitter, address: LlvmValue, bias: LlvmValue) -> LlvmValue:
    """The pointer to the head of the granule that an address lies in."""
    return e.ptr(((address >> 2) & -32) + bias)


def slots_of(e: Emitter, word: LlvmValue, heads: LlvmValue, accesses: LlvmValue) -> LlvmValue:
    """The pointer to the slots of the word at an address, which from now on hold."""
    head, slots = head_of(e, word, heads), place_of(e, word, accesses)
    number = (word >> 2) & 31
    bit, apart = e.const("i64", 1) << number, e.load("i64", e.offset(head, APART))
    with e.if_((apart & bit).eq(0)):
        e.store(apart | bit, e.offset(head, APART))
        for from_, to in zip(HEAD, (WRITE_SLOT, *READ_SLOTS)):
            access = e.load("i64", e.offset(head, from_))
            own = (access & ~WIDTH) + ((number >> (access & WIDTH)) << LANE)
            e.store(access.eq(0).select(access, own), e.offset(slots, to))
        e.store(e.const("i64", 0), e.offset(slots, STRONG_SLOT))
    return slots


def place_of(e: Emitter, word: LlvmValue, accesses: LlvmValue) -> LlvmValue:
    """The pointer to where the slots of the word at an address are."""
    return e.ptr(((word & -GRANULE) << 3) + ((word & (GRANULE - 4)) << 1) + accesses)


def fold(e: Emitter, head: LlvmValue, word: LlvmValue, accesses: LlvmValue, limit: LlvmValue) -> LlvmValue:
    """An i1: does the head hold for all words of the granule that begins at an address? Where everything that is kept of it is
    below the limit, all of that is forgotten for it."""
    apart = e.load("i64", e.offset(head, APART))
    whole = e.var("i1", apart.eq(0))
    with e.if_(~whole.get()):
        first = e.ptr((word << 3) + accesses)
        last = _eight(e, first, 0)
        for at in range(64, 8 * GRANULE, 64):
            last = _later(e, last, _eight(e, first, at))
        e.module.declare("llvm.vector.reduce.umax.v8i64", "i64", ("<8 x i64>",))
        latest = e.op("i64", f"call i64 @llvm.vector.reduce.umax.v8i64(<8 x i64> {last})")
        for slot in HEAD[:3]:
            access = e.load("i64", e.offset(head, slot))
            latest = e.intrinsic("llvm.umax", latest, apart.eq(0xFFFFFFFF).select(e.const("i64", 0), access))
        with e.if_(latest.ult(limit)):
            e.line(f"store <4 x i64> zeroinitializer, ptr {head.text}, align 8")
            whole.set(1)
    return whole.get()


def _eight(e: Emitter, pointer: LlvmValue, at: int) -> str:
    return e.op("<8 x i64>", f"load <8 x i64>, ptr {e.offset(pointer, at).text}, align 8").text


def _later(e: Emitter, one: str, other: str) -> str:
    e.module.declare("llvm.umax.v8i64", "<8 x i64>", ("<8 x i64>", "<8 x i64>"))
    return e.op("<8 x i64>", f"call <8 x i64> @llvm.umax.v8i64(<8 x i64> {one}, <8 x i64> {other})").text


def agent_of(access: LlvmValue) -> LlvmValue:
    return ((access >> AGENT) & AGENTS).trunc("i32")


def merged(earlier: LlvmValue, mine: LlvmValue) -> LlvmValue:
    """An access with the bytes of an earlier one of the same thread in the same epoch."""
    same = ((earlier ^ mine) & ((EPOCHS << EPOCH) | THREAD)).eq(0)
    return mine | same.select(earlier & (0xF << MASK), 0)


class Quick:
    """What is sure at a glance: accesses below a limit, which the thread knows of, and those of threads of the own CTA whom it
    knows of. Answers, i1, are whether an access is done with. `whole`: of a head, by all lanes; else of a word, by a lane that
    last waited for the others in epoch `synced`."""

    def __init__(
        self, e: Emitter, state: MemoryRecord, stretch: LlvmValue, limit: LlvmValue, *, whole: bool = False
    ) -> None:
        self.e = e
        self._limit, self._whole = limit, whole
        self._slots = HEAD if whole else SLOTS
        self._first, self._stretch = state.get("first_word"), stretch
        self._epoch = state.get("first_epoch")
        self._own, self._known = state.get("agent"), known(state)
        self._together = (state.get("together") >> EPOCH).trunc("i32")

    def _is_known(self, earlier: LlvmValue, mine: LlvmValue, synced: LlvmValue) -> LlvmValue:
        e = self.e
        agent, epoch = agent_of(earlier), (earlier >> EPOCH).trunc("i32")
        inside = (agent - self._first).ult(self._stretch) & epoch.uge(self._epoch)
        place = e.element("i32", self._known, inside.select(agent, self._own).zext("i64"))
        same = THREAD | (WIDTH if self._whole else 0)
        of_warp = ((earlier ^ mine) & same).eq(0) | synced.ugt(epoch)
        return inside & agent.eq(self._own).select(of_warp, e.load("i32", place).uge(epoch))

    def _all_known(self, accesses: Sequence[LlvmValue], mine: LlvmValue, synced: LlvmValue) -> LlvmValue:
        e, latest = self.e, accesses[0]
        for access in accesses[1:]:
            latest = e.intrinsic("llvm.umax", latest, access)
        good = e.var("i1", latest.ult(self._limit))
        with e.if_(~good.get()):
            every = e.const("i1", 1)
            for access in accesses:
                every = every & (access.ult(self._limit) | self._is_known(access, mine, synced))
            good.set(every)
        return good.get()

    def read(self, slots: LlvmValue, mine: LlvmValue, synced: LlvmValue | None = None) -> LlvmValue:
        """A weak read: the second of the slots has the last reader where the first has another one."""
        e, synced = self.e, synced or self._together
        written, first, second, strong = (e.load("i64", e.offset(slots, slot)) for slot in self._slots)
        good = e.var("i1", self._all_known([written], mine, synced) & strong.ult(self._limit))
        with e.if_(good.get()):
            same = THREAD | (WIDTH if self._whole else 0)
            takes = first.ult(self._limit) | ((first ^ mine) & same).eq(0)
            old = takes.select(first, second)
            slot = takes.select(e.const("i64", self._slots[1]), self._slots[2])
            e.store(merged(old, mine), e.offset(slots, slot))
        return good.get()

    def write(self, slots: LlvmValue, mine: LlvmValue, synced: LlvmValue | None = None) -> LlvmValue:
        """A weak write."""
        e, synced = self.e, synced or self._together
        written, first, second, strong = (e.load("i64", e.offset(slots, slot)) for slot in self._slots)
        good = e.var("i1", self._all_known([written, first, second], mine, synced) & strong.ult(self._limit))
        with e.if_(good.get()):
            e.store(merged(written, mine), slots)
            for slot in self._slots[1:]:
                e.store(e.const("i64", 0), e.offset(slots, slot))
        return good.get()

    def update(self, slots: LlvmValue, mine: LlvmValue, synced: LlvmValue) -> LlvmValue:
        """A strong write or update of a word."""
        e = self.e
        written, first, second, strong = (e.load("i64", e.offset(slots, slot)) for slot in self._slots)
        readers = e.intrinsic("llvm.umax", first, second).ult(self._limit)
        others = (strong & mine & 3).eq(3) | strong.ult(self._limit)
        good = e.var("i1", readers & others & self._all_known([written], mine, synced))
        with e.if_(good.get()):
            e.store(merged(strong, mine), e.offset(slots, self._slots[3]))
        return good.get()


assert WIDTH.bit_length() == ASYNC
