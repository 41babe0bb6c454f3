"""Copies from global to shared memory that run beside the thread (manual 9.7.9.25.3: cp.async).

rt/copies.py says when they are done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, Inverse, Op, Reg
from ptxgen.cpu.lower.mbarrier import good, mbarrier, who
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place, in_window
from ptxgen.cpu.record_layout import RANK_SHIFT, BulkCopy, BulkKind
from ptxgen.cpu.rt.mbarrier import Arrival
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.cpu.sanitizer.in_flight import BULK
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand
    from ptxgen.cpu.lower.context import LoweringContext

U32 = TYPES["u32"]


def span(k: LoweringContext, address: LlvmValue, nbytes: LlvmValue, alignment: int, access: Span) -> LlvmValue:
    """The machine's address, an i64, of a run of `nbytes` (an i64) bytes that this access may touch; else it is a fault."""
    numbers = (k.e.const("i64", alignment), k.e.const("i32", int(access)))
    found = k.e.call("span", "i64", address, nbytes, *numbers, *who(k))
    good(k, found.ne(0))
    return found


def shared_span(
    k: LoweringContext, place: FlatAddress, nbytes: LlvmValue, alignment: int, access: Span = Span.GLOBAL,
    *, cluster: bool = False,
) -> LlvmValue:  # fmt: skip
    """`span` of a run in the CTA's own shared memory, or with `cluster` in that of any CTA of its cluster."""
    address = in_window(k, place)
    if cluster and k.ranked:
        return cluster_place(k, address, nbytes, alignment)
    return span(k, address, nbytes, alignment, Span.SHARED | access | (Span.RANKED if k.ranked else Span.GLOBAL))


