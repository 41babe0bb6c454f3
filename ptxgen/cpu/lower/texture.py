"""Textures (manual 9.7.10): what a handle stands for, and the helpers of rt/texture that sample it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op, Reg
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.half import f32_to_f16
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.texture import cube, levels, sampling
from ptxgen.cpu.rt.texture.texel import Level, image_of, level_of
from ptxgen.cpu.textures import CAPACITY, Address, ImageFormat, ImageKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["image_record"]

B32, B64, F32, S32, U32 = TYPES["b32"], TYPES["b64"], TYPES["f32"], TYPES["s32"], TYPES["u32"]


class Geometry(NamedTuple):
    """`dims` coordinates in a level; before them the index of a layer (`layered`), or of a sample; three make a direction
    (`cube`)."""

    dims: int
    layered: bool = False
    cube: bool = False
    sampled: bool = False


GEOMETRIES = {
    "1d": Geometry(1), "2d": Geometry(2), "3d": Geometry(3), "a1d": Geometry(1, layered=True),
    "a2d": Geometry(2, layered=True), "cube": Geometry(2, cube=True), "acube": Geometry(2, layered=True, cube=True),
    "2dms": Geometry(2, sampled=True), "a2dms": Geometry(2, layered=True, sampled=True),
}  # fmt: skip


# -- handles -----------------------------------------------------------------------------------------------------------


def handle_of(k: LoweringContext, operand: FlatOperand) -> LlvmValue:
    """The number, an i64: in a register, or that of a module's .texref, .samplerref or .surfref."""
    if isinstance(operand, FlatAddress):
        if operand.space == "param":
            raise unsupported("a handle that is a .param of its kernel", k.op.origin.source, "a .b64 parameter")
        return k.address(operand)
    return k.read(operand, B64)


def _entry(k: LoweringContext, handle: LlvmValue) -> LlvmValue:
    """The address of the handle's record, an i64; 0 when there is none."""
    e = k.e
    table = k.uniform("textures", lambda: e.ptr(k.launch.get("textures")))
    known = handle.ult(CAPACITY).select(handle, 0)
    return e.load("i64", e.element("i64", table, known))


def image_record(k: LoweringContext, operand: FlatOperand, *kinds: ImageKind) -> LlvmValue:
    """The pointer to the record of a handle; one of another kind is a fault."""
    e, handle = k.e, handle_of(k, operand)
    place = _entry(k, handle)
    k.fault_if(place.eq(0), FaultKind.TEXTURE_HANDLE, handle)
    record = e.ptr(place)
    kind = image_of(e, record).get("kind")
    wrong = kind.ne(int(kinds[0]))
    for other in kinds[1:]:
        wrong = wrong & kind.ne(int(other))
    k.fault_if(wrong, FaultKind.TEXTURE_HANDLE, handle)
    return record


