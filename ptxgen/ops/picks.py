"""The largest elements of rows, and samples, for arrays of any library (ptxgen.kernels.largest, topk, nucleus)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from driver_ctypes.streams.capturing import running_captures
from ptxgen.builder import s64
from ptxgen.errors import BuildError
from ptxgen.kernels import largest as kernels
from ptxgen.kernels import nucleus
from ptxgen.kernels import topk as ranking
from ptxgen.kernels.plan import common_alignment, widest_vector
from ptxgen.ops.arguments import check_count
from ptxgen.ops.operands import LaunchCache, Operand, check_apart, empty_like, prepare, read, same_device, stream_of
from ptxgen.ops.rows import Rows, as_rows, processors_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Float, Value
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["argmax", "sample", "topk"]

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
    top_k: int | None = None,
    top_p: float = 1.0,
    offset: int = 0,
    values: Any = None,
    explain: bool = False,
) -> Any:
    """An element of each row along the last dimension, s64, with the probabilities softmax(x / temperature), in one reading.

    It follows from the seed and the offset (64 bits each), the row's number and the numbers alone, as `ptxgen.kernels.largest`
    says: a new offset for each step gives new samples. -inf is never taken where there is another number.

    With `top_k`, only the k largest elements may be taken, of equals the first ones; with `top_p`, of what is left only the
    fewest, largest first, whose probabilities together reach top_p (more than 0, up to 1). `ptxgen.kernels.nucleus` says exactly
    which these are; a row is then read a few times, once from memory, and has up to 2^20 elements. The rest as of `argmax`.
    """
    bits = (1 << 64) - 1
    seed, offset = check_count("seed", seed, most=bits), check_count("offset", offset, most=bits)
    if not 0 < temperature < math.inf:
        raise BuildError(f"temperature={temperature!r}", hint="a positive number; argmax for what comes of 0")
    if top_k is not None:
        top_k = check_count("top_k", top_k, least=1)
    if not 0 < top_p <= 1:
        raise BuildError(f"top_p={top_p!r}", hint="more than 0, up to 1")
    return _run("sample", x, out, values, _Draw(temperature, seed, offset, top_k, top_p), explain)


class _Draw(NamedTuple):
    temperature: float
    seed: int
    offset: int
    top_k: int | None
    top_p: float


def _run(op: str, x: Any, out: Any, values: Any, drawn: _Draw | None, explain: bool) -> Any:
    key, known = (None, None) if out is None or explain else _launches.find((op, drawn), x, out, values)
    if known is None:
        source, rows = _rows(op, x)
        shape = source.shape[:-1]
        if out is None:
            out = empty_like(x, source.device, shape, s64)
        result = read("out", out)
        largest = None if values is None else read("values", values)
        named: dict[str, tuple[Operand, type[Value]]] = {"out": (result, s64)} | (
            {} if largest is None else {"values": (largest, source.element)}
        )
        _check_results(source, shape, named)
        if not rows.height:
            return out
        plan = _planned(source, rows, result, largest, drawn)
        if explain:
            return f"{plan.kernel!r} on {plan.grid} CTAs of {plan.block} threads"
        known = prepare(plan, source.device, stream_of(source.device, source, result))
        _launches.keep(key, known)
    known.run(x, out, values)
    return out


def _planned(x: Operand, rows: Rows, out: Operand, values: Operand | None, drawn: _Draw | None) -> KernelPlan:
    element = cast("type[Float]", x.element)
    temperature, seed, offset, top_k, top_p = drawn or (None, 0, 0, None, 1.0)
    given: Any = {"step": rows.step, "element": element, "seed": seed, "offset": offset}
    if temperature is None or ((top_k is None or top_k >= rows.columns) and top_p == 1):
        return kernels.plan(rows.height, rows.columns, x, out, values, **given, temperature=temperature)
    if rows.columns > nucleus.MOST_COLUMNS:
        raise BuildError(
            f"top_k={top_k}, top_p={top_p} of rows of {rows.columns}", hint=f"up to {nucleus.MOST_COLUMNS}"
        )
    given.update(temperature=temperature, top_k=min(top_k or rows.columns, rows.columns), top_p=top_p)
    return nucleus.plan(rows.height, rows.columns, x, out, values, **given)


def topk(
    x: Any, k: int, values: Any = None, indices: Any = None, *, largest: bool = True, explain: bool = False
) -> Any:
    """(values, indices): the k largest elements along the last dimension, largest first, and their places, s64.

    Of equals the first come first; NaN is larger than all numbers, -0 equals 0, as in PyTorch. With `largest=False` the smallest,
    smallest first, NaN last. x is f32, bf16 or f16, rows at any distance; k is 1 to 2,048 and at most the length of a row. Rows
    that no CTA holds, and few long ones, are taken in parts, whose results a further launch ranks. With `explain` nothing is
    launched: a text says which kernels it would be. BuildError for arrays that it cannot have.
    """
    options = ("topk", k, largest)
    made = values is None or indices is None
    key, known = (None, None) if made or explain or running_captures else _launches.find(options, x, values, indices)
    if known is None:
        source, rows = _rows("topk", x)
        count = check_count("k", k, least=1, most=min(ranking.MOST, rows.columns))
        shape = (*source.shape[:-1], count)
        if values is None:
            values = empty_like(x, source.device, shape, source.element)
        if indices is None:
            indices = empty_like(x, source.device, shape, s64)
        named: dict[str, tuple[Operand, type[Value]]] = {
            "values": (read("values", values), source.element),
            "indices": (read("indices", indices), s64),
        }
        _check_results(source, shape, named)
        if not rows.height:
            return values, indices
        results = named["values"][0], named["indices"][0]
        place = source.device
        plans, scratch = _stages(source, rows, count, results, largest)
        if explain:
            return ", then ".join(f"{plan.kernel!r} on {plan.grid} CTAs of {plan.block} threads" for plan in plans)
        stream = stream_of(place, source, *results)
        first, *behind = (prepare(plan, place, stream) for plan in plans)
        known = first._replace(then=tuple(behind), scratch=scratch)
        _launches.keep(key, known)
    known.run(x, values, indices)
    return values, indices


def _stages(
    x: Operand, rows: Rows, count: int, results: tuple[Operand, Operand], largest: bool
) -> tuple[list[KernelPlan], tuple[Any, ...]]:
    """(the launches, what is between them): each but the last takes rows in parts, whose results are the rows of the next."""
    place, element = x.device, cast("type[Float]", x.element)
    processors = processors_of(place)
    plans: list[KernelPlan] = []
    scratch: list[Any] = []
    given: Any = {"x": x, "columns": rows.columns, "step": rows.step, "lookup": None}
    while True:
        steps = [given["step"]] if rows.height > 1 else []
        wide = widest_vector(element.isa.bytes, common_alignment(given["x"]), given["columns"], *steps)
        vector = wide if wide * element.isa.bytes == 16 else 1
        parts = ranking.split(rows.height, given["columns"], count, vector, processors=processors).parts
        values: Any = results[0]
        places: Any = results[1]
        if parts > 1:
            room = rows.height * parts * count
            with place.context.beside_captures():
                values, places = place.empty(room, element), place.empty(room, s64)
            scratch += [values, places]
        plans.append(
            ranking.plan(
                rows.height, given["columns"], count, given["x"], values, places, step=given["step"], element=element,
                largest=largest, lookup=given["lookup"], processors=processors, vector=vector,
            )
        )  # fmt: skip
        if parts == 1:
            return plans, tuple(scratch)
        given = {"x": values, "columns": parts * count, "step": parts * count, "lookup": places}


def _rows(op: str, x: Any) -> tuple[Operand, Rows]:
    source = read("x", x)
    rows = as_rows("x", source)
    if source.element not in kernels.ELEMENTS or rows.columns == 0 or max(rows.height, rows.columns) >= 1 << 31:
        name = source.element.isa.name
        raise BuildError(f"{op} of .{name} of {source.shape}", hint="f32, bf16 or f16, one element or more")
    return source, rows


def _check_results(x: Operand, shape: tuple[int, ...], named: dict[str, tuple[Operand, type[Value]]]) -> None:
    """BuildError for results of another shape or type, elsewhere, with gaps, or over each other or x."""
    same_device(x=x, **{name: each for name, (each, _) in named.items()})
    for name, (each, element) in named.items():
        if each.shape != shape or each.element is not element or not each.contiguous:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of {each.shape}",
                hint=f".{element.isa.name} of {shape}, without gaps",
            )
        check_apart(each, {"x": x, **{other: o for other, (o, _) in named.items() if other != name}}, name=name)
