"""Loads and stores of several lanes at once.

The usual case is one load or store of a vector: the lanes touch consecutive elements, all of them in memory that this access, or
the group of accesses that it is checked with (checks.py), may touch. In shared memory all lanes may read one element instead.
Whatever else the lanes do is left to functions of rt/lanes.py: they check each lane's address, and gather or scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.memory_checks import bounds_of, rotated
from ptxgen.cpu.lower.reach import Reach
from ptxgen.cpu.lower.several_lanes import first_lane
from ptxgen.cpu.rt.lanes import IN_BLOCKS, IN_SHARED, UNCHECKED, Table
from ptxgen.cpu.rt.memory import GENERIC
from ptxgen.cpu.value import BITS, LlvmValue, OneLaneError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.flat import FlatAddress
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.sanitizer.batch import Kept
    from ptxgen.cpu.sanitizer.probe import Bounds
    from ptxgen.isa.types import ScalarType

__all__ = ["load_lanes", "store_lanes"]

_WORD, _LARGEST = 8, 16
"""Bytes that are moved at once, and of the largest element."""


def load_lanes(
    k: LoweringContext, place: FlatAddress, space: str, type: ScalarType, kind: str, count: int
) -> list[LlvmValue]:
    """`count` elements, of the LLVM type `kind` each, for every active lane; one value for all lanes where the address is. Raises
    OneLaneError."""
    e, size = k.e, type.bytes * count
    k.probe.takes_lanes(space, write=False)
    if not _differs(k, place, space):
        within = k.probe.bounds(k, place, space, size)
        with first_lane(k):
            pointer = k.pointer(place, space, size, write=False, within=within)
            k.probe.same_access(k, pointer, space, size)
        return [e.load(kind, e.offset(pointer, i * type.bytes)) for i in range(count)]
    if size > _LARGEST:
        raise OneLaneError
    reach, offset = _reach(k, place, space, size, write=False)
    read = _load(k, reach, offset, kind if count == 1 else f"i{8 * min(size, _WORD)}", -(-size // _WORD))
    k.probe.lanes_access(k, reach, offset, space, size, write=False)
    if count == 1:
        return read
    found: list[LlvmValue] = []
    for word in read:
        for shift in range(0, word.bits, 8 * type.bytes):
            found.append((word >> shift).resize(f"i{8 * type.bytes}").bitcast(kind))
    return found


def store_lanes(
    k: LoweringContext, place: FlatAddress, space: str, type: ScalarType, values: Sequence[LlvmValue]
) -> None:
    """Stores these elements for every active lane. Raises OneLaneError."""
    size = type.bytes * len(values)
    k.probe.takes_lanes(space, write=True)
    if not _differs(k, place, space):
        raise OneLaneError  # one element of memory takes what the last lane has
    if size > _LARGEST:
        raise OneLaneError
    reach, offset = _reach(k, place, space, size, write=True)
    kept = k.probe.stores(k, reach, offset, space, size)
    _store(k, reach, offset, _words(k, type, values), values, kept)
    k.probe.lanes_access(k, reach, offset, space, size, write=True)


def _words(k: LoweringContext, type: ScalarType, values: Sequence[LlvmValue]) -> list[LlvmValue]:
    """Elements that lie side by side, in as few words as have them."""
    if len(values) == 1:
        return [values[0].spread(k.lanes).clean()]
    e, together = k.e, min(len(values), _WORD // type.bytes)
    kind = f"i{8 * together * type.bytes}"
    words = []
    for first in range(0, len(values), together):
        word = e.const(kind, 0)
        for i, value in enumerate(values[first : first + together]):
            word = word | (value.bitcast(f"i{value.bits}").resize(kind) << 8 * i * type.bytes)
        words.append(word.spread(k.lanes))
    return words


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
    """(where the accesses lie that are checked together with this one, bytes from the lowest of them to this). The first of them
    to ask checks all of them."""
    group = k.group()
    shift = size.bit_length() - 1
    rows: tuple[tuple[int, int, bool], ...] = ((k.op.index, 0, write),)
    lowest, room = place, 0
    if group is not None:
        lowest, room = group.lowest, group.span >> shift
        rows = tuple((a.op.index, a.place.offset - lowest.offset, a.write) for a in group.accesses)
        found = k.reaches.get(id(group))
        if found is not None:
            return found, place.offset - lowest.offset
    within, slots = k.probe.bounds(k, place, space, size), k.slots
    table = Table(
        UNCHECKED, 0, 0, place.offset - lowest.offset, room, shift | (GENERIC if space == "" else 0), rows=rows
    )
    found = (_in_shared if space.startswith("shared") else _in_blocks)(k, group, lowest, size, table)
    if within is not None:
        taken, k.slots = k.slots, slots
        _hold(k, found, within, place, space, size, room, write=write)
        assert k.slots == taken, "code that runs one lane after the other has the same slots"
    if group is not None:
        k.reaches[id(group)] = found._replace(table=Table(UNCHECKED, 0, 0))
    return found, table.offset


def _in_shared(k: LoweringContext, group: CheckGroup | None, lowest: FlatAddress, size: int, table: Table) -> Reach:
    e, shift = k.e, size.bit_length() - 1
    offsets = _offsets(k, lowest)
    _, bound = bounds_of(k, "shared", shift, lambda: k.launch.get("shared_bytes").zext("i64"), group)
    first = e.extract(offsets, e.const("i64", 0))
    apart = offsets - first
    outside = rotated(k, first.zext("i64"), shift).uge(e.intrinsic("llvm.usub.sat", bound, e.const("i64", k.lanes - 1)))
    scattered = outside | k.some_of(k.active & apart.ne(e.numbered(apart.type, k.lanes, size)))
    origin = k.uniform("shared.address", lambda: k.cta.get("shared"))
    found = Reach(
        origin,
        offsets,
        origin + first.zext("i64"),
        scattered,
        scattered,
        None,
        None,
        None,
        table._replace(check=IN_SHARED),
    )
    if any(writes for *_, writes in table.rows):
        found = found._replace(stored=k.active & ~scattered)
    if not all(writes for *_, writes in table.rows):
        differ = outside | k.some_of(k.active & apart.ne(0))
        far, same = scattered & differ, (~differ).spread(k.lanes)
        lane_0 = same & e.numbered("i32", k.lanes).eq(0)  # whether it runs or not
        found = found._replace(far=far, same=same, loaded=(k.active & ~far) | lane_0)
    return found


def _offsets(k: LoweringContext, place: FlatAddress) -> LlvmValue:
    """Addresses in shared memory, as i32 where the register is no wider."""
    assert place.base is not None
    base = k.get(place.base)
    return base.resize("i32") + place.offset if base.bits <= 32 and not base.is_float else k.address(place)


def _in_blocks(k: LoweringContext, group: CheckGroup | None, lowest: FlatAddress, size: int, table: Table) -> Reach:
    """By the check of rt/memory.py: in line for the block that this instruction touched last."""
    e, shift = k.e, size.bit_length() - 1
    address, slot, place = k.address(lowest), k.slot(), k.slot_offset()
    mixed = len({writes for *_, writes in table.rows}) > 1
    if mixed:
        k.slot()
    table = table._replace(check=IN_BLOCKS, write_slot=place, read_slot=k.slot_offset())
    first = e.extract(address, e.const("i64", 0))
    apart = address - first
    last = e.intrinsic("llvm.usub.sat", e.load("i64", e.offset(slot, 8)), e.const("i64", table.room + k.lanes - 1))
    outside = rotated(k, first - e.load("i64", slot), shift).uge(last)
    scattered = outside | k.some_of(k.active & apart.ne(e.numbered("i64", k.lanes, size)))
    near = k.active & ~scattered
    return Reach(e.const("i64", 0), address, first, scattered, scattered, near, near, None, table)


def _hold(
    k: LoweringContext,
    reach: Reach,
    within: Bounds,
    place: FlatAddress,
    space: str,
    size: int,
    room: int,
    *,
    write: bool,
) -> None:
    """Asks of lanes that are not certainly within the bounds, one after the other, as code does that runs them so."""
    e, shift = k.e, size.bit_length() - 1
    away = reach.offsets - within.start.resize(reach.offsets.type)

    def limit(room: int) -> LlvmValue:
        elements = k.uniform(
            f"{within.name}.{shift}-{room}",
            lambda: e.intrinsic("llvm.usub.sat", within.nbytes >> shift, e.const("i64", room)),
        )
        return elements.resize(away.type)

    first = e.extract(away, e.const("i64", 0))
    with k.unlikely(reach.far | rotated(k, first, shift).uge(limit(room + k.lanes - 1))) as go_on:
        beyond = k.active & rotated(k, away, shift).uge(limit(room))
        assert place.base is not None
        with k.each_alone(beyond, place.base):
            k.pointer(place, space, size, write=write, within=within)
        e.jump(go_on)


# -- memory itself ----------------------------------------------------------------------------------------------------


def _load(k: LoweringContext, reach: Reach, offset: int, kind: str, words: int) -> list[LlvmValue]:
    """So many words, side by side, of each lane."""
    e = k.e
    assert reach.loaded is not None
    near = _beside(k, reach, offset, kind, words, reach.loaded)
    if reach.same is not None:
        firsts = [e.extract(word, e.const("i64", 0)) for word in near]
        near = [reach.same.select(first, word) for first, word in zip(firsts, near)]
    origin = e.block
    with k.unlikely(reach.far) as go_on:
        if reach.table.check == UNCHECKED and BITS[kind] >= 32:
            pointers = (e.offsets(e.ptr(reach.origin + (offset + _WORD * i)), reach.offsets) for i in range(words))
            far, good = [e.masked_gather(kind, each, k.active) for each in pointers], None
        else:
            good, buffer = _ask(k, "load_lanes", reach, offset, BITS[kind] // 8, words)
            far = [e.load_vector(kind, e.offset(buffer, _WORD * k.lanes * (1 + i)), k.lanes) for i in range(words)]
        behind = e.block
        e.branch(good, go_on, "faulted") if good is not None else e.jump(go_on)
    return [e.phi(kind, [(one, origin), (other, behind)]) for one, other in zip(near, far)]


def _beside(k: LoweringContext, reach: Reach, offset: int, kind: str, words: int, lanes: LlvmValue) -> list[LlvmValue]:
    """What one vector loads: so many words, side by side, of each of these lanes."""
    e = k.e
    loaded = e.masked_load(kind, e.ptr(reach.first + offset), _repeated(k, lanes, words))
    if words == 1:
        return [loaded]
    return [e.shuffle(loaded, loaded, range(i, k.lanes * words, words)) for i in range(words)]


def _store(
    k: LoweringContext,
    reach: Reach,
    offset: int,
    words: list[LlvmValue],
    values: Sequence[LlvmValue],
    kept: Kept | None,
) -> None:
    """These words, side by side, for each lane, which are the values; `kept` is told of them before."""
    e, nbytes = k.e, words[0].bits // 8
    assert reach.stored is not None
    beside = words[0]
    if len(words) > 1:
        beside = e.shuffle(words[0], words[1], [i + k.lanes * j for i in range(k.lanes) for j in (0, 1)])
    if kept is not None:
        old = _beside(k, reach, offset, f"i{8 * nbytes}", len(words), reach.stored)
        kept.note_lanes(k, reach.stored, old, words, beside, values)
    e.masked_store(beside, e.ptr(reach.first + offset), _repeated(k, reach.stored, len(words)))
    with k.unlikely(reach.scattered) as go_on:
        if kept is None:
            good, _ = _ask(k, "store_lanes", reach, offset, nbytes, len(words), words)
            e.branch(good, go_on, "faulted")
        else:
            _store_alone(k, reach, offset, words, values, kept)
            e.jump(go_on)


def _store_alone(
    k: LoweringContext, reach: Reach, offset: int, words: list[LlvmValue], values: Sequence[LlvmValue], kept: Kept
) -> None:
    """The values of one lane after the other; `kept` is told of each before."""
    e = k.e
    good, _ = _ask(k, "load_lanes", reach, offset, words[0].bits // 8, len(words))  # for its checks
    e.break_if(~good, "faulted")
    addresses = reach.addresses(offset)
    with k.each_alone(k.active) as i:
        address = e.extract(addresses, i)
        own = [e.extract(value, i) for value in values]
        kept.note(k, address, own)
        for at, value in enumerate(own):
            e.store(value, e.ptr(address + at * (value.bits // 8)))


def _repeated(k: LoweringContext, mask: LlvmValue, times: int) -> LlvmValue:
    """Each lane of a mask so many times."""
    return mask if times == 1 else k.e.shuffle(mask, mask, [i // times for i in range(k.lanes * times)])


def _ask(
    k: LoweringContext, name: str, reach: Reach, offset: int, nbytes: int, count: int, words: Sequence[LlvmValue] = ()
) -> tuple[LlvmValue, LlvmValue]:
    """Has a function of rt/lanes.py move `count` words of `nbytes` bytes of each lane: (is all good, the buffer)."""
    e = k.e
    buffer = k.uniform("lanes.buffer", lambda: e.var(f"[{3 * k.lanes} x i64]", align=64).pointer)
    e.store_vector(reach.offsets.zext("i64"), buffer)
    for i, word in enumerate(words):
        e.store_vector(word, e.offset(buffer, _WORD * k.lanes * (1 + i)))
    table = e.table("access", reach.table._replace(word=nbytes.bit_length() - 1, words=count).numbers())
    good = e.call(name, "i1", reach.origin + offset, buffer, k.active_bits(), table, k.warp.pointer, k.first)
    return good, buffer
