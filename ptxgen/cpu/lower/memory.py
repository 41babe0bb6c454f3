"""Loads and stores (manual 9.7.9.8 to 9.7.9.12: ld, ldu, st).

st.async in global memory is done at once: nothing tells a thread when it is, but the order that its .release gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import frame_fields
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.unsupported import unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
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
    "st.async{.mmio}.order.scope{.space}.type",
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
_WATCHED = ("cg", "cv", "wt")
"""Cache operators with which programs older than .relaxed read and write what other CTAs share."""
_ORDERS = {"relaxed": "monotonic", "acquire": "acquire", "release": "release"}


WHOLE = 16
"""Bytes that a vector's strong access reads or writes at once, as on GPUs: kernels keep a value and its flag in one."""


def ordering(form: FormModifiers, space: str) -> str:
    """LLVM's name for the access's memory order; "" for an access that other threads of this process do not watch."""
    if space not in ("", "global"):
        return ""
    if form.op.split(".")[1] == "volatile" or form.get("cache") in _WATCHED:
        return "monotonic"
    return _ORDERS.get(form.get("order") or "", "")


def is_strong(form: FormModifiers) -> bool:
    """May threads wait for one another with the access?"""
    return form.op.split(".")[1] == "volatile" or form.get("order") is not None


def _space(form: FormModifiers) -> str:
    named: str = form.get("space") or ""
    return named if named.startswith("shared") else named.partition("::")[0]


def elements(operand: FlatOperand) -> tuple[FlatOperand, ...]:
    return operand if isinstance(operand, tuple) else (operand,)


def where(
    k: LoweringContext, form: FormModifiers, place: FlatOperand, count: int, *, write: bool,
    values: Sequence[LlvmValue] = (),
) -> tuple[LlvmValue, str]:  # fmt: skip
    """(checked pointer to the first of `count` elements, memory order). `values` are those that are stored."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{form.op} without an address", k.op.origin.source)
    exact, size = _space(form), form.type.bytes * count
    space = exact.partition("::")[0]
    if write and space in ("const", "param") and place.frame is None:
        raise unsupported(f"a store to .{space} memory", k.op.origin.source)
    strong = is_strong(form)
    scope = form.get("scope")
    pointer = k.access(place, exact, size, write=write, strong=strong, scope=scope, values=values)
    if strong:
        k.probe.order(
            k, pointer, acquires=not write, releases=write, scope=scope, ordered=form.get("order") == "release"
        )
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
        if k.lanes:
            from ptxgen.cpu.lower.vector_memory import load_lanes

            loaded = load_lanes(k, place, k.space_of(place, _space(form)), type, representation(type), len(targets))
        else:
            pointer, order = where(k, form, place, len(targets), write=False)
            loaded = _load(k, type, len(targets), pointer, order)
        for target, value in zip(targets, loaded):
            k.write(target, value, type)


def _load(k: LoweringContext, type: ScalarType, count: int, pointer: LlvmValue, order: str) -> list[LlvmValue]:
    """The elements of a vector."""
    e, kind = k.e, representation(type)
    if not order or (count == 1 and type.bytes < WHOLE):
        return [e.load(kind, e.offset(pointer, i * type.bytes), order) for i in range(count)]
    found = []
    for at in range(0, count * type.bytes, WHOLE):
        nbytes = min(count * type.bytes, WHOLE)
        whole = _load_whole(e, e.offset(pointer, at), nbytes, order)
        for shift in range(0, 8 * nbytes, type.bits):
            found.append((whole >> shift).resize(f"i{max(type.bits, 8)}").bitcast(kind))
    return found


def _load_whole(e: Emitter, pointer: LlvmValue, nbytes: int, order: str) -> LlvmValue:
    """Bytes as one integer. 16 are a load of the vector unit, in one piece where they are aligned (x86-64 with AVX, ARMv8.4): an
    atomic load of LLVM's would be a call."""
    if nbytes < WHOLE:
        return e.load(f"i{8 * nbytes}", pointer, order)
    pair = e.op("<2 x i64>", f"load volatile <2 x i64>, ptr {pointer.text}, align {WHOLE}")
    if order != "monotonic":
        e.line(f"fence {order}")
    low, high = (e.op("i64", f"extractelement <2 x i64> {pair.text}, i32 {i}").zext("i128") for i in range(2))
    return low | (high << 64)


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
        if k.lanes:
            from ptxgen.cpu.lower.vector_memory import store_lanes

            store_lanes(k, place, k.space_of(place, _space(form)), type, values)
            return
        pointer, order = where(k, form, place, len(sources), write=True, values=values)
        _store(k, type, values, pointer, order)


def _store(k: LoweringContext, type: ScalarType, values: Sequence[LlvmValue], pointer: LlvmValue, order: str) -> None:
    """The elements of a vector."""
    e, count = k.e, len(values)
    if not order or (count == 1 and type.bytes < WHOLE):
        for i, value in enumerate(values):
            e.store(value, e.offset(pointer, i * type.bytes), order)
        return
    together = min(count, WHOLE // type.bytes)
    for first in range(0, count, together):
        kind, some = f"i{together * type.bits}", values[first : first + together]
        bits = [value.bitcast(f"i{value.bits}").resize(f"i{type.bits}").zext(kind) for value in some]
        whole = bits[0]
        for i, each in enumerate(bits[1:], 1):
            whole = whole | (each << i * type.bits)
        _store_whole(e, whole, e.offset(pointer, first * type.bytes), order)


def _store_whole(e: Emitter, whole: LlvmValue, pointer: LlvmValue, order: str) -> None:
    if whole.bits < 8 * WHOLE:
        e.store(whole, pointer, order)
        return
    if order != "monotonic":
        e.line(f"fence {order}")
    pair = e.op("<2 x i64>", f"bitcast i128 {whole.text} to <2 x i64>")
    e.line(f"store volatile <2 x i64> {pair.text}, ptr {pointer.text}, align {WHOLE}")
