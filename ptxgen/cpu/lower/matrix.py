"""Matrix instructions of a warp (manual 9.7.14.5): each is a call of its function in rt/matrix/functions.py.

All 32 lanes of the warp must be there; one that is not, or has exited, is waited for without end, which is reported.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op, Reg
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.matrix import moves
from ptxgen.cpu.rt.matrix.functions import function_name
from ptxgen.cpu.rt.matrix.moves import ROW
from ptxgen.cpu.rt.matrix.scaled import Selector
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.layouts import LayoutError, layout
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.sync import SyncBlock

SHARED = "shared shared::cta"
PACKED = " ".join(moves.PACKED)
COST = 4
"""Instructions of a lane that take as long as one product, about."""
SHAPES = "m8n8k4 m16n8k4 m16n8k8 m8n8k16 m16n8k16 m8n8k32 m16n8k32 m16n8k64 m8n8k128 m16n8k128 m16n8k256"
SLOTS = {"shape": SHAPES, "sp": "sp sp::ordered_metadata", "left": "row col", "right": "row col", "rnd": "rn rz rm rp"}
INTEGERS = {**SLOTS, "atype": "s8 u8 s4 u4", "btype": "s8 u8 s4 u4", "do": "and xor"}
SMALL = "f16 bf16 tf32 e4m3 e5m2"
BYTES = "e4m3 e5m2 e3m2 e2m3 e2m1"
KINDS = {
    **SLOTS, "atype": BYTES, "btype": BYTES, "ctype": "f16 f32", "dtype": "f16 f32", "stype": "ue8m0 ue4m3",
    "kind": "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", "vector": "scale_vec::1X scale_vec::2X scale_vec::4X",
}  # fmt: skip
FLOATS = {**SLOTS, "atype": SMALL, "btype": SMALL, "ctype": "f16 f32", "dtype": "f16 f32"}


@lowers("mma.sync.aligned.m8n8k4.left.right.dtype.f16.f16.ctype", sync=True, slots=FLOATS)
@lowers("mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype", sync=True, slots=FLOATS)
@lowers("mma.sync.aligned.shape.row.col.kind::f8f6f4.dtype.atype.btype.ctype", sync=True, slots=KINDS)
@lowers("mma.sync.aligned.shape.row.col{.rnd}.f64.f64.f64.f64", sync=True, slots=SLOTS)
@lowers("mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32", sync=True, slots=INTEGERS)
@lowers("mma.sync.aligned.shape.row.col.s32.b1.b1.s32.do.popc", sync=True, slots=INTEGERS)
def mma(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    call(s, flat(op.operands))


@lowers("mma.sp.sync.aligned.shape.row.col.dtype.atype.btype.ctype", sync=True, slots=FLOATS)
@lowers("mma.sp.sync.aligned.shape.row.col.kind::f8f6f4.dtype.atype.btype.ctype", sync=True, slots=KINDS)
@lowers("mma.sp.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32", sync=True, slots=INTEGERS)
def mma_sparse(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    *operands, selector = op.operands
    assert isinstance(selector, ir.Immediate)
    call(s, flat(operands), selector=selector.value)


SCALED = "sync.aligned.shape.row.col.kind.block_scale{.vector}.f32.atype.btype.f32.stype"


@lowers(f"mma.{SCALED}", f"mma.sp.{SCALED}", sync=True, slots=KINDS)
def mma_scaled(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """The factors of A and of B, each with two numbers that say where in its register they are."""
    *operands, scale_a, of_a, scale_b, of_b = op.operands
    selector = operands.pop() if form.get("sp") else ir.Immediate(0)
    assert isinstance(selector, ir.Immediate)
    places = flat([of_a, of_b])

    def selectors() -> LlvmValue:
        k = s.k
        words = k.e.var(f"[{len(places)} x i32]").pointer
        each = layout(op.op).scale_a.shape[1]  # bytes that hold factors; they begin at a multiple of their number
        with s.lanes(k.e.const("i32", 1)):
            for number, place in enumerate(places):
                found = k.read(place, TYPES["u16"]).zext("i32")
                wrong = found.ugt({Selector.THREAD_A: 1}.get(Selector(number), 3))
                if number in (Selector.BYTE_A, Selector.BYTE_B):
                    wrong = wrong | (found & (each - 1)).ne(0)
                k.fault_if(wrong, FaultKind.SCALE_SELECTOR, found.zext("i64"))
                k.e.store(found, k.e.offset(words, 4 * number))
        return words

    call(s, flat([*operands, scale_a, scale_b]), selectors, selector=selector.value)


@lowers("movmatrix.sync.aligned.m8n8.trans.b16", sync=True)
def movmatrix(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    call(s, op.operands)


@lowers("ldmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16", num="x1 x2 x4", space=SHARED, sync=True)
@lowers("ldmatrix.sync.aligned.m16n16.num.trans{.space}.b8", num="x1 x2", space=SHARED, sync=True)
@lowers(
    "ldmatrix.sync.aligned.m16n16.num.trans{.space}.b8x16.packed", num="x1 x2", space=SHARED, packed=PACKED, sync=True
)
@lowers("ldmatrix.sync.aligned.m8n16.num{.space}.b8x16.packed", num="x1 x2 x4", space=SHARED, packed=PACKED, sync=True)
def ldmatrix(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    registers, place = op.operands
    rows = layout(op.op).d.shape[0]
    call(s, elements(registers), lambda: row_pointers(s, form, place, rows, write=False))


@lowers("stmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16", num="x1 x2 x4", space=SHARED, sync=True, destinations=0)
@lowers("stmatrix.sync.aligned.m16n8.num.trans{.space}.b8", num="x1 x2 x4", space=SHARED, sync=True, destinations=0)
def stmatrix(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    place, registers = op.operands
    rows = layout(op.op).r.shape[0]
    call(s, elements(registers), lambda: row_pointers(s, form, place, rows, write=True))


def call(
    s: SyncBlock,
    registers: Sequence[FlatOperand],
    rows: Callable[[], LlvmValue] | None = None,
    *,
    selector: int = 0,
    without: str = "",
    then: Callable[[], None] | None = None,
    name: str = "",
) -> None:
    """Calls the instruction's function when the warp is whole: `rows` makes the pointers to its rows, `then` looks at what it has
    left there. `without`: operands that are not in registers. `name`: another instruction, whose function it is.
    """
    name = name or s.op.op
    widths = checked_widths(s.op, registers, name, selector, without)
    with s.whole_warp():
        s.call_matrix(function_name(name, selector, without), registers, widths, rows() if rows else None)
        note_products(s.k, products(name))
        if then:
            then()


def checked_widths(
    op: Op, registers: Sequence[FlatOperand], name: str, selector: int = 0, without: str = ""
) -> tuple[int, ...]:
    """The bits of each register; raises UnsupportedError where they are not those of the instruction `name`."""
    try:
        widths = register_widths(name, selector, without)
    except LayoutError:
        raise unsupported(f"{op.op} with sparsity selector {selector}", op.origin.source) from None
    found = [
        one.type.bits if isinstance(one, Reg) else None for one in registers
    ]  # what is not a register has any width
    if len(found) != len(widths) or any(bits not in (None, width) for bits, width in zip(found, widths)):
        raise unsupported(f"{op.op} with registers of other numbers or widths", op.origin.source)
    return widths


@lru_cache(maxsize=256)
def register_widths(op: str, selector: int, without: str) -> tuple[int, ...]:
    """The bits of each register of the instruction's fragments."""
    found = (one for one in layout(op, selector=selector) if one.operand not in without)
    return tuple(one.register_bits for one in found for _ in range(one.registers))