@lowers("istypep.type", type="texref samplerref surfref", raw=True, slots={"type": "texref samplerref surfref"})
def istypep(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    wanted = {"texref": ImageKind.TEXTURE, "samplerref": ImageKind.SAMPLER, "surfref": ImageKind.SURFACE}
    e = k.e
    found = e.var("i32", 0)
    with k.when(k.guard()):
        place = _entry(k, handle_of(k, op.operands[1]))
        with e.if_(place.ne(0)):
            found.set(image_of(e, e.ptr(place)).get("kind"))
        k.write(op.operands[0], found.get().eq(int(wanted[op.op.partition(".")[2]])), TYPES["pred"])


# -- sampling ----------------------------------------------------------------------------------------------------------


class Request(NamedTuple):
    """The operands of a tex or tld4, taken apart: pointers to records, coordinates, and what stands behind them. `out` is where
    the four words of the answer go."""

    geometry: Geometry
    targets: FlatOperand
    resident: FlatOperand | None
    image: LlvmValue
    sampler: LlvmValue
    coordinates: tuple[FlatOperand, ...]
    rest: list[FlatOperand]
    out: LlvmValue


@contextmanager
def _sampling(k: LoweringContext, form: FormModifiers, op: Op) -> Iterator[Request]:
    """Its body samples where the lane does; what it has left in `out` goes into the destinations."""
    with k.when(k.guard()):
        request = _request(k, GEOMETRIES[form.geometry], op)
        yield request
        _give(k, request, halves=form.op.split(".")[-2] == "f16x2")


def _request(k: LoweringContext, geometry: Geometry, op: Op) -> Request:
    first, source, *rest = op.operands
    assert isinstance(first, tuple)
    assert isinstance(source, tuple)
    paired = isinstance(first[0], tuple)
    targets, resident = (first[0], first[1]) if paired else (first, None)
    image = image_record(k, source[0], ImageKind.TEXTURE)
    sampler, coordinates = image, source[1:]
    if len(source) == 3 and isinstance(source[2], tuple):
        sampler, coordinates = image_record(k, source[1], ImageKind.SAMPLER, ImageKind.TEXTURE), source[2]
    elif len(source) == 2 and isinstance(source[1], tuple):
        coordinates = source[1]
    return Request(geometry, targets, resident, image, sampler, coordinates, rest, k.e.var("[4 x i32]").pointer)


def _layer(k: LoweringContext, request: Request, coordinates: list[FlatOperand]) -> LlvmValue:
    """The slice of the level that the leading index, if there is one, means; it is taken off the coordinates."""
    e, geometry = k.e, request.geometry
    zero = e.const("i32", 0)
    sample = k.read(coordinates.pop(0), U32) if geometry.sampled else zero
    layer = k.read(coordinates.pop(0), U32) if geometry.layered else zero
    layers = image_of(e, request.image).get("layers")
    count = layers.udiv(e.const("i32", 6)) if geometry.cube else layers
    last = e.intrinsic("llvm.umax", count, e.const("i32", 1)) - 1
    return e.intrinsic("llvm.umin", layer, last) + sample


def _position(k: LoweringContext, form: FormModifiers, request: Request) -> tuple[list[LlvmValue], bool]:
    """Coordinates, layer and offsets, as the helpers take them; are there offsets?"""
    geometry, coordinates, offsets = request.geometry, list(request.coordinates), _offsets(request.rest)
    e, layer = k.e, _layer(k, request, coordinates)
    if geometry.cube:
        direction = [k.read(c, F32).clean() for c in coordinates[:3]]
        face = e.use(cube.face_of, *direction)
        place = [e.use(cube.face_position, *direction, axis=axis) for axis in (0, 1)]
        return [*place, layer * 6 + face], offsets is not None
    type = form.get("ctype") or F32
    found = [k.read(c, type).clean() for c in coordinates[: geometry.dims]]
    moves = () if offsets is None else offsets[: geometry.dims] if isinstance(offsets, tuple) else (offsets,)
    return [*found, layer, *(k.read(each, S32) for each in moves)], offsets is not None


def _offsets(rest: Sequence[FlatOperand]) -> FlatOperand | None:
    """The operand of offsets, if there is one. A depth to compare with, behind it, changes nothing (measured, H200): that is a
    matter of the texture, and no texture object here compares."""
    for operand in rest:
        depth = isinstance(operand, Reg) and operand.type.is_float
        depth = depth or (isinstance(operand, ir.Immediate) and operand.kind != "int")
        if not depth:
            return operand
    return None


def _give(k: LoweringContext, request: Request, *, halves: bool) -> None:
    """The four words into the destinations, as they are or as two pairs of halves."""
    e = k.e
    words = [e.load("i32", e.offset(request.out, 4 * c)) for c in range(4)]
    if halves:
        narrow = [e.use(f32_to_f16, word.bitcast("float")).zext("i32") for word in words]
        words = [narrow[0] | (narrow[1] << 16), narrow[2] | (narrow[3] << 16)]
    assert isinstance(request.targets, tuple)
    for target, word in zip(request.targets, words):
        k.write(target, word, B32)
    if request.resident is not None:
        k.write(request.resident, e.const("i1", 1), TYPES["pred"])


@lowers(
    "tex{.mode}.geometry.v4.dtype.ctype", "tex{.mode}.geometry.v2.f16x2.ctype", raw=True, mode="base level grad",
    geometry=" ".join(GEOMETRIES), dtype="u32 s32 f32 f16", ctype="f32 s32",
)  # fmt: skip
def tex(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    e = k.e
    with _sampling(k, form, op) as request:
        geometry, image, sampler = request.geometry, request.image, request.sampler
        detail = _detail(k, form, request)
        position, moved = _position(k, form, request)
        how = {"dims": geometry.dims, "offsets": moved}
        if form.ctype is S32:
            level = e.const("i32", 0) if detail is None else _whole(k, image, detail)
            e.use(sampling.sample_at, image, sampler, level, *position, request.out, **how)
        elif detail is None:
            base = e.const("i32", 0)
            e.use(sampling.sample, image, sampler, base, *position, request.out, **how, cube=geometry.cube)
        else:
            e.use(levels.sample_detail, image, sampler, detail, *position, request.out, **how, cube=geometry.cube)


def _detail(k: LoweringContext, form: FormModifiers, request: Request) -> LlvmValue | None:
    """The level of detail, an f32; its operands are taken off the rest. None: the base level."""
    e, rest = k.e, request.rest
    if form.mode == "level":
        level = k.read(rest.pop(0), form.ctype)
        return level.cast("sitofp", "float") if form.ctype is S32 else level
    if form.mode == "grad":
        slopes = rest.pop(0), rest.pop(0)
        dims = request.geometry.dims + request.geometry.cube
        numbers = [k.read(s, F32) for pair in slopes for s in (pair if isinstance(pair, tuple) else (pair,))[:dims]]
        return e.use(levels.detail_of_gradients, request.image, request.sampler, *numbers, dims=dims)
    return e.const("float", 0) if form.mode is None else None


def _whole(k: LoweringContext, image: LlvmValue, detail: LlvmValue) -> LlvmValue:
    """The level that a whole number means, within those that there are."""
    e = k.e
    last = (image_of(e, image).get("levels") - 1).cast("uitofp", "float")
    low = detail.fcmp("ogt", e.const("float", 0)).select(detail, e.const("float", 0))
    return low.fcmp("olt", last).select(low, last).cast("fptosi", "i32")


@lowers(
    "tld4.comp.geometry.v4.dtype.f32", raw=True, comp="r g b a", geometry="2d a2d cube acube", dtype="u32 s32 f32",
)  # fmt: skip
def tld4(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    e = k.e
    with _sampling(k, form, op) as request:
        position, moved = _position(k, form, request)
        number = e.const("i32", 0)
        how = {"offsets": moved, "component": "rgba".index(form.comp), "cube": request.geometry.cube}
        e.use(sampling.gather, request.image, request.sampler, number, *position, request.out, **how)


# -- questions ----------------------------------------------------------------------------------------------------------

CHANNEL_TYPES = {  # OpenCL's numbers (manual 5.3.2), for elements and for integers that are read as floats
    ImageFormat.U8: (0x10DA, 0x10D2), ImageFormat.U16: (0x10DB, 0x10D3), ImageFormat.U32: (0x10DC, 0x10DC),
    ImageFormat.S8: (0x10D7, 0x10D0), ImageFormat.S16: (0x10D8, 0x10D1), ImageFormat.S32: (0x10D9, 0x10D9),
    ImageFormat.F16: (0x10DD, 0x10DD), ImageFormat.F32: (0x10DE, 0x10DE),
}  # fmt: skip
CHANNEL_ORDERS = {1: 0x10B0, 2: 0x10B2, 4: 0x10B5}
ADDRESS_MODES = {Address.WRAP: 0, Address.MIRROR: 1, Address.CLAMP: 3, Address.BORDER: 4}
"""As .addr_mode_0 and its like number them: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border."""
QUESTIONS = (
    "width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples "
    "force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 memory_layout"
)


def _looked_up(e: Emitter, key: LlvmValue, table: Mapping[Any, int]) -> LlvmValue:
    found = e.const("i32", 0)
    for each, value in table.items():
        found = key.eq(int(each)).select(e.const("i32", value), found)
    return found


def answer(k: LoweringContext, image: LlvmValue, question: str, level: LlvmValue) -> LlvmValue:
    """What txq or suq gives, an i32."""
    e = k.e
    record = image_of(e, image)
    extents = dict(zip(("width", "height", "depth"), Level(e, level_of(e, image, level)).extents))
    if question == "depth":
        return record.get("layers").ne(0).select(e.const("i32", 1), extents["depth"])
    if question in extents:
        return extents[question]
    if question == "channel_data_type":
        plain, normal = (
            _looked_up(e, record.get("format"), {f: pair[i] for f, pair in CHANNEL_TYPES.items()}) for i in (0, 1)
        )
        return record.get("normalizes").ne(0).select(normal, plain)
    if question == "channel_order":
        return _looked_up(e, record.get("channels"), CHANNEL_ORDERS)
    if question.startswith("addr_mode"):
        return _looked_up(e, record.get("address", int(question[-1])), ADDRESS_MODES)
    field = {
        "normalized_coords": "normalized", "array_size": "layers", "num_mipmap_levels": "levels", "filter_mode": "filter",
    }.get(question)  # fmt: skip
    if field is not None:
        return record.get(field)
    if question == "force_unnormalized_coords":
        return record.get("normalized").eq(0).zext("i32")
    return e.const("i32", 1 if question == "num_samples" else 0)


@lowers("txq{.level}.query.b32", raw=True, query=QUESTIONS)
def txq(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    target, handle, *detail = op.operands
    with k.when(k.guard()):
        image = image_record(k, handle, ImageKind.TEXTURE, ImageKind.SAMPLER)
        last = image_of(k.e, image).get("levels") - 1
        level = k.e.intrinsic("llvm.umin", k.read(detail[0], S32), last) if detail else k.e.const("i32", 0)
        k.write(target, answer(k, image, form.query, level), B32)


@lowers("suq.query.b32", raw=True, query=QUESTIONS)
def suq(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    target, handle = op.operands
    with k.when(k.guard()):
        image = image_record(k, handle, ImageKind.SURFACE)
        k.write(target, answer(k, image, form.query, k.e.const("i32", 0)), B32)
