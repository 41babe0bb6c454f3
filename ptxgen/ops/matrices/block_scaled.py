"""Products of elements whose blocks along the depth have factors of scale: mxfp8, mxfp4, nvfp4, for arrays of any library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, e4m3, e5m2, f16, f32, u8, u32
from ptxgen.builder.tiles.block_scaled import BLOCK_FORMATS
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.matrices import factors, gemm_block_scaled
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare
from ptxgen.ops.matrices.epilogues import Epilogue, arguments_key, read_arguments, read_epilogue
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.kernels.plan import KernelPlan

__all__ = ["block_scaled_matmul", "blocked_factors"]

_launches, _factor_launches = LaunchCache(), LaunchCache()

RESULTS = (bf16, f16, f32)


def block_scaled_matmul(
    a: Any, b: Any, scale_a: Any, scale_b: Any, out: Any = None, *, epilogue: Any = None, arguments: Sequence[Any] = (),
    explain: bool = False,
) -> Any:  # fmt: skip
    """A (m, depth) times B (depth, n), or matrices of a batch, each element times its block's factor; returns `out`.

    The elements and factors say the format:

        mxfp8   e4m3 or e5m2, each operand its own; u8 factors in ue8m0 of 32 elements along the depth
        mxfp4   u8 of two e2m1, the first in the low half, so (m, depth / 2) and (depth / 2, n); the same factors
        nvfp4   the same elements; e4m3 factors, whose sign is not read (ue4m3), of 16 elements

    PyTorch's float8_e8m0fnu and float4_e2m1fn_x2 count as u8. `scale_a` is of (m, depth / 32 or 16) and `scale_b` of (n, depth /
    32 or 16) in the layout of `blocked_factors`, flat, one matrix behind the other: what cuBLAS, CUTLASS and PyTorch take on
    sm_100 and sm_120. What pads it does not matter. B's depth lies together, as in the transposed view of (n, depth). Sums are
    f32; `out` is bf16, f16 or f32, without one bf16 of the library of `a`. `epilogue` and `arguments` as in `matmul`: a factor of
    the whole is a number. With `explain` nothing is launched: the kernel is returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_120a.
    """
    arguments = read_arguments(epilogue, arguments)
    numbers, arrays = arguments_key(arguments)
    given = {"a": a, "b": b, "scale_a": scale_a, "scale_b": scale_b}
    key, known, (out,) = _launches.find((epilogue, numbers), (*given.values(), *arrays), (out,), skip=explain)
    if known is None:
        found = {name: read(name, array) for name, array in given.items()}
        left = found["a"]
        format = _format(left, found["b"], found["scale_a"], found["scale_b"])
        shape = _shape(left, found["b"])
        if out is None:
            out = empty_like(a, left.device, shape, bf16)
        result = read("out", out)
        finish = read_epilogue(epilogue, arguments, shape[0] if len(shape) == 3 else 1)
        same_device(**found, out=result, **finish.operands)
        _check(format, found, result, shape)
        check_apart(result, found)
        check_apart(result, finish.operands, in_place=True)
        if 0 in shape:
            return NOTHING if explain else out
        plan = _planned(format, found, result, finish)
        if explain:
            return plan.explained
        known = prepare(plan, left.device, stream_of(left.device, *found.values(), result, *finish.operands.values()))
        _launches.keep(key, known, (out,))
    known.run(*given.values(), out, *arrays)
    return out


def blocked_factors(scales: Any, out: Any = None) -> Any:
    """Factors of scale, u8 or e4m3 of (rows, blocks) or (batch, rows, blocks) with any strides, in the layout that tensor cores
    of sm_100 and sm_120 read; returns `out`, flat, without one an array of the library of `scales`.

    Rows are padded to 128 and blocks to four, with zeros: each 128 x 4 of them are 512 bytes, of which that of row r and block b
    is at r % 32 * 16 + r // 32 * 4 + b; along the blocks first. BuildError for other types, shapes, or an `out` of another size.
    """
    key, known, (out,) = _factor_launches.find(None, (scales,), (out,))
    if known is None:
        found = read("scales", scales)
        name = found.element.isa.name
        if found.element not in (u8, e4m3) or len(found.shape) not in (2, 3) or 0 in found.shape:
            raise BuildError(f"factors are .{name} of {found.shape}", hint=".u8 or .e4m3 of (rows, blocks), or a batch")
        *lead, rows, columns = found.shape
        batch = lead[0] if lead else 1
        size = factors.blocked_size(rows, columns, batch)
        if out is None:
            out = empty_like(scales, found.device, (size,), found.element)
        result = read("out", out)
        same_device(scales=found, out=result)
        if (
            result.element is not found.element
            or result.shape != (size,)
            or not result.contiguous
            or result.address % 4
        ):
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}", hint=f".{name} of ({size},), without gaps"
            )
        check_apart(result, {"scales": found})
        strides = (found.strides[-2], found.strides[-1], found.strides[0] if lead else 0)
        plan = factors.plan(
            found._replace(element=u8),
            result._replace(element=u32),
            rows=rows,
            columns=columns,
            batch=batch,
            strides=strides,
        )
        known = prepare(plan, found.device, stream_of(found.device, found, result))
        _factor_launches.keep(key, known, (out,))
    known.run(scales, out)
    return out


def _format(a: Operand, b: Operand, scale_a: Operand, scale_b: Operand) -> str:
    """The one of these elements and factors. BuildError where there is none."""
    fp8, fp4 = {a.element, b.element} <= {e4m3, e5m2}, a.element is b.element is u8
    scales = scale_a.element if scale_a.element is scale_b.element else None
    if (fp8 or fp4) and scales is u8:
        return "mxfp8" if fp8 else "mxfp4"
    if fp4 and scales is e4m3:
        return "nvfp4"
    names = ", ".join(f".{each.element.isa.name}" for each in (a, b, scale_a, scale_b))
    raise BuildError(
        f"block_scaled_matmul of {names}",
        hint="e4m3 or e5m2 with factors of u8; u8, two e2m1 each, with factors of u8 or e4m3",
    )


def _shape(a: Operand, b: Operand) -> tuple[int, ...]:
    """The result's. BuildError where the operands have none."""
    ranks = (len(a.shape), len(b.shape))
    if ranks not in ((2, 2), (3, 3)) or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise BuildError(
            f"block_scaled_matmul of {a.shape} and {b.shape}",
            hint="(m, depth) and (depth, n), or (batch, m, depth) and (batch, depth, n); of 4 bits half the depth",
        )
    if not a.shape[-1]:
        raise BuildError(f"a product of {a.shape} and {b.shape}", hint="a depth of 1 or more, or zeros into out")
    return (*a.shape[:-1], b.shape[-1])


