"""`px.torch.custom_op`: what an operator made of a kernel does in PyTorch."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError
from ptxgen import f32, u32
from tests.ptxgen.torch.kernels import LAUNCH, add_into, mix, square, square_kernel, torch


@pytest.fixture
def x(place):
    return torch.linspace(-3, 3, 300, device=place)


def test_it_is_an_operator_of_pytorch(x):
    assert str(square._schema) == "ptxgen_tests::square(Tensor x) -> Tensor"
    assert torch.equal(torch.ops.ptxgen_tests.square(x), x * x)
    assert str(mix._schema) == "ptxgen_tests::mix(Tensor x, Tensor y, float a=2.) -> (Tensor, Tensor)"
    assert str(add_into._schema) == "ptxgen_tests::add_into(Tensor x, Tensor(a1!) y) -> ()"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_types_stay(place, dtype):
    x = torch.arange(8, device=place).to(dtype)
    assert square(x).dtype is dtype
    assert torch.equal(square(x), x * x)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8_of_any_bits_is_reached_as_it_is(place, dtype):
    """Each pattern comes back, NaNs among them: nothing is converted on the way."""

    @px.kernel
    def copy(k, n: u32, x: px.ptr[px.b8], y: px.ptr[px.b8]):
        i = k.global_id.x
        with k.if_(i < n):
            y[i] = x[i]

    op = px.torch.custom_op(
        f"ptxgen_tests::copy_{str(dtype)[6:]}", copy, **LAUNCH, out={"y": lambda x: torch.empty_like(x)}
    )
    bits = torch.arange(256, dtype=torch.uint8, device=place)
    assert op(bits.view(dtype)).dtype is dtype
    assert torch.equal(op(bits.view(dtype)).view(torch.uint8), bits)


def test_arguments_have_defaults_and_names(x):
    y = x.flip(0).contiguous()
    for found in (mix(x, y), mix(x, y, 2.0), mix(x=x, y=y)):
        assert torch.allclose(found[0], 2 * x + y)
        assert torch.equal(found[1], x * y)
    assert torch.allclose(mix(x, y, a=-1.0)[0], y - x)


def test_each_form_has_a_launch_of_its_own(place):
    for n in (1, 128, 129, 1000, 128):
        x = torch.full((n,), 3.0, device=place)
        assert square(x).eq(9).all()
    assert square(torch.empty(0, 4, device=place)).shape == (0, 4)
    assert square(torch.ones(2, 3, 4, device=place)).shape == (2, 3, 4)


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # in opcheck itself
@pytest.mark.parametrize("make", [
    lambda x: (square, (x.double().requires_grad_(),)),
    lambda x: (square, (x,)),
    lambda x: (mix, (x.clone().requires_grad_(), x.clone().requires_grad_(), 0.5)),
    lambda x: (add_into, (torch.ones(100, device=x.device)[::2], torch.zeros(50, device=x.device))),
], ids=["gradient", "no gradient", "two results", "mutation"])  # fmt: skip
def test_opcheck(x, make):
    operator, arguments = make(x[:20])
    found = torch.library.opcheck(operator, arguments)
    assert set(found.values()) == {"SUCCESS"}


@px.kernel(max_threads=32)
def turn_kernel(k, x: px.TensorMap, out: px.TensorMap):
    """An 8 x 32 box, to the other place of two."""
    tile, loaded = k.tile(f32, (8, 32)), k.mbarrier()
    k.start_barriers()
    with k.if_(k.tid.x == 0):
        with loaded.transaction():
            x.load(tile, (k.ctaid.x * 32, 0), loaded)
        loaded.wait(0)
        out.store(tile, ((1 - k.ctaid.x) * 32, 0))
        k.bulk_commit()
        k.bulk_wait(0, read=False)


def test_tensor_maps_are_made_of_tensors(place):
    """Also of one with gaps; each call has its own addresses."""
    if px.device(place).target < "sm_90":
        pytest.skip("tensor maps need sm_90")
    turn = px.torch.custom_op("ptxgen_tests::turn", turn_kernel, grid=2, block=32, out=lambda x: x.new_empty(x.shape))
    wide = torch.arange(8.0 * 128, device=place).reshape(8, 128)
    for x in (wide[:, :64], wide[:, 64:], wide[:, :64].contiguous()):
        assert torch.equal(turn(x), x.roll(32, 1))


def test_attributes_of_the_launch(place):
    """A grid that waits for itself is launched by a cooperative launch alone."""
    from ptxgen.runtime import grid_barrier

    @px.kernel
    def waits(k, x: px.ptr[u32], out: px.ptr[u32]):
        with k.if_(k.tid.x == 0):
            x[k.ctaid.x] = k.ctaid.x + 1
        grid_barrier(k)
        with k.if_(k.tid.x == 0):
            out[k.ctaid.x] = x[3 - k.ctaid.x]

    given = {"grid": 4, "block": 32, "mutates": ("x",), "out": lambda x: torch.empty_like(x)}
    op = px.torch.custom_op("ptxgen_tests::waits", waits, **given, attributes={"cooperative": True})
    assert op(torch.zeros(4, dtype=torch.int32, device=place)).tolist() == [4, 3, 2, 1]


# --- gradients --------------------------------------------------------------------------------------------------------


def test_gradients(place):
    x = torch.linspace(-1, 1, 7, dtype=torch.float64, device=place, requires_grad=True)
    assert torch.autograd.gradcheck(square, (x,))
    assert torch.autograd.gradgradcheck(square, (x,))


def test_gradients_of_several_results(x):
    a, b = x.clone().requires_grad_(), x.flip(0).contiguous().requires_grad_()
    added, product = mix(a, b, 3.0)
    (added.sum() + 2 * product.sum()).backward()
    assert torch.allclose(a.grad, 3 + 2 * b)
    assert torch.allclose(b.grad, 1 + 2 * a)


def test_a_result_that_nobody_uses_has_a_gradient_of_zeros(x):
    a = x.clone().requires_grad_()
    mix(a, x)[1].sum().backward()
    assert torch.allclose(a.grad, x)


def test_transforms_of_torch_func(place):
    x = torch.arange(6.0, device=place).reshape(2, 3)
    grad = torch.func.grad(lambda each: square(each).sum())
    assert torch.equal(grad(x), 2 * x)
    assert torch.equal(torch.vmap(grad)(x), 2 * x)
    assert torch.equal(torch.func.grad(lambda each: grad(each).sum())(x), torch.full_like(x, 2))


def test_jacobians(place):
    x = torch.arange(3.0, device=place)
    assert torch.equal(torch.func.jacrev(square)(x), torch.diag(2 * x))
    found, pull = torch.func.vjp(square, x)
    assert torch.equal(pull(torch.ones(3, device=place))[0], 2 * x)
    assert torch.equal(found, x * x)


def test_without_a_gradient_backward_says_so(x):
    op = px.torch.custom_op(
        "ptxgen_tests::square_only",
        square_kernel.using(element=f32),
        **LAUNCH,
        out={"y": lambda x: torch.empty_like(x)},
    )
    found = op(x.clone().requires_grad_())
    with pytest.raises(px.torch.NoGradientError, match="ptxgen_tests::square_only has no gradient"):
        found.sum().backward()


@pytest.mark.filterwarnings("ignore:.torch.jit")  # PyTorch's own formulas use it
def test_a_derivative_taken_forwards_is_refused(x):
    for function in (lambda x: torch.func.jvp(square, (x,), (x,)), torch.func.jacfwd(square)):
        with pytest.raises(px.torch.NoGradientError, match="has no forward-mode derivative"):
            function(x)
    with torch.autograd.forward_ad.dual_level():
        assert torch.equal(square(x), x * x), "what has no tangent is as always"


def test_a_mutation_of_what_needs_gradients_is_refused(x):
    y = x.clone().requires_grad_()
    with pytest.raises(px.torch.NoGradientError, match="changes a tensor"):
        add_into(x, y)
    with torch.no_grad():
        add_into(x, y)
    assert torch.equal(y.detach(), x + x)


# --- batches, compilers, contexts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_dims", [0, 1, 2])
def test_vmap(place, in_dims):
    x = torch.arange(24.0, device=place).reshape(2, 3, 4)
    assert torch.equal(torch.vmap(square, in_dims)(x), torch.vmap(lambda x: x * x, in_dims)(x))
    found = torch.vmap(mix, (in_dims, None))(x, torch.ones_like(x.select(in_dims, 0)))
    assert torch.equal(found[0], 2 * x.movedim(in_dims, 0) + 1)
    assert torch.equal(found[1], x.movedim(in_dims, 0))


def test_vmap_of_a_mutation(place):
    def added(x, y):
        add_into(x, y)
        return y

    x, y = torch.arange(6.0, device=place).reshape(2, 3), torch.ones(2, 3, device=place)
    torch.vmap(added)(x, y)
    assert torch.equal(y, x + 1)
    with pytest.raises(ArgumentError, match="y is written for each of the batch"):
        torch.vmap(added, (0, None))(x, y[0])
    with pytest.raises(ArgumentError, match="add_into: y of"):
        torch.vmap(added, (0, 1))(x, torch.ones(3, 2, device=place))


def test_compiled_without_a_break_and_for_any_size(place):
    compiled = torch.compile(lambda x: square(x + 1).sum(), fullgraph=True, dynamic=True, backend="aot_eager")
    for n in (5, 9, 200):
        x = torch.arange(float(n), device=place, requires_grad=True)
        found = compiled(x)
        found.backward()
        assert torch.allclose(found, ((x + 1) ** 2).sum())
        assert torch.allclose(x.grad, 2 * (x + 1))


def test_a_mutation_is_compiled_in_its_place(place):
    def step(x, y):
        add_into(x, y)
        return y * 2

    x, y = torch.ones(4, device=place), torch.zeros(4, device=place)
    assert torch.compile(step, fullgraph=True, backend="aot_eager")(x, y).eq(2).all()
    assert y.eq(1).all()


def test_exported(place):
    class Model(torch.nn.Module):
        def forward(self, x):
            return square(x) + 1

    x = torch.arange(4.0, device=place)
    exported = torch.export.export(Model(), (x,))
    assert "ptxgen_tests.square" in str(exported.graph)
    assert torch.equal(exported.module()(x), x * x + 1)


def test_autocast(place):
    x = torch.ones(3, dtype=torch.bfloat16, device=place)
    with torch.autocast(place, dtype=torch.bfloat16):
        assert square(x).dtype is torch.float32
    assert square(x).dtype is torch.bfloat16


def test_a_mutation_counts_as_one(x):
    y = torch.zeros_like(x)
    before = y._version
    add_into(x, y)
    assert y._version == before + 1
    with torch.inference_mode():
        y = torch.zeros_like(x)
        add_into(x, y)
    assert torch.equal(y, x)


@pytest.mark.cuda_only
def test_a_graph_of_pytorch(x):
    still = torch.zeros_like(x)
    square(still)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = square(still)
    still.copy_(x)
    graph.replay()
    assert torch.equal(found, x * x)


@pytest.mark.cuda_only
def test_a_stream_of_pytorch():
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        x = torch.full((1 << 24,), 3.0, device="cuda")
        found = square(square(x))
        torch.cuda.current_stream().synchronize()
    assert found.eq(81).all()


@pytest.mark.cuda_only
def test_a_graph_of_ours_keeps_the_tensors():
    dev = px.device("cuda")
    x = torch.full((100,), 3.0, device="cuda")
    square(x)
    with dev.capture() as graph:
        found = square(x)
    graph.launch()
    dev.synchronize()
    assert found.eq(9).all()


@pytest.mark.cuda_only
def test_each_device_has_its_own_launch(x):
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    assert torch.equal(square(x.to("cuda:1")).cpu(), (x * x).cpu())
    with pytest.raises(ArgumentError, match="x is on cuda:0, y on cuda:1"):
        mix(x, x.to("cuda:1"))


# --- faults and threads of the CPU device ---------------------------------------------------------------------------------


@pytest.mark.cpu_only
def test_memory_beside_a_tensor_is_out_of_bounds():
    @px.kernel
    def beyond(k, x: px.ptr[f32], out: px.ptr[f32]):
        out[0] = x[4]

    op = px.torch.custom_op("ptxgen_tests::beyond", beyond, grid=1, block=1, out=lambda x: x.new_empty(1))
    whole = torch.ones(8)
    try:
        with pytest.raises(px.Error, match="ld reads 4 bytes at"):
            op(whole[:4])
    finally:
        px.device("cpu").reset()
    assert op(whole[:5]).item() == 1, "the device works again, and the operator with it"


@pytest.mark.cpu_only
def test_threads_share_tensors():
    x = torch.arange(100.0)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: square(x), range(40)):
            assert torch.equal(found, x * x)


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_tensors_that_the_kernel_does_not_take(x):
    with pytest.raises(
        ArgumentTypeError, match=r"mix: x is a tensor of torch.float64, and that parameter .* points to .f32"
    ):
        mix(x.double(), x)
    with pytest.raises(ArgumentTypeError, match=r"no type for torch.complex64"):
        square(x.to(torch.complex64))
    with pytest.raises(ArgumentError, match=r"square: x of \(150,\) has strides of \(2,\) elements"):
        square(x[::2])
    with pytest.raises(TypeError, match=r"mix.. missing 1 required positional argument: 'y'"):
        mix(x)


def test_what_is_planned_sees_no_values(x):
    op = px.torch.custom_op(
        "ptxgen_tests::by_value", square_kernel.using(element=f32), **{**LAUNCH, "grid": lambda x: int(x[0])},
        out={"y": lambda x: torch.empty_like(x)},
    )  # fmt: skip
    with pytest.raises(RuntimeError, match="meta tensors"):
        op(x)


def test_results_that_the_kernel_does_not_write(x):
    def made(name, out):
        return px.torch.custom_op(f"ptxgen_tests::{name}", square_kernel.using(element=f32), **LAUNCH, out={"y": out})

    with pytest.raises(ArgumentTypeError, match=r"y is a tensor of torch.float64"):
        made("wide", lambda x: x.new_empty(x.shape, dtype=torch.float64))(x)
    with pytest.raises(ArgumentError, match="out of y is meta, expected a tensor on"):
        made("nowhere", lambda x: torch.empty_like(x, device="meta"))(x)


NAMED = {"grid": 1, "block": 32, "scalars": {"n": 1}, "options": {"element": f32}}
WRONG = {
    "no namespace": (("square",), {}, "an operator called 'square'"),
    "no result": ((), {"out": None}, "neither a result nor a tensor that it changes"),
    "a result that is no pointer": ((), {"out": {"n": None}}, "out names 'n', which is no pointer"),
    "one function of a result that is not called out": ((), {"out": lambda x: x}, "has no parameter `out`"),
    "an unknown scalar": ((), {"scalars": {"m": 1}}, "scalars names 'm', which is no number"),
    "an unknown tensor": ((), {"mutates": ("z",)}, "mutates names 'z'"),
    "a name for a tuple": ((), {"strided": "x"}, "strided names 'x'"),
    "an unknown option": ((), {"options": {"unroll": 1}}, "options names 'unroll'"),
    "a function that asks for too much": ((), {"grid": lambda x, size: 1}, "its parameter 'size' names no argument"),
    "results alone": ((), {"out": {"x": len, "y": len}}, "no tensor among its arguments"),
    "a gradient of a mutation": ((), {"out": None, "mutates": ("y",), "backward": len}, "changes y, and has a backward"),
    "an unknown rule": ((), {"vmap": "fast"}, "vmap is 'fast'"),
    "an unknown type": ((), {"autocast": "half"}, "autocast is 'half'"),
    "a backward of other names": ((), {"backward": lambda gradient, z: z}, "its parameter 'z' names no argument"),
}  # fmt: skip


@pytest.mark.parametrize("names, changes, message", WRONG.values(), ids=WRONG)
def test_what_is_registered_goes_together(names, changes, message):
    given = {**NAMED, "out": {"y": lambda x: torch.empty_like(x)}, **changes}
    with pytest.raises(px.BuildError, match=message):
        px.torch.custom_op(*(names or ("ptxgen_tests::wrong",)), square_kernel, **given)


class Pair(px.Struct):
    first: f32
    second: f32


def test_parameters_that_no_argument_is():
    @px.kernel
    def structured(k, pair: Pair, y: px.ptr[f32], x: px.ptr[f32]):
        y[0] = x[0] + pair.first

    with pytest.raises(px.BuildError, match="pair is the structure Pair"):
        px.torch.custom_op("ptxgen_tests::structured", structured, grid=1, block=1, mutates=("y",))
    with pytest.raises(px.BuildError, match="function is not a kernel"):
        px.torch.custom_op("ptxgen_tests::function", lambda x: x, grid=1, block=1, mutates=("y",))


def test_a_parameter_that_is_called_as_what_backward_is_given():
    @px.kernel
    def scaled(k, gradient: px.ptr[f32], out: px.ptr[f32]):
        out[0] = gradient[0]

    with pytest.raises(px.BuildError, match="a parameter is called 'gradient'"):
        px.torch.custom_op(
            "ptxgen_tests::scaled",
            scaled,
            grid=1,
            block=1,
            out=lambda gradient: gradient,
            backward=lambda gradient: gradient,
        )


def test_a_name_is_taken_once():
    with pytest.raises(px.BuildError, match="an operator of that name is there"):
        px.torch.custom_op("ptxgen_tests::square", square_kernel, **NAMED, out={"y": lambda x: torch.empty_like(x)})


def test_a_backward_that_returns_what_is_no_gradient(x):
    op = px.torch.custom_op(
        "ptxgen_tests::wrong_gradient", square_kernel, **NAMED, out={"y": lambda x: torch.empty_like(x)},
        backward=lambda gradient: {"y": gradient},
    )  # fmt: skip
    found = op(x[:1].clone().requires_grad_())
    with pytest.raises(px.BuildError, match="backward returns the gradient of 'y'"):
        found.sum().backward()
