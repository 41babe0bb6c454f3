"""The sums of the tensor cores' model (floats.py), sixteen at once: four rows by every second of eight columns, as half a
register of D holds them.

Numbers are kept as f32 significands, below 2, beside their exponents as i32. A product of significands is exact in f32 (22 bits
at most); times a power of two that aligns it, it is cut off by a conversion to i32, and those are added exactly: a term is below
2^27, so eight of them and C fit in 31 bits, and more are added in two parts. Products of f16 and fp8 are within the range of
f32: there the numbers themselves are multiplied, and all of a sum with one power of two. Infinities and NaN are rare: where
there are some, the sums that they are in are made once more, in f32, and only those count.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ptxgen.cpu.rt.matrix.aligned_sums import to_f16
from ptxgen.cpu.rt.matrix.floats import LEAST, SMALL, Model
from ptxgen.cpu.rt.matrix.quads import LINES, QUAD
from ptxgen.cpu.rt.matrix.results import Results
from ptxgen.cpu.rt.matrix.sides import ABSENT, HALF, ROWS, Left, Right
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, held, load, variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.cpu.rt.matrix.results import Place
    from ptxgen.cpu.value import Var

__all__ = ["Sums"]

EACH_ADDED = 8
EACH_SHORT = 16
"""Terms that are added to C in 31 bits; of fp8 and less, whose products are below 3.6."""
FLOOR = -300
"""An exponent below all exponents of products."""
ALIGNED = 23
"""Fraction bits of f32."""


class Sums(Results):
    """D, sixteen elements at a time, from a filled left and right side. `sparse`: half of the left one's numbers are absent."""

    def __init__(self, f: Fragments, model: Model, left: Left, right: Right, *, sparse: bool) -> None:
        super().__init__(f)
        self.model = model
        self.left, self.right = left, right
        self.sparse = sparse

    def tile(self, c: LlvmValue, write: Place, kept: LlvmValue | None = None) -> None:
        e = self.e
        found = self.f.matrix("float", 2 * HALF)
        with e.count(0, e.const("i32", self.left.lines // ROWS)) as group:
            block, half = group >> 1, (group & 1) * HALF
            with e.count(0, e.const("i32", 2)) as odd:
                addend = self.addend(c, block, half, odd, kept)
                self._sum(group, odd, addend).store(e.element("float", found, odd * HALF))
            even, odd_ = (load(e, "float", e.element("float", found, e.const("i32", i * HALF)), HALF) for i in range(2))
            self.put(even, odd_, block, half, write)

    def _sum(self, group: LlvmValue, odd: LlvmValue, c: LlvmVector) -> LlvmVector:
        """Of four rows and the even or odd columns."""
        e, model = self.e, self.model
        x, y = group * (self.left.depth * HALF), odd * QUAD
        assert self.left.exponents is not None
        assert self.right.exponents is not None
        factors = _Factors(
            e.element("float", self.left.values, x), e.element("i32", self.left.exponents, x),
            e.element("float", self.right.values, y), e.element("i32", self.right.exponents, y),
        )  # fmt: skip
        total = variable(e, c.alike(0.0) if model.halves else c)
        depth = self.left.depth
        two = 4 if self.sparse else 2  # places of two stored elements
        every = two if model.halves else depth // model.groups
        with e.count(0, e.const("i32", model.groups)) as number:
            self._step(
                factors.moved(number * every),
                _Run(depth // model.groups, every, model.groups, 8 if self.sparse else 4),
                total,
            )
        if not model.halves:
            return held(total)
        both = held(total) + c
        return both.compare("uno", both).select(_nan(both), both)

    def _step(self, first: _Factors, run: _Run, total: Var) -> None:
        """Adds the products of some indices along K to a variable."""
        e, model = self.e, self.model
        before = held(total)
        least = LEAST[model.sums]
        bits = before.bitcast("i32")
        field, mantissa = bits >> 23 & 0xFF, bits & (1 << ALIGNED) - 1
        magnitude = field.compare("eq", 0).select(mantissa, mantissa | 1 << ALIGNED)
        exponent = field.intrinsic("smax", 1) - 127
        counted = exponent.intrinsic("smax", least) if least > -126 else exponent
        most = variable(e, magnitude.compare("eq", 0).select(counted.alike(FLOOR), counted))
        with run.rounds(e, first) as factors:
            found = held(most)
            for k in run.offsets:
                found = found.intrinsic("smax", self._exponent(factors, k))
            found.put(most)
        largest = held(most)
        shift, spare = largest - exponent, model.fraction - ALIGNED
        shift = shift if spare >= 0 else shift - spare
        aligned = (magnitude << spare if spare > 0 else magnitude) >> shift.intrinsic("umin", 31)
        sign = bits.sra(31)
        align = self._aligning(largest)
        real = run.length // 2 if self.sparse else run.length
        each = EACH_SHORT if self.left.type in SMALL and self.right.type in SMALL else EACH_ADDED
        ways = 1 if model.fraction < ALIGNED else -(-real // each)
        places = [variable(e, part) for part in ((aligned ^ sign) - sign, *[sign.alike(0)] * (ways - 1))]
        with run.rounds(e, first) as factors:
            parts = [held(place) for place in places]
            for number, k in enumerate(run.offsets):
                part = number * ways // len(run.offsets)
                parts[part] = parts[part] + align(factors, k).cast("fptosi", "i32")
            for place, value in zip(places, parts):
                value.put(place)
        parts = [held(place) for place in places]
        if model.sums == "f16":
            result = _rounded_to_f16(parts, largest - model.fraction)
        else:
            result = _cut_to_f32(parts, largest, model)
        result.put(total)
        special = field.compare("eq", 0xFF)
        either = self.left.special.get() | self.right.special.get()
        with e.if_(either.ne(0) | special.any()):
            sum_ = variable(e, special.select(before, 0.0))
            with run.each(e, first) as factors:
                (held(sum_) + self._product(factors, 0)).put(sum_)
            rough = held(sum_)
            infinite = (rough - rough).compare("uno", rough)
            value = rough.compare("uno", rough).select(_nan(rough), rough)
            infinite.select(value, held(total)).put(total)

    def _exponent(self, factors: _Factors, k: int) -> LlvmVector:
        x, y = factors.exponents(k)
        return x + y

    def _product(self, factors: _Factors, k: int) -> LlvmVector:
        """Of numbers, or of significands; zero where the left one is absent, even if the right one is infinite."""
        x, y = factors.values(k)
        if not self.sparse:
            return x * y
        absent = factors.exponents(k)[0].compare("eq", ABSENT)
        return absent.select(x, x * y)

    def _aligning(self, largest: LlvmVector) -> Callable[[_Factors, int], LlvmVector]:
        """What makes a product an integer, and a fraction to be cut off."""
        top = 127 + self.model.fraction
        if self.left.narrow and self.right.narrow:
            scale = ((largest.alike(top) - largest).intrinsic("smin", 254) << ALIGNED).bitcast("float")
            return lambda factors, k: self._product(factors, k) * scale
        below = largest - top

        def aligned(factors: _Factors, k: int) -> LlvmVector:
            field = (self._exponent(factors, k) - below).intrinsic("smax", 32)  # what is less is cut off whole
            return self._product(factors, k) * (field << ALIGNED).bitcast("float")

        return aligned


class _Run:
    """Some indices along K: `every` in a row of each `every * apart`. `offsets`: those of a round, `unrolled` at most."""

    def __init__(self, length: int, every: int, apart: int, unrolled: int) -> None:
        self.length = length
        self._every, self._apart = every, apart
        unrolled = min(length, unrolled)
        self._count = length // unrolled
        self._stride = unrolled * apart if every < unrolled else unrolled
        self.offsets = [i // every * every * apart + i % every for i in range(unrolled)]

    @contextmanager
    def rounds(self, e: Emitter, first: _Factors) -> Iterator[_Factors]:
        """Its body runs for each of them, with factors whose index 0 is the round's first."""
        if self._count == 1:
            yield first
            return
        with e.count(0, e.const("i32", self._count)) as n:
            yield first.moved(n * self._stride)

    @contextmanager
    def each(self, e: Emitter, first: _Factors) -> Iterator[_Factors]:
        """Its body runs for each index by itself, that of 0."""
        with e.count(0, e.const("i32", self.length)) as n:
            run = n.udiv(self._every)
            yield first.moved(run * ((self._apart - 1) * self._every) + n)


class _Factors:
    """Sixteen left numbers and the right ones that they are multiplied with, by their index along K."""

    def __init__(self, x: LlvmValue, x_exponents: LlvmValue, y: LlvmValue, y_exponents: LlvmValue) -> None:
        self._x, self._y = x, y
        self._x_exponents, self._y_exponents = x_exponents, y_exponents

    def moved(self, k: LlvmValue) -> _Factors:
        """With another index 0."""
        e: Any = k.emitter
        x, y = k * HALF, k * LINES
        return _Factors(
            e.element("float", self._x, x), e.element("i32", self._x_exponents, x), e.element("float", self._y, y),
            e.element("i32", self._y_exponents, y),
        )  # fmt: skip

    def values(self, k: int) -> tuple[LlvmVector, LlvmVector]:
        return self._pair("float", self._x, self._y, k)

    def exponents(self, k: int) -> tuple[LlvmVector, LlvmVector]:
        return self._pair("i32", self._x_exponents, self._y_exponents, k)

    def _pair(self, element: str, x: LlvmValue, y: LlvmValue, k: int) -> tuple[LlvmVector, LlvmVector]:
        e: Any = x.emitter
        right = load(e, element, e.offset(y, 4 * LINES * k), QUAD)
        return load(e, element, e.offset(x, 4 * HALF * k), HALF), right.shuffled([i % QUAD for i in range(HALF)])


def _nan(x: LlvmVector) -> LlvmVector:
    """The canonical one."""
    return x.bitcast("i32").alike(0x7FFFFFFF).bitcast("float")


def _power(exponent: LlvmVector) -> LlvmVector:
    """2^exponent as f32, of exponents from -126 to 127."""
    return ((exponent + 127) << ALIGNED).bitcast("float")


def _cut_to_f32(parts: list[LlvmVector], largest: LlvmVector, model: Model) -> LlvmVector:
    """The sum of one or two i32 times 2^(largest - fraction), rounded toward zero to an f32 with some bits of mantissa; from
    2^128 on infinite. Zero has no sign."""
    total, carry = parts[0], parts[0]
    if len(parts) == 2:
        x, y = parts
        total = x + y
        carry = (x & y) | ((x | y) & total)  # the sign of the whole sum, which may have 33 bits
    sign = carry.sra(31)
    magnitude = (total ^ sign) - sign
    last = -126 - model.precision + model.fraction
    too_small = (
        (largest.alike(last) - largest).intrinsic("smax", 0).intrinsic("smin", 32)
    )  # bits below the last of subnormals
    some = too_small >> 1
    magnitude = magnitude >> some >> (too_small - some)
    magnitude = magnitude & (magnitude >> 24 ^ -1)  # without the bit below the lowest of 24, it is rounded down
    number = magnitude.cast("uitofp", "float")
    if model.precision < ALIGNED:
        number = (number.bitcast("i32") & -(1 << ALIGNED - model.precision)).bitcast("float")
    exponent = largest.intrinsic("smax", last) - model.fraction
    some = exponent.sra(1)
    number = number * _power(some) * _power(exponent - some)
    return (number.bitcast("i32") | sign & -(1 << 31)).bitcast("float") + 0.0


def _rounded_to_f16(parts: list[LlvmVector], exponent: LlvmVector) -> LlvmVector:
    """The sum of i32s times 2^exponent, rounded to the nearest f16, as an f32."""
    total = parts[0].cast("sitofp", "double")
    for part in parts[1:]:
        total = total + part.cast("sitofp", "double")
    scale = ((exponent + 1023).cast("zext", "i64") << 52).bitcast("double")
    return to_f16(total * scale).cast("fptrunc", "float")
