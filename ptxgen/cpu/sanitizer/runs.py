"""Runs of words that the lanes of a warp touch one behind the other, eight at a time in the vector unit.

What is kept of the eight is good, where all of it is below the limit: then nobody's access is at odds with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.sanitizer.granules import (
    APART,
    HEAD,
    READ_SLOTS,
    SLOTS,
    THREAD,
    WIDTH,
    head_of,
    merged,
    place_of,
    slots_of,
)
from ptxgen.cpu.sanitizer.state_layout import EPOCH, EPOCHS, LANE, MASK

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, Var

__all__ = ["is_run", "lanes_like", "splat", "steps", "touch_run", "touch_word"]

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
        found.set(lanes_like(e, steps(e, addresses), size).eq(0x7FFFFFFF))
    return found.get()


def steps(e: Emitter, addresses: LlvmValue) -> LlvmValue:
    """Of each of 32 lanes how far behind it the next one's address lies, in bytes; of the last, anything."""
    here = e.load_vector("i64", addresses, 32)
    return e.shuffle(here, here, [*range(1, 32), 31]) - here


def lanes_like(e: Emitter, steps: LlvmValue, step: LlvmValue) -> LlvmValue:
    """The lanes, as bits of an i32, behind each of which the next one's address lies so many bytes on."""
    return e.lanes_set(steps.eq(step)) & 0x7FFFFFFF


def _vector(e: Emitter, pointer: LlvmValue, slot: int) -> str:
    return e.op(EIGHT, f"load {EIGHT}, ptr {e.offset(pointer, slot).text}, align 8").text


def _is_below(e: Emitter, access: str, limit: str) -> str:
    return e.op(BITS, f"icmp ult {EIGHT} {access}, {limit}").text


def _bits(e: Emitter, op: str, one: str, other: str) -> str:
    return e.op(BITS, f"{op} {BITS} {one}, {other}").text


def _select(e: Emitter, condition: str, one: str, other: str) -> str:
    return e.op(EIGHT, f"select {BITS} {condition}, {EIGHT} {one}, {EIGHT} {other}").text


def touch_word(e: Emitter, *arguments: LlvmValue) -> LlvmValue:
    """A helper: a weak read of the word at an address by the threads of two accesses, which may be one. An i1: is it good, and
    kept?"""
    word, mine, other, heads, accesses, limit = arguments
    slots = slots_of(e, word, heads, accesses)
    written, first, second, strong = (e.load("i64", e.offset(slots, slot)) for slot in SLOTS)
    good = written.ult(limit) & strong.ult(limit)
    with e.if_(good):
        for each in (mine, other):
            takes = first.ult(limit) | ((first ^ each) & THREAD).eq(0)
            new = merged(takes.select(first, second), each)
            first, second = takes.select(new, first), takes.select(second, new)
        e.store(first, e.offset(slots, READ_SLOTS[0]))
        e.store(second, e.offset(slots, READ_SLOTS[1]))
    return good


def touch_run(e: Emitter, *arguments: LlvmValue, twice: bool = False, along: bool = False) -> LlvmValue:
    """A helper: a weak access of `words` words from an address on, by lanes that begin with that of `mine`: the next word is
    the next lane's where `width` is 0; 1 << width words are of one lane; of a word, 1 << apart lanes have a part. `twice`: a read
    that as many lanes from so many on, times 1 << LANE, do too. `along`: all words are of the lane of `mine`, and the next word's
    access is so much more. An i1: is all of it good, and kept? If not, some of it is kept too, which does no harm."""
    start, words, mine, width, apart, heads, accesses, limit, writes, *others = arguments
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
        slots = place_of(e, word, accesses)
        inside = e.op(BITS, f"icmp ult {EIGHT} {number}, {splat(e, few)}").text
        head = head_of(e, word, heads)
        written, first, second, strong = _apart(e, head, slots, place, those, inside)
        ahead = e.op(EIGHT, f"add {EIGHT} {number}, {splat(e, done)}").text
        if along:
            more = e.op(EIGHT, f"mul {EIGHT} {ahead}, {splat(e, others[1])}").text
        else:
            more = e.op(EIGHT, f"lshr {EIGHT} {ahead}, {widths}").text
            more = e.op(EIGHT, f"shl {EIGHT} {more}, {splat(e, apart + LANE)}").text
        mines = e.op(EIGHT, f"add {EIGHT} {splat(e, mine)}, {more}").text
        readers = [mines]
        if twice:
            readers.append(e.op(EIGHT, f"add {EIGHT} {mines}, {splat(e, others[0])}").text)
        fine = _bits(e, "and", _is_below(e, written, limits), _is_below(e, strong, limits))
        with e.if_(writes):
            both = _bits(e, "and", _is_below(e, first, limits), _is_below(e, second, limits))
            _judge(e, _bits(e, "and", fine, both), inside, good)
            e.break_if(~good.get(), end)
            zero = "zeroinitializer"
            for slot, old, new in zip(SLOTS, (written, first, second, strong), (mines, zero, zero, zero)):
                e.line(f"store {EIGHT} {_select(e, inside, new, old)}, ptr {e.offset(slots, slot).text}, align 8")
        with e.if_(~writes):
            _judge(e, fine, inside, good)
            e.break_if(~good.get(), end)
            news = (first, second)
            for each in readers:
                news = _read(e, news, each, limits, threads)
            for slot, old, new in zip(READ_SLOTS, (first, second), news):
                e.line(f"store {EIGHT} {_select(e, inside, new, old)}, ptr {e.offset(slots, slot).text}, align 8")
    return good.get()


