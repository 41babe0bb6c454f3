"""Matrix instructions of a warp (manual 9.7.14.5): each is a call of its function in rt/matrix.py.

All 32 lanes of the warp must be there; one that is not, or has exited, is waited for without end, which is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatOperand, Op, Place
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import Form, lowers
from ptxgen.cpu.rt.matrix import function_name
from ptxgen.cpu.rt.matrix_moves import ROW
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.layouts import layout

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Value
    from ptxgen.cpu.lower.context import Context
    from ptxgen.cpu.lower.sync import SyncBlock

SHARED = "shared shared::cta"


@lowers("movmatrix.sync.aligned.m8n8.trans.b16", sync=True)
def movmatrix(s: SyncBlock, form: Form, op: Op) -> None:
    with s.whole_warp():
        s.call_matrix(function_name(op.op), op.operands)


@lowers("ldmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16", num="x1 x2 x4", space=SHARED, sync=True)
@lowers("ldmatrix.sync.aligned.m16n16.num.trans{.space}.b8", num="x1 x2", space=SHARED, sync=True)
def ldmatrix(s: SyncBlock, form: Form, op: Op) -> None:
    registers, place = op.operands
    with s.whole_warp():
        rows = row_pointers(s, form, place, layout(op.op).d.shape[0], write=False)
        s.call_matrix(function_name(op.op), elements(registers), rows)


@lowers("stmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16", num="x1 x2 x4", space=SHARED, sync=True, destinations=0)
@lowers("stmatrix.sync.aligned.m16n8.num.trans{.space}.b8", num="x1 x2 x4", space=SHARED, sync=True, destinations=0)
def stmatrix(s: SyncBlock, form: Form, op: Op) -> None:
    place, registers = op.operands
    with s.whole_warp():
        rows = row_pointers(s, form, place, layout(op.op).r.shape[0], write=True)
        s.call_matrix(function_name(op.op), elements(registers), rows)


def row_pointers(s: SyncBlock, form: Form, place: FlatOperand, count: int, *, write: bool) -> Value:
    """The pointers to the rows of 16 bytes whose addresses the first `count` lanes have; those of other lanes do not count."""
    e, k = s.e, s.k
    if not isinstance(place, Place):
        raise unsupported(f"{form.op} without an address", s.op.origin.source)
    rows = e.var("[32 x ptr]").pointer
    shared = form.space or place.base is None or place.base.type.bits == 32  # an offset in shared memory is taken too
    with s.lanes(e.const("i32", (1 << count) - 1)):
        pointer = k.pointer(place, "shared", ROW, write=write) if shared else generic_row(k, place)
        e.store(pointer, e.element("ptr", rows, k.lane64))
    return rows


def generic_row(k: Context, place: Place) -> Value:
    """The pointer to a row at a generic address, which must lead to shared memory."""
    address = k.address(place)
    offset, limit = address - k.cta.get("shared"), k.launch.get("shared_bytes").zext("i64")
    k.fault_if((offset & (ROW - 1)).ne(0), FaultKind.MISALIGNED_ADDRESS, address, ROW)
    k.fault_if(offset.uge(limit & -ROW), FaultKind.ILLEGAL_ADDRESS, address, ROW)
    return k.e.ptr(address)
