"""A row of the library's operators: a function of `px.ops` that writes its results into tensors which are made for it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ptxgen.host import device
from ptxgen.host.by_name import by_name
from ptxgen.ops.recorded import ADDRESS_UNIT
from ptxgen.torch.batching import in_turn
from ptxgen.torch.framework import torch
from ptxgen.torch.host_tensors import lend, operand_of
from ptxgen.torch.operators.templates import Templates
from ptxgen.torch.quick import quick_call
from ptxgen.torch.registration import Operator, library_of, register

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OPERATORS", "float32", "operator"]

OPERATORS: dict[str, Any] = {}
"""Each `OpOverload` by its name; `torch.ops.ptxgen` has them too."""


def operator(
    schema: str, *, make: Callable[..., tuple[Any, ...]], backward: Callable[..., Any] | None = None, recorded: Any = None
) -> Callable[[Callable[..., object]], Any]:  # fmt: skip
    """Register what the function below runs as `ptxgen::schema`, and give the `OpOverload`.

    The function takes the arguments and the results, which `make` has made of the arguments: tensors of a GPU, or operands of
    the CPU device over tensors of the host. Its parameters' names are those that `backward` may ask for, as in `custom_op`.
    Where a gradient is recorded, `recorded` is called in its place: an operator with further results, which backward needs.
    """
    name, _, rest = schema.partition("(")

    def registered(run: Callable[..., object]) -> Any:
        names = list(inspect.signature(run).parameters)
        defaults: list[Any] = []
        templates = Templates(run)

        def on_gpu(*args: Any) -> Any:
            args += tuple(defaults[len(args) :])
            made = make(*args)
            if any(each.numel() for each in made):
                templates.launch(args, made)
            return returned(made)

        def quick(renew: Callable[..., Any], *args: Any) -> Any:
            launches = templates.quick(args)
            if launches is None:
                return None
            given = names[: len(args)]
            tensors = [name for name, each in zip(given, args) if isinstance(each, torch.Tensor)]
            place = device(f"cuda:{next(each.get_device() for each in args if isinstance(each, torch.Tensor))}")
            return quick_call(
                name, given, tensors, make, args, len(names) - len(args), launches, place, on_gpu, renew, aligned=ADDRESS_UNIT,
            )  # fmt: skip

        def on_host(*args: Any) -> Any:
            args += tuple(defaults[len(args) :])
            made = make(*args)
            if any(each.numel() for each in made):
                given = (*args, *made)
                with lend([each for each in given if isinstance(each, torch.Tensor)]):
                    run(*[operand_of(each) if isinstance(each, torch.Tensor) else each for each in given])
            return returned(made)

        def shapes(*args: Any) -> Any:
            return returned(make(*args, *defaults[len(args) :]))

        count = len(names) - schema.partition("->")[2].count("Tensor")
        formula = (
            None if backward is None else by_name(f"ptxgen::{name}: backward", backward, [*names, "gradient", "needed"])
        )
        made = register(
            Operator(
                f"ptxgen::{name}", f"({rest}", on_gpu, on_host, shapes, tuple(names[count:]), formula, recorded, quick,
                fixed=names[:count],
            )
        )  # fmt: skip
        defaults += [each.default_value for each in made._schema.arguments]
        torch.library.register_vmap(made, in_turn(made), lib=library_of("ptxgen"))
        OPERATORS[name] = made
        return made

    return registered


def returned(made: tuple[Any, ...]) -> Any:
    """The results as an operator returns them."""
    return made[0] if len(made) == 1 else made


def float32(x: Any, shape: Any) -> Any:
    """A new tensor of float32 where x is."""
    return x.new_empty(shape, dtype=torch.float32)
