"""Drawn kernels made of what passes look for: single-assignment sums and products, neighbouring words, short branches, loops.

`programs()` of ptxgen.strategies draws variables that change all the time, which most passes must leave alone. A drawn kernel
`idioms(x, y)` is started with 32 threads; each reads WORDS words of x and writes WORDS words of y of its own.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import ptxgen as px
from ptxgen import u32, u64

__all__ = ["WORDS", "kernel_of", "steps"]

WORDS = 32
_LARGE = 1 << 30
_numbers = st.one_of(st.integers(0, 40), st.sampled_from([63, 64, 65, 1000, 4096, 0x7FFFFFFF, 0xFFFFFFFF]))
_value = st.integers(0, _LARGE)  # which value: modulo how many there are

_simple = st.one_of(
    st.tuples(st.sampled_from(["mul", "div", "rem", "add", "xor"]), _value, _numbers),
    st.tuples(st.just("muladd"), _value, _numbers, _value),
    st.tuples(st.just("wide"), _value, _value),
    st.tuples(st.just("loads"), _value, st.integers(1, 4)),
    st.tuples(st.just("stores"), _value, st.lists(_value, min_size=1, max_size=4)),
)
_branch = st.tuples(st.just("if"), _value, _value, st.booleans(), st.lists(_simple, max_size=2))
_loop = st.tuples(st.just("loop"), st.integers(0, 5), _value, _value, st.lists(st.one_of(_simple, _branch), max_size=4))
steps = st.lists(st.one_of(_simple, _simple, _branch, _loop), min_size=1, max_size=10)


class _Writer:
    """Appends the steps to a kernel. `values` are those that may be read here; what a body makes is forgotten behind it."""

    def __init__(self, k: px.Builder, x: Any, y: Any) -> None:
        self.k, self.x, self.y = k, x, y
        self.values: list[Any] = [k.tid.x, k.const(u32, 3) + k.tid.x]
        self.total = k.var(u32, 1)

    def __getitem__(self, which: int) -> Any:
        return self.values[which % len(self.values)]

    def body(self, steps: list[Any]) -> None:
        count = len(self.values)
        for step in steps:
            getattr(self, f"_{step[0]}")(*step[1:])
        del self.values[count:]

    def _mul(self, a: int, number: int) -> None:
        self.values.append(self[a] * number)

    def _div(self, a: int, number: int) -> None:
        self.values.append(self.k.total_div(self[a], number))

    def _rem(self, a: int, number: int) -> None:
        self.values.append(self.k.total_rem(self[a], number))

    def _add(self, a: int, number: int) -> None:
        self.values.append(self[a] + number)

    def _xor(self, a: int, number: int) -> None:
        self.values.append(self[a] ^ number)

    def _muladd(self, a: int, number: int, b: int) -> None:
        product = self[a] * self.k.const(u32, number)
        self.values.append(product + self[b])

    def _wide(self, a: int, b: int) -> None:
        """An address by its own instructions, as compilers without mad.wide write it."""
        k = self.k
        offset = k.mul_wide(self[a] % 8, 16)
        address = offset + self.x.bits(u64) + 4
        self.values.append(k.pointer(address, u32)[0] + self[b])

    def _loads(self, a: int, count: int) -> None:
        place = self.x.at((self[a] % (WORDS // 4)) * 4)
        self.values += [place[i] for i in range(count)]

    def _stores(self, a: int, which: list[int]) -> None:
        place = self.y.at(self.k.tid.x * WORDS + (self[a] % (WORDS // 4 - 1)) * 4)
        values = [self[b] for b in which]
        for i, value in enumerate(values):
            place[i] = value

    def _if(self, a: int, b: int, accumulates: bool, steps: list[Any]) -> None:
        with self.k.if_(self[a] < self[b]):
            if accumulates:
                self.total += self[a]
            self.body(steps)
            if not (accumulates or steps):
                self.total.set(self[b])

    def _loop(self, most: int, a: int, b: int, steps: list[Any]) -> None:
        bound = self[a] % 4
        for i in self.k.range(self[b] % (most + 1)):
            count = len(self.values)
            self.values += [i, self[a] * 5 + 7]
            with self.k.if_else(i < bound) as (below, beyond):
                with below:
                    self.total += i
                with beyond:
                    self.total *= 3
            self.body(steps)
            del self.values[count:]


def kernel_of(drawn: list[Any]) -> px.Kernel:
    """The kernel of a list of steps."""

    @px.kernel
    def idioms(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]):
        x.rely_on(16)
        y.rely_on(16)
        writer = _Writer(k, x, y)
        for step in drawn:
            getattr(writer, f"_{step[0]}")(*step[1:])
        last = k.var(u32, writer.total)
        for value in writer.values:
            last.set(last * 31 + value)
        y.at(k.tid.x * WORDS)[WORDS - 1] = last

    return idioms
