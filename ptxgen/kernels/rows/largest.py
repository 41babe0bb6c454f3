"""out[r] = the place of the largest element of row r: of several the first; a NaN is larger than all, as in numpy and PyTorch.

Shapes: x[rows, columns] of f32, f16 or bf16, rows any number of elements apart -> out[rows] of s64, values[rows] of x's type.

With a `sampled` kernel it is a sample instead: element c with the probability softmax(x / temperature)[c], by the largest of
x / temperature + g, where g = -log(-log(u)) is Gumbel noise (Gumbel, 1954; "Gumbel-max") of word c % 4 of Philox4x32-10
(dropout.py) at the counter (c / 4, row, offset) and the key `seed`; u = 1 - (word / 512 + 1/2) / 2^23.

Floor: x is read once. A CTA has a row, or the whole warps of it a short one each; a thread compares the largest of each access,
one instruction an element, remembers which access it was, and looks for the element in it at the end. Numbers are
compared as integers in their order, with the place behind them, so that a maximum of 64 bits finds the first of equals.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.ranks import number_key
from ptxgen.kernels.blocks.tiles import as_vectors, load, load_where
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ELEMENTS", "KERNEL", "VARIANTS", "largest", "noise_of", "over_lanes", "plan", "scores_of"]

E = TypeVar("E", bound=Float)

LN2 = math.log(2)

CTA = 128
"""Threads of a CTA whose rows are a warp's."""
UNROLL = 4
PROCESSORS = 132
"""SMs of an H200. On other devices a matter of speed alone."""
ELEMENTS: tuple[type[Float], ...] = (f32, bf16, f16)


def _block(lanes: int, **_: Any) -> int:
    return max(lanes, CTA)


