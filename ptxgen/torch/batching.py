"""`torch.vmap` of an operator: one after the other, or as one call where each element is by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError
from ptxgen.torch.framework import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["elementwise", "in_turn"]


def in_turn(overload: Any) -> Callable[..., tuple[Any, Any]]:
    """The rule that calls the operator for each of the batch."""

    def rule(info: Any, in_dims: Sequence[int | None], *args: Any) -> tuple[Any, Any]:
        moved = _in_front(overload, in_dims, args)
        apart = [
            [value] * info.batch_size if place is None else value.unbind()
            for value, place in zip(moved, in_dims)
        ]  # fmt: skip
        found = [overload(*values) for values in zip(*apart)]
        if not isinstance(found[0], tuple):
            return (None, None) if found[0] is None else (torch.stack(found), 0)
        return tuple(map(torch.stack, zip(*found))), (0,) * len(found[0])

    return rule


def elementwise(overload: Any) -> Callable[..., tuple[Any, Any]]:
    """The rule of an operator whose tensors have one shape, each element by itself: the batch is one more dimension."""

    def rule(info: Any, in_dims: Sequence[int | None], *args: Any) -> tuple[Any, Any]:
        values = [
            value.expand(info.batch_size, *value.shape).contiguous()
            if place is None and isinstance(value, torch.Tensor)
            else value
            for value, place in zip(_in_front(overload, in_dims, args), in_dims)
        ]
        found = overload(*values)
        return found, (0,) * len(found) if isinstance(found, tuple) else None if found is None else 0

    return rule


def _in_front(overload: Any, in_dims: Sequence[int | None], args: Sequence[Any]) -> list[Any]:
    """The arguments with the batch as first dimension, those that are read without gaps. ArgumentError where all of the batch
    would write into one tensor."""
    found = []
    for argument, value, place in zip(overload._schema.arguments, args, in_dims):
        written = argument.alias_info is not None and argument.alias_info.is_write
        if written and place is None:
            raise ArgumentError(
                f"vmap of {overload.name()}: {argument.name} is written for each of the batch, and is one tensor for all",
                hint="in_dims=0 for it, and a tensor that has the batch",
            )
        moved = value.movedim(place, 0) if place is not None else value
        found.append(moved if place is None or written else moved.contiguous())
    return found
