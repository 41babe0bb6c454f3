"""mma at run time (manual 9.7.14.5): D = A B + C of one warp, eight columns of D at a time.

Which arithmetic that is, depends on the types: integers are exact, f64 is a chain of fused multiply-adds, and the smaller
floats are what tensor cores make of them (floats.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.rt.matrix import floats, scaled
from ptxgen.cpu.rt.matrix.floats import LEAST
from ptxgen.cpu.rt.matrix.product import Accumulation, Product, room, sparsity
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, constant, held, variable
from ptxgen.cpu.rt.rounding import constrained, set_rounding

if TYPE_CHECKING:
    from ptxgen.cpu.rt.matrix.floats import Model
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.cpu.rt.matrix.results import Results
    from ptxgen.cpu.rt.matrix.sides import Left, Right

__all__ = ["Integers", "decoded", "gathered", "results", "write"]


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    type = f.layouts["a"].type
    if type == "f64":
        p = product(f, "double")
        run(p, Doubles(p))
    elif "block_scale" in f.words:
        p = scaled.scaled_product(f)
        run(p, scaled.Scaled(p))
    elif type in LEAST:
        if f.words[0] == "mma" and f.layouts["d"].shape == (32, 8):
            p = product(f, "float")
            run(p, floats.Chains(p))
        else:
            _tensor_cores(f, floats.model(f))
    else:
        p = product(f, "i32")
        run(p, Integers(p))


def _tensor_cores(f: Fragments, model: Model) -> None:
    """A product in fragments that is the tensor cores' own."""
    from ptxgen.cpu.rt.matrix.quads import LANES, Quads, goes_along
    from ptxgen.cpu.rt.matrix.sides import Left, Right

    e, lines = f.e, goes_along(f.layouts["d"])
    names = "ab" if lines == 0 else "ba"
    quads = {"d": Quads(f, "d", lines), "c": Quads(f, "c", lines), names[0]: Quads(f, names[0], lines)}
    quads[names[1]] = Quads(f, names[1], 1 - lines)
    words = {operand: quads[operand].pulled(by_division=operand == "c") for operand in ("a", "b", "c")}
    least = dict(zip("ab", (model.least_a, model.least_b)))
    one, other = (f.layouts[name] for name in names)
    left = Left(f, one.type, least[names[0]], lines=one.shape[lines], depth=one.shape[1 - lines])
    left.fill(words[names[0]])
    fields = sparsity(f)
    if fields is not None:
        left = left.spread(fields)
    right = Right(f, other.type, least[names[1]], depth=other.shape[lines])
    sums = results(f, model, left, right, sparse=fields is not None)
    registers = f.table_of("d", quads["d"].order(by_division=True))
    unused = f.matrix("i32", LANES)
    with e.count(0, e.const("i32", quads["d"].divisions)) as tile:
        right.fill(e.element("i32", words[names[1]], tile * (right.chunks * LANES)))
        c = e.element("i32", words["c"], tile * (quads["c"].blocks * quads["c"].registers * LANES))
        first = tile * (quads["d"].blocks * quads["d"].registers)

        def place(block: LlvmValue, register: LlvmValue, first: LlvmValue = first) -> LlvmValue:
            return quads["d"].pointer(registers, first + block * quads["d"].registers + register, unused)

        sums.tile(c, place)


def results(f: Fragments, model: Model, left: Left, right: Right, *, sparse: bool) -> Results:
    """D from filled sides, as the mode says."""
    from ptxgen.cpu.rt.matrix.fused import FusedSums
    from ptxgen.cpu.rt.matrix.tensor_cores import Sums

    return FusedSums(f, left, right) if f.fused else Sums(f, model, left, right, sparse=sparse)


def product(f: Fragments, element: str) -> Product:
    """The product of an instruction whose operands are all fragments."""
    rows, columns = f.layouts["d"].shape
    matrices = {operand: gathered(f, operand, element) for operand in "abc"}
    depth, width = f.layouts["a"].shape[1], f.layouts["b"].shape[1]
    return Product(f, element, rows=rows, columns=columns, depth=depth, width=width, **matrices)


def run(p: Product, arithmetic: Accumulation) -> None:
    """All of D."""
    for operand in "ab":
        arithmetic.prepare(operand)
    p.tiles(arithmetic.sums)
    p.f.scatter("d", p.c, p.element, arithmetic.encoded)


def gathered(f: Fragments, operand: str, element: str) -> LlvmValue:
    """The matrix of an operand's numbers."""
    matrix = room(f, operand, element)
    f.gather(operand, matrix, element, lambda bits: decoded(f, bits, f.layouts[operand].type, element))
    return matrix


def decoded(f: Fragments, bits: LlvmValue, type: str, element: str) -> LlvmValue:
    """An element's bits, in the low bits of an integer, as the number of an LLVM type."""
    if type == "f64":
        return bits.bitcast("double")
    if element in ("float", "double"):
        value = floats.widened(f.e, bits, type)
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

    def sums(self, i: LlvmValue, j: LlvmValue, at: LlvmValue) -> LlvmVector:
        p, e, words = self.p, self.p.e, self.p.f.words
        total = variable(e, constant(e, "i32", 0))
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            x, y = p.one(p.a, a), p.eight(p.b, b)
            (held(total) + (x.binary("xor", y) if "xor" in words else x * y)).put(total)
        c = p.eight(p.c, at)
        return c.intrinsic("sadd.sat", held(total)) if "satfinite" in words else c + held(total)

    def encoded(self, number: LlvmValue) -> LlvmValue:
        return number


class Doubles:
    """A chain of fused multiply-adds that begins with C, in the order of K, each rounded as the instruction says."""

    def __init__(self, p: Product) -> None:
        self.p = p
        self.rounding = next((word for word in p.f.words if word in ("rz", "rm", "rp")), "rn")

    def prepare(self, operand: str) -> None:
        pass

    def sums(self, i: LlvmValue, j: LlvmValue, at: LlvmValue) -> LlvmVector:
        p, e = self.p, self.p.e
        total = variable(e, p.eight(p.c, at))
        if self.rounding != "rn":
            set_rounding(e, self.rounding)
        with e.count(0, e.const("i32", p.depth)) as k:
            a, b = p.pair(i, j, k)
            x, y, z = p.one(p.a, a), p.eight(p.b, b), held(total)
            (x.intrinsic("fma", y, z) if self.rounding == "rn" else rounded_fma(x, y, z)).put(total)
            is_nan = held(total).compare("uno", held(total))
            with e.if_(is_nan.any()):
                is_nan.select(first_nan(y, z, x), held(total)).put(total)
        if self.rounding != "rn":
            set_rounding(e, "rn")
        return held(total)

    def encoded(self, number: LlvmValue) -> LlvmValue:
        return number.bitcast("i64")


def first_nan(*operands: LlvmVector) -> LlvmVector:
    """The NaN of the first operand that is one, made quiet; that of an invalid operation where none is. Which one a processor
    takes depends on how its instruction is written."""
    e = operands[0].emitter
    found = constant(e, "i64", 0xFFF8 << 48)
    for operand in reversed(operands):
        quiet = operand.bitcast("i64") | (1 << 51)
        found = operand.compare("uno", operand).select(quiet, found)
    return found.bitcast("double")


def rounded_fma(x: LlvmVector, y: LlvmVector, z: LlvmVector) -> LlvmVector:
    """In the rounding mode that is set."""
    operands = (LlvmValue(x.emitter, v.type, v.text) for v in (x, y, z))
    return LlvmVector(x.emitter, x.element, constrained(x.emitter, "fma.v8f64", x.type, *operands).text)
