"""Special registers (manual chapter 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.unsupported import unsupported
from ptxgen.ir import Special

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatKernel
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["WORKSPACE", "is_read", "read_special", "reserved_shared", "specials_of"]


def read_special(k: LoweringContext, name: str) -> LlvmValue:
    """The register's value in the lane in hand. Raises UnsupportedError for one that the CPU device does not have."""
    stem, _, axis = name.lstrip("%").partition(".")
    if axis and stem in _VECTORS:  # .r .g .b .a are other names of .x .y .z .w (manual 6.4.3)
        return _VECTORS[stem](k, "xyzwrgba".index(axis) % 4)
    if stem in WORKSPACE and not axis:
        return k.uniform(stem, lambda: (k.launch.get("workspace") >> WORKSPACE[stem]).trunc("i32"))
    if stem.startswith(("envreg", "pm")) and not axis:
        return k.e.const("i64" if stem.endswith("_64") else "i32", 0)
    if stem in _SCALARS and not axis:
        return _SCALARS[stem](k)
    raise unsupported(f"the special register {name}", k.op.origin.source)


def is_read(name: str) -> bool:
    """Does `read_special` know the register?"""
    stem, _, axis = name.lstrip("%").partition(".")
    return stem in _VECTORS if axis else stem in WORKSPACE or stem.startswith(("envreg", "pm")) or stem in _SCALARS


RESERVED = 1024
"""Bytes of a CTA's shared memory that are the system's, as on a GPU. They lie behind the kernel's own, where it asks for them."""
WORKSPACE = {"envreg1": 32, "envreg2": 0}
"""The halves of the address of a grid's workspace, as nvcc's cooperative groups read it, by their shift."""


def _uniform(k: LoweringContext, record: str, field: str, index: int) -> LlvmValue:
    source = k.cta if record == "cta" else k.launch
    return k.uniform(f"{field}.{index}", lambda: source.get(field, index))


def _tid(k: LoweringContext, axis: int) -> LlvmValue:
    if axis == 3:
        return k.e.const("i32", 0)
    field = ("tid_x", "tid_y", "tid_z")[axis]
    return k.e.load_vector("i32", k.warp.at(field, k.first), k.lanes) if k.lanes else k.warp.get(field, k.lane)


def _vector(record: str, field: str, w: int) -> Callable[[LoweringContext, int], LlvmValue]:
    return lambda k, axis: _uniform(k, record, field, axis) if axis < 3 else k.e.const("i32", w)


def _divided(numerator: tuple[str, str], w: int) -> Callable[[LoweringContext, int], LlvmValue]:
    """A coordinate of the cluster: grid coordinates divided by the cluster's extent."""

    def read(k: LoweringContext, axis: int) -> LlvmValue:
        if axis == 3:
            return k.e.const("i32", w)
        value, extent = _uniform(k, *numerator, axis), _uniform(k, "launch", "cluster", axis)
        return k.uniform(f"{numerator[1]}/cluster.{axis}", lambda: value.udiv(extent))

    return read


def _cluster_ctaid(k: LoweringContext, axis: int) -> LlvmValue:
    if axis == 3:
        return k.e.const("i32", 0)
    value, extent = _uniform(k, "cta", "ctaid", axis), _uniform(k, "launch", "cluster", axis)
    return k.uniform(f"cluster_ctaid.{axis}", lambda: value.urem(extent))


def _cluster_rank(k: LoweringContext) -> LlvmValue:
    return k.uniform("cluster_ctarank", lambda: k.cta.get("rank"))


def _cluster_size(k: LoweringContext) -> LlvmValue:
    return k.uniform("cluster_nctarank", lambda: k.launch.get("cluster_ctas"))


def _is_clustered(k: LoweringContext) -> LlvmValue:
    return k.uniform("explicit", lambda: k.launch.get("clustered").ne(0))


def _clock(k: LoweringContext) -> LlvmValue:
    """A monotone counter that advances with the instructions executed and with every look at it, lane by lane."""
    k.lane.one()
    return k.launch.add("clock_reads", 1) + k.launch.get("instructions")


