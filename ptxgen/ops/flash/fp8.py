"""What attention of e4m3 needs beside that of wider elements: the factors of Q, K and V, and V by columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import e4m3
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention_fp8 as kernels
from ptxgen.ops.operands import Operand, check_apart, read_dense
from ptxgen.ops.scratch import stream_scratch

if TYPE_CHECKING:
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["parted", "planned"]

NAMES = ("the scale of q", "the scale of k", "the scale of v")


def parted(scales: Any) -> tuple[tuple[float, ...] | None, tuple[Any, ...] | None]:
    """(three numbers, None) or (None, three arrays) of `scales`, (None, None) of none. BuildError for others."""
    if scales is None:
        return None, None
    try:
        given = tuple(scales)
    except TypeError:
        given = ()
    numbers = [each for each in given if isinstance(each, (int, float))]
    if len(given) != 3 or len(numbers) not in (0, 3):
        raise BuildError(f"scales={scales!r}", hint="those of q, k and v: three numbers, or three arrays")
    if not numbers:
        return None, given
    if not all(0 < each < math.inf for each in numbers):
        raise BuildError(f"scales={scales!r}", hint="positive numbers")
    return tuple(map(float, given)), None


def planned(
    q: Operand, keys: Operand, values: Operand, out: Operand, numbers: tuple[float, ...] | None, arrays: tuple[Any, ...] | None,
    stream: int | None, explain: bool, stated: dict[str, Any],
) -> tuple[KernelPlan, KernelPlan, Any]:  # fmt: skip
    """(the launch that turns V, that of attention, the scratch memory that holds V in between)."""
    batch, heads, length, d = keys.shape
    shape = kernels.columns_shape(batch, heads, length, d)
    size = math.prod(shape)
    scratch = None if explain else stream_scratch(q.device, stream, (-(-size // 4), 1))[0]
    steps = (shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1)
    columns = Operand(0 if scratch is None else scratch.pointer, shape, steps, e4m3, q.device, None)
    factors: Any = numbers or (1.0, 1.0, 1.0)
    if arrays is not None:
        factors = tuple(read_dense(name, each, (batch, heads), q=q) for name, each in zip(NAMES, arrays))
        for name, each in zip(NAMES, factors):
            check_apart(out, {name: each})
    first = kernels.plan_values(values, columns)
    return first, kernels.plan(q, keys, columns, out, scales=factors, result=out.element, **stated), scratch
