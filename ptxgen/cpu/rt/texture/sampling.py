"""Elements of one level around a position: the nearest, the weighted mean of those around it, or a channel of four.

Weights have 8 bits behind the point (CUDA programming guide, "Linear Filtering"). What it leaves open is as an H200 does it:
normalized coordinates are cut to 21 bits behind the point; products of weights are rounded to 8 bits, and what the rounding takes
from one element goes to its neighbour; a row is the middle of two rows of which one may be the border; integers that are read as
fractions are filtered as 16-bit integers. The sum of floats is exact here, and rounded once; an H200 loses what lies more than
24 bits below the largest product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.formats import narrow
from ptxgen.cpu.rt.half import f16_to_f32
from ptxgen.cpu.rt.texture.texel import Level, image_of, level_of, read_texel
from ptxgen.cpu.textures import Address, Filter, ImageFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["gather", "inside", "sample", "sample_at"]

WEIGHT_BITS = 8


COORDINATE_BITS = 21
"""Behind the point of a normalized coordinate."""


class Position(NamedTuple):
    """Along one dimension: the first element, and the weight of the next one in units of 1/256; both i32."""

    first: LlvmValue
    weight: LlvmValue


def inside(e: Emitter, i: LlvmValue, extent: LlvmValue, mode: LlvmValue) -> LlvmValue:
    """The element that stands for element i of a dimension, by the address mode; -1 for the border. All i32."""
    last = extent - 1
    clamped = e.intrinsic("llvm.smin", e.intrinsic("llvm.smax", i, e.const("i32", 0)), last)
    beyond = i.icmp("uge", extent)
    rest = i.srem(extent)
    wrapped = rest + rest.slt(0).select(extent, 0)
    both = extent << 1
    turn = i.srem(both)
    turn = turn + turn.slt(0).select(both, 0)
    mirrored = turn.slt(extent).select(turn, both - 1 - turn)
    found = mode.eq(int(Address.WRAP)).select(wrapped, clamped)
    found = mode.eq(int(Address.MIRROR)).select(mirrored, found)
    return (mode.eq(int(Address.BORDER)) & beyond).select(e.const("i32", -1), found)


def _position(e: Emitter, x: LlvmValue, extent: LlvmValue, normalized: LlvmValue, linear: LlvmValue) -> Position:
    """Where a coordinate, a float, lies in a dimension."""
    wide = x.cast("fpext", "double")
    fine = e.double(float(1 << COORDINATE_BITS))
    cut = e.intrinsic("llvm.floor", wide * fine) / fine
    scaled = normalized.select(cut * extent.cast("uitofp", "double"), wide)
    half, steps = e.double(0.5), e.double(float(1 << WEIGHT_BITS))
    near = _integer(e, e.intrinsic("llvm.floor", scaled))
    units = _integer(e, e.intrinsic("llvm.floor", (scaled - half) * steps + half))
    first = linear.select(units.sra(WEIGHT_BITS), near)
    return Position(first, units & ((1 << WEIGHT_BITS) - 1))


def _integer(e: Emitter, x: LlvmValue) -> LlvmValue:
    """A whole double as an i32, within a range in which sums do not overflow; NaN is 0."""
    limit = float(1 << 28)
    low = x.fcmp("olt", e.double(-limit)).select(e.double(-limit), x)
    both = low.fcmp("ogt", e.double(limit)).select(e.double(limit), low)
    safe = both.is_nan().select(e.double(0.0), both)
    return safe.cast("fptosi", "i32")


def sample(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, number: LlvmValue, *rest: LlvmValue, dims: int, offsets: bool,
    cube: bool = False,
) -> LlvmValue:  # fmt: skip
    """`rest`: a float for each dimension, the slice of a layer (i32), offsets (i32) if there are, and where four words go.

    `cube`: the layer is a face, on which positions go from 0 to 1.
    """
    *arguments, out = rest
    done = e.fresh("sampled")
    with e.if_(image_of(e, sampler).get("filter").ne(int(Filter.LINEAR))):
        positions, layer, moves, _ = _taken(rest, dims, offsets)
        level = level_of(e, image, number)
        near, _, _ = _around(e, sampler, level, positions, moves, linear=False, cube=cube)
        e.use(read_texel, image, sampler, level, *_indices(e, near, layer, dims), out)
        e.jump(done)
        e.label(e.fresh("dead"))
    sums = new_sums(e)
    full = e.const("i32", 1 << WEIGHT_BITS)
    e.use(accumulate, image, sampler, number, *arguments, full, sums, dims=dims, offsets=offsets, cube=cube)
    e.use(finish, image, sums, out)
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


def new_sums(e: Emitter) -> LlvmValue:
    """A pointer to four doubles that are 0."""
    sums = e.var("[4 x double]").pointer
    for c in range(4):
        e.store(e.double(0.0), e.offset(sums, 8 * c))
    return sums


def accumulate(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, number: LlvmValue, *rest: LlvmValue, dims: int, offsets: bool,
    cube: bool = False,
) -> LlvmValue:  # fmt: skip
    """Adds what a level has around a position to four sums, by the sampler's filter. `rest`: as for `sample`, with the weight of
    the whole level, in units of 1/256, and the sums in place of the words."""
    *arguments, whole, sums = rest
    positions, layer, moves, _ = _taken((*arguments, sums), dims, offsets)
    level = level_of(e, image, number)
    done = e.fresh("added")
    with e.if_(image_of(e, sampler).get("filter").ne(int(Filter.LINEAR))):
        near, _, _ = _around(e, sampler, level, positions, moves, linear=False, cube=cube)
        _add(e, image, sampler, level, _indices(e, near, layer, dims), whole, sums)
        e.jump(done)
        e.label(e.fresh("dead"))
    near, far, weights = _around(e, sampler, level, positions, moves, linear=True, cube=cube)
    for corner, weight in _weights(e, weights, whole):
        index = [(far if side else near)[d] for d, side in enumerate(corner)]
        _add(e, image, sampler, level, _indices(e, index, layer, dims), weight, sums)
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


def _around(
    e: Emitter, sampler: LlvmValue, level: LlvmValue, positions: Sequence[LlvmValue], moves: Sequence[LlvmValue],
    *, linear: bool, cube: bool,
) -> tuple[list[LlvmValue], list[LlvmValue], list[LlvmValue]]:  # fmt: skip
    """(indices of the element at a position, or before it; of the one behind it; weights of that one), for each dimension."""
    extents, how = Level(e, level).extents, image_of(e, sampler)
    normalized = e.const("i1", 1) if cube else how.get("normalized").ne(0)
    found = [_position(e, x, extents[d], normalized, e.const("i1", int(linear))) for d, x in enumerate(positions)]
    if len(found) == 1:  # a row is the one at 0 of rows
        found.append(Position(e.const("i32", -1 if linear else 0), e.const("i32", 1 << WEIGHT_BITS - 1)))
    found = [Position(p.first + moves[d], p.weight) if d < len(moves) else p for d, p in enumerate(found)]
    modes = [e.const("i32", int(Address.CLAMP)) if cube else how.get("address", d) for d in range(len(found))]
    near, far = ([inside(e, p.first + step, extents[d], modes[d]) for d, p in enumerate(found)] for step in (0, 1))
    return near, far, [p.weight for p in found]


def _add(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, level: LlvmValue, index: Sequence[LlvmValue], weight: LlvmValue,
    sums: LlvmValue,
) -> None:  # fmt: skip
    """Adds an element, times its weight, to the sums; one of no weight is not looked at."""
    words = e.var("[4 x i32]").pointer
    with e.if_(weight.ne(0)):
        e.use(read_texel, image, sampler, level, *index, words, filtered=True)
        factor = weight.cast("sitofp", "double")
        for c in range(4):
            total = e.offset(sums, 8 * c)
            value = e.load("float", e.offset(words, 4 * c)).cast("fpext", "double")
            e.store(e.load("double", total) + factor * value, total)


def finish(e: Emitter, image: LlvmValue, sums: LlvmValue, out: LlvmValue) -> LlvmValue:
    """The four words of the means that the sums are, in the format's own precision. Gives 0."""
    record = image_of(e, image)
    format = record.get("format")
    steps = record.get("normalizes").ne(0) & record.get("srgb").eq(0)
    largest = format.uge(int(ImageFormat.S8)).select(e.double(32767.0), e.double(65535.0))
    for c in range(4):
        mean = e.load("double", e.offset(sums, 8 * c)) / e.double(float(1 << WEIGHT_BITS))
        fraction = e.intrinsic("llvm.floor", mean + e.double(0.5)) / largest
        fraction = fraction.fcmp("olt", e.double(-1.0)).select(e.double(-1.0), fraction)
        plain = mean.cast("fptrunc", "float").soiled().clean()
        half = e.use(f16_to_f32, e.use(narrow, mean, format="f16").trunc("i16"))
        found = format.eq(int(ImageFormat.F16)).select(half, plain)
        found = steps.select(fraction.cast("fptrunc", "float").known_number(), found)
        e.store(found, e.offset(out, 4 * c))
    return e.const("i32", 0)


