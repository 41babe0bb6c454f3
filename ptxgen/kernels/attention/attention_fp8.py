"""Attention of e4m3 with the tensor cores of sm_90a: the tile of `attention`, with products at twice its rate.

wgmma takes fp8 with the elements along K beside each other, so that the product of weights and V wants V by columns, which
`values_by_columns` makes of it beforehand: V is read and written once, 2 bytes an element beside 4 * queries operations. It
also puts the keys in the order in which a thread's weights are A of that product (`FP8_ORDER`), as FlashAttention-3 (Shah and
others 2024, 3.3) does: no weight moves between threads.

Floor: 4*queries*keys*d operations at the 1,979 TFLOP/s of fp8 that an H200's datasheet has (half where causal), and one 2^x a
score, 16 a clock and multiprocessor: for d = 128 they take as long as the products, which is why both are under way at once.
Weights are raised by 2^7 before they are rounded to 3 bits of mantissa; wgmma adds products of fp8 with some 14 bits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, b8, b32, bf16, e4m3, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.tiles.fragments import FP8_ORDER
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.attention import attention
from ptxgen.kernels.attention.attention_forward import Form, Matrices, Rows, Scales, forward, masked
from ptxgen.kernels.attention.tile_order import heads_beside, in_turn
from ptxgen.kernels.blocks.tiles import load_where
from ptxgen.kernels.cases import EXACT, NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, rounded
from ptxgen.kernels.elements.permute import turned_square
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "by_columns", "columns_shape", "plan", "plan_values"]

T = TypeVar("T")

BLOCKS = {64: (128, 3, 3), 96: (128, 2, 3), 128: (128, 2, 3), 256: (128, 2, 2)}
"""By d: keys of a block, consuming warpgroups and stages: as many as registers and shared memory hold (H200)."""

GROUP = len(FP8_ORDER)
"""Keys that a thread of `values_by_columns` takes, and which rows of V by columns are multiples of: a tensor map's 16 bytes."""

THREADS = 128


