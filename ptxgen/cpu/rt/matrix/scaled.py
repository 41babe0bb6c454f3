"""mma with factors of scale (manual 9.7.14.3): rows of A and columns of B are scaled before their products, in one, two or four
blocks along K."""

from __future__ import annotations

from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.aligned_sums import GROUPED, Sum, aligned_sum, power_of, to_f32
from ptxgen.cpu.rt.matrix.floats import LEAST, LEAST_FACTOR, factor
from ptxgen.cpu.rt.matrix.product import Product, room
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, constant, load, splat
from ptxgen.isa.layouts.numbers import element_bits

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Scaled", "Selector", "scaled_product"]


class Selector(IntEnum):
    """Which lanes of four, and which bytes of their registers, hold the factors: words of the function's last argument."""

    BYTE_A = 0
    THREAD_A = 1
    BYTE_B = 2
    THREAD_B = 3


def scaled_product(f: Fragments) -> Product:
    """The product of an instruction; the numbers of A and B come from tables."""
    matrices = {operand: room(f, operand, "double") for operand in "abc"}
    for operand in "ab":
        type = f.layouts[operand].type
        table, mask = f.numbers_of(type), (1 << element_bits(type)) - 1
        f.gather(operand, matrices[operand], "double", partial(_number, f, table, mask))
    f.gather("c", matrices["c"], "double", lambda bits: bits.bitcast("float").cast("fpext", "double"))
    rows, columns = f.layouts["d"].shape
    depth, width = f.layouts["a"].shape[1], f.layouts["b"].shape[1]
    return Product(f, "double", rows=rows, columns=columns, depth=depth, width=width, **matrices)


def _number(f: Fragments, table: LlvmValue, mask: int, bits: LlvmValue) -> LlvmValue:
    return f.e.load("double", f.e.element("double", table, bits & mask))


class Scaled:
    """An Accumulation of doubles, each of them an element times its factor."""

    def __init__(self, p: Product) -> None:
        self.p = p
        self.e = p.e
        kind = next(word for word in p.f.words if word.startswith("kind::")).removeprefix("kind::")
        self.sum = Sum(p.depth, *GROUPED.get(kind, ()))
        self.powers = {operand: room(p.f, operand, "double") for operand in "ab"}

    def prepare(self, operand: str) -> None:
        """Scales the elements, and notes what power of two the exponent of each is."""
        p, e, one, a = self.p, self.e, self.p.f.layouts[operand], operand == "a"
        rows, columns = one.shape
        lines, along = (rows, columns) if a else (columns, rows)
        blocks = p.f.layouts[f"scale_{operand}"].shape[1 if a else 0]
        matrix, powers, step = (p.a if a else p.b), self.powers[operand], along // blocks
        least = e.double(2.0 ** LEAST[one.type])
        with e.count(0, e.const("i32", lines)) as line:
            with e.count(0, e.const("i32", blocks)) as block:
                scale, power = self._factor(operand, line, block)
                with e.count(0, e.const("i32", step)) as within:
                    k = block * step + within
                    at = line * columns + k if a else k * columns + line
                    number = e.load("double", e.element("double", matrix, at))
                    e.store(number * scale, e.element("double", matrix, at))
                    whole = power if self.sum.group > 1 else power_of(number, least) * power
                    e.store(number.fcmp("oeq", e.double(0.0)).select(number, whole), e.element("double", powers, at))

    def _factor(self, operand: str, line: LlvmValue, block: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
        """The factor of a block of a row of A or column of B, and its power of two."""
        e, f = self.e, self.p.f
        scale = f.layouts[f"scale_{operand}"]
        a = operand == "a"
        lanes = [scale.where(*((i, 0) if a else (0, i))).lane for i in range(scale.shape[0 if a else 1])]
        lane = e.load("i32", e.element("i32", f.table_of(f"lanes_{operand}", lanes), line))
        byte, thread = (
            e.load("i32", e.element("i32", f.rows, e.const("i32", int(number))))
            for number in ((Selector.BYTE_A, Selector.THREAD_A) if a else (Selector.BYTE_B, Selector.THREAD_B))
        )
        values, stride = f.register(f"scale_{operand}", e.const("i32", 0))
        word = e.load("i32", e.offset(values, (lane + (thread << 1 if a else thread)).zext("i64") * stride))
        found = factor(e, word >> ((byte + block) << 3), scale.type)
        return found, power_of(found, e.double(2.0 ** LEAST_FACTOR[scale.type]))

    def sums(self, i: LlvmValue, j: LlvmValue, at: LlvmValue) -> LlvmVector:
        p, e = self.p, self.e

        def products(k: LlvmValue) -> tuple[LlvmVector, LlvmVector, LlvmVector]:
            a, b = p.pair(i, j, k)
            left = splat(e, e.load("double", e.element("double", self.powers["a"], a)))
            right = load(e, "double", e.element("double", self.powers["b"], b))
            return p.one(p.a, a), p.eight(p.b, b), left * right

        least = constant(e, "double", 2.0 ** LEAST["f32"])
        return to_f32(aligned_sum(e, p.eight(p.c, at), least, self.sum, products), 23)

    def encoded(self, number: LlvmValue) -> LlvmValue:
        return number.cast("fptrunc", "float").soiled().bitcast("i32")
