"""Launches of the library's operators are kept by form, and filled with the addresses of other tensors.

On a GPU every operator is; here the same is done to tensors of the host, which are lent meanwhile.
"""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import ops
from tests.ptxgen.torch.kernels import torch

pytestmark = pytest.mark.cpu_only


@pytest.fixture
def counted(monkeypatch):
    """`counted(run)`: (templates of what runs on operands, a list that grows with each run)."""
    from ptxgen.torch.host_tensors import cpu_device, lend, operand_of
    from ptxgen.torch.operators import templates

    monkeypatch.setattr(templates, "current_stream", lambda ordinal: 0)
    monkeypatch.setattr(templates, "device", lambda name: cpu_device())

    def make(run):
        runs = []

        def on_operands(*args):
            runs.append(args)
            run(*[operand_of(each) if isinstance(each, torch.Tensor) else each for each in args])

        made = templates.Templates(on_operands)

        def launch(args, results):
            with lend([each for each in (*args, *results) if isinstance(each, torch.Tensor)]):
                made.launch(args, results)

        return launch, runs

    return make


def placed(x):
    """The tensor at a multiple of 256 bytes, as a GPU's are."""
    room = torch.empty(x.numel() * x.element_size() + 256, dtype=torch.uint8)
    begin = -room.data_ptr() % 256
    return room[begin : begin + x.numel() * x.element_size()].view(x.dtype).view(x.shape).copy_(x)


def test_other_tensors_of_the_same_form(counted):
    launch, runs = counted(lambda x, weight, y: ops.rms_norm(x, weight, y))
    for seed in range(3):
        torch.manual_seed(seed)
        x, weight, y = (placed(torch.randn(shape)) for shape in ((5, 64), (64,), (5, 64)))
        launch((x, weight), (y,))
        assert torch.allclose(y, torch.nn.functional.rms_norm(x, (64,), weight, 1e-6), atol=1e-5)
    assert len(runs) == 1


def test_tensor_maps_are_those_of_the_tensors(counted):
    launch, runs = counted(lambda a, b, out: ops.matmul(a, b, out))
    for seed in range(3):
        torch.manual_seed(seed)
        a, b, out = (placed(torch.randn(64, 64).bfloat16()) for _ in range(3))
        launch((a, b.mT), (out,))
        assert torch.allclose(out, a @ b.mT, atol=0.2)
    assert len(runs) == 1


def test_several_launches_with_what_is_between_them(counted):
    launch, runs = counted(lambda g, x, weight, scale, d_x, d_w: ops.rms_norm_backward(g, x, weight, scale, d_x, d_w))
    for seed in range(3):
        torch.manual_seed(seed)
        g, x, weight = (placed(torch.randn(shape)) for shape in ((300, 64), (300, 64), (64,)))
        x.requires_grad_(), weight.requires_grad_()
        torch.nn.functional.rms_norm(x, (64,), weight, 1e-6).backward(g)
        scale = placed((x.detach().square().mean(-1) + 1e-6).rsqrt())
        d_x, d_w = placed(torch.empty(300, 64)), placed(torch.empty(64))
        launch((g, x.detach(), weight.detach(), scale), (d_x, d_w))
        assert torch.allclose(d_x, x.grad, atol=1e-5)
        assert torch.allclose(d_w, weight.grad, atol=1e-3)
    assert len(runs) == 1


def test_another_form_is_another_launch(counted):
    launch, runs = counted(lambda x, y: ops.softmax(x, y))
    wide = torch.randn(8, 128)
    for x in (
        torch.randn(5, 64),
        torch.randn(6, 64),
        wide[:, :64],
        wide.view(-1)[1:513].view(8, 64),
        torch.randn(5, 64).half(),
    ):
        y = torch.empty_like(x)
        launch((x,), (y,))
        assert torch.allclose(y, x.softmax(-1), atol=1e-3)
    assert len(runs) == 5


def test_one_tensor_twice(counted):
    """Of which an address is cannot be told from such a launch, so that it is not kept; one that was kept serves it."""
    launch, runs = counted(lambda gate, up, y: ops.swiglu(gate, up, y))
    x, other = placed(torch.randn(4, 64)), placed(torch.randn(4, 64))
    for up in (x, other, x):
        y = placed(torch.empty(4, 64))
        launch((x, up), (y,))
        assert torch.allclose(y, torch.nn.functional.silu(x) * up, atol=1e-5)
    assert len(runs) == 2


def test_a_capture_is_left_to_the_operation(counted):
    launch, runs = counted(lambda x, y: ops.softmax(x, y))
    x, y, dev = placed(torch.randn(4, 64)), placed(torch.empty(4, 64)), px.device("cpu")
    launch((x,), (y,))
    with dev.stream() as stream, dev.use(stream):
        launch((x,), (y,))
    launch((x,), (y,))
    assert len(runs) == 2
