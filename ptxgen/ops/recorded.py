"""What operations launched, as launches of any arrays of the same form: which values are addresses in which array.

`px.ops` keeps launches by addresses, since it has memory of anybody's. A framework gives whatever memory is free, so there
launches are kept by the form of the arguments, and filled with their addresses (`ptxgen.torch`, `ptxgen.jax`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.host import Array
from ptxgen.ops.launches import Copy, Fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.ops.launches import PreparedLaunch
    from ptxgen.ops.operands import Operand

__all__ = ["ADDRESS_UNIT", "NotAFormError", "Place", "RecordedLaunch", "Span", "recorded"]

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
    """A launch, and which of its values are places in the arrays. Zeros into an array have that as their only place."""

    launch: PreparedLaunch
    places: tuple[Place, ...]


def recorded(launches: Sequence[PreparedLaunch], spans: Sequence[Span]) -> list[RecordedLaunch]:
    """The launches over arrays with these spans. NotAFormError where arrays share memory, or a value may be an address of them
    without being known as one."""
    apart = sorted((span.begin, span.end, index) for index, span in enumerate(spans) if span.end > span.begin)
    if any(one[1] > other[0] for one, other in pairwise(apart)):
        raise NotAFormError
    found = [_recorded(each, apart) for launch in launches for each in _in_turn(launch)]
    if not found:
        raise NotAFormError
    return found


def _in_turn(launch: PreparedLaunch) -> Iterator[PreparedLaunch]:
    yield launch
    for each in launch.then:
        yield from _in_turn(each)


def _recorded(launch: PreparedLaunch, apart: Sequence[tuple[int, int, int]]) -> RecordedLaunch:
    if launch.plan is None or isinstance(launch.plan, Copy) or (isinstance(launch.plan, Fill) and launch.plan.byte):
        raise NotAFormError
    if isinstance(launch.plan, Fill):
        begun = launch.plan.array.pointer
        within = [Place(0, index, begun - begin) for begin, end, index in apart if begin <= begun < end]
        return RecordedLaunch(launch, tuple(within))
    places = []
    for position, operand, structure in launch.operands:
        begin, _, index = next((each for each in apart if each[0] <= operand.address < each[1]), (0, 0, -1))
        if index < 0:
            raise NotAFormError
        like = operand if structure is not None else None
        places.append(Place(position, index, operand.address - begin, structure, like))
    own = {place.position for place in places}
    for position, value in enumerate(launch.arguments):
        if position in own or isinstance(value, (float, Array)):
            continue
        if not isinstance(value, int) or any(begin <= value < end for begin, end, _ in apart):
            raise NotAFormError
    return RecordedLaunch(launch, tuple(places))
