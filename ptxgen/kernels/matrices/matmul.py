"""C = alpha * A B + beta * C in f32, through tiles in shared memory and blocks in registers; any m, n and depth.

Shapes: A[m, depth], B[depth, n], C[m, n], row-major and dense. With beta = 0, C is not read (it may hold NaN), as BLAS has it.

Floor: 2*m*n*depth operations; 4,096 cubed are 137 GFLOP, 2.1 ms at the 67 TFLOP/s of f32 arithmetic on an H200 (datasheet).
The arithmetic pipes stay busy only if shared memory keeps up: a thread computes a block of 8 x 8, so that a step of the depth
costs 16 words from shared memory, four 16-byte loads, for 64 fused multiply-adds. The block is four 4 x 4 corners, so that
what a warp loads at a time is contiguous or the same, free of bank conflicts. While one tile is computed, the next is on its
way from global memory to registers; two stages in shared memory leave one barrier a tile.

Every element of C is one chain of fma in the order of the depth: the result depends neither on the tiling nor on the device.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, f32, kernel, ptr, u32, u64
from ptxgen.errors import BuildError
from ptxgen.host.arrays import Array
from ptxgen.kernels.blocks.tiles import as_vectors, load_where, store
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant
from ptxgen.kernels.choices import choice
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, using
from ptxgen.kernels.space import Space
from ptxgen.kernels.tunable import Trial, Tunable

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder import DeviceArray, pred
    from ptxgen.host import Device
    from ptxgen.kernels.space import Config
    from ptxgen.kernels.tunable import Prepared

__all__ = ["KERNEL", "SPACE", "TUNABLES", "VARIANTS", "Tiling", "plan"]

CORNER = 4
LANES_M, LANES_N = 8, 4
"""A warp's lanes over its tile: with corners of 4, 32 rows (128 bytes of A) and 16 columns (64 bytes of B) a load."""


class Tiling(NamedTuple):
    """A CTA computes m x n of C, `depth` deep at a time; a thread block_m x block_n of it, in corners of 4 x 4.

    `ctas` is how many an SM should hold, so that one computes while another waits: it bounds a thread's registers.
    """

    m: int = 128
    n: int = 128
    depth: int = 8
    block_m: int = 8
    block_n: int = 8
    ctas: int = 2

    @property
    def threads(self) -> int:
        return self.m * self.n // (self.block_m * self.block_n)

    @property
    def stride_a(self) -> int:
        """Words of a line of A's transposed tile; 4 more than its rows keep the lanes that write it in different banks."""
        return self.m + 4


