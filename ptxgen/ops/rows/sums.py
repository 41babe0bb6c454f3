"""Sums over the rows of a matrix, for arrays of any library (ptxgen.kernels.rows.column_sums)."""

from __future__ import annotations

from typing import Any

from ptxgen.builder import f32
from ptxgen.errors import BuildError
from ptxgen.kernels.rows import column_sums as kernels
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import check_apart, empty_like, read, same_device, stream_of

__all__ = ["column_sums"]

_launches = LaunchCache()


def column_sums(x: Any, out: Any = None) -> Any:
    """The sum of each column of x, (rows, columns) of f32, bf16 or f16 without gaps: `out`, f32 of (columns), is returned. It is
    the gradient of a bias from that of the sum; every run gives the same bits. BuildError for arrays that it cannot have."""
    key, known, (out,) = _launches.find(None, (x,), (out,))
    if known is None:
        source = read("x", x)
        if len(source.shape) != 2 or source.element not in kernels.ELEMENTS or not source.contiguous:
            raise BuildError(
                f"x is .{source.element.isa.name} of {source.shape} with strides of {source.strides} bytes",
                hint="(rows, columns) of f32, bf16 or f16, without gaps",
            )
        rows, columns = source.shape
        if out is None:
            out = empty_like(x, source.device, (columns,), f32)
        result = read("out", out)
        same_device(x=source, out=result)
        if result.shape != (columns,) or result.element is not f32 or not result.contiguous:
            raise BuildError(
                f"out is .{result.element.isa.name} of {result.shape}", hint=f".f32 of {(columns,)}, without gaps"
            )
        check_apart(result, {"x": source})
        plan = kernels.plan(rows, columns, source, result, element=source.element)
        known = prepare(plan, source.device, stream_of(source.device, source, result))
        _launches.keep(key, known, (out,))
    known.run(x, out)
    return out
