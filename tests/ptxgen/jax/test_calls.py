"""Kernels and functions called from JAX, under each of its transformations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from ptxgen import f32, u32
from ptxgen.errors import BuildError
from tests import extras

jax = extras.module("jax")
jnp = jax.numpy
ROOT = Path(__file__).resolve().parents[3]


@px.kernel
def scaled(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = a * x[i]


@px.kernel
def added(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] += x[i]


LAUNCH: dict[str, Any] = {"grid": lambda x: -(-x.size // 32), "block": 32}
SIZE = {"n": lambda x: x.size}


def make(kernel: Any = scaled, **more: Any) -> Any:
    stated = {**LAUNCH, "scalars": SIZE, "out": {"y": lambda x: x}, **more}
    return px.jax.custom_call(kernel, **stated)


@pytest.fixture
def x() -> Any:
    return jnp.arange(100, dtype=jnp.float32)


def test_a_call_by_itself_in_a_program_and_in_a_loop(x: Any) -> None:
    call = make()
    assert (call(2.0, x) == 2 * x).all()
    assert (jax.jit(lambda x: call(3.0, x + 1) - 1)(x) == 3 * (x + 1) - 1).all()
    assert (jax.lax.fori_loop(0, 3, lambda _, x: call(2.0, x), x) == 8 * x).all()
    assert jax.eval_shape(lambda x: call(2.0, x), x).shape == x.shape


def test_numbers_are_typed_attributes_of_the_program(x: Any) -> None:
    call = make()
    text = jax.jit(lambda x: call(0.5, x)).lower(x).as_text()
    assert "value.a = 5.000000e-01 : f32" in text
    assert "value.n = 100 : ui32" in text


@pytest.mark.parametrize("method", ["sequential", "broadcast_all", "expand_dims"])
def test_vmap(x: Any, method: str) -> None:
    call = make(vmap_method=method)
    rows = x.reshape(4, 25)
    assert (jax.vmap(lambda x: call(2.0, x))(rows) == 2 * rows).all()
    assert (jax.vmap(jax.vmap(lambda x: call(2.0, x)))(x.reshape(2, 2, 25)) == 2 * x.reshape(2, 2, 25)).all()


def test_a_batch_is_one_launch_where_the_kernel_takes_it(x: Any) -> None:
    text = jax.jit(jax.vmap(lambda x: make(vmap_method="broadcast_all")(2.0, x))).lower(x.reshape(4, 25)).as_text()
    assert "value.n = 100" in text
    assert "while" not in text


def test_gradients_by_the_rules_of_custom_vjp(x: Any) -> None:
    call = make()
    call.defvjp(lambda a, x: (call(a, x), a), lambda a, gradient: (None, call(3.0, gradient)))
    assert (jax.grad(lambda x: call(3.0, x).sum())(x) == 3).all()
    assert (jax.jit(jax.vmap(jax.grad(lambda x: call(3.0, x).sum())))(x.reshape(4, 25)) == 3).all()


def test_a_backward_rule_that_forgets_an_argument_says_so(x: Any) -> None:
    call = make()
    call.defvjp(lambda a, x: (call(a, x), None), lambda _, gradient: (gradient,))
    with pytest.raises(ArgumentError, match="a tuple of 2"):
        jax.grad(lambda x: call(3.0, x).sum())(x)


def test_mutated_operands_come_back_and_the_caller_s_stays(x: Any) -> None:
    add = make(added, out=None, mutates=("y",))
    y = jnp.ones(100)
    assert (jax.jit(add)(x, y) == x + 1).all()
    assert (y == 1).all()


def mesh() -> Any:
    return jax.sharding.Mesh(np.array(jax.devices()[:2]), ("d",))


P = jax.sharding.PartitionSpec


def test_shard_map_calls_on_each_device_for_its_part(x: Any) -> None:
    call = make()
    call.defvjp(lambda a, x: (call(a, x), a), lambda a, gradient: (None, call(3.0, gradient)))
    mapped = jax.jit(jax.shard_map(lambda x: call(3.0, x), mesh=mesh(), in_specs=P("d"), out_specs=P("d")))
    assert (mapped(x) == 3 * x).all()
    assert (jax.grad(lambda x: mapped(x).sum())(x) == 3).all()
    if len(jax.devices()) > 1:
        assert "value.n = 50" in mapped.lower(x).as_text()


def test_the_compiler_splits_a_call_by_its_rule(x: Any) -> None:
    call = make(sharding_rule="i -> i")
    there = jax.device_put(x, jax.sharding.NamedSharding(mesh(), P("d")))
    program = jax.jit(lambda x: call(2.0, x))
    assert (program(there) == 2 * x).all()
    assert program(there).sharding.is_equivalent_to(there.sharding, 1)
    assert "all-gather" not in program.lower(there).compile().as_text()


def test_ptx_of_any_compiler() -> None:
    text = scaled.ptx(target="sm_80")
    call = px.jax.custom_call(text, grid=4, block=32, scalars={"n": 100}, out={"y": lambda x: x})
    x = jnp.arange(100, dtype=jnp.float32)
    assert (call(0.5, x) == x / 2).all()


def test_compile_time_parameters_follow_the_arguments() -> None:
    @px.kernel
    def filled(k: px.Builder, like: px.ptr[f32], out: px.ptr[f32], *, value: float):
        out[k.tid.x] = like[k.tid.x] * value

    call = px.jax.custom_call(
        filled,
        grid=1,
        block=lambda like: like.size,
        options={"value": lambda like: float(like.size)},
        out=lambda like: like,
    )
    assert call(jnp.ones(4)).tolist() == [4.0] * 4
    assert call(jnp.ones(8)).tolist() == [8.0] * 8


def test_results_without_elements_launch_nothing() -> None:
    assert make()(2.0, jnp.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ArgumentError, match="a grid of"):
        make(grid=0)(2.0, jnp.zeros(3))


def test_a_function_launches_what_it_likes() -> None:
    def both(x: Any, y: Any, total: Any, *, a: float) -> None:
        scaled[4, 32](x.size, a, x, y)
        scaled[4, 32](x.size, a, y, total)

    call = px.jax.custom_call(both, out=lambda x, a: (x, x))
    x = jnp.arange(100, dtype=jnp.float32)
    y, total = jax.jit(lambda x: call(x, a=2.0))(x)
    assert (y == 2 * x).all()
    assert (total == 4 * x).all()


@pytest.mark.parametrize(
    "more, arguments, error, told",
    [
        ({}, (), ArgumentCountError, "expected 2: a, x"),
        ({}, (1.0, 2.0), ArgumentTypeError, "'x' points to .f32"),
        ({}, (np.float32(1), np.zeros(3, np.int32)), ArgumentTypeError, "the array is of int32"),
        ({}, (jnp.float32(1), np.zeros(3, np.float32)), ArgumentTypeError, "'a' is a f32 by value"),
        ({}, ("no", np.zeros(3, np.float32)), ArgumentTypeError, "'a' is a f32, and was given 'no'"),
        ({"scalars": {"n": -1}}, (1.0, np.zeros(3, np.float32)), ArgumentTypeError, "do not fit in .u32"),
        ({"block": (1, 2, 3, 4)}, (1.0, np.zeros(3, np.float32)), ArgumentError, "one to three"),
        ({"out": {"y": lambda x: 3}}, (1.0, np.zeros(3, np.float32)), ArgumentTypeError, "shape and dtype"),
    ],
)
def test_what_a_call_cannot_be(more: Any, arguments: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told.replace(".", r"\.")):
        make(**more)(*arguments)


@pytest.mark.parametrize(
    "more, error, told",
    [
        ({"out": {"z": lambda x: x}}, BuildError, "out names 'z'"),
        ({"out": lambda x: x}, BuildError, "no parameter `out`"),
        ({"scalars": {"m": 1}}, BuildError, "scalars names 'm'"),
        ({"mutates": ("y",)}, BuildError, "mutates names 'y'"),
        ({"grid": lambda z: 1}, BuildError, "'z' names no argument"),
        ({"grid": None}, ArgumentError, "without grid"),
        ({"vmap_method": "quick"}, ArgumentError, "vmap_method='quick'"),
        ({"entry": "other"}, KeyError, "no kernel 'other'"),
        ({"sharding_rule": "i"}, ArgumentError, "which has no arrow"),
        ({"sharding_rule": "i -> i", "whole": ("j",)}, ArgumentError, "whole axes"),
    ],
)
def test_what_a_custom_call_cannot_be(more: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        make(**more)


def test_structures_and_tensor_maps_go_through_a_function() -> None:
    @px.kernel
    def mapped(k: px.Builder, m: px.TensorMap, y: px.ptr[f32]):
        y[k.tid.x] = 0.0

    with pytest.raises(ArgumentTypeError, match="hold addresses of one launch"):
        px.jax.custom_call(mapped, grid=1, block=32, out={"y": lambda m: m})


@pytest.mark.cpu_only
def test_what_a_kernel_does_wrong_is_an_error_of_jax_with_its_place(x: Any) -> None:
    @px.kernel
    def beyond(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]):
        y[k.tid.x] = x[k.tid.x + (1 << 28)]

    call = px.jax.custom_call(beyond, grid=1, block=32, out={"y": lambda x: x})
    with pytest.raises(Exception, match=r"IllegalAddressError[\s\S]*1 << 28"):
        jax.block_until_ready(call(jnp.zeros(32)))
    with pytest.raises(Exception, match="ContextLostError"):
        jax.block_until_ready(make()(2.0, x))
    px.device("cpu").reset()
    assert (make()(2.0, x) == 2 * x).all()


def test_a_launch_that_no_device_has_is_an_error_of_jax(x: Any) -> None:
    with pytest.raises(Exception, match="LaunchConfigError"):
        jax.block_until_ready(make(block=4096)(2.0, x))


PROGRAM = """
import atexit
import jax, jax.numpy as jnp
import ptxgen as px
from ptxgen import f32

@px.kernel
def copied(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]):
    y[k.tid.x] = x[k.tid.x]

call = px.jax.custom_call(copied, grid=1, block=32, out={"y": lambda x: x})
"""


def process(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "end",
    ["many = [call(jnp.ones(32) * i) for i in range(20)]", "atexit.register(lambda: print(call(jnp.ones(32))[0]))"],
    ids=["nobody waits for the results", "called at exit"],
)
def test_the_process_ends_well(end: str) -> None:
    done = process(PROGRAM + end)
    assert done.returncode == 0, done.stderr


WITHOUT = """
import sys
sys.modules["jax"] = None
import ptxgen as px
for use in (lambda: px.jax.custom_call("", grid=1, block=1), lambda: px.jax.softmax):
    try:
        use()
    except ModuleNotFoundError as error:
        print(error)
"""


@pytest.mark.cpu_only
def test_without_jax_the_extra_is_named() -> None:
    assert process(WITHOUT).stdout.count("the extra `jax`") == 2