def _check(format: str, found: dict[str, Operand], out: Operand, shape: tuple[int, ...]) -> None:
    """BuildError for what does not go with A and B, or with the device."""
    target = found["a"].device.target
    if find_target(target).family != 12 or not find_target(target).suffix:
        raise BuildError(f"block_scaled_matmul on {target}", hint="sm_120a")
    if out.element not in RESULTS or out.shape != shape or out.strides[-1] != out.element.isa.bytes:
        raise BuildError(
            f"out is .{out.element.isa.name} of {out.shape} with strides of {out.strides} bytes",
            hint=f"bf16, f16 or f32 of {shape}, elements beside each other along n",
        )
    batch, depth = shape[0] if len(shape) == 3 else 1, _depth(format, found["a"])
    for name, rows in (("a", shape[-2]), ("b", shape[-1])):
        view = found["b"].transposed() if name == "b" else found["a"]
        if not view.mappable:
            raise BuildError(
                f"{name} of shape {found[name].shape} has strides of {found[name].strides} bytes at {view.address:#x}",
                hint="elements beside each other along the depth, rows of whole 16 bytes at multiples of them",
            )
        scales = found[f"scale_{name}"]
        blocks = BLOCK_FORMATS[format].factors(depth)
        size = factors.blocked_size(rows, blocks, batch)
        if scales.shape != (size,) or not scales.contiguous or scales.address % 16:
            raise BuildError(
                f"scale_{name} is {scales.shape} of {format} at {scales.address:#x}",
                hint=f"({size},) at a multiple of 16 bytes: px.ops.blocked_factors of {(batch, rows, blocks)[batch == 1 :]}",
            )


def _depth(format: str, a: Operand) -> int:
    return a.shape[-1] * 8 // BLOCK_FORMATS[format].bits


def _planned(format: str, found: dict[str, Operand], out: Operand, finish: Epilogue) -> KernelPlan:
    a, b = found["a"], found["b"].transposed()
    m, n, batch, depth = a.shape[-2], b.shape[-2], a.shape[0] if len(a.shape) == 3 else 1, _depth(format, a)
    size, blocks = out.element.isa.bytes, BLOCK_FORMATS[format].factors(depth)
    scale_a, scale_b = (_words(found[f"scale_{name}"], rows, blocks, batch) for name, rows in (("a", m), ("b", n)))
    return gemm_block_scaled.plan(
        a, b, scale_a, scale_b, out, m=m, n=n, depth=depth, batch=batch, format=format, elements=(a.element, b.element),
        result=out.element, c_row=out.strides[-2] // size, c_batch=out.strides[0] // size if batch > 1 else 0,
        aligned=out.mappable, processors=a.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT), **finish.options,
    )  # fmt: skip


def _words(scales: Operand, rows: int, blocks: int, batch: int) -> Operand:
    """The factors as the kernel's tensor map has them."""
    shape = gemm_block_scaled.factor_shape(rows, blocks, batch)
    strides = tuple(4 * math.prod(shape[place + 1 :]) for place in range(len(shape)))
    return scales._replace(shape=shape, strides=strides, element=u32)
