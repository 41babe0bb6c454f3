"""Which launches come after which, as streams, events and waiting host calls order them: for racecheck.

Work runs at once here, one piece after the other, so this says what a GPU might do. A moment is, by stream, how many of its
launches are over by then. It is kept while a sanitizer watches: until a first launch is noted, nothing is over, and nobody asks.
"""

from __future__ import annotations

import threading
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Moment", "OrderedLaunch", "Timeline", "begin_launch", "host_waited", "host_waited_for_all", "host_waited_until",
           "join", "moment_of", "moment_of_all", "running", "stream_destroyed"]  # fmt: skip

Moment = dict[int, int]

_numbers = count(1)
_host: Moment = {}
"""What host calls have waited for, of any thread."""
_noted = False
"""Was ever a launch noted?"""


class Timeline:
    """A stream's own: its number, how many launches it had, and what is over before its next one."""

    __slots__ = ("launches", "moment", "number")

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.launches = 0
        self.moment: Moment = {}


class OrderedContext(Protocol):
    """A context, of which its streams are known."""

    destroyed: dict[bool, Moment]
    """What is over when the streams that were destroyed are: of those that were not blocking, and of those that were."""

    @property
    def legacy(self) -> OrderedStream: ...

    def running(self) -> Sequence[OrderedStream]: ...


class OrderedStream(Protocol):
    """A stream."""

    blocking: bool
    is_legacy: bool
    line: Timeline

    @property
    def context(self) -> OrderedContext: ...


class Running(threading.local):
    """The stream whose work the thread has run last."""

    def __init__(self) -> None:
        self.stream: OrderedStream | None = None


running = Running()


class OrderedLaunch(NamedTuple):
    """A launch: the number of its stream, its own among that stream's launches, and what was over before."""

    stream: int
    number: int
    moment: Moment

    def comes_after(self, stream: int, number: int) -> bool:
        """Is the launch of that number in that stream over?"""
        return self.moment.get(stream, 0) >= number


def join(moment: Moment, other: Moment) -> None:
    """What is over in `other` is over in `moment`."""
    for stream, number in other.items():
        if number > moment.get(stream, 0):
            moment[stream] = number


def begin_launch(stream: OrderedStream) -> OrderedLaunch:
    """The next launch in a stream. One in the legacy stream comes after all of the blocking ones, and they after it."""
    global _noted
    _noted = True
    line = stream.line
    line.moment = moment_of(stream)
    join(line.moment, _host)
    line.launches += 1
    found = OrderedLaunch(line.number, line.launches, dict(line.moment))
    line.moment[line.number] = line.launches
    return found


def moment_of(stream: OrderedStream) -> Moment:
    """What is over when the work that the stream has now is."""
    if not _noted:
        return {}
    found, context = dict(stream.line.moment), stream.context
    blocking = (each for each in context.running() if each.blocking)
    for other in blocking if stream.is_legacy else [context.legacy] if stream.blocking else []:
        join(found, other.line.moment)
    if stream.is_legacy:
        join(found, context.destroyed[True])
    return found


def moment_of_all(context: OrderedContext) -> Moment:
    """What is over when all work is that the context has now."""
    found: Moment = {}
    for moment in (*(stream.line.moment for stream in context.running()), *context.destroyed.values()):
        join(found, moment)
    return found


def host_waited(stream: OrderedStream) -> None:
    """A host call has waited for the stream; for the legacy one, with all that it waits for."""
    if _noted:
        join(_host, moment_of(stream))


def host_waited_for_all(context: OrderedContext) -> None:
    """A host call has waited for all work of a context."""
    if _noted:
        join(_host, moment_of_all(context))


def stream_destroyed(stream: OrderedStream) -> None:
    """The stream is no more; its work may still run."""
    join(stream.context.destroyed[stream.blocking], stream.line.moment)


def host_waited_until(moment: Moment) -> None:
    """A host call has waited for an event."""
    join(_host, moment)
