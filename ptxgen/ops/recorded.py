"""What operations launched, as launches of any arrays of the same form: which values are addresses in which array.

`px.ops` moves what it has launched to the arrays of another call (`ptxgen.ops.launch_cache`); operators of frameworks keep what
they launch by the form of the arguments alone, and fill in the addresses (`ptxgen.torch`, `ptxgen.jax`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ptxgen.ops.launches import PreparedLaunch
    from ptxgen.ops.operands import Operand

__all__ = ["ADDRESS_UNIT", "NotAFormError", "Place", "RecordedLaunch", "Span", "are_apart", "moved", "recorded"]

ADDRESS_UNIT = 256
"""Bytes: which kernel an operation takes may depend on addresses up to that (`ptxgen.kernels.plan.common_alignment`)."""


class NotAFormError(Exception):
    """A launch that is not of the form of its arrays alone."""


class Span(NamedTuple):
    """The bytes of an array, from its first to behind its last."""

    begin: int
    end: int


class Place(NamedTuple):
    """A value of a launch that is so many bytes behind the beginning of an array; with a structure it is the tensor map over
    `like` there."""

    position: int
    array: int
    offset: int
    structure: Any = None
    like: Operand | None = None


class RecordedLaunch(NamedTuple):
    """A launch, and which of its values are places in the arrays."""

    launch: PreparedLaunch
    places: tuple[Place, ...]


def recorded(launches: Sequence[PreparedLaunch], spans: Sequence[Span]) -> list[RecordedLaunch]:
    """The launches over arrays with these spans. NotAFormError where arrays share memory, or a value may be an address of them
    without being known as one."""
    if not are_apart(spans):
        raise NotAFormError
    apart = [(span.begin, span.end, index) for index, span in enumerate(spans)]
    found = [_recorded(each, apart) for launch in launches for each in _in_turn(launch)]
    if not found:
        raise NotAFormError
    return found


def are_apart(spans: Iterable[Span]) -> bool:
    """Whether no two of them share a byte. Arrays without elements share none with any."""
    return all(
        one.end <= other.begin for one, other in pairwise(sorted(each for each in spans if each.end > each.begin))
    )


def moved(found: Sequence[RecordedLaunch], addresses: Sequence[int]) -> PreparedLaunch:
    """What was recorded, as one launch over arrays of the same form that begin at other addresses."""
    first, *behind = (_moved(*each, addresses) for each in found)
    return first.changed(then=tuple(behind))


def _moved(launch: PreparedLaunch, places: Sequence[Place], addresses: Sequence[int]) -> PreparedLaunch:
    if not places:
        return launch.changed(then=())
    values, at = list(launch.arguments), {}
    for position, array, offset, structure, like in places:
        at[position] = addresses[array] + offset
        values[position] = at[position] if structure is None else structure.over(at[position], like, launch.context)
    operands = tuple(
        [
            (position, operand._replace(address=at[position]), structure)
            for position, operand, structure in launch.operands
        ]
    )
    return launch.changed(arguments=tuple(values), operands=operands, then=())


def _in_turn(launch: PreparedLaunch) -> Iterator[PreparedLaunch]:
    yield launch
    for each in launch.then:
        yield from _in_turn(each)


def _recorded(launch: PreparedLaunch, apart: Sequence[tuple[int, int, int]]) -> RecordedLaunch:
    if launch.plan is None:
        raise NotAFormError
    places = []
    for position, operand, structure in launch.operands:
        begin, _, index = next((each for each in apart if each[0] <= operand.address < each[1]), (0, 0, -1))
        if index < 0:
            raise NotAFormError
        like = operand if structure is not None else None
        places.append(Place(position, index, operand.address - begin, structure, like))
    for position in launch.pointers:
        address = launch.arguments[position]
        places += [Place(position, index, address - begin) for begin, end, index in apart if begin <= address < end]
    own = {place.position for place in places} | set(launch.pointers)
    for position, value in enumerate(launch.arguments):
        if position in own or isinstance(value, float):
            continue
        if not isinstance(value, int) or any(begin <= value < end for begin, end, _ in apart):
            raise NotAFormError
    return RecordedLaunch(launch, tuple(places))
