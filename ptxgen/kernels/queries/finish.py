"""The end of an aggregating kernel: the CTA that finishes last adds up the partial results and writes the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import f64, s64, u32, u64
from ptxgen.kernels.blocks.collectives import WARP, combine, warp_reduce
from ptxgen.kernels.queries.described import EMPTY, OVERFLOW, PLACES, identity, value_of, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder import Builder
    from ptxgen.kernels.queries.described import Key, Query, Shape

__all__ = ["finish"]


def _unordered(k: Builder, key: Key, word: Any) -> Any:
    """The number of those bits."""
    kind, bits = key.value.type, key.bits
    raw = (word >> key.shift) & ((1 << bits) - 1)
    if kind.isa.is_float:
        sign = 1 << (kind.isa.bits - 1)
        return value_of(kind, k.select((raw & sign) != 0, raw ^ sign, ~raw & (2 * sign - 1)))
    if not kind.isa.is_signed:
        return raw.to(kind) if kind is not u64 else raw
    return (raw - (1 << (bits - 1))).bits(s64).to(kind) if kind is not s64 else (raw - (1 << (bits - 1))).bits(s64)


def finish(
    k: Builder, query: Query, shape: Shape, header: Any, masks: Any, partials: Any, total: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    """The last CTA adds up the partial results, writes the outputs, and leaves the header as it was."""
    accumulators, places = len(query.accumulators), PLACES if query.keys else 1
    words = k.shared(u64, places * accumulators, name="whole")
    keys = header.at(2)
    with k.if_(k.tid.x == 0):
        header[0] = 0
    for place in k.range(k.tid.x // WARP, places, shape.threads // WARP):
        there = keys.load(place, "relaxed.gpu") != EMPTY if query.keys else None
        with k.if_(there if there is not None else place == 0):
            sums = [k.var(each.element, identity(each.op, each.element)) for each in query.accumulators]
            for cta in k.range(k.lane, shape.ctas, WARP):
                inside = ((masks.load(cta, "relaxed.gpu") >> place) & 1) != 0 if query.keys else None
                for number, (how, whole) in enumerate(zip(query.accumulators, sums)):
                    at = (place * accumulators + number) * shape.ctas + cta
                    part = value_of(how.element, partials.load(at, "relaxed.gpu"))
                    found = combine(k, how.op, whole, part)
                    whole.set(found if inside is None else k.select(inside, found, whole))
            for number, (how, whole) in enumerate(zip(query.accumulators, sums)):
                result = warp_reduce(k, how.op, whole)
                with k.if_(k.lane == 0):
                    words[place * accumulators + number] = word_of(result)
    k.barrier()
    if query.keys:
        _write_groups(k, query, shape, header, words, total, outputs)
        return
    with k.if_(k.tid.x == 0):
        total[0] = 1
        _write_row(k, query, k.const(u64, 0), words, k.const(u32, 0), outputs)


def _write_groups(
    k: Builder, query: Query, shape: Shape, header: Any, words: Any, total: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    """A row for each group, in the order of the keys."""
    accumulators, keys = len(query.accumulators), header.at(2)
    found = k.shared(u64, PLACES, name="found")
    lost = k.shared(u32, 1, name="any_lost")
    for place in k.range(k.tid.x, PLACES, shape.threads):
        found[place] = keys.load(place, "relaxed.gpu")
        keys.store(place, EMPTY)
    with k.if_(k.tid.x == 0):
        lost[0] = header.load(1, "relaxed.gpu").to(u32)
    k.barrier()
    with k.if_(k.tid.x == 0):
        header[1] = 0
        count = k.var(u32, 0)
        for place in range(PLACES):
            count.set(count + k.select(found[place] != EMPTY, k.const(u32, 1), 0))
        total[0] = k.select(lost[0] != 0, k.const(u32, OVERFLOW), count)
    for place in k.range(k.tid.x, PLACES, shape.threads):
        word = found[place]
        with k.if_((word != EMPTY) & (lost[0] == 0)):
            rank = k.var(u32, 0)
            for other in range(PLACES):
                rank.set(rank + k.select(found[other] < word, k.const(u32, 1), 0))
            mine = words.pointer.at(place * accumulators)
            _write_row(k, query, word, mine, rank, outputs)


def _write_row(
    k: Builder, query: Query, key: Any, words: Any, row: Any, outputs: Sequence[Any]
) -> None:  # fmt: skip
    for how, out in zip(query.outputs, outputs):
        if how.what == "key":
            value = _unordered(k, query.keys[how.first], key)
        else:
            kind = query.accumulators[how.first].element
            value = value_of(kind, words[how.first])
            if how.what == "mean":
                count = words[how.second]
                value = k.div(value.to(f64) if kind is not f64 else value, count.to(f64))
        out[row] = value if value.isa is how.type.isa else value.to(how.type)
