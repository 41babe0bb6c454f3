"""C = A B for arrays of any library, by the kernel that suits their shape, their strides and the device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import bf16, e4m3, e5m2, f16, f32, s8, s32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.matrices import gemm, gemm_blackwell, gemm_mma, gemm_tma
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.matrices.epilogues import Epilogue, arguments_key, read_arguments, read_epilogue
from ptxgen.ops.matrices.parts import by_parts, parts_grid, without_parts
from ptxgen.ops.operands import Operand, as_map, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.launches import PreparedLaunch

__all__ = ["MatmulChoice", "matmul"]

RESULTS: dict[type[Value], type[Value]] = {bf16: bf16, f16: f16, f32: f32, e4m3: bf16, e5m2: bf16, s8: s32}
"""Element of the operands -> that of the result where nobody states it."""

_launches = LaunchCache()


class MatmulChoice(NamedTuple):
    """What `matmul` launches for such operands: `tiling` where it is the kernel of sm_90a, else why it is another."""

    kernel: str
    grid: int
    tiling: gemm.Tiling | None = None
    reason: str = ""

    def __str__(self) -> str:
        tile = self.tiling
        if tile is None:
            return f"{self.kernel}: {self.grid} CTAs; {self.reason}"
        what = f"tiles of {tile.bm}x{tile.bn}, {tile.stages} stages of {tile.bk}, {self.grid} CTAs"
        more = f", depth split by {tile.split}" if tile.split > 1 else ""
        return f"{self.kernel}: {what}{more}{', transposed' if tile.transposed else ''}"


def matmul(
    a: Any, b: Any, out: Any = None, *, epilogue: Any = None, arguments: Sequence[Any] = (), exact: bool = False,
    explain: bool = False,
) -> Any:  # fmt: skip
    """A (m, depth) times B (depth, n), or matrices (batch, m, depth) times (batch, depth, n); returns `out`.

    Operands are bf16, f16, f32, e4m3, e5m2 or s8, both of one type; sums are f32, of s8 s32. Products of f32 are those of its
    tf32 rounding, or with `exact` of f32 itself, as accurate as by fma: on sm_90a by six products of bf16 for each where they are
    many, for which the stream keeps scratch memory of 6 bytes a number of A and B, else by fma. `out` has the
    operands' type, of fp8 bf16, of s8 s32; without one an array is made, of the library of `a`. Either operand may be a
    transposed view. `epilogue(k, value, row, column, ...)` builds what is applied to each sum before it is rounded; each
    function is a kernel of its own. Behind the column it takes `arguments`: numbers (an int is s32, a float f32), which may
    differ from launch to launch, and arrays, read as `bias[column]`, `c[row, column]`, or in a batch by the matrix's row and
    column; `out` itself may be among them, read at the sum's own place; otherwise it overlaps nothing that is read. With
    `explain` nothing is launched: a `MatmulChoice` says what would be. The work goes to the device's current stream, or the
    framework's.

    BuildError for shapes, types, devices or strides that it cannot have.
    """
    arguments = read_arguments(epilogue, arguments)
    numbers, arrays = arguments_key(arguments)
    options = (epilogue, exact, numbers)
    skip = explain or (exact and bool(running_captures))  # scratch memory of a capture is the graph's
    key, known, (out,) = _launches.find(options, (a, b, *arrays), (out,), skip=skip)
    if known is None:
        left, right = read("a", a), read("b", b)
        if out is None:
            out = empty_like(a, left.device, _shape(left, right), RESULTS.get(left.element, left.element))
        result = read("out", out)
        finish = read_epilogue(epilogue, arguments, result.shape[0] if len(result.shape) == 3 else 1)
        same_device(a=left, b=right, out=result, **finish.operands)
        sizes = _sizes(left, right, result, finish)
        if 0 in result.shape:
            return MatmulChoice("nothing", 0, reason="the result has no elements") if explain else out
        choice, launch = _chosen(left, right, result, sizes, finish, exact=exact and left.element is f32)
        if explain:
            return choice
        known = launch(stream_of(left.device, left, right, result, *finish.operands.values()))
        _launches.keep(key, known, (out,))
    known.run(a, b, out, *arrays)
    return out


def _shape(a: Operand, b: Operand) -> tuple[int, ...]:
    """The result's. BuildError where the operands have none."""
    ranks = (len(a.shape), len(b.shape))
    if ranks not in ((2, 2), (3, 3)) or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise BuildError(
            f"matmul of {a.shape} and {b.shape}",
            hint="(m, depth) and (depth, n), or (batch, m, depth) and (batch, depth, n)",
        )
    return (*a.shape[:-1], b.shape[-1])


def _sizes(a: Operand, b: Operand, out: Operand, finish: Epilogue) -> dict[str, int]:
    """m, n, depth and batch. BuildError for operands that do not go together."""
    shape = _shape(a, b)
    expected = RESULTS.get(a.element)
    if expected is None or a.element is not b.element or out.element is not expected:
        names = ", ".join(f".{each.element.isa.name}" for each in (a, b, out))
        raise BuildError(f"matmul of {names}", hint="bf16, f16, f32, e4m3, e5m2 or s8; the result in that, bf16 or s32")
    if out.shape != shape:
        raise BuildError(f"out has the shape {out.shape}, expected {shape}")
    check_apart(out, {"a": a, "b": b})
    check_apart(out, finish.operands, in_place=True)
    return {"m": shape[-2], "n": shape[-1], "depth": a.shape[-1], "batch": shape[0] if len(shape) == 3 else 1}


