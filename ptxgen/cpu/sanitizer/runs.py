"""Runs of words that the lanes of a warp touch one behind the other, eight at a time in the vector unit.

What is kept of the eight is good, where all of it is below the limit: then nobody's access is at odds with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.granules import APART, READ_SLOTS, SLOTS, THREAD, head_of, place_of, slots_of
from ptxgen.cpu.sanitizer.state_layout import EPOCH, EPOCHS, LANE, MASK

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue, Var

__all__ = ["is_run", "lanes_like", "splat", "touch_run"]

EIGHT, BITS = "<8 x i64>", "<8 x i1>"
_TRUE = "<" + ", ".join(["i1 true"] * 8) + ">"


def splat(e: Emitter, value: LlvmValue) -> str:
    """Eight times the same i64."""
    first = e.op(EIGHT, f"insertelement {EIGHT} poison, i64 {value.text}, i32 0").text
    return e.op(EIGHT, f"shufflevector {EIGHT} {first}, {EIGHT} poison, <8 x i32> zeroinitializer").text


def is_run(e: Emitter, addresses: LlvmValue, mask: LlvmValue, size: LlvmValue) -> LlvmValue:
    """An i1: do all lanes touch one element of that size behind the other?"""
    found = e.var("i1", mask.eq(0xFFFFFFFF))
    with e.if_(found.get()):
        found.set(lanes_like(e, addresses, size).eq(0x7FFFFFFF))
    return found.get()


def lanes_like(e: Emitter, addresses: LlvmValue, step: LlvmValue) -> LlvmValue:
    """The lanes, as bits of an i32, behind each of which the next one's address lies so many bytes on."""
    here, behind = (
        e.op("<32 x i64>", f"load <32 x i64>, ptr {e.offset(addresses, at).text}, align 8").text for at in (0, 8)
    )
    first = e.op("<32 x i64>", f"insertelement <32 x i64> poison, i64 {step.text}, i32 0").text
    steps = e.op("<32 x i64>", f"shufflevector <32 x i64> {first}, <32 x i64> poison, <32 x i32> zeroinitializer").text
    apart = e.op("<32 x i64>", f"sub <32 x i64> {behind}, {here}").text
    same = e.op("<32 x i1>", f"icmp eq <32 x i64> {apart}, {steps}").text
    return e.op("i32", f"bitcast <32 x i1> {same} to i32") & 0x7FFFFFFF


def _vector(e: Emitter, pointer: LlvmValue, slot: int) -> str:
    return e.op(EIGHT, f"load {EIGHT}, ptr {e.offset(pointer, slot).text}, align 8").text


def _is_below(e: Emitter, access: str, limit: str) -> str:
    return e.op(BITS, f"icmp ult {EIGHT} {access}, {limit}").text


def _bits(e: Emitter, op: str, one: str, other: str) -> str:
    return e.op(BITS, f"{op} {BITS} {one}, {other}").text


def _select(e: Emitter, condition: str, one: str, other: str) -> str:
    return e.op(EIGHT, f"select {BITS} {condition}, {EIGHT} {one}, {EIGHT} {other}").text


def touch_run(e: Emitter, *arguments: LlvmValue) -> LlvmValue:
    """A helper: a weak access of `words` words from an address on, by lanes that begin with that of `mine`: the next word is
    the next lane's where `width` is 0; 1 << width words are of one lane; of a word, 1 << apart lanes have a part. An i1: is all
    of it good, and kept? If not, some of it is kept too, which does no harm."""
    start, words, mine, width, apart, heads, accesses, limit, writes = arguments
    at, good = e.var("i64", 0), e.var("i1", 1)
    number = "<" + ", ".join(f"i64 {i}" for i in range(8)) + ">"
    limits, threads, widths = splat(e, limit), splat(e, e.const("i64", THREAD)), splat(e, width)
    with e.loop() as end:
        done = at.get()
        e.break_if(done.uge(words), end)
        word = start + (done << 2)
        place = (word >> 2) & 31
        few = e.intrinsic("llvm.umin", words - done, e.const("i64", 32) - place)
        few = e.intrinsic("llvm.umin", few, e.const("i64", 8))
        at.set(done + few)
        those = ((e.const("i64", 1) << few) - 1) << place
        with e.if_((~e.load("i64", e.offset(head_of(e, word, heads), APART)) & those).ne(0)):
            with e.count(0, few) as i:
                slots_of(e, word + (i << 2), heads, accesses)
        slots = place_of(e, word, accesses)
        written, first, second, strong = (_vector(e, slots, slot) for slot in SLOTS)
        inside = e.op(BITS, f"icmp ult {EIGHT} {number}, {splat(e, few)}").text
        ahead = e.op(EIGHT, f"add {EIGHT} {number}, {splat(e, done)}").text
        lanes = e.op(EIGHT, f"lshr {EIGHT} {ahead}, {widths}").text
        lanes = e.op(EIGHT, f"shl {EIGHT} {lanes}, {splat(e, apart + LANE)}").text
        mines = e.op(EIGHT, f"add {EIGHT} {splat(e, mine)}, {lanes}").text
        fine = _bits(e, "and", _is_below(e, written, limits), _is_below(e, strong, limits))
        read = _is_below(e, first, limits)
        with e.if_(writes):
            both = _bits(e, "and", read, _is_below(e, second, limits))
            _judge(e, _bits(e, "and", fine, both), inside, good)
            e.break_if(~good.get(), end)
            zero = "zeroinitializer"
            for slot, old, new in zip(SLOTS, (written, first, second, strong), (mines, zero, zero, zero)):
                e.line(f"store {EIGHT} {_select(e, inside, new, old)}, ptr {e.offset(slots, slot).text}, align 8")
        with e.if_(~writes):
            _judge(e, fine, inside, good)
            e.break_if(~good.get(), end)
            differs = e.op(EIGHT, f"xor {EIGHT} {first}, {mines}").text
            differs = e.op(EIGHT, f"and {EIGHT} {differs}, {threads}").text
            own = e.op(BITS, f"icmp eq {EIGHT} {differs}, zeroinitializer").text
            takes = _bits(e, "or", read, own)
            old = _select(e, takes, first, second)
            differs = e.op(EIGHT, f"xor {EIGHT} {old}, {mines}").text
            differs = e.op(EIGHT, f"and {EIGHT} {differs}, {splat(e, e.const('i64', (EPOCHS << EPOCH) | THREAD))}").text
            bytes_ = e.op(EIGHT, f"and {EIGHT} {old}, {splat(e, e.const('i64', 0xF << MASK))}").text
            same = e.op(BITS, f"icmp eq {EIGHT} {differs}, zeroinitializer").text
            mines = e.op(EIGHT, f"or {EIGHT} {mines}, {_select(e, same, bytes_, 'zeroinitializer')}").text
            leaves = e.op(BITS, f"xor {BITS} {takes}, {_TRUE}").text
            for slot, old, chosen in ((READ_SLOTS[0], first, takes), (READ_SLOTS[1], second, leaves)):
                new = _select(e, _bits(e, "and", inside, chosen), mines, old)
                e.line(f"store {EIGHT} {new}, ptr {e.offset(slots, slot).text}, align 8")
    return good.get()


def _judge(e: Emitter, fine: str, inside: str, good: Var) -> None:
    """Are those inside fine?"""
    bad = e.op(BITS, f"xor {BITS} {fine}, {_TRUE}").text
    word = e.op("i8", f"bitcast {BITS} {_bits(e, 'and', bad, inside)} to i8")
    good.set(word.eq(0))
