"""Programs' bindings, launch plans, and what is refused before the driver is asked."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

import ptxgen as px
from ptxgen import f32, ptr, u32
from ptxgen.runtime import DispatchConfig, Params, inout, input_, output, program, shared, uniform
from ptxgen.runtime.capabilities import Capabilities, check
from ptxgen.runtime.dispatch.shapes import lay_out
from ptxgen.runtime.errors import InvalidProgramError, UnsupportedFeatureError, ValidationError
from ptxgen.runtime.programs.plans import plan_dispatch
from tests.ptxgen.runtime.samples import blend, ranks, scale, step

CAPS = Capabilities(
    name="test", ordinal=0, compute_capability=(9, 0), total_memory=1 << 30, max_threads_per_block=1024,
    max_block_dim=(1024, 1024, 64), max_grid_dim=(2**31 - 1, 65535, 65535), shared_memory_per_block=49152,
    shared_memory_per_sm=233472, warp_size=32, cooperative_launch=True, concurrent_kernels=True, async_engine_count=3,
    multi_processor_count=132, l2_cache_bytes=1 << 25, memory_clock_rate_khz=1, core_clock_rate_khz=1,
    global_memory_bus_width_bits=1, max_registers_per_block=65536, max_registers_per_sm=65536, max_threads_per_sm=2048,
    max_blocks_per_sm=32,
)  # fmt: skip


def plan(made: Any = scale, lengths: list[int] | None = None, **config: Any) -> Any:
    return plan_dispatch(made, DispatchConfig(**config), CAPS, [400] if lengths is None else lengths)


# --- programs ---------------------------------------------------------------------------------------------------------


def test_bindings_by_number() -> None:
    assert [(b.name, b.role, b.elements) for b in blend.bindings] == [
        ("a", "input", 0), ("weights", "uniform", 2), ("tile", "shared", 64), ("mixed", "output", 0),
    ]  # fmt: skip
    found = plan(blend, [512, 8]).bindings
    assert (found.input_indices, found.output_indices, found.shared_indices) == ((0, 1), (3,), (2,))
    assert found.counts == (128, 2, 64, 128)


def test_the_kernel_takes_pointers_in_the_bindings_order_and_then_the_words() -> None:
    entry = blend.kernel.module(target="sm_90a").entries[0]
    assert [(v.name, v.type.name) for v in entry.parameters] == [
        ("a", "u64"), ("weights", "u64"), ("mixed", "u64"), ("params_buf", "u64"),
    ]  # fmt: skip
    assert [b.name for b in blend.pointers] == ["a", "weights", "mixed"]


def test_a_program_without_params_has_the_same_abi() -> None:
    assert ranks.kernel.module(target="sm_90a").entries[0].parameters[-1].name == "params_buf"


def test_a_program_of_a_px_kernel() -> None:
    @px.kernel
    def copy(k: px.Builder, x: Annotated[ptr[u32], input_()], y: Annotated[ptr[u32], output()]) -> None:
        y[k.global_id.x] = x[k.global_id.x]

    assert [b.role for b in program(copy).bindings] == ["input", "output"]


def body(**annotations: Any) -> Any:
    """A program with these parameters, whose body does nothing."""
    names = ", ".join(annotations)
    space: dict[str, Any] = {}
    exec(f"def made(k, {names}): pass", space)
    space["made"].__annotations__ = annotations
    return program(space["made"])


@pytest.mark.parametrize(
    "annotations, what",
    [
        ({"x": ptr[f32]}, "parameter 'x' is annotated with .* which says no role"),
        ({"x": Annotated[u32, input_()]}, "says no role"),
        ({"x": Annotated[ptr[f32], shared(0)]}, "shared binding 'x' has 0 elements"),
        ({"x": Annotated[ptr[f32], input_(-1)]}, "input binding 'x' has -1 elements"),
        ({"x": Annotated[ptr[f32], input_(number=1)]}, r"its binding numbers are \[1\]"),
        ({"x": Annotated[ptr[f32], input_()], "y": Annotated[ptr[f32], output(number=0)]}, r"numbers are \[0, 0\]"),
        ({"x": Annotated[ptr[f32], output(like="z")]}, "as long as 'z', which has no length"),
    ],
)
def test_parameters_that_make_no_bindings(annotations: dict[str, Any], what: str) -> None:
    with pytest.raises(ValidationError, match=f"{what}.*Fix: "):
        body(**annotations)


def test_a_length_of_no_binding() -> None:
    @program
    def wrong(k: px.Builder, x: Annotated[ptr[u32], inout()], params: Params) -> None:
        params.length("y")

    with pytest.raises(ValidationError, match=r"no binding 'y'. Fix: one of x"):
        wrong.ptx("sm_90a")


# --- launch plans -----------------------------------------------------------------------------------------------------


def test_elements_workgroup_and_grid() -> None:
    launch = plan(lengths=[4000]).launch
    assert (launch.element_count, launch.workgroup, launch.grid) == (1000, (128, 1, 1), (8, 1, 1))
    assert launch.param_words == (1000, 1000, 1000)
    assert launch.param_bytes == (1000).to_bytes(4, "little") * 3
    assert (launch.threads, launch.max_binding_alignment) == (1024, 16)


@pytest.mark.parametrize(
    "config, expected",
    [
        ({"element_count": 10}, (10, (128, 1, 1), (1, 1, 1), (10, 100, 10))),
        ({"workgroup": (32, 1, 1)}, (100, (32, 1, 1), (4, 1, 1), (100, 100, 100))),
        ({"grid": (3, 1, 1)}, (384, (128, 1, 1), (3, 1, 1), (384, 100, 384))),
        ({"grid": (3, 2, 1), "workgroup": (8, 4, 1)}, (24, (8, 4, 1), (3, 2, 1), (24, 100, 24))),
        ({"grid": (3, 1, 1), "element_count": 7}, (7, (128, 1, 1), (3, 1, 1), (7, 100, 7))),
    ],
)
def test_overrides(config: dict[str, Any], expected: Any) -> None:
    launch = plan(**config).launch
    assert (launch.element_count, launch.workgroup, launch.grid, launch.param_words) == expected


@pytest.mark.parametrize(
    "config, error, what",
    [
        ({"workgroup": (8, 8, 1)}, InvalidProgramError, "says no grid by itself. Fix: pass DispatchConfig"),
        ({"workgroup": (2048, 1, 1)}, ValidationError, "the device allows 1024 in x"),
        ({"workgroup": (64, 64, 1), "grid": (1, 1, 1)}, ValidationError, "has 4096 threads, the device allows 1024"),
        ({"workgroup": (0, 1, 1)}, InvalidProgramError, r"workgroup=\(0, 1, 1\)"),
        ({"grid": (1, 70000, 1)}, ValidationError, "the device allows 65535 in y"),
        ({"element_count": 0}, InvalidProgramError, "a dispatch of 0 elements"),
        ({"element_count": 1 << 32}, InvalidProgramError, "a dispatch of 4294967296 elements"),
        ({"element_count": 1.5}, InvalidProgramError, "element_count=1.5. Fix: give a positive number"),
        ({"element_count": True}, InvalidProgramError, "element_count=True"),
        ({"fixpoint_iterations": 1.5}, InvalidProgramError, "fixpoint_iterations=1.5. Fix: use 1 or more"),
        ({"fixpoint_iterations": 0}, InvalidProgramError, "fixpoint_iterations=0. Fix: use 1 or more"),
        ({"speculation": "force"}, UnsupportedFeatureError, "does not support speculative dispatch"),
        ({"speculation": "perhaps"}, InvalidProgramError, "speculation='perhaps'"),
    ],
)
def test_what_is_refused(config: dict[str, Any], error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=f"{what}"):
        plan(**config)


@pytest.mark.parametrize("asked, iterations", [(None, 1), (1, 1), (7, 7)])
def test_fixpoint_iterations(asked: int | None, iterations: int) -> None:
    assert plan(step, fixpoint_iterations=asked).fixpoint_iterations == iterations


def test_shared_bindings_fit_the_device() -> None:
    large = body(x=Annotated[ptr[f32], inout()], t=Annotated[ptr[f32], shared(1 << 20)])
    with pytest.raises(ValidationError, match="4194304 bytes of shared bindings, the device has 49152"):
        plan(large)


@pytest.mark.parametrize("changes", [{"compute_capability": (5, 2)}, {"cooperative_launch": False}])
def test_cooperative_launches_need_a_device_that_can(changes: dict[str, Any]) -> None:
    assert plan(cooperative=True).cooperative
    assert not plan().cooperative
    caps = CAPS._replace(**changes)
    with pytest.raises(UnsupportedFeatureError, match=r"cuda_cooperative_launch \(compute_capability=\(\d, \d\), coop"):
        plan_dispatch(scale, DispatchConfig(cooperative=True), caps, [4])


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_slab_has_inputs_first_and_outputs_last() -> None:
    made = body(
        o=Annotated[ptr[f32], output(3)], b=Annotated[ptr[f32], inout(65)], u=Annotated[ptr[u32], uniform(1)],
        s=Annotated[ptr[f32], shared(4)], i=Annotated[ptr[f32], input_(2)],
    )  # fmt: skip
    layout = lay_out(plan(made, [260, 4, 8]).bindings)
    assert layout.offsets == (1024, 512, 256, 0, 0)
    assert layout.sizes == (12, 260, 4, 0, 8)
    assert (layout.returned, layout.uploaded, layout.zeroed, layout.nbytes) == (512, 1024, 1024, 1280)


# --- capabilities -----------------------------------------------------------------------------------------------------


def test_a_device_that_reports_nonsense() -> None:
    check(CAPS._replace(max_blocks_per_sm=0, l2_cache_bytes=0))
    for change, what in [
        ({"name": ""}, "name is empty"),
        ({"compute_capability": (0, 0)}, r"compute_capability is \(0, 0\)"),
        ({"total_memory": 0, "warp_size": 0}, "total_memory is 0; warp_size is 0"),
        ({"max_grid_dim": (1, 0, 1)}, r"max_grid_dim is \(1, 0, 1\)"),
    ]:
        with pytest.raises(ValidationError, match=f"{what}. Fix: repair the driver"):
            check(CAPS._replace(**change))


def test_capabilities_of_the_device_under_test(backend) -> None:
    found = backend.capabilities
    assert found.compute_capability >= (7, 0)
    assert found.grid_sync
    assert backend.target.startswith("sm_")
    assert "TENSOR_CORES" in found.features


def test_a_workgroup_is_one_number_or_three() -> None:
    assert {plan(workgroup=size).launch.workgroup for size in (64, (64,), (64, 1, 1))} == {(64, 1, 1)}
    assert {plan(workgroup=64, grid=size).launch.grid for size in (3, (3, 1))} == {(3, 1, 1)}


@pytest.mark.parametrize("wrong", [0, (), (1, 2, 3, 4), "64", 6.4, True, (64, 0)])
def test_a_workgroup_that_is_none(wrong: Any) -> None:
    with pytest.raises(InvalidProgramError, match="one to three positive numbers"):
        plan(workgroup=wrong)


@pytest.mark.parametrize("count", [-1, 1.5])
def test_a_count_that_is_none(count: Any) -> None:
    def body(k: px.Builder, x: Any) -> None: ...

    body.__annotations__["x"] = Annotated[px.ptr[px.f32], input_(count)]
    with pytest.raises(ValidationError, match=f"input binding 'x' has {count} elements. Fix: give a positive count"):
        program(body)


def test_a_name_that_no_kernel_can_have() -> None:
    def body(k: px.Builder, x: Annotated[px.ptr[px.f32], input_()]) -> None: ...

    for name in ("<lambda>", "gr\xf6\xdfe", "a b", "_"):
        body.__name__ = name
        with pytest.raises(
            ValidationError, match=r"no kernel can be called that. Fix: make it of a function that def names"
        ):
            program(body)
