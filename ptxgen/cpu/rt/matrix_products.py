"""mma at run time (manual 9.7.14.5): D = A B + C of one warp, eight columns of D at a time.

Which arithmetic that is, depends on the types: integers are exact, f64 is a chain of fused multiply-adds, and the smaller
floats are what tensor cores make of them (matrix_floats.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import Value
from ptxgen.cpu.rt.matrix_vectors import WIDTH, Vector, constant, held, load, splat, variable
from ptxgen.cpu.rt.rounding import constrained, set_rounding

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.rt.matrix_fragments import Fragments

__all__ = ["Product", "write"]


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    type = f.layouts["a"].type
    if type == "f64":
        write_double(f)
    elif type in ("f16", "bf16", "tf32", "e4m3", "e5m2"):
        from ptxgen.cpu.rt import matrix_floats

        matrix_floats.write(f)
    else:
        write_integers(f)


class Product:
    """A, B and C gathered into matrices of one LLVM type, and the loops over them.

    `rows` and `columns` are those of D, `depth` is how many elements a row of A stores: half of K in a sparse one.
    """

    def __init__(self, f: Fragments, element: str) -> None:
        self.f = f
        self.e = f.e
        self.element = element
        self.rows, self.columns = f.layouts["d"].shape
        self.depth = f.layouts["a"].shape[1]
        self.a, self.b, self.c = (self._matrix(operand) for operand in "abc")
        self.result = self._room("d", element)
        self._fields: Value | None = None
        if "metadata" in f.layouts:
            self._fields = self._room("metadata", "i32")
            f.gather("metadata", self._fields, "i32", lambda bits: bits)

    def _matrix(self, operand: str) -> Value:
        type = self.f.layouts[operand].type
        matrix = self._room(operand, self.element)
        self.f.gather(operand, matrix, self.element, lambda bits: decoded(self.f, bits, type, self.element))
        return matrix

    def _room(self, operand: str, element: str) -> Value:
        """A place for the operand's elements, that can be read in eights."""
        rows, columns = self.f.layouts[operand].shape
        return self.f.matrix(element, -(-rows * columns // WIDTH) * WIDTH)

    def tiles(self, compute: Callable[[Value, Value, Value], Vector]) -> None:
        """Eight results for each row i and first column j: `compute(i, j, number of the first in C and D)`."""
        e = self.e
        with e.count(0, e.const("i32", self.rows)) as i:
            with e.count(0, e.const("i32", self.columns // WIDTH)) as tile:
                j = tile * WIDTH
                at = i * self.columns + j
                compute(i, j, at).store(e.element(self.element, self.result, at))

    def at(self, matrix: Value, number: Value) -> Vector:
        """Eight neighbours."""
        return load(self.e, self.element, self.e.element(self.element, matrix, number))

    def one(self, matrix: Value, number: Value) -> Vector:
        """One element eight times."""
        return splat(self.e, self.e.load(self.element, self.e.element(self.element, matrix, number)))

    def pair(self, i: Value, j: Value, k: Value) -> tuple[Value, Value]:
        """(number of A's stored element k of row i, number of the first of the eight in B that it is multiplied with)."""
        stored = i * self.depth + k
        return stored, self._row_of_b(i, k, stored) * self.f.layouts["b"].shape[1] + j

    def _row_of_b(self, i: Value, k: Value, stored: Value) -> Value:
        """Where in K a stored element stands (manual 9.7.14.6.1): in its chunk of four, of two for tf32, of eight for 4 bits."""
        if self._fields is None:
            return k
        e, bits = self.e, self.f.layouts["a"].bits
        if bits == 4:
            field = e.load("i32", e.element("i32", self._fields, stored >> 1))
            return (k >> 2 << 3) + (field << 1) + (k & 1)
        field = e.load("i32", e.element("i32", self._fields, stored))
        return (k << 1) + (field >> 3) if bits == 32 else (k >> 1 << 2) + field

    def scatter(self, encode: Callable[[Value], Value]) -> None:
        self.f.scatter("d", self.result, self.element, encode)


def decoded(f: Fragments, bits: Value, type: str, element: str) -> Value:
    """An element's bits, in the low bits of an integer, as the number of an LLVM type."""
    if element in ("float", "double") and type != "f64":
        from ptxgen.cpu.rt.matrix_floats import widened

        value = widened(f.e, bits, type)
        return value if element == "float" else value.cast("fpext", "double")
    if type == "f64":
        return bits.bitcast("double")
    if type[0] != "s" or type == "s32":
        return bits
    unused = 32 - int(type[1:])
    return (bits << unused).sra(unused)


def write_integers(f: Fragments) -> None:
    """Exact sums, added to C modulo 2^32 or with .satfinite clamped."""
    p = Product(f, "i32")
    e = f.e
    zero = constant(e, "i32", 0)

    def tile(i: Value, j: Value, at: Value) -> Vector:
        total = variable(e, zero)
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            x, y = p.one(p.a, a), p.at(p.b, b)
            (held(total) + (x.binary("xor", y) if "xor" in f.words else x * y)).put(total)
        c = p.at(p.c, at)
        return c.intrinsic("sadd.sat", held(total)) if "satfinite" in f.words else c + held(total)

    p.tiles(tile)
    p.scatter(lambda number: number)


def write_double(f: Fragments) -> None:
    """A chain of fused multiply-adds that begins with C, in the order of K, each rounded as the instruction says."""
    p = Product(f, "double")
    e = f.e
    rounding = next((word for word in f.words if word in ("rz", "rm", "rp")), "rn")

    def tile(i: Value, j: Value, at: Value) -> Vector:
        total = variable(e, p.at(p.c, at))
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            factors = p.one(p.a, a), p.at(p.b, b), held(total)
            (fma(*factors) if rounding == "rn" else rounded_fma(*factors)).put(total)
        return held(total)

    if rounding != "rn":
        set_rounding(e, rounding)
    p.tiles(tile)
    if rounding != "rn":
        set_rounding(e, "rn")
    p.scatter(lambda number: number.bitcast("i64"))


def fma(x: Vector, y: Vector, z: Vector) -> Vector:
    return x.intrinsic("fma", y, z)


def rounded_fma(x: Vector, y: Vector, z: Vector) -> Vector:
    """In the rounding mode that is set."""
    operands = (Value(x.emitter, v.type, v.text) for v in (x, y, z))
    return Vector(x.emitter, x.element, constrained(x.emitter, "fma.v8f64", x.type, *operands).text)
