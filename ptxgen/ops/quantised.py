"""Weights in GGML's blocks, for arrays of any library: as numbers, and times a few activations (ptxgen.kernels.quantised)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import f32, u8
from ptxgen.errors import BuildError
from ptxgen.kernels import dequantise as numbers
from ptxgen.kernels import quantised as kernels
from ptxgen.kernels.ggml import FORMATS, Format
from ptxgen.ops.operands import LaunchCache, Operand, check_apart, empty_like, prepare, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value

__all__ = ["block_matmul", "block_numbers"]

_launches = LaunchCache()
MOST = 16
"""Columns of a product; for more, `block_numbers` and `matmul` are faster."""


def block_numbers(w: Any, format: str, element: type[Value] = f32, out: Any = None) -> Any:
    """The numbers that blocks stand for, bit by bit as GGML's: w is u8 of (..., bytes), the result (..., elements) of f32,
    f16 or bf16.

    `format` is "q4_0", "q4_1", "q5_0", "q8_0", "q4_k", "q5_k" or "q6_k". BuildError for arrays that it cannot have.
    """
    key, known = (None, None) if out is None else _launches.find((format, element), w, out)
    if known is None:
        about, source = _format(format), read("w", w)
        shape = (*source.shape[:-1], _columns("w", source, about))
        if out is None:
            out = empty_like(w, source.device, shape, element)
        result = read("out", out)
        same_device(w=source, out=result)
        if result.shape != shape or not result.contiguous or result.element is not element:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}",
                hint=f".{element.isa.name} of {shape}, without gaps",
            )
        if source.address % 16:
            raise BuildError(f"w is at {source.address:#x}", hint="a multiple of 16")
        check_apart(result, {"w": source})
        plan = numbers.plan(format, math.prod(shape), source, result, result=element)
        known = prepare(plan, source.device, stream_of(source.device, source, result))
        _launches.keep(key, known)
    known.run(w, out)
    return out


def block_matmul(x: Any, w: Any, format: str, out: Any = None, *, explain: bool = False) -> Any:
    """x times the transposed weights: x (batch, columns) of bf16 or f16, up to 16 rows of it; w, u8 of (rows, bytes of a row) in
    blocks of `format`, as in `block_numbers`; returns `out`, (batch, rows) of bf16, f16 or f32, by default x's type.

    Activations are not rounded; sums are f32. With `explain` nothing is launched: a text says which kernel it would be.
    """
    key, known = (None, None) if out is None or explain else _launches.find(format, x, w, out)
    if known is None:
        about, source, weights = _format(format), read("x", x), read("w", w)
        columns = _columns("w", weights, about)
        if (
            len(source.shape) != 2
            or len(weights.shape) != 2
            or source.shape[1] != columns
            or not 0 < source.shape[0] <= MOST
        ):
            raise BuildError(
                f"block_matmul of {source.shape} and {weights.shape} bytes of {format}",
                hint=f"(up to {MOST}, {columns}), and (rows, bytes); for more, matmul of block_numbers(w, ...)",
            )
        rows, batch = weights.shape[0], source.shape[0]
        if out is None:
            out = empty_like(x, source.device, (batch, rows), source.element)
        result = read("out", out)
        same_device(x=source, w=weights, out=result)
        _check(source, weights, result, (batch, rows))
        if rows == 0:
            return out
        size = result.element.isa.bytes
        steps: dict[str, int] = {"x_step": source.strides[0] // 2, "y_step": result.strides[0] // size}
        launches = []
        for first in range(0, batch, kernels.BATCH):
            part = source._replace(address=source.address + first * source.strides[0])
            piece = result._replace(address=result.address + first * result.strides[0])
            plan = kernels.plan(
                format, rows, columns, min(kernels.BATCH, batch - first), weights, part, piece, **steps,
                element=source.element, result=result.element,
            )  # fmt: skip
            if explain:
                return f"{plan.kernel!r} on {plan.grid} CTAs of {plan.block} threads"
            launches.append(prepare(plan, source.device, stream_of(source.device, source, weights, result)))
        known = launches[0]._replace(then=tuple(launches[1:]))
        _launches.keep(key, known)
    known.run(x, w, out)
    return out


def _format(name: str) -> Format:
    found = FORMATS.get(name)
    if found is None:
        raise BuildError(f"no format {name!r}", hint=f"one of {', '.join(FORMATS)}")
    return found


def _columns(name: str, w: Operand, about: Format) -> int:
    """How many elements the bytes of a row stand for."""
    if w.element is not u8 or not w.shape or not w.contiguous or w.shape[-1] % about.bytes:
        raise BuildError(
            f"{name} is .{w.element.isa.name} of {w.shape} with strides of {w.strides} bytes",
            hint=f".u8 without gaps, rows of whole blocks of {about.bytes} bytes",
        )
    return w.shape[-1] // about.bytes * about.elements


def _check(x: Operand, w: Operand, out: Operand, shape: tuple[int, int]) -> None:
    if x.element not in kernels.ACTIVATIONS or out.element not in kernels.RESULTS:
        raise BuildError(
            f"x is .{x.element.isa.name}, out .{out.element.isa.name}", hint="bf16 or f16; bf16, f16 or f32"
        )
    if x.strides[1] != 2 or x.strides[0] % 8 or x.address % 8 or w.address % 16:
        raise BuildError(
            f"x has strides of {x.strides} bytes at {x.address:#x}, w is at {w.address:#x}",
            hint="elements of a row beside each other, rows at multiples of 8 bytes; w at a multiple of 16",
        )
    size = out.element.isa.bytes
    if out.shape != shape or (out.shape[1] > 1 and out.strides[1] != size) or out.strides[0] % size:
        raise BuildError(
            f"out has the shape {out.shape} and strides of {out.strides} bytes", hint=f"{shape}, rows without gaps"
        )
    check_apart(out, {"x": x, "w": w})
