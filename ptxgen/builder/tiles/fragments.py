"""What the tensor cores compute, in the registers of a warpgroup: sums of wgmma, and what is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.threads import warp
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.tiles.device_tile import DeviceTile
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.pairs import join, narrow
from ptxgen.builder.values.scalars import Value, b32, bf16, e4m3, e5m2, f16, f32, pred, s32, u32
from ptxgen.ir import Immediate, Vector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Address, Operand

__all__ = [
    "FP8_ORDER",
    "Fragment",
    "PackedFragment",
    "Sums",
    "converted",
    "lane_of",
    "pack",
    "sums",
    "wgmma_commit",
    "wgmma_wait",
]

ROWS = 64
"""Rows of one wgmma (manual 9.7.15.2)."""

_DEPTH = 32
"""Bytes along K of one wgmma."""

WORD_COLUMNS = 64
"""Columns of a sparse A, as it was before, whose metadata are one word of each thread."""


class Fragment:
    """`rows` by `columns` values in the registers of a warpgroup, as wgmma has its sums (manual 9.7.15.5.1, D).

    Of every 64 rows a thread has two: those of a `half`, 0 or 1; of each, two neighbours of every eight columns. `values` are
    in the order of the instruction's registers, block of 64 rows by block.
    """

    __slots__ = ("builder", "columns", "rows", "values")
    block: ClassVar[int] = ROWS
    """Rows of the instruction, of which a thread has two."""

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, values: Sequence[Any]) -> None:
        self.builder: FunctionBuilder = k
        self.rows: int = rows
        self.columns: int = columns
        self.values: tuple[Any, ...] = tuple(values)

    @property
    def _each(self) -> int:
        """Values of a thread in a block of rows."""
        return self.columns // 2

    def _of(self, columns: int, values: Sequence[Any]) -> Fragment:
        """Other values in the same places."""
        return Fragment(self.builder, self.rows, columns, values)

    def _first_row(self) -> u32:
        return self.builder.once("fragment row", _first_row, self.builder)

    def row(self, half: int, block: int = 0) -> u32:
        """The row of this thread's values of a half in a block of rows."""
        first = self._first_row()
        return first + (half * 8 + block * self.block) if half or block else first

    def column(self, index: int) -> u32:
        """The column of value `index` of a block."""
        first = self.builder.once("fragment column", _first_column, self.builder)
        place = index // 4 * 8 + index % 2
        return first + place if place else first

    def half(self, index: int) -> int:
        """Which of the thread's two rows value `index` is in."""
        return index // 2 % 2

    def map(self, function: Callable[..., Any], row: Any = 0, column: Any = 0) -> Fragment:
        """`function(value)` or `function(value, row, column)` of each value; the fragment's first is at (row, column)."""
        import inspect

        located = len(inspect.signature(function).parameters) >= 3
        found = []
        for place, value in enumerate(self.values):
            block, index = divmod(place, self._each)
            if located:
                found.append(function(value, self.row(self.half(index), block) + row, self.column(index) + column))
            else:
                found.append(function(value))
        return self._of(self.columns, found)

    def cut(self, column: int, columns: int) -> Fragment:
        """The values of the columns from `column` on, in eights."""
        if column % 8 or columns % 8 or column < 0 or columns < 8 or column + columns > self.columns:
            raise build_error(
                "PTX221",
                f"columns {column} to {column + columns} of {self.columns}",
                expected="multiples of 8 within it",
            )
        each, first, last = self._each, column // 2, (column + columns) // 2
        values = [self.values[block * each + i] for block in range(self.rows // self.block) for i in range(first, last)]
        return self._of(columns, values)

    def halves(self) -> list[list[Any]]:
        """The values by the thread's rows: two lists for each block of rows."""
        found: list[list[Any]] = [[] for _ in range(2 * self.rows // self.block)]
        for place, value in enumerate(self.values):
            block, index = divmod(place, self._each)
            found[block * 2 + self.half(index)].append(value)
        return found

    def reduce_rows(self, combine: Callable[[Any, Any], Any], *, own: bool = False) -> list[Any]:
        """Each of the thread's rows reduced to one value, which its four lanes all have; `combine` is associative. `own`: of this
        thread's values alone."""
        found = []
        for values in self.halves():
            value = _tree(values, combine)
            for lanes in () if own else (1, 2):
                value = combine(value, warp.shfl_xor(self.builder, value, lanes))
            found.append(value)
        return found

    def packed(self, type: Any) -> PackedFragment:
        """Variables for this fragment's values in a 16- or 8-bit type, two or four in each: `to(type, into=...)` sets them."""
        words = [arithmetic.variable(self.builder, b32) for _ in self._words(type)]
        return PackedFragment(self.builder, self.rows, self.columns, type, words)

    def to(self, type: Any, *, into: PackedFragment | None = None) -> Fragment | PackedFragment:
        """The values converted: to 16-bit types two in a register, to fp8 four, new ones or the variables of `into`."""
        k = self.builder
        if type.isa.bits == 32:
            return self.map(lambda value: converted(value, type))
        words = []
        for place, values in enumerate(self._words(type)):
            words.append(pack(k, values, type, into=into.words[place] if into is not None else None))
        return PackedFragment(k, self.rows, self.columns, type, words)

    def _words(self, type: Any) -> list[tuple[Any, ...]]:
        """The values that share a register in a narrower type, as A of a wgmma has its registers (manual 9.7.15.5.1)."""
        values = self.values
        if type in (bf16, f16):
            return list(zip(values[::2], values[1::2]))
        if type not in (e4m3, e5m2) or self.columns % 16:
            raise build_error(
                "PTX220",
                f"a fragment of {self.columns} columns in .{type.isa.name}",
                expected="f16, bf16, a 32-bit type, or e4m3 or e5m2 where the columns are a multiple of 16",
            )
        return [
            (*values[first : first + 2], *values[first + 4 : first + 6])
            for start in range(0, len(values), 8)
            for first in (start, start + 2)
        ]

    def store(self, tile: DeviceTile, *, transposed: bool = False) -> None:
        """Write the values to a tile of its size of 32-bit elements in shared memory. `transposed`: of `columns` by `rows`."""
        _fits(self, tile, 32, transposed)
        k = self.builder
        for place in range(0, len(self.values), 2):
            block, index = divmod(place, self._each)
            row, column = self.row(self.half(index), block), self.column(index)
            first, second = self.values[place : place + 2]
            if transposed:
                tile.at(column, row).store(0, first)
                tile.at(column + 1, row).store(0, second)
            else:
                where = tile.at(row, column).element_address()
                k.emit(f"st.shared.v2.{tile.element.memory}", where, Vector((k.use(first), k.use(second))))


def pack(k: FunctionBuilder, values: Sequence[Any], type: Any, *, into: b32 | None = None) -> b32:
    """Two values converted to a 16-bit type, or four to fp8, in one register, the first one lowest; `into` is a variable that
    takes them."""
    if type.isa.bits == 8:
        pairs = narrow(values, type)
        if pairs is None:
            raise build_error("PTX220", f"{values[0]!r} packed to .{type.isa.name}", expected="floating-point values")
        return k.emit1(b32, "mov.b32", Vector(tuple(k.use(pair) for pair in pairs)), into=into)
    low, high = values
    if isinstance(low, f32) and type.isa.is_float and k.target.sm >= _PACKS:
        return k.emit1(b32, f"cvt.rn.{type.isa.name}x2.f32", k.use(high), k.use(low), into=into)
    first, second = (k.use(converted(each, type)) for each in (low, high))
    made = b32(k, join(k, type, first, second), k.scope)
    if into is None:
        return made
    into.set(made)
    return into


_PACKS = 80
"""The first target whose cvt makes two values at once."""


def converted(value: Any, type: Any) -> Any:
    """A value in a type: itself where it has it."""
    return value if isinstance(value, type) else conversions.convert(value, type)


def _fits(fragment: Fragment | PackedFragment, tile: DeviceTile, bits: int, transposed: bool) -> None:
    """BuildError where a fragment cannot be stored to a tile."""
    rows, columns = fragment.rows, fragment.columns
    shape = (columns, rows) if transposed else (rows, columns)
    if (tile.rows, tile.columns) != shape or tile.layout.major != "K" or tile.layout.bits != bits:
        raise build_error(
            "PTX221",
            f"a fragment of {rows}x{columns} {bits}-bit values stored to {tile!r}",
            expected="a K-major tile of its shape and of elements of that size",
        )


def _tree(values: Sequence[Any], combine: Callable[[Any, Any], Any]) -> Any:
    found = list(values)
    while len(found) > 1:
        found = [combine(*found[i : i + 2]) if i + 1 < len(found) else found[i] for i in range(0, len(found), 2)]
    return found[0]


def _first_row(k: FunctionBuilder) -> u32:
    return _warp(k) * 16 + lane_of(k) // 4


def _first_column(k: FunctionBuilder) -> u32:
    return lane_of(k) % 4 * 2


def _warp(k: FunctionBuilder) -> u32:
    """The warp's number in its warpgroup."""
    return k.read_special(u32, "%tid.x") // 32 % 4


def lane_of(k: FunctionBuilder) -> u32:
    """The thread's lane."""
    return k.read_special(u32, "%laneid")


FP8_ORDER = (0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)
"""Which of 16 columns of a `Fragment` is at each place along K when it is packed to fp8 and is A of a wgmma: a thread has two
neighbours of each eight columns, and A has four neighbours in a register. Nothing is moved between threads; B's elements along
K are to lie in the same order."""


class PackedFragment:
    """A `Fragment` of 16-bit values, two neighbours of a row in each of `words`: what stmatrix writes, and A of a wgmma. Of fp8
    values four are in each, and A's columns are in `FP8_ORDER`."""

    __slots__ = ("builder", "columns", "rows", "type", "words")

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, type: Any, words: Sequence[b32]) -> None:
        self.builder: FunctionBuilder = k
        self.rows: int = rows
        self.columns: int = columns
        self.type: Any = type
        self.words: tuple[b32, ...] = tuple(words)

    def step(self, column: int, block: int = 0) -> tuple[b32, ...]:
        """The four registers of the 32 bytes of a row from `column` on: A of one wgmma step."""
        word = 64 // self.type.isa.bits  # columns for each of a thread's registers
        first = (block * self.columns + column) // word
        return self.words[first : first + 4]

    def load(self, tile: DeviceTile) -> None:
        """Read it with ldmatrix from a tile of its size in shared memory, into words that are variables (`Sums.packed`)."""
        if self.type.isa.bits != 16 or not all(word.mutable for word in self.words):
            raise build_error(
                "PTX220", f"a fragment of .{self.type.isa.name} loaded by ldmatrix", expected="variables of bf16 or f16"
            )
        _fits(self, tile, 16, False)
        k, layout = self.builder, tile.layout
        lane, warp_rows = lane_of(k), _warp(k) * 16
        start = k.once(("stmatrix", layout, False), layout.offset, warp_rows + lane % 16, lane // 16 * 8) + tile._base()
        for block in range(self.rows // ROWS):
            for first in range(0, self.columns, 16):
                count = min(16, self.columns - first) // 8
                words = self.words[block * self.columns // 4 + first // 4 :][: 2 * count]
                place, into = (
                    self._further(tile, start, block, first, False),
                    Vector(tuple(k.use(word) for word in words)),
                )
                k.emit(f"ldmatrix.sync.aligned.m8n8.x{2 * count}.shared.b16", into, place)

    def store(self, tile: DeviceTile, *, transposed: bool = False) -> None:
        """Write it to a tile of its size in shared memory with stmatrix. `transposed`: to a tile of `columns` by `rows`."""
        if self.type.isa.bits != 16:
            raise build_error(
                "PTX220", f"a fragment of .{self.type.isa.name} stored by stmatrix", expected="bf16 or f16"
            )
        _fits(self, tile, 16, transposed)
        k, layout = self.builder, tile.layout
        lane, warp_rows = lane_of(k), _warp(k) * 16
        for block in range(self.rows // ROWS):
            if transposed:  # the matrices' rows are the fragment's columns: lane l has row l % 8 of matrix l // 8
                row, column = lane // 16 * 8 + lane % 8, warp_rows + lane // 8 % 2 * 8
            else:
                row, column = warp_rows + lane % 16, lane // 16 * 8
            start = k.once(("stmatrix", layout, transposed), layout.offset, row, column) + tile._base()
            for first in range(0, self.columns, 16):
                count = min(16, self.columns - first) // 8
                words = self.words[block * self.columns // 4 + first // 4 :][: 2 * count]
                place = self._further(tile, start, block, first, transposed)
                name = f"stmatrix.sync.aligned.m8n8.x{2 * count}{'.trans' if transposed else ''}.shared.b16"
                k.emit(name, place, Vector(tuple(k.use(word) for word in words)))

    def _further(self, tile: DeviceTile, start: u32, block: int, first: int, transposed: bool) -> Address:
        """The address of a 16-column part: whole lines further by addition, within a line by the swizzle's exclusive or."""
        k, layout = self.builder, tile.layout
        rows, columns = (first, block * ROWS) if transposed else (block * ROWS, first)
        blocks, within = divmod(columns, layout.per_line)
        offset = blocks * layout.block + rows * layout.pattern.span
        chunk = within * layout.bits // 8
        moved = start ^ chunk if chunk else start
        return address_at(k, moved, tile.offset + offset)


class Sums(Fragment):
    """A `Fragment` that wgmma adds products to: variables, which keep their values around loops."""

    __slots__ = ("type",)

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, type: Any, values: Sequence[Any] = ()) -> None:
        super().__init__(
            k, rows, columns, values or [arithmetic.variable(k, type, 0) for _ in range(rows * columns // 128)]
        )
        self.type: Any = type

    def cut(self, column: int, columns: int) -> Sums:
        """The same variables: products may be added to these columns alone."""
        return Sums(self.builder, self.rows, columns, self.type, super().cut(column, columns).values)

    def add_product(
        self, a: DeviceTile | PackedFragment, b: DeviceTile, *, keep: pred | bool = True, commit: bool = True,
        metadata: Sequence[b32 | u32] = (),
    ) -> None:  # fmt: skip
        """sums = sums * keep + A B, asynchronously: `k.wgmma_wait` or a pipeline's `consume` waits for it.

        A is a tile of `rows` by K, or a packed fragment; B a tile of `columns` by K. Where `keep` is false the old sums are
        dropped. The steps along K are one group, which is committed unless `commit` is False. With `metadata` A is sparse: of
        each four elements the two that are stored, so `rows` by K / 2. This thread's words say which, one for 64 of K, as
        `px.layout("wgmma....sp...metadata")` has them: of 16-bit elements those of both selectors.
        """
        k = self.builder
        sparse = bool(metadata)
        given: Any = (a, b)
        if not isinstance(given[0], (DeviceTile, PackedFragment)) or not isinstance(given[1], DeviceTile):
            raise build_error(
                "PTX220", f"a product of {a!r:.60} and {b!r:.60}", expected="A a tile or a packed fragment, B a tile"
            )
        depth = a.columns
        if a.rows != self.rows or b.rows != self.columns or b.columns != depth * (1 + sparse):
            raise build_error(
                "PTX221",
                f"{self.rows}x{self.columns} sums of {a.rows}x{depth} by {b.rows}x{b.columns}",
                expected="A of rows x K / 2, B of columns x K" if sparse else "A of rows x K, B of columns x K",
            )
        name, step, transposable = self._name(a, b, sparse)
        if sparse and (a.layout.bits not in (8, 16) if isinstance(a, DeviceTile) else True):
            raise build_error("PTX220", f"a sparse A of {a!r}", expected="a tile of 8- or 16-bit elements")
        if sparse and len(metadata) * WORD_COLUMNS != b.columns:
            raise build_error(
                "PTX202", f"{len(metadata)} words of metadata for {b.columns} of K", expected=f"one for {WORD_COLUMNS}"
            )
        k.emit("wgmma.fence.sync.aligned")
        first = _flag(k, keep)
        majors = [Immediate(int(b.layout.major == "MN"))]
        if isinstance(a, DeviceTile):
            majors.insert(0, Immediate(int(a.layout.major == "MN")))
        each = self._each
        for block in range(self.rows // ROWS):
            registers = Vector(tuple(k.use(value) for value in self.values[block * each :][:each]))
            for column in range(0, depth, step):
                if isinstance(a, DeviceTile):
                    left: Operand = k.use(a.descriptor(block * ROWS, column))
                else:
                    left = Vector(tuple(k.use(word) for word in a.step(column, block)))
                right = k.use(b.descriptor(0, column * (1 + sparse)))
                scale = first if column == 0 else _flag(k, True)
                signs = [Immediate(1), Immediate(1)] if self.type is not s32 else []
                kept = _kept(k, metadata, column // step, transposable) if sparse else ()
                k.emit(name, registers, left, right, *kept, scale, *signs, *(majors if transposable else []))
        if commit:
            wgmma_commit(k)

    def _name(self, a: DeviceTile | PackedFragment, b: DeviceTile, sparse: bool) -> tuple[str, int, bool]:
        """(the instruction, stored elements of A of one step along K, whether it takes MN-major tiles)."""
        left = (a.element if isinstance(a, DeviceTile) else a.type).isa.name
        right = b.element.isa.name
        types = tuple("tf32" if each == "f32" else each for each in (left, right))
        bits = b.layout.bits
        step = _DEPTH * 8 // bits
        if self.columns % 8 or not 8 <= self.columns <= 256:
            raise build_error("PTX221", f"wgmma of {self.columns} columns", expected="8 to 256, in eights")
        shape = f"m64n{self.columns}k{step * (1 + sparse)}"
        start = f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned"
        return f"{start}.{shape}.{self.type.isa.name}.{types[0]}.{types[1]}", step, bits == 16


def _kept(k: FunctionBuilder, metadata: Sequence[b32 | u32], number: int, two: bool) -> tuple[Operand, Operand]:
    """(the word of metadata, the selector) of a step: with `two`, two steps share a word."""
    word, selector = divmod(number, 2) if two else (number, 0)
    return k.use(metadata[word]), Immediate(selector)


def _flag(k: FunctionBuilder, keep: Any) -> Operand:
    """`scale-d`: a predicate."""
    if isinstance(keep, Value):
        return k.truth(keep)
    return Immediate(int(bool(plain(keep))))


def sums(k: FunctionBuilder, rows: int, columns: int, type: Any = f32) -> Sums:
    """Sums of a warpgroup, zero at first: `rows` (in 64s) by `columns` (8 to 256, in eights) of f32, f16 or s32."""
    if rows % ROWS or rows < ROWS:
        raise build_error("PTX221", f"sums of {rows} rows", expected="multiples of 64")
    return Sums(k, rows, columns, type)


def wgmma_commit(k: FunctionBuilder) -> None:
    """Make a group of the products since the last one."""
    k.emit("wgmma.commit_group.sync.aligned")


def wgmma_wait(k: FunctionBuilder, groups: int = 0) -> None:
    """Wait until at most the last `groups` groups of products are under way: the sums of the others may be read."""
    if groups not in range(8):
        raise build_error("PTX221", f"waiting for all but {groups!r} groups", expected="0 to 7")
    k.emit("wgmma.wait_group.sync.aligned", Immediate(groups))
