"""A call that nothing watches runs in front of PyTorch's dispatcher; every other one goes through it.

On a GPU every operator of ours has such a front; here one is put before an operator of CPU tensors.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.ptxgen.torch.kernels import torch  # before what needs it

from ptxgen.torch.front import Front  # isort: skip
from ptxgen.torch.registration import library_of  # isort: skip

TorchDispatchMode = torch.utils._python_dispatch.TorchDispatchMode
pytestmark = pytest.mark.cpu_only


FRONT, DISPATCHER = 1, 2
FRONTS = {}


@pytest.fixture(scope="module")
def operator():
    """An operator whose result says which way a call went."""
    library = library_of("ptxgen_tests")
    library.define("way(Tensor x, float a=1., int? n=None, Tensor? y=None) -> Tensor")
    overload = torch.ops.ptxgen_tests.way.default
    quick = lambda renew, *args: lambda x, *rest: torch.ones_like(x)
    FRONTS[overload] = Front(overload, quick, ("n",), autocasts=True, kind="cpu")

    def dispatched(x, a=1.0, n=None, y=None):
        return torch.full_like(x, 2.0)

    library.impl("way", dispatched, "CPU")
    torch.library.register_fake("ptxgen_tests::way", dispatched, lib=library)
    torch.library.register_vmap("ptxgen_tests::way", lambda info, dims, x, *rest: (dispatched(x), dims[0]), lib=library)
    torch.library.register_autograd("ptxgen_tests::way", lambda ctx, slope: (slope, *[None] * 3), lib=library)
    return overload


def way(operator, *args, **names):
    """Which way the third call goes: what the first one did is not kept, what the second one did is."""
    for _ in range(2):
        operator(*args, **names)
    return int(operator(*args, **names).flatten()[0])


def test_plain_calls_are_the_front_s(operator):
    x = torch.zeros(2)
    assert [int(operator(torch.zeros(7))[0]) for _ in range(3)] == [DISPATCHER, DISPATCHER, FRONT]
    assert way(torch.ops.ptxgen_tests.way, x) == FRONT
    for names in (
        {"a": 2.0},
        {"a": 3},
        {"n": 4},
        {"y": torch.ones(2)},
        {"a": 1.0, "y": torch.nn.Parameter(x.clone(), False)},
    ):
        assert way(operator, x, **names) == FRONT, names
    assert way(operator, x, y=x) == DISPATCHER, "the guard takes no tensor twice"
    needs = x.clone().requires_grad_()
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            assert way(operator, x) == way(operator, needs) == FRONT


def test_each_form_is_known_by_itself(operator):
    x = torch.zeros(3, 5)
    assert way(operator, x) == FRONT
    for other in (x.double(), x.T, torch.zeros(5, 3).T, torch.zeros(3, 6)[:, :5], torch.zeros(15), x._neg_view()):
        assert int(operator(other).flatten()[0]) == DISPATCHER
    assert int(operator(x, n=1)[0, 0]) == DISPATCHER
    assert int(operator(x)[0, 0]) == FRONT
    row = torch.zeros(4, 5)[:, :1]
    assert way(operator, row[:1]) == int(operator(torch.zeros(1, 1))[0, 0]) == FRONT, (
        "steps of one place alone are nothing"
    )


def test_gradients_are_the_dispatcher_s(operator):
    x, needs = torch.zeros(2), torch.zeros(2, requires_grad=True)
    with torch.no_grad():
        assert way(operator, needs) == FRONT
    assert way(operator, needs) == DISPATCHER
    assert operator(needs).requires_grad
    assert way(operator, x, y=needs) == DISPATCHER


def test_a_gradient_that_is_recorded_is_the_front_s_where_it_knows_how(operator, monkeypatch):
    monkeypatch.setattr(FRONTS[operator], "recorded", lambda x, *rest: torch.ones_like(x))
    needs = torch.zeros(11, requires_grad=True)
    assert way(operator, needs) == FRONT
    with torch.no_grad():
        assert int(operator(needs)[0]) == DISPATCHER, "a gradient was recorded then"
        assert way(operator, needs) == FRONT
    assert int(operator(needs)[0]) == FRONT
    with torch.autograd.forward_ad.dual_level():
        assert int(operator(needs)[0]) == DISPATCHER


class Watched(torch.Tensor):
    pass


def test_other_values_are_the_dispatcher_s(operator):
    x = torch.zeros(2)
    assert way(operator, x) == FRONT
    assert way(operator, x.as_subclass(Watched)) == DISPATCHER
    assert way(operator, x, a=torch.tensor(2.0)) == DISPATCHER, "PyTorch makes a number of it"
    assert operator(torch.zeros(2, device="meta")).is_meta
    with pytest.raises(RuntimeError, match="argument 'n'"):
        operator(x, n="three")
    for wrong, told in (([1.0, 2.0], "argument 'x'"), (x.numpy(), "argument 'x'"), (None, "no tensor arguments")):
        with pytest.raises(RuntimeError, match=told):
            operator(wrong)


class Functions(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen = function
        return function(*args, **(kwargs or {}))


class Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen = function
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [Functions, Dispatch])
def test_modes_see_the_call(operator, mode):
    x = torch.zeros(2)
    assert way(operator, x) == FRONT
    with mode() as watching:
        operator(x)
    assert "ptxgen_tests.way" in str(watching.seen) or "ones_like" not in str(watching.seen)


@pytest.mark.parametrize("mode", [torch.profiler.profile, lambda: torch.autocast("cpu", torch.bfloat16)])
def test_profiles_and_autocast_are_the_dispatcher_s(operator, mode):
    x = torch.zeros(2)
    assert way(operator, x) == FRONT
    with mode():
        assert way(operator, x) == DISPATCHER


def test_transforms_are_the_dispatcher_s(operator):
    x = torch.zeros(2, 3)
    assert torch.equal(torch.vmap(operator)(x), torch.full((2, 3), 2.0))
    assert way(operator, torch.zeros(3)) == FRONT
    assert torch.equal(torch.vmap(lambda each: each + operator(torch.zeros(3)))(x), torch.full((2, 3), 2.0))


@pytest.mark.filterwarnings("ignore:.torch.jit.*deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.torch.jit:FutureWarning")  # PyTorch 2.14 advises against it
def test_torchscript_finds_the_operator(operator):
    script = torch.jit.CompilationUnit("def f(x):\n    return torch.ops.ptxgen_tests.way(x)\n")
    assert int(script.f(torch.zeros(1))) == DISPATCHER
    traced = torch.jit.trace(lambda x: operator(x) + 1, torch.zeros(3), check_trace=False)
    assert "ptxgen_tests::way" in str(traced.graph)


def test_it_is_traced_and_compiled(operator):
    x = torch.zeros(2)
    assert way(operator, x) == FRONT
    assert "ptxgen_tests.way" in str(torch.fx.experimental.proxy_tensor.make_fx(operator)(x).code)
    graphs = []

    def backend(module, examples):
        graphs.append(str(module.code))
        return module.forward

    compiled = torch.compile(lambda x: operator(x) + 1, fullgraph=True, backend=backend)
    assert int(compiled(x)[0]) == FRONT + 1, "the compiled program calls it in front too"
    assert "ptxgen_tests.way" in graphs[0]


def test_a_way_that_is_over_is_renewed(operator):
    library = library_of("ptxgen_tests")
    library.define("over(Tensor x) -> Tensor")
    overload, made = torch.ops.ptxgen_tests.over.default, []

    def find(renew, *args):
        made.append(args)
        return lambda x: x + 1 if len(made) > 1 else renew(x)

    Front(overload, find, (), kind="cpu")
    library.impl("over", lambda x: x.clone(), "CPU")
    assert [int(overload(torch.zeros(1))) for _ in range(4)] == [0, 0, 0, 1]
    assert len(made) == 2


def test_results_that_are_new_memory():
    from ptxgen.torch.results import makers

    x = torch.zeros(2, 3).T

    def lines(make, *made):
        return makers(make, (x,), made, 0)[0]

    if hasattr(torch._C._dynamo.guards, "_empty_strided_cuda"):
        assert lines(lambda x: [torch.empty_like(x)], "y") == ["y = our_empty(*our_new0)"]
        assert makers(lambda x: [x.new_empty(4), torch.empty_like(x)], (x,), ("y", "z"), 0)[1]["new1"] == (
            (3, 2), (1, 3), torch.float32
        )  # fmt: skip
    for make in (
        lambda x: [torch.zeros_like(x)], lambda x: [x.clone()], lambda x: [torch.empty_like(x)[:1]], lambda x: [x],
        lambda x: [x.new_empty(int(x.sum()))],
    ):  # fmt: skip
        assert lines(make, "y") == ["y, = our_make({arguments})"]


def test_a_call_comes_down_to_its_launches():
    """One is given numbers and addresses, one an address behind a tensor's beginning; what they cannot take goes elsewhere."""
    from driver_ctypes import ClosedError
    from ptxgen.ops.recorded import Place
    from ptxgen.torch.quick import Given, QuickLaunch, quick_call

    launched, chosen = [], SimpleNamespace(stream=None)

    def closing(*values):
        launched.append(values)
        if values[0] == "closed":
            raise ClosedError("reset")

    call = quick_call(
        "mine::call", ["x", "a"], ["x"], lambda x, a: [torch.zeros_like(x)], (torch.zeros(4), 1.0), 1,
        [
            QuickLaunch(closing, [Given("a"), None, None], [Place(1, 0, 8), Place(2, 1, 0)]),
            QuickLaunch(closing, [7, None], [Place(1, 1, 4)]),
        ],
        SimpleNamespace(handle=SimpleNamespace(ordinal=0), chosen=chosen, context=None),
        lambda *args: "careful", lambda *args: "renewed", aligned=16,
    )  # fmt: skip
    room = torch.zeros(64)
    x = room[-room.data_ptr() % 64 // 4 :][:4]
    y = call(x, 2.0)
    assert launched == [(2.0, x.data_ptr() + 8, y.data_ptr()), (7, y.data_ptr() + 4)]
    assert call(room[-room.data_ptr() % 64 // 4 + 1 :][:4], 2.0) == "careful", "on another boundary"
    assert call(x, "closed") == "renewed"
    chosen.stream = object()
    assert call(x, 2.0) == "careful"
