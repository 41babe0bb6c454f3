"""`matmul`: any shape, transposed views, types, batches, epilogues, graphs, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8
from ptxgen.kernels.matrices import gemm
from ptxgen.kernels.matrices.pieces import piece_buffers, piece_starts, piece_width
from ptxgen.ops import matmul, transposed
from ptxgen.ops.matrices import parts
from ptxgen.ops.matrices.gemm import MatmulChoice
from ptxgen.ops.operands import read


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def whole(rng, *shape):
    """Numbers whose products every type holds exactly."""
    return rng.integers(-4, 5, shape).astype(np.float32)


@pytest.mark.parametrize("multicast", [(1, 1), (1, 2)])
def test_tiles_along_a_hilbert_curve(dev, multicast):
    """Five by three tiles, in clusters too, of three persistent CTAs or four."""
    rng = np.random.default_rng(0)
    x, y = whole(rng, 1, 300, 64), whole(rng, 1, 136, 64)
    c = dev.zeros((1, 300, 136), bf16)
    tiling = gemm.Tiling(64, 64, 64, 1, stages=3, multicast=multicast, order="hilbert")
    gemm.plan(dev.array(x, bf16), dev.array(y, bf16), c, m=300, n=136, depth=64, tiling=tiling, processors=4).launch()
    assert np.array_equal(c.numpy(), dev.array(x @ y.swapaxes(1, 2), bf16).numpy())


@pytest.mark.parametrize(
    "m, n, depth", [(1, 8, 8), (8, 8, 16), (5, 264, 520), (130, 72, 64), (72, 200, 136), (257, 136, 72)]
)
@pytest.mark.parametrize("element", [bf16, f16])
def test_shapes(dev, m, n, depth, element):
    rng = np.random.default_rng(m)
    x, y = whole(rng, m, depth), whole(rng, depth, n)
    found = matmul(dev.array(x, element), dev.array(y, element))
    assert found.type is element.isa
    product = x @ y
    assert np.array_equal(found.numpy(), dev.array(product, element).numpy())


@pytest.mark.parametrize("rows, columns, groups", [(64, 128, 2), (64, 64, 3), (128, 112, 2)])
def test_tiles_that_warpgroups_take_in_turn(dev, rows, columns, groups):
    rng = np.random.default_rng(rows)
    x, y = whole(rng, 2, 200, 136), whole(rng, 2, 264, 136)
    a, b, c = dev.array(x, bf16), dev.array(y, bf16), dev.zeros((2, 200, 264), f32)
    tiling = gemm.Tiling(rows, columns, 64, groups, pingpong=True).fitted(4)
    sizes = {"m": 200, "n": 264, "depth": 136, "batch": 2}
    gemm.plan(a, b, c, **sizes, tiling=tiling, result=f32, processors=3).launch()
    assert np.array_equal(c.numpy(), x @ y.swapaxes(1, 2))
    with pytest.raises(px.BuildError, match=r"split=2(.|\n)*pingpong"):
        gemm.plan(a, b, c, **sizes, tiling=tiling._replace(split=2), result=f32).launch()


@pytest.mark.parametrize("element", [f32, s8])
def test_other_types_whose_depth_is_not_beside_each_other_go_by_mma(dev, element):
    rng = np.random.default_rng(1)
    x, y = whole(rng, 40, 64), whole(rng, 64, 24)
    kind = np.int8 if element is s8 else np.float32
    a, b = dev.array(x.astype(kind), element), dev.array(y.astype(kind), element)
    assert "gemm_mma" in str(matmul(a, b, explain=True))
    assert np.array_equal(matmul(a, b).numpy(), x @ y)


@pytest.fixture
def by_parts(monkeypatch):
    """Products of f32 by parts, however small."""
    monkeypatch.setattr(parts, "LEAST", 0)


def laid_out(dev, values, across):
    """An array of them, or a transposed view of one."""
    return transposed(dev.array(np.ascontiguousarray(values.T))) if across else dev.array(values)


@pytest.mark.parametrize(
    "m, n, depth, across", [(1, 4, 1, ()), (130, 68, 33, (1,)), (65, 100, 130, (0, 1)), (64, 64, 64, (0,))]
)
def test_products_of_f32_by_parts(dev, by_parts, m, n, depth, across):
    """Errors are those of sums of f32, of numbers of many sizes; a graph has memory of its own."""
    rng = np.random.default_rng(m)
    x, y = (
        rng.standard_normal(shape).astype(np.float32) * np.exp2(rng.integers(-30, 30, shape)).astype(np.float32)
        for shape in ((m, depth), (depth, n))
    )
    a, b, out = laid_out(dev, x, 0 in across), laid_out(dev, y, 1 in across), dev.zeros((m, n), f32)
    assert str(matmul(a, b, explain=True, exact=True)).startswith("gemm_f32")
    x, y = x.astype(np.float64), y.astype(np.float64)
    limit = (np.abs(x) @ np.abs(y)) * (depth / 8 + 8) * 2.0**-24
    for _ in range(2):
        assert (np.abs(matmul(a, b, out, exact=True).numpy() - x @ y) <= limit).all()
    with dev.capture() as graph:
        matmul(a, b, out, exact=True)
    found = out.numpy()
    out.copy_from(dev.zeros((m, n), f32))
    graph.launch()
    assert np.array_equal(out.numpy(), found)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38, 1e-38, 1e-45])
def test_numbers_without_parts_go_by_fma(dev, by_parts, odd):
    """They are what fma gives; the next product has parts again."""
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((70, 40), (40, 36)))
    with_odd = x.copy()
    with_odd[69, 39] = odd
    b = dev.array(y)
    for values in (with_odd, x):
        kept = rng.standard_normal((70, 36)).astype(np.float32)
        c = dev.array(kept)
        with np.errstate(invalid="ignore", over="ignore"):
            expected = np.float32(values.astype(np.float64) @ y + kept)
        found = matmul(dev.array(values), b, c, exact=True, epilogue=add, arguments=(c,)).numpy()
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-5, equal_nan=True)


def add(k, value, row, column, c):
    return value + c[row, column]


def test_what_has_no_parts_by_its_strides(dev, by_parts):
    x = np.zeros((64, 66), np.float32)
    assert "tensor map" in str(matmul(dev.array(x), dev.array(x.T.copy()[:, :63].copy()), explain=True, exact=True))


@pytest.mark.parametrize("turned", [False, True])
def test_exact_products_of_f32(dev, turned):
    """An f32 has 13 bits more than tf32: products of 1 + 2^-20 by 1 show them."""
    rng = np.random.default_rng(4)
    x = (1 + 2.0**-20 * rng.integers(0, 8, (130, 72))).astype(np.float32)
    a, b = dev.array(x, f32), dev.array(np.eye(72, 20, dtype=np.float32), f32)
    b = transposed(dev.array(np.eye(20, 72, dtype=np.float32), f32)) if turned else b
    assert "f32 is not rounded to tf32" in str(matmul(a, b, explain=True, exact=True))
    out = dev.zeros((130, 20), f32)
    assert not np.array_equal(matmul(a, b, out).numpy(), x[:, :20])
    assert np.array_equal(matmul(a, b, out, exact=True).numpy(), x[:, :20])


def test_fp8_wants_the_depth_beside_each_other(dev):
    a, b = dev.zeros((40, 64), e4m3), dev.zeros((64, 24), e4m3)
    with pytest.raises(
        px.BuildError, match=r"matmul of .e4m3: b of shape \(24, 64\) has strides(.|\n)*along the depth"
    ):
        matmul(a, b)


@pytest.mark.parametrize("element", [bf16, f32, e4m3, s8])
def test_transposed_arrays(dev, element):
    rng = np.random.default_rng(8)
    x, y = whole(rng, 40, 64), whole(rng, 24, 64)
    kind = np.int8 if element is s8 else np.float32
    a, b = dev.array(x.astype(kind), element), dev.array(y.astype(kind), element)
    assert transposed(transposed(b)) is b
    for _ in range(2):  # the second time from what is kept
        out = matmul(a, transposed(b))
        assert np.array_equal(matmul(a, transposed(b), out).numpy(), x @ y.T)
    if element is bf16:
        assert np.array_equal(
            matmul(transposed(a), dev.array(y[:, :8].repeat(5, 0)[:40], bf16)).numpy(), x.T @ y[:, :8].repeat(5, 0)[:40]
        )
    with pytest.raises(px.BuildError, match=r"a is an array of \(64,\), transposed"):
        matmul(transposed(a[0]), b)


@pytest.mark.parametrize("m, n, depth", [(3, 5, 7), (129, 33, 65), (1, 1, 1)])
@pytest.mark.parametrize("element", [bf16, f16, f32])
def test_rows_at_any_bytes(dev, m, n, depth, element):
    rng = np.random.default_rng(depth)
    x, y = whole(rng, m, depth), whole(rng, depth, n)
    a, b = dev.array(x, element), dev.array(y, element)
    found = matmul(a, b)
    assert np.array_equal(found.numpy(), dev.array(x @ y, element).numpy())


def test_batches(dev):
    rng = np.random.default_rng(2)
    x, y = whole(rng, 3, 40, 72), whole(rng, 3, 72, 136)
    found = matmul(dev.array(x, bf16), dev.array(y, bf16))
    assert np.array_equal(found.numpy(), dev.array(x @ y, bf16).numpy())


def test_an_epilogue_is_applied_to_the_sums(dev):
    rng = np.random.default_rng(3)
    x, y = whole(rng, 40, 64), whole(rng, 64, 72)

    def relu_and_row(k, value, row, column):
        return k.max(value, 0.0) + row.to(f32)

    found = matmul(dev.array(x, bf16), dev.array(y, bf16), epilogue=relu_and_row).numpy()
    expected = np.maximum(x @ y, 0) + np.arange(40, dtype=np.float32)[:, None]
    assert np.array_equal(found, dev.array(expected, bf16).numpy())


@pytest.mark.parametrize("shape", [(5, 200, 1032), (130, 200, 2056)])
def test_a_split_depth_gives_the_same_in_every_launch(dev, shape):
    rng = np.random.default_rng(4)
    m, n, depth = shape
    a = dev.array(rng.standard_normal((m, depth)).astype(np.float32), bf16)
    b = dev.array(rng.standard_normal((depth, n)).astype(np.float32), bf16)
    assert gemm.choose(m, n, depth, major_b="MN").split > 1
    first = matmul(a, b).numpy()
    exact = a.numpy().astype(np.float64) @ b.numpy().astype(np.float64)
    assert np.abs(first - exact).max() <= 2.0**-8 * np.abs(exact).max() + 1e-2
    for _ in range(3):
        assert np.array_equal(matmul(a, b).numpy(), first)


def test_nan_and_infinities_stay_in_their_rows(dev):
    rng = np.random.default_rng(5)
    x, y = whole(rng, 40, 64), np.abs(whole(rng, 64, 72)) + 1
    x[3, 5], x[7, 9] = np.nan, np.inf
    found = matmul(dev.array(x, bf16), dev.array(y, bf16)).numpy()
    assert np.isnan(found[3]).all()
    assert (found[7] == np.inf).all()
    assert np.isfinite(np.delete(found, (3, 7), 0)).all()


def test_it_is_captured_and_the_graph_keeps_its_arrays(dev):
    rng = np.random.default_rng(6)
    x, y = whole(rng, 40, 520), whole(rng, 520, 72)
    a, b, c = dev.array(x, bf16), dev.array(y, bf16), dev.zeros((40, 72), bf16)
    matmul(a, b, c)
    with dev.capture() as graph:
        matmul(a, b, c)
    expected = c.numpy()
    c.fill(0)
    del a, b
    graph.launch()
    dev.synchronize()
    assert np.array_equal(c.numpy(), expected)


def test_explain_launches_nothing_and_says_what_it_would(dev):
    a, b, c = dev.zeros((40, 64), bf16), dev.zeros((64, 72), bf16), dev.full((40, 72), 7, bf16)
    choice = matmul(a, b, c, explain=True)
    assert isinstance(choice, MatmulChoice)
    assert (c.numpy() == 7).all()
    assert str(choice).startswith("gemm_hopper: tiles of ")


@pytest.mark.parametrize(
    "shapes, elements, said",
    [
        (((4, 8), (16, 8)), (bf16, bf16), r"matmul of \(4, 8\) and \(16, 8\)"),
        (((4, 8), (1, 8, 8)), (bf16, bf16), r"matmul of \(4, 8\) and \(1, 8, 8\)"),
        (((8,), (8, 8)), (bf16, bf16), r"matmul of \(8,\)"),
        (((8, 8), (8, 8)), (bf16, f16), r"matmul of .bf16, .f16"),
        (((8, 8), (8, 8)), (px.f64, px.f64), r"matmul of .f64"),
    ],
)
def test_what_has_no_kernel_is_refused(dev, shapes, elements, said):
    a, b = (dev.zeros(shape, element) for shape, element in zip(shapes, elements))
    with pytest.raises(px.BuildError, match=said):
        matmul(a, b)


def test_the_result_must_fit(dev):
    a, b = dev.zeros((8, 16), bf16), dev.zeros((16, 8), bf16)
    with pytest.raises(px.BuildError, match=r"out has the shape \(8, 16\), expected \(8, 8\)"):
        matmul(a, b, dev.zeros((8, 16), bf16))
    with pytest.raises(px.BuildError, match=r"matmul of .bf16, .bf16, .f32"):
        matmul(a, b, dev.zeros((8, 8), f32))
    with pytest.raises(px.BuildError, match=r"b is ndarray, not an array in device memory"):
        matmul(a, np.zeros((16, 8), np.float16))


def test_arrays_of_torch_and_transposed_views(dev):
    torch = pytest.importorskip("torch")
    if dev.kind != "cuda":
        pytest.skip("PyTorch's arrays on its GPU")
    torch.manual_seed(0)
    for kind in (torch.bfloat16, torch.float16):
        x, y = (torch.randn(n, 200, device="cuda").to(kind) for n in (136, 72))
        expected = torch.matmul(x, y.T)
        for a, b in (
            (x, y.T),
            (x.T.contiguous().T, y.T),
            (x, y.T.contiguous()),
            (x.T.contiguous().T, y.T.contiguous()),
        ):
            found = matmul(a, b)
            assert isinstance(found, torch.Tensor)
            assert torch.allclose(found, expected, rtol=1e-2, atol=1e-1)
    x, y = (torch.randn(n, 128, device="cuda").to(torch.float8_e4m3fn) for n in (144, 80))
    assert torch.allclose(matmul(x, y.T).float(), x.float() @ y.float().T, rtol=2e-2, atol=0.2)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.randn(512, 512, device="cuda").bfloat16()
        y = x + 1
        found = matmul(x, y)
        expected = torch.matmul(x, y)
    stream.synchronize()
    assert torch.allclose(found, expected, rtol=1e-2, atol=1e-1)


def test_a_device_that_was_reset_is_asked_anew():
    dev = px.device("cpu")
    x, y = np.eye(8, dtype=np.float32), np.arange(64, dtype=np.float32).reshape(8, 8)
    for _ in range(2):
        a, b = dev.array(x, bf16), dev.array(y, bf16)
        out = dev.zeros((8, 8), bf16)
        for _ in range(2):
            matmul(a, b, out)
        assert np.array_equal(out.numpy(), y)
        dev.reset()


# ---- the choice of a tiling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 16, 17, 64, 100, 128, 129, 1000, 4096])
@pytest.mark.parametrize("n, depth", [(8, 8), (4096, 4096), (14336, 4096), (5000, 2000)])
@pytest.mark.parametrize("element_bytes, result_bytes", [(2, 2), (1, 2), (4, 4), (1, 4)])
def test_every_choice_fits_the_machine(m, n, depth, element_bytes, result_bytes):
    for major_a, major_b in (("K", "K"), ("K", "MN"), ("MN", "K"), ("MN", "MN")):
        found = gemm.choose(
            m, n, depth, element_bytes=element_bytes, result_bytes=result_bytes, major_a=major_a, major_b=major_b
        )
        assert found.shared(result_bytes) <= gemm.SHARED
        assert found.stages >= 3
        assert (major_a if found.transposed else major_b) == "K" or found.bn % 64 == 0
        assert found.can_be_late(result_bytes) or not found.late
        assert found.split == 1 or found.tiles(*((n, m) if found.transposed else (m, n))) * found.split <= 132


def test_pieces_cover_a_tile_and_end_where_the_next_begins():
    for columns in range(8, 257, 8):
        width = piece_width(columns, 2)
        starts = piece_starts(columns, width)
        assert {c for start in starts for c in range(start, start + width)} == set(range(columns))
        assert len(starts) % piece_buffers(len(starts)) == 0


# ---- epilogues with arguments ----------------------------------------------------------------------------------------


def blas(k, value, row, column, alpha, beta, c, bias, scales):
    """alpha A B + beta C, then a factor for each row and a bias for each column."""
    return k.fma(value * alpha + c[row, column] * beta, scales[row], bias[column])


@pytest.mark.parametrize(
    "m, n, depth, said",
    [
        (130, 264, 72, "gemm_hopper"),
        (5, 264, 2048, "transposed"),
        (33, 35, 70, "gemm_mma"),
        (300, 136, 64, "gemm_hopper"),
    ],
)
@pytest.mark.parametrize("element", [bf16, f32])
def test_an_epilogue_reads_arrays_and_numbers(dev, element, m, n, depth, said):
    rng = np.random.default_rng(11)
    x, y, before = whole(rng, m, depth), whole(rng, n, depth), whole(rng, m, n)
    bias, scales = whole(rng, n), np.exp2(rng.integers(-1, 2, m)).astype(np.float32)
    a, b, c = dev.array(x, element), transposed(dev.array(y, element)), dev.array(before, f32)
    arguments = [c, dev.array(bias, bf16), dev.array(scales, f32)]
    if element is bf16 or said != "transposed":
        assert said in str(matmul(a, b, explain=True))
    out = dev.zeros((m, n), element)
    for alpha, beta in ((0.5, 2.0), (-1.0, 0.0), (0.5, 2.0)):
        matmul(a, b, out, epilogue=blas, arguments=(alpha, beta, *arguments))
        expected = (x @ y.T * alpha + before * beta) * scales[:, None] + bias
        assert np.array_equal(out.numpy(), dev.array(expected, element).numpy())


def add_c(k, value, row, column, c):
    return value + c[row, column]


@pytest.mark.parametrize("n", [120, 200, 264])
def test_the_result_is_added_to_in_its_place(dev, n):
    """Pieces of a tile that overlap would add what is there twice."""
    rng = np.random.default_rng(12)
    x, y, before = whole(rng, 130, 64), whole(rng, n, 64), whole(rng, 130, n)
    out = dev.array(before, bf16)
    matmul(dev.array(x, bf16), transposed(dev.array(y, bf16)), out, epilogue=add_c, arguments=(out,))
    assert np.array_equal(out.numpy(), dev.array(x @ y.T + before, bf16).numpy())
    tiling = gemm.Tiling(128, 112, 64, 2)
    assert tiling.without_overlap(2).bn == 64
    assert tiling._replace(bn=16).without_overlap(2).bn == 16


def test_a_batch_has_the_matrix_of_each(dev):
    rng = np.random.default_rng(13)
    x, y, more, shared = whole(rng, 3, 40, 64), whole(rng, 3, 64, 24), whole(rng, 3, 40, 24), whole(rng, 40, 24)
    a, b = dev.array(x, bf16), dev.array(y, bf16)

    def both(k, value, row, column, each, one, shift):
        return value + each[row, column] + one[row, column] + shift.to(f32)

    arguments = (dev.array(more, f32), dev.array(shared, f32), 3)
    found = matmul(a, b, epilogue=both, arguments=arguments)
    assert np.array_equal(found.numpy(), dev.array(x @ y + more + shared + 3, bf16).numpy())


def test_a_graph_keeps_what_an_epilogue_reads(dev):
    rng = np.random.default_rng(14)
    x, y = whole(rng, 40, 64), whole(rng, 64, 24)
    a, b, out = dev.array(x, bf16), dev.array(y, bf16), dev.zeros((40, 24), bf16)
    bias = dev.array(np.arange(24, dtype=np.float32), f32)

    def add(k, value, row, column, bias):
        return value + bias[column]

    with dev.capture() as graph:
        matmul(a, b, out, epilogue=add, arguments=(bias,))
    del a, b, bias
    graph.launch()
    dev.synchronize()
    assert np.array_equal(out.numpy(), dev.array(x @ y + np.arange(24), bf16).numpy())


def test_arguments_that_no_epilogue_takes(dev):
    a, b, out = dev.zeros((40, 64), bf16), dev.zeros((64, 24), bf16), dev.zeros((40, 24), bf16)
    with pytest.raises(px.BuildError, match="1 arguments without an epilogue"):
        matmul(a, b, out, arguments=(2.0,))
    with pytest.raises(px.BuildError, match="argument 1 is ndarray, not an array in device memory"):
        matmul(a, b, out, epilogue=add_c, arguments=(2.0, np.zeros(24)))
    with pytest.raises(px.BuildError, match="argument 0 is bool"):
        matmul(a, b, out, epilogue=add_c, arguments=(True,))
    with pytest.raises(px.BuildError, match=r"argument 0 of an epilogue has the shape \(1, 1, 40, 24\)"):
        matmul(a, b, out, epilogue=add_c, arguments=(dev.zeros((1, 1, 40, 24), f32),))
    with pytest.raises(px.BuildError, match=r"argument 0 has the shape \(2, 40, 24\)(.|\n)*1 matrices"):
        matmul(a, b, out, epilogue=add_c, arguments=(dev.zeros((2, 40, 24), f32),))
    with pytest.raises(px.BuildError, match=r"an epilogue's array of 1 dimensions at 2 places"):
        matmul(a, b, out, epilogue=add_c, arguments=(dev.zeros(40, f32),))


def _plus(k, value, row, column, number):
    return value + number.to(f32)


@pytest.mark.parametrize("number", [np.float32(2), np.float16(2), np.float64(2), np.int64(2), 2])
def test_an_epilogue_takes_numbers_of_numpy(dev, number):
    a, b = dev.array(np.ones((8, 8), np.float32), bf16), dev.array(np.eye(8, dtype=np.float32), bf16)
    assert (matmul(a, b, epilogue=_plus, arguments=(number,)).numpy() == 3).all()


class _Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, k, value, row, column):
        return value


@pytest.mark.parametrize(
    "epilogue, arguments, expected",
    [
        (_plus, (2**31,), "argument 0 is 2147483648"),
        (_plus, (np.int64(-(2**31) - 1),), "argument 0 is -2147483649"),
        (_plus, (1e39,), r"argument 0 is 1e\+39"),
        (_plus, (True,), "argument 0 is bool"),
        (_plus, (np.True_,), "argument 0 is bool"),
        (_plus, 2.0, "arguments is float"),
        (_plus, None, "arguments is NoneType"),
        (_plus, (each for each in (1.0,)), "arguments is generator"),
        (_plus, (), "gets 4 values and 0 arguments"),
        (_plus, (1, 2), "gets 4 values and 2 arguments"),
        (3, (), "epilogue is 3"),
        (_Unhashable(), (), "hashable"),
    ],
)
def test_bad_epilogues_and_arguments(dev, epilogue, arguments, expected):
    a = dev.zeros((8, 8), bf16)
    with pytest.raises(px.BuildError, match=expected):
        matmul(a, a, dev.zeros((8, 8), bf16), epilogue=epilogue, arguments=arguments)


def _add(k, value, row, column, c):
    return value + c[row, column]


def test_a_result_that_overlaps_what_is_read(dev):
    a, b, wide = dev.zeros((8, 8), bf16), dev.zeros((8, 8), bf16), dev.zeros((17, 8), bf16)
    for out in (a, b):
        with pytest.raises(px.BuildError, match=r"overlaps [ab] "):
            matmul(a, b, out)
    for c in (wide[:8], transposed(wide[1:9])):
        with pytest.raises(px.BuildError, match="overlaps argument 0"):
            matmul(a, b, wide[1:9], epilogue=_add, arguments=(c,))
    matmul(a, b, wide[1:9], epilogue=_add, arguments=(wide[9:],))
    matmul(wide[:8], b, wide[8:16], epilogue=_add, arguments=(wide[8:16],))


def test_arrays_beside_each_other_in_the_rows_of_one_do_not_overlap(dev):
    whole = read("x", dev.zeros((4, 32), bf16))
    parts = [whole._replace(address=whole.address + 2 * first, shape=(4, 8)) for first in (0, 8, 24, 4)]
    assert [parts[0].overlaps(each) for each in parts] == [True, False, False, True]
    assert [parts[2].overlaps(each) for each in parts] == [False, False, True, False]
    rows = whole._replace(shape=(2, 32), strides=(128, 2))
    assert not rows.overlaps(rows._replace(address=rows.address + 64))
    assert not whole.overlaps(whole._replace(shape=(0, 32)))


def test_operands_that_are_none(dev):
    a = dev.zeros((8, 8), bf16)
    for given in ((None, a), (a, None)):
        with pytest.raises(px.BuildError, match="NoneType"):
            matmul(*given, dev.zeros((8, 8), bf16))
