"""Clusters of one CTA: addresses (manual 9.7.9.23 and 9.7.9.24: mapa, getctarank), barriers (9.7.13.3: barrier.cluster).

The CTAs of a cluster run apart from each other: a CTA's own shared memory, whose addresses in .shared::cluster are those in
.shared::cta, is all that it can reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.special import read_special
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

U32 = TYPES["u32"]


def need_cluster(k: LoweringContext) -> None:
    """Faults in a kernel that was launched without a cluster. What completes in .shared::cluster on mbarriers needs one, be it of
    one CTA; plain accesses and copies from global memory do not (measured, H200)."""
    k.fault_if(k.uniform("unclustered", lambda: k.launch.get("clustered").eq(0)), FaultKind.NO_CLUSTER)


def own_mask(k: LoweringContext, mask: LlvmValue) -> None:
    """Faults unless the mask of CTAs, an i16, has the CTA's own bit and no other."""
    rank = read_special(k, "%cluster_ctarank")
    others = mask.zext("i64").ne(k.e.const("i64", 1) << (rank & 63).zext("i64"))
    k.fault_if(others, FaultKind.CLUSTER_RANK, k.e.intrinsic("llvm.cttz", mask.zext("i32"), False))


@lowers("mapa{.shared::cluster}.type", type="u32 u64", raw=True)
def mapa(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    d, a, rank = op.operands
    with k.when(k.guard()):
        wanted = k.read(rank, U32)
        k.fault_if(wanted.ne(read_special(k, "%cluster_ctarank")), FaultKind.CLUSTER_RANK, wanted)
        k.write(d, k.read(a, form.type), form.type)


@lowers("getctarank{.shared::cluster}.type", type="u32 u64", writes="u32")
def getctarank(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return read_special(k, "%cluster_ctarank")


@lowers("barrier.cluster.arrive{.order}{.aligned}", order="release relaxed", sync=True, destinations=0)
def arrive(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """The lanes of an aligned arrival are counted when every lane of the warp that has not exited is here."""
    e, k = s.e, s.k
    here = s.arrived.eq(k.warp.get("live")).select(s.arrived, 0) if form.aligned else s.arrived
    k.lane = e.intrinsic("llvm.cttz", s.arrived, True)
    size = read_special(k, "%cluster_nctarank")
    k.fault_if(size.ne(1), FaultKind.CLUSTER_SIZE, size)
    k.warp.set("in_cluster", k.warp.get("in_cluster") | here)
    e.invoke("cluster_complete", k.warp.pointer)
    s.keep(s.arrived & ~here)
    s.release(here)


@lowers("barrier.cluster.wait{.acquire}{.aligned}", sync=True, destinations=0)
def wait(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """Lanes wait while the phase that they arrived at goes on."""
    free = s.arrived & ~s.k.warp.get("in_cluster")
    s.keep(s.arrived & ~free)
    s.release(free)
