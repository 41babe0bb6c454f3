"""What a warp computes of tiles in shared memory: sums of mma.sync on every target that has it, of fma elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from driver_ctypes.typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast
from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.threads import warp
from ptxgen.builder.tiles.fragments import Fragment, PackedFragment, converted, lane_of, pack
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.pairs import split
from ptxgen.builder.values.scalars import Value, b32, f32, s32, u32
from ptxgen.ir import Immediate, Vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.memory.pointers import ptr
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.ir import Operand, Register

__all__ = [
    "FmaSums", "MmaSums", "WarpFragment", "WarpRows", "WarpSums", "Way", "check_extents", "has_scaled", "multiplies",
    "scaled_way", "warp_sums",
]  # fmt: skip

_STEP = 32
"""Bytes along K of one step: four registers of 16 rows."""

_QUAD = 4
"""Steps along K that one load brings to fma."""


class WarpFragment(Fragment):
    """`rows` by `columns` values in the registers of a warp, as mma has its sums (manual 9.7.14.5.8, C).

    Of every 16 rows a thread has two, those of a `half`; of each, two neighbours of every eight columns. `values` go block of
    16 rows by block.
    """

    __slots__ = ()
    block: ClassVar[int] = 16

    def _first_row(self) -> u32:
        return self.builder.once("warp fragment row", _first_row, self.builder)

    def _of(self, columns: int, values: Sequence[Any]) -> WarpFragment:
        return WarpFragment(self.builder, self.rows, columns, values)

    def map(self, function: Callable[..., Any], row: Any = 0, column: Any = 0) -> WarpFragment:
        return cast("WarpFragment", super().map(function, row, column))

    def runs(self, type: Any, lanes: int = 1) -> tuple[list[u32], list[u32], list[list[tuple[Any, ...]]]]:
        """(rows, columns, values): `values[i][j]` are `lanes` neighbours of `rows[i]` from `columns[j]` on, converted to a type.

        A lane has two neighbours; four of a 16-bit type come from two lanes, which exchange what they have, so that the 32
        bytes that the memory moves at a time are written by one store of the warp.
        """
        if lanes not in (1, 2, 4) or (lanes == 4 and (type.isa.bits != 16 or self.columns % 16)):
            raise build_error("PTX221", f"runs of {lanes} .{type.isa.name}", expected="1 or 2; 4 of 16-bit types")
        rows = [self.row(half, block) for block in range(self.rows // 16) for half in range(2)]
        starts = [number // 2 * self._each + number % 2 * 2 for number in range(len(rows))]
        if lanes == 4:
            first = self.column(0) + self.builder.once("run column", _run_column, self.builder)
            columns = [first + column for column in range(0, self.columns, 16)]
            values = [
                [self._exchanged(type, start + column // 2) for column in range(0, self.columns, 16)]
                for start in starts
            ]
            return rows, columns, values
        found = [
            [converted(self.values[start + index + i], type) for index in range(0, self._each, 4) for i in range(2)]
            for start in starts
        ]
        columns = [self.column(index + i) for index in range(0, self._each, 4) for i in range(0, 2, lanes)]
        return rows, columns, [[tuple(line[i : i + lanes]) for i in range(0, len(line), lanes)] for line in found]

    def _exchanged(self, type: Any, place: int) -> tuple[Any, ...]:
        """Four neighbours: even lanes take those of eight columns, odd ones those of the next eight."""
        k = self.builder
        odd = k.once("odd lane", _odd, k)
        near, far = (pack(k, self.values[start : start + 2], type) for start in (place, place + 4))
        other = warp.shfl_xor(k, arithmetic.select(k, odd, near, far), 1)
        words = arithmetic.select(k, odd, other, near), arithmetic.select(k, odd, far, other)
        return tuple(type(k, part, k.scope) for word in words for part in split(k, type, cast("Register", k.use(word))))


def _first_row(k: FunctionBuilder) -> u32:
    return lane_of(k) // 4


def _odd(k: FunctionBuilder) -> Any:
    return lane_of(k) % 2 == 1


def _run_column(k: FunctionBuilder) -> u32:
    """From a lane's column to that of its run: an odd lane's begins with its neighbour, eight columns further."""
    return lane_of(k) % 2 * 6


class WarpRows:
    """Rows of a tile that a warp multiplies: `rows[stage]` are those of one stage."""

    __slots__ = ("offset", "tile")

    def __init__(self, tile: DeviceTile, offset: u32) -> None:
        self.tile: DeviceTile = tile
        self.offset: u32 = offset

    def __getitem__(self, stage: Any) -> WarpRows:
        return WarpRows(self.tile[stage], self.offset)

    def at(self, row: int, column: int) -> ptr[Any]:
        """What this lane reads, so many rows and columns further."""
        return self.tile.beyond(self.offset, row, column)


FactorWords = Sequence[Sequence[Value]]
"""Factors of a warp's rows: for each register of four along K, this lane's of each 32 rows."""


class WarpSums(WarpFragment):
    """A `WarpFragment` that products are added to: variables, which keep their values around loops.

    `element` is what the tiles hold, `majors` what they may be. `left(tile, first)` and `right(tile, first)` say where the
    warp's rows of A and of B begin, a multiple of their number, once for all stages; `add_product` takes those of one stage.
    """

    __slots__ = ("element", "majors", "type")

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, element: Any, type: Any) -> None:
        super().__init__(k, rows, columns, [arithmetic.variable(k, type, 0) for _ in range(rows * columns // 32)])
        self.majors: tuple[str, ...] = ("K",)
        self.element: Any = element
        self.type: Any = type

    def clear(self) -> None:
        """Begin again with zeros."""
        for value in self.values:
            value.set(0)


class Way(NamedTuple):
    """How 16 x 8 sums take a step along K: an instruction, and which registers of D, A and B each use of it has. Where it has
    factors of scale, `factors` are those of a row in a step, and `one` is a register of four that are 1."""

    name: str
    uses: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]
    factors: int = 0
    one: int = 0


_WHOLE = (((0, 1, 2, 3), (0, 1, 2, 3), (0, 1)),)
_BY_K = (((0, 1, 2, 3), (0, 1), (0,)), ((0, 1, 2, 3), (2, 3), (1,)))
_BY_ROWS_AND_K = (((0, 1), (0,), (0,)), ((0, 1), (2,), (1,)), ((2, 3), (1,), (0,)), ((2, 3), (3,), (1,)))

_INTEGERS = ((80, "m16n8k32", _WHOLE), (75, "m8n8k16", _BY_ROWS_AND_K))
_BYTES = ((89, "m16n8k32", _WHOLE),)
_WAYS: dict[str, tuple[tuple[int, str, tuple[Any, ...]], ...]] = {
    "f16": ((80, "m16n8k16", _WHOLE), (75, "m16n8k8", _BY_K)),
    "bf16": ((80, "m16n8k16", _WHOLE),),
    "f32": ((80, "m16n8k8", _WHOLE),),
    "s8": _INTEGERS,
    "u8": _INTEGERS,
    "e4m3": _BYTES,
    "e5m2": _BYTES,
}
"""Elements -> (first target, shape, uses), newest first (manual 9.7.14.5)."""


def scaled_way(kind: str, left: str, right: str, factor: str) -> Way:
    """The instruction of such elements with factors of scale (manual 9.7.14.3, 9.7.14.5.14)."""
    shape, factors = {"mxf8f6f4": ("m16n8k32", 1), "mxf4": ("m16n8k64", 2), "mxf4nvf4": ("m16n8k64", 4)}[kind]
    name = f"mma.sync.aligned.{shape}.row.col.kind::{kind}.block_scale.scale_vec::{factors}X.f32.{left}.{right}.f32.{factor}"
    return Way(name, _WHOLE, factors, _ONES[factor])


def has_scaled(k: FunctionBuilder) -> bool:
    """Has the target an mma with factors of scale?"""
    return k.target.family == _SCALED and k.target.suffix != ""


_SCALED = 12
"""The family of targets, "a" or "f", that has it."""

_ONES = {"ue8m0": 0x7F7F7F7F, "ue4m3": 0x38383838}


def _way(k: FunctionBuilder, element: Any) -> Way | None:
    """The instruction for elements on the target; None where there is none."""
    name = element.isa.name
    if name in ("e4m3", "e5m2") and has_scaled(k):  # twice as fast (RTX 5090, mmapeak: 737, 370 TFLOP/s)
        return scaled_way("mxf8f6f4", name, name, "ue8m0")
    for first, shape, uses in _WAYS.get(name, ()):
        if k.target.sm >= first:
            of = "tf32" if name == "f32" else name
            sums = "s32" if element.isa.is_integer else "f32"
            return Way(f"mma.sync.aligned.{shape}.row.col.{sums}.{of}.{of}.{sums}", uses)
    return None


def multiplies(k: FunctionBuilder, element: Any) -> bool:
    """Has the target an mma of these elements (f32 as tf32)?"""
    return _way(k, element) is not None


class MmaSums(WarpSums):
    """Sums of mma.sync, which reads its operands by ldmatrix. f32 is rounded to tf32."""

    __slots__ = ("_way",)

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, element: Any, way: Way) -> None:
        of_integers = element.isa.is_integer and not way.factors  # e2m1 are bytes of two
        super().__init__(k, rows, columns, element, s32 if of_integers else f32)
        self._way = way
        if element.isa.bits == 16:  # which ldmatrix transposes
            self.majors = ("K", "MN")

    def left(self, tile: DeviceTile, first: Any) -> WarpRows:
        """The warp's `rows` rows of A from row `first` on."""
        lane = lane_of(self.builder)
        return self._rows(tile, first, lane // 8 % 2, lane // 16)

    def right(self, tile: DeviceTile, first: Any) -> WarpRows:
        """The warp's `columns` rows of B from row `first` on: the registers of one product are neighbours, as it takes them."""
        lane = lane_of(self.builder)
        return self._rows(tile, first, lane // 16, lane // 8 % 2)

    def _rows(self, tile: DeviceTile, first: Any, lower: u32, further: u32) -> WarpRows:
        """Lane l reads row l % 8 of matrix l // 8, which is of the `lower` eight rows or not, and `further` along K or not."""
        line = lane_of(self.builder) % 8
        if tile.layout.major == "K":
            return WarpRows(tile, tile.offset_of(first + (lower * 8 + line), further * (128 // tile.layout.bits)))
        if tile.layout.major not in self.majors:
            raise build_error("PTX220", f"MN-major {tile!r} for mma.sync", expected="16-bit elements, or K-major tiles")
        return WarpRows(tile, tile.offset_of(first + lower * 8, further * 8 + line))

    def _matrices(self, rows: WarpRows, row: int, column: int) -> list[Operand]:
        """The registers of 16 rows by 32 bytes of K: of `left` rows 0 to 7, rows 8 to 15, and both again 16 bytes further along
        K; of `right` rows 0 to 7, the same 16 bytes further, and rows 8 to 15 likewise."""
        k = self.builder
        words = [arithmetic.variable(k, b32) for _ in range(4)]
        registers = tuple(k.use(word) for word in words)
        trans = ".trans" if rows.tile.layout.major == "MN" else ""
        place = rows.at(row, column).element_address()
        k.emit(f"ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16", Vector(registers), place)
        if self.element is not f32:
            return list(registers)
        return [k.use(k.emit1(b32, "cvt.rna.tf32.f32", register)) for register in registers]

    def add_product(
        self, a: WarpRows | PackedFragment, b: WarpRows, factors: tuple[FactorWords, FactorWords] | None = None
    ) -> None:
        """sums += A B^T, over all columns of A: rows of a tile, or a fragment of as many rows as the sums have, packed to the
        element of B's tile. `factors` of A and of B where the sums are of `k.block_scaled_sums`: without them all are 1."""
        if isinstance(a, PackedFragment) and (a.rows, a.type) != (self.rows, self.element):
            raise build_error(
                "PTX221",
                f"{self.rows} rows of sums of {a.rows} rows of packed .{a.type.isa.name}",
                expected=f"{self.rows} rows of .{self.element.isa.name}",
            )
        for step, column in enumerate(range(0, b.tile.columns, _STEP * 8 // b.tile.layout.bits)):
            left: list[Sequence[Operand]] = []
            for row in range(0, self.rows, 16):
                if isinstance(a, PackedFragment):
                    left.append([self.builder.use(word) for word in a.step(column, row // 16)])
                else:
                    left.append(self._matrices(a, row, column))
            right: list[tuple[Operand, Operand]] = []
            for row in range(0, self.columns, 16):
                registers = self._matrices(b, row, column)
                right += [(registers[0], registers[1]), (registers[2], registers[3])]
            places = ((i, j) for i in range(len(left)) for j in range(len(right)))
            for number, (i, j) in enumerate(places):
                self._multiply(number * 4, left[i], right[j], self._factors(factors, step, i, j))

    def _factors(
        self, given: tuple[FactorWords, FactorWords] | None, step: int, i: int, j: int
    ) -> tuple[Operand, ...]:  # fmt: skip
        """What the instruction of a step takes behind the sums, for 16 rows of A and 8 of B: registers, and where in them and
        in which threads of each four the factors are."""
        k, way = self.builder, self._way
        if not way.factors:
            return ()
        word, byte = divmod(step * way.factors, 4)
        if given is None:
            one = k.use(k.once("factors of 1", k.emit1, b32, "mov.b32", Immediate(way.one)))
            of_a, of_b = one, one
        else:
            of_a, of_b = (k.use(words[word][each]) for words, each in zip(given, (i // 2, j // 4)))
        return of_a, Vector((Immediate(byte), Immediate(i % 2))), of_b, Vector((Immediate(byte), Immediate(j % 4)))

    def _multiply(self, place: int, x: Sequence[Operand], y: Sequence[Operand], factors: tuple[Operand, ...]) -> None:
        k = self.builder
        d = [k.use(value) for value in self.values[place : place + 4]]
        for use in self._way.uses:
            sums, left, right = (Vector(tuple(of[i] for i in chosen)) for of, chosen in zip((d, x, y), use))
            k.emit(self._way.name, sums, left, right, sums, *factors)


class FmaSums(WarpSums):
    """Sums of one fma (mad for integers) an element, in the order of K, in the places where mma has them.

    The tiles are K-major and hold f32 or s32, as the sums are; lanes read 16 bytes along K at a time.
    """

    __slots__ = ()

    def left(self, tile: DeviceTile, first: Any) -> WarpRows:
        """The warp's `rows` rows of A from row `first` on."""
        return self._rows(tile, first + lane_of(self.builder) // 4)

    def right(self, tile: DeviceTile, first: Any) -> WarpRows:
        """The warp's `columns` rows of B from row `first` on."""
        return self._rows(tile, first + lane_of(self.builder) % 4 * 2)

    def _rows(self, tile: DeviceTile, row: u32) -> WarpRows:
        if tile.layout.major != "K" or tile.element is not self.type:
            raise build_error("PTX220", f"{tile!r} for fma", expected=f"a K-major tile of .{self.type.isa.name}")
        return WarpRows(tile, tile.offset_of(row, 0))

    def add_product(self, a: WarpRows, b: WarpRows) -> None:
        """sums += A B^T, over all columns of the tiles."""
        k, layout = self.builder, a.tile.layout
        name = "mad.lo.s32" if self.type is s32 else "fma.rn.f32"
        across = [8 * block + neighbour for block in range(self.columns // 8) for neighbour in range(2)]
        for start in range(0, layout.columns, layout.per_line):
            for step in structured.range_(k, 0, layout.per_line, _QUAD):
                x, y = (WarpRows(rows.tile, rows.offset ^ step * 4) for rows in (a, b))
                right = [y.at(row, start).vectors(_QUAD).load() for row in across]
                for half in range(self.rows // 8):
                    left = x.at(8 * half, start).vectors(_QUAD).load()
                    sums = [self._sum(half, number) for number in range(len(across))]
                    for along in range(_QUAD):
                        for total, other in zip(sums, right):
                            place = k.use(total)
                            k.emit(name, place, k.use(left[along]), k.use(other[along]), place)

    def _sum(self, half: int, number: int) -> Value:
        """The sum in the thread's row `half` (of each 8 rows one), and of its columns number `number`."""
        place = half // 2 * self._each + number // 2 * 4 + half % 2 * 2 + number % 2
        found: Value = self.values[place]
        return found


def warp_sums(k: FunctionBuilder, rows: int, columns: int, element: Any, *, exact: bool = False) -> MmaSums | FmaSums:
    """Sums of a warp, zero at first: `rows` by `columns` (both powers of two from 16 on) of products of elements.

    By mma.sync where the target has it for them: f16 and 8-bit integers from sm_75, bf16 and f32 (as tf32) from sm_80, e4m3 and
    e5m2 from sm_89. Elsewhere, and with `exact`, by fma of tiles of the sums' type, to which elements are converted when they
    are stored: `sums.element` says what the tiles hold. Sums of integers are s32, others f32.
    """
    check_extents(rows, columns, 16)
    way = None if exact else _way(k, element)
    if way is not None:
        return MmaSums(k, rows, columns, element, way)
    type = s32 if element.isa.is_integer else f32
    if element.isa.bits > 32 or element.isa.kind in "bp":
        raise build_error("PTX220", f"sums of products of .{element.isa.name}", expected="numbers of up to 32 bits")
    return FmaSums(k, rows, columns, type, type)


def check_extents(rows: int, columns: int, least: int) -> None:
    """BuildError for sums of a warp that have other extents than powers of two."""
    for what, extent in (("rows", rows), ("columns", columns)):
        if extent < least or extent & (extent - 1):
            powers = [str(each) for each in (16, 32, 64) if each >= least]
            raise build_error("PTX221", f"a warp's sums of {extent} {what}", expected=f"{', '.join(powers)} or 128")