def _apart(e: Emitter, head: LlvmValue, slots: LlvmValue, place: LlvmValue, those: LlvmValue, inside: str) -> list[str]:
    """`slots_of` for the eight words from a place in the granule on that are inside, `those` in bits: what the slots have."""
    apart, origin = e.load("i64", e.offset(head, APART)), e.block
    found = [LlvmValue(e, "i64", _vector(e, slots, slot), lanes=8) for slot in SLOTS]
    took = []
    with e.if_((~apart & those).ne(0)):
        numbers, bits = e.numbered("i64", 8) + place, (~(apart >> place)).trunc("i8")
        new = LlvmValue(e, "i1", _bits(e, "and", inside, e.op(BITS, f"bitcast i8 {bits.text} to {BITS}").text), lanes=8)
        for at, slot, old in zip((*HEAD[:3], None), SLOTS, found):
            own = e.const("i64", 0)
            if at is not None:
                access = e.load("i64", e.offset(head, at))
                lanes = (numbers >> (access & WIDTH)) << LANE
                own = access.eq(0).select(own, lanes + (access & ~WIDTH))
            took.append(new.select(own, old))
            e.store_vector(took[-1], e.offset(slots, slot))
        e.store(apart | those, e.offset(head, APART))
        inner = e.block
    return [e.phi("i64", [(old, origin), (new_, inner)]).text for old, new_ in zip(found, took)]


def _read(e: Emitter, readers: tuple[str, str], mines: str, limits: str, threads: str) -> tuple[str, str]:
    """Eight times two readers, when others have read too: the second is the last where the first is another one."""
    first, second = readers
    differs = e.op(EIGHT, f"xor {EIGHT} {first}, {mines}").text
    differs = e.op(EIGHT, f"and {EIGHT} {differs}, {threads}").text
    own = e.op(BITS, f"icmp eq {EIGHT} {differs}, zeroinitializer").text
    takes = _bits(e, "or", _is_below(e, first, limits), own)
    old = _select(e, takes, first, second)
    differs = e.op(EIGHT, f"xor {EIGHT} {old}, {mines}").text
    differs = e.op(EIGHT, f"and {EIGHT} {differs}, {splat(e, e.const('i64', (EPOCHS << EPOCH) | THREAD))}").text
    bytes_ = e.op(EIGHT, f"and {EIGHT} {old}, {splat(e, e.const('i64', 0xF << MASK))}").text
    same = e.op(BITS, f"icmp eq {EIGHT} {differs}, zeroinitializer").text
    new = e.op(EIGHT, f"or {EIGHT} {mines}, {_select(e, same, bytes_, 'zeroinitializer')}").text
    return _select(e, takes, new, first), _select(e, takes, second, new)


def _judge(e: Emitter, fine: str, inside: str, good: Var) -> None:
    """Are those inside fine?"""
    bad = e.op(BITS, f"xor {BITS} {fine}, {_TRUE}").text
    word = e.op("i8", f"bitcast {BITS} {_bits(e, 'and', bad, inside)} to i8")
    good.set(word.eq(0))