def _check(tiling: Tiling, vector: int) -> None:
    """BuildError for a tiling that does not come out even."""
    warp = (LANES_M * tiling.block_m, LANES_N * tiling.block_n)
    accesses = (tiling.m * tiling.depth // vector, tiling.n * tiling.depth // vector)
    if tiling.m % warp[0] or tiling.n % warp[1] or tiling.block_m % CORNER or tiling.block_n % CORNER:
        raise BuildError(f"{tiling} is not made of whole warps' tiles of {warp[0]} x {warp[1]}")
    if any(count % tiling.threads for count in accesses) or tiling.depth % vector:
        raise BuildError(
            f"{tiling.threads} threads cannot share the {accesses[0]} and {accesses[1]} accesses of {tiling} evenly",
            hint="a deeper tile",
        )


def _threads(tiling: Tiling, **_: Any) -> int:
    return tiling.threads


def _ctas(tiling: Tiling, **_: Any) -> int:
    return tiling.ctas


@kernel(max_threads=_threads, min_ctas=_ctas)
def matmul(
    k: Builder, m: u32, n: u32, depth: u32, alpha: f32, a: ptr[f32], b: ptr[f32], beta: f32, c: ptr[f32],
    *, tiling: Tiling, vector: int = 1,
) -> None:  # fmt: skip
    """`vector` elements an access to global memory: it divides n and depth, and the arrays are aligned to it."""
    _check(tiling, vector)
    across = (n + (tiling.n - 1)) // tiling.n
    tile_row = k.ctaid.x // across
    row0, column0 = tile_row * tiling.m, (k.ctaid.x - tile_row * across) * tiling.n
    tile_a = k.shared(f32, (2, tiling.depth, tiling.stride_a), name="tile_a", align=16)
    tile_b = k.shared(f32, (2, tiling.depth, tiling.n), name="tile_b", align=16)
    fetch_a = _FetchA(k, a, (m, depth), row0, tiling, vector)
    fetch_b = _FetchB(k, b, (depth, n), column0, tiling, vector)
    my_row, my_column = _corner(k, tiling)
    totals = [[k.var(f32, 0.0) for _ in range(tiling.block_n)] for _ in range(tiling.block_m)]

    stage = k.var(u32, 0)
    for fetch, tile in ((fetch_a, tile_a), (fetch_b, tile_b)):
        fetch.load(0)
        fetch.store(tile, stage)
    k.barrier()
    for start in k.range(0, depth, tiling.depth):
        fetch_a.load(start + tiling.depth)
        fetch_b.load(start + tiling.depth)
        _multiply(k, tile_a.at(stage, 0, my_row), tile_b.at(stage, 0, my_column), totals, tiling)
        stage ^= 1
        fetch_a.store(tile_a, stage)
        fetch_b.store(tile_b, stage)
        k.barrier()
    _write(k, c, (m, n), (row0 + my_row, column0 + my_column), totals, (alpha, beta), vector)


KERNEL = matmul


def _corner(k: Builder, tiling: Tiling) -> tuple[u32, u32]:
    """Where in the CTA's tile this thread's block begins; its other corners follow at a warp's lanes' distance."""
    warp_m, warp_n = LANES_M * tiling.block_m, LANES_N * tiling.block_n
    across = tiling.n // warp_n
    warp, lane = k.tid.x // 32, k.tid.x % 32
    row = warp // across * warp_m + lane // LANES_N * CORNER
    column = warp % across * warp_n + lane % LANES_N * CORNER
    return row, column


def _rows(block: int) -> list[int]:
    """The rows of a block, from its first corner."""
    return [i // CORNER * LANES_M * CORNER + i % CORNER for i in range(block)]


def _columns(block: int) -> list[int]:
    """The first column of each corner of a block."""
    return [i * LANES_N * CORNER for i in range(block // CORNER)]


def _multiply(k: Builder, a: Any, b: Any, totals: list[list[f32]], tiling: Tiling) -> None:
    """One tile: a step of the depth is an outer product of a column of A and a row of B."""
    fma = k.ptx.fma.rn.f32
    fours_a, fours_b = a.vectors(CORNER), b.vectors(CORNER)
    for step in range(tiling.depth):
        left = [
            value
            for row in _rows(tiling.block_m)[::CORNER]
            for value in fours_a.load((step * tiling.stride_a + row) // CORNER)
        ]
        right = [
            value for column in _columns(tiling.block_n) for value in fours_b.load((step * tiling.n + column) // CORNER)
        ]
        for x, row in zip(left, totals):
            for y, total in zip(right, row):
                fma(total, x, y, total)


class _FetchA:
    """This thread's part of a tile of A: from global memory to registers, then, transposed, to shared memory."""

    def __init__(self, k: Builder, a: ptr[f32], shape: tuple[u32, u32], row0: u32, tiling: Tiling, vector: int) -> None:
        self._k, self._depth, self._tiling = k, shape[1], tiling
        self._parts: list[tuple[u32, u32, pred, Any, list[f32]]] = []
        per_line = tiling.depth // vector
        for first in range(0, tiling.m * per_line, tiling.threads):
            line, column = (k.tid.x + first) // per_line, (k.tid.x + first) % per_line * vector
            row = row0 + line
            start = k.fma(row.to(u64), shape[1].to(u64), column.to(u64))
            values = [k.var(f32) for _ in range(vector)]
            self._parts.append((line, column, row < shape[0], as_vectors(a.at(start), vector), values))

    def load(self, start: u32 | int) -> None:
        """The tile that begins at this depth; zeros outside the matrix."""
        for _, column, inside, pointer, values in self._parts:
            _guarded(self._k, inside & (column + start < self._depth), pointer, start // len(values), values)

    def store(self, tile: DeviceArray[Any], stage: u32) -> None:
        for line, column, _, _, values in self._parts:
            place = tile.at(stage, column, line)
            for v, value in enumerate(values):
                place.store(v * self._tiling.stride_a, value)


class _FetchB:
    """This thread's part of a tile of B: from global memory to registers, then to shared memory."""

    def __init__(
        self, k: Builder, b: ptr[f32], shape: tuple[u32, u32], column0: u32, tiling: Tiling, vector: int
    ) -> None:
        self._k, self._shape = k, shape
        self._parts: list[tuple[u32, u32, pred, Any, list[f32]]] = []
        per_line = tiling.n // vector
        for first in range(0, tiling.depth * per_line, tiling.threads):
            line, column = (k.tid.x + first) // per_line, (k.tid.x + first) % per_line * vector
            start = k.fma(line.to(u64), shape[1].to(u64), (column0 + column).to(u64))
            values = [k.var(f32) for _ in range(vector)]
            self._parts.append((line, column, column0 + column < shape[1], b.at(start), values))

    def load(self, start: u32 | int) -> None:
        """The tile that begins at this depth; zeros outside the matrix."""
        below = start if isinstance(start, int) else start.to(u64) * self._shape[1].to(u64)
        for line, _, inside, pointer, values in self._parts:
            moved = as_vectors(pointer.at(below), len(values))
            _guarded(self._k, inside & (line + start < self._shape[0]), moved, 0, values)

    def store(self, tile: DeviceArray[Any], stage: u32) -> None:
        for line, column, _, _, values in self._parts:
            store(as_vectors(tile.at(stage, line, column), len(values)), 0, values)


def _guarded(k: Builder, condition: pred, pointer: Any, index: Any, values: list[f32]) -> None:
    """Load into variables; zero where the condition does not hold."""
    for value in values:
        value.set(0.0)
    load_where(k, condition, pointer, index, values)


def _write(
    k: Builder, c: ptr[f32], shape: tuple[u32, u32], corner: tuple[u32, u32], totals: list[list[f32]],
    scales: tuple[f32, f32], vector: int,
) -> None:  # fmt: skip
    """alpha * totals + beta * C to C, a corner's row at a time."""
    (row0, column0), (alpha, beta) = corner, scales
    reads_c = beta != 0.0
    length = shape[1].to(u64)
    base = c.at(k.fma(row0.to(u64), length, column0.to(u64)))
    columns = [offset + v for offset in _columns(len(totals[0])) for v in range(0, CORNER, vector)]
    before = {column: column0 + column < shape[1] for column in columns}
    for row, line in zip(_rows(len(totals)), totals):
        below = row0 + row < shape[0]
        pointer = as_vectors(base.at(length * row) if row else base, vector)
        for number, column in enumerate(columns):
            inside = below & before[column]
            old = [k.var(f32) for _ in range(vector)]
            _guarded(k, inside & reads_c, pointer, column // vector, old)
            values = line[number * vector : (number + 1) * vector]
            result = [k.fma(beta, o, alpha * total) for o, total in zip(old, values)]
            with k.pred(inside):
                store(pointer, column // vector, result)


def plan(
    m: int, n: int, depth: int, alpha: float, a: Any, b: Any, beta: float, c: Any,
    *, tiling: Tiling | None = None, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """c = alpha * a b + beta * c. The tiling is the tuned one; else small problems get small tiles, so that more SMs have one."""
    chosen = tiling or _tuned(m, n, depth, a) or _by_size(m, n)
    fits = n % CORNER == 0 and depth % CORNER == 0 and common_alignment(a, b, c) >= 16
    launch = using(matmul, tiling=chosen, vector=vector or (CORNER if fits else 1))
    grid = max(1, ceil_div(m, chosen.m) * ceil_div(n, chosen.n))
    return KernelPlan(launch, grid, chosen.threads, (m, n, depth, alpha, a, b, beta, c))


LARGE = Tiling()
SMALL = Tiling(64, 32, 16, 4, 4)


def _by_size(m: int, n: int) -> Tiling:
    return LARGE if ceil_div(m, LARGE.m) * ceil_div(n, LARGE.n) >= 128 else SMALL


# Tuning


def _comes_out_even(m: int, n: int, depth: int, block_m: int, block_n: int) -> bool:
    """What `_check` takes, for accesses of CORNER elements and of one."""
    if m % (LANES_M * block_m) or n % (LANES_N * block_n):
        return False
    threads = m * n // (block_m * block_n)
    return threads <= 1024 and not any(side * depth // CORNER % threads for side in (m, n))


def _registers_allow(m: int, n: int, block_m: int, block_n: int, ctas: int) -> bool:
    """The sums, two lines of operands and 28 more fit into what `ctas` CTAs leave a thread."""
    threads = m * n // (block_m * block_n)
    return threads * ctas * (block_m * block_n + 2 * (block_m + block_n) + 28) <= 1 << 16


SPACE = Space(
    m=(64, 128, 256),
    n=(32, 64, 128),
    depth=(8, 16, 32),
    block_m=(4, 8),
    block_n=(4, 8),
    ctas=(1, 2, 3, 4, 8),
    where=(_comes_out_even, _registers_allow),
)
"""Every element is the same chain of fma in each of them."""


def _tuned(m: int, n: int, depth: int, a: Any) -> Tiling | None:
    if not isinstance(a, Array):
        return None
    found = choice(matmul, SPACE, (m, n, depth), a.device)
    return Tiling(**found.config) if found is not None else None


def _make(device: Device, shape: Any) -> Prepared:
    import numpy as np

    m, n, depth = shape
    rng = np.random.default_rng(0)
    drawn = [rng.integers(-4, 5, size, dtype=np.int8).astype(np.float32) for size in ((m, depth), (depth, n))]
    a, b = map(device.array, drawn)
    c = device.empty((m, n), f32)
    row = m // 2
    expected = drawn[0][row] @ drawn[1]

    def prepared(config: Config) -> Trial:
        c.fill(0)
        launch = plan(m, n, depth, 1.0, a, b, 0.0, c, tiling=Tiling(**config)).bind(device)
        return Trial(launch, lambda: np.array_equal(c[row].numpy(), expected))

    return prepared


TUNABLES = (
    Tunable(
        matmul,
        SPACE,
        _make,
        shapes=tuple((n, n, n) for n in (512, 1024, 2048, 4096, 8192)),
        small=((96, 64, 32),),
        build=lambda config: using(matmul, tiling=Tiling(**config), vector=CORNER),
        spills=64,  # what an assembler puts away outside the loop costs little: LARGE has 56
    ),
)


def _case(size: tuple[int, int, int], rng: np.random.Generator, *, tiling: Tiling, vector: int) -> Case:
    """Small integers, whose products and sums f32 holds exactly: every mistake shows."""
    import numpy as np

    m, n, depth = size
    a, b, c = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, depth), (depth, n), (m, n)))
    alpha, beta = 2.0, -1.0
    return Case(
        arrays={"a": HostArray(a, f32), "b": HostArray(b, f32), "c": HostArray(c, f32)},
        plan=lambda on: plan(m, n, depth, alpha, on["a"], on["b"], beta, on["c"], tiling=tiling, vector=vector),
        expected={"c": alpha * (a @ b) + beta * c},
        tolerance=Tolerance(0.0, "exact: sums of products of small integers"),
    )


def _variant(name: str, tiling: Tiling, vector: int) -> Variant:
    v = vector
    return Variant(
        "matmul",
        name,
        using(matmul, tiling=tiling, vector=vector),
        partial(_case, tiling=tiling, vector=vector),
        sizes=(
            (0, v, v), (1, v, 0), (1, v, v), (tiling.m, tiling.n, 2 * tiling.depth),
            (tiling.m + 3, 2 * tiling.n + 3 * v, 5 * tiling.depth + v),
        ),
    )  # fmt: skip


VARIANTS = (
    _variant("tile-128x128x8", LARGE, 4),
    _variant("tile-64x32x16", SMALL, 4),
    _variant("tile-64x32x16.scalar", SMALL, 1),
)
