"""Arrays of any library with their dimensions in another order, or without gaps (ptxgen.kernels.elements.permute)."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.elements import permute as kernels
from ptxgen.kernels.elements import permute_shifted
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.kernels.plan import KernelPlan

__all__ = ["permute"]

_launches = LaunchCache()


def permute(x: Any, axes: Sequence[int] | None = None, out: Any = None, *, explain: bool = False) -> Any:
    """out[...] = x with dimension `axes[i]` of x as its i-th, as numpy's transpose; by default the last two are exchanged.

    Elements are of 1, 2, 4 or 8 bytes; x may have any strides from 0 on, so that `permute(view, range(ndim))` is the view without
    gaps. A new `out` has no gaps; one that is given may have any such strides with elements that are beside each other along one
    dimension.
    With `explain` nothing is launched: a text says which kernel it would be. BuildError for arrays that it cannot have.
    """
    order = None if axes is None else tuple(index(each) for each in axes)
    key, known, (out,) = _launches.find(order, (x,), (out,), skip=explain)
    if known is None:
        source = read("x", x)
        turned = _turned(source, order)
        if out is None:
            out = empty_like(x, source.device, turned.shape, source.element)
        result = read("out", out)
        same_device(x=source, out=result)
        size = source.element.isa.bytes
        if result.shape != turned.shape or result.element is not source.element:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}",
                hint=f".{source.element.isa.name} of {turned.shape}",
            )
        for name, each in {"x": source, "out": result}.items():
            if any(stride % size or stride < 0 for stride in each.strides):
                raise BuildError(f"{name} has strides of {each.strides} bytes", hint=f"multiples of {size}, 0 or more")
        check_apart(result, {"x": source})
        if 0 in result.shape:
            return NOTHING if explain else out
        form = kernels.form_of(
            result.shape, [stride // size for stride in turned.strides], [stride // size for stride in result.strides]
        )
        plans = _plans(form, source, result, size)
        if explain:
            return f"{plans[0].kernel!r} on {plans[0].grid} CTAs of {plans[0].block} threads"
        stream = stream_of(source.device, source, result)
        known = prepare_chain(plans, source.device, stream)
        _launches.keep(key, known, (out,))
    known.run(x, out)
    return out


def _plans(form: kernels.Form, x: Operand, y: Operand, size: int) -> list[KernelPlan]:
    """One launch; where rows begin anywhere, one for all but each matrix's last row, behind which vectors would reach, and one
    for that."""
    rows, columns, x_step, y_step, outer, turned, _ = form
    short = rows < 32 or columns * size < 32 or x_step < columns
    if kernels.is_aligned(form, x, y, size) or not turned or short or find_target(x.device.target).sm < 80:
        return [kernels.plan(form, x, y, size=size)]
    last = form._replace(rows=1)
    there = (
        x._replace(address=x.address + (rows - 1) * x_step * size),
        y._replace(address=y.address + (rows - 1) * size),
    )
    return [
        permute_shifted.plan(rows - 1, columns, x, x_step, y, y_step, outer, size=size),
        kernels.plan(last, *there, size=size, aligned=False),
    ]


def _turned(x: Operand, axes: tuple[int, ...] | None) -> Operand:
    """The view with its dimensions in that order. BuildError for an order that names not each of them once."""
    rank = len(x.shape)
    if axes is None:
        if rank < 2:
            raise BuildError(
                f"x is an array of {x.shape}, and no axes are given", hint="two dimensions or more, or axes"
            )
        axes = (*range(rank - 2), rank - 1, rank - 2)
    places = [axis + rank if axis < 0 else axis for axis in axes]
    if sorted(places) != list(range(rank)):
        raise BuildError(f"axes are {axes} of an array of {x.shape}", hint=f"each of 0 to {rank - 1} once")
    return x._replace(shape=tuple(x.shape[p] for p in places), strides=tuple(x.strides[p] for p in places))
