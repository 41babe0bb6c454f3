"""The operations beside JAX's own: values, and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from tests import extras

jax = extras.module("jax")
jnp = jax.numpy

BF16 = 2e-2
"""Three roundings to bf16 (2^-8 each), of values near the largest."""


def drawn(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def assert_near(found: Any, expected: Any, tolerance: float) -> None:
    a, b = (np.asarray(each, np.float32) for each in (found, expected))
    assert np.abs(a - b).max() <= tolerance * np.abs(b).max()


def assert_same(ours: Callable[..., Any], theirs: Callable[..., Any], *arrays: Any, tolerance: float = 1e-6) -> None:
    """In value and in the gradient of the sum of squares, for each operand."""
    assert_near(jax.jit(ours)(*arrays), theirs(*arrays), tolerance)

    def squares(function: Callable[..., Any]) -> Any:
        every = tuple(range(len(arrays)))
        return jax.grad(lambda *given: (function(*given).astype(jnp.float32) ** 2).sum(), argnums=every)

    for found, expected in zip(jax.jit(squares(ours))(*arrays), squares(theirs)(*arrays)):
        assert found.dtype == expected.dtype
        assert_near(found, expected, 3 * tolerance)


def test_functions_of_elements() -> None:
    assert_same(px.jax.silu, jax.nn.silu, drawn(4, 64))
    assert_same(px.jax.gelu, jax.nn.gelu, drawn(4, 64))
    assert_same(px.jax.swiglu, lambda gate, up: jax.nn.silu(gate) * up, drawn(4, 64), drawn(4, 64, seed=1))


def test_softmax_of_rows() -> None:
    assert_same(px.jax.softmax, jax.nn.softmax, drawn(4, 64))
    assert_same(px.jax.log_softmax, jax.nn.log_softmax, drawn(4, 64))
    assert_near(jax.vmap(px.jax.softmax)(drawn(2, 4, 64)), jax.nn.softmax(drawn(2, 4, 64)), 1e-6)


def rms_norm(x: Any, weight: Any) -> Any:
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight


def test_rms_norm_and_its_weight() -> None:
    x, weight = drawn(4, 64), drawn(64, seed=1)
    assert_same(px.jax.rms_norm, rms_norm, x, weight)
    assert_near(jax.vmap(px.jax.rms_norm, (0, None))(drawn(2, 4, 64), weight), rms_norm(drawn(2, 4, 64), weight), 1e-6)


def test_a_weight_that_all_devices_share_has_one_gradient() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("d",))
    split = jax.sharding.PartitionSpec("d")
    mapped = jax.shard_map(px.jax.rms_norm, mesh=mesh, in_specs=(split, jax.sharding.PartitionSpec()), out_specs=split)
    assert_same(mapped, rms_norm, drawn(4, 64), drawn(64, seed=1))


def test_matmul() -> None:
    a, b = drawn(32, 64, dtype=jnp.bfloat16), drawn(64, 32, dtype=jnp.bfloat16, seed=1)
    assert_same(px.jax.matmul, lambda a, b: a @ b, a, b, tolerance=BF16)
    many = drawn(2, 3, 16, 32, dtype=jnp.bfloat16), drawn(2, 3, 32, 16, dtype=jnp.bfloat16, seed=1)
    assert_near(px.jax.matmul(*many), many[0] @ many[1], BF16)
    assert_near(jax.vmap(px.jax.matmul)(*many), many[0] @ many[1], BF16)


def test_matmul_of_shapes_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match="matmul of"):
        px.jax.matmul(drawn(4, 8), drawn(4, 8))


def reference_attention(q: Any, k: Any, v: Any) -> Any:
    q, k, v = (each.astype(jnp.float32) for each in (q, k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(seen, scores, -jnp.inf)), v).astype(jnp.bfloat16)


def attention(q: Any, k: Any, v: Any) -> Any:
    return px.jax.attention(q, k, v, causal=True)


def operands_of_attention(*lead: int) -> list[Any]:
    return [drawn(*lead, 64, 64, dtype=jnp.bfloat16, seed=seed) for seed in range(3)]


def test_attention() -> None:
    assert_same(attention, reference_attention, *operands_of_attention(1, 1), tolerance=BF16)


def test_attention_in_parts_and_in_batches() -> None:
    q, k, v = operands_of_attention(2, 1)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("d",))
    split = jax.sharding.PartitionSpec("d")
    mapped = jax.shard_map(attention, mesh=mesh, in_specs=split, out_specs=split)
    expected = reference_attention(q, k, v)
    assert_near(jax.jit(mapped)(q, k, v), expected, BF16)
    assert_near(jax.vmap(attention)(q[:, None], k[:, None], v[:, None])[:, 0], expected, BF16)


def test_grouped_matmul_of_rows_one_after_the_other() -> None:
    a, b = drawn(64, 64, dtype=jnp.bfloat16), drawn(3, 64, 64, dtype=jnp.bfloat16, seed=1)
    ends, sizes = jnp.array([20, 28, 60], jnp.int32), jnp.array([20, 8, 32], jnp.int32)
    assert_same(
        lambda a, b: px.jax.grouped_matmul(a, b, ends),
        lambda a, b: jax.lax.ragged_dot(a, b, sizes).astype(jnp.bfloat16),
        a, b, tolerance=BF16,
    )  # fmt: skip


def test_grouped_matmul_of_groups_with_room() -> None:
    a, b = drawn(2, 64, 64, dtype=jnp.bfloat16), drawn(2, 64, 64, dtype=jnp.bfloat16, seed=1)
    used = jnp.array([5, 64], jnp.int32)
    inside = jnp.arange(64)[None, :, None] < used[:, None, None]
    assert_same(
        lambda a, b: px.jax.grouped_matmul(a, b, used), lambda a, b: jnp.where(inside, a @ b, 0), a, b, tolerance=BF16
    )


def test_each_device_has_its_part_of_elements_and_its_experts() -> None:
    mesh, split = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("d",)), jax.sharding.PartitionSpec("d")
    gate, up = drawn(4, 64), drawn(4, 64, seed=1)
    mapped = jax.shard_map(px.jax.swiglu, mesh=mesh, in_specs=split, out_specs=split)
    assert_near(jax.jit(mapped)(gate, up), jax.nn.silu(gate) * up, 1e-6)
    a, b = drawn(2, 64, 64, dtype=jnp.bfloat16), drawn(2, 64, 64, dtype=jnp.bfloat16, seed=1)
    used = jnp.array([5, 64], jnp.int32)
    experts = jax.shard_map(px.jax.grouped_matmul, mesh=mesh, in_specs=split, out_specs=split)
    inside = jnp.arange(64)[None, :, None] < used[:, None, None]
    assert_near(jax.jit(experts)(a, b, used), jnp.where(inside, a @ b, 0), BF16)

    def squares(function: Any, a: Any, b: Any) -> Any:
        return (function(a, b, used).astype(jnp.float32) ** 2).sum()

    found = jax.jit(jax.grad(lambda a: squares(experts, a, b)))(a)
    assert_near(found, jax.grad(lambda a: squares(lambda a, b, _: jnp.where(inside, a @ b, 0), a, b))(a), 3 * BF16)


def over_two(array: Any, *spec: Any) -> Any:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("d",))
    return jax.device_put(array, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec)))


A, B, X = drawn(32, 64, dtype=jnp.bfloat16), drawn(64, 32, dtype=jnp.bfloat16, seed=1), drawn(4, 64)


@pytest.mark.parametrize(
    "ours, theirs, operands, gathers",
    [
        (px.jax.silu, jax.nn.silu, (over_two(X, "d"),), 0),
        (px.jax.silu, jax.nn.silu, (over_two(X, None, "d"),), 0),
        (px.jax.softmax, jax.nn.softmax, (over_two(X, "d"),), 0),
        (px.jax.softmax, jax.nn.softmax, (over_two(X, None, "d"),), 1),
        (px.jax.rms_norm, rms_norm, (over_two(X, "d"), over_two(X[0])), 0),
        (px.jax.matmul, jnp.matmul, (over_two(A, "d"), over_two(B)), 0),
        (px.jax.matmul, jnp.matmul, (over_two(A), over_two(B, None, "d")), 0),
        (px.jax.matmul, jnp.matmul, (over_two(A, None, "d"), over_two(B, "d")), 2),
        (px.jax.matmul, jnp.matmul, (over_two(A, "d"), over_two(B, None, "d")), 1),
    ],
)  # fmt: skip
def test_the_compiler_splits_operations_along_axes_that_are_apart(
    ours: Any, theirs: Any, operands: Any, gathers: int
) -> None:
    program = jax.jit(ours)
    assert_near(program(*operands), theirs(*operands), BF16)
    if len(jax.devices()) > 1:
        assert program.lower(*operands).compile().as_text().count("all-gather(") == gathers


def test_gradients_of_operations_that_the_compiler_splits() -> None:
    x, weight = over_two(X, "d"), over_two(drawn(64, seed=1))
    assert_same(px.jax.rms_norm, rms_norm, x, weight)
    assert_same(px.jax.softmax, jax.nn.softmax, x)
