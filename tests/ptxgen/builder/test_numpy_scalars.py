"""A numpy scalar stands for the Python number that it holds."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, pred, u32


@px.func
def doubled(k: px.Builder, n: u32) -> u32:
    return n * 2


def write(k, n, v, x, z, one):
    """Every way that a number comes into a kernel; `one(type, number)` makes it."""
    f, i = (lambda value: one(np.float32, value)), (lambda value: one(np.uint32, value))
    tile = k.shared(f32, (i(2), i(3)))
    tile[i(1), k.tid.x] = f(0.5)
    k.barrier()
    x[i(1)] = v * f(2) + f(1) - f(0.5)
    x[i(2)] = f(3) * v
    x[3] = k.fma(v, f(2), f(1))
    x[4] = k.select(v > f(1), f(2), v)
    x[5] = k.max(v, f(0))
    x[6] = tile[1, 0]
    x[7] = k.const(f32, f(1.5))
    z[n + i(3)] = (n << i(2)) + i(1)
    z[1] = n * i(4) + doubled(i(5))
    total = k.var(u32, i(1))
    total += i(2)
    total.set(i(9))
    for j in k.range(i(1), i(4), one(np.int64, 2)):
        total += j
    z[2] = total
    x.bounded(i(100))[i(8)] = f(4)
    z[3] = k.select(k.const(pred, one(np.bool_, True)), n, i(0))


def test_numpy_scalars_are_python_numbers():
    def built(one):
        def numbers(k: px.Builder, n: u32, v: f32, x: px.ptr[f32], z: px.ptr[u32]):
            write(k, n, v, x, z, one)

        return str(px.kernel(numbers).module())

    as_python = built(lambda type_, value: value)
    assert built(lambda type_, value: type_(value)) == as_python
    assert built(lambda type_, value: np.array(value, type_)) == as_python  # an array without dimensions


@pytest.mark.parametrize(
    "wrong, code",
    [
        (lambda n, x: n + np.float32(1.5), "PTX220"),
        (lambda n, x: n + np.int32(-1), "PTX221"),
        (lambda n, x: n + np.uint64(1 << 40), "PTX221"),
        (lambda n, x: n.builder.const(u32, np.float32(1.5)), "PTX221"),
        (lambda n, x: n + np.array([1, 2]), "PTX220"),
        (lambda n, x: x[np.float32(1)], "PTX220"),
    ],
)
def test_they_are_held_to_the_same_rules(wrong, code):
    @px.kernel
    def refused(k: px.Builder, n: u32, x: px.ptr[f32]):
        wrong(n, x)

    with pytest.raises(px.BuildError) as caught:
        refused.module()
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda n, x: n + 10**400, "an integer of 1329 bits does not fit in .u32"),
        (lambda n, x: x[0] * 10**5000, "an integer of 16610 bits does not fit in .f32"),
    ],
)
def test_of_an_integer_of_many_digits_messages_say_how_many_bits_it_has(wrong, says):
    @px.kernel
    def refused(k: px.Builder, n: u32, x: px.ptr[f32]):
        wrong(n, x)

    with pytest.raises(px.BuildError) as caught:
        refused.module()
    assert caught.value.diagnostics[0].message == says