@kernel(max_threads=_block)
def largest(
    k: Builder, rows: u32, columns: u32, x: ptr[E], step: u64, out: ptr[s64], values: ptr[E], scale: f32, seed: u64, offset: u64,
    *, element: type[E], lanes: int, vector: int = 1, valued: bool = False, sampled: bool = False,
) -> None:  # fmt: skip
    """`lanes` threads a row: a warp, or the whole CTA."""
    row = k.ctaid.x * (_block(lanes) // lanes) + k.tid.x // lanes
    lane = k.tid.x % lanes
    own = row < rows
    source = x.at(k.select(own, row, k.const(u32, 0)).to(u64) * step)
    many = as_vectors(source, vector)
    last = k.select(own, columns // vector, k.const(u32, 0))
    best, where = k.var(u32, 0), k.var(u32, 0)

    def numbers(number: Any, found: list[Any]) -> list[Any]:
        """What is compared of an access."""
        if not sampled:
            return [value.to(f32) for value in found]
        noise = noise_of(k, number, row, vector, seed, offset)
        return [k.fma(value.to(f32), scale, each) for value, each in zip(found, noise)]

    def compare(number: Any, found: list[Any]) -> None:
        key = number_key(k, _largest(k, numbers(number, found)))
        better = key > best
        best.set(k.select(better, key, best))
        where.set(k.select(better, number, where))

    whole = last // (lanes * UNROLL) * (lanes * UNROLL)
    for base in k.range(0, whole, lanes * UNROLL):
        loaded = [load(many.at(base + lane), j * lanes) for j in range(UNROLL)]
        for j, found in enumerate(loaded):
            compare(base + lane + j * lanes, found)
    for number in k.range(whole + lane, last, lanes):
        compare(number, load(many, number))

    # The element of that access, the first of equals; a thread that has had none has the key 0, below every number's.
    again = [k.var(element, 0) for _ in range(vector)]
    load_where(k, best > 0, many, where, again)
    place = k.var(u32, vector - 1)
    compared = numbers(where, again)
    for i in reversed(range(vector - 1)):
        place.set(k.select(number_key(k, compared[i]) == best, k.const(u32, i), place))
    number = ~(where * vector + place)
    packed = k.var(u64, (best.to(u64) << 32) | k.select(best > 0, number, k.const(u32, 0)).to(u64))
    over_lanes(k, packed, min(lanes, WARP))
    if lanes > WARP:
        shared = k.shared(u64, lanes // WARP)
        with k.if_(k.tid.x % WARP == 0):
            shared[k.tid.x // WARP] = packed
        k.barrier()
        packed.set(shared[k.tid.x % (lanes // WARP)])
        over_lanes(k, packed, lanes // WARP)
    with k.if_(own & (lane == 0)):
        place_found = ~packed.to(u32)
        out[row] = place_found.to(u64).bits(s64)
        if valued:
            values[row] = source[place_found]


KERNEL = largest


def _largest(k: Builder, values: list[f32]) -> f32:
    """Of which a NaN is one, if there is one."""
    while len(values) > 1:
        made = []
        for one, other in zip(values[::2], values[1::2]):
            found = k.var(f32)
            k.ptx["max.NaN.f32"](found, one, other)
            made.append(found)
        values = made
    return values[0]


def noise_of(k: Builder, number: u32, row: u32, vector: int, seed: u64, offset: u64) -> list[Any]:
    """-log(-log(u)) for each element of access `number`."""
    found: list[Any] = []
    for first in range(0, vector, 4):
        at = number * vector + first
        words = _philox(k, [at // 4, row, offset.to(u32), (offset >> 32).to(u32)], seed)
        if vector < 4:
            chosen = words[3]
            for i in range(3):
                chosen = k.select(at % 4 == i, words[i], chosen)
            words = [chosen]
        found += [_gumbel(k, word) for word in words]
    return found


def _philox(k: Builder, c: list[Any], seed: u64) -> list[Any]:
    """Four words of Philox4x32-10: see dropout.py."""
    k0, k1 = seed.to(u32), (seed >> 32).to(u32)
    for round_ in range(10):
        one, other = k.const(u32, 0xD2511F53), k.const(u32, 0xCD9E8D57)
        high0, low0, high1, low1 = k.mulhi(c[0], one), c[0] * one, k.mulhi(c[2], other), c[2] * other
        c = [high1 ^ c[1] ^ k0, low1, high0 ^ c[3] ^ k1, low0]
        if round_ < 9:
            k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85
    return c


def _gumbel(k: Builder, word: u32) -> Any:
    """-log(-log(1 - v)), v = (word / 512 + 1/2) / 2^23. -log(1 - v) of a small v is its series, which lg2.approx has not."""
    v = ((word >> 9).to(f32) + 0.5) * 2.0**-23
    series: Any = k.const(f32, 1 / 6)
    for i in (5, 4, 3, 2, 1):
        series = k.fma(series, v, k.const(f32, 1 / i))
    wait = k.select(v < 0.0625, series * v, k.log2(1.0 - v) * -LN2)
    return k.log2(wait) * -LN2


def over_lanes(k: Builder, packed: Any, width: int) -> None:
    """The largest of `width` lanes."""
    distance = width // 2
    while distance:
        packed.set(k.max(packed, k.shfl_xor(packed, distance)))
        distance //= 2


def plan(
    rows: int, columns: int, x: Any, out: Any, values: Any = None, *, step: int | None = None, element: type[Float] = f32,
    lanes: int | None = None, vector: int | None = None, temperature: float | None = None, seed: int = 0, offset: int = 0,
) -> KernelPlan:  # fmt: skip
    """`step`: elements from row to row. A warp a row of up to 2,048 elements, else a CTA, of more threads where these read the
    row at once, or where there are few rows."""
    distance = columns if step is None else step
    wide = vector or widest_vector(element.isa.bytes, common_alignment(x), columns, *([distance] if rows > 1 else []))
    if lanes is None:
        at_once = 256 * UNROLL < columns // wide <= 512 * UNROLL
        few = columns > 65536 and rows <= PROCESSORS
        lanes = WARP if columns <= 2048 else 512 if at_once or few else 256
    sampled = temperature is not None
    if sampled and 1 < wide < 4:
        wide = 1
    launch = using(largest, element=element, lanes=lanes, vector=wide, valued=values is not None, sampled=sampled)
    scale = 1.0 if temperature is None else 1 / temperature
    block = _block(lanes)
    arguments = (rows, columns, x, distance, out, 0 if values is None else values, scale, seed, offset)
    return KernelPlan(launch, max(1, ceil_div(rows, block // lanes)), block, arguments)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Float], lanes: int, vector: int) -> Case:
    """Equal numbers, negative ones alone, zeros of both signs, infinities and NaN are among the rows."""
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element, 3.0)
    values = x.values
    for row, special in zip(range(1, rows), (np.nan, -np.inf, np.inf)):
        values[row, columns // 2 :] = special
    if rows > 4:
        values[4] = -abs(values[4])
        values[4, columns // 3 :: 2] = -0.0
        values[4, -1] = 0.0
    expected = np.argmax(np.where(np.isnan(values), np.inf, values), axis=1)
    missing = np.isnan(values).any(axis=1)
    expected = np.where(missing, np.isnan(values).argmax(axis=1), expected)
    return Case(
        arrays={"x": x, "out": HostArray(np.full(rows, -7, np.int64), s64), "values": normal(rng, rows, element)},
        plan=lambda on: plan(
            rows, columns, on["x"], on["out"], on["values"], element=element, lanes=lanes, vector=vector
        ),
        expected={"out": expected, "values": values[np.arange(rows), expected]},
        tolerance=EXACT,
    )


def _variant(element: type[Float], lanes: int, vector: int, columns: tuple[int, ...]) -> Variant:
    given: dict[str, Any] = {"element": element, "lanes": lanes, "vector": vector}
    return Variant(
        "largest",
        f"{element.isa.name}.lanes-{lanes}" + (".scalar" if vector == 1 else ""),
        using(largest, **given, valued=True, sampled=False),
        partial(_case, **given),
        sizes=((0, columns[0]), (1, columns[0]), *((6, n) for n in columns)),
        absent={"sm_75": "max.NaN came with sm_80"},
    )


def scores_of(x: np.ndarray[Any, Any], temperature: float, seed: int, offset: int) -> np.ndarray[Any, Any]:
    """x / temperature with the noise of each place, in float64."""
    import numpy as np

    from ptxgen.kernels.elements.dropout import words

    rows, columns = x.shape
    drawn = np.stack([words(4 * ceil_div(columns, 4), seed, offset, row)[:columns] for row in range(rows)])
    v = ((drawn >> 9).astype(np.float64) + 0.5) * 2.0**-23
    return np.asarray(x.astype(np.float64) / temperature - np.log(-np.log1p(-v)))


def _sample_case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Float], vector: int) -> Case:
    """Where the two largest are farther apart than the noise's error; elsewhere either will do."""
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element, 2.0)
    seed, offset, temperature = 0x0123_4567_89AB_CDEF, 5, 0.7
    scores = scores_of(x.values, temperature, seed, offset)
    first = scores.argmax(axis=1)
    if columns > 1:
        order = np.sort(scores, axis=1)
        assert (order[:, -1] - order[:, -2] > 1e-4).all()
    return Case(
        arrays={"x": x, "out": HostArray(np.full(rows, -7, np.int64), s64)},
        plan=lambda on: plan(
            rows, columns, on["x"], on["out"], element=element, lanes=WARP, vector=vector, temperature=temperature, seed=seed,
            offset=offset,
        ),
        expected={"out": first},
        tolerance=EXACT,
    )  # fmt: skip


def _sampled(element: type[Float], vector: int) -> Variant:
    return Variant(
        "largest",
        f"sampled.{element.isa.name}" + (".scalar" if vector == 1 else ""),
        using(largest, element=element, lanes=WARP, vector=vector, valued=False, sampled=True),
        partial(_sample_case, element=element, vector=vector),
        sizes=((1, vector), (5, 100)),
        absent={"sm_75": "max.NaN came with sm_80"},
    )


VARIANTS = (
    _variant(f32, 32, 4, (4, 700)),
    _variant(bf16, 256, 8, (8, 9000)),
    _variant(f16, 128, 1, (1, 333)),
    _sampled(f32, 4),
    _sampled(bf16, 1),
)
