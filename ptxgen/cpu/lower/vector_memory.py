"""Loads and stores of several lanes at once.

The usual case is one load or store of a vector: the lanes touch consecutive elements, all of them in memory that this access, or
the group of accesses that it is checked with (checks.py), may touch. In shared memory all lanes may read one element instead.
Whatever else the lanes do is left to functions of rt/lanes.py: they check each lane's address, and gather or scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.memory import GENERIC
from ptxgen.cpu.value import BITS, LlvmValue, OneLaneError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.cpu.flat import FlatAddress
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

__all__ = ["Reach", "load_lanes", "store_lanes"]

_WORD, _LARGEST = 8, 16
"""Bytes that are moved at once, and of the largest element."""


class Reach(NamedTuple):
    """Where the lanes' accesses lie that share a check, by the lowest of them: `first` is the machine's address of lane 0, an i64,
    `apart` how far from it each lane's lies. `scattered`: the lanes do not touch consecutive elements; `far`: and do not
    all touch the same one either, else `same` is set in every lane. `mask` has the elements that a load needs where it is not
    far. `check` checks each lane's address, where that is not done yet; it need not be where the lanes are not scattered, or
    far."""

    first: LlvmValue
    apart: LlvmValue
    scattered: LlvmValue
    far: LlvmValue
    mask: LlvmValue
    same: LlvmValue | None
    check: Callable[[], None] | None


def load_lanes(
    k: LoweringContext, place: FlatAddress, space: str, type: ScalarType, kind: str, count: int
) -> list[LlvmValue]:
    """`count` elements, of the LLVM type `kind` each, for every active lane; one value for all lanes where the address is. Raises
    OneLaneError."""
    e, size = k.e, type.bytes * count
    if not _differs(k, place, space):
        with k.first_lane():
            pointer = k.pointer(place, space, size, write=False)
        return [e.load(kind, e.offset(pointer, i * type.bytes)) for i in range(count)]
    if size > _LARGEST:
        raise OneLaneError
    reach, offset = _reach(k, place, space, size, write=False)
    if count == 1:
        return _load(k, reach, offset, kind, 1)
    found: list[LlvmValue] = []
    for word in _load(k, reach, offset, f"i{8 * min(size, _WORD)}", -(-size // _WORD)):
        for shift in range(0, word.bits, 8 * type.bytes):
            found.append((word >> shift).resize(f"i{8 * type.bytes}").bitcast(kind))
    return found


def store_lanes(
    k: LoweringContext, place: FlatAddress, space: str, type: ScalarType, values: Sequence[LlvmValue]
) -> None:
    """Stores these elements for every active lane. Raises OneLaneError."""
    e, size = k.e, type.bytes * len(values)
    if not _differs(k, place, space):
        raise OneLaneError  # one element of memory takes what the last lane has
    if size > _LARGEST:
        raise OneLaneError
    reach, offset = _reach(k, place, space, size, write=True)
    if len(values) == 1:
        _store(k, reach, offset, [values[0].spread(k.lanes).clean()])
        return
    together = min(len(values), _WORD // type.bytes)
    kind = f"i{8 * together * type.bytes}"
    words = []
    for first in range(0, len(values), together):
        word = e.const(kind, 0)
        for i, value in enumerate(values[first : first + together]):
            word = word | (value.bitcast(f"i{value.bits}").resize(kind) << 8 * i * type.bytes)
        words.append(word.spread(k.lanes))
    _store(k, reach, offset, words)


def _differs(k: LoweringContext, place: FlatAddress, space: str) -> bool:
    """Have the lanes addresses of their own? Raises OneLaneError where a lane's window is its own, or another CTA's."""
    if place.frame is not None or space in ("local", "shared::cluster") or (k.ranked and space.startswith("shared")):
        raise OneLaneError
    differs = place.base is not None and bool(k.get(place.base).lanes)
    if differs and space == "param":
        raise OneLaneError
    return differs


# -- checks -----------------------------------------------------------------------------------------------------------


def _reach(k: LoweringContext, place: FlatAddress, space: str, size: int, *, write: bool) -> tuple[Reach, int]:
    """(where the accesses lie that are checked together with this one, bytes from the lowest of them to this)."""
    group = k.group()
    reach_of = _in_shared if space.startswith("shared") else _in_blocks
    if group is None:
        return reach_of(k, None, place, size, write, generic=space == ""), 0
    found = k.reaches.get(id(group))
    if found is None:
        found = reach_of(k, group, group.lowest, size, write, generic=False)
        assert found.check is not None
        with k.unlikely(found.far) as go_on:
            found.check()
            k.e.jump(go_on)
        found = k.reaches[id(group)] = found._replace(check=None)
    return found, place.offset - group.lowest.offset


def _in_shared(
    k: LoweringContext, group: CheckGroup | None, lowest: FlatAddress, size: int, write: bool, *, generic: bool
) -> Reach:
    e, shift, accesses = k.e, size.bit_length() - 1, _accesses(k, group, write)
    offsets = _offsets(k, lowest)
    whole, bound = k.bounds_of("shared", shift, lambda: k.launch.get("shared_bytes").zext("i64"), group)
    bound = bound.trunc("i32")
    first = e.op("i32", f"extractelement {offsets.kind} {offsets.text}, i64 0")
    apart = offsets - first
    outside = k.rotated(first, shift).uge(e.intrinsic("llvm.usub.sat", bound, e.const("i32", k.lanes - 1)))
    scattered = outside | k.some_of(k.active & apart.ne(e.numbered("i32", k.lanes, size)))
    far, mask, same = scattered, k.active, None
    if not all(writes for *_, writes in accesses):
        differ = outside | k.some_of(k.active & apart.ne(0))
        far, same = scattered & differ, (~differ).spread(k.lanes)
        mask = mask | (same & e.numbered("i32", k.lanes).eq(0))  # lane 0, whether it runs or not

    def check() -> None:
        _ask(k, "window_lanes", (whole, bound.zext("i64")), offsets.zext("i64"), shift, accesses)

    start = first.zext("i64") + k.uniform("shared.address", lambda: k.cta.get("shared"))
    return Reach(start, apart, scattered, far, mask, same, check)


def _offsets(k: LoweringContext, place: FlatAddress) -> LlvmValue:
    """Addresses in shared memory as i32; of longer ones, what lies beyond all memory stays there."""
    assert place.base is not None
    base = k.get(place.base)
    if base.bits <= 32:
        return base.bitcast(f"i{base.bits}").resize("i32") + place.offset
    return k.e.intrinsic("llvm.umin", k.address(place), k.e.const("i64", 0xFFFFFFFF)).trunc("i32")


def _in_blocks(
    k: LoweringContext, group: CheckGroup | None, lowest: FlatAddress, size: int, write: bool, *, generic: bool
) -> Reach:
    """By the check of rt/memory.py: in line for the block that this instruction touched last."""
    e, shift = k.e, size.bit_length() - 1
    address, slot, accesses = k.address(lowest), k.slot(), _accesses(k, group, write)
    read_slot = k.slot() if len({writes for *_, writes in accesses}) > 1 else slot
    first = e.op("i64", f"extractelement {address.kind} {address.text}, i64 0")
    apart = address - first

    room = e.const("i64", group.span >> shift if group is not None else 0)

    def check() -> None:
        _ask(k, "resolve_lanes", (slot, read_slot, room), address, shift | (GENERIC if generic else 0), accesses)

    last = e.intrinsic("llvm.usub.sat", e.load("i64", e.offset(slot, 8)), room + (k.lanes - 1))
    outside = k.rotated(first - e.load("i64", slot), shift).uge(last)
    scattered = outside | k.some_of(k.active & apart.ne(e.numbered("i64", k.lanes, size)))
    return Reach(first, apart, scattered, scattered, k.active, None, check)


def _accesses(k: LoweringContext, group: CheckGroup | None, write: bool) -> list[tuple[int, int, bool]]:
    """(number of the operation, bytes from the lowest address, does it write) of all that are checked together."""
    if group is None:
        return [(k.op.index, 0, write)]
    return [(a.op.index, a.place.offset - group.lowest.offset, a.write) for a in group.accesses]


def _ask(
    k: LoweringContext, name: str, limits: tuple[LlvmValue, ...], addresses: LlvmValue, kind: int,
    accesses: list[tuple[int, int, bool]],
) -> None:  # fmt: skip
    """Has a function of rt/lanes.py judge each lane of each access, by its address of the lowest of them."""
    e = k.e
    table = e.table("accesses", [n for number, offset, writes in accesses for n in (number, offset, int(writes))])
    numbers = (e.const("i32", n) for n in (len(accesses), kind))
    who = (k.active_bits(), table, *numbers, k.warp.pointer, k.first)
    good = e.call(name, "i1", *limits, _stored(k, addresses), *who)
    following = e.fresh("good")
    e.branch(good, following, "faulted")
    e.label(following)


def _stored(k: LoweringContext, values: LlvmValue, which: str = "addresses") -> LlvmValue:
    """The pointer to the values, one after the other, until the next call."""
    place = _buffer(k, which)
    k.e.store_vector(values, place)
    return place


def _buffer(k: LoweringContext, which: str) -> LlvmValue:
    return k.uniform(f"lanes.{which}", lambda: k.e.var(f"[{k.lanes} x i64]", align=64).pointer)


# -- memory itself ----------------------------------------------------------------------------------------------------


def _load(k: LoweringContext, reach: Reach, offset: int, kind: str, words: int) -> list[LlvmValue]:
    """So many words, side by side, of each lane."""
    e, on = k.e, k.e.fresh("loaded")
    with k.unlikely(reach.far):
        if reach.check is not None:
            reach.check()
        far = [_gather(k, reach, offset + _WORD * i, kind) for i in range(words)]
        behind = e.block
        e.jump(on)
    loaded = e.masked_load(kind, e.ptr(reach.first + offset), _repeated(k, reach.mask, words))
    near = _apart(k, loaded, words)
    if reach.same is not None:
        firsts = [e.op(kind, f"extractelement {word.kind} {word.text}, i64 0") for word in near]
        near = [reach.same.select(first, word) for first, word in zip(firsts, near)]
    origin = e.block
    e.jump(on)
    e.label(on)
    return [e.phi(kind, [(one, origin), (other, behind)]) for one, other in zip(near, far)]


def _store(k: LoweringContext, reach: Reach, offset: int, words: list[LlvmValue]) -> None:
    """These words, side by side, for each lane."""
    e, on = k.e, k.e.fresh("stored")
    with k.unlikely(reach.scattered):
        if reach.check is not None:
            reach.check()
        for i, word in enumerate(words):
            _scatter(k, reach, offset + _WORD * i, word)
        e.jump(on)
    e.masked_store(_beside(k, words), e.ptr(reach.first + offset), _repeated(k, k.active, len(words)))
    e.jump(on)
    e.label(on)


def _repeated(k: LoweringContext, mask: LlvmValue, times: int) -> LlvmValue:
    """Each lane of a mask so many times."""
    return mask if times == 1 else k.e.shuffle(mask, mask, [i // times for i in range(k.lanes * times)])


def _apart(k: LoweringContext, loaded: LlvmValue, words: int) -> list[LlvmValue]:
    """Words that lie side by side, lane by lane, as one vector for each."""
    if words == 1:
        return [loaded]
    return [k.e.shuffle(loaded, loaded, range(i, k.lanes * words, words)) for i in range(words)]


def _beside(k: LoweringContext, words: list[LlvmValue]) -> LlvmValue:
    """The contrary."""
    if len(words) == 1:
        return words[0]
    return k.e.shuffle(words[0], words[1], [i + k.lanes * j for i in range(k.lanes) for j in (0, 1)])


def _gather(k: LoweringContext, reach: Reach, offset: int, kind: str) -> LlvmValue:
    """An element for each active lane."""
    e, values = k.e, _buffer(k, "values")
    apart = _stored(k, reach.apart.resize("i64", signed=True))
    e.invoke(f"gather_{BITS[kind]}", reach.first + offset, apart, k.active_bits(), values)
    return e.load_vector(kind, values, k.lanes)


def _scatter(k: LoweringContext, reach: Reach, offset: int, value: LlvmValue) -> None:
    """In the order of the lanes."""
    apart, values = _stored(k, reach.apart.resize("i64", signed=True)), _stored(k, value, "values")
    k.e.invoke(f"scatter_{value.bits}", reach.first + offset, apart, k.active_bits(), values)
