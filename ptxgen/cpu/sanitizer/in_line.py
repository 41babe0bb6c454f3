"""What is asked in line of what the sanitizer keeps of memory, so that its functions are called only where they have to say
something; and what these are given.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.sanitizer.state_layout import UPDATE, WRITE, SanitizerRecord, WarpState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.windows import Writer

__all__ = ["WHOLLY_WRITTEN", "address_of", "bias", "in_arena", "kept", "not_under_way", "state_of_warp", "written"]

WHOLLY_WRITTEN = {n: f"i{8 * n} {int.from_bytes(bytes([1]) * n, 'little')}" for n in (1, 2, 4, 8, 16)}
"""The bytes of an access by its size, all written: type and value."""


def not_under_way(
    k: Writer, address: LlvmValue, space: str, size: int, *, write: bool, values: Sequence[LlvmValue]
) -> None:
    """`async_access`, unless nothing was ever started there."""
    e = k.e
    there = field(k, "async_bias")
    access = e.const("i32", size | (WRITE if write else 0))
    given = (state_of_warp(k), address, access, k.lane, e.const("i32", k.op.index))
    if space == "":
        with e.if_(address.uge(field(k, "windows"))):
            e.invoke("async_access", *given, kept(k, values))
        return
    kind, first = f"i{8 * max(size, 4)}", address & -4
    marks = e.op(kind, f"load {kind}, ptr {e.ptr(first + there).text}, align 4")
    if write:
        marked = e.op(kind, f"load {kind}, ptr {e.ptr(first + field(k, 'box_bias')).text}, align 4")
        marks = e.op(kind, f"or {kind} {marks.text}, {marked.text}")
    with k.unlikely(e.op("i1", f"icmp ne {kind} {marks.text}, 0")) as go_on:
        e.invoke("async_access", *given, kept(k, values))
        e.jump(go_on)


def written(k: Writer, pointer: LlvmValue, space: str, size: int, *, write: bool, updates: bool) -> None:
    """`init_access` in line, for a read of what was written and for a write."""
    e, address = k.e, address_of(k.e, pointer)
    shadow = e.ptr(address + bias(k))
    own = e.const("i1", 1) if space in ("shared", "local") else in_arena(k, address, 1)
    with e.if_(own):
        if write and not updates:
            e.line(f"store {WHOLLY_WRITTEN[size]}, ptr {shadow.text}, align 1")
            return
        kind, ones = WHOLLY_WRITTEN[size].split()
        there = e.op("i64", f"load {kind}, ptr {shadow.text}, align 1")
        missing = e.op("i1", f"icmp ne {kind} {there.text}, {ones}")
        with k.unlikely(missing) as go_on:
            flags = (WRITE | UPDATE) if updates else 0
            given = (state_of_warp(k), address, e.const("i32", size | flags), k.lane, e.const("i32", k.op.index))
            e.invoke("init_access", *given)
            e.jump(go_on)


def field(k: Writer, name: str) -> LlvmValue:
    """A field of the launch's record."""
    e = k.e
    record = k.uniform("sanitizer.record", lambda: MemoryRecord(e, WarpState, state_of_warp(k)).get("record"))
    return k.uniform(f"sanitizer.{name}", partial(_record_field, e, record, name))


def bias(k: Writer) -> LlvmValue:
    """How far from a byte it is kept whether it was written."""
    return field(k, "init_bias")


def in_arena(k: Writer, address: LlvmValue, nbytes: int) -> LlvmValue:
    """Do so many bytes from an address on lie in the arena? Of a peer's memory nothing is known."""
    e, length = k.e, field(k, "arena_bytes")
    limit = k.uniform(
        f"sanitizer.arena-{nbytes}", lambda: e.intrinsic("llvm.usub.sat", length, e.const("i64", nbytes - 1))
    )
    return (address - field(k, "arena")).ult(limit)


def _record_field(e: Emitter, record: LlvmValue, name: str) -> LlvmValue:
    return MemoryRecord(e, SanitizerRecord, e.ptr(record)).get(name)


def state_of_warp(k: Writer) -> LlvmValue:
    """The pointer to the warp's state."""
    return k.uniform("sanitizer", lambda: k.e.ptr(k.warp.get("sanitizer")))


def address_of(e: Emitter, pointer: LlvmValue) -> LlvmValue:
    return e.op("i64", f"ptrtoint ptr {pointer.text} to i64")


def kept(k: Writer, values: Sequence[LlvmValue]) -> LlvmValue:
    """The pointer to values, one after the other; null for none."""
    e = k.e
    if not values:
        return e.undef("ptr")
    place = k.uniform("sanitizer.values", lambda: e.var("[8 x i64]").pointer)
    at = 0
    for value in values:
        e.store(value, e.offset(place, at))
        at += value.bits // 8
    return place
