"""Clusters: addresses (manual 9.7.9.23 and 9.7.9.24: mapa, getctarank), barriers (9.7.13.3: barrier.cluster), masks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.special import read_special
from ptxgen.cpu.record_layout import RANK_SHIFT
from ptxgen.cpu.rt.clusters import OFFSET_MASK
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand, Op
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

U16, U32 = TYPES["u16"], TYPES["u32"]


def need_cluster(k: LoweringContext) -> None:
    """Faults in a kernel that was launched without a cluster. What completes in .shared::cluster on mbarriers needs one, be it of
    one CTA; plain accesses and copies from global memory do not (measured, H200)."""
    k.fault_if(k.uniform("unclustered", lambda: k.launch.get("clustered").eq(0)), FaultKind.NO_CLUSTER)


@contextmanager
def members(k: LoweringContext, mask: LlvmValue) -> Iterator[LlvmValue]:
    """Its body runs for each CTA that a mask, an i16 or i32, names: its rank, an i64. What the body uses must be read before."""
    e = k.e
    size = k.uniform("cluster.ctas", lambda: k.launch.get("cluster_ctas").zext("i64"))
    wide = mask.zext("i64")
    beyond = wide >> size
    k.fault_if(beyond.ne(0), FaultKind.CLUSTER_RANK, e.intrinsic("llvm.cttz", beyond, False) + size)
    with e.count(0, size) as rank:
        with e.if_(((wide >> rank) & 1).ne(0)):
            yield rank


def beside(k: LoweringContext, operand: FlatOperand, rank: LlvmValue) -> LlvmValue:
    """The address in .shared::cluster, an i64, at the operand's offset in the CTA of a rank."""
    assert isinstance(operand, FlatAddress)
    return (k.address(operand) & OFFSET_MASK) | (rank << RANK_SHIFT)


@lowers("mapa{.space}.type", space="shared::cluster", type="u32 u64", raw=True)
def mapa(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """A rank that the cluster does not have is a fault where the address is used, and not before."""
    d, a, wanted = op.operands
    with k.when(k.guard()):
        rank = k.read(wanted, U32).zext("i64")
        address = k.read(a, form.type).resize("i64")
        if form.space:
            found = (address & OFFSET_MASK) | (rank << RANK_SHIFT)
        else:
            where = k.e.call("cluster_address", "i64", address, k.warp.pointer)
            k.fault_if(where.eq(-1), FaultKind.CLUSTER_ADDRESS, address)
            there = (where & OFFSET_MASK) | (rank << RANK_SHIFT)
            found = k.e.call("cluster_generic", "i64", there, k.warp.pointer)
        k.write(d, found.resize(f"i{form.type.bits}"), form.type)


@lowers("getctarank{.space}.type", space="shared::cluster", type="u32 u64", writes="u32")
def getctarank(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    address = a.resize("i64")
    if form.space:
        return (address >> RANK_SHIFT).trunc("i32") if k.ranked else read_special(k, "%cluster_ctarank")
    where = k.e.call("cluster_address", "i64", address, k.warp.pointer)
    return (where >> RANK_SHIFT).trunc("i32")


@lowers("barrier.cluster.arrive{.order}{.aligned}", order="release relaxed", sync=True, destinations=0)
def arrive(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """The lanes of an aligned arrival are counted when every lane of the warp that has not exited is here."""
    e, k = s.e, s.k
    here = s.arrived.eq(k.warp.get("live")).select(s.arrived, 0) if form.aligned else s.arrived
    before = k.warp.get("in_cluster")
    k.warp.set("in_cluster", before | here)
    k.probe.arrive_in_cluster(k, here & ~before, releases=k.probe.releases(form.order))
    e.invoke("cluster_complete", k.warp.pointer, here & ~before)
    s.keep(s.arrived & ~here)
    s.release(here)


@lowers("barrier.cluster.wait{.acquire}{.aligned}", sync=True, destinations=0)
def wait(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """Lanes wait while the phase that they arrived at goes on."""
    free = s.arrived & ~s.k.warp.get("in_cluster")
    s.keep(s.arrived & ~free)
    s.release(free)
