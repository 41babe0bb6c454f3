"""How a problem becomes a launch: vectors that the arrays allow, grids that cover, kernels that are loaded once."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, f64, s32, u8, u16, u32
from ptxgen.kernels.arrays import histogram, reduction, scan
from ptxgen.kernels.elements import elementwise, saxpy, transpose
from ptxgen.kernels.matrices import matmul
from ptxgen.kernels.plan import common_alignment, widest_vector
from ptxgen.kernels.rows import softmax


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


class At:
    """Stands for an array at an address."""

    def __init__(self, pointer):
        self.pointer = pointer


@pytest.mark.parametrize(
    "addresses, alignment",
    [((256, 512), 256), ((16, 256), 16), ((4, 8), 4), ((3,), 1), ((), 256), ((2**40 + 64,), 64)],
)
def test_alignment_is_that_of_the_worst_array(addresses, alignment):
    assert common_alignment(*map(At, addresses)) == alignment


def test_a_host_array_counts_as_allocated():
    assert common_alignment(np.zeros(3)) == 256


@pytest.mark.parametrize(
    "element_bytes, alignment, extents, lanes",
    [(4, 256, (), 4), (2, 256, (), 8), (1, 256, (), 8), (8, 256, (), 2), (4, 8, (), 2), (4, 4, (), 1), (2, 1, (), 1)]
    + [(4, 256, (6,), 2), (4, 256, (7,), 1), (2, 256, (16, 4), 4), (4, 256, (0,), 4)],
)
def test_vectors_are_as_wide_as_alignment_and_extents_allow(element_bytes, alignment, extents, lanes):
    assert widest_vector(element_bytes, alignment, *extents) == lanes


def test_an_array_that_begins_anywhere_is_served(dev):
    x = dev.array(np.arange(1001, dtype=np.float32))
    y = dev.zeros(1001, f32)
    plan = saxpy.plan(1000, 2.0, x[1:], y[1:])
    assert "vector=1" in repr(plan.kernel)
    plan.launch()
    assert y.numpy().tolist() == [0.0] + [2.0 * i for i in range(1, 1001)]


def test_the_same_problem_loads_nothing_again(dev):
    x, y = dev.zeros(64, f32), dev.zeros(64, f32)
    first, second = (saxpy.plan(64, 1.0, x, y).kernel.on(dev) for _ in range(2))
    assert first is second
    one, two = (elementwise.plan("add", 64, x, x, y).kernel.on(dev) for _ in range(2))
    assert one is two


@pytest.mark.parametrize("n, grid", [(0, 1), (1, 1), (2048, 1), (2049, 2), (2**28, 2**17), (2**43, 2**31 - 1)])
def test_saxpy_has_a_tile_a_cta(n, grid):
    assert saxpy.plan(n, 1.0, None, None).grid == grid


def test_a_smaller_grid_does_the_same_work(dev):
    """Grid-stride: every CTA goes round several times."""
    x, y = dev.array(np.arange(10_000, dtype=np.float32)), dev.zeros(10_000, f32)
    plan = saxpy.plan(10_000, 3.0, x, y)
    assert plan.grid == 5
    plan._replace(grid=2).launch()
    assert np.array_equal(y.numpy(), 3 * np.arange(10_000, dtype=np.float32))


@pytest.mark.parametrize("n", [0, 1, 5, 4096, 300 * 4096 + 1, 1100 * 4096])
def test_a_reduction_s_grid_is_bounded_and_its_ticket_is_ready_again(dev, n):
    x = dev.array(np.ones(n, np.float32))
    out, partials, ticket = dev.zeros(1, f32), dev.zeros(reduction.MAX_CTAS, f32), dev.zeros(1, u32)
    plan = reduction.plan(n, x, out, partials, ticket)
    assert plan.grid <= reduction.MAX_CTAS
    for _ in range(2):
        plan.launch()
        assert out.numpy()[0] == n
        assert ticket.numpy()[0] == 0


def test_a_sum_has_the_same_bits_every_time(dev):
    x = dev.array(np.random.default_rng(3).standard_normal(50_000).astype(np.float32))
    out, partials, ticket = dev.zeros(1, f32), dev.zeros(reduction.MAX_CTAS, f32), dev.zeros(1, u32)
    plan = reduction.plan(50_000, x, out, partials, ticket)
    found = set()
    for _ in range(5):
        plan.launch()
        found.add(out.numpy().tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("op, nothing", [("sum", 0.0), ("min", np.inf), ("max", -np.inf)])
def test_a_reduction_ignores_nan_and_of_nothing_is_the_identity(dev, op, nothing):
    out, partials, ticket = dev.zeros(1, f32), dev.zeros(reduction.MAX_CTAS, f32), dev.zeros(1, u32)
    reduction.plan(0, dev.zeros(1, f32), out, partials, ticket, op=op).launch()
    assert out.numpy()[0] == nothing
    x = dev.array(np.array([1, np.nan, 3], np.float32))
    reduction.plan(3, x, out, partials, ticket, op=op).launch()
    assert np.array_equal(out.numpy(), {"sum": [np.nan], "min": [1], "max": [3]}[op], equal_nan=True)


@pytest.mark.parametrize("columns", [1, 2, 7, 8, 31, 33, 64, 129, 1000, 1025, 2500, 4096, 33000])
@pytest.mark.parametrize("element", [f32, f16])
def test_softmax_of_any_row_length(dev, columns, element):
    x = np.random.default_rng(columns).standard_normal((3, columns)).astype(np.float32)
    source, target = dev.array(x, element), dev.zeros((3, columns), element)
    softmax.plan(3, columns, source, target, element=element).launch()
    wide = source.numpy().astype(np.float64)
    exact = np.exp(wide - wide.max(axis=1, keepdims=True))
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.allclose(target.numpy(), exact, rtol=2e-3 if element is f16 else 1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "variant", [{"lanes": 32, "items": 8, "online": False}, {"lanes": 64, "items": 8, "online": True}]
)
def test_softmax_of_infinities_and_nan(dev, variant):
    inf, nan = np.inf, np.nan
    x = np.array(
        [[0, -inf, 0, -inf], [-inf] * 4, [inf, 0, 0, 0], [nan, 0, 0, 0], [1e30, 0, 0, -1e30], [-inf, -inf, -inf, 5]]
    )
    y = dev.zeros(x.shape, f32)
    softmax.plan(len(x), 4, dev.array(x.astype(np.float32)), y, vector=4, **variant).launch()
    expected = [[0.5, 0, 0.5, 0], [nan] * 4, [nan] * 4, [nan] * 4, [1, 0, 0, 0], [0, 0, 0, 1]]
    assert np.array_equal(y.numpy(), np.array(expected, np.float32), equal_nan=True)


@pytest.mark.parametrize("shape", [(1, 1), (1, 1000), (1000, 1), (37, 53), (128, 256)])
@pytest.mark.parametrize("element", [u8, bf16, f32, f64])
def test_transpose_of_any_element(dev, shape, element):
    x = dev.array(np.arange(shape[0] * shape[1]).reshape(shape) % 251, element)
    y = dev.zeros(shape[::-1], element)
    transpose.plan(*shape, x, y, element=element).launch()
    assert np.array_equal(y.numpy(), x.numpy().T)


@pytest.mark.parametrize("m, n, depth", [(1, 1, 1), (5, 7, 3), (64, 64, 64), (100, 36, 20), (2, 300, 1)])
def test_matmul_of_any_shape(dev, m, n, depth):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (m, depth)).astype(np.float32), rng.integers(-3, 4, (depth, n)).astype(np.float32)
    c = dev.full((m, n), float("nan"), f32)
    matmul.plan(m, n, depth, 1.0, dev.array(a), dev.array(b), 0.0, c).launch()
    assert np.array_equal(c.numpy(), a @ b), "with beta = 0, what C held does not matter"


def test_matmul_s_result_does_not_depend_on_the_tiling(dev):
    rng = np.random.default_rng(1)
    a, b = (dev.array(rng.standard_normal((96, 96)).astype(np.float32)) for _ in range(2))
    found = set()
    for tiling, vector in ((matmul.LARGE, 4), (matmul.SMALL, 4), (matmul.SMALL, 1)):
        c = dev.zeros((96, 96), f32)
        matmul.plan(96, 96, 96, 0.5, a, b, 0.25, c, tiling=tiling, vector=vector).launch()
        found.add(c.numpy().tobytes())
    assert len(found) == 1


def test_a_tiling_that_does_not_come_out_even_is_refused():
    with pytest.raises(px.BuildError, match=r"128 threads cannot share .* evenly"):
        matmul.KERNEL.module(tiling=matmul.Tiling(64, 32, 8, 4, 4), vector=4)
    with pytest.raises(px.BuildError, match="whole warps' tiles of 64 x 32"):
        matmul.KERNEL.module(tiling=matmul.Tiling(96, 32, 8))


def test_histogram_adds_to_what_is_there(dev):
    counts = dev.array(np.full(4, 10, np.uint32))
    x = dev.array(np.array([0, 1, 1, 3, 3, 3, 200], np.uint8))
    histogram.plan(7, 4, x, counts, element=u8).launch()
    assert counts.numpy().tolist() == [11, 12, 10, 13]


@pytest.mark.parametrize("element", [u8, u16, u32])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_histogram_of_every_alignment(dev, element, offset):
    x = np.random.default_rng(offset).integers(0, 250, 40_000).astype(element.isa.name.replace("u", "uint"))
    counts = dev.zeros(200, u32)
    histogram.plan(x.size - offset, 200, dev.array(x)[offset:], counts, element=element).launch()
    assert (counts.numpy() == np.bincount(x[offset:], minlength=250)[:200]).all()


def test_more_bins_than_static_shared_memory_holds(dev):
    x = np.arange(20_000, dtype=np.uint32)
    counts = dev.zeros(20_000, u32)
    plan = histogram.plan(x.size, 20_000, dev.array(x), counts, element=u32)
    assert plan.shared == 80_000
    plan.launch()
    assert (counts.numpy() == 1).all()


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 127, 1000, 4096, 4097, 16384])
def test_scan_of_any_length(dev, n):
    x = np.random.default_rng(n).integers(-100, 100, (2, n), dtype=np.int32)
    y = dev.zeros((2, n), s32)
    scan.plan(n, dev.array(x), y, rows=2, element=s32).launch()
    assert np.array_equal(y.numpy(), np.cumsum(x, axis=1, dtype=np.int32))


def test_a_scan_that_is_too_long_for_one_cta():
    with pytest.raises(px.BuildError, match=r"16385 elements(.|\n)*16384 in all"):
        scan.plan(16385, None, None)


@pytest.mark.parametrize("op", elementwise.OPERATIONS)
def test_elementwise_operations_of_all_their_types(dev, op):
    for element in elementwise.OPERATIONS[op].types:
        for result in elementwise.OPERATIONS[op].makes or (None,):
            case = elementwise._case(700, np.random.default_rng(5), op=op, element=element, vector=1, result=result)
            outcome = case.run(dev)
            assert outcome.passed, (element, result, outcome)


@pytest.mark.parametrize("op", ["exp", "tanh", "sigmoid", "silu", "gelu", "relu"])
def test_elementwise_functions_at_their_ends(dev, op):
    x = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 88.0, -88.0, 100.0, -110.0, 3e38, -3e38], np.float32
    )
    z = dev.zeros(x.size, f32)
    elementwise.plan(op, x.size, dev.array(x), z).launch()
    with np.errstate(all="ignore"):
        exact = elementwise.OPERATIONS[op].meaning(x.astype(np.float64)).astype(np.float32)
    got = z.numpy()
    close = np.isclose(got, exact, rtol=2e-4, atol=3e-45, equal_nan=True)
    assert close.all(), (x[~close], got[~close], exact[~close])


def test_the_template_is_there_for_everybody():
    module = px.render("elementwise.ptx.j2", op="add", type=f32, vector=4, unroll=1, target="sm_90a", version="8.0")
    assert module == elementwise.elementwise("add", f32, 4).module(target="sm_90a", strict=True)
    with pytest.raises(px.TemplateError, match=r"'op' is 'pow'(.|\n)*one of add, sub, mul"):
        px.render("elementwise.ptx.j2", op="pow", target="sm_90a")


def test_what_there_is_not():
    with pytest.raises(px.BuildError, match=r"no elementwise operation 'pow'(.|\n)*add, sub"):
        elementwise.plan("pow", 1, None, None)
    with pytest.raises(px.BuildError, match=r"elementwise exp has no .f64 form(.|\n)*f16, bf16, f32"):
        elementwise.plan("exp", 1, None, None, element=f64)
    with pytest.raises(px.BuildError, match="add takes 2 inputs and an output, not 2 arrays"):
        elementwise.plan("add", 1, None, None)
