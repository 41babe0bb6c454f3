"""C = A B^T where of each four elements of A at most two are not zero: half of A is stored and multiplied, on sm_90a.

Which two are kept stands beside A, two bits each (manual 9.7.15.6.1): words of metadata that a warpgroup's threads have in
registers. `compress` writes both in the order in which the product takes them.

Floor: m * n * depth operations at the 1,979 TFLOP/s that a datasheet calls sparse are done in the time of half of 2*m*n*depth. B
is as large as ever: 64 x 256 x 64 products of 16 bits read 34 KB of shared memory in the 256 cycles that they take,
which 128 bytes a cycle give in 272.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, e4m3, e5m2, f16, f32, kernel, ptr, s8, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.tiles import as_vectors, load_where
from ptxgen.kernels.blocks.tiles import load as load_elements
from ptxgen.kernels.cases import EXACT, NEEDS_WGMMA, Case, HostArray, Variant, integers, normal
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import REGISTERS, SHARED, SUMS, exchanged, in_order, tolerance
from ptxgen.kernels.matrices.pieces import PIECE, Pieces, piece_buffers, piece_starts
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "ELEMENTS",
    "ROWS",
    "VARIANTS",
    "compress",
    "depth_of_step",
    "gemm_sparse",
    "metadata_shape",
    "plan",
    "plan_compress",
]

T = TypeVar("T", bound=Value)
E = TypeVar("E", bound=Value)

ROWS = 128
"""Rows of a tile: 64 for each of two warpgroups."""

LINE = 128
"""Bytes along the depth of a stage's rows of B; those of A are half as long."""

WORD = 64
"""Elements of a row of A, zeros among them, whose metadata are in one word of a thread."""

WIDTHS = (256, 192, 128, 64)
"""Columns of a tile, the fastest first."""

ELEMENTS = (bf16, f16, e4m3, e5m2, s8)


def depth_of_step(element: type[Value]) -> int:
    """Elements along the depth of a stage."""
    return LINE * 8 // element.isa.bits


