"""What PyTorch is told of an operator: its schema, what runs it on each device, the shapes of its results, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.torch.framework import torch
from ptxgen.torch.front import Front
from ptxgen.torch.gradients import autograd

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ptxgen.host.by_name import ByName

__all__ = ["Operator", "library_of", "register"]


class Operator(NamedTuple):
    """An operator as it is registered. The three functions take its arguments by position."""

    name: str
    schema: str
    on_gpu: Callable[..., Any]
    on_host: Callable[..., Any]
    shapes: Callable[..., Any]
    """What it returns for tensors without values."""
    results: tuple[str, ...]
    """What backward calls the results."""
    backward: ByName | None = None
    recorded: Callable[..., Any] | None = None
    """What is called in its place where a gradient is recorded; its first result is this operator's."""
    quick: Callable[..., Any] = lambda renew, *args: None
    """What a call on a GPU comes down to, and *fixed*, the numbers that this depends on: see `Front`."""
    fixed: Collection[str] = ()
    autocasts: bool = False
    """Whether autocast changes its arguments."""


_libraries: dict[str, Any] = {}  # by namespace; an operator is there as long as its library


def library_of(namespace: str) -> Any:
    """The `torch.library.Library` of our operators in a namespace."""
    found = _libraries.get(namespace)
    if found is None:
        found = _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
    return found


def register(operator: Operator) -> Any:
    """Define it; the `OpOverload`. BuildError for a name that is taken and for a schema that PyTorch does not read."""
    namespace, _, name = operator.name.partition("::")
    library = library_of(namespace)
    tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
    try:
        library.define(name + operator.schema, tags=tags)
    except RuntimeError as refused:
        reason = str(refused).partition("\n")[0]
        taken = hasattr(getattr(torch.ops, namespace), name)
        raise BuildError(
            f"{operator.name}{operator.schema} is not registered: {reason}",
            hint="an operator of that name is there: another name" if taken else "names that are no words of schemas",
        ) from None
    overload = getattr(getattr(torch.ops, namespace), name).default
    front = Front(overload, operator.quick, operator.fixed, autocasts=operator.autocasts)
    library.impl(name, operator.on_gpu, "CUDA")
    library.impl(name, operator.on_host, "CPU")
    torch.library.register_fake(operator.name, operator.shapes, lib=library)
    arguments = overload._schema.arguments
    found = autograd(
        overload,
        arguments=[each.name for each in arguments],
        tensors=[index for index, each in enumerate(arguments) if "Tensor" in str(each.type)],
        results=operator.results,
        defaults=[each.default_value for each in arguments],
        backward=operator.backward,
        recorded=operator.recorded,
        direct={"CUDA": operator.on_gpu, "CPU": operator.on_host},
    )
    for key, kernel in found.kernels.items():
        library.impl(name, kernel, key)
    front.recorded = found.recorded
    return overload
