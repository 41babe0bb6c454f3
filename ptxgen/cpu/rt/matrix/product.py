"""The matrices of one product D = A B + C, and how its sums are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu.rt.matrix.vectors import WIDTH, LlvmVector, load, splat

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Accumulation", "Product", "place_in_k", "room", "sparsity"]


class Product:
    """A, B and C as matrices of one LLVM type, and the way through them.

    `depth` is how many elements a row of A stores: half of K in a sparse one, whose `fields` say where in K they stand. `bits`
    are those of an element of A. B has rows of `width` elements. D takes the place of C.
    """

    def __init__(
        self,
        f: Fragments,
        element: str,
        *,
        rows: int,
        columns: int,
        depth: int,
        width: int,
        a: LlvmValue,
        b: LlvmValue,
        c: LlvmValue,
    ) -> None:
        self.f = f
        self.e = f.e
        self.element = element
        self.rows = rows
        self.columns = columns
        self.depth = depth
        self.width = width
        self.bits = f.layouts["a"].bits
        self.a, self.b, self.c = a, b, c
        self.fields = sparsity(f)

    def tiles(self, compute: Callable[[LlvmValue, LlvmValue, LlvmValue], LlvmVector]) -> None:
        """Eight results for each row i and first column j: `compute(i, j, number of the first in C)`."""
        e = self.e
        with e.count(0, e.const("i32", self.rows)) as i:
            with e.count(0, e.const("i32", self.columns // WIDTH)) as tile:
                j = tile * WIDTH
                at = i * self.columns + j
                compute(i, j, at).store(e.element(self.element, self.c, at))

    def eight(self, matrix: LlvmValue, number: LlvmValue) -> LlvmVector:
        """Neighbours, from that one on."""
        return load(self.e, self.element, self.e.element(self.element, matrix, number))

    def one(self, matrix: LlvmValue, number: LlvmValue) -> LlvmVector:
        """One element eight times."""
        return splat(self.e, self.e.load(self.element, self.e.element(self.element, matrix, number)))

    def pair(self, i: LlvmValue, j: LlvmValue, k: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
        """(number of A's stored element k of row i, number of the first of the eight in B that it is multiplied with)."""
        stored = i * self.depth + k
        return stored, self._row_of_b(k, stored) * self.width + j

    def _row_of_b(self, k: LlvmValue, stored: LlvmValue) -> LlvmValue:
        return k if self.fields is None else place_in_k(self.e, self.bits, self.fields, k, stored)


class Accumulation(Protocol):
    """How products are added."""

    def prepare(self, operand: str) -> None:
        """Called when the matrix of "a" or "b" is filled."""

    def sums(self, i: LlvmValue, j: LlvmValue, at: LlvmValue) -> LlvmVector:
        """Eight results: row i of A by the columns of B from j on, added to C from number `at` on."""

    def encoded(self, number: LlvmValue) -> LlvmValue:
        """The bits of a result as an element of D."""


def place_in_k(e: Emitter, bits: int, fields: LlvmValue, k: LlvmValue, stored: LlvmValue) -> LlvmValue:
    """Where in K element k of a row stands, which is number `stored` of all (manual 9.7.14.6.1): in its chunk of four, of two for
    tf32, of eight for 4 bits."""
    if bits == 4:
        field = e.load("i32", e.element("i32", fields, stored >> 1))
        return (k >> 2 << 3) + (field << 1) + (k & 1)
    field = e.load("i32", e.element("i32", fields, stored))
    return (k << 1) + (field >> 3) if bits == 32 else (k >> 1 << 2) + field


def sparsity(f: Fragments) -> LlvmValue | None:
    """The metadata of a sparse instruction, a field for each stored element of A (of 4 bits, for each two)."""
    if "metadata" not in f.layouts:
        return None
    fields = room(f, "metadata", "i32")
    f.gather("metadata", fields, "i32", lambda bits: bits)
    return fields


def room(f: Fragments, operand: str, element: str) -> LlvmValue:
    """A place for the operand's elements, that can be read in eights."""
    rows, columns = f.layouts[operand].shape
    return f.matrix(element, -(-rows * columns // WIDTH) * WIDTH)
