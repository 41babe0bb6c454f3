"""Calls that the compiler splits over devices: each device calls for its part, by a rule that says which axes go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.jax.emission import emit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.jax.bound import BoundCall

__all__ = ["partitioned"]


def partitioned(bind: Callable[..., BoundCall], rule: str, operands: int) -> Any:
    """The call of *operands* arrays under `custom_partitioning`; *bind* makes it for shapes, of the whole or of a part.

    Where the compiler still uses GSPMD, which knows no rules, results are split as the first operand is, along the axes that both
    have.
    """
    from jax.experimental.custom_partitioning import custom_partitioning

    def call(*arrays: Any) -> Any:
        return emit(bind(*arrays), arrays)

    def lower(mesh: Any, argument_shapes: Any, result_shapes: Any) -> tuple[Any, ...]:
        import jax

        given = tuple(each.sharding for each in argument_shapes)
        results = jax.tree_util.tree_map(lambda each: each.sharding, result_shapes)
        return mesh, call, results, given

    def infer(mesh: Any, argument_shapes: Any, result_shapes: Any) -> Any:
        import jax
        from jax.sharding import NamedSharding, PartitionSpec

        first = tuple(argument_shapes[0].sharding.spec)
        return jax.tree_util.tree_map(
            lambda each: NamedSharding(mesh, PartitionSpec(*first[: each.ndim])), result_shapes
        )

    made = custom_partitioning(call)
    made.def_partition(partition=lower, infer_sharding_from_operands=infer, sharding_rule=rule)
    return made
