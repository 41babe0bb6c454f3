"""A bound call as an operation of the program that JAX traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.jax.bound import BoundCall

__all__ = ["RECOMPUTED", "emit", "made_varying", "varying"]

RECOMPUTED = ("expand_dims", "broadcast_all")
"""Those under which the call is made once, of shapes with one more dimension."""


def emit(bound: BoundCall, arrays: Sequence[Any], vmap_method: str = "sequential") -> Any:
    """The call as an operation of XLA; nothing is called for results without elements."""
    import jax

    axes = frozenset().union(*map(varying, arrays))
    if bound.empty:
        made = [jax.numpy.zeros(each.shape, each.dtype) for each in bound.results]
    else:
        made = jax.ffi.ffi_call(
            bound.target,
            [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in bound.results],
            vmap_method=vmap_method if vmap_method not in RECOMPUTED else "sequential",
            input_output_aliases=bound.aliases,
            has_side_effect=not bound.results,
        )(*arrays, **bound.attributes)
    made = [made_varying(each, axes) for each in made]
    return made[0] if bound.single else tuple(made)


def varying(array: Any) -> frozenset[str]:
    """Inside of `shard_map`, the axes of the mesh along which an array differs. JAX calls that differently since 0.12."""
    import jax

    type_ = jax.typeof(array)
    manual = getattr(type_, "manual_axis_type", None)
    found: frozenset[str] = manual.varying if manual is not None else getattr(type_, "vma", frozenset())
    return found


def made_varying(array: Any, axes: frozenset[str]) -> Any:
    """An array as one that may differ along these axes: all operands of an operation have the same, and results too."""
    import jax

    missing = tuple(sorted(axes - varying(array)))
    if not missing:
        return array
    cast = getattr(jax.lax, "pcast", None)
    return jax.lax.pvary(array, missing) if cast is None else cast(array, missing, to="varying")
