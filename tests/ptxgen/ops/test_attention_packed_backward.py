"""`attention_packed_backward`: lengths, starts that are wrong, graphs, and what it refuses. More cases are in the catalogue."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, s32, u32
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention_backward import reference
from ptxgen.ops import attention_packed, attention_packed_backward


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernels need sm_90a")
    return device


def starts_of(dev, *ends):
    return dev.array(np.array([0, *ends], np.int32))


def problem(dev, rows, key_rows, starts, heads=2, kv_heads=1, d=64, seed=0, **options):
    """(d_out, q, k, v, out, log_sums), rows of no sequence NaN."""
    rng = np.random.default_rng(seed)
    shapes = [(rows, heads, d)] * 2 + [(key_rows, kv_heads, d)] * 2
    d_out, q, k, v = (dev.array(rng.standard_normal(shape).astype(np.float32), f16) for shape in shapes)
    ends = [min(max(int(each.numpy()[-1]), 0), each_rows) for each, each_rows in zip(starts, (rows, key_rows))]
    for each, end in zip((d_out, q, k, v), (ends[0], ends[0], ends[1], ends[1])):
        each[end:].fill(np.nan)
    out, logs = dev.full(shapes[0], float("nan"), f16), dev.full((heads, rows), float("nan"), f32)
    attention_packed(q, k, v, *starts, out, log_sums=logs, **options)
    return d_out, q, k, v, out, logs


def check(given, ranges, found, **options):
    """Gradients of sequences of these rows, against float64; all others are 7."""
    d_out, q, k, v, out = (each.numpy().swapaxes(0, 1)[None] for each in given[:5])
    kind = Kind(q.shape[3], f16, shared_heads=q.shape[1] // k.shape[1], **options)
    d_q, d_k, d_v = (each.numpy().swapaxes(0, 1)[None] for each in found)
    rest = [np.ones(each.shape[2], bool) for each in (d_q, d_k)]
    for mine, its in ((slice(*mine), slice(*its)) for mine, its in ranges):
        part = reference(q[:, :, mine], k[:, :, its], v[:, :, its], out[:, :, mine], d_out[:, :, mine], kind)
        for name, each in (("d_q", d_q[:, :, mine]), ("d_k", d_k[:, :, its]), ("d_v", d_v[:, :, its])):
            # forward's logarithms and O are rounded too
            assert (np.abs(each - part[name]) <= 2 * part["limits"][name] + 2e-3).all(), name
        rest[0][mine] = rest[1][its] = False
    assert (d_q[:, :, rest[0]] == 7).all()
    assert (d_k[:, :, rest[1]] == 7).all()
    assert (d_v[:, :, rest[1]] == 7).all()


def sevens(dev, given):
    return [dev.full(each.shape, 7, f16) for each in given[1:4]]


@pytest.mark.parametrize("options", [{}, {"causal": True, "window": 30, "softcap": 4.0}])
def test_lengths_and_rows_of_no_sequence(dev, options):
    ends, key_ends = (70, 70, 71, 140), (130, 131, 131, 240)
    starts = starts_of(dev, *ends), starts_of(dev, *key_ends)
    given = problem(dev, 150, 250, starts, **options)
    results = sevens(dev, given)
    found = attention_packed_backward(*given, *starts, *results, longest=70, longest_keys=130, **options)
    assert all(a is b for a, b in zip(found, results))
    ranges = list(zip(zip((0, *ends), ends), zip((0, *key_ends), key_ends)))
    check(given, ranges, found, **options)
    again = attention_packed_backward(*given, *starts, **options)
    for each, before in zip(again, found):
        there = before.numpy() != 7
        assert np.array_equal(each.numpy()[there], before.numpy()[there]), "the same bits"


@pytest.mark.parametrize("d", [96, 128])
def test_other_heads(dev, d):
    starts = starts_of(dev, 65, 90), starts_of(dev, 1, 131)
    given = problem(dev, 90, 131, starts, 1, 1, d, causal=True)
    found = attention_packed_backward(*given, *starts, *sevens(dev, given), causal=True)
    check(given, [((0, 65), (0, 1)), ((65, 90), (1, 131))], found, causal=True)


def test_starts_are_taken_within_the_rows(dev):
    """Decreasing, negative and too large ones: nothing is written or read elsewhere, and nothing hangs."""
    rows, checked = 90, 0
    all_ends = ((5, 3, 80), (2**31 - 1, 4, 10), (-5, 90, 91), (-(2**31), 200, 0), (-1, -1, 2**31 - 1))
    for queries, keys in zip(all_ends, reversed(all_ends)):
        starts = starts_of(dev, *queries), starts_of(dev, *keys)
        given = problem(dev, rows, rows, (starts_of(dev, rows), starts_of(dev, rows)), 1, 1)
        attention_packed(*given[1:4], *starts, given[4], log_sums=given[5])
        found = attention_packed_backward(*given, *starts, *sevens(dev, given))
        taken = []
        for ends in (queries, keys):
            bounds = [min(max(each, 0), rows) for each in (0, *ends)]
            taken.append([(first, max(first, last)) for first, last in pairwise(bounds)])
        touched = np.zeros((2, rows), int)
        for which, (ranges, results) in enumerate(zip(taken, (found[:1], found[1:]))):
            for first, last in ranges:
                touched[which, first:last] += 1
            assert all((each.numpy()[touched[which] == 0] == 7).all() for each in results)
        if touched.max() <= 1:
            checked += 1
            check(given, list(zip(*taken)), found)
    assert checked


def test_sequences_that_are_longer_than_stated_touch_nothing_else(dev):
    starts = starts_of(dev, 300), starts_of(dev, 280)
    given = problem(dev, 310, 290, starts, 1, 1)
    found = attention_packed_backward(*given, *starts, *sevens(dev, given), longest=1, longest_keys=1)
    for each, end in zip(found, (300, 280, 280)):
        assert (each.numpy()[end:] == 7).all()


def test_a_graph_serves_lengths_that_change(dev):
    starts = starts_of(dev, 100, 200), starts_of(dev, 90, 180)
    given = problem(dev, 200, 180, starts, 1, 1)
    results = sevens(dev, given)
    with dev.capture() as graph:
        attention_packed(*given[1:4], *starts, given[4], log_sums=given[5])
        attention_packed_backward(*given, *starts, *results)
    for middle in (150, 37):
        for each, end in zip(starts, (200, 180)):
            each.copy_from(np.array([0, middle, end], np.int32))
        for each in results:
            each.fill(7)
        graph.launch()
        dev.synchronize()
        check(given, [((0, middle), (0, middle)), ((middle, 200), (middle, 180))], results)
    said = attention_packed_backward(*given, *starts, explain=True)
    assert "attention_packed_backward_queries" in said
    assert "attention_packed_backward_keys" in said


@pytest.mark.parametrize(
    "change, said",
    [
        ({"q": ((8, 2), bf16)}, r"q has the shape \(8, 2\)(.|\n)*\(rows, heads, d\)"),
        ({"k": ((9, 1, 64), f16)}, "k has elements of .f16"),
        ({"d_out": ((9, 2, 64), bf16)}, r"d_out has the shape (.|\n)*\(8, 2, 64\)"),
        ({"d_k": ((8, 1, 64), bf16)}, r"d_k has the shape (.|\n)*\(9, 1, 64\)"),
        ({"log_sums": ((8, 2), f32)}, r"log_sums has the shape \(8, 2\)"),
        ({"query_starts": ((3,), u32)}, "query_starts is .u32"),
        ({"key_starts": ((4,), s32)}, r"key_starts \(4,\)(.|\n)*sequences \+ 1"),
        (
            {name: ((n, h, 256), bf16) for name, n, h in (("d_out", 8, 2), ("q", 8, 2), ("out", 8, 2), ("k", 9, 1), ("v", 9, 1))},
            r"heads of 256 elements(.|\n)*64, 96, 128",
        ),
    ],
)  # fmt: skip
def test_what_it_refuses(dev, change, said):
    given = {
        "d_out": ((8, 2, 64), bf16), "q": ((8, 2, 64), bf16), "k": ((9, 1, 64), bf16), "v": ((9, 1, 64), bf16),
        "out": ((8, 2, 64), bf16), "log_sums": ((2, 8), f32), "query_starts": ((3,), s32), "key_starts": ((3,), s32), **change,
    }  # fmt: skip
    with pytest.raises(px.BuildError, match=said):
        attention_packed_backward(**{name: dev.zeros(*each) for name, each in given.items()})


def test_it_refuses_numbers_and_memory_in_use(dev):
    x, logs, starts = dev.zeros((8, 1, 64), bf16), dev.zeros((1, 8), f32), starts_of(dev, 8)
    given = (x, x, x, x, x, logs, starts, starts)
    for said, options in {
        "d_q of shape .* overlaps d_out": {"d_q": x},
        "d_v of shape .* overlaps d_out": {"d_v": x},
        "longest is 0": {"longest": 0},
        "longest_keys is 0": {"longest_keys": 0},
        r"a window of 3 keys, causal=False(.|\n)*causal=True": {"window": 3},
        "softcap=nan": {"softcap": float("nan")},
        "scale=0": {"scale": 0},
    }.items():
        with pytest.raises(px.BuildError, match=said):
            attention_packed_backward(*given, **options)
