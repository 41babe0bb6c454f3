"""wgmma.mma_async at run time (manual 9.7.15.5): a warp's 16 rows of D = A B + D, with B, and A unless it is in registers, in
shared memory where descriptors say: descriptors.py.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.descriptors import CHUNK, Descriptor
from ptxgen.cpu.rt.matrix.floats import Model, model
from ptxgen.cpu.rt.matrix.product import Product, sparsity
from ptxgen.cpu.rt.matrix.products import Integers, decoded, results
from ptxgen.cpu.rt.matrix.quads import LANES, LINES, QUAD, Quads
from ptxgen.cpu.rt.matrix.sides import Left, Right
from ptxgen.cpu.rt.matrix.vectors import WIDTH, constant, load
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["CHUNK", "Flag", "Parameter", "write"]

ROWS = 16
"""Of D in a warp: a quarter of the warpgroup's."""


class Parameter(IntEnum):
    """The 64-bit words that the function gets in place of pointers to rows."""

    A = 0
    """The descriptor of A; not looked at when A is in registers."""
    B = 1
    SHARED = 2
    """The address of the CTA's shared memory."""
    SHARED_BYTES = 3
    WARP = 4
    """Which of the warpgroup's four."""
    FLAGS = 5
    BAD = 6
    """Set by the function: an address outside of shared memory that it met, or -1."""


class Flag(IntFlag):
    """The instruction's last operands."""

    ADD = 1
    """D is added to, not set."""
    NEGATE_A = 2
    NEGATE_B = 4
    TRANSPOSE_A = 8
    TRANSPOSE_B = 16


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    _set(f, Parameter.BAD, f.e.const("i64", -1))
    type_a, type_b = [word for word in f.words if word in TYPES][1:3]
    if TYPES[type_a].is_float:
        _Floats(f, type_a, type_b, model(f)).write()
    else:
        _integers(f, type_a, type_b)
    f.e.jump("out")
    f.e.label("out")


def _first_row(f: Fragments) -> LlvmValue:
    """Of the warp."""
    return _get(f, Parameter.WARP).trunc("i32") * ROWS


