"""One call of a function over columns: its arrays as arrays of ours, the stream they bring, and an operation kept for it.

    with Call(x=x, out=out) as call:
        sort = call.operation(Sort, call["x"].size, element)

An operation is an object with scratch memory of its own. Functions keep those that are not in use (`_idle`), and other scratch
memory too, by thread and stream: work on one stream runs one after the other, so that the thread's next call may take the object
at once. A graph that is being recorded gets objects of its own, which it keeps.

The same launches for the same arrays are kept too: `launched_before` makes them without all this, with new results where the
caller gave none; `remember` keeps them. A function whose results the objects have says how they are read from these:

    key, again, _ = launched_before(("groupby", ...), (keys, values))
    if again is not None:
        return read_again(again, keys)

Where the device says how many elements the result has, memory is made for all that there may be, and cut (`Call.sized`).
"""

from __future__ import annotations

import weakref
from contextlib import nullcontext
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.streams.stream import capture_of, running_captures
from ptxgen.builder import SCALARS, s32, u8, u32
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.host.machine import first_array
from ptxgen.ops.borrowing import Borrowing
from ptxgen.ops.launch_cache import LaunchCache, exact
from ptxgen.ops.launches import Copy, joined, note_launches, prepare, seen_launches
from ptxgen.ops.results import Results
from ptxgen.ops.scratch import temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ptxgen.builder.values import Value
    from ptxgen.ops.launches import PreparedLaunch

__all__ = [
    "Call",
    "empty_cache",
    "launched_before",
    "read_again",
    "room_for",
    "sized_again",
]

_MANY = 4
"""Objects of one kind and size that a thread keeps for a stream."""
_MOST = 256
"""Kinds, sizes and streams for which objects are kept."""
_idle: dict[Any, list[tuple[Any, Any]]] = {}


def room_for(n: int) -> int:
    """The rows that an object is made for where n are asked for: the power of two that is n or more, so that it serves others."""
    return 1 << max(n - 1, 255).bit_length()


def empty_cache() -> None:
    """Free the objects that are kept and not in use."""
    _launches.clear()
    for objects in [_idle.pop(key) for key in list(_idle)]:
        for each, _ in objects:
            each.close()


class Call(Results):
    """`with Call(x=x, out=out) as call:` the arguments that are arrays, one or a list of them; None stays None. `like` is the
    first of them as it was given: results are of its library. BuildError where there is none."""

    def __init__(self, **given: Any) -> None:
        like = _first(given.values())
        place = first_array((like,))[1]
        if place is None:
            name, found = next(iter(given.items()))
            what = type(found).__name__ if not isinstance(found, (list, tuple)) or found else "an empty list"
            raise BuildError(
                f"{name} is {what}, not an array in device memory",
                hint="dev.array(...), or an array of a framework on its GPU",
            )
        super().__init__(like, place)
        self._borrowing = Borrowing(place, ours=False)
        self._taken = {name: self._borrowing.take(name, each) for name, each in given.items()}
        self._used: list[tuple[Any, Any]] = []
        self._seeing = seen_launches()
        self._launched: list[PreparedLaunch] = []

    def __getitem__(self, name: str) -> Any:
        return self._taken[name]

    def __enter__(self) -> Call:
        self._borrowing.__enter__()
        self._launched = self._seeing.__enter__()
        if running_captures:
            self._graph = capture_of(self.device.context, self.device.current_stream.handle)
        return self

    def __exit__(self, *raised: Any) -> None:
        for key, each in self._used:
            if raised[0] is not None or key is None:
                each.close()
            elif self._graph is not None:
                self._graph.retain(each)
            else:
                _keep(key, each, self._stream)
        self._used.clear()
        self._seeing.__exit__(*raised)
        note_launches(self._launched)
        self._borrowing.__exit__(*raised)

    def operation(self, kind: Any, n: int, *options: Any, make: Callable[[int], Any] | None = None) -> Any:
        """An object of a kind for n rows, that nobody else uses until the end of the body: `kind(device, *options, most)`, or
        what `make(most)` makes."""
        most = room_for(n)
        key = (get_ident(), self.device.context, self.device.current_stream.handle, kind, exact(options), most)
        found = self._idle_one(key) if self._graph is None else None
        if found is None:
            _forget_closed()
            found = self._made(lambda: kind(self.device, *options, most) if make is None else make(most))
        self._used.append((key, found))
        return found

    def _idle_one(self, key: Any) -> Any:
        """A kept object, None where there is none. One of a stream that was closed, whose handle another stream has now, is
        freed: its work may not be at its end."""
        try:
            while True:
                found, stream = _idle[key].pop()
                if stream is self._stream:
                    return found
                found.close()
        except (KeyError, IndexError):
            return None

    @property
    def _stream(self) -> Any:
        """What tells the current stream from a later one of the same handle; None for another library's, which keep theirs."""
        current = self.device.current_stream
        return weakref.ref(current) if current.owned else None

    def _made(self, make: Callable[[], Any]) -> Any:
        """What a function makes; where a graph is recorded, on a stream that is not, and finished."""
        with seen_launches():  # which no later call repeats
            return make() if self._graph is None else self._made_beside(make)

    def _made_beside(self, make: Callable[[], Any]) -> Any:
        with self.device.context.beside_captures(), self.device.stream() as own, self.device.use(own):
            found = make()
            own.synchronize()
        return found

    def waits(self, what: str) -> None:
        """BuildError where a graph is being recorded: the size of the result is read from the device."""
        if self._graph is not None:
            raise BuildError(
                f"{what} waits for the size of its result, and a graph is being recorded",
                hint="an object of ptxgen.ops, whose results have room for all",
            )

    def _copy(self, into: Array, array: Array) -> None:
        """As a launch, which a further call of the same makes too."""
        prepare(Copy(into, array), self.device, self.device.current_stream.handle).run()

    def discard(self, operation: Any) -> None:
        """Free an object at the end of the body instead of keeping it."""
        self._used = [(None if each is operation else key, each) for key, each in self._used]

    def hold(self, operation: Any) -> Held:
        """Let the caller have an object beyond the body."""
        found = next(entry for entry in self._used if entry[1] is operation)
        self._used.remove(found)
        return Held(*found, self._stream)

    def remember(self, key: Any, *results: Any, read: Callable[..., Any] | None = None) -> None:
        """Keep what the body has launched so far, for `launched_before`, with the results of the call, and what reads further
        ones then."""
        if key is not None and self._launched and self._graph is None and not self._borrowing.waits:
            scratch = [each for _, each in self._used if isinstance(each, Array)]
            _launches.keep(key, joined(self._launched, scratch).changed(read=read), results)

    def sized(self, key: Any, made: Any, count: Callable[[], int]) -> Any:
        """`made`, a result, cut to the number of elements that `count` waits for. The launch is kept for `sized_again`."""
        self.remember(key, made, read=count)
        return self.cut(made, count())

    def as_numbers(self, name: str) -> Array:
        """An argument for row numbers: of u32, or of s32, which has the same bits."""
        given: Array = self[name]
        return given.view(u32) if given.type is s32.isa and given.shape else given

    def scratch(self, n: int, element: type[Value] = u32) -> Array:
        """Memory for the body alone, kept as operations are."""
        nbytes = n * element.isa.bytes
        whole = self.operation(Array, nbytes, make=lambda most: temporary(self.device, most, u8))
        found: Array = whole[:nbytes].view(element)
        return found

    def element_of(self, name: str) -> type[Value]:
        """The type of an argument's elements."""
        return SCALARS[self[name].type.name]