@lru_cache(maxsize=256)
def products(op: str) -> int:
    """How many products of elements a warp adds up in an instruction."""
    of = layout(op)
    if "d" not in of or "a" not in of or op.startswith("movmatrix"):
        return 0
    rows, columns = of.d.shape
    return int(rows * columns * of.a.shape[1] * 32 // of.d.lanes)


def note_products(k: LoweringContext, products: int) -> None:
    """Brings the launch's next look at signals and time limits nearer: it is due after so many instructions, and one with many
    products takes longer than others.
    """
    if products:
        due = k.launch.get("tick_at")
        k.launch.set("tick_at", k.e.intrinsic("llvm.usub.sat", due, k.e.const("i64", COST * products)))


def flat(operands: Sequence[FlatOperand]) -> list[FlatOperand]:
    """The registers of several vectors."""
    return [register for operand in operands for register in elements(operand)]


def row_pointers(s: SyncBlock, form: FormModifiers, place: FlatOperand, count: int, *, write: bool) -> LlvmValue:
    """The pointers to the rows of 16 bytes whose addresses the first `count` lanes have; those of other lanes do not count."""
    e, k = s.e, s.k
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{form.op} without an address", s.op.origin.source)
    rows = e.var("[32 x ptr]").pointer
    shared = form.space or place.base is None or place.base.type.bits == 32  # an offset in shared memory is taken too
    with s.lanes(e.const("i32", (1 << count) - 1)):
        pointer = k.pointer(place, "shared", ROW, write=write) if shared else generic_row(k, place)
        k.probe.access(k, pointer, "shared", ROW, write=write)
        e.store(pointer, e.element("ptr", rows, k.lane64))
    return rows


def generic_row(k: LoweringContext, place: FlatAddress) -> LlvmValue:
    """The pointer to a row at a generic address, which must lead to shared memory."""
    address = k.address(place)
    offset, limit = address - k.cta.get("shared"), k.launch.get("shared_bytes").zext("i64")
    k.fault_if((offset & (ROW - 1)).ne(0), FaultKind.MISALIGNED_ADDRESS, address, ROW)
    k.fault_if(offset.uge(limit & -ROW), FaultKind.ILLEGAL_ADDRESS, address, ROW)
    return k.e.ptr(address)
