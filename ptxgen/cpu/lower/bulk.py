"""Copies in bulk and their groups (manual 9.7.9.25.4 and 9.7.9.25.6). rt/bulk.py says when they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.cluster import need_cluster, own_mask
from ptxgen.cpu.lower.copies import span, start_bulk, started
from ptxgen.cpu.lower.mbarrier import good, mbarrier, who
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.record_layout import BulkKind
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.lower.context import LoweringContext

U16, U32 = TYPES["u16"], TYPES["u32"]
BYTES = "mbarrier::complete_tx::bytes"
UNIT = 16
"""Bulk copies are of multiples of that many bytes, to and from multiples of it."""


def completion(k: LoweringContext, operand: FlatOperand) -> LlvmValue:
    """The pointer to the valid mbarrier on which a copy completes."""
    pointer = mbarrier(k, "shared", operand)
    good(k, k.e.call("mbarrier_valid", "i64", pointer, *who(k)).ne(0))
    return pointer


def group(k: LoweringContext) -> LlvmValue:
    """What stands for a bulk group where a copy completes."""
    return LlvmValue(k.e, "ptr", "null")


def checked_copy(
    k: LoweringContext,
    operands: tuple[FlatOperand, ...],
    spaces: tuple[Span, Span],
    where: LlvmValue,
    kind: BulkKind = BulkKind.COPY,
) -> LlvmValue:
    """Checks and starts the copy of operands (to, source, bytes), which completes `where`; its BulkCopy."""
    to, source, size = operands
    assert isinstance(to, FlatAddress)
    assert isinstance(source, FlatAddress)
    nbytes = k.read(size, U32)
    k.fault_if((nbytes & (UNIT - 1)).ne(0), FaultKind.BULK_SIZE, nbytes)
    wide = nbytes.zext("i64")
    target = span(k, k.address(to), wide, UNIT, spaces[0] | Span.WRITE)
    return start_bulk(k, kind, where, target, span(k, k.address(source), wide, UNIT, spaces[1]), nbytes)


@lowers(
    f"cp.async.bulk{{.weak}}.shared.global.{BYTES}{{.multicast::cluster}}{{.L2::cache_hint}}",
    f"cp.async.bulk{{.weak}}.shared.source.{BYTES}",
    shared="shared::cta shared::cluster", source="shared::cta", raw=True, destinations=0,
)  # fmt: skip
def load(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    *copy, where = op.operands[:4]
    with k.when(k.guard()):
        if form.get("multicast::cluster"):
            own_mask(k, k.read(op.operands[4], U16))
        if form.get("source"):
            need_cluster(k)
        spaces = (Span.SHARED, Span.SHARED if form.get("source") else Span.GLOBAL)
        checked_copy(k, tuple(copy), spaces, completion(k, where))
        started(k)


@lowers("cp.async.bulk{.weak}.global.shared::cta.bulk_group{.L2::cache_hint}", raw=True, destinations=0)
def store(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        checked_copy(k, op.operands[:3], (Span.GLOBAL, Span.SHARED), group(k))
        started(k)


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
