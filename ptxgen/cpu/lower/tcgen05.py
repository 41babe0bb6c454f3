"""Tensor memory: its allocation, loads, stores and waits (manual 9.7.16.7, 9.7.16.8 and 9.7.16.11).

Loads and stores are done when they are issued. What the tensor cores do by themselves is in tcgen05_mma.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.floating import extreme
from ptxgen.cpu.lower.matrix import call
from ptxgen.cpu.lower.mbarrier import good, who
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.matrix.tensor_memory import Parameter
from ptxgen.cpu.rt.numbers import absolute
from ptxgen.cpu.rt.tensor_memory import FULL, REFUSED
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

U32 = TYPES["u32"]
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
            pointer = k.access(place, "shared" if form.space else "", 4, write=True)
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
    _move(s, op.op, elements(registers), place, half)


@lowers("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32", slots=SHAPES, sync=True, destinations=0)
def store(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    place, *half, registers = op.operands
    _move(s, op.op, elements(registers), place, half)


@lowers("tcgen05.ld.red.sync.aligned.shape.num.do{.abs}{.NaN}.type", slots={**SHAPES, "do": "min max"}, type="u32 s32 f32",
        sync=True, destinations=2)  # fmt: skip
def load_reduced(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """Each lane reduces the columns that it has loaded."""
    registers, reduced, place, *half = op.operands
    found, type = elements(registers), form.type

    def reduce() -> None:
        k = s.k
        with s.lanes(s.arrived):
            values = [k.read(one, type) for one in found]
            if form.abs:
                values = [absolute(one) for one in values]
            result = values[0]
            for one in values[1:]:
                if type.is_float:
                    result = extreme(form.do, bool(form.NaN), result, one)
                else:
                    result = k.e.intrinsic(f"llvm.{type.kind}{form.do}", result, one)
            s.write(reduced, result, type)

    plain = f"tcgen05.ld.sync.aligned.{form.shape}.{form.num}.b32"
    _move(s, plain, found, place, half, then=reduce)


def _move(
    s: SyncBlock,
    name: str,
    registers: Sequence[FlatOperand],
    place: FlatOperand,
    half: list[FlatOperand],
    then: Callable[[], None] | None = None,
) -> None:
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

    def look() -> None:
        _refuse(k, parameters)
        if then:
            then()

    call(s, registers, given, then=look, name=name)


def tensor_address(k: LoweringContext, place: FlatOperand) -> LlvmValue:
    """The address in tensor memory of an operand `[t]`, an i32: a lane and below it, in 16 bits, a column."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{k.op.op} without an address", k.op.origin.source)
    return k.address(place).trunc("i32")


def _refuse(k: LoweringContext, parameters: LlvmValue) -> None:
    """A fault where the function has left one."""
    e = k.e
    kind = e.load("i64", e.offset(parameters, 8 * Parameter.FAULT))
    with k.unlikely(kind.ne(0)):
        warp, lane, instruction = who(k)
        number = e.load("i64", e.offset(parameters, 8 * Parameter.NUMBER))
        e.invoke("fault", warp, kind.trunc("i32"), instruction, lane, number, e.const("i32", 0))
        e.jump("faulted")


@lowers("tcgen05.wait::ld.sync.aligned", "tcgen05.wait::st.sync.aligned", sync=True, destinations=0)
def wait(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        pass


@lowers("tcgen05.fence::before_thread_sync", "tcgen05.fence::after_thread_sync", raw=True, destinations=0)
def fence(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What threads do between two of their synchronisations is done in the order in which they do it."""
