"""wmma (manual 9.7.14.4): products on fragments, which loads and stores bring from and to matrices in memory.

The manual leaves open which lane holds what. Here it is as on sm_90, so that programs that look see what they see there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.matrix import call, flat
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import own_offset
from ptxgen.cpu.rt.matrix.wmma import Lines
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.layouts import layout
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.sync import SyncBlock

SLOTS = {
    "operand": "a b c",
    "order": "row col",
    "left": "row col",
    "right": "row col",
    "shape": "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128",
    "space": "global shared shared::cta",
    "type": "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32",
    "dtype": "f16 f32",
    "ctype": "f16 f32",
    "atype": "bf16 tf32",
    "btype": "bf16 tf32",
    "itype": "s8 u8 s4 u4",
    "jtype": "s8 u8 s4 u4",
    "rnd": "rn rz rm rp",
    "do": "and xor",
}


@lowers(
    "wmma.mma.sync.aligned.left.right.shape.dtype.ctype",
    "wmma.mma.sync.aligned.left.right.shape.f32.atype.btype.f32",
    "wmma.mma.sync.aligned.left.right.shape{.rnd}.f64.f64.f64.f64",
    "wmma.mma.sync.aligned.left.right.shape.s32.itype.jtype.s32{.satfinite}",
    "wmma.mma.do.popc.sync.aligned.row.col.shape.s32.b1.b1.s32",
    slots=SLOTS,
    sync=True,
)
def wmma_mma(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    call(s, flat(op.operands))


@lowers("wmma.load.operand.sync.aligned.order.shape{.space}.type", slots=SLOTS, sync=True)
def wmma_load(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    registers, place, *stride = op.operands
    call(s, elements(registers), lambda: line_pointers(s, form, place, stride, write=False))


@lowers("wmma.store.d.sync.aligned.order.shape{.space}.type", slots=SLOTS, sync=True, destinations=0)
def wmma_store(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    place, registers, *stride = op.operands
    call(s, elements(registers), lambda: line_pointers(s, form, place, stride, write=True))


def line_pointers(
    s: SyncBlock, form: FormModifiers, place: FlatOperand, stride: list[FlatOperand], *, write: bool
) -> LlvmValue:
    """The pointers to the matrix's rows, or to its columns where these lie together in memory.

    The address and the stride are lane 0's: all lanes have the same, or behaviour is undefined. A line must be aligned to its
    length, to 16 bytes at most.
    """
    e, k = s.e, s.k
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{form.op} without an address", s.op.origin.source)
    (of,) = layout(form.op)
    lines = Lines(of, by_row=form.order == "row")
    pointers = e.var("[32 x ptr]").pointer
    space = (form.space or (place.space if place.base is None else "")).partition("::")[0]
    with s.lanes(e.const("i32", 1)):
        address = own_offset(k, place) if space == "shared" else k.address(place)
        step = k.read(stride[0], TYPES["u32"]).zext("i64") if stride else e.const("i64", lines.length)
        with e.count(0, e.const("i64", lines.count)) as line:
            start = address + (line * step * of.bits >> 3)
            for offset in reversed(range(0, lines.bytes, lines.piece)):
                pointer = k.checked(start + offset, space, lines.piece, write=write)
                k.probe.access(k, pointer, space, lines.piece, write=write, line=line.trunc("i32"))
            e.store(pointer, e.element("ptr", pointers, line))
    return pointers
