"""Addresses in the shared memory of a cluster (manual 5.1.6): the rank of a CTA from bit RANK_SHIFT on, and the offset below it.

Every address of .shared that a kernel computes has the rank of its own CTA there, so that it means the same in .shared::cluster.
Kernels that cannot have the address of another CTA's memory go without: see `lower/windows.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import NOWHERE, RANK_SHIFT, Window
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["OFFSET_MASK", "write_cluster_address", "write_cluster_generic", "write_cluster_pointer"]

OFFSET_MASK = (1 << RANK_SHIFT) - 1


def write_cluster_pointer(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 cluster_pointer(address, bytes, alignment, warp, lane, instruction)`: the machine's address of a run of bytes in the
    shared memory of the cluster; 0 when it is a fault, which is noted then. `alignment` is a power of two."""
    address, nbytes, alignment, warp_pointer, lane, instruction = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    cta, launch = cta_of(warp), launch_of(warp)
    rank, offset = address >> RANK_SHIFT, address & OFFSET_MASK

    def refuse(condition: LlvmValue, kind: FaultKind, number: LlvmValue, size: LlvmValue) -> None:
        with e.if_(condition):
            launch.set("fault_window", int(Window.CLUSTER))
            e.invoke("fault", warp_pointer, e.const("i32", int(kind)), instruction, lane, number, size.trunc("i32"))
            e.leave("bad")

    refuse(rank.uge(launch.get("cluster_ctas").zext("i64")), FaultKind.CLUSTER_RANK, rank, nbytes)
    refuse((offset & (alignment - 1)).ne(0), FaultKind.MISALIGNED_ADDRESS, address, alignment)
    available = launch.get("shared_bytes").zext("i64")
    refuse(offset.ugt(available) | (available - offset).ult(nbytes), FaultKind.ILLEGAL_ADDRESS, address, nbytes)
    owner = nth_cta(e, e.ptr(cta.get("cluster")), rank.trunc("i32"))
    refuse(owner.get("alive").eq(0), FaultKind.CLUSTER_EXITED, rank, nbytes)
    e.line(f"ret i64 {(owner.get('shared') + offset).text}")
    e.label("bad")
    e.line("ret i64 0")


def write_cluster_address(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 cluster_address(generic, warp)`: the address in .shared::cluster that a generic one leads to, -1 when that is none."""
    generic, warp_pointer = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    launch = launch_of(warp)
    first, available = e.ptr(cta_of(warp).get("cluster")), launch.get("shared_bytes").zext("i64")
    found = e.var("i64", -1)
    with e.if_((generic & NOWHERE).ne(0)):
        found.set(generic ^ NOWHERE)
    with e.count(0, launch.get("cluster_ctas")) as rank:
        offset = generic - nth_cta(e, first, rank).get("shared")
        with e.if_(offset.ult(available)):
            found.set((rank.zext("i64") << RANK_SHIFT) | offset)
    e.line(f"ret i64 {found.get().text}")


def write_cluster_generic(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 cluster_generic(address, warp)`: the generic address of one in .shared::cluster. Of a rank that the cluster does not
    have it is one that leads nowhere."""
    address, warp_pointer = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    rank = address >> RANK_SHIFT
    found = e.var("i64", address | NOWHERE)
    with e.if_(rank.ult(launch_of(warp).get("cluster_ctas").zext("i64"))):
        owner = nth_cta(e, e.ptr(cta_of(warp).get("cluster")), rank.trunc("i32"))
        found.set(owner.get("shared") + (address & OFFSET_MASK))
    e.line(f"ret i64 {found.get().text}")
