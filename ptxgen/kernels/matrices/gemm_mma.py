"""C = A B^T on targets without wgmma, and of operands that tensor maps do not take: any sizes, strides and alignments.

Shapes: A (m, depth), B (n, depth), C (m, n), of each `batch` matrices; every matrix has three strides, in elements. Products
by mma.sync where the target has it for the elements, by fma elsewhere (bf16 and f32 before sm_80, f16 before sm_75) or where
asked for; sums are f32, of integers s32.

Floor: 2*m*n*depth operations. A warp's 64 x 32 sums take 6 ldmatrix for 16 mma of a step, so that shared memory keeps up;
a ring of stages, filled by cp.async, hides global memory. What cp.async cannot move (16-bit elements that are not aligned, or
are converted) goes through registers, which are loaded before a step's products and stored behind them.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, s8, s32, s64, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.tiles import as_vectors, load, store
from ptxgen.kernels.cases import EXACT, Case, HostArray, Tolerance, Variant, integers, normal, smallest, unit_roundoff
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, using

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from ptxgen.builder import pred
    from ptxgen.builder.tiles.mma import FmaSums, MmaSums, WarpFragment

__all__ = ["KERNEL", "VARIANTS", "Strides", "Tiling", "gemm_mma", "plan", "store_sums", "tiling_for"]

E = TypeVar("E", bound=Value)
R = TypeVar("R", bound=Value)
T = TypeVar("T", bound=Value)

Strides = tuple[int, int, int]
"""How many elements apart a matrix's rows and columns are, and the matrices of a batch."""

_ASYNC = 80
"""The first target with cp.async."""

_BYTES, _LANES = 16, 8
"""The widest access, in bytes and in elements that go through registers."""

_LINE = 64
"""Bytes along K of a stage's rows, unless stated."""


def _threads(warps: tuple[int, int] = (2, 4), **_: Any) -> int:
    return 32 * warps[0] * warps[1]


def _ctas(ctas: int | None = None, **_: Any) -> int | None:
    return ctas


@kernel(max_threads=_threads, min_ctas=_ctas)
def gemm_mma(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32,
    a: ptr[E], a_row: s64, a_column: s64, a_batch: s64,
    b: ptr[E], b_row: s64, b_column: s64, b_batch: s64,
    c: ptr[R], c_row: s64, c_column: s64, c_batch: s64, *arguments: T,
    element: type[E] = bf16, result: type[R] = bf16,  # type: ignore[assignment]  # unless stated
    bm: int = 128, bn: int = 128, bk: int | None = None,
    stages: int = 3, warps: tuple[int, int] = (2, 4), ctas: int | None = None, group: int = 8, order: str = "grouped",
    major_a: str = "K", major_b: str = "K", aligned: bool = False, exact: bool = False, epilogue: Any = None,
    argument_types: tuple[type[T], ...] = (), conditional: bool = False,
) -> None:  # fmt: skip
    """C (m, n) = A (m, depth) B (n, depth)^T of `batch` matrices; any number of CTAs of 32 * warps[0] * warps[1] threads.

    A CTA computes tiles of bm x bn, each of its warps a part of bm / warps[0] rows and bn / warps[1] columns; `bk` is 64 bytes
    of a row unless stated; `ctas`, how many CTAs an SM should hold, bounds registers. `major` is the direction in which threads
    load an operand, best the one in which its elements lie together: "K" along depth, "MN" along m or n. `aligned`: in that
    direction the stride is 1, whatever is passed, as it is along n for C, and the address and the other strides of all three
    are multiples of 16 bytes; sizes may be any. `exact`: products by fma, f32 not rounded to tf32. `order` and `group` are those
    of `k.persistent_tiles`. `epilogue(k, value, row, column, ...)` is applied to each sum before it is converted; `arguments` are
    those behind the column (`epilogues.passed`). With `conditional` the first of the arguments is a pointer to a u32: where that
    is 0, nothing is done. Sizes and the number of tiles are below 2^31.
    """
    if conditional:
        needed: Any = arguments[0]
        arguments = arguments[1:]
        with k.if_(needed[0] == 0):
            k.return_()
    _check(bm, bn, stages, warps)
    wm, wn, threads = bm // warps[0], bn // warps[1], _threads(warps)
    total = k.warp_sums(wm, wn, element, exact=exact)
    bk = bk or _LINE // total.element.isa.bytes
    feed_a = _Feed(k, a, total, (bm, bk), major_a, stages, threads, aligned)
    feed_b = _Feed(k, b, total, (bn, bk), major_b, stages, threads, aligned)
    feed_a.over(m, depth, (a_row, a_column, a_batch))
    feed_b.over(n, depth, (b_row, b_column, b_batch))
    my_row, my_column = k.tid.x // 32 // warps[1] * wm, k.tid.x // 32 % warps[1] * wn
    left, right = total.left(feed_a.tile, my_row), total.right(feed_b.tile, my_column)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk
    pipe = k.copy_pipeline(stages)

    def fill(step: Any, slot: Any) -> Callable[[], None]:
        feed_a.load(step, slot)
        feed_b.load(step, slot)

        def store() -> None:
            feed_a.store(slot)
            feed_b.store(slot)

        return store

    for row, column, matrix in k.persistent_tiles(down, across, group=group, order=order, batch=batch):
        total.clear()
        feed_a.begin(row * bm, matrix)
        feed_b.begin(column * bn, matrix)
        for stage in pipe.stream(steps, fill):
            total.add_product(left[stage.index], right[stage.index])
        corner = (row * bm + my_row, column * bn + my_column)
        found = total if epilogue is None else total.map(applied(k, epilogue, arguments, matrix), *corner)
        store_sums(k, c.at(matrix.to(s64) * c_batch), found, result, corner, (m, n), (c_row, c_column), aligned)


