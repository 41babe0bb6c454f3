"""What PyTorch is told of an operator: its schema, what runs it on each device, the shapes of its results, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ptxgen.errors import BuildError
from ptxgen.torch.gradients import autograd_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

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
    library.impl(name, operator.on_gpu, "CUDA")
    library.impl(name, operator.on_host, "CPU")
    torch.library.register_fake(operator.name, operator.shapes, lib=library)
    arguments = overload._schema.arguments
    kernel = autograd_kernel(
        overload,
        arguments=[each.name for each in arguments],
        tensors=[index for index, each in enumerate(arguments) if "Tensor" in str(each.type)],
        results=operator.results,
        defaults=[each.default_value for each in arguments],
        backward=operator.backward,
        direct=_direct(operator),
    )
    library.impl(name, kernel, "Autograd", with_keyset=True)
    return overload


def _direct(operator: Operator) -> dict[int, Callable[..., Any]]:
    """What runs it, by the key sets of calls that nothing watches."""
    keys, found = torch._C.DispatchKey, {}
    for run, backend, autograd in (
        (operator.on_gpu, keys.CUDA, keys.AutogradCUDA), (operator.on_host, keys.CPU, keys.AutogradCPU),
    ):  # fmt: skip
        found[(torch._C.DispatchKeySet(backend) | torch._C.DispatchKeySet(autograd)).raw_repr()] = run
    return found