def _weights(e: Emitter, along: Sequence[LlvmValue], whole: LlvmValue) -> Iterator[tuple[tuple[int, ...], LlvmValue]]:
    """(the side in each dimension, the weight) of the elements around a position of two or three dimensions; `whole` is what all
    of them weigh together. In units of 1/256."""
    full = 1 << WEIGHT_BITS

    def part(weight: LlvmValue, of: LlvmValue) -> LlvmValue:
        return (weight * of + full // 2) >> WEIGHT_BITS

    depths: list[tuple[tuple[int, ...], LlvmValue]] = [((), whole)]
    if len(along) == 3:
        behind = part(whole, along[2])
        depths = [((0,), whole - behind), ((1,), behind)]
    for z, weight in depths:
        right = part(weight, along[0])
        low = part(weight - right, -along[1] + full)
        high = part(right, along[1])
        left = weight - right
        yield (0, 0, *z), low
        yield (0, 1, *z), left - low
        yield (1, 0, *z), right - high
        yield (1, 1, *z), high


def _taken(
    rest: Sequence[LlvmValue], dims: int, offsets: bool
) -> tuple[Sequence[LlvmValue], LlvmValue, Sequence[LlvmValue], LlvmValue]:
    """(positions, layer, offsets, out) of the arguments of a helper here."""
    return rest[:dims], rest[dims], rest[dims + 1 : dims + 1 + dims] if offsets else (), rest[-1]


def _indices(e: Emitter, found: Sequence[LlvmValue], layer: LlvmValue, dims: int) -> list[LlvmValue]:
    """x, y and z of an element; a layer, or a face, is its z."""
    zero = e.const("i32", 0)
    x, y, z = (*found, zero, zero)[:3]
    return [x, y, z if dims == 3 else layer]


def sample_at(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, number: LlvmValue, *rest: LlvmValue, dims: int, offsets: bool
) -> LlvmValue:
    """The element at whole positions, an i32 for each dimension; nothing is filtered, and what lies outside is 0."""
    positions, layer, moves, out = _taken(rest, dims, offsets)
    level = level_of(e, image, number)
    extents = Level(e, level).extents
    beyond = e.const("i1", 0)
    found = []
    for d, x in enumerate(positions):
        limit = e.const("i32", 1 << 28)
        place = e.intrinsic("llvm.smax", e.intrinsic("llvm.smin", x, limit), -limit)
        place = place + moves[d] if moves else place
        beyond = beyond | place.uge(extents[d])
        found.append(inside(e, place, extents[d], e.const("i32", int(Address.CLAMP))))
    e.use(read_texel, image, sampler, level, *_indices(e, found, layer, dims), out)
    with e.if_(beyond):
        for c in range(4):
            e.store(e.const("i32", 0), e.offset(out, 4 * c))
    return e.const("i32", 0)


def gather(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, number: LlvmValue, *rest: LlvmValue, offsets: bool, component: int,
    cube: bool = False,
) -> LlvmValue:  # fmt: skip
    """One channel of the four elements that a linear filter would take, counter-clockwise from the lower left (tld4)."""
    positions, layer, moves, out = _taken(rest, 2, offsets)
    level = level_of(e, image, number)
    extents = Level(e, level).extents
    how = image_of(e, sampler)
    true = e.const("i1", 1)
    normalized = true if cube else how.get("normalized").ne(0)
    modes = [e.const("i32", int(Address.CLAMP)) if cube else how.get("address", d) for d in range(2)]
    found = [_position(e, x, extents[d], normalized, true).first for d, x in enumerate(positions)]
    found = [x + moves[d] if moves else x for d, x in enumerate(found)]
    words = e.var("[4 x i32]").pointer
    for place, (dx, dy) in enumerate(((0, 1), (1, 1), (1, 0), (0, 0))):
        index = [inside(e, found[d] + move, extents[d], modes[d]) for d, move in enumerate((dx, dy))]
        e.use(read_texel, image, sampler, level, *_indices(e, index, layer, 2), words)
        e.store(e.load("i32", e.offset(words, 4 * component)), e.offset(out, 4 * place))
    return e.const("i32", 0)