def _smid(k: LoweringContext) -> LlvmValue:
    """CTAs are dealt to multiprocessors in turn."""
    return k.uniform("smid", lambda: k.cta.get("index").urem(k.launch.get("multiprocessors")).trunc("i32"))


def _nsmid(k: LoweringContext) -> LlvmValue:
    return k.uniform("nsmid", lambda: k.launch.get("multiprocessors").trunc("i32"))


def _field(record: str, field: str) -> Callable[[LoweringContext], LlvmValue]:
    def read(k: LoweringContext) -> LlvmValue:
        source = {"warp": k.warp, "cta": k.cta, "launch": k.launch}[record]
        return k.uniform(f"{record}.{field}", lambda: source.get(field))

    return read


def _before_end(nbytes: int) -> Callable[[LoweringContext], LlvmValue]:
    """An offset in the system's part of shared memory, from its end."""
    whole = _field("launch", "shared_bytes")
    return lambda k: whole(k) - nbytes


_VECTORS: dict[str, Callable[[LoweringContext, int], LlvmValue]] = {
    "tid": _tid,
    "ntid": _vector("launch", "block", 1),
    "ctaid": _vector("cta", "ctaid", 0),
    "nctaid": _vector("launch", "grid", 1),
    "cluster_ctaid": _cluster_ctaid,
    "cluster_nctaid": _vector("launch", "cluster", 1),
    "clusterid": _divided(("cta", "ctaid"), 0),
    "nclusterid": _divided(("launch", "grid"), 1),
}


def specials_of(kernel: FlatKernel) -> set[str]:
    """The names of the special registers that a kernel reads."""
    operands = (each for op in kernel.ops for each in op.operands)
    return {each.name.lstrip("%") for each in operands if isinstance(each, Special)}


def reserved_shared(kernel: FlatKernel) -> int:
    """Bytes behind a CTA's shared memory that are the system's, in a kernel that asks for their place: cooperative groups keep
    there what tiles of several warps share."""
    return RESERVED if any(name.startswith("reserved_smem") for name in specials_of(kernel)) else 0


def _total(k: LoweringContext) -> LlvmValue:
    """The kernel's own shared memory, without the system's."""
    return k.uniform("total_smem_size", lambda: k.launch.get("shared_bytes") - reserved_shared(k.kernel))


_SCALARS: dict[str, Callable[[LoweringContext], LlvmValue]] = {
    "laneid": lambda k: k.lane,
    "warpid": _field("warp", "index"),
    "nwarpid": _field("launch", "warp_slots"),
    "smid": _smid,
    "nsmid": _nsmid,
    "gridid": _field("launch", "grid_id"),
    "lanemask_eq": lambda k: k.bit,
    "lanemask_lt": lambda k: k.bit - 1,
    "lanemask_le": lambda k: k.bit | (k.bit - 1),
    "lanemask_gt": lambda k: ~(k.bit | (k.bit - 1)),
    "lanemask_ge": lambda k: ~(k.bit - 1),
    "clock": lambda k: _clock(k).trunc("i32"),
    "clock_hi": lambda k: (_clock(k) >> 32).trunc("i32"),
    "clock64": _clock,
    "globaltimer": _clock,
    "globaltimer_lo": lambda k: _clock(k).trunc("i32"),
    "globaltimer_hi": lambda k: (_clock(k) >> 32).trunc("i32"),
    "cluster_ctarank": _cluster_rank,
    "cluster_nctarank": _cluster_size,
    "is_explicit_cluster": _is_clustered,
    "dynamic_smem_size": _field("launch", "dynamic_bytes"),
    "total_smem_size": _total,
    "aggr_smem_size": _field("launch", "shared_bytes"),
    "reserved_smem_offset_begin": _before_end(RESERVED),
    "reserved_smem_offset_end": _before_end(0),
    "reserved_smem_offset_cap": lambda k: k.e.const("i32", RESERVED),
    "reserved_smem_offset_0": _before_end(RESERVED),
    "reserved_smem_offset_1": _before_end(RESERVED // 2),
    "current_graph_exec": lambda k: k.e.const("i64", 0),
}
