"""What a call on a GPU comes down to, written for one form of its tensors: new memory for the results, addresses, launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ClosedError
from ptxgen.ops.recorded import Place
from ptxgen.torch.framework import torch
from ptxgen.torch.results import makers
from ptxgen.torch.written import written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.host import Device

__all__ = ["Given", "QuickLaunch", "quick_call"]


class Given(NamedTuple):
    """A value of a launch that is an argument of the operator."""

    name: str


class QuickLaunch(NamedTuple):
    """A launcher, and its values: constants, `Given`, and places in the tensors, those given and then the results; a map is over
    the tensor itself where it is like no other. `keeps` lives as long."""

    launcher: Callable[..., None]
    values: Sequence[Any]
    places: Sequence[Place]
    keeps: Any = None


def quick_call(
    name: str, arguments: Sequence[str], tensors: Sequence[str], make: Callable[..., Sequence[Any]], args: Sequence[Any],
    count: int, launches: Sequence[QuickLaunch], place: Device, careful: Callable[..., Any], renew: Callable[..., Any], *,
    mutated: Sequence[str] = (), aligned: int = 1,
) -> Callable[..., Any]:  # fmt: skip
    """The function of the operator's arguments. `make(*args)` gives the *count* results, tensors that follow from the form. It
    leaves the call to *careful* where addresses are no multiples of *aligned* bytes or a stream was chosen on the device, and to
    *renew* where the device was reset."""
    made = [f"our_r{index}" for index in range(count)]
    lines, names = makers(make, args, made, place.handle.ordinal)
    given = ", ".join(arguments)
    names |= {"careful": careful, "renew": renew, "chosen": place.chosen, "ClosedError": ClosedError}
    names |= {"context": place.context, "changed": torch.autograd.graph.increment_version, "keeps": launches}
    body = [f"if our_chosen.stream is not None: return our_careful({given})"]
    body += [f"our_p{index} = {each}.data_ptr()" for index, each in enumerate(tensors)]
    if aligned > 1:
        union = " | ".join(f"our_p{index}" for index in range(len(tensors)))
        body.append(f"if ({union}) & {aligned - 1}: return our_careful({given})")
    body += [line.format(arguments=given) for line in lines]
    everything = [*tensors, *made]
    body += [f"our_p{len(tensors) + index} = {each}.data_ptr()" for index, each in enumerate(made)]
    body.append("try:")
    for index, launch in enumerate(launches):
        names[f"launch{index}"] = launch.launcher
        places: dict[int, Any] = {each.position: each for each in launch.places}
        values = [
            _value(f"{index}_{position}", places.get(position, each), everything, names)
            for position, each in enumerate(launch.values)
        ]
        body.append(f"    our_launch{index}({', '.join(values)})")
    body.append(f"except our_ClosedError: return our_renew({given})")
    body += [f"if not {each}.is_inference(): our_changed({each})" for each in mutated]
    body.append(f"return {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')' if made else 'None'}")
    found: Callable[..., Any] = written(
        name, [(each,) for each in arguments], "\n".join(f"    {line}" for line in body), names
    )
    return found


def _value(place: str, value: Any, tensors: Sequence[str], names: dict[str, Any]) -> str:
    """A value of a launch as Python; what it uses is put into the names."""
    if isinstance(value, Given):
        return value.name
    if not isinstance(value, Place):
        names[f"value{place}"] = value
        return f"our_value{place}"
    address = f"our_p{value.array}" + (f" + {value.offset}" if value.offset else "")
    if value.structure is None:
        return address
    names |= {f"map{place}": value.structure.over, f"like{place}": value.like}
    like = tensors[value.array] if value.like is None else f"our_like{place}"
    return f"our_map{place}({address}, {like}, our_context)"
