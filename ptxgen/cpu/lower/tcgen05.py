"""Tensor memory: its allocation, loads, stores, copies, waits and commits (manual 9.7.16.7 to 9.7.16.12).

All of it is done when it is issued, as wgmma is: the earliest moment at which hardware may have done so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.cluster import beside, members
from ptxgen.cpu.lower.copies import address_of
from ptxgen.cpu.lower.matrix import call
from ptxgen.cpu.lower.mbarrier import good, mbarrier, who
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place
from ptxgen.cpu.record_layout import RANK_SHIFT
from ptxgen.cpu.rt.matrix import tensor_copies
from ptxgen.cpu.rt.matrix.functions import function_name
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS
from ptxgen.cpu.rt.matrix.tensor_memory import Parameter
from ptxgen.cpu.rt.tensor_memory import FULL, REFUSED
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

B64, U16, U32 = TYPES["b64"], TYPES["u16"], TYPES["u32"]
GROUPS = "cta_group::1 cta_group::2"
SHAPES = {"shape": "16x64b 16x128b 16x256b 32x32b 16x32bx2", "num": "x1 x2 x4 x8 x16 x32 x64 x128"}


@lowers("tcgen05.alloc.group.sync.aligned{.space}.b32", group=GROUPS, space="shared::cta", sync=True, destinations=0)
def alloc(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """A warp waits where the columns are not free. Both CTAs of a pair allocate, each for itself, in the same order."""
    e, k = s.e, s.k
    place, columns = op.operands
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{op.op} without an address", op.origin.source)
    found = e.var("i32", FULL)
    with e.if_(s.arrived.eq(0xFFFFFFFF)):
        with s.lanes(e.const("i32", 1)):
            pointer = k.pointer(place, "shared" if form.space else "", 4, write=True)
            warp, lane, instruction = who(k)
            first = e.call("tensor_alloc", "i32", warp, k.read(columns, U32), lane, instruction)
            good(k, first.ne(REFUSED))
            found.set(first)
            with e.if_(first.ne(FULL)):
                e.store(first, pointer)
    done = found.get().ne(FULL)
    s.keep(done.select(e.const("i32", 0), s.arrived))
    with e.if_(done):
        s.release(s.arrived)


@lowers("tcgen05.dealloc.group.sync.aligned.b32", group=GROUPS, sync=True, destinations=0)
def dealloc(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    k = s.k
    address, columns = op.operands
    with s.whole_warp():
        with s.lanes(s.e.const("i32", 1)):
            warp, lane, instruction = who(k)
            numbers = (k.read(address, U32), k.read(columns, U32))
            good(k, s.e.call("tensor_free", "i1", warp, *numbers, lane, instruction))


@lowers("tcgen05.relinquish_alloc_permit.group.sync.aligned", group=GROUPS, sync=True, destinations=0)
def relinquish(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        s.k.cta.set("tensor_closed", 1)


@lowers("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32", slots=SHAPES, sync=True)
def load(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    registers, place, *half = op.operands
    _move(s, registers, place, half)


@lowers("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32", slots=SHAPES, sync=True, destinations=0)
def store(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    place, *half, registers = op.operands
    _move(s, registers, place, half)


def _move(s: SyncBlock, registers: FlatOperand, place: FlatOperand, half: list[FlatOperand]) -> None:
    e, k = s.e, s.k
    parameters = e.var(f"[{len(Parameter)} x i64]").pointer

    def given() -> LlvmValue:
        with s.lanes(e.const("i32", 1)):
            values = {
                Parameter.ADDRESS: tensor_address(k, place).zext("i64"),
                Parameter.HALF: k.read(half[0], U32).zext("i64") if half else e.const("i64", 0),
                Parameter.FAULT: e.const("i64", 0),
            }
            for parameter, value in values.items():
                e.store(value, e.offset(parameters, 8 * parameter))
        return parameters

    call(s, elements(registers), given, then=lambda: refuse(k, parameters, Parameter.FAULT))


def tensor_address(k: LoweringContext, place: FlatOperand) -> LlvmValue:
    """The address in tensor memory of an operand `[t]`, an i32: a lane and below it, in 16 bits, a column."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{k.op.op} without an address", k.op.origin.source)
    return k.address(place).trunc("i32")


def refuse(k: LoweringContext, parameters: LlvmValue, first: int) -> None:
    """A fault where a function has left one in its parameters: a FaultKind, then its number."""
    e = k.e
    kind = e.load("i64", e.offset(parameters, 8 * first))
    with k.unlikely(kind.ne(0)):
        warp, lane, instruction = who(k)
        number = e.load("i64", e.offset(parameters, 8 * first + 8))
        e.invoke("fault", warp, kind.trunc("i32"), instruction, lane, number, e.const("i32", 0))
        e.jump("faulted")


def run(k: LoweringContext, name: str, parameters: LlvmValue) -> None:
    """Calls a function that has no operands in registers."""
    null = k.e.undef("ptr")
    given = (k.warp.pointer, null, null, parameters)
    assert tuple(v.type for v in given) == ARGUMENTS
    k.e.invoke(function_name(name), *given)


@lowers("tcgen05.wait::ld.sync.aligned", "tcgen05.wait::st.sync.aligned", sync=True, destinations=0)
def wait(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        pass


@lowers("tcgen05.fence::before_thread_sync", "tcgen05.fence::after_thread_sync", raw=True, destinations=0)
def fence(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """All is done in the order in which it is issued."""


@lowers("tcgen05.cp.group.128x256b{.format}", "tcgen05.cp.group.128x128b{.format}", "tcgen05.cp.group.64x128b.warps{.format}",
        "tcgen05.cp.group.32x128b.warpx4{.format}", group=GROUPS, warps="warpx2::02_13 warpx2::01_23",
        format="b8x16.b6x16_p32 b8x16.b4x16_p64", raw=True, destinations=0)  # fmt: skip
def copy(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    e = k.e
    place, descriptor = op.operands
    parameters = e.var(f"[{len(tensor_copies.Parameter)} x i64]").pointer
    with k.when(k.guard()):
        values = {
            tensor_copies.Parameter.ADDRESS: tensor_address(k, place).zext("i64"),
            tensor_copies.Parameter.DESCRIPTOR: k.read(descriptor, B64),
            tensor_copies.Parameter.FAULT: e.const("i64", 0),
        }
        for parameter, value in values.items():
            e.store(value, e.offset(parameters, 8 * parameter))
        run(k, op.op, parameters)
        refuse(k, parameters, tensor_copies.Parameter.FAULT)


@lowers("tcgen05.commit.group.mbarrier::arrive::one{.space}{.multicast::cluster}.b64", group=GROUPS, space="shared::cluster",
        raw=True, destinations=0)  # fmt: skip
def commit(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """An arrival at once, since all before it is done."""
    e = k.e
    place, *mask = op.operands
    one, zero = e.const("i32", 1), e.const("i32", 0)

    def arrive(pointer: LlvmValue) -> None:
        good(k, e.call("mbarrier_arrive", "i64", pointer, one, zero, zero, *who(k)).ne(0))

    with k.when(k.guard()):
        if not mask:
            arrive(mbarrier(k, form.space, place, remote=True))
            return
        chosen = k.read(mask[0], U16)
        own = mbarrier(k, form.space, place, remote=True)
        with members(k, chosen) as rank:
            if form.space:
                address = beside(k, place, rank)
            else:  # a generic address of the CTA's own shared memory
                address = (address_of(k, own) - k.cta.get("shared")) | (rank << RANK_SHIFT)
            arrive(e.ptr(cluster_place(k, address, e.const("i64", 8), 8)))
