"""`attention` where there is no wgmma: any target from sm_80 on. The kernel's own cases are in the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32
from ptxgen.kernels.attention.attention import Kind, reference
from ptxgen.ops import attention
from ptxgen.ops.operands import read

pytestmark = pytest.mark.cpu_only  # a GPU of another kind is what the catalogue's cases are for


@pytest.fixture(scope="module")
def ampere():
    return px.device("cpu:sm_80")


def random(dev, seed, *shape, element=f16):
    return dev.array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32), element)


@pytest.mark.parametrize("queries, keys", [(1, 1), (65, 64), (130, 70), (64, 200)])
def test_lengths_shared_heads_and_logarithms_of_the_sums(ampere, queries, keys):
    q, k, v = (random(ampere, i, 2, heads, n, 64) for i, (heads, n) in enumerate(((4, queries), (2, keys), (2, keys))))
    logs = ampere.zeros((2, 4, queries), f32)
    found = attention(q, k, v, log_sums=logs, causal=True)
    expected, sums, limit = reference(q.numpy(), k.numpy(), v.numpy(), Kind(64, f16, True, 2))
    assert (np.abs(found.numpy() - expected) <= limit).all()
    assert np.allclose(logs.numpy(), sums, atol=2e-3)


def test_each_query_finds_its_key_in_either_order_of_dimensions(ampere):
    """All of a query's weight is on one key: the result is that key's V, bit for bit."""
    rng = np.random.default_rng(0)
    k = np.where(rng.random((1, 90, 2, 64)) < 0.5, -1.0, 1.0).astype(np.float32)
    wanted = rng.permutation(90)[:70]
    arrays = [ampere.array(each, bf16) for each in (k[:, wanted], k, rng.standard_normal(k.shape).astype(np.float32))]
    out = ampere.zeros((1, 2, 70, 64), bf16)
    attention(*map(with_heads_first, arrays), out, scale=8.0)
    assert np.array_equal(out.numpy(), arrays[2].numpy()[:, wanted].swapaxes(1, 2))


def with_heads_first(array):
    """An array (batch, length, heads, d) as (batch, heads, length, d)."""
    whole = read("array", array)
    batch, length, heads, d = whole.shape
    of_batch, of_row, of_head, of_one = whole.strides
    return whole._replace(shape=(batch, heads, length, d), strides=(of_batch, of_head, of_row, of_one))


def test_what_has_no_kernel_is_refused(ampere):
    q = ampere.zeros((1, 1, 8, 64), e4m3)
    with pytest.raises(px.BuildError, match=r"attention of \.e4m3 on sm_80(.|\n)*of e4m3 on sm_90a"):
        attention(q, q, q)
    q = px.device("cpu:sm_75").zeros((1, 1, 8, 64), f16)
    with pytest.raises(px.BuildError, match=r"attention of \.f16 on sm_75(.|\n)*from sm_80 on"):
        attention(q, q, q)
