"""Levels of a mipmap: which, for a level of detail, and the mean of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt import transcendental as rt
from ptxgen.cpu.rt.texture.sampling import WEIGHT_BITS, sample
from ptxgen.cpu.rt.texture.texel import Level, image_of, level_of
from ptxgen.cpu.textures import Filter

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["detail_of_gradients", "sample_detail"]


def sample_detail(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, detail: LlvmValue, *rest: LlvmValue, dims: int, offsets: bool,
    cube: bool = False,
) -> LlvmValue:  # fmt: skip
    """`sampling.sample` at a level of detail, a float: of the nearest level, or of the two around it."""
    how = image_of(e, sampler)
    last = image_of(e, image).get("levels") - 1
    biased = detail + how.get("bias").bitcast("float")
    bounded = _bounded(e, biased, how.get("lowest").bitcast("float"), how.get("highest").bitcast("float"))
    bounded = _bounded(e, bounded, e.const("float", 0), last.cast("uitofp", "float")).cast("fpext", "double")
    two = how.get("mip_filter").eq(int(Filter.LINEAR))
    steps, half = e.double(float(1 << WEIGHT_BITS)), e.double(0.5)
    shifted = two.select(bounded, bounded + half)
    lower = e.intrinsic("llvm.floor", shifted)
    weight = e.intrinsic("llvm.floor", (shifted - lower) * steps + half) / steps
    out, arguments = rest[-1], rest[:-1]
    number = e.intrinsic("llvm.umin", lower.cast("fptosi", "i32"), last)
    e.use(sample, image, sampler, number, *arguments, out, dims=dims, offsets=offsets, cube=cube)
    with e.if_(two & weight.fcmp("one", e.double(0.0))):
        above = e.var("[4 x i32]").pointer
        following = e.intrinsic("llvm.umin", number + 1, last)
        e.use(sample, image, sampler, following, *arguments, above, dims=dims, offsets=offsets, cube=cube)
        for c in range(4):
            a, b = (e.load("float", e.offset(p, 4 * c)).cast("fpext", "double") for p in (out, above))
            mean = a * (e.double(1.0) - weight) + b * weight
            e.store(mean.cast("fptrunc", "float").soiled(), e.offset(out, 4 * c))
    return e.const("i32", 0)


def _bounded(e: Emitter, x: LlvmValue, low: LlvmValue, high: LlvmValue) -> LlvmValue:
    """x between two floats; NaN is the lower."""
    found = x.fcmp("ogt", low).select(x, low)
    return found.fcmp("olt", high).select(found, high).known_number()


def detail_of_gradients(e: Emitter, image: LlvmValue, sampler: LlvmValue, *gradients: LlvmValue, dims: int) -> LlvmValue:
    """The level of detail at which neighbours are about an element apart, from two gradients of `dims` floats each."""
    extents = Level(e, level_of(e, image, e.const("i32", 0))).extents
    normalized = image_of(e, sampler).get("normalized").ne(0)
    squares = []
    for side in (gradients[:dims], gradients[dims:]):
        total = e.double(0.0)
        for d, slope in enumerate(side):
            wide = slope.cast("fpext", "double")
            scaled = normalized.select(wide * extents[d].cast("uitofp", "double"), wide)
            total = total + scaled * scaled
        squares.append(total)
    largest = squares[0].fcmp("ogt", squares[1]).select(squares[0], squares[1])
    least = e.double(1e-30)
    found = e.use(rt.log2, largest.fcmp("ogt", least).select(largest, least)) * e.double(0.5)
    return found.cast("fptrunc", "float").known_number()
