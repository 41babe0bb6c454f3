"""Elements of one level around a position: the nearest, the weighted mean of those around it, or a channel of four.

Weights have 8 bits behind the point (CUDA programming guide, "Linear Filtering").
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.texture.texel import Level, image_of, level_of, read_texel
from ptxgen.cpu.textures import Address, Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["gather", "inside", "sample", "sample_at"]

WEIGHT_BITS = 8


class Position(NamedTuple):
    """Along one dimension: the first element, an i32, and the weight of the next one, a double."""

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
    size = extent.cast("uitofp", "double")
    scaled = normalized.select(wide * size, wide)
    shifted = linear.select(scaled - e.double(0.5), scaled)
    whole = e.intrinsic("llvm.floor", shifted)
    steps = e.double(float(1 << WEIGHT_BITS))
    weight = e.intrinsic("llvm.floor", (shifted - whole) * steps + e.double(0.5)) / steps
    return Position(_integer(e, whole), weight)


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
    positions, layer, moves, out = _taken(rest, dims, offsets)
    level = level_of(e, image, number)
    extents = Level(e, level).extents
    how = image_of(e, sampler)
    normalized = e.const("i1", 1) if cube else how.get("normalized").ne(0)
    linear = how.get("filter").eq(int(Filter.LINEAR))
    found = [_position(e, x, extents[d], normalized, linear) for d, x in enumerate(positions)]
    found = [Position(p.first + moves[d], p.weight) if moves else p for d, p in enumerate(found)]
    modes = [e.const("i32", int(Address.CLAMP)) if cube else how.get("address", d) for d in range(dims)]
    near = [inside(e, p.first, extents[d], modes[d]) for d, p in enumerate(found)]
    done = e.fresh("sampled")
    with e.if_(~linear):
        e.use(read_texel, image, sampler, level, *_indices(e, near, layer, dims), out)
        e.jump(done)
        e.label(e.fresh("dead"))
    far = [inside(e, p.first + 1, extents[d], modes[d]) for d, p in enumerate(found)]
    one = e.double(1.0)
    sums = [e.var("double", None) for _ in range(4)]
    for total in sums:
        total.set(e.double(0.0))
    words = e.var("[4 x i32]").pointer
    for corner in product((0, 1), repeat=dims):
        weight = one
        for d, side in enumerate(corner):
            weight = weight * (found[d].weight if side else one - found[d].weight)
        index = [(far if side else near)[d] for d, side in enumerate(corner)]
        e.use(read_texel, image, sampler, level, *_indices(e, index, layer, dims), words)
        for c, total in enumerate(sums):
            value = e.load("float", e.offset(words, 4 * c)).cast("fpext", "double")
            part = weight.fcmp("oeq", e.double(0.0)).select(e.double(0.0), weight * value)
            total.set(total.get() + part)
    for c, total in enumerate(sums):
        e.store(total.get().cast("fptrunc", "float").soiled(), e.offset(out, 4 * c))
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


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
    """The element at whole positions, an i32 for each dimension; nothing is filtered."""
    positions, layer, moves, out = _taken(rest, dims, offsets)
    level = level_of(e, image, number)
    extents = Level(e, level).extents
    how = image_of(e, sampler)
    found = []
    for d, x in enumerate(positions):
        limit = e.const("i32", 1 << 28)
        near = e.intrinsic("llvm.smax", e.intrinsic("llvm.smin", x, limit), -limit)
        mode = how.get("address", d)
        turns = mode.eq(int(Address.WRAP)) | mode.eq(int(Address.MIRROR))
        mode = turns.select(e.const("i32", int(Address.CLAMP)), mode)
        found.append(inside(e, near + moves[d] if moves else near, extents[d], mode))
    e.use(read_texel, image, sampler, level, *_indices(e, found, layer, dims), out)
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
