"""`attention_decode`: scratch memory that nobody else uses, captures, views, and what it refuses. The kernel's own cases are
in the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32, s32, u32
from ptxgen.kernels.attention.attention_decode import reference
from ptxgen.ops import attention_decode, operands, scratch


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def problem(dev, lengths=(70, 3), order="NHD", queries=1, page=16, kv_heads=2, seed=0):
    """(arguments, the result in float64, how far off it may be)"""
    rng = np.random.default_rng(seed)
    pages = -(-max(lengths) // page)
    shape = (len(lengths) * pages, page, kv_heads, 64) if order == "NHD" else (len(lengths) * pages, kv_heads, page, 64)
    q = dev.array(rng.standard_normal((len(lengths), queries, 4, 64)).astype(np.float32), bf16)
    keys, values = (dev.array(rng.standard_normal(shape).astype(np.float32), bf16) for _ in range(2))
    table = rng.permutation(len(lengths) * pages).reshape(-1, pages).astype(np.int32)
    expected = reference(q.numpy(), keys.numpy(), values.numpy(), table, lengths, order, 2.0**-8)
    return (q, keys, values, dev.array(table), dev.array(np.array(lengths, np.int32))), *expected


@pytest.mark.parametrize("options", [{}, {"order": "HND", "queries": 2}], ids=str)
def test_pages_in_either_order(dev, options):
    given, expected, limit = problem(dev, **options)
    found = attention_decode(*given, order=options.get("order", "NHD"))
    assert (np.abs(found.numpy() - expected) <= limit).all()


def test_pages_before_the_window_are_not_read(dev):
    window = 20
    given, _, _ = problem(dev, (200, 70, 0), queries=2)
    q, keys, values, table, lengths = (each.numpy() for each in given)
    expected, limit = reference(q, keys, values, table, lengths, "NHD", 2.0**-8, window=window)
    for row, length in zip(table, lengths):
        row[: max(0, length - 2 - window) // 64 * 4] = 1 << 30  # no such page
    found = attention_decode(*given[:3], dev.array(table), given[4], window=window).numpy()
    assert (np.abs(found - expected) <= limit).all()


def test_scratch_memory_is_a_stream_s_own_and_grows(dev):
    scratch._scratches.clear()
    small, large = problem(dev, (5,)), problem(dev, (40, 3, 20))
    streams = [dev.stream(), dev.stream()]
    for given, expected, limit in (small, large, small):
        for stream in streams:
            with dev.use(stream):
                found = attention_decode(*given)
            stream.synchronize()
            assert (np.abs(found.numpy() - expected) <= limit).all()
    kept = scratch._scratches.of(dev.context).values()
    assert len({parts.pointer for parts, _ in kept}) == 2
    assert not any(arrived.numpy().any() for _, arrived in kept)


def test_a_graph_has_scratch_memory_of_its_own_and_serves_other_lengths(dev):
    given, _, _ = problem(dev, (40, 17))
    out = dev.zeros((2, 1, 4, 64), bf16)
    attention_decode(*given, out)
    kept = len(scratch._scratches.of(dev.context))
    with dev.capture() as graph:
        attention_decode(*given, out)
    assert len(scratch._scratches.of(dev.context)) == kept
    attention_decode(*given, out)
    expected = out.numpy()
    for lengths in ((40, 17), (2, 0)):
        given[4].copy_from(np.array(lengths, np.int32))
        out.fill(7)
        graph.launch()
        dev.synchronize()
        if lengths == (40, 17):
            assert np.array_equal(out.numpy(), expected)
    assert not out.numpy()[1].any()


def test_explain_launches_nothing(dev):
    given, _, _ = problem(dev, (5,))
    out = dev.full((1, 1, 4, 64), 7, bf16)
    assert "attention_decode" in attention_decode(*given, out, explain=True)
    assert (out.numpy() == 7).all()


@pytest.mark.parametrize(
    "changed, options, said",
    [
        ({0: ((2, 1, 4, 64), f32)}, {}, r"q has elements of .f32"),
        ({3: ((2, 5), f32)}, {}, r"table has elements of .f32(.|\n)*u32 or s32"),
        ({2: ((10, 16, 3, 64), bf16)}, {}, r"values \(10, 16, 3, 64\)"),
        ({0: ((2, 9, 4, 64), bf16)}, {}, r"9 queries"),
        ({4: ((3,), s32)}, {}, r"lengths \(3,\)"),
        ({4: ((0,), s32)}, {}, r"lengths has the shape \(0,\)"),
        ({}, {"order": "DHN"}, r"order 'DHN'"),
        ({}, {"scale": 0.0}, r"scale=0.0"),
        ({}, {"scale": float("nan")}, r"scale=nan"),
        ({}, {"window": -1}, r"window is -1"),
        ({}, {"softcap": -1.0}, r"softcap=-1.0"),
        ({1: ((10, 12, 2, 64), bf16), 2: ((10, 12, 2, 64), bf16)}, {}, r"pages of 12 keys(.|\n)*a multiple of 8"),
    ],
)
def test_what_has_no_kernel_is_refused(dev, changed, options, said):
    arrays = [((2, 1, 4, 64), bf16), *[((10, 16, 2, 64), bf16)] * 2, ((2, 5), u32), ((2,), s32)]
    given = [dev.zeros(*changed.get(place, known)) for place, known in enumerate(arrays)]
    with pytest.raises(px.BuildError, match=said):
        attention_decode(*given, **options)


def test_what_an_operand_says_of_its_strides(dev):
    plain = operands.read("x", dev.zeros((3, 2, 64), bf16))
    assert (plain.contiguous, plain.mappable) == (True, True)
    assert plain.reshape(3, 128).strides == (256, 2)
    wide = plain._replace(strides=(512, 128, 2))  # of every second page
    assert (wide.contiguous, wide.mappable) == (False, True)
    assert wide.reshape(3, 128).strides == (512, 2)
    apart = plain._replace(strides=(512, 256, 2))  # every second head
    assert apart.mappable
    with pytest.raises(px.BuildError, match=r"without gaps"):
        apart.reshape(3, 128)
    assert not plain._replace(strides=(256, 136, 2)).mappable
    assert not plain._replace(address=plain.address + 8).mappable
