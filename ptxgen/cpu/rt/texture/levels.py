"""Levels of a mipmap: which, for a level of detail, and the mean of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt import transcendental as rt
from ptxgen.cpu.rt.texture.sampling import WEIGHT_BITS, accumulate, finish, new_sums, sample
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
    steps = e.double(float(1 << WEIGHT_BITS))

    def cut(x: LlvmValue) -> LlvmValue:
        return e.intrinsic("llvm.trunc", x.cast("fpext", "double") * steps)

    biased = cut(detail) + cut(how.get("bias").bitcast("float"))
    bounded = _bounded(e, biased, cut(how.get("lowest").bitcast("float")), cut(how.get("highest").bitcast("float")))
    units = _bounded(e, bounded, e.double(0.0), last.cast("uitofp", "double") * steps).cast("fptosi", "i32")
    done, arguments, out = e.fresh("leveled"), rest[:-1], rest[-1]
    options = {"dims": dims, "offsets": offsets, "cube": cube}
    with e.if_(how.get("mip_filter").ne(int(Filter.LINEAR))):
        nearest = (units + (1 << WEIGHT_BITS - 1)) >> WEIGHT_BITS
        e.use(sample, image, sampler, e.intrinsic("llvm.umin", nearest, last), *arguments, out, **options)
        e.jump(done)
        e.label(e.fresh("dead"))
    number, weight = units >> WEIGHT_BITS, units & ((1 << WEIGHT_BITS) - 1)
    with e.if_(weight.eq(0)):
        e.use(sample, image, sampler, number, *arguments, out, **options)
        e.jump(done)
        e.label(e.fresh("dead"))
    sums = new_sums(e)
    e.use(accumulate, image, sampler, number, *arguments, -weight + (1 << WEIGHT_BITS), sums, **options)
    e.use(accumulate, image, sampler, e.intrinsic("llvm.umin", number + 1, last), *arguments, weight, sums, **options)
    e.use(finish, image, sums, out)
    e.jump(done)
    e.label(done)
    return e.const("i32", 0)


def _bounded(e: Emitter, x: LlvmValue, low: LlvmValue, high: LlvmValue) -> LlvmValue:
    """x between two numbers; NaN is the lower."""
    found = x.fcmp("ogt", low).select(x, low)
    return found.fcmp("olt", high).select(found, high)


def detail_of_gradients(
    e: Emitter, image: LlvmValue, sampler: LlvmValue, *gradients: LlvmValue, dims: int
) -> LlvmValue:
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
