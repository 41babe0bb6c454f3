"""mbarriers (manual 9.7.13.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.mbarrier import Arrival, Test, parity_of, pending_of
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

B64, U32, PRED = TYPES["b64"], TYPES["u32"], TYPES["pred"]
SPACES = "shared shared::cta shared::cluster"
SCOPES = "cta cluster"


def mbarrier(k: LoweringContext, space: str | None, operand: FlatOperand, *, remote: bool = False) -> LlvmValue:
    """The pointer to the object of an operand `[a]`: 8 aligned bytes of the CTA's shared memory, or with `remote` of that of its
    cluster; else it is a fault."""
    if not isinstance(operand, FlatAddress):
        raise unsupported(f"{k.op.op} without the address of an mbarrier", k.op.origin.source)
    named = space if space and remote else "shared" if space else ""
    pointer = k.pointer(operand, named, 8, write=True)
    if not space:
        address = k.e.op("i64", f"ptrtoint ptr {pointer.text} to i64")
        size = k.uniform("shared.bytes", lambda: k.launch.get("shared_bytes").zext("i64"))
        base = k.uniform("shared.address", lambda: k.cta.get("shared"))
        with k.unlikely((address - base).uge(size)) as go_on:
            if remote:
                elsewhere = k.e.call("cluster_address", "i64", address, k.warp.pointer)
                outside = k.e.fresh("outside")
                k.e.branch(elsewhere.eq(-1), outside, go_on)
                k.e.label(outside)
            k.fault(FaultKind.MBARRIER_INVALID, address)
    return pointer


def who(k: LoweringContext) -> tuple[LlvmValue, LlvmValue, LlvmValue]:
    """What the run-time library's functions take to note a fault: warp, lane and instruction."""
    return k.warp.pointer, k.lane, k.e.const("i32", k.op.index)


def good(k: LoweringContext, condition: LlvmValue) -> None:
    """Goes on where the condition holds; else the run-time library has noted a fault."""
    following = k.e.fresh("good")
    k.e.branch(condition, following, "faulted")
    k.e.label(following)


@lowers("mbarrier.init{.space}.b64", space=SPACES, raw=True, destinations=0)
def init(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, count = op.operands
    with k.when(k.guard()):
        pointer = mbarrier(k, form.space, place)
        good(k, k.e.call("mbarrier_init", "i1", pointer, k.read(count, U32), *who(k)))
        k.probe.mbarrier(k, pointer, begins=True)


@lowers("mbarrier.inval{.space}.b64", space=SPACES, raw=True, destinations=0)
def inval(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        pointer = mbarrier(k, form.space, op.operands[0])
        good(k, k.e.call("mbarrier_valid", "i64", pointer, *who(k)).ne(0))
        k.e.store(k.e.const("i64", 0), pointer)
        k.probe.mbarrier(k, pointer, begins=False)


@lowers("mbarrier.what{.relaxed}{.scope}{.space}.b64", what="expect_tx complete_tx", scope=SCOPES, space=SPACES, raw=True,
        destinations=0)  # fmt: skip
def transact(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, tx = op.operands
    with k.when(k.guard()):
        pointer, amount = mbarrier(k, form.space, place, remote=True), k.read(tx, U32).zext("i64")
        if form.what == "complete_tx":
            amount = -amount
        k.probe.uses_mbarrier(k, pointer)
        good(k, k.e.call("mbarrier_transact", "i1", pointer, amount, *who(k)))


def _scope(form: FormModifiers) -> str:
    """Manual 9.7.13.15.13: "it defaults to .cta"."""
    return form.get("scope") or "cta"


_ARRIVALS = "{.sem}{.scope}{.space}.b64"


@lowers(
    f"mbarrier.arrive{{.expect_tx}}{_ARRIVALS}", f"mbarrier.arrive.noComplete{_ARRIVALS}",
    f"mbarrier.arrive_drop{{.expect_tx}}{_ARRIVALS}", f"mbarrier.arrive_drop.noComplete{_ARRIVALS}",
    sem="release relaxed", scope=SCOPES, space=SPACES, raw=True,
)  # fmt: skip
def arrive(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """The state goes to the first operand, which may be `_`. Of the third, a count or bytes, `.expect_tx` says which."""
    e = k.e
    state, place, *rest = op.operands
    how = Arrival.DROP if op.op.startswith("mbarrier.arrive_drop") else Arrival(0)
    if form.get("noComplete"):
        how |= Arrival.NO_COMPLETE
    with k.when(k.guard()):
        pointer = mbarrier(k, form.space, place, remote=True)
        number = k.read(rest[0], U32) if rest else e.const("i32", 1)
        counts = (e.const("i32", 1), number) if form.get("expect_tx") else (number, e.const("i32", 0))
        k.fault_if(counts[0].eq(0), FaultKind.MBARRIER_COUNT)
        before = e.call("mbarrier_arrive", "i64", pointer, *counts, e.const("i32", int(how)), *who(k))
        good(k, before.ne(0))
        k.probe.uses_mbarrier(k, pointer)
        releases = k.probe.releases(form.get("sem"))
        k.probe.order(k, pointer, releases=releases, scope=_scope(form), parity=parity_of(before))
        if not isinstance(state, ir.Sink):
            k.write(state, before, B64)


@lowers("mbarrier.pending_count.b64", reads="b64", writes="u32")
def pending_count(k: LoweringContext, form: FormModifiers, state: LlvmValue) -> LlvmValue:
    return pending_of(state)


@lowers(
    "mbarrier.wait{.parity}{.sem}{.scope}{.space}.b64",
    wait="test_wait try_wait", sem="acquire relaxed", scope=SCOPES, space=SPACES, sync=True,
)  # fmt: skip
def wait(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """A thread whose phase is not complete is told so the first time, as it may be (manual 9.7.13.15.16), and nothing that is
    under way is done: whoever does not wait in a loop goes on without its data. The next time it waits until the phase is
    complete, or until nothing else can run.
    """
    e, k = s.e, s.k
    p, place, phase = op.operands[:3]
    denied, expired = k.copies.get("denied"), k.launch.get("expired").ne(0)
    shared = k.uniform("shared.address", lambda: k.cta.get("shared"))
    with s.lanes(s.arrived, 2) as sums:
        pointer = mbarrier(k, form.space, place)
        parity = k.read(phase, U32) & 1 if form.get("parity") else parity_of(k.read(phase, B64))
        again = (denied & k.bit).ne(0)
        k.probe.uses_mbarrier(k, pointer, looks=True)
        found = e.call("mbarrier_test", "i32", pointer, parity, again.zext("i32"), k.copies.pointer, *who(k))
        good(k, found.ne(int(Test.FAULT)))
        complete = found.eq(int(Test.COMPLETE))
        leaves = complete | ~again | expired
        offset = e.op("i64", f"ptrtoint ptr {pointer.text} to i64") - shared
        k.copies.set("awaited", offset.trunc("i32"), k.lane)
        with e.if_(complete):
            k.probe.order(k, pointer, acquires=True, scope=_scope(form), parity=parity)
        with e.if_(leaves):
            s.write(p, complete, PRED)
        sums[0] = sums[0] | complete.select(k.bit, 0)
        sums[1] = sums[1] | leaves.select(k.bit, 0)
    done, leaving = sums
    k.copies.set("denied", (denied | leaving) & ~done)
    staying = s.arrived & ~leaving
    with e.if_(staying.ne(0)):
        k.launch.set("parked", 1)
    s.keep(staying)
    s.release(leaving)
