"""The totals of one CTA: of each thread in registers, or for each group in a thread's own column of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import s64, u8, u32, u64
from ptxgen.kernels.blocks.collectives import WARP, combine, fold, warp_reduce
from ptxgen.kernels.queries.described import EMPTY, PLACES, identity, value_of, word_of
from ptxgen.kernels.queries.expressions import code_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder import Builder
    from ptxgen.kernels.queries.described import Accumulator, Key, Query, Shape

__all__ = ["GroupTotals", "RowTotals"]


HINTS = 2048
"""By the hash of a key, where it was found last: with so many, few keys share one."""


class RowTotals:
    """The totals of a thread in registers."""

    def __init__(self, k: Builder, query: Query, shape: Shape) -> None:
        self.k, self.query, self.shape = k, query, shape
        self.totals = [k.var(each.element, identity(each.op, each.element)) for each in query.accumulators]

    def take(self, columns: list[Any], *, together: bool) -> None:
        """Add a row."""
        del together
        k, query = self.k, self.query
        condition, *values = code_of(k, [query.predicate, *(each.value for each in query.accumulators)], columns)
        for how, total, value in zip(query.accumulators, self.totals, values):
            changed = _changed(k, how, total, value)
            total.set(changed if condition is None else k.select(condition, changed, total))

    def publish(self, header: Any, masks: Any, partials: Any) -> None:
        k, warps = self.k, self.shape.threads // WARP
        words = k.shared(u64, len(self.totals) * warps, name="words")
        for number, (how, total) in enumerate(zip(self.query.accumulators, self.totals)):
            whole = warp_reduce(k, how.op, total)
            with k.if_(k.lane == 0):
                words[number * warps + k.tid.x // WARP] = word_of(whole)
        k.barrier()
        with k.if_(k.tid.x == 0):
            for number, how in enumerate(self.query.accumulators):
                parts = [value_of(how.element, words[number * warps + warp]) for warp in range(warps)]
                partials.store(k.ctaid.x + number * self.shape.ctas, word_of(fold(k, how.op, parts)))


class GroupTotals:
    """The totals of a thread for each slot of the CTA's table, in dynamic shared memory: those of neighbouring threads side by
    side."""

    def __init__(self, k: Builder, query: Query, shape: Shape) -> None:
        self.k, self.query, self.shape = k, query, shape
        self.keys = k.shared(u64, shape.slots, name="keys")
        self.lost = k.shared(u32, 1, name="lost")
        self.hints = k.shared(u8, HINTS, name="hints")
        self.totals = k.dynamic_shared(u64).pointer
        with k.if_(k.tid.x < shape.slots):
            self.keys[k.tid.x] = EMPTY
        with k.if_(k.tid.x == 0):
            self.lost[0] = 0
        for hint in k.range(k.tid.x, HINTS, shape.threads):
            self.hints[hint] = 0
        for slot in range(shape.slots):
            for number, how in enumerate(query.accumulators):
                nothing = k.const(how.element, identity(how.op, how.element))
                self.totals[self._place(slot, number)] = word_of(nothing)
        k.barrier()

    def _place(self, slot: Any, number: int) -> Any:
        return (slot * len(self.query.accumulators) + number) * self.shape.threads + self.k.tid.x

    def take(self, columns: list[Any], *, together: bool) -> None:
        """Add a row. `together`: all lanes of the warp do."""
        k, query = self.k, self.query
        condition, *values = code_of(k, [query.predicate, *(each.value for each in query.accumulators)], columns)
        parts = code_of(k, [key.value for key in query.keys], columns)
        slot, found = self._slot(_key_word(k, query.keys, parts), condition, together=together)
        base = self.totals.at(slot * (len(query.accumulators) * self.shape.threads) + k.tid.x)
        changed = [
            word_of(_changed(k, how, value_of(how.element, base[number * self.shape.threads]), value))
            for number, (how, value) in enumerate(zip(query.accumulators, values))
        ]
        with k.pred(found):  # guards, no branches: the lanes of a warp stay together
            for number, word in enumerate(changed):
                base[number * self.shape.threads] = word

    def _slot(self, word: Any, condition: Any, *, together: bool) -> tuple[Any, Any]:
        """(the slot of a key, whether the row is added there): not where it does not count, nor where no slot is left."""
        k = self.k
        hash_ = (word ^ (word >> 32)).to(u32) * 0x9E3779B1
        hint = hash_ >> (33 - HINTS.bit_length())
        slot = k.var(u32, self.hints.pointer.load(hint, "relaxed.cta").to(u32))
        hit = self.keys.pointer.load(slot, "relaxed.cta") == word
        if any(key.shift + key.bits == 64 for key in self.query.keys):  # then a key may look like a free slot
            free = word == EMPTY
            with k.if_(free if condition is None else free & condition):
                self.lost.pointer.store(0, 1, "relaxed.cta")
            condition = ~free if condition is None else condition & ~free
        found = k.var(u32, k.select(hit if condition is None else hit & condition, k.const(u32, 1), 0))
        missed = ~hit if condition is None else condition & ~hit
        if together:  # seldom does any lane: a branch that all take keeps the warp together
            with k.if_(k.any(missed)):
                self._claim(word, hash_, hint, slot, found, missed)
                k.syncwarp()
        else:
            self._claim(word, hash_, hint, slot, found, missed)
        return slot, found != 0

    def _claim(self, word: Any, hash_: Any, hint: Any, slot: Any, found: Any, missed: Any) -> None:
        """The slot of a key for which the hint was wrong."""
        k = self.k
        with k.if_(missed):
            self._look_up(word, hash_, slot, found)
            with k.if_else(found != 0) as (there, lost):
                with there:
                    self.hints.pointer.store(hint, slot.to(u8), "relaxed.cta")
                with lost:
                    self.lost.pointer.store(0, 1, "relaxed.cta")
                    slot.set(0)

    def _look_up(self, word: Any, hash_: Any, slot: Any, found: Any) -> None:
        """Sets the slot of a key, which is claimed where the key has none, and that it was found, if it is not full."""
        k, slots = self.k, self.shape.slots
        at, tries = k.var(u32, hash_ >> (33 - slots.bit_length())), k.var(u32, 0)
        with k.while_():
            seen = k.var(u64, self.keys.pointer.load(at, "relaxed.cta"))
            with k.if_(seen == EMPTY):
                seen.set(k.atomic_cas(self.keys, at, EMPTY, word, scope="cta", order="relaxed"))
            with k.if_((seen == EMPTY) | (seen == word)):
                slot.set(at)
                found.set(1)
                k.break_()
            tries += 1
            k.break_(tries == slots)
            at.set((at + 1) & (slots - 1))

    def publish(self, header: Any, masks: Any, partials: Any) -> None:
        k, query, shape = self.k, self.query, self.shape
        places = k.shared(u32, shape.slots, name="places")
        mask = k.shared(u64, 1, name="mask")
        with k.if_(k.tid.x == 0):
            mask[0] = 0
            with k.if_(self.lost[0] != 0):
                k.reduce_max(header, 1, 1)
        k.barrier()
        with k.if_(k.tid.x < shape.slots):
            word = self.keys[k.tid.x]
            place = k.var(u32, PLACES)
            with k.if_(word != EMPTY):
                place.set(self._place_in_grid(header, word))
            places[k.tid.x] = place
            with k.if_(place < PLACES):
                k.reduce_add(mask, 0, k.const(u64, 1) << place)  # each slot has another bit
        k.barrier()
        with k.if_(k.tid.x == 0):
            masks.store(k.ctaid.x, mask[0])
        accumulators = len(query.accumulators)
        for slot in k.range(k.tid.x // WARP, shape.slots, shape.threads // WARP):
            place = places[slot]
            with k.if_(place < PLACES):
                for number, how in enumerate(query.accumulators):
                    row = self.totals.at((slot * accumulators + number) * shape.threads + k.lane)
                    parts = [value_of(how.element, row[j * WARP]) for j in range(shape.threads // WARP)]
                    whole = warp_reduce(k, how.op, fold(k, how.op, parts))
                    with k.if_(k.lane == 0):
                        partials.store((place * accumulators + number) * shape.ctas + k.ctaid.x, word_of(whole))

    def _place_in_grid(self, header: Any, word: Any) -> Any:
        """The place of a key in the table of the whole grid; PLACES where it is full."""
        k, table = self.k, header.at(2)
        place = k.var(u32, PLACES)
        at, tries = k.var(u32, (word ^ (word >> 32)).to(u32) * 0x9E3779B1 >> 26), k.var(u32, 0)
        with k.while_():
            seen = k.atomic_cas(table, at, EMPTY, word)
            with k.if_((seen == EMPTY) | (seen == word)):
                place.set(at)
                k.break_()
            tries += 1
            with k.if_(tries == PLACES):
                k.reduce_max(header, 1, 1)
                k.break_()
            at.set((at + 1) % PLACES)
        return place


def _changed(k: Builder, how: Accumulator, total: Any, value: Any) -> Any:
    """A total with one more row in it."""
    if value is None:
        return total + 1
    if value.isa is not how.element.isa:
        value = value.to(how.element)
    return combine(k, how.op, total, value)


def _key_word(k: Builder, keys: Sequence[Key], parts: Sequence[Any]) -> Any:
    """The parts of a key in one word, in their order."""
    word = None
    for key, part in zip(keys, parts):
        ordered = _ordered(k, key, part)
        ordered = ordered if not key.shift else ordered << key.shift
        word = ordered if word is None else word | ordered
    return word


def _ordered(k: Builder, key: Key, part: Any) -> Any:
    """A number as `key.bits` bits of a u64, in the order of the numbers."""
    kind, bits = key.value.type, key.bits
    if kind.isa.is_float:
        raw = word_of(part)
        sign = 1 << (kind.isa.bits - 1)
        return k.select((raw & sign) != 0, ~raw & (2 * sign - 1), raw | sign)
    if not kind.isa.is_signed:
        return part.to(u64)
    return (part.to(s64).bits(u64) + (1 << (bits - 1))) & ((1 << bits) - 1)
