"""Kernels made of a fusion plan: the same bits as the stages alone, and what the plan says they save."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, s32
from ptxgen.errors import BuildError
from ptxgen.runtime.fused import FusedPipeline, Program


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def scale(k, row, values):
    return [value * 1.7 for value in values]


def shift(k, row, values):
    return [value + 0.3 for value in values]


def curve(k, row, values):
    return [k.fma(value, value, value) / (value * value + 1.0) for value in values]


def halve(k, row, values):
    return [value.to(f16) for value in values]


def widen(k, row, values):
    return [value.to(f32) for value in values]


def center(k, row, values):
    top = row.reduce("max", values)
    return [value - top for value in values]


def normalise(k, row, values):
    total = row.reduce("sum", [value * value for value in values])
    return [value * k.rsqrt(total + 1e-6) for value in values]


def quantise(k, row, values):
    return [(value * 127.0).to(s32) for value in values]


FLAT = [Program(1, scale, f32, f32), Program(2, shift, f32, f32), Program(3, curve, f32, f32)]
ROWS = [
    Program(1, shift, f32, f32),
    Program(2, center, f32, f32, rowwise=True),
    Program(3, halve, f32, f16),
    Program(4, widen, f16, f32),
    Program(5, normalise, f32, f32, rowwise=True),
    Program(6, quantise, f32, s32),
]


def both(dev, pipeline, n):
    """(fused, unfused) as bits."""
    x = dev.array(np.random.default_rng(n).standard_normal(n).astype(np.float32))
    outputs = [dev.zeros(n, pipeline.programs[-1].output) for _ in range(2)]
    pipeline(x, outputs[0])
    pipeline.unfused(x, outputs[1])
    return [output.bytes() for output in outputs]


@pytest.mark.parametrize("n", [1, 2047, 2048, 5000])
def test_elementwise_stages_are_one_kernel_with_the_same_bits(dev, n):
    with FusedPipeline(dev, FLAT, n) as pipeline:
        assert pipeline.plan.launch_count == 1
        fused, unfused = both(dev, pipeline, n)
        assert fused == unfused


def test_the_result_is_right(dev):
    x = np.linspace(-3, 3, 1000, dtype=np.float32)
    with FusedPipeline(dev, FLAT, 1000) as pipeline:
        y = dev.empty(1000, f32)
        pipeline(dev.array(x), y)
    v = x.astype(np.float64) * 1.7 + 0.3
    assert np.allclose(y.numpy(), (v * v + v) / (v * v + 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("columns", [1, 31, 32, 100, 129, 1000, 4096])
def test_stages_that_reduce_over_rows_fuse_too(dev, columns):
    with FusedPipeline(dev, ROWS, 3 * columns, columns=columns) as pipeline:
        assert pipeline.plan.launch_count == 1
        fused, unfused = both(dev, pipeline, 3 * columns)
        assert fused == unfused


@pytest.mark.parametrize("budget", [10**9, 1000 * (4 + 4 + 4), 1000 * 8])
@pytest.mark.parametrize("host", [None, 2, 4])
def test_what_is_saved_is_what_the_plan_says(dev, budget, host):
    """An avoided byte is one that is not written and not read again."""
    programs = [program._replace(host=program.id == host) for program in ROWS]
    with FusedPipeline(dev, programs, 1000, columns=100, budget_bytes=budget) as pipeline:
        plan, fused, unfused = pipeline.plan, pipeline.traffic(), pipeline.unfused_traffic()
        assert fused.launches == plan.launch_count
        assert unfused.launches - fused.launches == plan.avoided_launches
        assert unfused.bytes - fused.bytes == 2 * plan.avoided_intermediate_bytes
        one, other = both(dev, pipeline, 1000)
        assert one == other


def test_launches_are_counted_where_they_happen(dev):
    """The nodes of a captured graph are the launches that the plan promises."""
    programs = [program._replace(host=program.id == 4) for program in ROWS]
    with FusedPipeline(dev, programs, 1000, columns=100) as pipeline:
        x, y = dev.zeros(1000, f32), dev.zeros(1000, s32)
        for run, traffic in ((pipeline, pipeline.traffic()), (pipeline.unfused, pipeline.unfused_traffic())):
            run(x, y)
            with dev.capture() as graph:
                run(x, y)
            assert len(graph) == traffic.launches
            graph.close()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda dev: FusedPipeline(dev, [], 10), "without stages"),
        (lambda dev: FusedPipeline(dev, ROWS, 10), "flat layout"),
        (lambda dev: FusedPipeline(dev, ROWS, 10, columns=3), "10 elements in rows of 3"),
        (lambda dev: FusedPipeline(dev, [FLAT[0], ROWS[3]], 10), "stage 1 gives .f32, stage 4 takes .f16"),
        (lambda dev: FusedPipeline(dev, FLAT, 10)(dev.zeros(9, f32), dev.zeros(10, f32)), "expected 10 elements"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
