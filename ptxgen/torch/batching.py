"""`torch.vmap` of an operator: one after the other, or as one call where each element is by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["elementwise", "in_turn"]


def in_turn(overload: Any) -> Callable[..., tuple[Any, Any]]:
    """The rule that calls the operator for each of the batch."""

    def rule(info: Any, in_dims: Sequence[int | None], *args: Any) -> tuple[Any, Any]:
        apart = [_each(value, place, info.batch_size) for value, place in zip(args, in_dims)]
        found = [overload(*values) for values in zip(*apart)]
        if not isinstance(found[0], tuple):
            return (None, None) if found[0] is None else (torch.stack(found), 0)
        return tuple(map(torch.stack, zip(*found))), (0,) * len(found[0])

    return rule


def elementwise(overload: Any) -> Callable[..., tuple[Any, Any]]:
    """The rule of an operator whose tensors have one shape, each element by itself: the batch is one more dimension."""

    def rule(info: Any, in_dims: Sequence[int | None], *args: Any) -> tuple[Any, Any]:
        values = [_in_front(value, place, info.batch_size) for value, place in zip(args, in_dims)]
        found = overload(*values)
        return found, (0,) * len(found) if isinstance(found, tuple) else 0

    return rule


def _each(value: Any, place: int | None, batch: int) -> Sequence[Any]:
    if place is None or not isinstance(value, torch.Tensor):
        return [value] * batch
    return value.unbind(place) if place == 0 else value.movedim(place, 0).contiguous().unbind(0)


def _in_front(value: Any, place: int | None, batch: int) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    moved = value.movedim(place, 0) if place is not None else value.expand(batch, *value.shape)
    return moved.contiguous()
