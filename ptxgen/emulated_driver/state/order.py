"""Which launches, copies and fills come after which, as streams, events, graphs and waiting host calls order them: for racecheck.

Work runs at once here, one piece after the other, so this says what a GPU might do. A moment is, by stream, how much of its
work is over by then. It is kept while a sanitizer watches: until a first launch is noted, nothing is over, and nobody asks.
"""

from __future__ import annotations

from itertools import count

from driver_ctypes.primitives import contextmanager, local
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, Protocol
from ptxgen.emulated_driver.state.callers import calling_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.sanitizer.history import HostCall
    from ptxgen.errors import Location

__all__ = [
    "Branches",
    "Moment",
    "OrderedLaunch",
    "Timeline",
    "begin_launch",
    "host_waited",
    "host_waited_for_all",
    "host_waited_until",
    "join",
    "moment_of",
    "moment_of_all",
    "running",
    "stream_destroyed",
    "waited_for_value",
]

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


class Running(local):
    """The stream whose work the thread has run last; and of a graph that it runs: the node in hand, who made it, and which of
    the stream's work no path of the graph leads from to there."""

    def __init__(self) -> None:
        self.stream: OrderedStream | None = None
        self.node = ""
        self.made: tuple[Location, ...] = ()
        self.beside: frozenset[int] = frozenset()


running = Running()


class OrderedLaunch(NamedTuple):
    """A launch, a copy or a fill: the number of its stream, its own among what that stream did, what was over before, who asked
    for it, and what of its own stream may run beside it."""

    stream: int
    number: int
    moment: Moment
    call: HostCall
    beside: frozenset[int]

    def comes_after(self, stream: int, number: int) -> bool:
        """Is the launch of that number in that stream over?"""
        return self.moment.get(stream, 0) >= number and not (stream == self.stream and number in self.beside)


class Branches:
    """Of one run of a graph: which of its nodes have no path between them. `needs` are the numbers of those before each node."""

    def __init__(self, needs: Sequence[Sequence[int]]) -> None:
        self._before: list[int] = []  # of each node, as bits
        for each in needs:
            before = 0
            for other in each:
                before |= self._before[other] | 1 << other
            self._before.append(before)
        self._done: list[
            tuple[int, int, int]
        ] = []  # node, and the numbers of its work: behind the first, up to the last
        self._outer = running.beside, running.node, running.made

    @contextmanager
    def node(self, index: int, made: tuple[Location, ...]) -> Iterator[None]:
        """Its body runs a node."""
        outer, inside, _ = self._outer
        stream = running.stream
        assert stream is not None
        first, before = stream.line.launches, self._before[index]
        beside = (range(low + 1, high + 1) for node, low, high in self._done if not before >> node & 1)
        running.beside = outer.union(*beside)
        running.node = f"node {index} of {inside or 'a graph'}"
        running.made = made
        try:
            yield
        finally:
            self._done.append((index, first, stream.line.launches))
            running.beside, running.node, running.made = self._outer


def join(moment: Moment, other: Moment) -> None:
    """What is over in `other` is over in `moment`."""
    for stream, number in other.items():
        if number > moment.get(stream, 0):
            moment[stream] = number


def begin_launch(stream: OrderedStream, what: str) -> OrderedLaunch:
    """The next launch, copy or fill in a stream. One in the legacy stream comes after all of the blocking ones, and they after
    it."""
    from ptxgen.cpu.sanitizer.history import HostCall

    global _noted
    _noted = True
    line = stream.line
    line.moment = moment_of(stream)
    join(line.moment, _host)
    line.launches += 1
    call = HostCall(what, running.node, running.made or calling_lines())
    found = OrderedLaunch(line.number, line.launches, dict(line.moment), call, running.beside)
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


def waited_for_value() -> None:
    """The stream has waited for a word in memory, or for a semaphore. Whoever wrote it, all that was asked for before is over."""
    stream = running.stream
    if stream is not None:
        join(stream.line.moment, moment_of_all(stream.context))


def host_waited_until(moment: Moment) -> None:
    """A host call has waited for an event."""
    join(_host, moment)
