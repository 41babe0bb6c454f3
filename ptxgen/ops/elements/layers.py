"""Rotary embedding, dropout, quantisation and optimisers for arrays of any library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, e4m3, f32, s8, s32
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import rotary as turning
from ptxgen.kernels.elements import dropout as dropping
from ptxgen.kernels.elements import optimiser as optimisers
from ptxgen.kernels.rows import rows as row_kernels
from ptxgen.ops.arguments import check_count, check_number
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import as_rows, has_clusters

if TYPE_CHECKING:
    from ptxgen.builder.values import Value

__all__ = ["dropout", "optimiser_step", "quantise", "rotary"]

_launches = LaunchCache()


def dropout(x: Any, rate: float, seed: int, out: Any = None, *, offset: int = 0) -> Any:
    """x / (1 - rate), with zeros in the place of a share `rate` of the elements; returns `out`, which may be x.

    Which ones follows from the seed, the offset (64 bits each) and the element's number alone, by Philox4x32-10, as
    `ptxgen.kernels.elements.dropout` says to the bit: the gradient is `dropout(gradient, rate, seed, offset=offset)`.
    """
    bits = (1 << 64) - 1
    seed, offset = check_count("seed", seed, most=bits), check_count("offset", offset, most=bits)
    key, known, (out,) = _launches.find(check_number("rate", rate, f32.isa), (x,), (out,))
    if known is None:
        source = read("x", x)
        dropping.threshold(rate)
        if out is None:
            out = empty_like(x, source.device, source.shape, source.element)
        result = read("out", out)
        _alike({"x": source, "out": result}, dropping.ELEMENTS)
        check_apart(result, {"x": source}, in_place=True)
        plan = dropping.plan(math.prod(source.shape), rate, seed, offset, source, result, element=source.element)
        known = prepare(plan, source.device, stream_of(source.device, source, result))
        _launches.keep(key, known, (out,))
    known.with_numbers(1, seed, offset).run(x, out)
    return out


def rotary(
    x: Any,
    cos: Any,
    sin: Any,
    positions: Any = None,
    out: Any = None,
    *,
    interleaved: bool = False,
    inverse: bool = False,
) -> Any:
    """Pairs of elements of each head, turned: x (..., length, heads, d), cos and sin (positions, d/2) of f32; returns `out`,
    which may be x.

    `positions`, s32 of (..., length), says which row of cos and sin a token has, by default its place along the length. Pairs are
    elements j and j + d/2, or `interleaved` 2j and 2j + 1. `inverse` turns the other way, as the gradient is.
    """
    options = (interleaved, inverse)
    key, known, (out,) = _launches.find(options, (x, cos, sin, positions), (out,))
    if known is None:
        source, c, s = read("x", x), read("cos", cos), read("sin", sin)
        if out is None:
            out = empty_like(x, source.device, source.shape, source.element)
        result = read("out", out)
        places = None if positions is None else read("positions", positions)
        plan = _turned(source, c, s, places, result, interleaved, inverse)
        read_all = [source, c, s, result, *([] if places is None else [places])]
        known = prepare(plan, source.device, stream_of(source.device, *read_all))
        _launches.keep(key, known, (out,))
    known.run(x, cos, sin, positions, out)
    return out


def _turned(
    x: Operand, cos: Operand, sin: Operand, positions: Operand | None, out: Operand, interleaved: bool, inverse: bool
) -> Any:
    named = {"x": x, "cos": cos, "sin": sin, "out": out} | ({} if positions is None else {"positions": positions})
    same_device(**named)
    if len(x.shape) < 3 or x.shape[-1] % 2 or x.element not in row_kernels.ELEMENTS:
        raise BuildError(
            f"rotary of .{x.element.isa.name} of {x.shape}", hint="(..., length, heads, d) of f32, bf16 or f16, d even"
        )
    *lead, heads, d = x.shape
    tokens = math.prod(lead)
    for name, each in (("cos", cos), ("sin", sin)):
        fits = len(each.shape) == 2 and each.shape[1] == d // 2 and each.contiguous and each.element is f32
        if not fits or each.shape != cos.shape or (positions is None and each.shape[0] < lead[-1]):
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape}",
                hint=f".f32 of (positions, {d // 2}), without gaps",
            )
    if positions is not None and (
        positions.shape != tuple(lead) or positions.element is not s32 or not positions.contiguous
    ):
        raise BuildError(
            f"positions is .{positions.element.isa.name} of {positions.shape}", hint=f".s32 of {tuple(lead)}"
        )
    if out.shape != x.shape or out.element is not x.element:
        raise BuildError(f"out is .{out.element.isa.name} of {out.shape}", hint=f".{x.element.isa.name} of {x.shape}")
    check_apart(out, {"x": x}, in_place=True)
    check_apart(out, {name: each for name, each in named.items() if name not in ("x", "out")})
    strides = []
    for name, each in (("x", x), ("out", out)):
        size = each.element.isa.bytes
        flat = each._replace(shape=(*lead, heads), strides=each.strides[:-1])
        step = as_rows(name, flat._replace(strides=(*each.strides[:-2], size), shape=(*lead, 1))).step
        if each.strides[-1] != size or each.strides[-2] % size:
            raise BuildError(f"{name} has strides of {each.strides} bytes", hint="elements of a head beside each other")
        strides.append((step, each.strides[-2] // size))
    return turning.plan(
        tokens, heads, d, x, out, cos, sin, positions, x_strides=strides[0], y_strides=strides[1],
        length=lead[-1] if positions is None else cos.shape[0], element=x.element, interleaved=interleaved, inverse=inverse,
    )  # fmt: skip


def quantise(
    x: Any, element: type[Value] = s8, out: Any = None, scales: Any = None, *, block: int | None = None
) -> tuple[Any, Any]:
    """(out, scales) with x = out * scale, rounded to s8 or e4m3: a scale for each row along the last dimension, or for each
    `block` elements of it.

    The largest element of a row becomes 127 or 448. x is f32, bf16 or f16; scales are f32, of x's shape with the last dimension
    left out, or with as many blocks as there are.
    """
    key, known, (out, scales) = _launches.find((element, block), (x,), (out, scales))
    if known is None:
        source = read("x", x)
        kind = SCALARS.get(getattr(getattr(element, "isa", None), "name", ""))
        if kind not in (s8, e4m3) or source.element not in row_kernels.ELEMENTS or not source.shape:
            raise BuildError(
                f"quantise .{source.element.isa.name} to {element!r}", hint="f32, bf16 or f16 to s8 or e4m3"
            )
        columns = source.shape[-1]
        if block is not None and (check_count("block", block, least=1) > columns or columns % block):
            raise BuildError(f"blocks of {block} in rows of {columns}", hint="a divisor")
        shape = source.shape[:-1] if block is None else (*source.shape[:-1], columns // block)
        if out is None:
            out = empty_like(x, source.device, source.shape, kind)
        if scales is None:
            scales = empty_like(x, source.device, shape, f32)
        result, factors = read("out", out), read("scales", scales)
        same_device(x=source, out=result, scales=factors)
        for name, each, expected, its in (("out", result, source.shape, kind), ("scales", factors, shape, f32)):
            if each.shape != expected or each.element is not its or not each.contiguous:
                raise BuildError(
                    f"{name} is .{each.element.isa.name} of {each.shape}",
                    hint=f".{its.isa.name} of {expected}, without gaps",
                )
        check_apart(result, {"x": source, "scales": factors})
        check_apart(factors, {"x": source}, name="scales")
        if block is not None and not source.contiguous:
            raise BuildError(
                f"x of {source.shape} has strides of {source.strides} bytes", hint="blocks of rows without gaps"
            )
        rows = as_rows("x", source)
        if block is not None:
            rows = rows._replace(height=rows.height * (columns // block), columns=block, step=block)
        plan = row_kernels.plan(
            "quantise", rows.height, rows.columns, {"x": (source, rows.step), "y": (result, rows.columns)}, {"scale": factors},
            element=source.element, options=row_kernels.Options(result=kind), clusters=has_clusters(source.device),
        )  # fmt: skip
        known = prepare(plan, source.device, stream_of(source.device, source, result, factors))
        _launches.keep(key, known, (out, scales))
    known.run(x, out, scales)
    return out, scales


def optimiser_step(
    op: str, p: Any, g: Any, m: Any, v: Any = None,
    *, rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, decay: float = 0.0, step: int = 1,
    squares: Any = None, most: float = 1.0,
) -> None:  # fmt: skip
    """One step of "adam", "adamw" or "lion", in place: parameters p and gradients g of f32, bf16 or f16, moments m and v (not
    Lion's) of f32, all of one shape without gaps; `step` counts from 1.

    With `squares`, one f32 on the device that has the sum of the squares of all gradients, these are scaled to a norm of `most`
    where theirs is larger. BuildError for arrays and numbers that it cannot have.
    """
    check_count("step", step, least=1)
    numbers = {"rate": rate, "beta1": beta1, "beta2": beta2, "eps": eps, "decay": decay, "most": most}
    for name, number in numbers.items():
        check_number(name, number, f32.isa)
    if not (0 <= beta1 < 1 and 0 <= beta2 < 1):
        raise BuildError(f"beta1={beta1}, beta2={beta2}", hint="0 or more, and less than 1")
    rates = optimisers.Rates(rate, beta1, beta2, eps, decay, step, most)
    key, known, _ = _launches.find(op, (p, g, m, v, squares))
    if known is None:
        named = {"p": read("p", p), "g": read("g", g)}
        states = {"m": read("m", m)} | ({} if v is None else {"v": read("v", v)})
        if op in optimisers.OPERATIONS and (op == "lion") != (v is None):
            raise BuildError(
                f"{op} {'with' if v is not None else 'without'} v", hint="lion has m alone, the others m and v"
            )
        _alike(named, optimisers.ELEMENTS)
        _alike(states, (f32,), named["p"].shape)
        total = None if squares is None else read("squares", squares)
        if total is not None and (total.element is not f32 or math.prod(total.shape) != 1):
            raise BuildError(f"squares is .{total.element.isa.name} of {total.shape}", hint="one f32")
        every = {**named, **states, **({} if total is None else {"squares": total})}
        same_device(**every)
        for name in ("p", *states):
            check_apart(every[name], {other: each for other, each in every.items() if other != name}, name=name)
        plan = optimisers.plan(
            op, math.prod(named["p"].shape), *named.values(), *states.values(), element=named["p"].element, rates=rates,
            squares=total,
        )  # fmt: skip
        place = named["p"].device
        known = prepare(plan, place, stream_of(place, *every.values()))
        _launches.keep(key, known)
    known.with_numbers(1, *rates.numbers(op, squares is not None)).run(p, g, m, v, squares)


def _alike(arrays: dict[str, Operand], elements: tuple[type[Value], ...], shape: tuple[int, ...] | None = None) -> None:
    """BuildError unless they have one type, one of these, and one shape, without gaps."""
    first = next(iter(arrays.values()))
    expected = first.shape if shape is None else shape
    same_device(**arrays)
    for name, each in arrays.items():
        if (
            each.element is not first.element
            or each.element not in elements
            or each.shape != expected
            or not each.contiguous
        ):
            known = " or ".join(f".{element.isa.name}" for element in elements)
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape} with strides of {each.strides} bytes",
                hint=f"{known} of {expected}, without gaps",
            )
