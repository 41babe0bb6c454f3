"""The call of an operator on a GPU as one Python function, written for its arguments: without a loop, nothing decided twice.

A call on the host costs what Python does in it. This function has the plan of the form of its tensors and the launcher of the
stream, or leaves the call to `Calls.on_gpu`, which makes them and says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ClosedError
from driver_ctypes.streams.capturing import running_captures
from ptxgen.torch.framework import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.torch.declaration import Declaration

__all__ = ["form_of", "quick_call"]

_TEMPLATE = """
def on_gpu({parameters}):{guard}
    plan = plans.get(({form}))
    if plan is None or captures or plan.chosen.stream is not None:
        return careful({arguments})
    launcher = plan.launchers.get(stream_of(plan.ordinal))
    if launcher is None:
        return careful({arguments})
{results}
    try:
        launcher({values})
    except ClosedError:  # the device was reset: there is another plan
        return careful({arguments})
{changes}
    return {returned}
"""

_GUARD = """
    if records() and needs({arguments}):
        return with_gradient(({arguments},))
    if {watched}:
        return below(({arguments},))"""
"""In front of it where PyTorch asks for gradients: is one recorded, or does a mode, a transform or a subclass watch the call?"""

PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
"""Types of tensors that watch nothing."""


def form_of(declared: Declaration) -> str:
    """The form of the arguments a0, a1, ... as a Python tuple: what decides how the kernel is launched."""
    parts = []
    for index, each in enumerate(declared.arguments):
        if each.kind == "Tensor":
            lies = "a{0}.stride(), a{0}.is_neg()" if each.strided else "a{0}.is_contiguous()"
            parts.append(f"a{{0}}.shape, a{{0}}.dtype, a{{0}}.get_device(), {lies}".format(index))
        elif each.name in declared.asked:
            parts.append(f"a{index}")
    return ", ".join(parts) + ","


def quick_call(
    declared: Declaration, plans: Mapping[Any, Any], careful: Callable[..., Any], stream_of: Callable[[int], int],
    with_gradient: Callable[[Any], Any] | None = None, below: Callable[[Any], Any] | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The function. `plans` are those of each form; whatever has none yet is left to `careful`. With the last two it is what
    PyTorch calls where gradients may be asked for: one that is recorded, and a call that something watches, go to these."""
    names: dict[str, Any] = {
        "plans": plans, "careful": careful, "stream_of": stream_of, "captures": running_captures, "ClosedError": ClosedError,
        "changed": torch.autograd.graph.increment_version, "with_gradient": with_gradient, "below": below, "plain": PLAIN,
        "records": torch.is_grad_enabled, "needs": torch._C._any_requires_grad,
        "watched": torch._C._dispatch_isTensorSubclassLike,
    }  # fmt: skip
    places = {each.name: f"a{index}" for index, each in enumerate(declared.arguments)}
    parameters = []
    for index, each in enumerate(declared.arguments):
        names[f"d{index}"] = each.default
        parameters.append(f"a{index}" + ("" if each.default is None else f"=d{index}"))
    results = []
    for index, function in enumerate(declared.out):
        names[f"make{index}"] = function.function
        results.append(f"    r{index} = make{index}({', '.join(places[name] for name in function.names)})")
    made = [f"r{index}" for index in range(len(results))]
    given = ", ".join(places.values())
    watched = " or ".join(f"type(a{index}) not in plain or watched(a{index})" for index in declared.tensors)
    text = _TEMPLATE.format(
        guard="" if below is None else _GUARD.format(arguments=given, watched=watched),
        parameters=", ".join(parameters), form=form_of(declared), arguments=given,
        results="\n".join(results), values=", ".join(_values(declared, {**places, **dict(zip(declared.results, made))})),
        changes="\n".join(f"    if not a{index}.is_inference():\n        changed(a{index})" for index in declared.mutated),
        returned="None" if not made else made[0] if len(made) == 1 else f"({', '.join(made)})",
    )  # fmt: skip
    exec(text, names)
    found: Callable[..., Any] = names.pop("on_gpu")
    found.__name__ = found.__qualname__ = declared.name
    return found


def _values(declared: Declaration, places: Mapping[str, str]) -> Sequence[str]:
    """The kernel's arguments, in their order."""
    found = []
    for position, parameter in enumerate(declared.kernel.signature.parameters):
        place = places.get(parameter.name)
        if place is None:
            found.append(f"plan.values[{position}]")
        elif parameter.name in declared.maps:
            found.append(f"plan.structures[{position}].over({place}.data_ptr(), {place}, plan.context)")
        elif parameter.name in declared.pointers:
            found.append(f"{place}.data_ptr()")
        else:
            found.append(place)
    return found
