"""Products of many matrices at once whose rows a device array counts, for arrays of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, e4m3, f16, s32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.matrices import gemm_grouped
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare
from ptxgen.ops.matrices.epilogues import Epilogue, arguments_key, read_arguments, read_epilogue
from ptxgen.ops.matrices.gemm import RESULTS
from ptxgen.ops.operands import Operand, as_map, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.kernels.plan import KernelPlan

__all__ = ["grouped_matmul"]

_launches = LaunchCache()


def grouped_matmul(
    a: Any, b: Any, rows: Any, out: Any = None,
    *, epilogue: Any = None, arguments: Sequence[Any] = (), explain: bool = False,
) -> Any:  # fmt: skip
    """The products of a mixture of experts: each group's rows times its matrix of B (groups, depth, n); returns `out`.

    A of (rows, depth) has the rows of all groups one after the other, and group g ends at rows[g] (PyTorch's `_grouped_mm`). A of
    (groups, height, depth) has room for `height` rows each, of which group g uses the first rows[g]. `rows` is an array of s32
    on the device that the kernel reads: a graph serves counts that change. Rows of no group stay as they are in `out`, and are
    undefined in a new array. Operands are bf16 or f16, as `out` then is, or e4m3 with `out` of bf16; B may be a transposed view.
    `epilogue` and `arguments` as in `matmul`; arrays of three dimensions have a matrix for each group. With `explain` nothing is
    launched: the kernel is returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    arguments = read_arguments(epilogue, arguments)
    numbers, arrays = arguments_key(arguments)
    options = (epilogue, numbers)
    key, known, (out,) = _launches.find(options, (a, b, rows, *arrays), (out,), skip=explain)
    if known is None:
        left, right, ends = read("a", a), read("b", b), read("rows", rows)
        _check(left, right, ends)
        shape = (*left.shape[:-1], right.shape[2])
        if out is None:
            out = empty_like(a, left.device, shape, RESULTS[left.element])
        result = read("out", out)
        finish = read_epilogue(epilogue, arguments, right.shape[0])
        same_device(a=left, b=right, rows=ends, out=result, **finish.operands)
        if result.shape != shape or result.element is not RESULTS[left.element] or not result.contiguous:
            raise BuildError(
                f"out is .{result.element.isa.name} of shape {result.shape} and strides {result.strides}",
                hint=f".{RESULTS[left.element].isa.name} of {shape}, without gaps",
            )
        if 0 in shape:
            return NOTHING if explain else out
        if not left.shape[-1]:
            raise BuildError(f"a result of {shape} over a depth of 0", hint="a depth of 1 or more, or zeros into out")
        check_apart(result, {"a": left, "b": right, "rows": ends})
        check_apart(result, finish.operands, in_place=True)
        plan = _planned(left, right, ends, result, finish)
        if explain:
            return plan.explained
        known = prepare(plan, left.device, stream_of(left.device, left, right, ends, result, *finish.operands.values()))
        _launches.keep(key, known, (out,))
    known.run(a, b, rows, out, *arrays)
    return out


def _check(a: Operand, b: Operand, rows: Operand) -> None:
    """BuildError for operands that do not go together."""
    groups = b.shape[0] if len(b.shape) == 3 else None
    masked = len(a.shape) == 3 and a.shape[0] == groups
    if groups is None or not (masked or len(a.shape) == 2) or a.shape[-1] != b.shape[1]:
        raise BuildError(
            f"grouped_matmul of {a.shape} and {b.shape}",
            hint="(rows, depth) or (groups, height, depth), and (groups, depth, n)",
        )
    if a.element not in (bf16, f16, e4m3) or b.element is not a.element:
        names = f".{a.element.isa.name} and .{b.element.isa.name}"
        raise BuildError(f"grouped_matmul of {names}", hint="bf16, f16 or e4m3, both the same")
    if rows.element is not s32 or rows.shape != (groups,) or not rows.contiguous:
        raise BuildError(
            f"rows is .{rows.element.isa.name} of shape {rows.shape}", hint=f"s32 of shape ({groups},), without gaps"
        )
    if a.device.target != "sm_90a":
        raise BuildError(f"grouped_matmul on {a.device.target}", hint="sm_90a")


def _planned(a: Operand, b: Operand, rows: Operand, out: Operand, finish: Epilogue) -> KernelPlan:
    left, major_a = as_map("a", a)
    if major_a != "K":
        raise BuildError(
            f"a of shape {a.shape} has strides of {a.strides} bytes", hint="elements beside each other along the depth"
        )
    right, major_b = as_map("b", b.transposed())
    if len(a.shape) == 2:
        left, out = (each._replace(shape=(1, *each.shape), strides=(0, *each.strides)) for each in (left, out))
    return gemm_grouped.plan(
        left, right, out, rows, masked=len(a.shape) == 3, element=a.element, result=out.element, major_b=major_b,
        processors=a.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT), **finish.options,
    )  # fmt: skip
