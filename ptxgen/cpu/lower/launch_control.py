"""Work that a running cluster takes from those that have not started (manual 9.7.13.17: clusterlaunchcontrol).

The cluster is taken when the request is issued; the response comes as a bulk copy does, see rt/bulk.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, Op
from ptxgen.cpu.lower.bulk import BYTES, brings, valid_mbarrier
from ptxgen.cpu.lower.copies import address_of, note_rank, start_bulk, started
from ptxgen.cpu.lower.mbarrier import good, mbarrier, who
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place
from ptxgen.cpu.record_layout import RANK_SHIFT, BulkCopy, BulkKind
from ptxgen.cpu.rt.launch_control import CANCELED, RESPONSE_BYTES
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatOperand
    from ptxgen.cpu.lower.context import LoweringContext

B32, B128 = TYPES["b32"], TYPES["b128"]


@lowers(
    f"clusterlaunchcontrol.try_cancel.async{{.space}}.{BYTES}{{.multicast}}.b128",
    space="shared::cta", multicast="multicast::cluster::all", raw=True, destinations=0,
)  # fmt: skip
def try_cancel(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, where = op.operands
    e = k.e
    with k.when(k.guard()):
        base = k.cta.get("shared")
        counts = address_of(k, mbarrier(k, form.space, where)) - base
        to = _own_place(k, form, place)
        response = e.var("[4 x i32]").pointer
        good(k, e.call("mbarrier_valid", "i64", e.ptr(base + counts), *who(k)).ne(0))
        e.invoke("cancel", k.launch.pointer, response)

        def answer(target: LlvmValue, completion: LlvmValue) -> LlvmValue:
            size = e.const("i32", RESPONSE_BYTES)
            brings(k, target, "shared::cluster", size, completion)
            entry = start_bulk(k, BulkKind.STORE, completion, target, e.const("i64", 0), size)
            for word in range(0, RESPONSE_BYTES, 4):
                e.store(e.load("i32", e.offset(response, word)), e.offset(entry, BulkCopy.numbers.offset + word))
            return entry

        if not form.multicast:
            answer(to, e.ptr(base + counts))
        else:
            with e.count(0, k.launch.get("cluster_ctas").zext("i64")) as rank:
                there = (to - base) | (rank << RANK_SHIFT)
                target = cluster_place(k, there, e.const("i64", RESPONSE_BYTES), RESPONSE_BYTES)
                note_rank(k, answer(target, valid_mbarrier(k, counts | (rank << RANK_SHIFT))), there)
        started(k)


def _own_place(k: LoweringContext, form: FormModifiers, place: FlatOperand) -> LlvmValue:
    """The machine's address, an i64, of where the response goes in the CTA's own shared memory."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{k.op.op} without an address", k.op.origin.source)
    found = address_of(k, k.pointer(place, "shared" if form.space else "", RESPONSE_BYTES, write=True))
    if not form.space:
        outside = (found - k.cta.get("shared")).uge(k.launch.get("shared_bytes").zext("i64"))
        k.fault_if(outside, FaultKind.ILLEGAL_ADDRESS, found, RESPONSE_BYTES)
    return found


@lowers("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", reads="b128", writes="pred")
def is_canceled(k: LoweringContext, form: FormModifiers, response: LlvmValue) -> LlvmValue:
    return (response >> 96).trunc("i32").eq(CANCELED)


@lowers(
    "clusterlaunchcontrol.query_cancel.dimension.b32.b128", dimension="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z",
    reads="b128", writes="b32",
)  # fmt: skip
def one_of_first_ctaid(k: LoweringContext, form: FormModifiers, response: LlvmValue) -> LlvmValue:
    return (response >> 32 * "xyz".index(form.dimension[-1])).trunc("i32")


@lowers("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128", raw=True)
def first_ctaid(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    targets, response = elements(op.operands[0]), op.operands[1]
    with k.when(k.guard()):
        word = k.read(response, B128)
        for axis, target in enumerate(targets):
            k.write(target, (word >> 32 * axis).trunc("i32"), B32)