@lowers(
    "cp.async.cache.shared.global{.L2::cache_hint}{.prefetch}", raw=True, destinations=0,
    cache="ca cg", shared="shared shared::cta", prefetch="L2::64B L2::128B L2::256B",
)  # fmt: skip
def cp_async(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    e = k.e
    to, source, size, *rest = op.operands
    assert isinstance(to, FlatAddress)
    assert isinstance(source, FlatAddress)
    assert isinstance(size, ir.Immediate)
    if form.slots["L2::cache_hint"]:
        rest = rest[:-1]
    nbytes: int = size.value
    if nbytes not in (4, 8, 16):
        raise unsupported(f"{op.op} of {nbytes} bytes", op.origin.source)
    with k.when(k.guard()):
        shared = address_of(k, k.access(to, "shared", nbytes, write=True))
        if not rest:
            whole = address_of(k, k.access(source, "global", nbytes, write=False))
            _start(k, shared, whole, nbytes, e.const("i32", nbytes))
            return
        taken = _taken(k, rest[0], nbytes)
        address = e.var("i64", 0)
        with e.if_(taken.ne(0)):  # of what is ignored, not even the address counts
            address.set(span(k, k.address(source), taken.zext("i64"), nbytes, Span.GLOBAL))
            k.probe.takes(k, e.ptr(address.get()), nbytes, taken)
        _start(k, shared, address.get(), nbytes, taken)


def start_bulk(
    k: LoweringContext, kind: BulkKind, mbarrier: LlvmValue, to: LlvmValue, source: LlvmValue, nbytes: LlvmValue
) -> LlvmValue:
    """Puts something under way that completes on the mbarrier, or in a bulk group when it is null; its BulkCopy."""
    e = k.e
    if kind in _FILLING and mbarrier.text != "null":
        spoil(k, to, nbytes)
    warp, lane, instruction = who(k)
    number = e.const("i32", int(kind))
    given = (mbarrier, to, source, nbytes, lane, instruction)
    entry = e.call("bulk_start", "ptr", k.copies.pointer, warp, number, *given)
    if kind in _FILLING or kind in _READING:
        of_group = mbarrier.text == "null"
        k.probe.started(k, source if of_group else to, nbytes, BULK, k.copies.get("next") - 1)
    return entry


_FILLING = (BulkKind.COPY, BulkKind.TENSOR_LOAD, BulkKind.STORE)
"""Of those that complete on an mbarrier: what writes shared memory."""


_READING = (BulkKind.TENSOR_STORE, BulkKind.REDUCE, BulkKind.TENSOR_REDUCE, BulkKind.MASKED_COPY)
"""What reads shared memory, where it is of a group."""


def spoil(k: LoweringContext, to: LlvmValue, nbytes: LlvmValue) -> None:
    """The destination of a copy may be anything from its start on. In kernels with wgmma, which read shared memory beside the
    threads, it is NaN, so that one that still reads there computes NaN."""
    if k.has_wgmma:
        k.e.invoke("spoil", to, nbytes.zext("i64"))


def note_rank(k: LoweringContext, entry: LlvmValue, address: LlvmValue) -> None:
    """A BulkCopy completes in the CTA whose rank an address in .shared::cluster has."""
    k.e.store((address >> RANK_SHIFT).trunc("i32"), k.e.offset(entry, BulkCopy.rank.offset))


def started(k: LoweringContext) -> None:
    """What `start_bulk` has put under way is complete, and done at once where that is wanted."""
    with k.early():
        k.e.invoke("bulk_settle", k.copies.pointer, k.warp.pointer)


def address_of(k: LoweringContext, pointer: LlvmValue) -> LlvmValue:
    """A pointer as an i64."""
    return k.e.op("i64", f"ptrtoint ptr {pointer.text} to i64")


def _start(k: LoweringContext, to: LlvmValue, source: LlvmValue, nbytes: int, taken: LlvmValue) -> None:
    lane = k.lane_copies()
    spoil(k, to, k.e.const("i32", nbytes))
    k.e.invoke("copy_start", lane.pointer, to, source, k.e.const("i32", nbytes), taken)
    k.probe.copied(k, lane, to, nbytes)
    with k.early():
        k.e.invoke("copies_drain", lane.pointer, lane.get("next"))


def _taken(k: LoweringContext, operand: FlatOperand, nbytes: int) -> LlvmValue:
    """Bytes of the source that the operand `src-size` or `ignore-src` leaves."""
    if isinstance(operand, Inverse) or (isinstance(operand, Reg) and operand.type.kind == "p"):
        return k.read(operand, TYPES["pred"]).select(k.e.const("i32", 0), nbytes)
    taken = k.read(operand, U32)
    k.fault_if(taken.ugt(nbytes), FaultKind.COPY_SIZE, taken, nbytes)
    return taken


@lowers("cp.async.mbarrier.arrive{.noinc}{.space}.b64", space="shared shared::cta", raw=True, destinations=0)
def mbarrier_arrive(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """An arrival when the thread's copies so far are done; without `.noinc` it is one more that the phase waits for."""
    e = k.e
    with k.when(k.guard()):
        pointer = mbarrier(k, form.space, op.operands[0])
        one, zero = e.const("i32", 1), e.const("i32", 0)
        if form.noinc:
            good(k, e.call("mbarrier_valid", "i64", pointer, *who(k)).ne(0))
        else:
            increment = e.const("i32", int(Arrival.INCREMENT))
            good(k, e.call("mbarrier_arrive", "i64", pointer, one, zero, increment, *who(k)).ne(0))
        k.probe.order(k, pointer, releases=True, completes=True)
        until = k.lane_copies().get("next").zext("i64")
        start_bulk(k, BulkKind.ARRIVAL, pointer, until, e.const("i64", 0), zero)
        started(k)


@lowers("cp.async.commit_group", raw=True, destinations=0)
def commit_group(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        k.lane_copies().add("groups", 1)


@lowers("cp.async.wait_group", raw=True, destinations=0)
def wait_group(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        k.e.invoke("copies_wait", k.lane_copies().pointer, k.read(op.operands[0], U32))


@lowers("cp.async.wait_all", raw=True, destinations=0)
def wait_all(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        lane = k.lane_copies()
        k.e.invoke("copies_drain", lane.pointer, lane.get("next"))
