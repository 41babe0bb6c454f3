"""The results of a form: where they are new memory and no more, made by PyTorch's quickest call, which torch.compile uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.torch.framework import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["makers", "without_values"]

_EMPTY = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"})
"""Operators that give memory without writing there."""


class _Calls(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
    """Notes the operators that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(function._schema.name.rpartition("::")[2])
        return function(*args, **(kwargs or {}))


def makers(
    make: Callable[..., Sequence[Any]], args: Sequence[Any], made: Sequence[str], ordinal: int
) -> tuple[list[str], dict[str, Any]]:
    """(lines of Python that make the results of these names, names that they use as `our_NAME`). A line has "{arguments}" where
    those of the operator stand."""
    if not made:
        return [], {}
    usual = f"{', '.join(made)}, = our_make({{arguments}})"
    empty = getattr(torch._C._dynamo.guards, "_empty_strided_cuda", None)
    forms = _forms(make, args) if empty is not None else None
    if forms is None:
        return [usual], {"make": make}
    lines = [f"{name} = our_empty(*our_new{index})" for index, name in enumerate(made)]
    names = {f"new{index}": form for index, form in enumerate(forms)}
    if torch.cuda.device_count() > 1:  # it makes them on the current device
        lines = [f"if our_device() == {ordinal}: {'; '.join(lines)}", f"else: {usual}"]
    return lines, {"make": make, "empty": empty, "device": getattr(torch._C, "_cuda_getDevice", None), **names}


def _forms(make: Callable[..., Sequence[Any]], args: Sequence[Any]) -> list[tuple[Any, Any, Any]] | None:
    """(shape, strides, type) of each result; None where one is more than new memory, or is not told without values."""
    meta = [without_values(each) if isinstance(each, torch.Tensor) else each for each in args]
    try:
        with _Calls() as calls:
            found = make(*meta)
    except (RuntimeError, NotImplementedError):
        return None
    if len(calls.names) != len(found) or not _EMPTY.issuperset(calls.names) or not all(map(_is_real, found)):
        return None
    return [(tuple(each.shape), each.stride(), each.dtype) for each in found]


def without_values(tensor: Any) -> Any:
    """A tensor of the same form: what follows from a form depends on no values, since it is kept for the next call."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def _is_real(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.is_meta and not tensor.requires_grad
