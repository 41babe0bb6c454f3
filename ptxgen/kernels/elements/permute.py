"""y = x with its dimensions in another order: elements of 1, 2, 4 or 8 bytes, any rank and strides, y without gaps or with.

Shapes: `Form` says them: a matrix x[rows, columns] -> y[columns, rows] for each place of up to six outer dimensions, or where the
last dimension stays the last, rows that are copied. `form_of` makes one of shape and strides: dimensions that lie together are
one.

Floor: each element is read once and written once. Reading rows and writing columns of the same matrix cannot both be contiguous,
so a CTA takes a tile of 256 bytes by 256 through shared memory. A thread loads a square of 16 x 16 bytes by rows, every
load in flight before the first use, turns it in registers (bytes and halves by prmt), and stores it by columns into shared
memory, 16 bytes at a time; places of 16 bytes are exchanged within a row so that eight lanes meet no bank twice, neither here nor
where the tile's columns are read and written to y, 128 bytes or more by neighbouring lanes. What is not at multiples of 16 bytes
goes element by element through a padded tile: its accesses to memory are as contiguous, but more.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, b8, b16, b32, b64, kernel, ptr, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.tiles import as_vectors, load_where, store
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["VARIANTS", "Form", "copy_rows", "form_of", "is_aligned", "plan", "transpose_elements", "transpose_squares"]

E = TypeVar("E", bound=Value)
T = TypeVar("T", bound=Value)

SQUARE = 16
"""Bytes of a side of what a thread turns."""
ACROSS = 16
"""Squares of a tile's row: 256 bytes."""
DOWN = 16
"""Squares of a tile's column: 256 bytes of a row of y, of which memory takes 128 more slowly."""
OUTER = 6
"""Most outer dimensions."""
THREADS = 256
SIDE = 64
"""Elements of a side of the padded tile."""
BITS: dict[int, type[Value]] = {1: b8, 2: b16, 4: b32, 8: b64}


class Form(NamedTuple):
    """Strides in elements. `rows` is y's last dimension and `columns` x's, or where `turned` is false, `columns` is the last of
    both. `outer`: (extent, x's stride, y's stride)."""

    rows: int
    columns: int
    x_step: int
    y_step: int
    outer: tuple[tuple[int, int, int], ...]
    turned: bool
    x_inner: int = 1
    """Elements from column to column of x, where it is not turned."""


def form_of(shape: Sequence[int], x_strides: Sequence[int], y_strides: Sequence[int]) -> Form:
    """The form of y[i, j, ...] = x[i, j, ...] with these strides in elements. BuildError where y's elements are nowhere beside
    each other, or for too many dimensions that do not lie together."""
    dims = sorted(
        ((n, sx, sy) for n, sx, sy in zip(shape, x_strides, y_strides) if n != 1), key=lambda dim: (-dim[2], -dim[1])
    )
    merged: list[tuple[int, int, int]] = []
    for n, sx, sy in dims:
        if merged and merged[-1][1] == n * sx and merged[-1][2] == n * sy:
            merged[-1] = (merged[-1][0] * n, sx, sy)
        else:
            merged.append((n, sx, sy))
    if not merged or merged[-1][2] != 1:
        merged.append((1, 1, 1))
    *outer, last = merged
    fits = [dim for dim in outer if dim[1] == 1]
    if last[1] == 1 or not fits:
        rows = outer.pop() if outer else (1, last[0], last[0])
        form = Form(rows[0], last[0], rows[1], rows[2], tuple(outer), False, last[1])
    else:
        columns = fits[-1]
        outer.remove(columns)
        form = Form(last[0], columns[0], last[1], columns[2], tuple(outer), True)
    if len(form.outer) > OUTER:
        raise BuildError(f"{len(merged)} dimensions that do not lie together", hint=f"at most {OUTER + 2}")
    return form


def _tile(k: Builder, form: tuple[Any, ...], tile: tuple[int, int], dims: int) -> tuple[u32, u32, u64, u64]:
    """(first row, first column, where x's and y's matrices begin) of this CTA."""
    rows, columns, *outer = form
    across = (columns + (tile[1] - 1)) // tile[1]
    number = k.ctaid.x // across
    column0 = (k.ctaid.x - number * across) * tile[1]
    down = (rows + (tile[0] - 1)) // tile[0]
    rest = number // down
    row0 = (number - rest * down) * tile[0]
    return row0, column0, *outer_places(k, rest, outer, dims)


