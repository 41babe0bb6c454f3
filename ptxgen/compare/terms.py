"""Values in a normal form, numbered: equal numbers are equal values, whatever instructions compute them.

Integers are sums of products modulo 2**width, so that order, association, shifts by constants and multiply-adds do not tell;
`~a` is `-a - 1`. Comparisons are `lt` and `eq`, under a `not` where need be. Of floating point only the order of two factors or
terms does not tell: everything else rounds.
"""

from __future__ import annotations

from collections import Counter

__all__ = ["Term", "Terms"]

Term = int
Product = tuple[Term, ...]
_MOST = 64
"""Products in one sum: a longer one is taken as it is written."""


class Terms:
    """The terms of two programs. `make` gives the number of any value by what it is made of."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], Term] = {}
        self._keys: list[tuple[object, ...]] = []

    def make(self, *key: object) -> Term:
        """The number of a value: a word for its kind, and the numbers and texts that it is made of."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._keys)
            self._keys.append(key)
        return found

    def key(self, term: Term) -> tuple[object, ...]:
        """What it is made of."""
        return self._keys[term]

    def number(self, value: int, width: int) -> Term:
        """A constant, by its bits."""
        return self.make("number", value & ((1 << width) - 1))

    def constant(self, term: Term) -> int | None:
        """The bits of a constant; None for any other value."""
        key = self._keys[term]
        return key[1] if key[0] == "number" and isinstance(key[1], int) else None

    # ---- integers

    def _sum_of(self, term: Term, width: int) -> Counter[Product]:
        """The coefficients of a value's products; that of () is the constant."""
        key = self._keys[term]
        if key[0] == "sum" and key[1] == width:
            return Counter(dict(key[2]))  # type: ignore[call-overload]
        value = self.constant(term)
        return Counter({(): value} if value is not None else {(term,): 1})

    def _from_sum(self, found: Counter[Product], width: int) -> Term:
        mask = (1 << width) - 1
        left = {product: count & mask for product, count in found.items() if count & mask}
        if not left:
            return self.number(0, width)
        if list(left) == [()]:
            return self.number(left[()], width)
        if len(left) == 1:
            ((product, count),) = left.items()
            if count == 1 and len(product) == 1:
                return product[0]
        return self.make("sum", width, tuple(sorted(left.items())))

    def add(self, one: Term, other: Term, width: int, times: int = 1) -> Term:
        """one + times * other."""
        found = self._sum_of(one, width)
        for product, count in self._sum_of(other, width).items():
            found[product] += times * count
        if len(found) > _MOST:
            return self.make("add", width, times, one, other)
        return self._from_sum(found, width)

    def multiply(self, one: Term, other: Term, width: int) -> Term:
        """The lower half of a product."""
        first, second = self._sum_of(one, width), self._sum_of(other, width)
        if len(first) * len(second) > _MOST:
            return self.make("multiply", width, *sorted((one, other)))
        found: Counter[Product] = Counter()
        for product, count in first.items():
            for factor, times in second.items():
                found[tuple(sorted(product + factor))] += count * times
        return self._from_sum(found, width)

    def extended(self, term: Term, width: int, to: int, signed: bool) -> Term:
        """A value of so many bits in more."""
        value = self.constant(term)
        if value is not None:
            return self.number(value - (1 << width) if signed and value >> (width - 1) else value, to)
        return self.make("extended", signed, width, to, term)

    def truncated(self, term: Term, width: int, to: int) -> Term:
        """The lower bits of a value. Those of a sum are the sum of those."""
        key = self._keys[term]
        if key[0] == "extended":
            source = key[2]
            assert isinstance(source, int)
            inner, signed = key[4], bool(key[1])
            assert isinstance(inner, int)
            if source <= to:
                return inner if source == to else self.extended(inner, source, to, signed)
            return self.truncated(inner, source, to)
        found: Counter[Product] = Counter()
        for product, count in self._sum_of(term, width).items():
            whole = product == (term,)
            parts = tuple(self.make("truncated", to, f) if whole else self.truncated(f, width, to) for f in product)
            constants = [value for value in map(self.constant, parts) if value is not None]
            for value in constants:
                count *= value
            found[tuple(sorted(part for part in parts if self.constant(part) is None))] += count
        return self._from_sum(found, to)

    def bitwise(self, kind: str, one: Term, other: Term, width: int) -> Term:
        """`and`, `or`, `xor`: of any number of values in any order, constants last."""
        ones = (1 << width) - 1
        inner: list[Term] = []
        value = ones if kind == "and" else 0
        for term in (one, other):
            key = self._keys[term]
            parts = list(key[2:]) if key[:2] == (kind, width) else [term]
            for part in parts:
                assert isinstance(part, int)
                known = self.constant(part)
                if known is None:
                    inner.append(part)
                else:
                    value = value & known if kind == "and" else value | known if kind == "or" else value ^ known
        counts = Counter(inner)
        kept = sorted(term for term, count in counts.items() if kind != "xor" or count % 2)
        if (kind == "and" and not value) or (kind == "or" and value == ones) or not kept:
            return self.number(value, width)
        if value != (ones if kind == "and" else 0):
            kept.append(self.number(value, width))
        return kept[0] if len(kept) == 1 else self.make(kind, width, *kept)

    def shifted_right(self, term: Term, by: int, width: int, signed: bool) -> Term:
        """By a constant that is smaller than the width."""
        value = self.constant(term)
        if value is not None:
            return self.number((value - (1 << width) if signed and value >> (width - 1) else value) >> by, width)
        return self.make("shifted", signed, width, by, term) if by else term

    # ---- conditions

    def negated(self, condition: Term) -> Term:
        """not condition."""
        key = self._keys[condition]
        value = self.constant(condition)
        if value is not None:
            return self.number(1 - value, 1)
        return key[1] if key[0] == "not" else self.make("not", condition)  # type: ignore[return-value]

    def less(self, one: Term, other: Term, width: int, signed: bool) -> Term:
        """one < other."""
        values = [self.constant(term) for term in (one, other)]
        first, second = (None if v is None else v - (1 << width) if signed and v >> (width - 1) else v for v in values)
        if first is not None and second is not None:
            return self.number(int(first < second), 1)
        if second is not None:  # a < 5 is not 4 < a
            if second == (-(1 << (width - 1)) if signed else 0):
                return self.number(0, 1)
            return self.negated(self.less(self.number(second - 1, width), one, width, signed))
        return self.number(0, 1) if one == other else self.make("less", signed, width, one, other)

    def equal(self, one: Term, other: Term, width: int) -> Term:
        """one == other: their difference, either way round, is 0."""
        differences = [self.add(a, b, width, -1) for a, b in ((one, other), (other, one))]
        value = self.constant(differences[0])
        if value is not None:
            return self.number(int(value == 0), 1)
        return self.make("zero", width, min(differences))

    def selected(self, condition: Term, one: Term, other: Term) -> Term:
        """one where the condition holds, else the other."""
        value = self.constant(condition)
        if value is not None:
            return one if value else other
        key = self._keys[condition]
        if key[0] == "not":
            condition, one, other = key[1], other, one  # type: ignore[assignment]
        return one if one == other else self.make("selected", condition, one, other)
