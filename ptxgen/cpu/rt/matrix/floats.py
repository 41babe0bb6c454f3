"""What the tensor cores of sm_90 make of f16, bf16, tf32, e4m3 and e5m2, bit for bit.

The exact products and the accumulator are aligned to the largest exponent among them, cut off toward zero some bits below it
(`Model.fraction`), and added exactly; the sum is rounded toward zero to f32, or to nearest even to f16 (Fasi et al., PeerJ CS
7:e330; MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004). The exponent of a product is the sum of its
factors' exponents, so a product of two significands from 2 on counts as one below; zeros have none. For mma that was compared
with an H200, and every bit agreed (tests/ptxgen/cpu/tensor_cores.py is the same model in integers).

tensor_cores.py adds up so what mma, wmma and wgmma do, in f32 and i32. aligned_sums.py does it in f64, where every step of it is
exact too, for tcgen05 and for products with factors of scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.formats import widen, widen_scale
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_f16
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, constant

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.cpu.rt.matrix.product import Product

__all__ = ["LEAST", "LEAST_FACTOR", "SMALL", "Chains", "Model", "factor", "model", "widened"]

LEAST = {
    "f16": -14, "e5m2": -14, "e4m3": -6, "e3m2": -2, "e2m3": 0, "e2m1": 0, "bf16": -126, "tf32": -126, "f32": -126,
}  # fmt: skip
"""The exponent of a format's subnormals."""
LEAST_FACTOR = {"ue8m0": -127, "ue4m3": LEAST["e4m3"]}
"""The same of a factor of scale."""
SMALL = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")


class Model(NamedTuple):
    """What of the arithmetic depends on the instruction."""

    sums: str
    """The type of what is added up: f16 where C and D are, else f32."""
    least_a: int
    least_b: int
    """The least exponents of A and B."""
    fraction: int = 25
    """Bits that are kept below the largest exponent. Volta keeps 23, Turing, Ampere and Ada 24."""
    precision: int = 23
    """Bits of mantissa that an f32 sum keeps."""
    groups: int = 1
    """In how many steps K is added up, one after the other."""
    halves: bool = False
    """The first step takes the first two of each four elements along K, begins with zero, and C is added after the last, to
    nearest. That is how assemblers make fp8 products for sm_90 out of those of f16, whose registers hold half as many."""


def model(f: Fragments) -> Model:
    """The model of an instruction of sm_90; of kind::f8f6f4 that of sm_120, whose tensor cores have products of fp8."""
    types = {operand: one.type for operand, one in f.layouts.items()}
    sums = "f16" if types.get("c", types["d"]) == types["d"] == "f16" else "f32"
    type_b = types.get("b") or next(word for word in reversed(f.words) if word in LEAST)
    least = LEAST[types["a"]], LEAST[type_b]
    fp8 = types["a"] in ("e4m3", "e5m2") and "kind::f8f6f4" not in f.words
    if f.words[0] == "wgmma":
        return Model(sums, *least, fraction=13, precision=13) if fp8 else Model(sums, *least)
    if fp8:
        return Model(sums, LEAST["f16"], LEAST["f16"], groups=2, halves=True)
    return Model(sums, *least, groups=2 if f.words[0] == "wmma" and types["a"] == "tf32" else 1)


def widened(e: Emitter, bits: LlvmValue, type: str) -> LlvmValue:
    """An element as f32, exactly."""
    if type == "f16":
        return e.use(f16_to_f32, bits.trunc("i16"))
    if type == "bf16":
        return e.use(bf16_to_f32, bits.trunc("i16"))
    if type in SMALL:
        return e.use(widen, bits, format=type)
    return (bits & -(1 << 13) if type == "tf32" else bits).bitcast("float")


def factor(e: Emitter, bits: LlvmValue, type: str) -> LlvmValue:
    """A factor of scale, ue8m0 or ue4m3, in the low byte of an i32, as a double."""
    single = e.use(widen_scale, bits & 0xFF) if type == "ue8m0" else e.use(widen, bits & 0x7F, format="e4m3")
    return single.cast("fpext", "double")


class Chains:
    """m8n8k4 of f16, which sm_90 does not have: its assembler makes four products in f32 out of ordinary arithmetic.

    With f32 results a chain of fused multiply-adds, to which C is added; with f16 results two pairs, each added to C in turn.
    Row i belongs to product i / 8, which has columns of B of its own.
    """

    def __init__(self, p: Product) -> None:
        self.p = p
        self._type_d = p.f.layouts["d"].type

    def prepare(self, operand: str) -> None:
        pass

    def sums(self, i: LlvmValue, j: LlvmValue, at: LlvmValue) -> LlvmVector:
        p, e = self.p, self.p.e
        pairs = [p.pair(i, i & -8, e.const("i32", k)) for k in range(4)]
        x, y = [p.one(p.a, a) for a, _ in pairs], [p.eight(p.b, b) for _, b in pairs]
        total = p.eight(p.c, at)
        if self._type_d == "f16":
            return total + x[1].intrinsic("fma", y[1], x[0] * y[0]) + x[3].intrinsic("fma", y[3], x[2] * y[2])
        chain = constant(e, "float", 0.0)
        for left, right in zip(x, y):
            chain = left.intrinsic("fma", right, chain)
        return total + chain

    def encoded(self, number: LlvmValue) -> LlvmValue:
        return _encoded(number.soiled(), self._type_d)


def _encoded(number: LlvmValue, type: str) -> LlvmValue:
    """The bits of an f32 as an element of D."""
    return number.emitter.use(f32_to_f16, number) if type == "f16" else number.bitcast("i32")