def outer_places(k: Builder, number: u32, outer: Sequence[Any], dims: int) -> tuple[u64, u64]:
    """(x's, y's) elements before the matrix of that number."""
    x0: Any = k.const(u64, 0)
    y0: Any = k.const(u64, 0)
    for extent, x_stride, y_stride in reversed([outer[3 * i : 3 * i + 3] for i in range(dims)]):
        above = number // extent.to(u32)
        place = (number - above * extent.to(u32)).to(u64)
        x0, y0, number = k.fma(place, x_stride, x0), k.fma(place, y_stride, y0), above
    return x0, y0


@kernel(max_threads=ACROSS * DOWN)
def transpose_squares(
    k: Builder, rows: u32, columns: u32, x: ptr[b32], x_step: u64, y: ptr[b32], y_step: u64, *outer: T,
    size: int, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """Elements of `size` bytes; extents, strides and addresses are multiples of 16 bytes."""
    side, down = SQUARE // size, DOWN
    tile = (down * side, ACROSS * side)
    row0, column0, x0, y0 = _tile(k, (rows, columns, *outer), tile, len(types) // 3)
    words_of_tile = tile[1] * down * 4
    if size == 1:  # more than static shared memory may be on most targets: the plan states it
        shared = k.dynamic_shared(b32, words_of_tile, align=SQUARE).vectors(4)
    else:
        shared = k.shared(b32, words_of_tile, align=SQUARE, name="tile").vectors(4)
    line, lane = k.tid.x // ACROSS, k.tid.x % ACROSS

    row, column = row0 + line * side, column0 + lane * side
    inside = (row < rows) & (column < columns)
    source = x.at((x0 + k.fma(row.to(u64), x_step, column.to(u64))) // side * 4).vectors(4)
    step = x_step // side
    words = [[k.var(b32, 0) for _ in range(4)] for _ in range(side)]
    for i in range(side):
        load_where(k, inside, source, step * i, words[i])
    turned = turned_square(k, words, size)
    place = lane * (side * down) + (line ^ lane % 8)  # of the square's first column, and its rows there
    for i in range(side):
        shared[place + i * down] = k.vec(*turned[i])
    k.barrier()

    line, lane = k.tid.x // down, k.tid.x % down
    row = row0 + lane * side
    target = y.at((y0 + k.fma((column0 + line).to(u64), y_step, row.to(u64))) // side * 4).vectors(4)
    step = y_step // side * ACROSS
    below = row < rows
    for i in range(side):
        found = line + i * ACROSS
        values = shared[found * down + (lane ^ found // side % 8)]
        with k.pred(below & (column0 + found < columns)):
            target[step * i] = values


def turned_square(k: Builder, words: list[list[Any]], size: int) -> list[list[Any]]:
    """The columns of a square of 16 x 16 bytes, from its rows, as words."""
    side = SQUARE // size
    if size == 8:
        return [[words[j][2 * i + half] for j in range(2) for half in range(2)] for i in range(2)]
    if size == 4:
        return [[words[j][i] for j in range(4)] for i in range(4)]
    if size == 2:
        return [
            [_bytes(k, words[2 * j][i // 2], words[2 * j + 1][i // 2], 0x7632 if i % 2 else 0x5410) for j in range(4)]
            for i in range(side)
        ]
    columns: list[list[Any]] = [[None] * 4 for _ in range(side)]
    for c in range(4):
        for j in range(4):
            a, b, d, e = (words[4 * j + r][c] for r in range(4))
            for half, pattern in enumerate((0x5140, 0x7362)):
                one, other = _bytes(k, a, b, pattern), _bytes(k, d, e, pattern)
                columns[4 * c + 2 * half][j] = _bytes(k, one, other, 0x5410)
                columns[4 * c + 2 * half + 1][j] = _bytes(k, one, other, 0x7632)
    return columns


def _bytes(k: Builder, a: Any, b: Any, pattern: int) -> Any:
    """prmt: a nibble of the pattern for each byte, 0 to 3 of a and 4 to 7 of b."""
    found = k.var(b32)
    k.ptx.prmt.b32(found, a, b, pattern)
    return found


@kernel(max_threads=THREADS)
def transpose_elements(
    k: Builder, rows: u32, columns: u32, x: ptr[E], x_step: u64, y: ptr[E], y_step: u64, *outer: T,
    element: type[E], types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """Any alignment: a warp takes 32 neighbouring elements an access, two of them a row of the tile."""
    row0, column0, x0, y0 = _tile(k, (rows, columns, *outer), (SIDE, SIDE), len(types) // 3)
    pad = SIDE + max(1, 4 // element.isa.bytes)
    shared = k.shared(element, (SIDE, pad), name="tile")
    line, lane = k.tid.x // 32, k.tid.x % 32
    warps = THREADS // 32
    steps = [(down, along) for down in range(0, SIDE, warps) for along in (0, 32)]
    source = x.at(x0 + k.fma((row0 + line).to(u64), x_step, (column0 + lane).to(u64)))
    loaded = []
    for down, along in steps:
        value = k.var(element)
        inside = (row0 + line + down < rows) & (column0 + lane + along < columns)
        load_where(k, inside, source.at(x_step * down), along, [value])
        loaded.append(value)
    for (down, along), value in zip(steps, loaded):
        shared[line + down, lane + along] = value
    k.barrier()
    target = y.at(y0 + k.fma((column0 + line).to(u64), y_step, (row0 + lane).to(u64)))
    for down, along in steps:
        value = shared[lane + along, line + down]
        with k.pred((column0 + line + down < columns) & (row0 + lane + along < rows)):
            target.at(y_step * down).store(along, value)


UNROLL = 4


@kernel(max_threads=THREADS)
def copy_rows(
    k: Builder, rows: u32, columns: u32, x: ptr[E], x_step: u64, x_inner: u64, y: ptr[E], y_step: u64, count: u32, *outer: T,
    element: type[E], vector: int = 1, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """`count` accesses of `vector` elements, four a thread in flight; of one element where x's are not beside each other."""
    last = columns // vector
    first = k.ctaid.x * (THREADS * UNROLL) + k.tid.x
    places, loaded = [], []
    for j in range(UNROLL):
        number = first + j * THREADS
        row_number = number // last
        column = (number - row_number * last) * vector
        above = row_number // rows
        row = row_number - above * rows
        x0, y0 = outer_places(k, above, outer, len(types) // 3)
        inside = number < count
        values = [k.var(element) for _ in range(vector)]
        here = column.to(u64) * x_inner if vector == 1 else column.to(u64)
        source = as_vectors(x.at(x0 + k.fma(row.to(u64), x_step, here)), vector)
        load_where(k, inside, source, 0, values)
        places.append((inside, y0 + k.fma(row.to(u64), y_step, column.to(u64))))
        loaded.append(values)
    for (inside, place), values in zip(places, loaded):
        with k.pred(inside):
            store(as_vectors(y.at(place), vector), 0, values)


def is_aligned(form: Form, x: Any, y: Any, size: int) -> bool:
    """Whether everything is at multiples of 16 bytes."""
    steps = [form.x_step, form.y_step, *(each for dim in form.outer for each in dim[1:]), form.columns]
    steps += [form.rows] * form.turned
    return common_alignment(x, y) >= SQUARE and all(each * size % SQUARE == 0 for each in steps)


def plan(form: Form, x: Any, y: Any, *, size: int, aligned: bool | None = None) -> KernelPlan:
    """y = x in that form, elements of `size` bytes; `aligned`: whether everything is at multiples of 16 bytes."""
    rows, columns, x_step, y_step, outer, turned, x_inner = form
    types = (u64,) * (3 * len(outer))
    more = [each for dim in outer for each in dim]
    matrices = 1
    for extent, _, _ in outer:
        matrices *= extent
    if aligned is None:
        aligned = is_aligned(form, x, y, size)
    if not turned:
        vector = SQUARE // size if aligned and x_inner == 1 else 1
        bits = b32 if aligned and x_inner == 1 and size < 4 else BITS[size]
        if bits is b32 and size < 4:  # words of several elements
            unit = 4 // size
            more = [each if i % 3 == 0 else each // unit for i, each in enumerate(more)]
            columns, x_step, y_step, vector = columns // unit, x_step // unit, y_step // unit, 4
        count = rows * columns * matrices // vector
        if count >= 1 << 31:
            raise BuildError(f"{count} accesses", hint="less than 2^31 at a time")
        launch = using(copy_rows, element=bits, vector=vector, types=types)
        arguments = (rows, columns, x, x_step, x_inner, y, y_step, count, *more)
        return KernelPlan(launch, grid_for(count, THREADS * UNROLL), THREADS, arguments)
    side = SQUARE // size
    tile = (DOWN * side, ACROSS * side) if aligned else (SIDE, SIDE)
    grid = max(1, ceil_div(rows, tile[0]) * ceil_div(columns, tile[1]) * matrices)
    if aligned:
        launch = using(transpose_squares, size=size, types=types)
        block = ACROSS * DOWN
    else:
        launch, block = using(transpose_elements, element=BITS[size], types=types), THREADS
    shared = tile[0] * tile[1] if aligned and size == 1 else None
    return KernelPlan(launch, grid, block, (rows, columns, x, x_step, y, y_step, *more), shared)


# The catalogue

UNSIGNED: dict[int, type[Value]] = {1: u8, 2: u16, 4: u32, 8: u64}


def _case(
    shape: tuple[int, ...], rng: np.random.Generator, *, size: int, axes: tuple[int, ...], aligned: bool | None
) -> Case:
    import numpy as np

    element = UNSIGNED[size]
    x = integers(rng, shape, element, 0, (1 << 8 * size) - 1)
    expected = np.ascontiguousarray(x.values.transpose(axes))
    steps = [s // size for s in x.values.strides]
    form = form_of(expected.shape, [steps[a] for a in axes], [s // size for s in expected.strides])
    return Case(
        arrays={"x": x, "y": HostArray(np.zeros(expected.shape, numpy_name(element.isa)), element)},
        plan=lambda on: _viewed(plan(form, on["x"], on["y"], size=size, aligned=aligned)),
        expected={"y": expected},
        tolerance=EXACT,
    )


def _viewed(made: KernelPlan) -> KernelPlan:
    """The plan with arrays of ours as the bits that its kernel moves."""
    bits = made.kernel.fixed.get("element", b32)  # type: ignore[attr-defined]
    arguments = (each.reshape(-1).view(bits) if hasattr(each, "view") else each for each in made.arguments)
    return made._replace(arguments=tuple(arguments))


def _variant(name: str, kernel_: Any, size: int, shapes: tuple[tuple[int, ...], ...], *axes: int) -> Variant:
    aligned = kernel_.__name__ != "transpose_elements" and not name.endswith("scalar")
    given: dict[str, Any] = {"size": size, "axes": axes or (1, 0), "aligned": aligned}
    return Variant("permute", name, kernel_, partial(_case, **given), sizes=shapes)


def _squares(size: int) -> Variant:
    e = SQUARE // size
    shapes = ((e, e), (e, 20 * e), (17 * e, e), (33 * e, 18 * e))
    return _variant(f"squares.b{8 * size}", using(transpose_squares, size=size, types=()), size, shapes)


VARIANTS = (
    *(_squares(size) for size in (1, 2, 4, 8)),
    *(
        _variant(
            f"elements.b{8 * size}", using(transpose_elements, element=BITS[size], types=()), size,
            ((0, 3), (1, 7), (37, 53), (129, 70)),
        )
        for size in (1, 2, 4, 8)
    ),
    _variant(
        "squares.b16.outer", using(transpose_squares, size=2, types=(u64,) * 6), 2, ((3, 16, 5, 24), (2, 8, 3, 136)), 2, 0, 3, 1
    ),
    _variant("elements.b8.outer", using(transpose_elements, element=b8, types=(u64,) * 3), 1, ((3, 5, 7), (2, 70, 65)), 0, 2, 1),
    _variant(
        "rows.b32", using(copy_rows, element=b32, vector=4, types=(u64,) * 3), 4, ((3, 5, 7, 8), (2, 33, 3, 64)), 0, 2, 1, 3
    ),
)  # fmt: skip