@kernel
def attention_fp8(
    k: Builder, query_length: u32, key_length: u32, heads: u32, batch: u32, shared_heads: u32, group: u32,
    scale: f32, value_scale: f32, q: TensorMap, keys: TensorMap, values: TensorMap, o: TensorMap, *given: T,
    result: type[Value] = bf16, d: int = 128, bn: int = 128, stages: int = 3, consumers: int = 2, causal: bool = False,
    window: int | None = None, softcap: float = 0.0, scaled: bool = False,
    types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """O of a `result` type of Q and K (batch, heads, length, d) of e4m3 and of V by columns, as `attention_hopper` has it.

    Scores are multiplied by `scale` and O by `value_scale`. With `scaled` the first three further parameters, (batch, heads of K)
    of f32, hold what else a head's Q, K and V are multiplied by; one more gets the logarithms of the sums.
    """
    form = Form(e4m3, d, bn, stages, consumers, causal, window, softcap, result)
    schedule = Matrices(k, form, query_length, key_length, heads, batch, group)
    arrays, logs = (given[:3], given[3:]) if scaled else ((), given)
    found: Any = logs
    rows = Rows(found[0], query_length, heads) if logs else None
    scales = Scales(value_scale, arrays, heads // shared_heads if scaled else 0)
    forward(k, form, schedule, shared_heads, scale, q, keys, values, o, rows, scales)


KERNEL = attention_fp8


@kernel(max_threads=THREADS)
def values_by_columns(
    k: Builder, count: u32, keys: u32, heads: u32, x: ptr[b8], batch_step: u64, head_step: u64, row_step: u64, y: ptr[b8],
    groups: u32, *, d: int,
) -> None:  # fmt: skip
    """y (batch, heads, d, groups * 16) = x (batch, heads, keys, d) of bytes, keys in `FP8_ORDER`, zeros behind the last one.

    Steps are in 16 bytes. Each of `count` threads turns 16 keys by 16 columns in registers; neighbouring threads read a row's
    neighbouring columns.
    """
    number = k.global_id.x
    with k.if_(number < count):
        pieces = d // GROUP
        row = number // pieces
        piece = number - row * pieces
        matrix = row // groups
        group = row - matrix * groups
        outer = matrix // heads
        head = matrix - outer * heads
        start = k.fma(outer.to(u64), batch_step, head.to(u64) * head_step) + piece.to(u64)
        source = x.cast(b32).vectors(4)
        words = [[k.var(b32, 0) for _ in range(4)] for _ in FP8_ORDER]
        for place, line in zip(FP8_ORDER, words):
            key = group * GROUP + place
            load_where(k, key < keys, source, k.fma(key.to(u64), row_step, start), line)
        target = y.cast(b32).vectors(4).at(k.fma(matrix * d + piece * GROUP, groups, group).to(u64))
        for column, line in enumerate(turned_square(k, words, 1)):
            target[groups.to(u64) * column] = k.vec(*line)


def columns_shape(batch: int, heads: int, keys: int, d: int) -> tuple[int, int, int, int]:
    """The shape of V by columns: the keys of a row are whole 16 bytes."""
    return (batch, heads, d, ceil_div(keys, GROUP) * GROUP)


def plan_values(values: Any, columns: Any) -> KernelPlan:
    """`columns`, of `columns_shape` and without gaps, of V (batch, heads, keys, d) with strides of multiples of 16 bytes."""
    batch, heads, keys, d = values.shape
    groups = columns.shape[3] // GROUP
    count = batch * heads * groups * (d // GROUP)
    if count >= 1 << 31:
        raise BuildError(f"V of {values.shape} by columns", hint="fewer than 2^39 bytes")
    steps = (stride // GROUP for stride in values.strides[:3])
    launch = using(values_by_columns, d=d)
    return KernelPlan(launch, ceil_div(count, THREADS), THREADS, (count, keys, heads, values, *steps, columns, groups))


def plan(
    q: Any, keys: Any, columns: Any, o: Any, *, batch: int, heads: int, query_length: int, key_length: int, d: int,
    shared_heads: int = 1, scale: float | None = None, causal: bool = False, window: int | None = None, softcap: float = 0.0,
    scales: tuple[Any, Any, Any] = (1.0, 1.0, 1.0), result: type[Value] = bf16, processors: int = 132, log_sums: Any = None,
) -> KernelPlan:  # fmt: skip
    """As `attention.plan`, with V as `plan_values` wrote it. `scales`: numbers that Q, K and V are multiplied by, or three arrays
    (batch, heads of K) of f32."""
    if d not in BLOCKS:
        raise BuildError(f"attention of heads of {d} elements", hint=f"one of {', '.join(map(str, BLOCKS))}")
    if result not in (bf16, f16):
        raise BuildError(f"a result of .{result.isa.name}", hint="bf16 or f16")
    scaled = not isinstance(scales[0], float)
    given = (*(scales if scaled else ()), *(() if log_sums is None else (log_sums,)))
    consumers = BLOCKS[d][1]
    kernel = using(attention_fp8, result=result, **_options(d, causal, window, softcap, scaled, len(given)))
    tiles = ceil_div(query_length, 64 * consumers)
    factor = attention.score_factor(scale, d)
    of_values = 1.0
    if not scaled:
        factor, of_values = factor * scales[0] * scales[1], scales[2]
    group = heads_beside(d, heads * batch, tiles, causal)
    arguments = (
        query_length, key_length, heads, batch, shared_heads, group, factor, of_values, q, keys, columns, o, *given,
    )  # fmt: skip
    return in_turn(kernel, arguments, tiles * heads * batch, processors, consumers)


def _options(
    d: int, causal: bool, window: int | None, softcap: float, scaled: bool, arrays: int
) -> dict[str, Any]:  # fmt: skip
    """The kernel's options: those that are not used are not stated, so that a kernel is the same object however it was asked
    for."""
    bn, consumers, stages = BLOCKS[d]
    found = {"d": d, "bn": bn, "consumers": consumers, "stages": stages, "causal": causal, **masked(window, softcap)}
    return found | ({"scaled": True} if scaled else {}) | ({"types": (ptr[f32],) * arrays} if arrays else {})


class Kind(NamedTuple):
    """What a case is of. `scaled`: with factors for each head."""

    d: int = 128
    causal: bool = False
    shared_heads: int = 1
    window: int | None = None
    softcap: float = 0.0
    scaled: bool = False


def by_columns(values: Any) -> Any:
    """What `values_by_columns` makes of V, by its definition."""
    import numpy as np

    batch, heads, keys, d = values.shape
    found = np.zeros(columns_shape(batch, heads, keys, d), values.dtype)
    found[..., :keys] = values.swapaxes(2, 3)
    return found.reshape(batch, heads, d, -1, GROUP)[..., FP8_ORDER].reshape(found.shape)


LIMIT = "weights are rounded to e4m3, the result to bf16; wgmma's sums of fp8 keep 13 bits of mantissa"


def _case(size: tuple[int, int, int, int], rng: np.random.Generator, kind: Kind) -> Case:
    import numpy as np

    batch, heads, queries, keys = size
    d, of_keys = kind.d, heads // kind.shared_heads
    q = normal(
        rng, (batch, heads, queries, d), e4m3, 4.0
    )  # few keys have most of a query's weight: no mean hides an error
    k, v = (normal(rng, (batch, of_keys, keys, d), e4m3) for _ in range(2))
    factors = [rng.uniform(0.5, 1, (batch, of_keys)).astype(np.float32) for _ in range(3)] if kind.scaled else []
    of_q, of_k, of_v = (each[:, :, None, None] for each in factors or [np.ones((batch, of_keys), np.float32)] * 3)
    of_q = np.repeat(of_q, kind.shared_heads, 1)
    stated = attention.Kind(d, e4m3, kind.causal, kind.shared_heads, kind.window, kind.softcap)
    expected, _, limit = attention.reference(q.values * of_q, k.values * of_k, v.values * of_v, stated)
    zeros = HostArray(rounded(np.zeros((batch, heads, queries, d)), bf16), bf16)
    arrays = {"q": q, "k": k, "columns": HostArray(by_columns(v.values), e4m3), "o": zeros}
    arrays |= {name: HostArray(each, f32) for name, each in zip(("of_q", "of_k", "of_v"), factors)}
    return Case(
        arrays,
        lambda on: plan(
            on["q"], on["k"], on["columns"], on["o"], batch=batch, heads=heads, query_length=queries, key_length=keys, d=d,
            shared_heads=kind.shared_heads, causal=kind.causal, window=kind.window, softcap=kind.softcap, processors=2,
            scales=(on["of_q"], on["of_k"], on["of_v"]) if factors else (1.0, 1.0, 1.0),
        ),
        {"o": expected},
        Tolerance(limit, LIMIT),
    )  # fmt: skip


def _values_case(size: tuple[int, int, int], rng: np.random.Generator, d: int) -> Case:
    import numpy as np

    values = normal(rng, (*size, d), e4m3)
    expected = by_columns(values.values)
    return Case(
        {"values": values, "columns": HostArray(np.full(expected.shape, 7.0), e4m3)},
        lambda on: plan_values(on["values"], on["columns"]),
        {"columns": expected},
        EXACT,
    )


def _variant(name: str, sizes: tuple[Any, ...], **stated: Any) -> Variant:
    kind = Kind(**stated)
    options = _options(kind.d, kind.causal, kind.window, kind.softcap, kind.scaled, 3 * kind.scaled)
    return Variant(
        "attention_fp8", name, using(attention_fp8, **options), partial(_case, kind=kind), sizes, NEEDS_WGMMA
    )


VARIANTS = (
    _variant("d128", ((1, 2, 200, 330), (1, 1, 1, 1))),
    _variant("d64.causal.scaled", ((2, 2, 200, 300), (1, 2, 200, 100)), d=64, causal=True, shared_heads=2, scaled=True),
    Variant(
        "attention_fp8",
        "values.d128",
        using(values_by_columns, d=128),
        partial(_values_case, d=128),
        ((1, 1, 1), (2, 1, 16), (1, 2, 33)),
    ),
)
