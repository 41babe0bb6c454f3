"""wgmma (manual 9.7.15): products of a warpgroup, of which each warp computes its own quarter when it issues the instruction.

That is the earliest moment at which hardware may have done so, and a right program cannot tell. Fences, commits and waits
only need the whole warp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatOperand, Op
from ptxgen.cpu.lower.matrix import call
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import own_window
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.rt.matrix.wgmma import CHUNK, Flag, Parameter
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.sync import SyncBlock

SHAPES = " ".join(f"m64n{n}k{k}" for k in (8, 16, 32, 64, 256) for n in range(8, 257, 8))
FLOATS = {"shape": SHAPES, "dtype": "f16 f32", "atype": "f16 bf16 tf32 e4m3 e5m2", "btype": "f16 bf16 tf32 e4m3 e5m2"}
INTEGERS = {"shape": SHAPES, "atype": "s8 u8", "btype": "s8 u8"}


@lowers(
    "wgmma.fence.sync{.aligned}",
    "wgmma.commit_group.sync{.aligned}",
    "wgmma.wait_group.sync{.aligned}",
    sync=True,
    destinations=0,
)
def waits(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        pass


@lowers("wgmma.mma_async{.sp}.sync{.aligned}.shape.dtype.atype.btype", slots=FLOATS, sync=True, updates=True)
@lowers(
    "wgmma.mma_async{.sp}.sync{.aligned}.shape{.satfinite}.s32.atype.btype", slots=INTEGERS, sync=True, updates=True
)
@lowers("wgmma.mma_async.sync{.aligned}.shape.s32.b1.b1.and.popc", slots=INTEGERS, sync=True, updates=True)
def mma_async(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    d, a, b, *rest = op.operands
    registers, selector = [*elements(d)], 0
    if isinstance(a, tuple):
        registers += a
    if form.get("sp"):
        metadata, chosen, *rest = rest
        assert isinstance(chosen, ir.Immediate)
        registers.append(metadata)
        selector = chosen.value
    add, *choices = rest
    descriptors: dict[Parameter, FlatOperand] = {Parameter.B: b}
    if not isinstance(a, tuple):
        descriptors[Parameter.A] = a
    parameters = s.e.var(f"[{len(Parameter)} x i64]").pointer

    def given() -> LlvmValue:
        fill(s, parameters, descriptors, add, fixed_flags(choices, in_registers=isinstance(a, tuple)))
        return parameters

    without = "" if isinstance(a, tuple) else "a"
    call(s, registers, given, selector=selector, without=without, then=lambda: refuse_outside(s, parameters))


def fixed_flags(choices: list[FlatOperand], *, in_registers: bool) -> Flag:
    """What the immediates say: two signs, then which matrices in shared memory are transposed."""
    order = [Flag.NEGATE_A, Flag.NEGATE_B, *([] if in_registers else [Flag.TRANSPOSE_A]), Flag.TRANSPOSE_B]
    found = Flag(0)
    for flag, choice in zip(order, choices):
        assert isinstance(choice, ir.Immediate)
        negates = flag in (Flag.NEGATE_A, Flag.NEGATE_B)
        if choice.value != (1 if negates else 0):
            found |= flag
    return found


def fill(
    s: SyncBlock, parameters: LlvmValue, descriptors: dict[Parameter, FlatOperand], add: FlatOperand, fixed: Flag
) -> None:
    """The function's parameters; descriptors and scale-d are lane 0's, since all lanes have the same."""
    e, k = s.e, s.k
    with s.lanes(e.const("i32", 1)):
        values = {parameter: k.read(operand, TYPES["b64"]) for parameter, operand in descriptors.items()}
        flags = k.read(add, TYPES["pred"]).zext("i64") | int(fixed)
        values |= {
            Parameter.SHARED: k.cta.get("shared"),
            Parameter.SHARED_BYTES: k.launch.get("shared_bytes").zext("i64"),
            Parameter.WARP: (k.warp.get("index") & 3).zext("i64"),
            Parameter.FLAGS: flags,
        }
        for parameter, value in values.items():
            e.store(value, e.offset(parameters, 8 * parameter))


def refuse_outside(s: SyncBlock, parameters: LlvmValue) -> None:
    """A fault where a descriptor has led outside of shared memory."""
    k = s.k
    bad = s.e.load("i64", s.e.offset(parameters, 8 * Parameter.BAD))
    with k.unlikely(bad.sge(0)):
        k.launch.set("fault_window", int(Window.SHARED))
        k.fault(FaultKind.ILLEGAL_ADDRESS, bad + own_window(k), CHUNK)
