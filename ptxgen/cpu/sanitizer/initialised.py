"""initcheck: reads of bytes that nobody has written, by a byte for each byte of the arena, 1 where it was written.

Shared and local memory begin anew with each CTA; blocks of device memory are what `Arena.track_writes` knows of them. Threads and
launches share the bytes, so what one has written another may read: whether that is ordered is racecheck's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.clocks import record_of, state_of, thread_word
from ptxgen.cpu.sanitizer.state_layout import LARGEST_SIZE, UPDATE, WRITE, FindingKind

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.reach import Reach
    from ptxgen.cpu.lower.windows import Lanes

__all__ = ["note_written", "write_init_access"]

_WORD = 0x01010101


def write_init_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void init_access(state, address, access, lane, instruction)`: an access at an address of the machine; `access` is its
    bytes, with flags. Of one that writes and does not update, nothing is read."""
    pointer, address, access, lane, instruction = arguments
    state = state_of(e, pointer)
    record = record_of(state)
    e.break_if((address - record.get("arena")).uge(record.get("arena_bytes")), "out")  # of a peer: nothing is known
    size = (access & LARGEST_SIZE).zext("i64")
    start = address + state.get("init_bias")
    writes, updates = (access & WRITE).ne(0), (access & UPDATE).ne(0)
    at = e.var("i64", 0)
    with e.loop() as done:
        i = at.get()
        e.break_if(i.uge(size), done)
        place = e.ptr(start + i)
        whole = (size - i).uge(4)
        with e.if_(~writes | updates):
            missing = e.var("i1", 0)
            with e.if_(whole):
                missing.set(e.load("i32", place, "").ne(_WORD))
            with e.if_(~whole):
                missing.set(e.load("i8", place).eq(0))
            with e.if_(missing.get()):
                mine = thread_word(state, lane, instruction)
                kind, none = e.const("i32", int(FindingKind.UNINITIALISED)), e.const("i64", 0)
                e.invoke("sanitizer_report", pointer, kind, mine, none, address + i, size.trunc("i32"))
                e.break_if(~writes, done)
        with e.if_(writes):
            with e.if_(whole):
                e.line(f"store i32 {_WORD}, ptr {place.text}, align 1")
            with e.if_(~whole):
                e.store(e.const("i8", 1), place)
        at.set(i + whole.select(e.const("i64", 4), 1))
    e.jump("out")
    e.label("out")
    e.line("ret void")


def note_written(
    k: Lanes, reach: Reach, offset: int, size: int, own: LlvmValue | None, bias: LlvmValue, *, write: bool
) -> LlvmValue:
    """An access of several lanes at once, `offset` bytes past the lowest of those that lie where `reach` says: of a write it is
    noted, of a read asked, in the arena, whether `own` holds or it is certain. An i1: must the lanes be asked one by one?"""
    e, word = k.e, min(size, 8)
    kind, times = f"i{8 * word}", size // word
    those = reach.moves(write=write)
    odd = reach.scattered if write else reach.far
    if own is not None:
        those, odd = those & own, odd | ~own
    if times > 1:
        those = e.shuffle(those, those, [i // times for i in range(k.lanes * times)])
    ones = e.const(kind, int.from_bytes(bytes([1]) * word, "little")).spread(those.lanes)
    shadow = e.ptr(reach.first + offset + bias)
    if write:
        e.masked_store(ones, shadow, those)
        return odd
    there = e.masked_load(kind, shadow, those)
    return odd | k.some_of(those & there.ne(ones))