KERNEL = gemm_mma


def _check(bm: int, bn: int, stages: int, warps: tuple[int, int]) -> None:
    """BuildError for tiles that warps do not share out evenly."""
    if bm % warps[0] or bn % warps[1]:
        raise BuildError(f"a tile of {bm} x {bn} shared by {warps[0]} x {warps[1]} warps", hint="powers of two")
    if stages < 2:
        raise BuildError(f"{stages} stages", hint="2 or more: one is filled while another is read")


class _Feed:
    """One operand's way into shared memory: the tile, and what this thread copies of each step.

    Threads go along `major`, `vector` elements each, then line by line; a thread's `hops` copies are `apart` lines apart. The
    tile has the operand's major where the products can read it so; others are turned on the way.
    """

    def __init__(
        self, k: Builder, source: ptr[Any], total: MmaSums | FmaSums, shape: tuple[int, int], major: str,
        stages: int, threads: int, aligned: bool,
    ) -> None:  # fmt: skip
        element, given = total.element, source.element
        size = given.isa.bytes
        turned = major not in total.majors
        kept = "K" if turned else major
        line, deep = (shape[index] * element.isa.bytes for index in (kept == "K", 1))
        if any(length not in (32, 64) and length % 128 for length in (line, deep)):
            raise BuildError(
                f"a tile of {shape[0]} x {shape[1]} elements of {element.isa.bytes} bytes",
                hint="lines of 32, 64 or 128 bytes",
            )
        self.k, self.source, self.along_k, self.aligned = k, source, major == "K", aligned
        self.tile = k.tile(element, shape, stages=stages, major=kept, swizzle=f"{min(line, 128)}B")
        self.columns = shape[1]
        vector = _BYTES // size if aligned and not turned and element is given else 1
        self.asynchronous = k.target.sm >= _ASYNC and element is given and vector * size >= 4
        self.vector = vector if self.asynchronous else min(vector, _LANES)
        length, lines = (shape[1], shape[0]) if self.along_k else shape
        in_line = length // self.vector
        self.apart = max(threads // in_line, 1)
        self.hops = -(-lines // self.apart)
        if length % self.vector or threads % in_line or (self.hops > 1 and lines % self.apart):
            raise BuildError(
                f"{threads} threads share a tile of {shape[0]} x {shape[1]}, {in_line} copies a line",
                hint="powers of two, and no more copies a line than threads",
            )
        self.busy = k.tid.x < lines * in_line if self.hops * self.apart > lines else None
        place, across = k.tid.x % in_line * self.vector, k.tid.x // in_line
        self.row, self.column = (across, place) if self.along_k else (place, across)
        self.offset = self.tile.offset_of(self.row, self.column)
        self.loaded: list[Any] = []

    def over(self, extent: u32, depth: u32, strides: tuple[s64, s64, s64]) -> None:
        """The matrices: (extent, depth), and how many elements apart rows, columns and matrices are."""
        one = self.k.const(s64, 1)
        row, column, self.batch = strides
        self.extent, self.depth = extent, depth
        self.strides = (
            one if self.aligned and not self.along_k else row,
            one if self.aligned and self.along_k else column,
        )
        self.hop = self.strides[not self.along_k] * self.apart

    def begin(self, first: u32, matrix: u32) -> None:
        """From row `first` of a matrix on."""
        self.first = first + self.row
        index = self.first.to(s64) * self.strides[0] + self.column.to(s64) * self.strides[1]
        self.start = self.source.at(matrix.to(s64) * self.batch + index)

    def load(self, step: u32 | int, slot: u32 | int) -> None:
        """Begin to copy the tile of a step, with zeros where the matrix ends."""
        k = self.k
        column = self.column + step * self.columns
        along, line = (column, self.first) if self.along_k else (self.first, column)
        length, lines = (self.depth, self.extent) if self.along_k else (self.extent, self.depth)
        rest = length - k.min(length, along)
        moved = step * self.columns
        pointer = self.start.at(self.strides[1] * (moved if isinstance(moved, int) else moved.to(s64)))
        self.loaded = []
        for hop in range(self.hops):
            count = k.select(line + hop * self.apart < lines, rest, 0)
            if self.asynchronous:
                with _where(k, self.busy):
                    k.copy_async(self._to(slot, hop), pointer, self.vector * pointer.stride, count=count)
            else:
                self.loaded.append(load(as_vectors(pointer.bounded(count), self.vector), 0, "nc"))
            pointer = pointer.at(self.hop)

    def store(self, slot: u32 | int) -> None:
        """Store what went through registers."""
        element = self.tile.element
        for hop, values in enumerate(self.loaded):
            found = [value.to(element) for value in values]
            with _where(self.k, self.busy):
                store(as_vectors(self._to(slot, hop), self.vector), 0, found)

    def _to(self, slot: u32 | int, hop: int) -> ptr[Any]:
        """Where in shared memory a copy goes."""
        lines = hop * self.apart
        return self.tile[slot].beyond(self.offset, *((lines, 0) if self.along_k else (0, lines)))


def _where(k: Builder, condition: pred | None) -> Any:
    return nullcontext() if condition is None else k.pred(condition)


def store_sums(
    k: Builder, c: ptr[Any], found: WarpFragment, result: Any, corner: tuple[u32, u32], shape: tuple[u32, u32],
    strides: tuple[s64, s64], aligned: bool,
) -> None:  # fmt: skip
    """A warp's values to C, as far as it reaches."""
    lanes = 1 if not aligned else 4 if result.isa.bits == 16 else 2
    rows, columns, values = found.runs(result, lanes)
    ends: list[tuple[Any, u32]] = []
    for column in columns:
        at = corner[1] + column
        ends.append((at if aligned else at.to(s64) * strides[1], shape[1] - k.min(shape[1], at)))
    for row, line in zip(rows, values):
        at = corner[0] + row
        pointer = c.at(at.to(s64) * strides[0])
        with k.pred(at < shape[0]):
            for (offset, rest), run in zip(ends, line):
                store(as_vectors(pointer.at(offset).bounded(rest), lanes), 0, run)


class Tiling(NamedTuple):
    """How the work is cut: the compile-time parameters of `gemm_mma` that its shape and the device decide."""

    bm: int = 128
    bn: int = 128
    bk: int | None = None
    warps: tuple[int, int] = (2, 4)
    stages: int = 3


_TILES = ((256, 128, (4, 2), 128), (128, 128, (2, 2), 128), (128, 128, (2, 2), 64), (64, 64, (2, 2), 128))
"""(bm, bn, warps, bytes of a stage's rows), the fastest first where there are tiles enough (measured on an H200: 343, 332, 310
TFLOP/s of bf16 at 4096 cubed, where eight warps of 64 x 32 have 320; 44 of f32 by fma)."""


def held_as(element: type[Value], sm: int) -> type[Value]:
    """What the tiles hold of such elements: before sm_80, bf16 becomes f32 for fma (`k.warp_sums`)."""
    return f32 if element is bf16 and sm < _ASYNC else element


def tiling_for(m: int, n: int, batch: int, element: type[Value], *, shared: int, processors: int) -> Tiling:
    """The tiling for operands that are `aligned` and whose tiles lie as they do: what fits into `shared` bytes and gives each
    multiprocessor a tile, else what gives most tiles. `element`: see `held_as`."""
    fitting = [
        Tiling(bm, bn, line // element.isa.bytes, warps)
        for bm, bn, warps, line in _TILES
        if 3 * (bm + bn) * line <= shared
    ]
    enough = (tile for tile in fitting if ceil_div(m, tile.bm) * ceil_div(n, tile.bn) * batch >= processors)
    return next(enough, fitting[-1])


def plan(
    m: int, n: int, depth: int, a: Any, b: Any, c: Any, *, batch: int = 1, strides_a: Strides | None = None,
    strides_b: Strides | None = None, strides_c: Strides | None = None, element: type[Value] = bf16,
    result: type[Value] = bf16, tiling: Tiling | None = None, major_a: str = "K", major_b: str = "K",
    held: type[Value] | None = None, shared: int = 48 << 10, processors: int = 132, arguments: Sequence[Any] = (),
    needed: Any = None, **options: Any,
) -> KernelPlan:  # fmt: skip
    """C = A B^T of `batch` matrices, which are dense unless their strides are stated; `aligned` where they allow it. Unless
    stated, the tiling is that of a device with so many bytes of shared memory for a CTA and so many multiprocessors, whose tiles
    hold elements as `held` (`held_as`). `needed`, an array of one u32: nothing is done where that is 0."""
    of_a = strides_a or _dense(m, depth, major_a)
    of_b = strides_b or _dense(n, depth, major_b)
    of_c = strides_c or _dense(m, n, "K")
    if "aligned" not in options:
        given = ((of_a, major_a, element), (of_b, major_b, element), (of_c, "K", result))
        options["aligned"] = common_alignment(a, b, c) >= _BYTES and all(_whole(*each, batch) for each in given)
    if tiling is None:  # elements other than of 16 bits are turned on their way, one by one
        direct = options["aligned"] and (element.isa.bits == 16 or major_a == major_b == "K")
        tiling = tiling_for(m, n, batch, held or element, shared=shared, processors=processors) if direct else Tiling()
    further: tuple[Any, ...] = ()
    if arguments:
        options["argument_types"], further = passed(arguments)
    if needed is not None:
        options["conditional"], further = True, (needed, *further)
        options["argument_types"] = (ptr[u32], *options.get("argument_types", ()))
    launch = using(
        gemm_mma, element=element, result=result, major_a=major_a, major_b=major_b, **tiling._asdict(), **options
    )
    tiles = max(1, ceil_div(m, tiling.bm) * ceil_div(n, tiling.bn) * batch)
    return KernelPlan(
        launch, tiles, _threads(tiling.warps), (m, n, depth, batch, a, *of_a, b, *of_b, c, *of_c, *further)
    )


def _dense(rows: int, columns: int, major: str) -> Strides:
    return (columns, 1, rows * columns) if major == "K" else (1, rows, rows * columns)


def _whole(strides: Strides, major: str, element: type[Value], batch: int) -> bool:
    """Do the matrix's lines go element by element along `major`, and begin at multiples of 16 bytes?"""
    along, line = (strides[1], strides[0]) if major == "K" else strides[:2]
    apart = (line, strides[2]) if batch > 1 else (line,)
    return along == 1 and all(stride * element.isa.bytes % _BYTES == 0 for stride in apart)


def _case(
    size: tuple[int, int, int, int], rng: np.random.Generator, *, pad: int, tiling: Tiling, **options: Any
) -> Case:  # fmt: skip
    """(m, n, depth, batch), the matrices' lines multiples of `pad` elements: integers are exact, others within their rounding."""
    import numpy as np

    m, n, depth, batch = size
    element, result = options["element"], options["result"]
    majors, given, matrices, strides = (options["major_a"], options["major_b"]), {}, [], []
    for name, rows, major in zip("ab", (m, n), majors):
        shape = (batch, rows, depth) if major == "K" else (batch, depth, rows)
        line = -(-shape[2] // pad) * pad
        stored = (batch, shape[1], line)
        made = normal(rng, stored, element) if element.isa.is_float else integers(rng, stored, element, -128, 128)
        found = made.values[:, :, : shape[2]].astype(np.float64)
        matrices.append(found if major == "K" else found.swapaxes(1, 2))
        strides.append((line, 1, line * shape[1]) if major == "K" else (1, line, line * shape[1]))
        given[name] = HostArray(made.values, element)
    line = -(-n // pad) * pad
    c = np.zeros((batch, m, line), np.float32 if result.isa.is_float else np.int32)
    expected = c.astype(np.float64)
    expected[:, :, :n] = np.einsum("bmk,bnk->bmn", *matrices)
    tolerance = EXACT
    if element.isa.is_float:
        sizes = np.zeros_like(expected)
        sizes[:, :, :n] = np.einsum("bmk,bnk->bmn", *map(np.abs, matrices))
        rounding = 2.0**-10 if element.isa.name == "f32" and not options.get("exact") else 0.0
        stored_as = unit_roundoff(result)
        limit = sizes * (depth * 2.0**-24 + rounding) * 2 + np.abs(expected) * stored_as + smallest(result) / 2
        tolerance = Tolerance(limit, "the rounding of each sum and of the result; of f32 operands to tf32")
    return Case(
        arrays={**given, "c": HostArray(c, result)},
        plan=lambda on: plan(
            m, n, depth, on["a"], on["b"], on["c"], batch=batch, strides_a=strides[0], strides_b=strides[1],
            strides_c=(line, 1, line * m), tiling=tiling, **options,
        ),
        expected={"c": expected},
        tolerance=tolerance,
    )  # fmt: skip


_SMALL = Tiling(64, 32, None, (2, 2))


def _variant(name: str, pad: int = 1, tiling: Tiling = _SMALL, **options: Any) -> Variant:
    """`pad`: lines are multiples of so many elements."""
    chosen = {"major_a": "K", "major_b": "K", "aligned": pad > 1, **options}
    return Variant(
        "gemm_mma",
        name,
        using(gemm_mma, **tiling._asdict(), **chosen),
        partial(_case, pad=pad, tiling=tiling, **chosen),
        sizes=((0, 3, 3, 1), (3, 3, 0, 1), (1, 1, 1, 1), (7, 5, 3, 2), (129, 67, 65, 2)),
    )


VARIANTS = (
    _variant("bf16", 8, element=bf16, result=bf16, tiling=Tiling()),
    _variant("bf16.any", element=bf16, result=f32, major_b="MN"),
    _variant("f16.mn", 8, element=f16, result=f16, major_a="MN", major_b="MN"),
    _variant("tf32", 4, element=f32, result=f32),
    _variant("f32", 4, element=f32, result=f32, major_b="MN", exact=True),
    _variant("s8", 16, element=s8, result=s32, ctas=1),
)