def _integers(f: Fragments, type_a: str, type_b: str) -> None:
    e = f.e
    columns, depth = f.layouts["d"].shape[1], f.layouts["a"].shape[1]
    k = 2 * depth if "metadata" in f.layouts else depth
    a, b, c = (f.matrix("i32", size) for size in (ROWS * depth, k * WIDTH, ROWS * columns))
    p = Product(f, "i32", rows=ROWS, columns=columns, depth=depth, width=WIDTH, a=a, b=b, c=c)
    arithmetic = Integers(p)
    _read_sums(p)
    if "a" not in f.without:
        f.gather("a", a, "i32", lambda bits: decoded(f, bits, type_a, "i32"))
    else:
        _Tile(f, "a", type_a).read(a, _first_row(f), ROWS, depth, lambda row, at: row * depth + at)
    tile = _Tile(f, "b", type_b)
    with e.count(0, e.const("i32", columns // WIDTH)) as number:
        tile.read(b, number * WIDTH, WIDTH, k, lambda column, at: at * WIDTH + column)
        with e.count(0, e.const("i32", ROWS)) as i:
            at = i * columns + number * WIDTH
            arithmetic.sums(i, e.const("i32", 0), at).store(e.element("i32", c, at))
    f.scatter("d", c, "i32", arithmetic.encoded)


class _Floats:
    """A product of floats: A once, B eight columns at a time."""

    def __init__(self, f: Fragments, type_a: str, type_b: str, model: Model) -> None:
        self.f, self.e = f, f.e
        self.model = model
        self.fields = sparsity(f)
        depth = f.layouts["a"].shape[1]
        k = depth if self.fields is None else 2 * depth
        self.left = Left(f, type_a, model.least_a, lines=ROWS, depth=depth)
        self.right = Right(f, type_b, model.least_b, depth=k)
        self.left.sign, self.right.sign = (
            _has(f, flag).select(self.e.const("i32", -(1 << 31)), 0) for flag in (Flag.NEGATE_A, Flag.NEGATE_B)
        )

    def write(self) -> None:
        f, e = self.f, self.e
        self.left.fill(self._words_of_a())
        left = self.left if self.fields is None else self.left.spread(self.fields)
        sums = results(f, self.model, left, self.right, sparse=self.fields is not None)
        quads = Quads(f, "d", 0)
        each = quads.blocks * quads.registers
        order, c, unused = (
            f.table_of("d", quads.order(by_division=True)),
            f.matrix("i32", each * LANES),
            f.matrix("i32", LANES),
        )
        kept = _has(f, Flag.ADD).select(e.const("i32", -1), 0)
        fill_b = self._filler_of_b()
        with e.count(0, e.const("i32", quads.divisions)) as tile:
            fill_b(tile * LINES)
            first = tile * each
            quads.pull(order, first, each, c)

            def place(block: LlvmValue, register: LlvmValue, first: LlvmValue = first) -> LlvmValue:
                return quads.pointer(order, first + block * quads.registers + register, unused)

            sums.tile(c, place, kept)

    def _words_of_a(self) -> LlvmValue:
        f = self.f
        if "a" not in f.without:
            return Quads(f, "a", 0).pulled(by_division=False)
        words, tile, first = self.left.words(ROWS // LINES), _Tile(f, "a", self.left.type), _first_row(f)
        tile.either(
            lambda: tile.copy_lines(words, first, ROWS, self.left.chunks),
            lambda: tile.copy_across(words, first, ROWS, self.left.depth),
        )
        return words

    def _filler_of_b(self) -> Callable[[LlvmValue], None]:
        """What makes the right side of eight columns from one on."""
        f, right = self.f, self.right
        words, tile = right.words(1), _Tile(f, "b", right.type)

        def along(first: LlvmValue) -> None:
            tile.copy_lines(words, first, LINES, right.chunks)
            right.fill(words)

        def across(first: LlvmValue) -> None:
            tile.copy_rows(words, first, right.depth)
            right.fill_across(words)

        return lambda first: tile.either(lambda: along(first), lambda: across(first))


def _get(f: Fragments, parameter: Parameter) -> LlvmValue:
    return f.e.load("i64", f.e.offset(f.rows, 8 * parameter))


def _set(f: Fragments, parameter: Parameter, value: LlvmValue) -> None:
    f.e.store(value, f.e.offset(f.rows, 8 * parameter))


def _has(f: Fragments, flag: Flag) -> LlvmValue:
    return (_get(f, Parameter.FLAGS) & int(flag)).ne(0)


def _read_sums(p: Product) -> None:
    """C is D, or zero."""
    f, e = p.f, p.e
    with e.count(0, e.const("i32", p.rows * p.columns // WIDTH)) as n:
        constant(e, p.element, 0).store(e.element(p.element, p.c, n * WIDTH))
    with e.if_(_has(f, Flag.ADD)):
        f.gather("d", p.c, p.element, lambda bits: decoded(f, bits, f.layouts["d"].type, p.element))


class _Tile:
    """A matrix in shared memory, as its descriptor has it."""

    def __init__(self, f: Fragments, operand: str, type: str) -> None:
        self.f = f
        self.e = e = f.e
        self.type, self.bits = type, TYPES[type].bits
        is_a = operand == "a"
        self._transposed = (
            _has(f, Flag.TRANSPOSE_A if is_a else Flag.TRANSPOSE_B) if self.bits == 16 else e.const("i1", 0)
        )
        word = _get(f, Parameter.A if is_a else Parameter.B)
        self._place = Descriptor(e, word, self._transposed)

    def either(self, lines: Callable[[], None], across: Callable[[], None]) -> None:
        """`across` where the matrix is transposed, else `lines`."""
        if self.bits != 16:
            lines()
            return
        with self.e.if_(self._transposed):
            across()
        with self.e.if_(self._transposed ^ 1):
            lines()

    def copy_lines(self, target: LlvmValue, first: LlvmValue, count: int, chunks: int) -> None:
        """The words of some lines, as fragments have them (quads.py), those of a matrix that is not transposed."""
        e = self.e
        with e.count(0, e.const("i32", count // LINES)) as block:
            with e.count(0, e.const("i32", chunks)) as chunk:
                start = self._place.address((block * LINES + first).zext("i64"), chunk.zext("i64") * CHUNK)
                self._copy_eight(start, e.element("i32", target, (block * chunks + chunk) * LANES))

    def copy_rows(self, target: LlvmValue, first: LlvmValue, k: int) -> None:
        """Of each index along K the elements of eight lines, those of a transposed matrix."""
        e = self.e
        with e.count(0, e.const("i32", k // LINES)) as block:
            start = self._place.address((block * LINES).zext("i64"), (first << 1).zext("i64"))
            self._copy_eight(start, e.element("i32", target, block * (LINES * QUAD)))

    def _copy_eight(self, start: LlvmValue, target: LlvmValue) -> None:
        """Four words of each of eight lines that follow each other."""
        e = self.e
        with e.count(0, e.const("i64", LINES)) as line:
            words = load(e, "i32", self._pointer(start + line * self._place.span), QUAD)
            words.store(e.element("i32", target, line * QUAD))

    def copy_across(self, target: LlvmValue, first: LlvmValue, count: int, k: int) -> None:
        """The words of some lines of a transposed matrix, as fragments have them."""
        e = self.e
        each = CHUNK // 2
        with e.count(0, e.const("i32", k)) as at:
            with e.count(0, e.const("i32", count // each)) as block:
                pointer = self._chunk(at.zext("i64"), (block * each + first << 1).zext("i64"))
                place = (block * (k // each) + at.udiv(each)) * (2 * LANES) + (at & each - 1)
                with e.count(0, e.const("i32", each)) as line:
                    value = e.load("i16", e.element("i16", pointer, line))
                    e.store(value, e.element("i16", target, place + line * each))

    def read(
        self,
        target: LlvmValue,
        first: LlvmValue,
        count: int,
        k: int,
        number: Callable[[LlvmValue, LlvmValue], LlvmValue],
    ) -> None:
        """`count` rows (columns of B) of integers from `first` on, all K of them, into a matrix: to element `number(row, k)`."""
        e = self.e
        each = CHUNK * 8 // self.bits
        with e.count(0, e.const("i32", count)) as line:
            with e.count(0, e.const("i32", k // each)) as chunk:
                pointer = self._chunk((line + first).zext("i64"), chunk.zext("i64") * CHUNK)
                with e.count(0, e.const("i32", each)) as i:
                    value = decoded(self.f, self._bits(pointer, i), self.type, "i32")
                    e.store(value, e.element("i32", target, number(line, chunk * each + i)))

    def _chunk(self, line: LlvmValue, byte: LlvmValue) -> LlvmValue:
        """The pointer to 16 bytes of a line."""
        return self._pointer(self._place.address(line, byte))

    def _pointer(self, address: LlvmValue) -> LlvmValue:
        """To the 16 bytes that lie there."""
        e, f = self.e, self.f
        address = self._place.swizzled(address)
        with e.if_(address.ugt(_get(f, Parameter.SHARED_BYTES) - CHUNK)):
            _set(f, Parameter.BAD, address)
            e.leave("out")
        return e.ptr(_get(f, Parameter.SHARED) + address)

    def _bits(self, pointer: LlvmValue, i: LlvmValue) -> LlvmValue:
        e = self.e
        if self.bits == 1:
            byte = e.load("i8", e.element("i8", pointer, i >> 3))
            return (byte >> (i & 7).trunc("i8") & 1).zext("i32")
        kind = f"i{self.bits}"
        return e.load(kind, e.element(kind, pointer, i)).zext("i32")
