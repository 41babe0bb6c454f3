"""Loads and stores of several lanes at once.

Each access, or group of accesses (checks.py), is checked for all active lanes by one comparison of vectors. Then two patterns
are told apart, once for a group: lanes that touch consecutive elements, and lanes that touch the same one. Either is one load of
a vector; what is neither gathers or scatters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.rt.memory import GENERIC, WRITE
from ptxgen.cpu.value import LlvmValue, OneLaneError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.flat import FlatAddress
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

__all__ = ["Reach", "load_lanes", "store_lanes"]

_WORD = 8
"""Bytes that are moved at once."""


class Reach(NamedTuple):
    """Where the lanes' accesses lie that share a check. `lowest` is the machine's address of the first of them, in each lane, and
    `first` that of lane 0. All active lanes are in `ascending`, or none: those touch consecutive elements; and in `near`: those
    do, or all touch the one of lane 0, which alone is in it then; `same` is set in every lane where that is so."""

    lowest: LlvmValue
    first: LlvmValue
    ascending: LlvmValue
    near: LlvmValue
    same: LlvmValue
    is_ascending: LlvmValue
    is_near: LlvmValue


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
    reach, offset = _reach(k, place, space, size, write=False)
    if count == 1:
        return [_load(k, reach, offset, kind, near=True)]
    found: list[LlvmValue] = []
    for at in range(0, size, _WORD):
        word = _load(k, reach, offset + at, f"i{8 * min(size, _WORD)}", near=size <= _WORD)
        for shift in range(0, word.bits, type.bits):
            found.append((word >> shift).resize(f"i{8 * type.bytes}").bitcast(kind))
    return found


def store_lanes(
    k: LoweringContext, place: FlatAddress, space: str, type: ScalarType, values: Sequence[LlvmValue]
) -> None:
    """Stores these elements for every active lane. Raises OneLaneError."""
    e, size = k.e, type.bytes * len(values)
    if not _differs(k, place, space):
        raise OneLaneError  # one element of memory takes what the last lane has
    reach, offset = _reach(k, place, space, size, write=True)
    if len(values) == 1:
        _store(k, reach, offset, values[0], near=True)
        return
    together = min(len(values), _WORD // type.bytes)
    whole = f"i{8 * together * type.bytes}"
    for first in range(0, len(values), together):
        word = e.const(whole, 0)
        for i, value in enumerate(values[first : first + together]):
            word = word | (value.bitcast(f"i{value.bits}").resize(whole) << 8 * i * type.bytes)
        _store(k, reach, offset + first * type.bytes, word, near=size <= _WORD)


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
    if group is None:
        return _checked(k, None, place, space, size, write=write), 0
    found = k.reaches.get(id(group))
    if found is None:
        found = k.reaches[id(group)] = _checked(k, group, group.lowest, space, size, write=write)
    return found, place.offset - group.lowest.offset


def _checked(
    k: LoweringContext, group: CheckGroup | None, lowest: FlatAddress, space: str, size: int, *, write: bool
) -> Reach:
    e, shared = k.e, space.startswith("shared")
    address = k.address(lowest)
    if shared:
        _check_window(k, group, address, size)
        address = address + k.uniform("shared.address", lambda: k.cta.get("shared"))
    else:
        _check_blocks(k, group, address, size, write=write, generic=space == "")
    first = e.op("i64", f"extractelement {address.kind} {address.text}, i64 0")
    apart = address - first
    is_ascending = k.none_of(k.active & apart.ne(e.numbered("i64", k.lanes, size)))
    is_same = k.none_of(k.active & apart.ne(0))
    ascending, same = k.active & is_ascending, is_same.spread(k.lanes)
    near = ascending | (same & e.numbered("i32", k.lanes).eq(0))
    return Reach(address, first, ascending, near, same, is_ascending, is_ascending | is_same)


def _accesses(k: LoweringContext, group: CheckGroup | None, write: bool) -> list[tuple[int, int, bool]]:
    """(number of the operation, bytes from the lowest address, does it write) of all that are checked together."""
    if group is None:
        return [(k.op.index, 0, write)]
    return [(a.op.index, a.place.offset - group.lowest.offset, a.write) for a in group.accesses]


def _check_window(k: LoweringContext, group: CheckGroup | None, address: LlvmValue, size: int) -> None:
    """Faults unless all active lanes' accesses are aligned and in shared memory."""
    e, shift = k.e, size.bit_length() - 1
    whole, bound = k.bounds_of("shared", shift, lambda: k.launch.get("shared_bytes").zext("i64"), group)
    with k.unlikely(~k.none_of(k.active & k.rotated(address, shift).uge(bound))) as go_on:
        stored = _stored(k, address)
        kind = e.const("i32", shift | int(Window.SHARED) << 8)
        for number, offset, _ in _accesses(k, group, False):
            who = (k.warp.pointer, k.first, e.const("i32", number))
            _go_on_if(
                k, e.call("window_lanes", "i1", whole, stored, e.const("i64", offset), k.active_bits(), kind, *who)
            )
        e.jump(go_on)


