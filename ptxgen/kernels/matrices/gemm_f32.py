"""C = A B^T of f32, as accurate as by fma, with the tensor cores of sm_90a: three parts of bf16 a number, six products a pair.

A number is the sum of three of bf16, each the rounding of what the ones before leave (Henry, Tang and Heinecke, "Leveraging the
bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations", 2019, 2.3). Of the nine products of parts three
are left out: together at most 2^-25.9 of the whole product, less than the 2^-24 by which an fma rounds. wgmma sums the
products of 64 along the depth, the smallest first, and those sums are added up in f32, rounded to nearest.

A first kernel writes the parts, and notes whether a number has none: one that is not finite, 2^127 or larger, or not zero and
below 2^-100. Then the product leaves C as it is, for `gemm_mma` behind it, which computes where this one does not.

Floor: 6 * 2*m*n*depth operations at the 989 TFLOP/s of bf16, 165 TFLOP/s of f32 (by fma 67); and 10 bytes read and written for
each number of A and B. A step of 64 along the depth takes 96 KB from L2 for 6 * 128 * 128 * 64 products.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, f32, kernel, ptr, s64, u32
from ptxgen.builder.values import Value
from ptxgen.kernels.blocks.tiles import as_vectors, load, store
from ptxgen.kernels.cases import EXACT, NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import REGISTERS, in_order
from ptxgen.kernels.matrices.pieces import Pieces
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["PARTS", "VARIANTS", "Matrices", "gemm_f32", "plan_parts", "plan_product", "split_f32"]

T = TypeVar("T", bound=Value)

PARTS = 3
"""Numbers of bf16 whose sum is one of f32."""

PRODUCTS = ((0, 2), (2, 0), (1, 1), (0, 1), (1, 0), (0, 0))
"""Which part of A by which of B, the smallest products first."""

ROWS, DEEP = 128, 64
"""Rows of a tile, and its steps along the depth."""

STAGES = {128: 2, 64: 2, 32: 3}
"""By the columns of a tile, how many steps shared memory holds."""

CHUNK = 8
"""Numbers that a thread splits at a time: 16 bytes of each part."""

SMALLEST, LARGEST = 27 << 23, 254 << 23
"""Numbers that have three parts, from 2^-100 up to 2^127, as their bits: the last bit of the third part of 2^-110 is 2^-133, the
smallest bf16; what rounds up to 2^128 has no first part."""


class Matrices(NamedTuple):
    """A batch of matrices of f32 as they lie in memory: lines of `length` numbers beside each other, distances in numbers."""

    length: int
    lines: int
    batch: int
    line: int
    matrix: int

    @property
    def pitch(self) -> int:
        """From a line of parts to the next one: multiples of 16 bytes, as tensor maps ask."""
        return ceil_div(self.length, CHUNK) * CHUNK

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the parts: those of all matrices, one part after the other."""
        return PARTS * self.batch, self.lines, self.pitch


@kernel(max_threads=256)
def split_f32(
    k: Builder,
    a: ptr[f32], a_length: u32, a_lines: u32, a_batch: u32, a_line: s64, a_matrix: s64, parts_a: ptr[bf16],
    b: ptr[f32], b_length: u32, b_lines: u32, b_batch: u32, b_line: s64, b_matrix: s64, parts_b: ptr[bf16],
    arrived: ptr[u32], without: ptr[u32], *, aligned_a: bool = True, aligned_b: bool = True,
) -> None:  # fmt: skip
    """The three parts of A and B, `Matrices` each; zeros behind a line. without[0] = 1 where a number has no parts, else 0.

    `aligned`: lines begin at multiples of 16 bytes. arrived[0] is 0 before and after. At most 2^15 CTAs.
    """
    k.launch_dependents()
    k.wait_for_dependencies()
    found = k.var(u32, 0)
    _split(k, a, (a_length, a_lines, a_batch), (a_line, a_matrix), parts_a, found, aligned_a)
    _split(k, b, (b_length, b_lines, b_batch), (b_line, b_matrix), parts_b, found, aligned_b)
    mine = k.select(k.barrier_any(found != 0), k.const(u32, 1), 0)
    with k.if_(k.tid.x == 0):
        before = k.atomic_add(arrived, 0, (mine << 16) + 1)
        with k.if_((before & 0xFFFF) == k.nctaid.x - 1):
            without[0] = k.select((before >> 16) + mine > 0, k.const(u32, 1), 0)
            arrived[0] = 0


