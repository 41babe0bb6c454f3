"""Surfaces (manual 9.7.11): elements of an array read and written by their place. `.b` counts bytes along x, `.p` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.flat import FlatOperand, Op
from ptxgen.cpu.lower.atomic import update_in_loop
from ptxgen.cpu.lower.memory import elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.texture import image_record
from ptxgen.cpu.rt.half import f32_to_f16
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.texture.texel import Level, image_of, level_of
from ptxgen.cpu.textures import ImageFormat, ImageKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

S32 = TYPES["s32"]
GEOMETRIES = "1d 2d 3d a1d a2d"
MODES = "trap clamp zero"
_DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}


class Spot(NamedTuple):
    """A place on a surface: the pointer to its first byte, the surface's record, and whether it lies on it."""

    pointer: LlvmValue
    image: LlvmValue
    inside: LlvmValue


def spot(k: LoweringContext, form: FormModifiers, operand: FlatOperand, nbytes: int | None) -> Spot:
    """The place that `[surface, {x, y}]` means: `nbytes` from byte x on, or, without a number, element x.

    What lies outside is a fault, the nearest place inside, or nothing at all, by the form's mode.
    """
    e = k.e
    assert isinstance(operand, tuple)
    handle, *coordinates = operand
    image = image_record(k, handle, ImageKind.SURFACE)
    dims = _DIMENSIONS[form.geometry]
    numbers = [k.read(c, S32) for c in coordinates]
    layer = numbers.pop(0) if form.geometry.startswith("a") else None
    level = level_of(e, image, e.const("i32", 0))
    record = Level(e, level).record
    extents = Level(e, level).extents
    texel = image_of(e, image).get("texel_bytes")
    if nbytes is not None:
        extents[0] = extents[0] * texel - (nbytes - 1)
    bounds = [(x, extents[d], d) for d, x in enumerate(numbers[:dims])]
    if layer is not None:
        layers = e.intrinsic("llvm.umax", image_of(e, image).get("layers"), e.const("i32", 1))
        bounds.append((layer, layers, 2))
    inside = e.const("i1", 1)
    found = [e.const("i32", 0)] * 3
    for x, extent, axis in bounds:
        here = x.ult(extent)
        inside = inside & here
        if form.mode == "trap":
            with k.unlikely(~here):
                k.fault(FaultKind.SURFACE_POSITION, x.sext("i64"), axis)
        nearest = e.intrinsic("llvm.smin", e.intrinsic("llvm.smax", x, e.const("i32", 0)), extent - 1)
        if nbytes is not None and axis == 0:
            nearest = here.select(nearest, nearest & -nbytes)
        found[axis] = nearest
    if nbytes is not None and nbytes > 1:
        k.fault_if((found[0] & (nbytes - 1)).ne(0), FaultKind.SURFACE_POSITION, numbers[0].sext("i64"))
    along = found[0].zext("i64") * (1 if nbytes is not None else texel.zext("i64"))
    rows = found[2].zext("i64") * record.get("slice") + found[1].zext("i64") * record.get("pitch")
    return Spot(e.ptr(record.get("base") + rows + along), image, inside)


