"""Weights in GGML's blocks, or as codes with scales of their own, for arrays of any library: as numbers, and times a few
activations (ptxgen.kernels.matrices.quantised)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, e4m3, f16, f32, u8
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.matrices import dequantise as numbers
from ptxgen.kernels.matrices import quantised as kernels
from ptxgen.kernels.matrices.scaled_codes import CODES, GROUPS, SCALES, Scaled
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare
from ptxgen.ops.operands import FP8, Operand, check_apart, check_target, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.kernels.matrices.ggml import Format
    from ptxgen.kernels.matrices.scaled_codes import Codes
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["block_matmul", "block_numbers"]

_launches = LaunchCache()
MOST = 16
"""Columns of a product; for more, `block_numbers` and `matmul` are faster."""


def block_numbers(
    w: Any, format: str, element: type[Value] = f32, out: Any = None, *, scales: Any = None, zeros: Any = None
) -> Any:
    """The numbers that blocks or codes stand for: w is u8 of (..., bytes), the result (..., elements) of f32, f16 or bf16.

    `format` is "q4_0", "q4_1", "q5_0", "q8_0", "q4_k", "q5_k" or "q6_k" of GGML, whose numbers in f32 they are, bit by bit; or
    "nf4", "int4" or "e4m3" (w may be e4m3 itself), times `scales` of f32, bf16 or f16: (...) of rows, (..., elements / group)
    of groups of 32, 64 or 128, or (rows / 128, elements / 128), rounded up, of blocks of a matrix. int4 is 0 to 15 less 8, or
    less `zeros`, u8 from 0 to 127 of the scales' shape. `ptxgen.kernels.matrices.scaled_codes` says how codes lie.
    BuildError for arrays that it cannot have.
    """
    key, known, (out,) = _launches.find((format, element), (w, scales, zeros), (out,))
    if known is None:
        about, source = kernels.about_format(format), read("w", w)
        if format in kernels.DENSE:
            raise BuildError(f"block_numbers of {format}", hint="w has the numbers themselves: ops.cast")
        columns = _columns("w", source, about)
        shape = (*source.shape[:-1], columns)
        if out is None:
            out = empty_like(w, source.device, shape, element)
        result = read("out", out)
        more = _read_scales(scales, zeros)
        same_device(w=source, out=result, **more)
        if result.shape != shape or not result.contiguous or result.element is not element:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}",
                hint=f".{element.isa.name} of {shape}, without gaps",
            )
        if source.address % 16:
            raise BuildError(f"w is at {source.address:#x}", hint="a multiple of 16")
        check_apart(result, {"w": source, **more})
        if format == "e4m3":
            check_target("block_numbers of e4m3", source.device, FP8)
        scaled = _scaled(format, source, columns, more)
        if scaled is None:
            plan = numbers.plan(format, math.prod(shape), source, result, result=element)
        else:
            rows = math.prod(source.shape[:-1])
            given = (scaled, more["scales"], more.get("zeros"))
            plan = numbers.plan_scaled(format, rows, columns, source, result, *given, result=element)
        known = prepare(plan, source.device, stream_of(source.device, source, result, *more.values()))
        _launches.keep(key, known, (out,))
    known.run(w, out, scales, zeros)
    return out


def block_matmul(
    x: Any, w: Any, format: str, out: Any = None,
    *, scales: Any = None, zeros: Any = None, bias: Any = None, glu: str | None = None, constant: bool = False,
    explain: bool = False,
) -> Any:  # fmt: skip
    """x times the transposed weights: x (batch, columns) of bf16 or f16, up to 16 rows of it; w, u8 of (rows, bytes of a row) in
    blocks or codes of `format`, with `scales` and `zeros` as in `block_numbers`, or with the `format` "bf16" or "f16" (rows,
    columns) of x's type; returns `out`, (batch, rows) of bf16, f16 or f32, by default x's type.

    `bias`, (rows) of f32, bf16 or f16, is added to the sums. With `glu`, "silu" or "gelu", w has the rows of a gate and behind
    them as many others, and the result, of half as many rows, is glu(x times the gate) times (x times the others).

    With `constant` you say that the kernel ahead in the stream does not write w, as in every step of a decoder: then w is on its
    way before that kernel has ended, where the device is of sm_90 or later.

    Of each 32 activations, what lies below 2^-36 of the largest may be lost; the values of nf4 are rounded to the activations'
    type. Sums are f32. With `explain` nothing is launched: a text says which kernel it would be.
    """
    options, given = (format, glu, constant), (x, w, scales, zeros, bias)
    key, known, (out,) = _launches.find(options, given, (out,), skip=explain)
    if known is None:
        about, source, weights = kernels.about_format(format), read("x", x), read("w", w)
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
        check_target(f"block_matmul of {format}", source.device, FP8 if format == "e4m3" else 80)
        more, added = _read_scales(scales, zeros), None if bias is None else read("bias", bias)
        finish = _finish(weights, added, glu)
        shape = (source.shape[0], weights.shape[0] // (1 if glu is None else 2))
        if out is None:
            out = empty_like(x, source.device, shape, source.element)
        result = read("out", out)
        every = more | ({} if added is None else {"bias": added})
        same_device(x=source, w=weights, out=result, **every)
        _check(source, weights, result, shape)
        check_apart(result, every)
        scaled = _scaled(format, weights, columns, more)
        if shape[1] == 0:
            return NOTHING if explain else out
        plans = _plans(format, source, weights, result, scaled, every, finish, constant)
        if explain:
            return f"{plans[0].kernel!r} on {plans[0].grid} CTAs of {plans[0].block} threads"
        place = source.device
        stream = stream_of(place, source, weights, result, *every.values())
        launches = [prepare(plan, place, stream) for plan in plans]
        known = launches[0].changed(then=tuple(launches[1:]))
        _launches.keep(key, known, (out,))
    known.run(*given, out)
    return out


def _finish(w: Operand, bias: Operand | None, glu: str | None) -> kernels.Finish:
    """BuildError for a function that there is not, an odd number of rows for it, and biases that are not theirs."""
    if glu is not None and (glu not in kernels.GLU[1:] or w.shape[0] % 2):
        raise BuildError(f"glu={glu!r} of {w.shape[0]} rows", hint="silu or gelu, of a gate's rows and as many others")
    if bias is not None and (bias.shape != w.shape[:1] or bias.element not in SCALES or not bias.contiguous):
        raise BuildError(
            f"bias is .{bias.element.isa.name} of {bias.shape} with strides of {bias.strides} bytes",
            hint=f"f32, bf16 or f16 of {w.shape[:1]}, without gaps",
        )
    return kernels.Finish(None if bias is None else bias.element, glu or "none")


def _plans(
    format: str, x: Operand, w: Operand, out: Operand, scaled: Scaled | None, more: dict[str, Operand], finish: kernels.Finish,
    constant: bool,
) -> list[KernelPlan]:  # fmt: skip
    """A launch for each eight rows of x."""
    batch, columns = x.shape
    bulk = None if find_target(x.device.target).sm >= 90 else False
    room = int(x.device.handle.attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
    plans = []
    for first in range(0, batch, kernels.BATCH):
        part = x._replace(address=x.address + first * x.strides[0])
        piece = out._replace(address=out.address + first * out.strides[0])
        sizes = (out.shape[1], columns, min(kernels.BATCH, batch - first))
        plan = kernels.plan(
            format, *sizes, w, part, piece, x_step=x.strides[0] // 2, y_step=out.strides[0] // out.element.isa.bytes,
            element=x.element, result=out.element, scaled=scaled, scales=more.get("scales"), zeros=more.get("zeros"),
            finish=finish, bias=more.get("bias"), constant=constant, room=room,
            bulk=bulk,
        )  # fmt: skip
        plans.append(plan)
    return plans


def _read_scales(scales: Any, zeros: Any) -> dict[str, Operand]:
    given = {"scales": scales, "zeros": zeros}
    return {name: read(name, each) for name, each in given.items() if each is not None}


def _scaled(format: str, w: Operand, columns: int, more: dict[str, Operand]) -> Scaled | None:
    """How the scales lie; None for blocks of GGML, which have their own. BuildError for scales and zeros that are not theirs."""
    if format not in CODES:
        if more:
            raise BuildError(f"{next(iter(more))} for {format}", hint="blocks of GGML have scales of their own")
        return None
    if "scales" not in more or ("zeros" in more and format != "int4"):
        said = "zeros" if "zeros" in more else "no scales"
        raise BuildError(f"{said} for {format}", hint="scales of nf4, int4 and e4m3, zeros of int4")
    scales, zeros, lead = more["scales"], more.get("zeros"), w.shape[:-1]
    found = _shared_by(scales.shape, lead, columns)
    if found is None or scales.element not in SCALES or not scales.contiguous:
        raise BuildError(
            f"scales is .{scales.element.isa.name} of {scales.shape} with strides of {scales.strides} bytes",
            hint=f"f32, bf16 or f16 without gaps: {lead}, {(*lead, 'groups')} of 32, 64 or 128 of {columns} elements, or those "
            f"of blocks of 128 x 128",
        )
    if zeros is not None and (zeros.element is not u8 or zeros.shape != scales.shape or not zeros.contiguous):
        raise BuildError(
            f"zeros is .{zeros.element.isa.name} of {zeros.shape}", hint=f".u8 of {scales.shape}, without gaps"
        )
    return found._replace(element=scales.element, zeros=zeros is not None)


def _shared_by(shape: tuple[int, ...], lead: tuple[int, ...], columns: int) -> Scaled | None:
    """What shares a scale, by the scales' shape; None for a shape that says nothing."""
    if shape in (lead, (*lead, 1)):
        return Scaled(0)
    for group in GROUPS:
        if columns % group == 0 and shape == (*lead, columns // group):
            return Scaled(group)
    if len(lead) == 1 and shape == (-(-lead[0] // 128), -(-columns // 128)) and columns % 128 == 0:
        return Scaled(128, rows=128)
    return None


def _columns(name: str, w: Operand, about: Format | Codes) -> int:
    """How many elements the bytes of a row stand for."""
    known: tuple[type[Value], ...] = _ELEMENTS.get(about.name, (u8,))
    size = w.element.isa.bytes
    if w.element not in known or not w.shape or not w.contiguous or w.shape[-1] * size % about.bytes:
        raise BuildError(
            f"{name} is .{w.element.isa.name} of {w.shape} with strides of {w.strides} bytes",
            hint=f".{known[0].isa.name} without gaps, rows of whole blocks of {about.bytes} bytes",
        )
    return w.shape[-1] * size // about.bytes * about.elements


_ELEMENTS: dict[str, tuple[type[Value], ...]] = {"e4m3": (u8, e4m3), "bf16": (bf16,), "f16": (f16,)}
"""Of the weights' arrays, where not u8 alone."""


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