def _split(
    k: Builder, source: ptr[f32], extents: tuple[u32, u32, u32], strides: tuple[s64, s64], parts: ptr[bf16], found: u32,
    aligned: bool,
) -> None:  # fmt: skip
    """This thread's chunks of a batch of matrices; `found` is set where a number has no parts."""
    length, lines, batch = extents
    across, wide = (length + CHUNK - 1) // CHUNK, 4 if aligned else 1
    plane = (across * lines).to(s64) * batch.to(s64)
    for index in k.range(k.global_id.x, across * lines * batch, k.grid_size.x):
        line, place = index // across, index % across * CHUNK
        start = (line % lines).to(s64) * strides[0] + (line // lines).to(s64) * strides[1] + place.to(s64)
        given = as_vectors(source.at(start).bounded(length - place), wide)
        values = [value for number in range(CHUNK // wide) for value in load(given, number, "nc")]
        for value in values:
            size = value.bits(u32) & 0x7FFFFFFF
            with k.pred(((size - SMALLEST) >= LARGEST - SMALLEST) & (size != 0)):
                found.set(1)
        for part in range(PARTS):
            rounded = [value.to(bf16) for value in values]
            store(as_vectors(parts, CHUNK), index.to(s64) + plane * part, rounded)
            values = [value - each.to(f32) for value, each in zip(values, rounded)]


@kernel
def gemm_f32(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap, c: TensorMap, without: ptr[u32],
    *arguments: T, major_a: str = "K", major_b: str = "K", bn: int = 128, group: int = 8, epilogue: Any = None,
    argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (batch, m, n) = A (batch, m, depth) B (batch, n, depth)^T where without[0] is 0, of the parts that `split_f32` wrote.

    Tiles have `bn` columns, one of `STAGES`. An operand whose `major` is "MN" is given as (depth, m) or (depth, n). `epilogue`
    and `arguments` as in `gemm_hopper`.
    """
    stages = STAGES[bn]
    tile_a = k.tile(bf16, (ROWS, DEEP), stages=(stages, PARTS), major=major_a)
    tile_b = k.tile(bf16, (bn, DEEP), stages=(stages, PARTS), major=major_b)
    pieces, pipe = Pieces(k, c, f32, 64, bn, 2), k.pipeline(stages, consumers=8)
    steps = (depth + DEEP - 1) // DEEP
    with k.if_(k.tid.x == 0):
        for tensor in (a, b, c):
            tensor.prefetch()
    producer, consumer = REGISTERS[2] if bn == 128 else (None, None)  # narrow tiles have registers enough
    with k.roles(load=(1, producer), multiply=(2, consumer)) as (load_, multiply):
        k.wait_for_dependencies()
        down = k.select(without[0] != 0, 0, (m + ROWS - 1) // ROWS)
        tiles = partial(k.persistent_tiles, down, (n + bn - 1) // bn, group=group, batch=batch)
        with load_, k.if_(k.tid.x == 0):
            for row, column, matrix in tiles():
                for stage in pipe.produce(steps):
                    at = stage.step * DEEP
                    for part in range(PARTS):
                        of = matrix + batch * part
                        into = stage.index, part
                        a.load(tile_a[into], (*in_order(major_a, at, row * ROWS), of), stage.barrier)
                        b.load(tile_b[into], (*in_order(major_b, at, column * bn), of), stage.barrier)
        with multiply as mine:
            one = k.tid.x % 128 == 0
            step, total = k.sums(64, bn), k.sums(64, bn)
            top = mine * 64
            for row, column, matrix in tiles():
                for value in total.values:
                    value.set(0)
                for _ in k.range(steps):
                    stage = pipe.take()
                    for number, (left, right) in enumerate(PRODUCTS):
                        rows = tile_a[stage.index, left].part(top, rows=64)
                        last = number == len(PRODUCTS) - 1
                        step.add_product(rows, tile_b[stage.index, right], keep=number > 0, commit=last)
                    k.wgmma_wait(0)
                    pipe.release(stage)
                    for value, product in zip(total.values, step.values):
                        value.set(value + product)
                finish = None if epilogue is None else applied(k, epilogue, arguments, matrix)
                pieces.store(total, mine, one, (row * ROWS + top, column * bn), matrix, finish)
            pieces.end(mine, one)


def plan_parts(
    a: Any, b: Any, parts_a: Any, parts_b: Any, arrived: Any, without: Any, *, of_a: Matrices, of_b: Matrices,
    aligned: tuple[bool, bool] = (True, True), processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """The parts of A and B. `aligned`: whether lines begin at multiples of 16 bytes, of both."""
    chosen = using(split_f32, aligned_a=aligned[0], aligned_b=aligned[1])
    arguments = (a, *of_a, parts_a, b, *of_b, parts_b, arrived, without)
    chunks = max(each.pitch // CHUNK * each.lines * each.batch for each in (of_a, of_b))
    return KernelPlan(chosen, max(1, min(ceil_div(chunks, 256), 8 * processors)), 256, arguments, programmatic=True)


def plan_product(
    parts_a: Any, parts_b: Any, c: Any, without: Any, *, m: int, n: int, depth: int, batch: int = 1, major_a: str = "K",
    major_b: str = "K", bn: int | None = None, processors: int = 132, epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T of the parts, as `Matrices.shape` says; behind `plan_parts`, and before `gemm_mma` with `needed`. Unless stated,
    tiles have as many columns as leave each multiprocessor one."""
    if bn is None:
        enough = (each for each in STAGES if _tiles(m, n, batch, each) >= processors)
        bn = max(next(enough, 32), 64 if major_b == "MN" else 32)  # columns of "MN" are blocks of the swizzle
    options: dict[str, Any] = {"major_a": major_a, "major_b": major_b, "bn": bn, "epilogue": epilogue}
    further: tuple[Any, ...] = ()
    if arguments:
        options["argument_types"], further = passed(arguments)
    given = (m, n, depth, batch, parts_a, parts_b, c, without, *further)
    grid = max(1, min(_tiles(m, n, batch, bn), processors))
    return KernelPlan(using(gemm_f32, **options), grid, 384, given, programmatic=True)


def _tiles(m: int, n: int, batch: int, bn: int) -> int:
    return ceil_div(m, ROWS) * ceil_div(n, bn) * batch


class Problem(NamedTuple):
    """Two matrices or more, their lines `pad` numbers longer than they need be; `odd`: a number that has no parts."""

    batch: int
    m: int
    n: int
    depth: int
    pad: int = 0
    odd: float | None = None


def parts_of(values: Any) -> Any:
    """The parts of an array (batch, lines, length), in numpy: (PARTS * batch, lines, pitch)."""
    import numpy as np

    from ptxgen.kernels.cases import rounded

    batch, lines, length = values.shape
    found = np.zeros((PARTS, batch, lines, Matrices(length, lines, batch, 0, 0).pitch), np.float32)
    left = values
    for part in found:
        part[..., :length] = rounded(left, bf16)
        left = left - part[..., :length]
    return found.reshape(PARTS * batch, lines, -1)


def _numbers(rng: np.random.Generator, *shape: int) -> Any:
    """Of many sizes, zero among them."""
    import numpy as np

    values = normal(rng, shape, f32).values * np.exp2(rng.integers(-20, 20, shape)).astype(np.float32)
    return np.where(rng.random(shape) < 0.1, np.float32(0), values)


def _case_of_parts(problem: Problem, rng: np.random.Generator, *, aligned: bool) -> Case:
    import numpy as np

    batch, m, n, depth, pad, odd = problem
    given: dict[str, HostArray] = {}
    expected: dict[str, Any] = {"arrived": np.zeros(1), "without": np.array([odd is not None])}
    described = {}
    for name, lines in (("a", m), ("b", n)):
        values = _numbers(rng, batch, lines, depth + pad)
        if odd is not None and name == "b":
            values[-1, -1, depth - 1] = odd
        given[name] = HostArray(values, f32)
        described[name] = Matrices(depth, lines, batch, depth + pad, lines * (depth + pad))
        given[f"parts_{name}"] = HostArray(np.full(described[name].shape, 3, np.float32), bf16)
        if odd is None:
            expected[f"parts_{name}"] = parts_of(values[..., :depth])
    given |= {name: HostArray(np.array([first], np.uint32), u32) for name, first in (("arrived", 0), ("without", 7))}
    names = ("a", "b", "parts_a", "parts_b", "arrived", "without")
    return Case(
        given,
        lambda on: plan_parts(
            *(on[name] for name in names), of_a=described["a"], of_b=described["b"], aligned=(aligned, aligned),
            processors=1,
        ),
        expected,
        EXACT,
    )  # fmt: skip


def _case(problem: Problem, rng: np.random.Generator, *, bn: int, major_a: str, major_b: str) -> Case:
    import numpy as np

    batch, m, n, depth, _, odd = problem
    x, y = (_numbers(rng, batch, rows, depth) for rows in (m, n))
    c = _numbers(rng, batch, m, n)
    exact = np.einsum("bmk,bnk->bmn", x.astype(np.float64), y.astype(np.float64))
    sizes = np.einsum("bmk,bnk->bmn", np.abs(x).astype(np.float64), np.abs(y).astype(np.float64))
    stored = [each if major == "K" else each.swapaxes(1, 2) for each, major in ((x, major_a), (y, major_b))]
    given = {name: HostArray(parts_of(values), bf16) for name, values in zip("ab", stored)}
    without = HostArray(np.array([odd is not None], np.uint32), u32)
    return Case(
        {**given, "c": HostArray(c, f32), "without": without},
        lambda on: plan_product(
            on["a"], on["b"], on["c"], on["without"], m=m, n=n, depth=depth, batch=batch, major_a=major_a, major_b=major_b,
            bn=bn, processors=3,
        ),
        {"c": exact if odd is None else c},
        Tolerance(sizes * (depth / 8 + 8) * 2.0**-24 if odd is None else 0.0, "of each 16 products wgmma cuts off 2^-23"),
    )  # fmt: skip


VARIANTS = (
    *(
        Variant(
            "gemm_f32", name, using(split_f32, aligned_a=aligned, aligned_b=aligned),
            partial(_case_of_parts, aligned=aligned), sizes, NEEDS_WGMMA,
        )
        for name, aligned, sizes in (
            ("parts", True, (Problem(1, 1, 1, 1, 3), Problem(2, 5, 3, 70, 2), Problem(2, 7, 30, 64, 0, float("inf")))),
            ("parts.any", False, (Problem(2, 5, 3, 9, 2), Problem(1, 3, 70, 41, 0, 1e-32), Problem(1, 2, 2, 3, 0, 2e38))),
        )
    ),
    *(
        Variant(
            "gemm_f32", name, using(gemm_f32, major_a=majors[0], major_b=majors[1], bn=bn),
            partial(_case, major_a=majors[0], major_b=majors[1], bn=bn), sizes, NEEDS_WGMMA,
        )
        for name, majors, bn, sizes in (
            ("f32", ("K", "K"), 128, (Problem(1, 1, 8, 1), Problem(2, 130, 72, 136), Problem(1, 8, 8, 8, 0, 1.0))),
            ("f32.mn", ("MN", "MN"), 64, (Problem(1, 72, 136, 66),)),
        )
    ),
)  # fmt: skip
