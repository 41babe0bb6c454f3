"""`torch.ops.ptxgen`: the library's operations, and their gradients, against PyTorch in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ptxgen as px
from tests.ptxgen.torch.kernels import torch

F = torch.nn.functional
ops: Any = torch.ops.ptxgen

F32 = 2e-6
"""Of the largest number of a result: sums of some 64 numbers of 2^-24 each."""
BF16 = 0.02
"""The same of results, and of sums of 64 products, of bf16, with 2^-9 each."""


@pytest.fixture(autouse=True)
def sm_90a(place):
    if px.device(place).target != "sm_90a":
        pytest.skip("attention and grouped products need sm_90a")


def tensors(place, *shapes, dtype=torch.float32, seed=0):
    drawn = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=drawn).to(place, dtype) for shape in shapes]


def assert_near(found, exact, tolerance):
    assert (found.double() - exact).abs().max() <= tolerance * exact.abs().max().clamp(min=1e-3)


def assert_like(operator, reference, given, tolerance=F32):
    """Results and gradients are those of the reference in float64, which computes on the same numbers."""
    mine = [each.clone().requires_grad_(each.is_floating_point()) for each in given]
    theirs = [each.double().requires_grad_() if each.is_floating_point() else each for each in given]
    found, exact = operator(*mine), reference(*theirs)
    assert found.dtype in (given[0].dtype, torch.float32)
    assert_near(found.detach(), exact.detach(), tolerance)
    slope = tensors(found.device, found.shape, seed=1)[0].to(found.dtype)
    found.backward(slope)
    exact.backward(slope.double())
    for one, other in zip(mine, theirs):
        if one.is_floating_point():
            assert_near(one.grad, other.grad, 4 * tolerance)


ELEMENTS = {
    "gelu": (ops.gelu, lambda x: F.gelu(x, approximate="tanh"), 1),
    "silu": (ops.silu, F.silu, 1),
    "swiglu": (ops.swiglu, lambda gate, up: F.silu(gate) * up, 2),
    "geglu": (ops.geglu, lambda gate, up: F.gelu(gate, approximate="tanh") * up, 2),
    "softmax": (ops.softmax, lambda x: x.softmax(-1), 1),
    "log_softmax": (ops.log_softmax, lambda x: x.log_softmax(-1), 1),
}


@pytest.mark.parametrize("operator, reference, count", ELEMENTS.values(), ids=ELEMENTS)
def test_of_elements_and_rows(place, operator, reference, count):
    assert_like(operator, reference, tensors(place, *[(3, 2, 64)] * count))


BIASES = {"gelu": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu, "silu": F.silu}


@pytest.mark.parametrize("name", BIASES)
def test_with_a_bias(place, name):
    reference = BIASES[name]
    assert_like(getattr(ops, f"bias_{name}"), lambda x, bias: reference(x + bias), tensors(place, (5, 64), (64,)))


@pytest.mark.parametrize("weighted", [True, False])
def test_norms(place, weighted):
    x, weight, bias = tensors(place, (2, 5, 64), (64,), (64,))
    more = (weight, bias) if weighted else ()
    assert_like(
        lambda x, w=None, b=None: ops.layer_norm(x, w, b),
        lambda x, w=None, b=None: F.layer_norm(x, (64,), w, b), (x, *more),
    )  # fmt: skip
    assert_like(
        lambda x, w=None: ops.rms_norm(x, w, 1e-5), lambda x, w=None: F.rms_norm(x, (64,), w, 1e-5), (x, *more[:1])
    )


def test_a_norm_with_a_bias_alone(place):
    x, bias = tensors(place, (5, 64), (64,))
    assert_like(lambda x, b: ops.layer_norm(x, None, b), lambda x, b: F.layer_norm(x, (64,), None, b), (x, bias))


def test_cross_entropy(place):
    targets = torch.tensor([3, 0, -100, 63, 5], device=place)
    assert_like(
        ops.cross_entropy, lambda x, t: F.cross_entropy(x, t, reduction="none"), (*tensors(place, (5, 64)), targets)
    )


def test_embedding(place):
    indices = torch.tensor([[0, 9, 9], [3, 9, 1]], device=place)
    assert_like(ops.embedding, lambda weight, i: F.embedding(i, weight), (*tensors(place, (10, 16)), indices))


def test_rotary(place):
    def reference(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    turns = torch.arange(7, device=place)[:, None] / torch.arange(1, 9, device=place)
    cos, sin = turns.cos(), turns.sin()
    (x,) = tensors(place, (2, 7, 3, 16))
    wide = [each.double()[:, None] for each in (cos, sin)]
    assert_like(lambda x: ops.rotary(x, cos, sin), lambda x: reference(x, *wide), (x,))


def test_choices(place):
    x = tensors(place, (5, 64))[0]
    values, places = ops.topk(x, 3)
    exact = x.topk(3)
    assert torch.equal(values, exact.values)
    assert torch.equal(places, exact.indices)
    assert torch.equal(ops.argmax(x), x.argmax(-1))
    with pytest.raises(px.torch.NoGradientError, match="ptxgen::topk has no gradient"):
        ops.topk(x.requires_grad_(), 3)[0].sum().backward()


@pytest.mark.parametrize("dtype, tolerance", [(torch.bfloat16, BF16), (torch.float32, F32)])
def test_products(place, dtype, tolerance):
    exact = dtype is torch.float32
    assert_like(
        lambda a, b: ops.matmul(a, b, exact), torch.matmul, tensors(place, (16, 64), (64, 24), dtype=dtype), tolerance
    )


def of_groups(a, b, rows):
    starts = [0, *rows.tolist()]
    parts = [a[begin:end] @ b[i] for i, (begin, end) in enumerate(zip(starts, rows.tolist()))]
    return torch.cat([*parts, a.new_zeros(a.shape[0] - starts[-1], b.shape[2])])


def test_products_of_groups(place):
    """The second group is empty."""
    rows = torch.tensor([24, 24, 64], dtype=torch.int32, device=place)
    a, b = tensors(place, (64, 64), (3, 64, 64), dtype=torch.bfloat16)
    assert_like(ops.grouped_matmul, of_groups, (a, b, rows), BF16)


def test_rows_of_no_group_have_no_gradient(place):
    rows = torch.tensor([16, 40], dtype=torch.int32, device=place)
    a, b = tensors(place, (64, 64), (2, 64, 64), dtype=torch.bfloat16)
    a.requires_grad_()
    ops.grouped_matmul(a, b, rows).backward(torch.full((64, 64), float("nan"), device=place, dtype=a.dtype).index_fill_(
        0, torch.arange(40, device=place), 1.0
    ))  # fmt: skip
    assert a.grad[40:].eq(0).all()
    assert a.grad[:40].isfinite().all()


@pytest.mark.parametrize("causal", [False, True])
def test_attention(place, causal):
    def reference(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)

    q, k, v = tensors(place, (1, 2, 64, 64), (1, 1, 64, 64), (1, 1, 64, 64), dtype=torch.bfloat16)
    assert_like(lambda q, k, v: ops.attention(q, k, v, causal), reference, (q, k, v), BF16)


def test_attention_of_packed_sequences(place):
    """Each sequence is as by itself; a row of none has no gradient."""
    starts = torch.tensor([0, 24, 60], dtype=torch.int32, device=place)
    given = tensors(place, (64, 2, 64), (64, 1, 64), (64, 1, 64), dtype=torch.bfloat16)

    def packed(q, k, v):
        return ops.attention_packed(q, k, v, starts, starts, None, True)[:60]

    def reference(q, k, v):
        parts = [
            F.scaled_dot_product_attention(
                *[x[a:b].transpose(0, 1) for x in (q, k, v)], is_causal=True, enable_gqa=True
            )
            for a, b in ((0, 24), (24, 60))
        ]
        return torch.cat([part.transpose(0, 1) for part in parts])

    assert_like(packed, reference, given, BF16)


OPCHECKS = {
    "elementwise": lambda place: (ops.swiglu, tensors(place, (4, 64), (4, 64))),
    "rows": lambda place: (ops.rms_norm_forward, tensors(place, (4, 64), (64,))),
    "grouped product": lambda place: (
        ops.grouped_matmul,
        [
            *tensors(place, (64, 64), (2, 64, 64), dtype=torch.bfloat16),
            torch.tensor([24, 64], dtype=torch.int32, device=place),
        ],
    ),
    "attention": lambda place: (
        ops.attention_forward, tensors(place, *[(1, 1, 64, 64)] * 3, dtype=torch.bfloat16),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # in opcheck itself
@pytest.mark.parametrize("make", OPCHECKS.values(), ids=OPCHECKS)
def test_opcheck(place, make):
    operator, given = make(place)
    arguments = tuple(each.requires_grad_(each.is_floating_point()) for each in given)
    assert set(torch.library.opcheck(operator.default, arguments).values()) == {"SUCCESS"}


def test_a_layer_is_compiled_without_a_break(place):
    x, weight, gate, up = tensors(place, (4, 64), (64,), (64, 64), (64, 64))

    def layer(x):
        y = ops.rms_norm(x, weight)
        return ops.swiglu(ops.matmul(y, gate, True), ops.matmul(y, up, True)).sum()

    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = torch.compile(layer, fullgraph=True, backend="aot_eager")(mine)
    found.backward()
    exact = layer(theirs)
    exact.backward()
    assert torch.allclose(found, exact)
    assert torch.allclose(mine.grad, theirs.grad)


def test_views_are_taken_as_they_lie(place):
    """(batch, length, heads, d) for attention; rows apart for softmax; a transposed factor."""
    q, k, v = tensors(place, *[(1, 64, 2, 64)] * 3, dtype=torch.bfloat16)
    turned = [each.transpose(1, 2) for each in (q, k, v)]
    assert torch.equal(ops.attention(*turned), ops.attention(*[each.contiguous() for each in turned]))
    (x,) = tensors(place, (6, 64))
    assert torch.equal(ops.softmax(x[::2]), ops.softmax(x[::2].contiguous()))
    assert torch.equal(ops.matmul(x, x.mT, True), ops.matmul(x, x.mT.contiguous(), True))


def test_vmap_calls_each_in_turn(place):
    (x,) = tensors(place, (3, 4, 64))
    assert torch.equal(torch.vmap(ops.softmax)(x), ops.softmax(x))


def test_nothing_of_nothing(place):
    assert ops.softmax(torch.empty(0, 64, device=place)).shape == (0, 64)
    assert ops.gelu(torch.empty(4, 0, device=place)).shape == (4, 0)


def test_what_an_operation_refuses(place):
    x, y = tensors(place, (4, 64), (4, 32))
    with pytest.raises(px.BuildError, match=r"y is \.f32"):
        ops.swiglu(x, y)
    with pytest.raises(px.BuildError, match=r"softmax of \.f64"):
        ops.softmax(x.double())
    with pytest.raises(px.Error, match=r"no type for torch|elements of"):
        ops.softmax(x.to(torch.complex64))


def test_every_operator_is_documented():
    from ptxgen.torch.operators import OPERATORS

    page = (Path(__file__).parents[3] / "docs" / "torch.md").read_text()
    hidden = ("_backward", "_forward")
    assert [name for name in OPERATORS if not name.endswith(hidden) and f"`{name}" not in page] == []
