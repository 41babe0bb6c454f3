"""Stores and reductions of single threads in the shared memory of their cluster, which complete on mbarriers (manual 9.7.9.12
and 9.7.13.7: st.async, red.async). The values wait in the entry of rt/bulk.py's ring."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.flat import FlatAddress, Op
from ptxgen.cpu.lower.bulk import BYTES, brings, completion, same_cta, together, valid_mbarrier
from ptxgen.cpu.lower.cluster import need_cluster
from ptxgen.cpu.lower.copies import address_of, note_rank, shared_span, start_bulk, started
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.reductions import note_function, run
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place
from ptxgen.cpu.record_layout import BulkKind
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.cpu.unsupported import unsupported

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand
    from ptxgen.cpu.lower.context import LoweringContext

NUMBERS = record_layout.BulkCopy.numbers.offset


def _start(k: LoweringContext, form: FormModifiers, op: Op, kind: BulkKind) -> LlvmValue:
    """Puts the operation under way, with its values in the entry, which is given."""
    e, type = k.e, form.type
    place, source, where = op.operands
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{op.op} without an address", op.origin.source)
    need_cluster(k)
    values = elements(source)
    nbytes = type.bytes * len(values)
    size = e.const("i32", nbytes)
    if form.get("shared::cluster"):
        address = together(k, place, where)
        mbarrier = completion(k, where, cluster=True)
        to = shared_span(k, place, size.zext("i64"), nbytes, Span.WRITE, cluster=True)
    else:
        address, counts = _in_cluster(k, place, nbytes), _in_cluster(k, where, 8)
        same_cta(k, address, counts)
        mbarrier = valid_mbarrier(k, counts)
        to = cluster_place(k, address, size.zext("i64"), nbytes)
    brings(k, to, "shared::cluster", size, mbarrier, strong=kind is BulkKind.REDUCE)
    entry = start_bulk(k, kind, mbarrier, to, e.const("i64", 0), size)
    note_rank(k, entry, address)
    for i, value in enumerate(values):
        e.store(k.read(value, type), e.offset(entry, NUMBERS + i * type.bytes))
    e.store(address_of(k, e.offset(entry, NUMBERS)), e.offset(entry, record_layout.BulkCopy.source.offset))
    return entry


def _in_cluster(k: LoweringContext, operand: FlatOperand, nbytes: int) -> LlvmValue:
    """The address in .shared::cluster of a generic one; a fault when it does not lead there."""
    if not isinstance(operand, FlatAddress):
        raise unsupported(f"{k.op.op} without an address", k.op.origin.source)
    generic = k.address(operand)
    found = k.e.call("cluster_address", "i64", generic, k.warp.pointer)
    k.fault_if(found.eq(-1), FaultKind.ILLEGAL_ADDRESS, generic, nbytes)
    return found


@lowers(f"st.async{{.weak}}{{.shared::cluster}}.{BYTES}{{.vec}}.type", vec="v2 v4", raw=True, destinations=0,
        type="b32 b64 u32 u64 s32 s64 f32 f64")  # fmt: skip
def st_async(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        _start(k, form, op, BulkKind.STORE)
        started(k)


@lowers(f"red.async.relaxed.cluster{{.shared::cluster}}.{BYTES}.do.type", do="add min max inc dec and or xor", raw=True,
        destinations=0, type="b32 u32 s32 u64 s64")  # fmt: skip
def red_async(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        entry = _start(k, form, op, BulkKind.REDUCE)
        note_function(k, entry, partial(run, operation=form.do, type=form.type, shared=True))
        started(k)