@lowers(
    "suld.b.geometry{.cop}{.vec}.type.mode", raw=True, geometry=GEOMETRIES, cop="ca cg cs cv", vec="v2 v4",
    type="b8 b16 b32 b64", mode=MODES,
)  # fmt: skip
def suld(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    targets = elements(op.operands[0])
    e, size = k.e, form.type.bytes
    kind = f"i{form.type.bits}"
    with k.when(k.guard()):
        where = spot(k, form, op.operands[1], size * len(targets))
        found = [e.var(kind, 0) for _ in targets]
        reads = where.inside if form.mode == "zero" else e.const("i1", 1)
        with e.if_(reads):
            for i, value in enumerate(found):
                value.set(e.load(kind, e.offset(where.pointer, i * size)))
        for target, value in zip(targets, found):
            k.write(target, value.get(), form.type)


@lowers(
    "sust.b.geometry{.cop}{.vec}.type.mode", raw=True, destinations=0, geometry=GEOMETRIES, cop="wb cg cs wt", vec="v2 v4",
    type="b8 b16 b32 b64", mode=MODES,
)  # fmt: skip
def sust(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, value = op.operands
    sources, e, size = elements(value), k.e, form.type.bytes
    with k.when(k.guard()):
        values = [k.read(source, form.type) for source in sources]
        where = spot(k, form, place, size * len(values))
        writes = where.inside if form.mode == "zero" else e.const("i1", 1)
        with e.if_(writes):
            for i, each in enumerate(values):
                e.store(each, e.offset(where.pointer, i * size))


@lowers(
    "sust.p.geometry{.cop}{.vec}.b32.mode", raw=True, destinations=0, geometry=GEOMETRIES, cop="wb cg cs wt", vec="v2 v4",
    mode=MODES,
)  # fmt: skip
def sust_formatted(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Each channel in the surface's format: integers cut to its width, floats rounded."""
    place, value = op.operands
    e = k.e
    with k.when(k.guard()):
        values = [k.read(source, TYPES["b32"]) for source in elements(value)]
        where = spot(k, form, place, None)
        writes = where.inside if form.mode == "zero" else e.const("i1", 1)
        with e.if_(writes):
            e.use(store_channels, where.image, where.pointer, *values)


def store_channels(e: Emitter, image: LlvmValue, pointer: LlvmValue, *values: LlvmValue) -> LlvmValue:
    """Stores as many of the words as the surface has channels. Gives 0."""
    record = image_of(e, image)
    format, channels = record.get("format"), record.get("channels")
    for c, word in enumerate(values):
        with e.if_(channels.ugt(c)):
            for kinds, bits in (
                ((ImageFormat.U8, ImageFormat.S8), 8), ((ImageFormat.U16, ImageFormat.S16), 16),
                ((ImageFormat.U32, ImageFormat.S32, ImageFormat.F32), 32),
            ):  # fmt: skip
                for kind in kinds:
                    with e.if_(format.eq(int(kind))):
                        e.store(word.trunc(f"i{bits}"), e.offset(pointer, c * bits // 8))
            with e.if_(format.eq(int(ImageFormat.F16))):
                e.store(e.use(f32_to_f16, word.bitcast("float")), e.offset(pointer, 2 * c))
    return e.const("i32", 0)


@lowers(
    "sured.b.do.geometry.type.mode", raw=True, destinations=0, do="add min max and or", geometry=GEOMETRIES,
    type="u32 s32 u64 s64 b32", mode=MODES,
)  # fmt: skip
@lowers(
    "sured.p.do.geometry.type.mode", raw=True, destinations=0, do="add min max and or", geometry=GEOMETRIES,
    type="b32 b64", mode=MODES,
)  # fmt: skip
def sured(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """With `.p` the surface's format says whether numbers have signs."""
    place, source = op.operands
    e = k.e
    bytewise = op.op.startswith("sured.b")
    with k.when(k.guard()):
        value = k.read(source, form.type)
        where = spot(k, form, place, form.type.bytes if bytewise else None)
        acts = where.inside if form.mode == "zero" else e.const("i1", 1)
        with e.if_(acts):
            bits = form.type.bits
            if bytewise or form.do not in ("min", "max"):
                _update(k, form.do, where, value, TYPES[form.type.name if form.type.kind != "b" else f"u{bits}"])
            else:
                signed = image_of(e, where.image).get("format").eq(int(ImageFormat.S32))
                for is_signed, type in ((signed, f"s{bits}"), (~signed, f"u{bits}")):
                    with e.if_(is_signed):
                        _update(k, form.do, where, value, TYPES[type])


def _update(k: LoweringContext, operation: str, where: Spot, value: LlvmValue, type: ScalarType) -> None:
    k.e.use(update_in_loop, where.pointer, value, operation=operation, type=type, in_memory=True)