def _check_blocks(
    k: LoweringContext, group: CheckGroup | None, address: LlvmValue, size: int, *, write: bool, generic: bool
) -> None:
    """The check of rt/memory.py for all active lanes: in line for the block that this instruction touched last."""
    e, shift = k.e, size.bit_length() - 1
    slot = k.slot()
    limit = e.load("i64", e.offset(slot, 8))
    if group is not None:
        limit = e.intrinsic("llvm.usub.sat", limit, e.const("i64", group.span >> shift))
    apart = address - e.load("i64", slot)
    with k.unlikely(~k.none_of(k.active & k.rotated(apart, shift).uge(limit))) as go_on:
        stored = _stored(k, address)
        accesses = _accesses(k, group, write)
        read_slot = k.slot() if len({writes for *_, writes in accesses}) > 1 else slot
        for number, offset, writes in accesses:
            kind = e.const("i32", shift | (WRITE if writes else 0) | (GENERIC if generic else 0))
            own = slot if writes else read_slot
            who = (k.warp.pointer, k.first, e.const("i32", number))
            _go_on_if(
                k, e.call("resolve_lanes", "i1", own, stored, e.const("i64", offset), k.active_bits(), kind, *who)
            )
        e.jump(go_on)


def _stored(k: LoweringContext, values: LlvmValue) -> LlvmValue:
    """The pointer to the values, one after the other, until the next call."""
    place = k.uniform("lanes.stored", lambda: k.e.var(f"[{k.lanes} x i64]", align=64).pointer)
    k.e.store_vector(values, place)
    return place


def _go_on_if(k: LoweringContext, good: LlvmValue) -> None:
    following = k.e.fresh("good")
    k.e.branch(good, following, "faulted")
    k.e.label(following)


# -- memory itself ----------------------------------------------------------------------------------------------------


def _load(k: LoweringContext, reach: Reach, offset: int, kind: str, *, near: bool) -> LlvmValue:
    e = k.e
    if not near:
        return _gather(k, reach.lowest + offset, kind)
    loaded = e.masked_load(kind, e.ptr(reach.first + offset), reach.near)
    element = e.op(kind, f"extractelement {loaded.kind} {loaded.text}, i64 0")
    picked, origin = reach.same.select(element, loaded), e.block
    with k.unlikely(~reach.is_near) as go_on:
        gathered, far = _gather(k, reach.lowest + offset, kind), e.block
        e.jump(go_on)
    return e.phi(kind, [(picked, origin), (gathered, far)])


def _gather(k: LoweringContext, addresses: LlvmValue, kind: str) -> LlvmValue:
    """An element for each active lane. Processors gather words: of the narrower ones, the word that each lies in."""
    if kind not in ("i8", "i16"):
        return k.e.masked_gather(kind, addresses, k.active)
    words = k.e.masked_gather("i32", addresses & -4, k.active)
    return (words >> ((addresses.trunc("i32") & 3) << 3)).trunc(kind)


def _store(k: LoweringContext, reach: Reach, offset: int, value: LlvmValue, *, near: bool) -> None:
    e, value = k.e, value.spread(k.lanes).clean()
    if not near:
        _scatter(k, reach.lowest + offset, value)
        return
    e.masked_store(value, e.ptr(reach.first + offset), reach.ascending)
    with k.unlikely(~reach.is_ascending) as go_on:
        _scatter(k, reach.lowest + offset, value)
        e.jump(go_on)


def _scatter(k: LoweringContext, addresses: LlvmValue, value: LlvmValue) -> None:
    """In the order of the lanes."""
    if value.bits >= 32:
        k.e.masked_scatter(value, addresses, k.active)
        return
    stored = _stored(k, addresses)
    values = k.uniform("lanes.values", lambda: k.e.var(f"[{k.lanes} x i32]", align=64).pointer)
    k.e.store_vector(value.zext("i32"), values)
    k.e.invoke("store_lanes", stored, values, k.active_bits(), k.e.const("i32", value.bits // 8))
