"""mma at run time (manual 9.7.14.5): D = A B + C of one warp, eight columns of D at a time.

Which arithmetic that is, depends on the types: integers are exact, f64 is a chain of fused multiply-adds, and the smaller
floats are what tensor cores make of them (floats.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu.emit import Value
from ptxgen.cpu.rt.matrix.vectors import WIDTH, Vector, constant, held, load, splat, variable
from ptxgen.cpu.rt.rounding import constrained, set_rounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Arithmetic", "Integers", "Product", "decoded", "gathered", "write"]


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
        a: Value,
        b: Value,
        c: Value,
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
        self.fields: Value | None = None
        if "metadata" in f.layouts:
            self.fields = room(f, "metadata", "i32")
            f.gather("metadata", self.fields, "i32", lambda bits: bits)

    def tiles(self, compute: Callable[[Value, Value, Value], Vector]) -> None:
        """Eight results for each row i and first column j: `compute(i, j, number of the first in C)`."""
        e = self.e
        with e.count(0, e.const("i32", self.rows)) as i:
            with e.count(0, e.const("i32", self.columns // WIDTH)) as tile:
                j = tile * WIDTH
                at = i * self.columns + j
                compute(i, j, at).store(e.element(self.element, self.c, at))

    def eight(self, matrix: Value, number: Value) -> Vector:
        """Neighbours, from that one on."""
        return load(self.e, self.element, self.e.element(self.element, matrix, number))

    def one(self, matrix: Value, number: Value) -> Vector:
        """One element eight times."""
        return splat(self.e, self.e.load(self.element, self.e.element(self.element, matrix, number)))

    def pair(self, i: Value, j: Value, k: Value) -> tuple[Value, Value]:
        """(number of A's stored element k of row i, number of the first of the eight in B that it is multiplied with)."""
        stored = i * self.depth + k
        return stored, self._row_of_b(k, stored) * self.width + j

    def _row_of_b(self, k: Value, stored: Value) -> Value:
        """Where in K a stored element stands (manual 9.7.14.6.1): in its chunk of four, of two for tf32, of eight for 4 bits."""
        if self.fields is None:
            return k
        e = self.e
        if self.bits == 4:
            field = e.load("i32", e.element("i32", self.fields, stored >> 1))
            return (k >> 2 << 3) + (field << 1) + (k & 1)
        field = e.load("i32", e.element("i32", self.fields, stored))
        return (k << 1) + (field >> 3) if self.bits == 32 else (k >> 1 << 2) + field


class Arithmetic(Protocol):
    """How products are added."""

    def prepare(self, operand: str) -> None:
        """Called when the matrix of "a" or "b" is filled."""

    def sums(self, i: Value, j: Value, at: Value) -> Vector:
        """Eight results: row i of A by the columns of B from j on, added to C from number `at` on."""

    def encoded(self, number: Value) -> Value:
        """The bits of a result as an element of D."""


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    type = f.layouts["a"].type
    if type == "f64":
        p = product(f, "double")
        run(p, Doubles(p))
    elif type in ("f16", "bf16", "tf32", "e4m3", "e5m2"):
        from ptxgen.cpu.rt.matrix import floats

        if f.words[0] == "mma" and f.layouts["d"].shape == (32, 8):
            p = product(f, "float")
            run(p, floats.Chains(p))
        else:
            p = product(f, "double")
            run(p, floats.TensorCores(p, floats.model(f)))
    else:
        p = product(f, "i32")
        run(p, Integers(p))


def product(f: Fragments, element: str) -> Product:
    """The product of an instruction whose operands are all fragments."""
    rows, columns = f.layouts["d"].shape
    matrices = {operand: gathered(f, operand, element) for operand in "abc"}
    depth, width = f.layouts["a"].shape[1], f.layouts["b"].shape[1]
    return Product(f, element, rows=rows, columns=columns, depth=depth, width=width, **matrices)


def run(p: Product, arithmetic: Arithmetic) -> None:
    """All of D."""
    for operand in "ab":
        arithmetic.prepare(operand)
    p.tiles(arithmetic.sums)
    p.f.scatter("d", p.c, p.element, arithmetic.encoded)


def room(f: Fragments, operand: str, element: str) -> Value:
    """A place for the operand's elements, that can be read in eights."""
    rows, columns = f.layouts[operand].shape
    return f.matrix(element, -(-rows * columns // WIDTH) * WIDTH)


def gathered(f: Fragments, operand: str, element: str) -> Value:
    """The matrix of an operand's numbers."""
    matrix = room(f, operand, element)
    f.gather(operand, matrix, element, lambda bits: decoded(f, bits, f.layouts[operand].type, element))
    return matrix


def decoded(f: Fragments, bits: Value, type: str, element: str) -> Value:
    """An element's bits, in the low bits of an integer, as the number of an LLVM type."""
    if type == "f64":
        return bits.bitcast("double")
    if element in ("float", "double"):
        from ptxgen.cpu.rt.matrix.floats import widened

        value = widened(f.e, bits, type)
        return value if element == "float" else value.cast("fpext", "double")
    if type[0] != "s" or type == "s32":
        return bits
    unused = 32 - int(type[1:])
    return (bits << unused).sra(unused)


class Integers:
    """Exact sums, added to C modulo 2^32 or with .satfinite clamped."""

    def __init__(self, p: Product) -> None:
        self.p = p

    def prepare(self, operand: str) -> None:
        pass

    def sums(self, i: Value, j: Value, at: Value) -> Vector:
        p, e, words = self.p, self.p.e, self.p.f.words
        total = variable(e, constant(e, "i32", 0))
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            x, y = p.one(p.a, a), p.eight(p.b, b)
            (held(total) + (x.binary("xor", y) if "xor" in words else x * y)).put(total)
        c = p.eight(p.c, at)
        return c.intrinsic("sadd.sat", held(total)) if "satfinite" in words else c + held(total)

    def encoded(self, number: Value) -> Value:
        return number


class Doubles:
    """A chain of fused multiply-adds that begins with C, in the order of K, each rounded as the instruction says."""

    def __init__(self, p: Product) -> None:
        self.p = p
        self.rounding = next((word for word in p.f.words if word in ("rz", "rm", "rp")), "rn")

    def prepare(self, operand: str) -> None:
        pass

    def sums(self, i: Value, j: Value, at: Value) -> Vector:
        p, e = self.p, self.p.e
        total = variable(e, p.eight(p.c, at))
        if self.rounding != "rn":
            set_rounding(e, self.rounding)
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            x, y, z = p.one(p.a, a), p.eight(p.b, b), held(total)
            (x.intrinsic("fma", y, z) if self.rounding == "rn" else rounded_fma(x, y, z)).put(total)
        if self.rounding != "rn":
            set_rounding(e, "rn")
        return held(total)

    def encoded(self, number: Value) -> Value:
        return number.bitcast("i64")


def rounded_fma(x: Vector, y: Vector, z: Vector) -> Vector:
    """In the rounding mode that is set."""
    operands = (Value(x.emitter, v.type, v.text) for v in (x, y, z))
    return Vector(x.emitter, x.element, constrained(x.emitter, "fma.v8f64", x.type, *operands).text)
