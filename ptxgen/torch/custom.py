"""`custom_op`: a kernel as an operator of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError
from ptxgen.host.by_name import by_name
from ptxgen.torch import batching
from ptxgen.torch.declaration import declare
from ptxgen.torch.framework import torch
from ptxgen.torch.launches import Calls
from ptxgen.torch.registration import Operator, library_of, register

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ptxgen.builder import Kernel
    from ptxgen.torch.declaration import Declaration

__all__ = ["custom_op"]


def custom_op(
    name: str, kernel: Kernel, *, grid: Any, block: Any, out: Any = None, scalars: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None, mutates: Collection[str] = (), strided: Collection[str] = (), shared: Any = None,
    backward: Callable[..., Any] | None = None, vmap: Any = None, autocast: Any = None,
    attributes: Mapping[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Register `torch.ops.namespace.name`, called "namespace::name", which launches a kernel; the `OpOverload`, to be called.

    Its arguments are the kernel's parameters in their order, pointers and tensor maps as tensors, without the results and
    without what `scalars` computes. Whatever is a function here says by the names of its parameters which arguments it is
    called with; it may be a constant instead.

    `out`: a function that makes the result, the kernel's parameter `out`; or a mapping of parameters to such functions. It is
    called with the tensors of each call, and also with tensors that have no values.
    `grid`, `block`, `shared`: the launch; a grid of 0 launches nothing. `scalars`: parameters that follow from the arguments.
    `options`: compile-time parameters. These are asked once for each form (shapes, types, strides) of the tensors, which have
    no values then.
    `mutates`: tensors that the kernel writes; without `out` the operator returns nothing. `strided`: tensors that may have gaps;
    all others are contiguous, or an ArgumentError says so.
    `backward`: the gradient. Its parameters are of the arguments' and the results' names, "gradient" (of the result; a tuple
    of several), and "needed" (the names of the tensors whose gradients are asked for). It returns a mapping of names to
    gradients, or the one of the only tensor. Without it backward raises NoGradientError.
    `vmap`: "elementwise" where the tensors have one shape and each element is by itself: the batch is then one more dimension;
    or a rule as of `torch.library.register_vmap`; by default the operator is called for each of the batch.
    `autocast`: the type that floating-point tensors are cast to where autocast is on.
    `attributes`: further ones of the launch, cooperative=True and others of `driver_ctypes.Function.launch`.

    A CPU tensor is reached in place by the CPU device. Raises BuildError for what does not go together; a call raises
    ArgumentTypeError for tensors of other types than the kernel's, ArgumentError for other strides or several devices.
    """
    declared = declare(
        name, kernel, grid=grid, block=block, shared=shared, out=out, scalars=scalars or {}, options=options or {},
        mutates=mutates, strided=strided, attributes=attributes or {},
    )  # fmt: skip
    formula = None
    if backward is not None:
        if declared.mutated:
            raise BuildError(f"{name} changes {_names(declared)}, and has a backward", hint="results in their place")
        names = [*(each.name for each in declared.arguments), *declared.results]
        taken = next((each for each in names if each in ("gradient", "needed")), None)
        if taken is not None:
            raise BuildError(f"{name}: a parameter is called {taken!r}, as what backward is given", hint="another name")
        known = [*names, "gradient", "needed"]
        formula = by_name(f"{name}: backward", backward, known)
    if vmap is not None and not callable(vmap) and vmap != "elementwise":
        raise BuildError(f"{name}: vmap is {vmap!r}", hint='"elementwise", or a rule: a function')
    if autocast is not None and not isinstance(autocast, torch.dtype):
        raise BuildError(f"{name}: autocast is {autocast!r}", hint="torch.float32, torch.bfloat16")
    calls = Calls(declared)
    overload = register(
        Operator(
            name, declared.schema, calls.on_gpu, calls.on_host, calls.shapes, declared.results, formula,
            quick=calls.quick, fixed=declared.fixed, autocasts=autocast is not None,
        )
    )  # fmt: skip
    library = library_of(name.partition("::")[0])
    rule = vmap if callable(vmap) else (batching.in_turn if vmap is None else batching.elementwise)(overload)
    torch.library.register_vmap(overload, rule, lib=library)
    for kind in ("cuda", "cpu") if autocast is not None else ():
        torch.library.register_autocast(name, kind, autocast, lib=library)
    return overload


def _names(declared: Declaration) -> str:
    return ", ".join(declared.arguments[index].name for index in declared.mutated)
