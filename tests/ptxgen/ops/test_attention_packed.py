"""`attention_packed`: lengths, starts that are wrong, graphs, and what it refuses. The kernel's cases are in the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, s32, u32
from ptxgen.kernels.attention.attention import Kind, reference
from ptxgen.ops import attention, attention_packed


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def drawn(dev, *shape):
    made = np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)
    return dev.array(made, f16)


def starts_of(dev, *ends):
    return dev.array(np.array([0, *ends], np.int32))


def check(q, k, v, queries, keys, found, logs=None, **options):
    """Sequences of these rows, against float64."""
    kind = Kind(d=q.shape[2], element=f16, shared_heads=q.shape[1] // k.shape[1], **options)
    q, k, v, found = (each.numpy().swapaxes(0, 1) for each in (q, k, v, found))
    for mine, its in zip(queries, keys):
        expected, sums, limit = reference(q[:, slice(*mine)], k[:, slice(*its)], v[:, slice(*its)], kind)
        assert (np.abs(found[:, slice(*mine)] - expected) <= limit).all()
        if logs is not None:
            assert np.allclose(logs[:, slice(*mine)], sums, atol=2e-3)


@pytest.mark.parametrize("options", [{}, {"causal": True, "window": 30, "softcap": 4.0}])
def test_lengths_and_rows_of_no_sequence(dev, options):
    q, k, v = drawn(dev, 150, 2, 64), drawn(dev, 151, 1, 64)[:150], drawn(dev, 152, 1, 64)[:150]
    ends = (70, 70, 71, 140)
    out, logs = dev.full((150, 2, 64), 7, f16), dev.full((2, 150), 7, f32)
    starts = starts_of(dev, *ends)
    assert attention_packed(q, k, v, starts, starts, out, log_sums=logs, **options) is out
    ranges = list(zip((0, *ends), ends))
    check(q, k, v, ranges, ranges, out, logs.numpy(), **options)
    assert (out.numpy()[140:] == 7).all()
    assert (logs.numpy()[:, 140:] == 7).all()
    if not options:  # a kernel without the logarithms
        made = attention_packed(q, k, v, starts, starts)
        assert np.array_equal(made.numpy()[:140], out.numpy()[:140])


def test_starts_are_taken_within_the_rows(dev):
    """Decreasing, negative and too large ones: nothing is written or read elsewhere, and nothing hangs."""
    q, k, v = (drawn(dev, 90 + n, 1, 64) for n in range(3))
    k, v = k[:90], v[:90]
    ends = ((5, 3, 80), (2**31 - 1, 4, 10), (-5, 90, 91), (-(2**31), 200, 0))
    for queries, keys in zip(ends, reversed(ends)):
        out = dev.full((90, 1, 64), 7, f16)
        attention_packed(q, k, v, starts_of(dev, *queries), starts_of(dev, *keys), out)
        taken, seen = [], []
        for last, first in zip(queries, (0, *queries)):
            first = min(max(first, 0), 90)
            taken.append((first, max(min(max(last, 0), 90), first)))
        for last, first in zip(keys, (0, *keys)):
            first = min(max(first, 0), 90)
            seen.append((first, max(min(max(last, 0), 90), first)))
        touched = np.zeros(90, int)
        for first, last in taken:
            touched[first:last] += 1
        assert (out.numpy()[touched == 0] == 7).all()
        if touched.max() <= 1:
            check(q, k, v, taken, seen, out)


def test_a_graph_serves_lengths_that_change(dev):
    q = drawn(dev, 300, 1, 64)
    starts, out = starts_of(dev, 100, 300), dev.zeros((300, 1, 64), f16)
    attention_packed(q, q, q, starts, starts, out, longest=128)
    with dev.capture() as graph:
        attention_packed(q, q, q, starts, starts, out, longest=128)
    for middle in (200, 172):
        starts.copy_from(np.array([0, middle, 300], np.int32))
        out.fill(7)
        graph.launch()
        dev.synchronize()
        check(q, q, q, [(middle, 300)], [(middle, 300)], out)
    assert "attention_packed" in attention_packed(q, q, q, starts, starts, out, explain=True)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"q": ((8, 2), bf16)}, r"q has the shape \(8, 2\)(.|\n)*\(rows, heads, d\)"),
        ({"k": ((9, 1, 64), f16)}, "k has elements of .f16"),
        ({"v": ((8, 1, 64), bf16)}, r"v has the shape \(8, 1, 64\)(.|\n)*\(9, 1, 64\)"),
        ({"k": ((9, 3, 64), bf16), "v": ((9, 3, 64), bf16)}, "2 heads of q share 3 of k"),
        ({"query_starts": ((3,), u32)}, "query_starts is .u32"),
        ({"key_starts": ((4,), s32)}, r"key_starts \(4,\)(.|\n)*sequences \+ 1"),
        ({"query_starts": ((1,), s32), "key_starts": ((1,), s32)}, "one sequence or more"),
        ({"log_sums": ((8, 2), f32)}, r"log_sums has the shape \(8, 2\)"),
        ({"q": ((8, 2, 80), bf16), "k": ((9, 1, 80), bf16), "v": ((9, 1, 80), bf16)}, "heads of 80 elements"),
    ],
)
def test_what_it_refuses(dev, change, said):
    given = {
        "q": ((8, 2, 64), bf16), "k": ((9, 1, 64), bf16), "v": ((9, 1, 64), bf16), "query_starts": ((3,), s32),
        "key_starts": ((3,), s32), **change,
    }  # fmt: skip
    with pytest.raises(px.BuildError, match=said):
        attention_packed(**{name: dev.zeros(*each) for name, each in given.items()})


def test_longest_is_a_count(dev):
    q, starts = dev.zeros((8, 2, 64), bf16), dev.zeros(2, s32)
    with pytest.raises((px.BuildError, ValueError, TypeError), match="longest"):
        attention_packed(q, q, q, starts, starts, longest=0)


def test_a_result_that_overlaps_what_is_read(dev):
    x, other, starts = dev.zeros((9, 1, 64), bf16), dev.zeros((8, 1, 64), bf16), starts_of(dev, 8)
    for name, arrays in {"q": (x[1:], other, other), "k": (other, x[:8], other), "v": (other, other, x[1:])}.items():
        with pytest.raises(px.BuildError, match=f"overlaps {name} "):
            attention_packed(*arrays, starts, starts, x[:8])
        with pytest.raises(px.BuildError, match=f"overlaps {name} "):
            attention(*(each.reshape(1, 1, 8, 64) for each in arrays), x[:8].reshape(1, 1, 8, 64))


def test_logarithms_have_memory_of_their_own(dev):
    q, starts = dev.zeros((8, 2, 64), bf16), dev.zeros(2, s32)
    k = dev.zeros((8, 2, 64), bf16)
    logs = k.view(f32).reshape(-1)[:16].reshape(2, 8)
    with pytest.raises(px.BuildError, match=r"log_sums of shape .* overlaps k "):
        attention_packed(q, k, q, starts, starts, log_sums=logs)
    four = (each.reshape(1, 2, 8, 64) for each in (q, k, q))
    with pytest.raises(px.BuildError, match=r"log_sums of shape .* overlaps k "):
        attention(*four, log_sums=logs.reshape(1, 2, 8))


def test_zeros_behind_a_sequence_are_there_before_any_warpgroup_reads_them(dev, device_name):
    """In the only block of keys, and in the last of two."""
    if device_name != "cpu":
        pytest.skip("the sanitizer watches the CPU device")
    for length in (100, 200):
        q, k, v = (drawn(dev, length + n, 1, 64)[:length] for n in range(3))
        starts = starts_of(dev, length)
        with px.sanitize("racecheck"):
            attention_packed(q, k, v, starts, starts)
            dev.synchronize()
