"""Gradients of an operator: what its backward function asks for is saved, and what it returns is given to the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.torch.framework import torch
from ptxgen.torch.front import PLAIN, forward_ad

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.host.by_name import ByName

__all__ = ["Autograd", "NoGradientError", "autograd"]


class NoGradientError(BuildError, RuntimeError):
    """Backward through an operator that has no gradient."""


class _Formula:
    """The gradient of an operator whose arguments and results have these names; without a backward function there is none."""

    def __init__(
        self, name: str, arguments: Sequence[str], tensors: Sequence[int], results: Sequence[str], backward: ByName | None
    ) -> None:  # fmt: skip
        self.name = name
        self.arguments = tuple(arguments)
        self.tensors = tuple(tensors)
        self.results = tuple(results)
        self.backward = backward
        asked = backward.names if backward is not None else ()
        self.kept = tuple(each for each in asked if each not in ("gradient", "needed"))
        places = {name: place for place, name in enumerate((*self.arguments, *self.results))}
        self._places = tuple((name, places[name]) for name in self.kept)

    def save(self, ctx: Any, args: Sequence[Any], results: Any) -> None:
        """What backward will ask for."""
        given = results if isinstance(results, tuple) else (results,)
        known, saved, others = (*args, *given), [], {}
        for name, place in self._places:
            value = known[place]
            if isinstance(value, torch.Tensor):
                saved.append(value)
            else:
                others[name] = value
        ctx.save_for_backward(*saved)
        ctx.others = others
        if whole := [each for each in given if not each.is_floating_point()]:
            ctx.mark_non_differentiable(*whole)

    def gradients(self, ctx: Any, given: Sequence[Any]) -> tuple[Any, ...]:
        """Of each argument, None where there is none."""
        if self.backward is None:
            raise NoGradientError(
                f"{self.name} has no gradient", hint="backward=lambda gradient, ...: ..., or .detach() what it is given"
            )
        saved = iter(ctx.saved_tensors)
        known = {name: ctx.others[name] if name in ctx.others else next(saved) for name in self.kept}
        known["gradient"] = given[0] if len(given) == 1 else tuple(given)
        known["needed"] = frozenset(
            self.arguments[index]
            for index in self.tensors
            if index < len(ctx.needs_input_grad) and ctx.needs_input_grad[index]
        )
        return self._spread(self.backward(known))

    def _spread(self, found: Any) -> tuple[Any, ...]:
        if not isinstance(found, dict):
            if len(self.tensors) != 1:
                names = ", ".join(f'"{self.arguments[index]}": ...' for index in self.tensors)
                raise BuildError(f"{self.name}: backward returns {type(found).__name__}", hint=f"{{{names}}}")
            found = {self.arguments[self.tensors[0]]: found}
        wrong = next((name for name in found if name not in {self.arguments[index] for index in self.tensors}), None)
        if wrong is not None:
            raise BuildError(f"{self.name}: backward returns the gradient of {wrong!r}", hint=", ".join(self.arguments))
        return tuple(found.get(name) for name in self.arguments)


class Autograd(NamedTuple):
    """What is called of an operator where tensors may need gradients."""

    kernels: dict[str, Callable[..., Any]]
    """What PyTorch calls, by dispatch key."""
    recorded: Callable[..., Any]
    """What that comes to where a gradient is recorded."""


def autograd(
    overload: Any, *, arguments: Sequence[str], tensors: Sequence[int], results: Sequence[str], defaults: Sequence[Any],
    backward: ByName | None, recorded: Callable[..., Any] | None, direct: Mapping[str, Callable[..., Any]],
) -> Autograd:  # fmt: skip
    """`direct` has what runs the operator on each backend: a call that nothing else watches (no mode, no transform, no subclass)
    takes it, and goes through the dispatcher once. `recorded` is called in its place where a gradient is."""
    formula = _Formula(str(overload.name()), arguments, tensors, results, backward)

    def below(args: Sequence[Any]) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return overload(*args)

    def forward(ctx: Any, *args: Any) -> Any:  # with a `setup_context` beside it, PyTorch takes five times as long
        results = overload(*args)
        formula.save(ctx, (*args, *defaults[len(args) :]), results)
        ctx.given = len(args)
        return results

    def backward_of(ctx: Any, *given: Any) -> tuple[Any, ...]:
        return formula.gradients(ctx, given)[: ctx.given]

    methods: dict[str, Any] = {"forward": staticmethod(forward), "backward": staticmethod(backward_of)}
    # what PyTorch's transforms make of an autograd.Function when they have come down to one level, as they have here
    base: Any = torch.autograd.function._SingleLevelFunction
    function: Any = type(f"Gradient_of_{overload.name()}".replace("::", "_").replace(".", "_"), (base,), methods)
    apply = function.apply

    def with_gradient(*args: Any) -> Any:
        if overload._schema.is_mutable:
            raise NoGradientError(
                f"{overload.name()} changes a tensor, and a tensor that it is given needs gradients",
                hint="with torch.no_grad(), or an operator with a result",
            )
        if recorded is not None:
            return recorded(*args)[0]
        return _at_one_level(apply, args) if torch._C._are_functorch_transforms_active() else apply(*args)

    def kernel(run: Callable[..., Any] | None) -> Callable[..., Any]:
        return _kernel(formula.name, with_gradient, below, run)

    found = {f"Autograd{backend}": kernel(run) for backend, run in direct.items()}
    return Autograd({"Autograd": kernel(None), **found}, with_gradient)


def _kernel(
    name: str, with_gradient: Callable[..., Any], below: Callable[[Sequence[Any]], Any], direct: Callable[..., Any] | None
) -> Callable[..., Any]:  # fmt: skip
    records, needs = torch.is_grad_enabled, torch._C._any_requires_grad
    watched = torch._C._dispatch_isTensorSubclassLike

    def call(*args: Any) -> Any:
        if forward_ad._current_level >= 0:
            _refuse_tangents(name, args)
        if records() and needs(*args):
            return with_gradient(*args)
        if direct is None:
            return below(args)
        for value in args:
            kind = type(value)
            if kind in PLAIN:
                if watched(value):
                    return below(args)
            elif issubclass(kind, torch.Tensor):
                return below(args)
        return direct(*args)

    return call


def _refuse_tangents(name: str, args: Sequence[Any]) -> None:
    if any(isinstance(each, torch.Tensor) and forward_ad.unpack_dual(each).tangent is not None for each in args):
        raise NoGradientError(f"{name} has no forward-mode derivative", hint="reverse mode: torch.func.vjp or jacrev")


def _at_one_level(apply: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Record a gradient inside a transform of torch.func: it has come down to one level here, which is an ordinary graph."""
    from torch._functorch.autograd_function import enable_single_level_autograd_function

    with enable_single_level_autograd_function():
        return apply(*args)
