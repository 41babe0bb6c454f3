"""Operands without elements give results without elements, in any strides that a framework says of them, and launch nothing."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f32, s32, s64, u8
from ptxgen.ops.operands import Operand

CALLS = {
    "matmul": lambda z, **how: px.ops.matmul(z((0, 8)), z((8, 4)), **how),
    "matmul, a batch": lambda z, **how: px.ops.matmul(z((0, 4, 8)), z((0, 8, 4)), **how),
    "grouped_matmul": lambda z, **how: px.ops.grouped_matmul(z((0, 8)), z((3, 8, 8)), z(3, s32), **how),
    "scaled_matmul": lambda z, **how: px.ops.scaled_matmul(
        z((0, 16), e4m3), px.ops.transposed(z((8, 16), e4m3)), z((0, 1), f32), z((1, 1), f32), **how
    ),
    "attention": lambda z, **how: px.ops.attention(*[z((2, 0, 5, 64))] * 3, **how),
    "attention of no queries": lambda z, **how: px.ops.attention(z((1, 1, 0, 64)), *[z((1, 1, 5, 64))] * 2, **how),
    "argmax": lambda z, **how: px.ops.argmax(z((0, 3)), **how),
    "topk": lambda z, **how: px.ops.topk(z((0, 3)), 2, **how),
    "embedding": lambda z, **how: px.ops.embedding(z((4, 3)), z(0, s64), **how),
    "permute": lambda z, **how: px.ops.permute(z((0, 4)), **how),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_result_is_empty(dev, name):
    def zeros(shape, element=bf16):
        return dev.zeros(shape, element)

    found = CALLS[name](zeros)
    assert all(not each.size for each in (found if isinstance(found, tuple) else (found,)))
    assert str(CALLS[name](zeros, explain=True)).startswith("nothing")


@pytest.mark.parametrize("strides", [(24, 12, 4), (12, 12, 4), (0, 12, 4), (4, 8, 8)])
def test_strides_of_nothing_are_no_gaps(dev, strides):
    whole = dev.zeros(8, f32)
    x = Operand(whole.pointer, (2, 0, 3), strides, f32, dev, None)
    assert px.ops.gelu(x).shape == px.ops.elementwise("add", x, x).shape == px.ops.softmax(x).shape == (2, 0, 3)
    assert not px.ops.column_sums(Operand(whole.pointer, (3, 0), (4, 4), f32, dev, None)).size
    assert px.ops.permute(Operand(whole.pointer, (2, 0), (1, 9), u8, dev, None)).shape == (0, 2)
