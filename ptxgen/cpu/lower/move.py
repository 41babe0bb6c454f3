"""Moves between registers, special registers and addresses (manual 9.7.9.1 to 9.7.9.7: mov, cvta, isspacep)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

MOVABLE = "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16 f16x2 bf16x2"


@lowers("mov.type", type=MOVABLE, raw=True)
def mov(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Also packs a vector into a register and unpacks a register into a vector, first element lowest."""
    target, source = op.operands
    type = form.type
    if isinstance(source, tuple) and isinstance(target, tuple):
        values = [k.read(a, type) for a in source]  # all before the first is written: {a, b}, {b, a} swaps
        for d, value in zip(target, values):
            k.set(d, value, type)
    elif isinstance(source, tuple):
        part = type.bits // len(source)
        word = None
        for i, element in enumerate(source):
            piece = k.read(element, TYPES[f"b{part}"]).zext(f"i{type.bits}") << (i * part)
            word = piece if word is None else word | piece
        assert word is not None
        k.set(target, word, TYPES[f"b{type.bits}"])
    elif isinstance(target, tuple):
        part = type.bits // len(target)
        word = k.read(source, TYPES[f"b{type.bits}"])
        for i, element in enumerate(target):
            k.set(element, (word >> (i * part)).trunc(f"i{part}"), TYPES[f"b{part}"])
    else:
        k.set(target, k.read(source, type), type)


@lowers("mov.vec.type", vec="v2 v4", type=MOVABLE, raw=True)
def mov_vector(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    mov(k, form, op)


# -- address spaces (manual 6.4.1.1) ----------------------------------------------------------------------------------


def window(k: LoweringContext, space: str) -> tuple[LlvmValue, LlvmValue] | None:
    """(generic address, bytes) of the thread's own window of a state space; None when the space is generic memory itself."""
    e = k.e
    if space.startswith("shared"):
        return (
            k.uniform("shared.address", lambda: k.cta.get("shared")),
            k.uniform("shared.bytes", lambda: k.launch.get("shared_bytes").zext("i64")),
        )
    if space == "local":
        base = k.uniform("local.address", lambda: k.warp.get("local")) + k.local_offset()
        return base, k.local_limit()
    if space.startswith("param"):
        base = k.uniform("param.address", lambda: k.launch.get("param"))
        return base, e.const("i64", k.kernel.parameter_bytes)
    return None


SPACES = "global const shared shared::cta shared::cluster local param param::entry"


@lowers("cvta.space.type", space=SPACES, type="u32 u64")
def cvta(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    if form.space.startswith("shared") and k.ranked:
        return k.e.call("cluster_generic", "i64", a.resize("i64"), k.warp.pointer).resize(a.type)
    found = window(k, form.space)
    return a + found[0].resize(a.type) if found else a


@lowers("cvta.to.space.type", space=SPACES, type="u32 u64")
def cvta_to(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    if form.space.startswith("shared") and k.ranked:
        return k.e.call("cluster_address", "i64", a.resize("i64"), k.warp.pointer).resize(a.type)
    found = window(k, form.space)
    return a - found[0].resize(a.type) if found else a


@lowers("isspacep.space", space=SPACES, reads="u64", writes="pred")
def isspacep(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    if form.space == "shared::cluster":
        return k.e.call("cluster_address", "i64", a, k.warp.pointer).ne(-1)
    found = window(k, form.space)
    if found:
        return (a - found[0]).ult(found[1])
    if form.space == "const":
        inside = k.e.const("i1", 0)
        for name, static in k.statics.items():
            if static.space == "const":
                inside = inside | (a - k.symbol(name)).ult(static.nbytes)
        return inside
    outside = k.e.call("cluster_address", "i64", a, k.warp.pointer).eq(-1) if k.ranked else k.e.const("i1", 1)
    for space in ("shared", "local", "param"):
        own = window(k, space)
        assert own is not None
        outside = outside & (a - own[0]).uge(own[1])
    return outside
