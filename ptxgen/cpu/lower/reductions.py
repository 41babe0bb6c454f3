"""Bulk copies that reduce (manual 9.7.9.25.4.2 and 9.7.9.25.5.3: cp.reduce.async.bulk, .tensor).

Each operation and type has a function of its own in the kernel's module, which the entry of the copy leads to:
`i32 reduce(to, source, bytes, code)` for a run of elements. `code` is that of a tensor map's type.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.lower.atomic import new_value, update_in_loop
from ptxgen.cpu.lower.bulk import BYTES, checked_size, copy_to_cluster, global_run, group, shared_run
from ptxgen.cpu.lower.cluster import need_cluster
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.copies import start_bulk, started
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.tensor import DIMENSIONS, STORE_MODES, shared_box, start_tensor, takes, tensor_operand
from ptxgen.cpu.record_layout import BulkKind
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.cpu.rt.tensor import TYPE_CODES, MapFault, type_code
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

TENSOR_TYPES = {
    "add": "u32 s32 u64 f16 f32 f32_ftz f64 bf16",
    "min": "u32 s32 u64 s64 f16 bf16",
    "max": "u32 s32 u64 s64 f16 bf16",
    "inc": "u32",
    "dec": "u32",
    **dict.fromkeys(("and", "or", "xor"), "u32 s32 u64"),
}
"""What an H200 reduces; anything else is an illegal instruction there. tf32 is f32."""


def run(
    e: Emitter, to: LlvmValue, source: LlvmValue, nbytes: LlvmValue, code: LlvmValue, *, operation: str, type: ScalarType,
    shared: bool, ftz: bool = False,
) -> LlvmValue:  # fmt: skip
    """A helper: reduces a run of elements, one after the other. Global memory may be in use by other threads.

    Sums of f32 keep subnormals, unlike those of red.global, but in tensors of f32_ftz (measured, H200).
    """
    kind, in_memory = representation(type), ftz or type.name == "f64"
    with e.count(0, nbytes.udiv(type.bytes)) as i:
        old, b = e.element(kind, to, i), e.load(kind, e.element(kind, source, i))
        if shared:
            e.store(new_value(e, e.load(kind, old), b, operation=operation, type=type, in_memory=False), old)
        else:
            e.use(update_in_loop, old, b, operation=operation, type=type, in_memory=in_memory)
    return e.const("i32", 0)


def run_of_tensor(
    e: Emitter, to: LlvmValue, source: LlvmValue, nbytes: LlvmValue, code: LlvmValue, *, operation: str
) -> LlvmValue:
    """A helper: `run` of the type that a tensor map's code says."""
    for name in TENSOR_TYPES[operation].split():
        with e.if_(code.eq(TYPE_CODES[name])):
            type, ftz = TYPES[name.removesuffix("_ftz")], name.endswith("_ftz")
            e.use(run, to, source, nbytes, code, operation=operation, type=type, shared=False, ftz=ftz)
    return e.const("i32", 0)


def note_function(k: LoweringContext, entry: LlvmValue, function: partial[LlvmValue]) -> None:
    """The entry of a copy leads to the function, which the kernel's module gets."""
    types = ("ptr", "ptr", "i64", "i32")
    name, *_ = k.e.module.helper(function.func, tuple((t, 0) for t in types), function.keywords)
    address = LlvmValue(k.e, "i64", f"ptrtoint (ptr @{name} to i64)")
    k.e.store(address, k.e.offset(entry, record_layout.BulkCopy.function.offset))


@lowers(f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.do.type", do="and or xor", type="b32", raw=True,
        destinations=0)  # fmt: skip
@lowers(f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.do.type", do="add min max inc dec", type="u32 s32 u64",
        raw=True, destinations=0)  # fmt: skip
def reduce_shared(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        need_cluster(k)
        to, place, size, where = op.operands
        nbytes = checked_size(k, size)
        source = shared_run(k, place, nbytes)
        k.probe.run(k, source, "shared", nbytes, write=False, by_copy=True)
        entry = copy_to_cluster(k, BulkKind.REDUCE, to, source, nbytes, where)
        note_function(k, entry, partial(run, operation=form.do, type=form.type, shared=True))
        started(k)


@lowers(
    "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.do{.noftz}.type", raw=True, destinations=0,
    do="and or xor add min max inc dec", type="b32 b64 u32 s32 u64 s64 f16 bf16 f32 f64",
)  # fmt: skip
def reduce_global(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        to, place, size = op.operands[:3]
        nbytes = checked_size(k, size)
        target = global_run(k, to, nbytes, Span.WRITE)
        source = shared_run(k, place, nbytes)
        k.probe.run(k, source, "shared", nbytes, write=False, by_copy=True)
        k.probe.run(k, target, "global", nbytes, write=True, strong=True, by_copy=True)
        entry = start_bulk(k, BulkKind.REDUCE, group(k), target, source, nbytes)
        note_function(k, entry, partial(run, operation=form.do, type=form.type, shared=False))
        started(k)


@lowers(
    "cp.reduce.async.bulk.tensor.dim.global.shared::cta.do{.mode}.bulk_group{.L2::cache_hint}",
    dim=DIMENSIONS, mode=STORE_MODES, do="add min max inc dec and or xor", raw=True, destinations=0,
)  # fmt: skip
def reduce_tensor(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    tensor, source = op.operands[:2]
    with k.when(k.guard()):
        found = tensor_operand(k, form, tensor, Span.GLOBAL | Span.WRITE)
        allowed = sum(1 << TYPE_CODES[name] for name in TENSOR_TYPES[form.do].split())
        known = (k.e.const("i32", allowed) >> type_code(k.e, found.map)) & 1
        k.fault_if(known.eq(0), FaultKind.TENSOR_MAP, k.e.const("i64", int(MapFault.OPERATION)))
        shared = shared_box(k, source, found.size, Span.GLOBAL)
        takes(k, shared, found, adds=True)
        entry = start_tensor(k, BulkKind.TENSOR_REDUCE, group(k), shared, found)
        note_function(k, entry, partial(run_of_tensor, operation=form.do))
        started(k)
