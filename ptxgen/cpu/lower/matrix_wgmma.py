"""wgmma (manual 9.7.15): products of a warpgroup, of which each warp computes its own quarter: rt/wgmma.py says when.

Fences and commits only need the whole warp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.flat import FlatOperand, Op
from ptxgen.cpu.lower.copies import address_of
from ptxgen.cpu.lower.matrix import checked_widths, note_products, products
from ptxgen.cpu.lower.mbarrier import good
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, find, lowers
from ptxgen.cpu.lower.windows import own_window
from ptxgen.cpu.record_layout import WgmmaCall
from ptxgen.cpu.rt.matrix.functions import function_name
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS
from ptxgen.cpu.rt.matrix.wgmma import Flag, Parameter
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.lower.sync import SyncBlock

assert len(Parameter) == WgmmaCall.PARAMETERS

SHAPES = " ".join(f"m64n{n}k{k}" for k in (8, 16, 32, 64, 256) for n in range(8, 257, 8))
FLOATS = {"shape": SHAPES, "dtype": "f16 f32", "atype": "f16 bf16 tf32 e4m3 e5m2", "btype": "f16 bf16 tf32 e4m3 e5m2"}
INTEGERS = {"shape": SHAPES, "atype": "s8 u8", "btype": "s8 u8"}


@lowers("wgmma.fence.sync{.aligned}", sync=True, destinations=0)
def fence(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        pass


@lowers("wgmma.commit_group.sync{.aligned}", sync=True, destinations=0)
def commit_group(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.whole_warp():
        s.e.invoke("wgmma_commit", s.k.wgmma.pointer)


@lowers("wgmma.wait_group.sync{.aligned}", sync=True, destinations=0)
def wait_group(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    e, k = s.e, s.k
    (left,) = op.operands
    assert isinstance(left, ir.Immediate)
    done = e.var("i32", 0)
    with e.if_(s.arrived.eq(0xFFFFFFFF)):
        given = (k.wgmma.pointer, k.warp.pointer, e.const("i32", left.value))
        done.set(e.call("wgmma_wait", "i1", *given).zext("i32"))
        good(k, k.launch.get("fault_kind").eq(0))
    complete = done.get().ne(0)
    s.keep(complete.select(e.const("i32", 0), s.arrived))
    with e.if_(complete):
        k.probe.wgmma(k, waits=True)
        s.release(s.arrived)


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
    without = "" if isinstance(a, tuple) else "a"
    flags = fixed_flags(choices, in_registers=isinstance(a, tuple))
    widths = checked_widths(op, registers, op.op, selector, without)
    name = function_name(op.op, selector, without)
    with s.whole_warp():
        e, k = s.e, s.k
        instruction = e.const("i32", op.index)
        entry = MemoryRecord(e, WgmmaCall, e.call("wgmma_start", "ptr", k.wgmma.pointer, k.warp.pointer, instruction))
        e.module.declare(name, "void", ARGUMENTS)
        table, scalars = s.matrix_registers(registers, widths)
        entry.set("function", address_of(k, LlvmValue(e, "ptr", f"@{name}")))
        entry.set("table", address_of(k, table))
        entry.set("owner", e.const("i64", owner(op)))
        entry.set("window", own_window(k))
        assert len(scalars) <= WgmmaCall.SCALARS
        for i, scalar in enumerate(scalars):
            entry.set("scalars", scalar, i)
        fill(s, entry.pointer_to("parameters"), descriptors, add, flags)
        note_operands(s, op, entry, flags)
        k.probe.wgmma(k, waits=False)
        note_products(k, products(op.op))
        with k.early():
            e.invoke("wgmma_run", k.wgmma.pointer, k.warp.pointer, k.wgmma.get("next"))
        good(k, k.launch.get("fault_kind").eq(0))


def note_operands(s: SyncBlock, op: Op, entry: MemoryRecord, flags: Flag) -> None:
    """Tells the sanitizer of what a product reads in shared memory: lines of 32 bytes, of A and of B, of which a sparse product
    has 64; indexes along K of a transposed matrix."""
    found = find(op.op)
    assert found is not None
    k, e, shape = s.k, s.e, str(found[1].shape)
    columns = int(shape.partition("n")[2].partition("k")[0])
    sizes = {Parameter.A: (64, 2), Parameter.B: (columns, 4 if found[1].get("sp") else 2)}
    for parameter, transposes in ((Parameter.A, Flag.TRANSPOSE_A), (Parameter.B, Flag.TRANSPOSE_B)):
        if parameter is Parameter.A and isinstance(op.operands[1], tuple):
            continue
        lines, chunks = sizes[parameter]
        if flags & transposes:
            lines, chunks = 8 * chunks, lines // 8
        turned = e.const("i1", int(bool(flags & transposes)))
        k.probe.matrix(k, k.wgmma.pointer, entry.get("parameters", int(parameter)), lines, chunks, turned)


def owner(op: Op) -> int:
    """The instruction's bit in WgmmaCall.owner."""
    bit = 1 << op.index % 64
    return bit - (bit >> 63 << 64)


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
