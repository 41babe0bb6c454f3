"""One call of a function over columns: its arrays as arrays of ours, the stream they bring, and an operation kept for it.

    with Call(x=x, out=out) as call:
        sort = call.operation(Sort, call["x"].size, element)

An operation is an object with scratch memory of its own. Functions keep those that are not in use (`_idle`), and other scratch
memory too, by thread and stream: work on one stream runs one after the other, so that the thread's next call may take the object
at once. A graph that is being recorded gets objects of its own, which it keeps.

The same launches for the same arrays are kept too: `launched_before` makes them without all this, `remember` keeps them.
"""

from __future__ import annotations

import sys
import weakref
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.capturing import capture_of, running_captures
from ptxgen.builder import SCALARS, s32, u8, u32
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.host.exchange import Borrowed
from ptxgen.host.machine import first_array
from ptxgen.ops.borrowing import Borrowing
from ptxgen.ops.launches import LaunchCache
from ptxgen.ops.operands import empty_like
from ptxgen.ops.scratch import temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.values import Value
    from ptxgen.host import Device
    from ptxgen.ops.borrowing import Launches

__all__ = ["Call", "empty_cache", "launched_before", "like_torch", "remember", "room_for"]

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


class Call:
    """`with Call(x=x, out=out) as call:` the arguments that are arrays, one or a list of them; None stays None. `like` is the
    first of them as it was given: results are of its library. BuildError where there is none."""

    def __init__(self, **given: Any) -> None:
        self.like = _first(given.values())
        place = first_array((self.like,))[1]
        if place is None:
            name = next(iter(given))
            raise BuildError(
                f"{name} is {type(given[name]).__name__}, not an array in device memory",
                hint="dev.array(...), or an array of a framework on its GPU",
            )
        self.device: Device = place
        self._borrowing = Borrowing(place, ours=False)
        self._taken = {name: self._borrowing.take(name, each) for name, each in given.items()}
        self._used: list[tuple[Any, Any]] = []
        self._graph: Any = None

    def __getitem__(self, name: str) -> Any:
        return self._taken[name]

    def __enter__(self) -> Call:
        self._borrowing.__enter__()
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
        self._borrowing.__exit__(*raised)

    def operation(self, kind: Any, n: int, *options: Any, make: Callable[[int], Any] | None = None) -> Any:
        """An object of a kind for n rows, that nobody else uses until the end of the body: `kind(device, *options, most)`, or
        what `make(most)` makes."""
        most = room_for(n)
        key = (get_ident(), self.device.context, self.device.current_stream.handle, kind, options, most)
        found = self._idle_one(key) if self._graph is None else None
        if found is None:
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
        if self._graph is None:
            return make()
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

    def discard(self, operation: Any) -> None:
        """Free an object at the end of the body instead of keeping it."""
        self._used = [(None if each is operation else key, each) for key, each in self._used]

    def hold(self, operation: Any) -> Callable[[], None]:
        """Let the caller have an object beyond the body; what is returned gives it back."""
        found = next(entry for entry in self._used if entry[1] is operation)
        self._used.remove(found)
        return partial(_keep, *found, self._stream)

    # Results

    def as_mask(self, made: Any) -> Any:
        """A result of u8 that is 0 or 1, as its library's truth values where it has such."""
        home = type(made).__module__.partition(".")[0]
        return made.view(sys.modules["torch"].bool) if home == "torch" else made.view("?") if home == "cupy" else made

    def result(self, n: int, element: type[Value]) -> tuple[Any, Array]:
        """(a new array of n elements of the caller's library, the same as one of ours)."""
        return self.result_of((n,), element)

    def result_of(self, shape: tuple[int, ...], element: type[Value]) -> tuple[Any, Array]:
        """The same of a shape."""
        if self._graph is None:
            made = empty_like(self.like, self.device, shape, element)
        else:
            with self.device.context.beside_captures():
                made = empty_like(self.like, self.device, shape, element)
        return made, self.ours(made, shape, element)

    def ours(self, made: Any, shape: tuple[int, ...], element: type[Value]) -> Array:
        """A result, which was made without gaps, as an array of ours."""
        if isinstance(made, Array):
            return made
        address = made.data_ptr() if hasattr(made, "data_ptr") else made.data.ptr
        return Array(self.device, Borrowed(self.device.context, address, made), element.isa, shape)

    @property
    def number(self) -> type[Value]:
        """The type of results that number rows: u32, which PyTorch does not index with, and there s32 of the same bits."""
        return s32 if type(self.like).__module__.partition(".")[0] == "torch" else u32

    def numbers(self, n: int) -> tuple[Any, Array]:
        """The same as `result` for row numbers, whose array of ours is of u32."""
        made, ours = self.result(n, self.number)
        return made, ours.view(u32)

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

    def copied(self, array: Array) -> Any:
        """A copy of memory that others will use, as a result."""
        made, ours = self.result(array.size, SCALARS[array.type.name])
        ours.copy_from(array)
        return made

    def copied_numbers(self, array: Array) -> Any:
        """The same of row numbers."""
        made, ours = self.numbers(array.size)
        ours.copy_from(array)
        return made


_launches = LaunchCache()


def launched_before(options: tuple[Any, ...], *arrays: Any) -> tuple[Any, bool]:
    """(a key for `remember`, whether the launches that are kept for these arrays and options were launched). An array that is
    still to be made, None, has none."""
    if any(array is None for array in arrays):
        return None, False
    key, known = _launches.find((options, get_ident()), *arrays)
    if known is not None:
        known.run(*arrays)
    return key, known is not None


def remember(key: Any, launches: Launches) -> None:
    """Keep what an object launched last, for `launched_before`."""
    if launches.last is not None and not running_captures:
        _launches.keep(key, launches.last)


def like_torch(x: Any, shape: tuple[int, ...] | None = None) -> Any:
    """A new tensor for a result of x's own type, and its shape where none is said, the quick way; None where x is no tensor of
    PyTorch's on a GPU."""
    if not hasattr(type(x), "new_empty") or not x.is_cuda:
        return None
    return x.new_empty(x.shape if shape is None else shape)


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