def metadata_shape(m: int, depth: int, element: type[Value]) -> tuple[int, int]:
    """Of the metadata, words of u32: for each 128 rows and step, for each of 256 threads the words of the step."""
    step = depth_of_step(element)
    return ceil_div(m, ROWS) * ceil_div(depth, step) * (step // WORD) * 8, 32


@kernel(max_threads=256)
def compress(
    k: Builder, m: u32, depth: u32, a: ptr[E], kept: ptr[E], words: ptr[u32],
    *, element: type[E] = bf16,  # type: ignore[assignment]  # unless stated
) -> None:  # fmt: skip
    """The two largest of each four elements of A (m, depth), and the words of metadata that say which they are.

    `kept` is (m, depth / 2); of equals, the first ones stay. A thread makes the words that one of the product's threads has in a
    step, and stores what they stand for. `depth` is a multiple of 32 bytes of elements; A and `kept` begin at multiples of 16.
    """
    step = depth_of_step(element)
    steps, of_thread = (depth + step - 1) // step, step // WORD
    for index in k.range(k.global_id.x, (m + ROWS - 1) // ROWS * steps * 256, k.grid_size.x):
        thread, block = index % 128, index // 256
        row = block // steps * ROWS + index % 256 // 128 * 64 + thread // 32 * 16 + thread % 32 // 4
        for number in range(of_thread):
            column = block % steps * step + number * WORD + thread // 2 % 2 * 32
            if element.isa.bits == 16:  # of 16 columns, and of the row 8 below
                column = column + thread % 2 * 16
                places = (row, column), (row + 8, column)
            else:  # of 32 columns; odd lanes have the row 8 below
                below = row + thread % 2 * 8
                places = (below, column), (below, column + 16)
            low, high = (_half(k, a.cast(u32), kept.cast(u32), each, (m, depth), element) for each in places)
            words[index * of_thread + number] = low | (high << 16)


def _half(
    k: Builder, a: ptr[u32], kept: ptr[u32], place: tuple[u32, u32], shape: tuple[u32, u32], element: type[Value]
) -> u32:
    """Sixteen elements of a row: the eight that stay are stored, where the row and the columns are of A, and their sixteen bits
    of metadata returned."""
    bits, (row, column) = element.isa.bits, place
    inside = (row < shape[0]) & (column < shape[1])
    first = (row.to(u64) * shape[1].to(u64) + column.to(u64)) * bits // 32
    values = [k.var(u32, 0) for _ in range(bits // 2)]
    for number in range(0, len(values), 4):
        load_where(k, inside, a.at(first).vectors(4), number // 4, values[number : number + 4])
    each = 32 // bits
    elements = [values[i // each] >> (i % each * bits) & ((1 << bits) - 1) for i in range(16)]
    metadata, stay = k.const(u32, 0), []
    for number in range(4):
        two, field = _largest(k, elements[4 * number :][:4], element)
        metadata |= field << (4 * number)
        stay += two
    packed = [stay[i] | (stay[i + 1] << bits) for i in range(0, 8, 2)]
    if bits == 8:
        packed = [packed[i] | (packed[i + 1] << 16) for i in (0, 2)]
    with k.if_(inside):
        kept.at(first // 2).vectors(len(packed))[0] = packed
    return metadata


def _largest(k: Builder, four: list[u32], element: type[Value]) -> tuple[list[u32], u32]:
    """(the two of largest magnitude in their order, where they stand)."""
    sizes = [_magnitude(k, each, element) for each in four]
    one = k.const(u32, 1)
    larger = {(i, j): k.select(sizes[j] > sizes[i], one, 0) for i in range(4) for j in range(i + 1, 4)}
    ahead = [[larger[i, j] if j > i else one - larger[j, i] for j in range(4) if j != i] for i in range(4)]
    stays = [sum(each[1:], each[0]) < 2 for each in ahead]
    pairs = [(four[i], k.const(u32, i)) for i in range(4)]

    def chosen(first: int, second: int, third: int, part: int) -> u32:
        rest = k.select(stays[second], pairs[second][part], pairs[third][part])
        return k.select(stays[first], pairs[first][part], rest)

    two = [chosen(0, 1, 2, 0), chosen(3, 2, 1, 0)]
    return two, chosen(0, 1, 2, 1) | (chosen(3, 2, 1, 1) << 2)


def _magnitude(k: Builder, bits: u32, element: type[Value]) -> u32:
    """A number that is larger for elements of larger magnitude."""
    if element.isa.is_float:
        return bits & ((1 << (element.isa.bits - 1)) - 1)
    return k.abs((bits << 24).bits(s32) >> 24).bits(u32)


@kernel
def gemm_sparse(
    k: Builder, m: u32, n: u32, depth: u32, a: TensorMap, words: TensorMap, b: TensorMap, c: TensorMap, *arguments: T,
    element: type[Value] = bf16, result: type[Value] = bf16, bn: int = 256, stages: int = 4, group: int = 8,
    major_b: str = "K", transposed: bool = False, epilogue: Any = None, argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (m, n) = A B^T of what `compress` wrote, A (m, depth / 2) and its words, and B (n, depth), or with `major_b` "MN" (depth,
    n); with `transposed` C is (n, m). `epilogue` and `arguments` as in `gemm_hopper`."""
    step = depth_of_step(element)
    of_thread = step // WORD
    tile_a = k.tile(element, (ROWS, step // 2), stages=stages, swizzle="64B")
    tile_b = k.tile(element, (bn, step), stages=stages, major=major_b)
    known = k.tile(u32, (8 * of_thread, 32), stages=stages)
    pieces, pipe = Pieces(k, c, result, 64, bn, 2, transposed=transposed), k.pipeline(stages, consumers=8)
    steps = (depth + step - 1) // step
    tiles = partial(k.persistent_tiles, (m + ROWS - 1) // ROWS, (n + bn - 1) // bn, group=group)
    with k.if_(k.tid.x == 0):
        for tensor in (a, words, b, c):
            tensor.prefetch()
    k.launch_dependents()
    producer, consumer = REGISTERS[2] if bn >= 128 else (None, None)  # narrow tiles have registers enough
    with k.roles(load=(1, producer), multiply=(2, consumer)) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column in tiles():
                for stage in pipe.produce(steps):
                    at = stage.step * step
                    a.load(tile_a[stage.index], (at // 2, row * ROWS), stage.barrier)
                    words.load(known[stage.index], (0, (row * steps + stage.step) * (8 * of_thread)), stage.barrier)
                    b.load(tile_b[stage.index], in_order(major_b, at, column * bn), stage.barrier)
        with multiply as mine:
            one, top = k.tid.x % 128 == 0, mine * 64
            total = k.sums(64, bn, SUMS.get(element.isa.name, f32))
            place = (k.tid.x - 128) * of_thread
            for row, column in tiles():
                for stage in pipe.consume(
                    steps, in_flight=0
                ):  # the words' registers are read until the products are done
                    mine_of_step = as_vectors(known[stage.index].at(place // 32, place % 32), of_thread)
                    total.add_product(
                        tile_a[stage.index].part(top, rows=64), tile_b[stage.index], keep=stage.step > 0,
                        metadata=load_elements(mine_of_step, 0),
                    )  # fmt: skip
                finish = None if epilogue is None else applied(k, epilogue, arguments, k.const(u32, 0))
                if finish is not None and transposed:
                    finish = exchanged(finish)
                pieces.store(total, mine, one, (row * ROWS + top, column * bn), None, finish)
            pieces.end(mine, one)


def plan_compress(
    a: Any, kept: Any, words: Any, *, m: int, depth: int, element: type[Value], processors: int = 132
) -> KernelPlan:
    """The halves of A that stay, and its metadata (`metadata_shape`)."""
    threads = ceil_div(m, ROWS) * ceil_div(depth, depth_of_step(element)) * 256
    grid = max(1, min(ceil_div(threads, 256), 8 * processors))
    return KernelPlan(using(compress, element=element), grid, 256, (m, depth, a, kept, words))


def plan(
    a: Any, words: Any, b: Any, c: Any, *, m: int, n: int, depth: int, element: type[Value] = bf16, result: type[Value] = bf16,
    bn: int | None = None, major_b: str = "K", transposed: bool = False, processors: int = 132, epilogue: Any = None,
    arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T. Unless stated, tiles are the widest of which there are enough for the multiprocessors."""
    if element not in ELEMENTS:
        raise BuildError(f"no sparse GEMM of .{element.isa.name}", hint="bf16, f16, e4m3, e5m2 or s8")
    if bn is None:
        down = ceil_div(m, ROWS)
        bn = next((each for each in WIDTHS if down * ceil_div(n, each) >= processors), WIDTHS[-1])
    options: dict[str, Any] = {"epilogue": epilogue}
    further: tuple[Any, ...] = ()
    if arguments:
        options["argument_types"], further = passed(arguments)
    chosen = using(
        gemm_sparse, element=element, result=result, bn=bn, stages=stages_for(bn, result), major_b=major_b,
        transposed=transposed, **options,
    )  # fmt: skip
    grid = max(1, min(ceil_div(m, ROWS) * ceil_div(n, bn), processors))
    return KernelPlan(chosen, grid, 384, (m, n, depth, a, words, b, c, *further), programmatic=True)


def stages_for(bn: int, result: type[Value]) -> int:
    """As many as there is room for, at most 8."""
    width = min(bn, PIECE * 8 // result.isa.bits)
    pieces = piece_buffers(len(piece_starts(bn, width))) * ROWS * width * result.isa.bytes
    return min(8, (SHARED - 2048 - pieces) // (ROWS * LINE // 2 + bn * LINE + 2048))


class Problem(NamedTuple):
    m: int
    n: int
    depth: int


def halves_of(values: Any) -> tuple[Any, Any, Any]:
    """Of an array (m, depth), in numpy: what stays of it (m, depth / 2), where it stands, and A again with zeros for the rest."""
    import numpy as np

    fours = values.reshape(len(values), -1, 4)
    order = np.argsort(-np.abs(fours.astype(np.float64)), 2, kind="stable")[..., :2]
    places = np.sort(order, 2)
    kept = np.take_along_axis(fours, places, 2)
    whole = np.zeros_like(fours)
    np.put_along_axis(whole, places, kept, 2)
    return kept.reshape(len(values), -1), places.reshape(len(values), -1), whole.reshape(values.shape)


def metadata_of(places: Any, element: type[Value]) -> Any:
    """The words of metadata of (m, depth / 2) places, by the layout of the instruction."""
    import numpy as np

    from ptxgen.isa.layouts import layout

    m, half = places.shape
    step, selectors = depth_of_step(element), 2 if element.isa.bits == 16 else 1
    name = f"m64n64k{WORD // selectors}." + ("s32.s8" if element is s8 else f"f32.{element.isa.name}")
    layouts = [layout(f"wgmma.mma_async.sp.{name}.metadata", selector=each) for each in range(selectors)]
    blocks, steps = ceil_div(m, 64) + ceil_div(m, 64) % 2, ceil_div(2 * half, step)
    padded = np.tile(np.array([0, 1]), (64 * blocks, steps * step // 4))
    padded[:m, :half] = places
    found = np.zeros((blocks // 2, steps, 2, 128, step // WORD), np.uint32)
    for block in range(blocks):
        for column in range(0, steps * step, WORD):
            fields = np.split(padded[64 * block :][:64, column // 2 :][:, : WORD // 2], selectors, 1)
            for each, part in zip(layouts, fields):
                lanes = np.array(each.pack(part.tolist(), raw=True), np.uint32)
                found[block // 2, column // step, block % 2, :, column % step // WORD] |= lanes[:, 0]
    return found.reshape(metadata_shape(m, 2 * half, element))


def _case_of_compress(problem: Problem, rng: np.random.Generator, *, element: type[Value]) -> Case:
    import numpy as np

    m, _, depth = problem
    a = integers(rng, (m, depth), s8, -9, 10) if element is s8 else normal(rng, (m, depth), element)
    kept, places, _ = halves_of(a.values)
    words = metadata_of(places, element)
    return Case(
        {"a": a, "kept": HostArray(np.zeros_like(kept), element), "words": HostArray(np.zeros_like(words), u32)},
        lambda on: plan_compress(on["a"], on["kept"], on["words"], m=m, depth=depth, element=element, processors=1),
        {"kept": kept, "words": words},
        EXACT,
    )


def _case(
    problem: Problem, rng: np.random.Generator, *, element: type[Value], result: type[Value], **options: Any
) -> Case:  # fmt: skip
    import numpy as np

    m, n, depth = problem
    a, b = (
        integers(rng, shape, s8, -128, 128) if element is s8 else normal(rng, shape, element)
        for shape in ((m, depth), (n, depth))
    )
    kept, places, whole = halves_of(a.values)
    x, y = (each.astype(np.float64)[None] for each in (whole, b.values))
    expected = x @ y.swapaxes(1, 2)
    limit = tolerance(x, y, expected, element, result)
    turned, stored = options["transposed"], b if options["major_b"] == "K" else HostArray(b.values.T, element)
    if turned:
        expected = expected.swapaxes(1, 2)
        limit = limit._replace(limit=limit.limit.swapaxes(1, 2))
    return Case(
        {
            "a": HostArray(kept, element), "words": HostArray(metadata_of(places, element), u32), "b": stored,
            "c": HostArray(np.zeros(expected.shape[1:], np.int32 if element is s8 else np.float32), result),
        },
        lambda on: plan(
            on["a"], on["words"], on["b"], on["c"], m=m, n=n, depth=depth, element=element, result=result, processors=3, **options
        ),
        {"c": expected[0]},
        limit._replace(limit=limit.limit[0] if element is not s8 else 0.0),
    )  # fmt: skip


def _variant(name: str, sizes: tuple[Problem, ...], **stated: Any) -> Variant:
    options = {"element": bf16, "result": bf16, "bn": 64, "major_b": "K", "transposed": False, **stated}
    kernel = using(gemm_sparse, **options, stages=stages_for(options["bn"], options["result"]))
    return Variant("gemm_sparse", name, kernel, partial(_case, **options), sizes, NEEDS_WGMMA)


VARIANTS = (
    *(
        Variant(
            "gemm_sparse", f"compress.{element.isa.name}", using(compress, element=element),
            partial(_case_of_compress, element=element), (Problem(1, 0, 32), Problem(70, 0, 160), Problem(200, 0, 64)),
        )
        for element in (bf16, s8)
    ),
    _variant("bf16", (Problem(1, 8, 16), Problem(130, 264, 144)), bn=256),
    _variant("f16.mn.transposed", (Problem(136, 72, 64),), element=f16, result=f16, major_b="MN", transposed=True),
    _variant("e4m3", (Problem(200, 72, 288),), element=e4m3, bn=192),
    _variant("s8", (Problem(130, 72, 160),), element=s8, result=s32, bn=128),
)  # fmt: skip
