"""Calls that the compiler splits over devices: each device calls for its part, by a rule that says which axes go together.

A rule names the axes of every operand and result, as `jax.experimental.custom_partitioning` writes it:
"... m k, ... k n -> ... m n". An axis that has one name in several arrays is split in the same way in all of them. Axes that
are to be whole are never split.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentError
from ptxgen.jax.emission import emit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.jax.bound import BoundCall

__all__ = ["ShardingRule", "partitioned", "read_rule"]

_Names = tuple[str, ...]


class ShardingRule(NamedTuple):
    """A rule, read; `whole` are the axes that must not be split."""

    text: str
    operands: tuple[_Names, ...]
    results: tuple[_Names, ...]
    whole: _Names


def read_rule(text: str, whole: Sequence[str] = ()) -> ShardingRule:
    """The rule of a text. ArgumentError for one without an arrow, or where an axis that must be whole is none of its."""
    left, arrow, right = text.partition("->")
    sides = [tuple(tuple(each.split()) for each in side.split(",")) for side in (left, right)]
    known = {name for side in sides for each in side for name in each}
    wrong = [name for name in whole if name not in known]
    if not arrow or wrong or isinstance(whole, str):
        what = f"whole axes {whole!r}" if arrow else "which has no arrow"
        raise ArgumentError(
            f"the sharding rule {text!r}, {what}", hint='"... m k, ... k n -> ... m n", with the axes ("k",)'
        )
    return ShardingRule(text, sides[0], sides[1], tuple(whole))


def partitioned(bind: Callable[..., BoundCall], rule: ShardingRule) -> Any:
    """The call of arrays under `custom_partitioning`; *bind* makes it for shapes, of the whole or of a part."""
    from jax.experimental.custom_partitioning import custom_partitioning

    def call(*arrays: Any) -> Any:
        return emit(bind(*arrays), arrays)

    def lower(mesh: Any, operands: Any, results: Any) -> tuple[Any, ...]:
        given, made = _shardings(mesh, rule, operands, results)
        return mesh, call, made, given

    def infer(mesh: Any, operands: Any, results: Any) -> Any:
        return _shardings(mesh, rule, operands, results)[1]

    made = custom_partitioning(call)
    made.def_partition(partition=lower, infer_sharding_from_operands=infer, sharding_rule=rule.text)
    return made


def _shardings(mesh: Any, rule: ShardingRule, operands: Any, results: Any) -> tuple[tuple[Any, ...], Any]:
    """(of the operands, of the results): each axis as the first operand has it that splits it, each axis of the mesh once. The
    compiler may propose others: GSPMD knows no rules, and older JAX no axes that must be whole."""
    import jax
    from jax.sharding import NamedSharding, PartitionSpec

    along: dict[str, Any] = {}
    used: set[str] = set()
    for names, array in zip(rule.operands, operands):
        spec = tuple(getattr(array.sharding, "spec", ()))
        for name, axes in zip(_expanded(names, len(array.shape)), spec):
            meshes = axes if isinstance(axes, tuple) else () if axes is None else (axes,)
            if meshes and name not in along and name not in rule.whole and used.isdisjoint(meshes):
                along[name] = axes
                used.update(meshes)

    def sharding(names: _Names, array: Any) -> Any:
        return NamedSharding(mesh, PartitionSpec(*[along.get(name) for name in _expanded(names, len(array.shape))]))

    flat, tree = jax.tree_util.tree_flatten(results)
    made = [sharding(names, array) for names, array in zip(rule.results, flat)]
    given = tuple(sharding(names, array) for names, array in zip(rule.operands, operands))
    return given, jax.tree_util.tree_unflatten(tree, made)


def _expanded(names: _Names, rank: int) -> _Names:
    """A name for each dimension: "..." stands for as many as are left."""
    if "..." not in names:
        return names
    at = names.index("...")
    return (*names[:at], *[f"...{i}" for i in range(rank - len(names) + 1)], *names[at + 1 :])
