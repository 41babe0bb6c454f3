"""Atomic operations (manual 9.7.13.5 and 9.7.13.6: atom, red).

Shared memory belongs to one cluster, which one worker runs: plain loads and stores are atomic there. Global memory is in use by
other workers, and launches of other threads, so its operations are the processor's atomic ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.floating import extreme
from ptxgen.cpu.lower.memory import SCOPES, elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16
from ptxgen.cpu.rt.numbers import flush, propagate_nan
from ptxgen.isa.types import ScalarType

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

SLOTS = {
    "sem": "relaxed acquire release acq_rel",
    "scope": SCOPES,
    "space": "global shared shared::cta shared::cluster",
    "vec": "v2 v4 v8",
}
_PREFIX = "{.sem}{.scope}{.space}"
SCALAR = f"{_PREFIX}.do{{.L2::cache_hint}}.type"
VECTOR = f"{_PREFIX}.do{{.noftz}}{{.L2::cache_hint}}.vec.type"
HALF = f"{_PREFIX}.do.noftz{{.L2::cache_hint}}.type"

_INTEGER = {
    "and": "and", "or": "or", "xor": "xor", "exch": "xchg", "add": "add", "inc": "uinc_wrap", "dec": "udec_wrap",
}  # fmt: skip


def new_value(
    e: Emitter, old: LlvmValue, b: LlvmValue, *, operation: str, type: ScalarType, in_memory: bool
) -> LlvmValue:
    """What the operation leaves in memory.

    `in_memory`: the memory system itself adds, as on GPUs in global memory. It flushes f32 subnormals (manual 9.7.13.5), and
    f64 NaNs pass as they are (measured, H200).
    """
    if type.lanes == 2:
        low, high = (
            _new_half(e, (old >> shift).trunc("i16"), (b >> shift).trunc("i16"), operation, type.element)
            for shift in (0, 16)
        )
        return low.zext("i32") | (high.zext("i32") << 16)
    if type.name in ("f16", "bf16"):
        return _new_half(e, old, b, operation, type.name)
    if type.name == "f64":
        total = old + b
        if in_memory:
            nan = old.is_nan().select(old, e.const_float("double", 0xFFF8000000000000))
            return total.is_nan().select(b.is_nan().select(b, nan), total)
        return propagate_nan(total, old, b)
    if type.is_float:
        return flush(flush(old) + flush(b)) if in_memory else old + b
    if operation in ("min", "max"):
        return e.intrinsic(f"llvm.{'s' if type.is_signed else 'u'}{operation}", old, b)
    if operation == "inc":
        return old.uge(b).select(e.const(old.type, 0), old + 1)
    if operation == "dec":
        return (old.eq(0) | old.ugt(b)).select(b, old - 1)
    return {"and": old & b, "or": old | b, "xor": old ^ b, "add": old + b, "exch": b}[operation]


def _new_half(e: Emitter, old: LlvmValue, b: LlvmValue, operation: str, format: str) -> LlvmValue:
    widen, narrow = (f16_to_f32, f32_to_f16) if format == "f16" else (bf16_to_f32, f32_to_bf16)
    x, y = e.use(widen, old), e.use(widen, b)
    return e.use(narrow, x + y if operation == "add" else extreme(operation, False, x, y))


def update_in_loop(
    e: Emitter, pointer: LlvmValue, b: LlvmValue, *, operation: str, type: ScalarType, in_memory: bool
) -> LlvmValue:
    """A helper: compare and swap until nobody interfered; the old value as bits."""
    bits = f"i{type.bits}"
    seen = e.var(bits, e.load(bits, pointer, "monotonic"))
    with e.loop() as end:
        old = seen.get()
        new = new_value(e, old.bitcast(b.type), b, operation=operation, type=type, in_memory=in_memory).bitcast(bits)
        pair = e.op(
            f"{{ {bits}, i1 }}", f"cmpxchg ptr {pointer.text}, {bits} {old.text}, {bits} {new.text} seq_cst seq_cst"
        )
        seen.set(e.op(bits, f"extractvalue {pair.type} {pair.text}, 0"))
        e.break_if(e.op("i1", f"extractvalue {pair.type} {pair.text}, 1"), end)
    return seen.get()


def apply(k: LoweringContext, form: FormModifiers, pointer: LlvmValue, b: LlvmValue, shared: bool) -> LlvmValue:
    """Does the operation on one element; its old value."""
    e, operation, type = k.e, form.do, form.type
    kind = representation(type)
    if shared:
        old = e.load(kind, pointer)
        e.store(new_value(e, old, b, operation=operation, type=type, in_memory=False), pointer)
        return old
    if type.is_float:
        bits = e.use(update_in_loop, pointer, b, operation=operation, type=type, in_memory=True)
        return bits.bitcast(kind)
    if operation in ("min", "max"):
        name = operation if type.is_signed else f"u{operation}"
    else:
        name = _INTEGER[operation]
    return e.op(kind, f"atomicrmw {name} ptr {pointer.text}, {kind} {b.text} seq_cst")


def compare_and_swap(
    k: LoweringContext, form: FormModifiers, pointer: LlvmValue, b: LlvmValue, c: LlvmValue, shared: bool
) -> LlvmValue:
    e = k.e
    if shared:
        old = e.load(b.type, pointer)
        e.store(old.eq(b).select(c, old), pointer)
        return old
    pair = e.op(
        f"{{ {b.type}, i1 }}", f"cmpxchg ptr {pointer.text}, {b.type} {b.text}, {c.type} {c.text} seq_cst seq_cst"
    )
    return e.op(b.type, f"extractvalue {pair.type} {pair.text}, 0")


def perform(
    k: LoweringContext, form: FormModifiers, op: Op, place: FlatOperand, sources: tuple[FlatOperand, ...]
) -> list[LlvmValue]:
    """The old values of the elements."""
    assert isinstance(place, FlatAddress)
    type: ScalarType = form.type
    space = (form.space or "").partition("::")[0]
    shared = space == "shared"
    values = elements(sources[0])
    nbytes, updates = type.bytes * len(values), form.do != "exch"
    scope = form.get("scope") or "gpu"
    pointer = k.access(place, form.space or "", nbytes, write=True, strong=True, updates=updates, scope=scope)
    ordered = form.get("sem") in ("release", "acq_rel")
    k.probe.order(k, pointer, acquires=op.opcode == "atom", releases=True, scope=scope, ordered=ordered)
    if form.do == "cas":
        b, c = (k.read(s, type) for s in sources[:2])
        return [compare_and_swap(k, form, pointer, b, c, shared)]
    operands = [k.read(v, type).clean() for v in values]
    return [apply(k, form, k.e.offset(pointer, i * type.bytes), b, shared) for i, b in enumerate(operands)]


def _atom(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        old = perform(k, form, op, op.operands[1], op.operands[2:])
        for target, value in zip(elements(op.operands[0]), old):
            k.write(target, value, form.type)


def _red(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        perform(k, form, op, op.operands[0], op.operands[1:])


_FORMS = (  # syntax, operations, types
    (SCALAR, "and or xor exch", "b32 b64"),
    (SCALAR, "add inc dec min max exch", "u32 u64"),
    (SCALAR, "add min max exch", "s32 s64"),
    (SCALAR, "add", "f32 f64"),
    (SCALAR, "exch", "b128"),
    (SCALAR, "cas", "b16 b32 b64 b128 u32 u64 s32 s64"),
    (HALF, "add", "f16 bf16 f16x2 bf16x2"),
    (VECTOR, "add", "f32"),
    (VECTOR, "add min max", "f16 bf16 f16x2 bf16x2"),
)

for _syntax, _operations, _types in _FORMS:
    lowers(f"atom{_syntax}", raw=True, do=_operations, type=_types, slots=SLOTS)(_atom)
    lowers(f"red{_syntax}", raw=True, destinations=0, do=_operations, type=_types, slots=SLOTS)(_red)
    if _syntax is SCALAR and _operations not in (
        "exch",
        "cas",
    ):  # in global memory nothing tells a thread when it is done
        lowers(
            "red.async{.mmio}.sem.scope{.space}.do.type",
            raw=True,
            destinations=0,
            do=_operations,
            type=_types,
            slots=SLOTS,
        )(_red)
