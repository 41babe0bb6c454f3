"""Addresses within a cluster (manual 9.7.9.23 and 9.7.9.24: mapa, getctarank).

The CTAs of a cluster run apart from each other: a CTA's own shared memory, whose addresses in .shared::cluster are those in
.shared::cta, is all that it can reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import Form, lowers
from ptxgen.cpu.lower.special import read_special
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Value
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import Context

U32 = TYPES["u32"]


def own_mask(k: Context, mask: Value) -> None:
    """Faults unless the mask of CTAs, an i16, has the CTA's own bit and no other."""
    rank = read_special(k, "%cluster_ctarank")
    others = mask.zext("i64").ne(k.e.const("i64", 1) << (rank & 63).zext("i64"))
    k.fault_if(others, FaultKind.CLUSTER_RANK, k.e.intrinsic("llvm.cttz", mask.zext("i32"), False))


@lowers("mapa{.shared::cluster}.type", type="u32 u64", raw=True)
def mapa(k: Context, form: Form, op: Op) -> None:
    d, a, rank = op.operands
    with k.when(k.guard()):
        wanted = k.read(rank, U32)
        k.fault_if(wanted.ne(read_special(k, "%cluster_ctarank")), FaultKind.CLUSTER_RANK, wanted)
        k.write(d, k.read(a, form.type), form.type)


@lowers("getctarank{.shared::cluster}.type", type="u32 u64", writes="u32")
def getctarank(k: Context, form: Form, a: Value) -> Value:
    return read_special(k, "%cluster_ctarank")
