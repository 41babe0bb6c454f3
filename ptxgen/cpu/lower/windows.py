"""Shared addresses in the windows of a cluster (manual 5.1.6 and 9.7.9.23). rt/clusters.py says how the rank lies in them.

Addresses in .shared carry the rank of their CTA in the kernels that may have one of another CTA: those that make it with mapa, or
whose tensor copies complete on an mbarrier of the pair, to which programs come by clearing the rank's last bit.
All others are spared that: there an address is the offset alone, and in .shared::cluster means the CTA's own memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu.record_layout import RANK_SHIFT
from ptxgen.cpu.rt.clusters import OFFSET_MASK
from ptxgen.cpu.rt.records import nth_cta

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.flat import FlatAddress, FlatKernel, Op
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["Lanes", "cluster_place", "cluster_pointer", "has_ranks", "in_window", "own_offset", "own_window"]


class Writer(Protocol):
    """What writes an access: a `context.LoweringContext`."""

    @property
    def e(self) -> Emitter: ...

    @property
    def op(self) -> Op: ...

    @property
    def lane(self) -> LlvmValue: ...

    @property
    def lanes(self) -> int: ...

    @property
    def first(self) -> LlvmValue: ...

    @property
    def mask(self) -> LlvmValue: ...

    @property
    def warp(self) -> MemoryRecord: ...

    @property
    def cta(self) -> MemoryRecord: ...

    @property
    def launch(self) -> MemoryRecord: ...

    @property
    def ranked(self) -> bool: ...

    @property
    def groups(self) -> dict[int, CheckGroup]: ...

    def address(self, place: FlatAddress) -> LlvmValue: ...

    def uniform(self, name: str, compute: Callable[[], LlvmValue]) -> LlvmValue: ...

    def active_bits(self) -> LlvmValue: ...

    def unlikely(self, condition: LlvmValue) -> AbstractContextManager[str]: ...


class Lanes(Writer, Protocol):
    """A writer that may have several lanes in hand: a `context.LoweringContext`."""

    @property
    def active(self) -> LlvmValue: ...

    def each_alone(self, lanes: LlvmValue) -> AbstractContextManager[LlvmValue]: ...

    def some_of(self, lanes: LlvmValue) -> LlvmValue: ...


def has_ranks(kernel: FlatKernel) -> bool:
    """Do the shared addresses of this kernel carry the rank of their CTA?"""
    return any(op.opcode == "mapa" or (op.opcode == "cp" and "cta_group::2" in op.op) for op in kernel.ops)


def own_window(k: Writer) -> LlvmValue:
    """Where the CTA's own memory begins in .shared::cluster, as i64."""
    if not k.ranked:
        return k.e.const("i64", 0)
    return k.uniform("shared.window", lambda: k.cta.get("rank").zext("i64") << RANK_SHIFT)


def in_window(k: Writer, place: FlatAddress) -> LlvmValue:
    """The number that a place in .shared or .shared::cluster stands for, as i64; what names no register is the CTA's own."""
    address = k.address(place)
    return address + own_window(k) if place.base is None and k.ranked else address


def own_offset(k: Writer, place: FlatAddress) -> LlvmValue:
    """The offset of a place in the CTA's own shared memory, as i64; large when it lies elsewhere."""
    address = k.address(place)
    return address - own_window(k) if place.base is not None and k.ranked else address


def cluster_place(k: Writer, address: LlvmValue, nbytes: LlvmValue, alignment: int) -> LlvmValue:
    """The machine's address, an i64, of `nbytes` (an i64) bytes at an address in .shared::cluster; else it is a fault."""
    who = (k.warp.pointer, k.lane, k.e.const("i32", k.op.index))
    found = k.e.call("cluster_pointer", "i64", address, nbytes, k.e.const("i64", alignment), *who)
    following = k.e.fresh("good")
    k.e.branch(found.ne(0), following, "faulted")
    k.e.label(following)
    return found


def cluster_pointer(k: Writer, address: LlvmValue, size: int) -> LlvmValue:
    """The pointer to `size` bytes, a power of two, at an address in .shared::cluster that the access may touch; else it is a
    fault."""
    e = k.e
    shift = size.bit_length() - 1
    limit = k.uniform(f"cluster.{shift}", lambda: k.launch.get("shared_bytes").zext("i64") >> shift)
    ctas = k.uniform("cluster.ctas", lambda: k.launch.get("cluster_ctas").zext("i64"))
    first = k.uniform("cluster.first", lambda: e.ptr(k.cta.get("cluster")))
    rank, offset = address >> RANK_SHIFT, address & OFFSET_MASK
    rotated = e.intrinsic("llvm.fshr", offset, offset, e.const("i64", shift)) if shift else offset
    known = rank.ult(ctas).select(rank, 0)
    owner = nth_cta(e, first, known.trunc("i32"))
    with k.unlikely(rank.ne(known) | rotated.uge(limit) | owner.get("alive").eq(0)) as go_on:
        cluster_place(k, address, e.const("i64", size), size)
        e.jump(go_on)
    return e.offset(e.ptr(owner.get("shared")), offset)
