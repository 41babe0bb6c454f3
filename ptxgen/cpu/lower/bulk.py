"""Copies in bulk and their groups (manual 9.7.9.25.4 and 9.7.9.25.6). rt/bulk.py says when they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.cluster import beside, members, need_cluster
from ptxgen.cpu.lower.copies import note_rank, shared_span, span, start_bulk, started
from ptxgen.cpu.lower.mbarrier import good, mbarrier, who
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place, in_window
from ptxgen.cpu.record_layout import RANK_SHIFT, BulkCopy, BulkKind
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.lower.context import LoweringContext

U16, U32, U64 = TYPES["u16"], TYPES["u32"], TYPES["u64"]
BYTES = "mbarrier::complete_tx::bytes"
UNIT = 16
"""Bulk copies are of multiples of that many bytes, to and from multiples of it."""


def completion(k: LoweringContext, operand: FlatOperand, *, cluster: bool = False) -> LlvmValue:
    """The pointer to the valid mbarrier on which a copy completes: the CTA's own, or with `cluster` one of its cluster."""
    return _valid(k, mbarrier(k, "shared::cluster" if cluster else "shared", operand, remote=cluster))


def completion_beside(k: LoweringContext, operand: FlatOperand, rank: LlvmValue) -> LlvmValue:
    """`completion` at the same offset in the CTA of a rank."""
    return valid_mbarrier(k, beside(k, operand, rank))


def valid_mbarrier(k: LoweringContext, address: LlvmValue) -> LlvmValue:
    """The pointer to the valid mbarrier at an address in .shared::cluster; else it is a fault."""
    return _valid(k, k.e.ptr(cluster_place(k, address, k.e.const("i64", 8), 8)))


def together(k: LoweringContext, to: FlatOperand, mbarrier: FlatOperand, *, pair: bool = False) -> LlvmValue:
    """Faults unless a copy ends in the CTA that has its mbarrier, or with `pair` in the pair that has. The address in
    .shared::cluster to which it goes, an i64."""
    assert isinstance(to, FlatAddress)
    assert isinstance(mbarrier, FlatAddress)
    ends, counts = in_window(k, to), in_window(k, mbarrier)
    if k.ranked:
        if pair:
            ends_in, counts_in = (each >> RANK_SHIFT for each in (ends, counts))
            k.fault_if((ends_in ^ counts_in).ugt(1), FaultKind.CLUSTER_PAIR, ends_in | (counts_in << 32))
        else:
            same_cta(k, ends, counts)
        return ends
    return ends + (k.cta.get("rank").zext("i64") << RANK_SHIFT)


def same_cta(k: LoweringContext, to: LlvmValue, mbarrier: LlvmValue) -> None:
    """Faults unless both addresses in .shared::cluster lie in one CTA."""
    ranks = (to >> RANK_SHIFT, mbarrier >> RANK_SHIFT)
    k.fault_if(ranks[0].ne(ranks[1]), FaultKind.CLUSTER_PAIR, ranks[0] | (ranks[1] << 32))


def _valid(k: LoweringContext, pointer: LlvmValue) -> LlvmValue:
    good(k, k.e.call("mbarrier_valid", "i64", pointer, *who(k)).ne(0))
    return pointer


def group(k: LoweringContext) -> LlvmValue:
    """What stands for a bulk group where a copy completes."""
    return LlvmValue(k.e, "ptr", "null")


def checked_size(k: LoweringContext, operand: FlatOperand) -> LlvmValue:
    """The bytes of a copy, an i32."""
    nbytes = k.read(operand, U32)
    k.fault_if((nbytes & (UNIT - 1)).ne(0), FaultKind.BULK_SIZE, nbytes, UNIT)
    return nbytes


def shared_run(
    k: LoweringContext, place: FlatOperand, nbytes: LlvmValue, access: Span = Span.GLOBAL, *, cluster: bool = False
) -> LlvmValue:
    """The machine's address of what a copy reads or writes in shared memory, its own or its cluster's; else it is a fault."""
    assert isinstance(place, FlatAddress)
    return shared_span(k, place, nbytes.zext("i64"), UNIT, access, cluster=cluster)


def global_run(k: LoweringContext, place: FlatOperand, nbytes: LlvmValue, access: Span = Span.GLOBAL) -> LlvmValue:
    """The machine's address of what a copy reads or writes in global memory; else it is a fault."""
    assert isinstance(place, FlatAddress)
    return span(k, k.address(place), nbytes.zext("i64"), UNIT, access)


