"""Products of matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

from ptxgen import ops
from ptxgen.jax.calls import CustomCall, custom_call
from ptxgen.ops.launches import Fill, prepare

__all__ = ["grouped_matmul", "matmul"]

_RESULTS = {"float8_e4m3fn": "bfloat16", "float8_e5m2": "bfloat16", "int8": "int32"}
"""The types of results that are not those of the operands."""


def matmul(a: Any, b: Any, *, exact: bool = False) -> Any:
    """A (..., m, depth) times B (..., depth, n), of bf16, f16, f32, e4m3, e5m2 or s8, as `px.ops.matmul`: sums are f32, of s8
    s32; the result has the operands' type, of fp8 bf16, of s8 s32. Products of f32 are those of its tf32 rounding, or with
    `exact` of f32 itself. Its gradients are two more products."""
    return _matmul(a, b, exact=bool(exact))


def _like(shape: Any, dtype: Any) -> Any:
    import jax

    return jax.ShapeDtypeStruct(tuple(shape), _RESULTS.get(str(dtype), dtype))


def _sides(a: Any, b: Any, transpose: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes of the operands as they are multiplied."""
    flipped = [(*each.shape[:-2], each.shape[-1], each.shape[-2]) for each in (a, b)]
    return flipped[0] if "a" in transpose else tuple(a.shape), flipped[1] if "b" in transpose else tuple(b.shape)


def _product(a: Any, b: Any, out: Any, *, exact: bool, transpose: str = "") -> None:
    """Dimensions before the last two are one batch."""
    whole = [each.reshape(-1, *each.shape[-2:]) if len(each.shape) > 3 else each for each in (a, b, out)]
    left, right = (ops.transposed(each) if name in transpose else each for name, each in zip("ab", whole))
    ops.matmul(left, right, whole[2], exact=exact)


def _product_like(a: Any, b: Any, *, exact: bool, transpose: str = "") -> Any:
    left, right = _sides(a, b, transpose)
    if len(left) < 2 or len(right) < 2 or left[:-2] != right[:-2] or left[-1] != right[-2]:
        raise ValueError(
            f"matmul of {left} and {right}: (..., m, depth) and (..., depth, n), with the same dimensions in front"
        )
    return _like((*left[:-1], right[-1]), a.dtype)


def _of(transpose: str) -> CustomCall:
    """The product of operands of which these are transposed; the compiler splits all axes but the depth."""
    left, right = "k m" if "a" in transpose else "m k", "n k" if "b" in transpose else "k n"
    rule = f"... {left}, ... {right} -> ... m n"
    how: dict[str, Any] = {"vmap_method": "broadcast_all", "sharding_rule": rule, "whole": ("k",), "replayed": True}
    return custom_call(partial(_product, transpose=transpose), out=partial(_product_like, transpose=transpose), **how)


_matmul, _of_transposed_a, _of_transposed_b = _of(""), _of("a"), _of("b")


def _matmul_bwd(kept: Any, gradient: Any, *, exact: bool) -> tuple[Any, Any]:
    a, b = kept
    return _of_transposed_b(gradient, b, exact=exact), _of_transposed_a(a, gradient, exact=exact)


_matmul.defvjp(lambda a, b, **options: (_matmul(a, b, **options), (a, b)), _matmul_bwd)


def grouped_matmul(a: Any, b: Any, rows: Any) -> Any:
    """The products of a mixture of experts, as `px.ops.grouped_matmul`: A (rows, depth), of which group g ends at rows[g], or
    (groups, height, depth), of which group g uses the first rows[g], times B (groups, depth, n), of bf16 or f16. Rows of no group
    are zeros. The gradient of A is such a product; that of B comes from `matmul`, or where rows lie one after the other from
    `jax.lax.ragged_dot`."""
    return _grouped(a, b, rows)


def _grouped_product(a: Any, b: Any, rows: Any, out: Any, *, transpose: str = "") -> None:
    prepare(Fill(out), out.device, out.device.current_stream.handle).run()
    ops.grouped_matmul(a, ops.transposed(b) if transpose else b, rows, out)


def _grouped_like(a: Any, b: Any, rows: Any, *, transpose: str = "") -> Any:
    _, right = _sides(a, b, transpose)
    return _like((*a.shape[:-1], right[-1]), a.dtype)


_grouped = custom_call(_grouped_product, out=_grouped_like, replayed=True)


def _grouped_bwd(kept: Any, gradient: Any) -> tuple[Any, Any, Any]:
    import jax
    import numpy as np

    jnp = jax.numpy
    a, b, rows = kept
    d_a = _grouped(gradient, b, rows, transpose="b")
    if a.ndim == 3:
        used = jnp.arange(a.shape[1])[None, :, None] < rows[:, None, None]
        d_b = _of_transposed_a(jnp.where(used, a, 0), jnp.where(used, gradient, 0), exact=False)
    else:
        sizes = jnp.diff(rows, prepend=jnp.zeros(1, rows.dtype))
        _, pull = jax.vjp(lambda right: jax.lax.ragged_dot(a, right, sizes), b)
        (d_b,) = pull(gradient)
    return d_a, d_b, np.zeros(rows.shape, jax.dtypes.float0)


_grouped.defvjp(lambda a, b, rows, **options: (_grouped(a, b, rows, **options), (a, b, rows)), _grouped_bwd)
