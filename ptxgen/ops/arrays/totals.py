"""Scans, reductions and selections in one call."""

from __future__ import annotations

from typing import Any

from ptxgen.errors import BuildError
from ptxgen.ops.arguments import check_array, value_type
from ptxgen.ops.arrays.reduce import Reduce
from ptxgen.ops.arrays.scan import Scan
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.calls import Call, launched_before, sized_again

__all__ = ["cumsum", "reduce", "scan", "select"]


def scan(x: Any, out: Any = None, *, op: str = "sum", exclusive: bool = False) -> Any:
    """out[i] = x[0] + ... + x[i], or all before x[i] where it is `exclusive`; `op` may be "min" or "max". As of `Scan`: one
    dimension, the type of x (integers wrap), and NaNs are passed over by "min" and "max". `out` may be x.

    Returns `out`, by default a new array of x's library. BuildError for arrays that it cannot have.
    """
    key, again, (out,) = launched_before(("scan", op, exclusive), (x,), (out,))
    if again is not None:
        return out
    with Call(x=x, out=out) as call:
        element = value_type("x", call["x"])
        n = check_array("x", call["x"], element, device=call.device)
        made, target = (out, call["out"]) if out is not None else call.result(n, element)
        found = call.operation(
            Scan, n, element, op, exclusive,
            make=lambda most: Scan(call.device, element, most, op=op, exclusive=exclusive),
        )  # fmt: skip
        found(call["x"], target)
        call.remember(key, made)
        return made


def cumsum(x: Any, out: Any = None) -> Any:
    """The sums of x up to each element, as `numpy.cumsum`, in the type of x: see `scan`."""
    return scan(x, out)


def reduce(x: Any, out: Any = None, *, op: str = "sum") -> Any:
    """The sum of x, or with `op` "min" or "max" its smallest or largest element, as an array without dimensions on the device;
    `.item()` waits for it. As of `Reduce`: u32, s32, u64, s64, f32 and f64 in their own type, f16 and bf16 in f32; NaNs are
    passed over by "min" and "max"; the same bits in every run. x may have any shape.

    Returns `out`, an array of one element, by default a new one of x's library. BuildError for arrays that it cannot have.
    """
    key, again, (out,) = launched_before(("reduce", op), (x,), (out,))
    if again is not None:
        return out
    with Call(x=x, out=out) as call:
        element = call.element_of("x")
        found = call.operation(Reduce, 1, element, op, make=lambda _: Reduce(call.device, element, op=op))
        made, target = (out, call["out"]) if out is not None else call.result_of((), found.result)
        if target.size != 1:
            raise BuildError(f"out has {target.size} elements, expected 1")
        found(call["x"].reshape(-1), target.reshape(1))
        call.remember(key, made)
        return made


def select(x: Any, op: str = "ne", value: int | float = 0) -> Any:
    """The places i with `x[i] OP value`, in order, u32 (s32 in PyTorch): as `numpy.flatnonzero`, where nothing is said. `op` is
    "eq", "ne", "lt", "le", "gt" or "ge". It waits for their number. BuildError for arrays that it cannot have."""
    key, again, (made,) = launched_before(("select", op, value), (x,), (None,))
    if again is not None:
        return sized_again(again, x, made)
    with Call(x=x) as call:
        call.waits("select")
        element = value_type("x", call["x"])
        n = check_array("x", call["x"], element, device=call.device)
        found = call.operation(
            Select, n, element, op, make=lambda most: Select(call.device, element, most, op=op, host_total=True)
        )
        made, places = call.numbers(n)
        found(call["x"], places, value)
        return call.sized(key, made, found.count)