@lowers(
    f"cp.async.bulk{{.weak}}.shared.global.{BYTES}{{.multicast::cluster}}{{.L2::cache_hint}}",
    shared="shared::cta shared::cluster", raw=True, destinations=0,
)  # fmt: skip
def load(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    to, place, size, where = op.operands[:4]
    with k.when(k.guard()):
        nbytes = checked_size(k, size)
        source = global_run(k, place, nbytes)
        k.probe.run(k, source, "global", nbytes, write=False, partly=True, by_copy=True)
        if form.get("multicast::cluster"):
            with members(k, k.read(op.operands[4], U16)) as rank:
                address = beside(k, to, rank)
                target = cluster_place(k, address, nbytes.zext("i64"), UNIT)
                mbarrier = completion_beside(k, where, rank)
                brings(k, target, "shared::cluster", nbytes, mbarrier)
                note_rank(k, start_bulk(k, BulkKind.COPY, mbarrier, target, source, nbytes), address)
        else:
            copy_to_cluster(k, BulkKind.COPY, to, source, nbytes, where, cluster=form.shared == "shared::cluster")
        started(k)


@lowers(f"cp.async.bulk{{.weak}}.shared::cluster.shared::cta.{BYTES}", raw=True, destinations=0)
def send(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    to, place, size, where = op.operands
    with k.when(k.guard()):
        need_cluster(k)
        nbytes = checked_size(k, size)
        source = shared_run(k, place, nbytes)
        k.probe.run(k, source, "shared", nbytes, write=False, by_copy=True)
        copy_to_cluster(k, BulkKind.COPY, to, source, nbytes, where)
        started(k)


def copy_to_cluster(
    k: LoweringContext,
    kind: BulkKind,
    to: FlatOperand,
    source: LlvmValue,
    nbytes: LlvmValue,
    where: FlatOperand,
    *,
    cluster: bool = True,
) -> LlvmValue:
    """Starts a copy from the machine's address `source` to shared memory of one CTA, where its mbarrier is; its BulkCopy. Without
    `cluster` it is the CTA itself."""
    address = together(k, to, where)
    mbarrier = completion(k, where, cluster=cluster)
    target = shared_run(k, to, nbytes, Span.WRITE, cluster=cluster)
    brings(k, target, "shared::cluster", nbytes, mbarrier, strong=kind is BulkKind.REDUCE)
    entry = start_bulk(k, kind, mbarrier, target, source, nbytes)
    note_rank(k, entry, address)
    return entry


def brings(
    k: LoweringContext, to: LlvmValue, space: str, nbytes: LlvmValue, mbarrier: LlvmValue, *, strong: bool = False
) -> None:
    """Tells the sanitizer of what a copy writes: the lane in hand does, and whoever waits for the mbarrier knows of it."""
    k.probe.run(k, to, space, nbytes, write=True, strong=strong, by_copy=True)
    k.probe.uses_mbarrier(k, mbarrier)
    k.probe.order(k, mbarrier, releases=True, completes=True)


@lowers("cp.async.bulk{.weak}.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}", raw=True, destinations=0)
def store(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """With a mask only those bytes of each 16 are written whose bit is set."""
    with k.when(k.guard()):
        to, place, size, *rest = op.operands
        nbytes = checked_size(k, size)
        target = global_run(k, to, nbytes, Span.WRITE)
        source = shared_run(k, place, nbytes)
        k.probe.run(k, source, "shared", nbytes, write=False, by_copy=True)
        if form.cp_mask:
            mask = k.read(rest[-1], U16).zext("i32")
            _tell_of_bytes(k, target, nbytes, mask)
            entry = start_bulk(k, BulkKind.MASKED_COPY, group(k), target, source, nbytes)
            k.e.store(mask, k.e.offset(entry, BulkCopy.numbers.offset))
        else:
            k.probe.run(k, target, "global", nbytes, write=True, by_copy=True)
            start_bulk(k, BulkKind.COPY, group(k), target, source, nbytes)
        started(k)


def _tell_of_bytes(k: LoweringContext, target: LlvmValue, nbytes: LlvmValue, mask: LlvmValue) -> None:
    """Tells the sanitizer of each byte that is written: those beside it may be other threads'."""
    k.probe.moves(k, "global", nbytes)
    if k.probe.tools:
        with k.e.count(0, nbytes) as byte:
            with k.e.if_((mask >> (byte & UNIT - 1) & 1).ne(0)):
                k.probe.run(k, target + byte.zext("i64"), "global", k.e.const("i32", 1), write=True, by_copy=True)


WORD = 8


@lowers("st.bulk{.weak}{.shared::cta}", raw=True, destinations=0)
def fill(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Zeros in the CTA's own shared memory (manual 9.7.9.13); done at once."""
    place, size, _ = op.operands
    assert isinstance(place, FlatAddress)
    e = k.e
    with k.when(k.guard()):
        nbytes = k.read(size, U64)
        k.fault_if((nbytes & (WORD - 1)).ne(0), FaultKind.BULK_SIZE, nbytes, WORD)
        if form.get("shared::cta"):
            target = shared_span(k, place, nbytes, WORD, Span.WRITE)
        else:
            offset = k.address(place) - k.cta.get("shared")
            target = span(k, offset, nbytes, WORD, Span.SHARED | Span.WRITE)
        k.probe.run(k, target, "shared", nbytes.trunc("i32"), write=True)
        with e.count(0, nbytes >> 3) as word:
            e.store(e.const("i64", 0), e.element("i64", e.ptr(target), word))


@lowers("cp.async.bulk.prefetch.L2.global{.L2::cache_hint}", raw=True, destinations=0)
def prefetch(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Memory here has no caches of its own; and a prefetch of memory that is not there is not a fault."""
    place = op.operands[0]
    assert isinstance(place, FlatAddress)
    with k.when(k.guard()):
        address = k.address(place)
        k.fault_if((address & (UNIT - 1)).ne(0), FaultKind.MISALIGNED_ADDRESS, address, UNIT)


@lowers("cp.async.bulk.commit_group", raw=True, destinations=0)
def commit_group(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        k.lane_copies().add("bulk_groups", 1)


@lowers("cp.async.bulk.wait_group{.read}", raw=True, destinations=0)
def wait_group(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """The copies are done as a whole also where their sources alone are waited for."""
    with k.when(k.guard()):
        k.e.invoke("bulk_wait", k.copies.pointer, k.warp.pointer, k.lane, k.read(op.operands[0], U32))
