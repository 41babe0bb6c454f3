"""The largest elements of rows, and samples, for arrays of any library (ptxgen.kernels.largest)."""

from __future__ import annotations

import math
from typing import Any

from ptxgen.builder import s64
from ptxgen.errors import BuildError
from ptxgen.kernels import largest as kernels
from ptxgen.ops.arguments import check_count
from ptxgen.ops.operands import LaunchCache, check_apart, empty_like, prepare, read, same_device, stream_of
from ptxgen.ops.rows import as_rows

__all__ = ["argmax", "sample"]

_launches = LaunchCache()


def argmax(x: Any, out: Any = None, *, values: Any = None, explain: bool = False) -> Any:
    """The places of the largest elements along the last dimension, s64: of several the first, of a row with NaN its first NaN.

    x is f32, bf16 or f16; `values` gets the elements, of x's type. BuildError for arrays that it cannot have.
    """
    return _run("argmax", x, out, values, None, explain)


def sample(
    x: Any,
    seed: int,
    out: Any = None,
    *,
    temperature: float = 1.0,
    offset: int = 0,
    values: Any = None,
    explain: bool = False,
) -> Any:
    """An element of each row along the last dimension, s64, with the probabilities softmax(x / temperature), in one reading.

    It follows from the seed and the offset (64 bits each), the row's number and the numbers alone, as `ptxgen.kernels.largest`
    says: a new offset for each step gives new samples. -inf is never taken where there is another number. The rest as of
    `argmax`.
    """
    bits = (1 << 64) - 1
    seed, offset = check_count("seed", seed, most=bits), check_count("offset", offset, most=bits)
    if not 0 < temperature < math.inf:
        raise BuildError(f"temperature={temperature!r}", hint="a positive number; argmax for what comes of 0")
    return _run("sample", x, out, values, (temperature, seed, offset), explain)


def _run(op: str, x: Any, out: Any, values: Any, drawn: tuple[float, int, int] | None, explain: bool) -> Any:
    key, known = (None, None) if out is None or explain else _launches.find((op, drawn), x, out, values)
    if known is None:
        source = read("x", x)
        rows = as_rows("x", source)
        if source.element not in kernels.ELEMENTS or rows.columns == 0:
            name = source.element.isa.name
            raise BuildError(f"{op} of .{name} of {source.shape}", hint="f32, bf16 or f16, one element or more")
        shape = source.shape[:-1]
        if out is None:
            out = empty_like(x, source.device, shape, s64)
        result = read("out", out)
        largest = None if values is None else read("values", values)
        named = {"out": (result, s64)} | ({} if largest is None else {"values": (largest, source.element)})
        same_device(x=source, **{name: each for name, (each, _) in named.items()})
        for name, (each, element) in named.items():
            if each.shape != shape or each.element is not element or not each.contiguous:
                raise BuildError(
                    f"{name} is .{each.element.isa.name} of {each.shape}",
                    hint=f".{element.isa.name} of {shape}, without gaps",
                )
            check_apart(
                each, {"x": source, **{other: o for other, (o, _) in named.items() if other != name}}, name=name
            )
        temperature, seed, offset = drawn or (None, 0, 0)
        plan = kernels.plan(
            rows.height, rows.columns, source, result, largest, step=rows.step, element=source.element,
            temperature=temperature, seed=seed, offset=offset,
        )  # fmt: skip
        if explain:
            return f"{plan.kernel!r} on {plan.grid} CTAs of {plan.block} threads"
        known = prepare(plan, source.device, stream_of(source.device, source, result))
        _launches.keep(key, known)
    known.run(x, out, values)
    return out
