"""Loads and stores (manual 9.7.9.8 to 9.7.9.12: ld, ldu, st)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import frame_fields
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.unsupported import unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

TYPES_IN_MEMORY = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 f16 bf16 f16x2"
SCOPES = "cta cluster gpu sys"
CACHE = "ca cg cs lu cv wb wt"
EVICTION = "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"
SECOND = "L2::evict_normal L2::evict_first L2::evict_last"
PREFETCH = "L2::64B L2::128B L2::256B"

LOADS = (
    "ld{.weak}{.space}{.cache}{.evict}{.second}{.L2::cache_hint}{.prefetch}{.vec}.type",
    "ld.volatile{.space}{.prefetch}{.vec}.type",
    "ld.order.scope{.space}{.evict}{.second}{.L2::cache_hint}{.prefetch}{.vec}.type",
    "ld.mmio.order.scope{.space}.type",
    "ld{.space}{.cache}.nc{.evict}{.second}{.L2::cache_hint}{.prefetch}{.vec}.type",
    "ld{.space}{.nc}{.vec}.type.proxy::readonly",
    "ldu{.space}{.vec}.type",
)
STORES = (
    "st{.weak}{.space}{.cache}{.evict}{.second}{.L2::cache_hint}{.vec}.type",
    "st.volatile{.space}{.vec}.type",
    "st.order.scope{.space}{.evict}{.second}{.L2::cache_hint}{.vec}.type",
    "st.mmio.order.scope{.space}.type",
)
SLOTS = {
    "space": "global const shared shared::cta shared::cluster local param param::entry param::func",
    "cache": CACHE,
    "evict": EVICTION,
    "second": SECOND,
    "prefetch": PREFETCH,
    "vec": "v2 v4 v8",
    "type": TYPES_IN_MEMORY,
    "nc": "nc",
    "order": "relaxed acquire release",
    "scope": SCOPES,
}
_ORDERS = {"relaxed": "monotonic", "acquire": "acquire", "release": "release"}


def ordering(form: FormModifiers, space: str) -> str:
    """LLVM's name for the access's memory order; "" for an access that other threads of this process do not watch."""
    if space not in ("", "global") or form.type.bits > 64:
        return ""
    if form.op.split(".")[1] == "volatile":
        return "monotonic"
    return _ORDERS.get(form.get("order") or "", "")


def elements(operand: FlatOperand) -> tuple[FlatOperand, ...]:
    return operand if isinstance(operand, tuple) else (operand,)


def where(
    k: LoweringContext, form: FormModifiers, place: FlatOperand, count: int, *, write: bool,
    values: Sequence[LlvmValue] = (),
) -> tuple[LlvmValue, str]:  # fmt: skip
    """(checked pointer to the first of `count` elements, memory order). `values` are those that are stored."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{form.op} without an address", k.op.origin.source)
    named = form.get("space") or ""
    space = named.partition("::")[0]
    if write and space in ("const", "param") and place.frame is None:
        raise unsupported(f"a store to .{space} memory", k.op.origin.source)
    strong = form.op.split(".")[1] == "volatile" or form.get("order") is not None
    exact, size = named if space == "shared" else space, form.type.bytes * count
    scope = form.get("scope")
    pointer = k.access(place, exact, size, write=write, strong=strong, scope=scope, values=values)
    if strong:
        k.probe.order(k, pointer, acquires=not write, releases=write, scope=scope)
    return pointer, ordering(form, space)


@lowers(*LOADS, raw=True, slots=SLOTS)
def ld(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    targets, place = elements(op.operands[0]), op.operands[1]
    type: ScalarType = form.type
    assert isinstance(place, FlatAddress)
    fields = frame_fields(op, place)
    if fields:
        for target, field in zip(targets, fields):
            k.set(target, k.read(field, type), type)
        return
    with k.when(k.guard()):
        pointer, order = where(k, form, place, len(targets), write=False)
        kind = representation(type)
        loaded = [k.e.load(kind, k.e.offset(pointer, i * type.bytes), order) for i in range(len(targets))]
        for target, value in zip(targets, loaded):
            k.write(target, value, type)


@lowers(*STORES, raw=True, destinations=0, slots=SLOTS)
def st(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, sources = op.operands[0], elements(op.operands[1])
    type: ScalarType = form.type
    assert isinstance(place, FlatAddress)
    fields = frame_fields(op, place)
    if fields:
        for field, source in zip(fields, sources):
            k.set(field, k.read(source, type), type)
        return
    with k.when(k.guard()):
        values = [k.read(source, type) for source in sources]
        pointer, order = where(k, form, place, len(sources), write=True, values=values)
        for i, value in enumerate(values):
            k.e.store(value, k.e.offset(pointer, i * type.bytes), order)