def _chosen(
    a: Operand, b: Operand, out: Operand, sizes: Any, finish: Epilogue, *, exact: bool
) -> tuple[MatmulChoice, Callable[[int | None], PreparedLaunch]]:  # fmt: skip
    """What is launched, and what prepares it for a stream. `exact`: of f32 that is not rounded to tf32."""
    by_fma = partial(_by_mma, a, b, out, sizes, finish, exact=True)
    reason = without_parts(a, b, out) if exact else None
    if reason == "":
        choice = MatmulChoice("gemm_f32", parts_grid(a, b, sizes), reason="six products of bf16 for each of f32")
        return choice, partial(by_parts, a, b, out, sizes, finish, lambda needed: by_fma("", needed=needed)[0])
    if reason is not None:
        plan, choice = by_fma(f"f32 is not rounded to tf32; by fma: {reason}")
    else:
        plan, choice = _planned(a, b, out, sizes, finish)
    return choice, partial(prepare, plan, a.device)


def _planned(
    a: Operand, b: Operand, out: Operand, sizes: Any, finish: Epilogue
) -> tuple[KernelPlan, MatmulChoice]:  # fmt: skip
    target, size = a.device.target, out.element.isa.bytes
    if find_target(target).sm < _TENSOR_MAPS:
        return _by_mma(a, b, out, sizes, finish, f"{target} has no tensor maps")
    others = target not in ("sm_90a", "sm_100a")
    try:
        left, major_a = as_map("a", a)
        right, major_b = as_map("b", b.transposed())
        if not others:
            as_map("out", out)
    except BuildError as unmapped:
        return _by_mma(
            a, b, out, sizes, finish, str(unmapped.diagnostics[0].message if unmapped.diagnostics else unmapped)
        )
    options = {
        **sizes, **finish.options, "element": a.element, "result": out.element, "major_a": major_a, "major_b": major_b,
        "processors": a.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
    }  # fmt: skip
    if others:
        if out.shape[-1] > 1 and out.strides[-1] != size:
            return _by_mma(a, b, out, sizes, finish, "out has columns that are not beside each other")
        row, _, matrix = _in_elements("out", out)
        plan = gemm_tma.plan(left, right, out, strides=(row, matrix), aligned=out.mappable, **options)
        return plan, MatmulChoice("gemm_tma", plan.grid, reason="tensor copies and mma.sync")
    if target == "sm_100a":
        plan = gemm_blackwell.plan(left, right, out, **options)
        return plan, MatmulChoice("gemm_blackwell", plan.grid, reason="sums in tensor memory")
    tiling = gemm.choose(
        *sizes.values(), element_bytes=a.element.isa.bytes, result_bytes=size, processors=options["processors"],
        major_a=major_a, major_b=major_b,
    )  # fmt: skip
    if any(each.overlaps(out) for each in finish.operands.values()):
        tiling = tiling.without_overlap(size)
    plan = gemm.plan(left, right, out, tiling=tiling, **options)
    return plan, MatmulChoice("gemm_hopper", plan.grid, tiling)


_TENSOR_MAPS = 90
"""The first target that has them."""


def _by_mma(
    a: Operand, b: Operand, out: Operand, sizes: Any, finish: Epilogue, reason: str, *, exact: bool = False, needed: Any = None,
) -> tuple[KernelPlan, MatmulChoice]:  # fmt: skip
    """By mma.sync, or with `exact` by fma, from any strides. BuildError for fp8, which it has not."""
    if a.element in (e4m3, e5m2):
        raise BuildError(
            f"matmul of .{a.element.isa.name}: {reason}",
            hint="from sm_90 on, of rows along the depth at multiples of 16 bytes",
        )
    strides = [_in_elements(name, each) for name, each in (("a", a), ("b", b.transposed()), ("out", out))]
    majors = ["K" if each[1] == 1 else "MN" for each in strides]
    attribute = a.device.handle.attribute
    plan = gemm_mma.plan(
        sizes["m"], sizes["n"], sizes["depth"], a, b, out, batch=sizes["batch"], strides_a=strides[0], strides_b=strides[1],
        strides_c=strides[2], element=a.element, result=out.element, major_a=majors[0], major_b=majors[1],
        held=gemm_mma.held_as(a.element, find_target(a.device.target).sm),
        shared=attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
        processors=attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT), exact=exact, needed=needed,
        **finish.options,
    )  # fmt: skip
    return plan, MatmulChoice("gemm_mma", plan.grid, reason=reason)


def _in_elements(name: str, operand: Operand) -> tuple[int, int, int]:
    """How many elements apart rows, columns and matrices are."""
    size = operand.element.isa.bytes
    if any(stride % size for stride in operand.strides):
        raise BuildError(f"{name} has strides of {operand.strides} bytes", hint="multiples of its element's size")
    *lead, row, column = (stride // size for stride in operand.strides)
    return row, column, lead[0] if lead else 0