class Held(NamedTuple):
    """An object that somebody has beyond a call, and gives back. A call that makes kept launches with it claims it first."""

    key: Any
    operation: Any
    stream: Any

    def give_back(self) -> None:
        """From now on others may use it."""
        _keep(*self)

    def claim(self) -> bool:
        """Take it out of what is not in use; False where somebody has it."""
        try:
            _idle[self.key].remove(self[1:])
        except (KeyError, ValueError):
            return False
        return True


_launches = LaunchCache()


def launched_before(
    options: tuple[Any, ...], arrays: Sequence[Any], results: tuple[Any, ...] = (), *, held: bool = False
) -> tuple[Any, PreparedLaunch | None, tuple[Any, ...]]:
    """(a key for `Call.remember`, what was kept for these arrays and options and has been launched again, the results, which
    are made where they are None and the launch was kept). A graph that is being recorded gets objects of its own. `held`: what
    reads the results has the object of the launches as `held`, which is claimed first."""
    if running_captures:
        return None, None, results
    key, known, results = _launches.find((*options, get_ident()), arrays, results)
    if known is not None and held and not (known.read is not None and known.read.held.claim()):  # type: ignore[attr-defined]
        return None, None, results
    if known is not None:
        known.run(*arrays, *results)
    return key, known, results


def read_again(known: PreparedLaunch, like: Any) -> Any:
    """The results of what was launched again, of the library of `like`."""
    assert known.read is not None
    with _stream_of(known):
        return known.read(Results(like, known.place))


def sized_again(known: PreparedLaunch, like: Any, made: Any) -> Any:
    """The result of `Call.sized`, launched anew."""
    assert known.read is not None
    with _stream_of(known):
        return Results(like, known.place).cut(made, known.read())


def _stream_of(known: PreparedLaunch) -> AbstractContextManager[Any]:
    """What makes its stream the current one, where it is not."""
    stream = known.stream or 0
    return nullcontext() if stream == known.place.current_stream.handle else known.place.use(stream)


def _forget_closed() -> None:
    """Let go of the objects of contexts that are closed."""
    for key in [key for key in list(_idle) if key[1].closed]:
        _idle.pop(key, None)


def _first(values: Any) -> Any:
    """The first array among arguments, alone or in lists."""
    return next(_each(values), None)


def _each(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _each(value)
        elif value is not None:
            yield value


def _keep(key: Any, found: Any, stream: Any) -> None:
    if len(_idle) >= _MOST and key not in _idle:
        empty_cache()
    objects = _idle.setdefault(key, [])
    if len(objects) < _MANY:
        objects.append((found, stream))
    else:
        found.close()
