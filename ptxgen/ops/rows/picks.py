"""The largest elements of rows, and samples, of any library's arrays (ptxgen.kernels.rows.largest, topk, nucleus, shortlist)."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import s64
from ptxgen.errors import BuildError
from ptxgen.kernels.plan import ceil_div
from ptxgen.kernels.rows import largest as kernels
from ptxgen.kernels.rows import nucleus, shortlist
from ptxgen.kernels.rows import topk as ranking
from ptxgen.kernels.rows import topk_cluster as sharing
from ptxgen.ops.arguments import check_count
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, PreparedLaunch, explained, prepare_chain
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of
from ptxgen.ops.rows.rows import Rows, as_rows, has_clusters, processors_of
from ptxgen.ops.scratch import stream_scratch

if TYPE_CHECKING:
    from ptxgen.builder.values import Float, Value
    from ptxgen.host import Device
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["argmax", "sample", "topk"]

SECTOR = 32
"""Bytes that pieces of scratch memory are multiples of."""
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

    It follows from the seed and the offset (64 bits each), the row's number and the numbers alone, as
    `ptxgen.kernels.rows.largest` says: a new offset for each step gives new samples. -inf is never taken where there is
    another number.

    With `top_k`, only the k largest elements may be taken, of equals the first ones; with `top_p`, of what is left only the
    fewest, largest first, whose probabilities together reach top_p (more than 0, up to 1). `ptxgen.kernels.rows.nucleus`
    says exactly which these are. Of up to 2,048 they are found as by `topk`; else a row is read a few times, once from
    memory, and has up to 2^20 elements. The rest as of `argmax`.
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
    options = op if drawn is None else drawn._replace(seed=0, offset=0)
    skip = explain or (drawn is not None and drawn.top_k is not None and bool(running_captures))
    key, known, (out,) = _launches.find(options, (x, values), (out,), skip=skip)
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
            return NOTHING if explain else out
        stream = stream_of(source.device, source, result)
        stages = _planned(source, rows, stream, result, largest, drawn, explain)
        if explain:
            return stages.explained()
        known = stages.prepared(source.device, stream)
        _launches.keep(key, known, (out,))
    (known if drawn is None else _redrawn(known, drawn)).run(x, out, values)
    return out


class _Stages(NamedTuple):
    """Launches one behind the other, and the memory between them."""

    plans: list[KernelPlan]
    scratch: tuple[Any, ...] = ()

    def explained(self) -> str:
        return explained(self.plans)

    def prepared(self, place: Device, stream: int | None) -> PreparedLaunch:
        return prepare_chain(self.plans, place, stream, self.scratch)


def _planned(
    x: Operand, rows: Rows, stream: int | None, out: Operand, values: Operand | None, drawn: _Draw | None, explain: bool
) -> _Stages:  # fmt: skip
    element = cast("type[Float]", x.element)
    temperature, seed, offset, top_k, top_p = drawn or (None, 0, 0, None, 1.0)
    given: Any = {"element": element, "seed": seed, "offset": offset}
    if temperature is None or ((top_k is None or top_k >= rows.columns) and top_p == 1):
        plan = kernels.plan(rows.height, rows.columns, x, out, values, **given, step=rows.step, temperature=temperature)
        return _Stages([plan])
    given.update(temperature=temperature, top_p=top_p)
    count = min(top_k or rows.columns, rows.columns)
    if top_k is not None and count <= ranking.MOST:
        stages, (found, places) = _ranked(x, rows, count, stream, True, explain, None)
        return stages._replace(
            plans=[*stages.plans, shortlist.plan(rows.height, count, found, places, out, values, **given)]
        )
    if rows.columns > nucleus.MOST_COLUMNS:
        raise BuildError(
            f"top_k={top_k}, top_p={top_p} of rows of {rows.columns}", hint=f"up to {nucleus.MOST_COLUMNS}"
        )
    ctas = nucleus.shared_by(rows.height, rows.columns, processors_of(x.device)) if has_clusters(x.device) else 1
    return _Stages(
        [nucleus.plan(rows.height, rows.columns, x, out, values, **given, step=rows.step, top_k=count, ctas=ctas)]
    )


def _redrawn(known: PreparedLaunch, drawn: _Draw) -> PreparedLaunch:
    """With another seed and offset: the last two parameters of each kernel that draws, which is the last one."""
    *before, last = known, *known.then
    last = last.changed(arguments=(*last.arguments[:-2], drawn.seed, drawn.offset))
    return before[0].changed(then=(*before[1:], last)) if before else last


def topk(
    x: Any, k: int, values: Any = None, indices: Any = None, *, largest: bool = True, explain: bool = False
) -> Any:
    """(values, indices): the k largest elements along the last dimension, largest first, and their places, s64.

    Of equals the first come first; NaN is larger than all numbers, -0 equals 0, as in PyTorch. With `largest=False` the smallest,
    smallest first, NaN last. x is f32, bf16 or f16, rows at any distance; k is 1 to 2,048 and at most the length of a row. Rows
    that no CTA holds, and few long ones, are taken in parts, whose results a further launch ranks, or for a large k by a cluster
    each. With `explain` nothing is launched: a text says which kernels it would be. BuildError for arrays that it cannot have.
    """
    options = ("topk", k, largest)
    skip = explain or bool(running_captures)
    key, known, (values, indices) = _launches.find(options, (x,), (values, indices), skip=skip)
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
            return NOTHING if explain else (values, indices)
        results = named["values"][0], named["indices"][0]
        stream = stream_of(source.device, source, *results)
        stages, _ = _ranked(source, rows, count, stream, largest, explain, results)
        if explain:
            return stages.explained()
        known = stages.prepared(source.device, stream)
        _launches.keep(key, known, (values, indices))
    known.run(x, values, indices)
    return values, indices


def _ranked(
    x: Operand, rows: Rows, count: int, stream: int | None, largest: bool, explain: bool, results: tuple[Any, Any] | None
) -> tuple[_Stages, tuple[Any, Any]]:  # fmt: skip
    """(the launches, the values and places): each but the last takes rows in parts, whose results are the rows of the next.
    Without `results` they are scratch memory too."""
    place, element, processors = x.device, cast("type[Float]", x.element), processors_of(x.device)
    vector = ranking.vector_of(x, rows.columns, rows.step if rows.height > 1 else 0, element)
    clustered = has_clusters(place) and sharing.shares(rows.height, rows.columns, count, vector, processors=processors)
    widths = [rows.columns]
    while (
        not clustered and (parts := ranking.split(rows.height, widths[-1], count, 1, processors=processors).parts) > 1
    ):
        widths.append(parts * count)
    between = [rows.height * width for width in [*widths[1:], *([] if results else [count])]]
    scratch: tuple[Any, ...] = ()
    targets: list[tuple[Any, Any]] = []
    if between:
        rooms = [ceil_div(n * size, SECTOR) * SECTOR for n in between for size in (element.isa.bytes, s64.isa.bytes)]
        scratch = () if explain else stream_scratch(place, stream, (sum(rooms) // 4, 1))[:1]
        base = scratch[0].pointer if scratch else 0
        starts = [base + begin for begin in accumulate(rooms, initial=0)]
        targets = list(zip(starts[:-1:2], starts[1::2]))
    if results:
        targets.append(results)
    if clustered:
        found = sharing.plan(
            rows.height,
            rows.columns,
            count,
            x,
            *targets[-1],
            step=rows.step,
            element=element,
            largest=largest,
            vector=vector,
        )
        return _Stages([found], scratch), targets[-1]
    given: Any = {"x": x, "step": rows.step, "lookup": None}
    plans: list[KernelPlan] = []
    for width, (values, places) in zip(widths, targets):
        plans.append(
            ranking.plan(
                rows.height, width, count, **given, values=values, places=places, element=element, largest=largest,
                processors=processors,
            )
        )  # fmt: skip
        given = {"x": values, "step": None, "lookup": places}
    return _Stages(plans, scratch), targets[-1]


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
