"""Rows of a table by their numbers, and the table's gradient, of any library's arrays (ptxgen.kernels.elements.embedding)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import bf16, f16, f32, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_sort
from ptxgen.kernels.arrays.radix_keys import LIMIT, Work, passes_of
from ptxgen.kernels.arrays.radix_sort import Arrays
from ptxgen.kernels.elements import embedding as kernels
from ptxgen.kernels.elements import embedding_backward as gradients
from ptxgen.kernels.plan import common_alignment, widest_vector
from ptxgen.ops.arguments import check_count, shared_memory_of
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, explained, prepare, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import as_rows

if TYPE_CHECKING:
    from ptxgen.builder.values import Float, Integer
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["embedding", "embedding_backward"]

_launches = LaunchCache()


def embedding(weight: Any, indices: Any, out: Any = None, *, explain: bool = False) -> Any:
    """out[...] = weight[indices[...]], rows of elements of 1 to 8 bytes; returns `out`, of indices' shape and a row's length.

    Indices are s64 or s32 without gaps, of any shape; one that is below 0, or the number of rows or more, brings zeros: nothing
    outside of weight is read. Rows may be at any distance. With `explain` nothing is launched: a text says which kernel it would
    be. BuildError for arrays that it cannot have.
    """
    key, known, (out,) = _launches.find("forward", (weight, indices), (out,), skip=explain)
    if known is None:
        table, places = read("weight", weight), _indices(indices)
        if len(table.shape) != 2 or table.element.isa.bits < 8:
            raise BuildError(f"weight is .{table.element.isa.name} of {table.shape}", hint="(rows, columns)")
        shape = (*places.shape, table.shape[1])
        if out is None:
            out = empty_like(weight, table.device, shape, table.element)
        result = read("out", out)
        same_device(weight=table, indices=places, out=result)
        if result.shape != shape or result.element is not table.element:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}", hint=f".{table.element.isa.name} of {shape}"
            )
        check_apart(result, {"weight": table, "indices": places})
        size = table.element.isa.bytes
        source, target = as_rows("weight", table), as_rows("out", result)
        if not math.prod(shape):
            return NOTHING if explain else out
        plan = kernels.plan(
            target.height, target.columns * size, table, source.height, places, result, table_step=source.step * size,
            out_step=target.step * size, index=places.element,
        )  # fmt: skip
        if explain:
            return plan.explained
        known = prepare(plan, table.device, stream_of(table.device, table, places, result))
        _launches.keep(key, known, (out,))
    known.run(weight, indices, out)
    return out


def embedding_backward(gradient: Any, indices: Any, rows: int, out: Any = None, *, explain: bool = False) -> Any:
    """The gradient of weight, (rows, columns), from that of `embedding`'s result: for each row the sum, in f32 and in their
    order, of what its indices brought, zeros for one that none names; the same bits in every run.

    Returns `out`, of gradient's type, which is f32, bf16 or f16, or of f32, without gaps. Indices that are no row count nowhere;
    all are sorted first, 8 bits of `rows` a pass, and are fewer than 2^30.
    """
    check_count("rows", rows, most=(1 << 31) - 1)
    skip = explain or bool(running_captures)
    key, known, (out,) = _launches.find(("backward", rows), (gradient, indices), (out,), skip=skip)
    if known is None:
        g, places = read("gradient", gradient), _indices(indices)
        if g.element not in (f32, bf16, f16) or g.shape[:-1] != places.shape or not g.shape:
            raise BuildError(
                f"gradient is .{g.element.isa.name} of {g.shape}",
                hint=f"f32, bf16 or f16 of {(*places.shape, 'columns')}",
            )
        shape = (rows, g.shape[-1])
        if out is None:
            out = empty_like(gradient, g.device, shape, g.element)
        result = read("out", out)
        same_device(gradient=g, indices=places, out=result)
        if result.shape != shape or result.element not in (g.element, f32) or not result.contiguous:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}",
                hint=f".{g.element.isa.name} or .f32 of {shape}, without gaps",
            )
        check_apart(result, {"gradient": g, "indices": places})
        if not math.prod(shape):
            return NOTHING if explain else out
        plans, scratch = _backward_plans(g, places, rows, result)
        if explain:
            return explained(plans)
        stream = stream_of(g.device, g, places, result)
        known = prepare_chain(plans, g.device, stream, scratch)
        _launches.keep(key, known, (out,))
    known.run(gradient, indices, out)
    return out


def _backward_plans(g: Operand, indices: Operand, rows: int, out: Operand) -> tuple[list[KernelPlan], tuple[Any, ...]]:
    """(the launches, what is between them): keys, their sort with their places, where rows begin, the sums."""
    place, count, source = g.device, math.prod(indices.shape), as_rows("gradient", g)
    passes, room = passes_of(u32, max(1, rows.bit_length())), shared_memory_of(place)
    with place.context.beside_captures():
        pairs = [[place.empty(max(count, 1), u32) for _ in range(2)] for _ in range(3)]
        work = place.empty(radix_sort.work_size(count, u32, passes, pairs=True, room=room), u32)
        begins = place.empty(rows + 1, u32)
    (keys, numbers), (other_keys, other_numbers), (spare_keys, spare_numbers) = pairs
    index = cast("type[Integer]", indices.element)
    plans = [
        gradients.keys_plan(count, rows, indices, other_keys, other_numbers, work, Work(passes).cleared, index=index),
        *radix_sort.sort_plans(
            count,
            Arrays(other_keys, keys, spare_keys, keys),
            work,
            Arrays(other_numbers, numbers, spare_numbers, numbers),
            element=u32,
            passes=passes,
            room=room,
        ),
    ]
    steps = [source.step] if source.height > 1 else []
    size = max(g.element.isa.bytes, out.element.isa.bytes)
    vector = min(widest_vector(g.element.isa.bytes, common_alignment(g, out), source.columns, *steps), 16 // size)
    element, result = (cast("type[Float]", each.element) for each in (g, out))
    plans += [
        gradients.begins_plan(count, rows, keys, begins),
        gradients.sums_plan(
            rows, source.columns, begins, numbers, g, source.step, out, element=element, result=result, vector=vector
        ),
    ]
    return plans, (*pairs[0], *pairs[1], *pairs[2], work, begins)


def _indices(indices: Any) -> Operand:
    places = read("indices", indices)
    if places.element not in kernels.INDICES or not places.contiguous or math.prod(places.shape) >= LIMIT:
        raise BuildError(
            f"indices are .{places.element.isa.name} of {places.shape}", hint="s64 or s32 without gaps, fewer than 2^30"
        )
    return places
