"""wgmma.mma_async at run time (manual 9.7.15.5): a warp's 16 rows of D = A B + D, with B, and A unless it is in registers, in
shared memory where descriptors say (9.7.15.5.1.2).

Element (line, byte) of a matrix lies at start + (byte / span) * c + (line / 8) * l + (line % 8) * span + byte % span, where lines
are rows along M (columns along N) and bytes go along K, or the other way round when the matrix is transposed; `span` is the
swizzle's, 16 without one. Then address bits 4 to 6 are flipped by bits 7 to 9, as many as the swizzle has.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.floats import TensorCores, model
from ptxgen.cpu.rt.matrix.product import Accumulation, Product
from ptxgen.cpu.rt.matrix.products import Integers, decoded
from ptxgen.cpu.rt.matrix.vectors import WIDTH, constant
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["CHUNK", "Flag", "Parameter", "write"]

ROWS = 16
"""Of D in a warp: a quarter of the warpgroup's."""
CHUNK = 16
"""Bytes that lie together whatever the swizzle."""


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
    e = f.e
    columns, depth = f.layouts["d"].shape[1], f.layouts["a"].shape[1]
    k = 2 * depth if "metadata" in f.layouts else depth
    type_a, type_b = [word for word in f.words if word in TYPES][1:3]
    element = "double" if TYPES[type_a].is_float else "i32"
    a, b, c = (f.matrix(element, size) for size in (ROWS * depth, k * WIDTH, ROWS * columns))
    p = Product(f, element, rows=ROWS, columns=columns, depth=depth, width=WIDTH, a=a, b=b, c=c)
    arithmetic: Accumulation = TensorCores(p, model(f)) if element == "double" else Integers(p)
    _set(f, Parameter.BAD, e.const("i64", -1))
    _read_sums(p)
    first = _get(f, Parameter.WARP).trunc("i32") * ROWS
    if "a" not in f.without:
        f.gather("a", a, element, lambda bits: _signed(f, decoded(f, bits, type_a, element), Flag.NEGATE_A))
    else:
        _Tile(f, "a", type_a, element).read(a, first, ROWS, depth, lambda row, at: row * depth + at)
    arithmetic.prepare("a")
    tile = _Tile(f, "b", type_b, element)
    with e.count(0, e.const("i32", columns // WIDTH)) as number:
        tile.read(b, number * WIDTH, WIDTH, k, lambda column, at: at * WIDTH + column)
        arithmetic.prepare("b")
        with e.count(0, e.const("i32", ROWS)) as i:
            at = i * columns + number * WIDTH
            arithmetic.sums(i, e.const("i32", 0), at).store(e.element(element, c, at))
    f.scatter("d", c, element, arithmetic.encoded)
    e.jump("out")
    e.label("out")


def _get(f: Fragments, parameter: Parameter) -> LlvmValue:
    return f.e.load("i64", f.e.offset(f.rows, 8 * parameter))


def _set(f: Fragments, parameter: Parameter, value: LlvmValue) -> None:
    f.e.store(value, f.e.offset(f.rows, 8 * parameter))


def _has(f: Fragments, flag: Flag) -> LlvmValue:
    return (_get(f, Parameter.FLAGS) & int(flag)).ne(0)


def _signed(f: Fragments, number: LlvmValue, flag: Flag) -> LlvmValue:
    """The number, negated where the instruction says so; integers never are."""
    return _has(f, flag).select(-number, number) if number.is_float else number


def _read_sums(p: Product) -> None:
    """C is D, or zero."""
    f, e = p.f, p.e
    with e.count(0, e.const("i32", p.rows * p.columns // WIDTH)) as n:
        constant(e, p.element, 0).store(e.element(p.element, p.c, n * WIDTH))
    with e.if_(_has(f, Flag.ADD)):
        f.gather("d", p.c, p.element, lambda bits: decoded(f, bits, f.layouts["d"].type, p.element))


class _Tile:
    """A matrix in shared memory, as its descriptor has it."""

    def __init__(self, f: Fragments, operand: str, type: str, element: str) -> None:
        self.f = f
        self.e = e = f.e
        self.type, self.bits, self.element = type, TYPES[type].bits, element
        is_a = operand == "a"
        self._negate = Flag.NEGATE_A if is_a else Flag.NEGATE_B
        self._transposed = (
            _has(f, Flag.TRANSPOSE_A if is_a else Flag.TRANSPOSE_B) if self.bits == 16 else e.const("i1", 0)
        )
        word = _get(f, Parameter.A if is_a else Parameter.B)
        self._start, leading, stride = ((word >> first & 0x3FFF) << 4 for first in (0, 16, 32))
        self._base = word >> 49 & 7
        swizzle = word >> 62  # 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
        plain = swizzle.eq(0)
        self._span_bits = plain.select(e.const("i64", 4), e.const("i64", 8) - swizzle)
        self._flips = plain.select(e.const("i64", 0), (e.const("i64", 8) >> (swizzle - 1 & 3)) - 1)
        crossed = plain & self._transposed
        self._next_span = crossed.select(stride, leading)
        self._next_lines = (plain ^ crossed).select(stride, crossed.select(leading, stride))

    def read(
        self,
        target: LlvmValue,
        first: LlvmValue,
        count: int,
        k: int,
        number: Callable[[LlvmValue, LlvmValue], LlvmValue],
    ) -> None:
        """`count` rows (columns of B) from `first` on, all K of them, into a matrix: to element `number(row, index along K)`."""
        e = self.e
        each = CHUNK * 8 // self.bits
        lines = self._transposed.select(e.const("i32", k), count)
        chunks = self._transposed.select(e.const("i32", max(count // each, 1)), k // each)
        first_line = self._transposed.select(e.const("i32", 0), first)
        first_chunk = (first - first_line).udiv(each)
        with e.count(0, lines) as line:
            with e.count(0, chunks) as chunk:
                pointer = self._chunk((line + first_line).zext("i64"), (chunk + first_chunk).zext("i64") * CHUNK)
                with e.count(0, e.const("i32", each)) as i:
                    along = chunk * each + i
                    row, at = (self._transposed.select(x, y) for x, y in ((along, line), (line, along)))
                    value = decoded(self.f, self._bits(pointer, i), self.type, self.element)
                    e.store(_signed(self.f, value, self._negate), e.element(self.element, target, number(row, at)))

    def _chunk(self, line: LlvmValue, byte: LlvmValue) -> LlvmValue:
        """The pointer to 16 bytes of a line."""
        e, f = self.e, self.f
        one = e.const("i64", 1)
        span = one << self._span_bits
        address = self._start + (byte >> self._span_bits) * self._next_span + (line >> 3) * self._next_lines
        address = address + (line & 7) * span + (byte & span - 1)
        address = address ^ ((address >> 7) - self._base & self._flips) << 4
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
