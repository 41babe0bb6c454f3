"""Launches that a program asks for again and again.

A call has a *form*: its options, its stream, and of each array the shape, the strides, the type of its elements and the device.
Kept are launches by the form and the addresses of their arrays; and by the form alone how new results are made, and how a launch
is moved to other addresses, where nothing but the addresses in it depends on where the arrays are.

    key, known, (out,) = _launches.find(options, (x,), (out,))
    if known is None:
        ...                                        # checks, makes the results that are None, plans
        known = prepare(plan, place, stream)
        _launches.keep(key, known, (out,))
    known.run(x, out)
"""

from __future__ import annotations

import struct
import sys
from math import copysign
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from driver_ctypes.interop.arrays import extents_of, foreign_ordinal, reader_of, same_stream
from driver_ctypes.streams.stream import running_captures
from ptxgen.host import Array, device
from ptxgen.ops.operands import Transposed, address_of, maker_of, read
from ptxgen.ops.recorded import ADDRESS_UNIT, NotAFormError, Span, are_apart, moved, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driver_ctypes.contexts.context import Context
    from ptxgen.host import Device
    from ptxgen.ops.launches import PreparedLaunch
    from ptxgen.ops.recorded import RecordedLaunch

__all__ = ["LaunchCache", "exact"]


class _Maker(NamedTuple):
    """How a result is made that a call gives as None: which one, counted from the last, what makes it, and its form."""

    place: int
    make: Callable[[], Any]
    form: tuple[Any, ...]


class _Kept:
    """What is kept of a form."""

    __slots__ = ("makers", "movable")

    def __init__(self) -> None:
        self.makers: Sequence[_Maker] = ()
        self.movable: dict[Any, _Movable] = {}
        """By where on `ADDRESS_UNIT` the arrays begin, and which are the same."""


class _Movable:
    """A launch, and the addresses that it was made for. `recorded` are its parts, once somebody asks for them: () where it cannot
    be moved."""

    __slots__ = ("addresses", "launch", "recorded")

    def __init__(self, launch: PreparedLaunch, addresses: tuple[int, ...]) -> None:
        self.launch, self.addresses = launch, addresses
        self.recorded: Sequence[RecordedLaunch] | None = None


class _Call:
    """What is kept of a call with certain arrays: how the results are made that it gives as None, and its launches by the
    addresses of these, one for each place that they were made at; () where there are none."""

    __slots__ = ("launches", "makers")

    def __init__(self, makers: Sequence[_Maker] = ()) -> None:
        self.makers = makers
        self.launches: dict[tuple[int, ...], PreparedLaunch] = {}


class _Key(NamedTuple):
    """What a call is kept by: its options, a tuple for each array, of its address and its form, and the stream; `given` are its
    results as they were given."""

    found: list[Any]
    given: Sequence[Any]


class LaunchCache:
    """Launches by the form and the addresses of their arrays."""

    __slots__ = ("_calls", "_context", "_count", "_kept")
    most = 4096

    def __init__(self) -> None:
        self._calls: dict[Any, _Call] = {}
        self._count = 0  # of their launches
        self._kept: dict[Any, _Kept] = {}  # by form
        self._context: Context | None = None  # that of the launch kept last

    def find(
        self, options: Any, arrays: Sequence[Any], results: tuple[Any, ...] = (), *, skip: bool = False
    ) -> tuple[_Key | None, PreparedLaunch | None, tuple[Any, ...]]:
        """(a key for `keep`, the launch for such arrays, the results). An array may be None, which stays out of it, or a list of
        several; results that are None are made where such a call has been kept, else they stay None. The key is None where
        nothing may be kept: for what are no arrays in device memory, for options that cannot be hashed, and where the caller
        says to `skip` all this."""
        if skip:
            return None, None, results
        kind = type(options)
        plain = kind is str or (kind is tuple and _PLAIN.issuperset(map(type, options)))
        found: list[Any] = [options if plain else exact(options)]
        place: Device | None = None
        ours = True
        keeps: list[Any] = []
        for array in (*arrays, *results) if results else arrays:
            if type(array) is Array and array._life.context is not None:
                found.append(array._place)
                if place is None:
                    place = array.device
            elif array is None:
                found.append(None)
            else:
                ours = False
                where = _note(array, found, keeps)
                if where is None:
                    return None, None, results
                place = place or where
        if place is None:
            return None, None, results
        found.append(None if ours and place.chosen.stream is None else _stream_of(place, found))
        try:
            call = self._calls.get(tuple(found))
        except TypeError:  # an option that is a list, which planning refuses
            return None, None, results
        if call is None:
            call = self._new_call(found, results)
        made, placed = results, found
        addresses: tuple[int, ...] = ()
        if call is not None:
            if call.makers:
                if running_captures:
                    return _Key(found, results), None, results
                made, addresses = _made(call.makers, results)
            known = call.launches.get(addresses)
            if known is not None and not known.context.closed:
                for life in known.lives:
                    if life.context is None:
                        break
                else:
                    return None, known if not keeps else known.changed(keeps=keeps), made
            if addresses:
                placed = list(found)
                for maker, address in zip(call.makers, addresses):
                    placed[maker.place - 1] = (address, *maker.form)
        known = self._moved(placed, (*arrays, *made), call, addresses)
        if known is None:  # what was made is dropped: the caller makes what it plans for
            return _Key(found, results), None, results
        return None, known if not keeps else known.changed(keeps=keeps), made

    def keep(self, key: _Key | None, launch: PreparedLaunch, results: Sequence[Any] = ()) -> None:
        """For the next `find` of the same; nothing where the key is None. The results are those of the call; of such as were
        None for `find`, which are there now, it is kept how they are made."""
        if key is None:
            return
        if launch.context is not self._context:
            self._forget_closed()
            self._context = launch.context
        found, makers = list(key.found), []
        for index, (given, result) in enumerate(zip(key.given, results), -len(results)):
            if given is None and result is not None:
                noted: list[Any] = []
                _note(result, noted, [])
                found[index - 1] = noted[0]  # they stand last, before the stream
                makers.append(_Maker(index, maker_of(result, launch.stream), noted[0][1:]))
        call, addresses = None, tuple([found[maker.place - 1][0] for maker in makers])
        if makers:
            self._kept.setdefault(_form_of(key.found), _Kept()).makers = makers
            call = self._calls.setdefault(tuple(key.found), _Call())
            call.makers = makers
        kept = self._kept.setdefault(_form_of(found), _Kept())
        at = _addresses_of(found)
        kept.movable[_alignment(at)] = _Movable(launch, at)
        self._put(found, call, addresses, launch)

    def clear(self) -> None:
        """Forget all of them."""
        self._calls.clear()
        self._kept.clear()
        self._count = 0

    def _forget_closed(self) -> None:
        """Let go of what has to do with contexts that are closed."""
        for key, call in list(self._calls.items()):
            if all(launch.context.closed for launch in call.launches.values()):
                del self._calls[key]
        for kept in self._kept.values():
            kept.movable = {at: each for at, each in kept.movable.items() if not each.launch.context.closed}
        self._count = sum(len(call.launches) for call in self._calls.values())

    def _put(self, found: list[Any], call: _Call | None, addresses: tuple[int, ...], launch: PreparedLaunch) -> None:
        if self._count >= self.most:
            self.clear()
        self._count += 1
        if call is None:
            call = self._calls[tuple(found)] = _Call()
        call.launches[addresses] = launch

    def _new_call(self, found: list[Any], results: tuple[Any, ...]) -> _Call | None:
        """For a call with results that are None, where it is known how these are made."""
        for result in results:
            if result is None:
                break
        else:
            return None
        kept = self._kept.get(_form_of(found))
        if kept is None or not kept.makers:
            return None
        call = self._calls[tuple(found)] = _Call(kept.makers)
        return call

    def _moved(
        self, found: list[Any], arrays: Any, call: _Call | None, addresses: tuple[int, ...]
    ) -> PreparedLaunch | None:
        """A kept launch with other addresses in it; None where there is none that they suit."""
        kept = self._kept.get(_form_of(found))
        if kept is None:
            return None
        at = _addresses_of(found)
        movable = kept.movable.get(_alignment(at))
        if movable is None or not movable.launch.usable:
            return None
        reach = [_extent(array) for array in _each(arrays)]
        if movable.recorded is None:
            movable.recorded = _recorded(movable, reach)
        spans = _spans(at, reach)
        if not movable.recorded or not are_apart(spans):
            return None
        launch = moved(movable.recorded, [span.begin for span in spans])
        self._put(found, call, addresses, launch)
        return launch


def _made(makers: Sequence[_Maker], results: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """(the results with new ones for None, the addresses of these)."""
    if len(results) == 1:
        made = makers[0].make()
        return (made,), (address_of(made),)
    all_ = list(results)
    for place, make, _ in makers:
        all_[place] = make()
    return tuple(all_), tuple([address_of(all_[maker.place]) for maker in makers])


_PLAIN = frozenset({str, int, bool, type(None)})
"""Options of which those that are equal are the same."""


def exact(options: Any) -> Any:
    """Options as a key has them: -0.0, which is equal to 0.0, and NaN, which is not equal to itself, by their bits."""
    if isinstance(options, tuple):
        for each in options:
            if type(each) is not str and exact(each) is not each:
                return tuple([exact(each) for each in options])
    elif isinstance(options, float) and (options != options or (not options and copysign(1.0, options) < 0)):
        return "float", struct.pack("<d", options)
    return options


def _form_of(found: Sequence[Any]) -> tuple[Any, ...]:
    """A call's key without the addresses."""
    options, *rest = found
    return (options, *[each[1:] if type(each) is tuple else each for each in rest])


def _addresses_of(found: Sequence[Any]) -> tuple[int, ...]:
    return tuple([each[0] for each in found[1:] if type(each) is tuple])


def _recorded(movable: _Movable, reach: Sequence[tuple[int, int]]) -> Sequence[RecordedLaunch]:
    """The parts of a launch, and where addresses of the arrays are in them; () where it cannot be moved."""
    try:
        return recorded([movable.launch], _spans(movable.addresses, reach))
    except NotAFormError:
        return ()


def _spans(at: Sequence[int], reach: Sequence[tuple[int, int]]) -> list[Span]:
    """The bytes of the arrays, each once."""
    return list(dict.fromkeys([Span(address + low, address + high) for address, (low, high) in zip(at, reach)]))


def _alignment(at: tuple[int, ...]) -> tuple[Any, ...]:
    """What of its addresses a launch may depend on: where they are on `ADDRESS_UNIT`, and which are the same."""
    return (*[each % ADDRESS_UNIT for each in at], *[at.index(each) for each in at])


def _note(array: Any, found: list[Any], keeps: list[Any]) -> Device | None:
    """Note what tells an array, its address first, or several in a list: where it is, the first one's device. None for what is no
    array in device memory. ClosedError for one of ours that is closed. What must live until the launch goes to `keeps`."""
    kind = type(array)
    if hasattr(kind, "data_ptr"):
        number = array.get_device()
        if number < 0:
            return None
        found.append((array.data_ptr(), array.shape, array.stride(), array.dtype, number))
        return _gpus.get(number) or _gpu(number)
    if kind is Array:
        found.append((array._here, *array._place[1:]))
        where: Device = array.device
        return where
    if kind is list or kind is tuple:
        found.append(len(array))
        places = []
        for each in array:
            if each is None:
                found.append(None)
            else:
                places.append(_note(each, found, keeps))
        return places[0] if places and None not in places else None
    if kind is Transposed:
        found.append("transposed")
        return _note(array.array, found, keeps)
    return _note_other(array, found, keeps)


def _note_other(array: Any, found: list[Any], keeps: list[Any]) -> Device | None:
    """The same of an array of a library that is read through one of the protocols, with the stream that it brings."""
    reader = reader_of(array)
    number = None if reader is None else foreign_ordinal(array)
    if reader is None or number is None:
        return None
    place = _gpus.get(number) or _gpu(number)
    chosen = place.chosen_stream
    read_ = reader(array, 0 if chosen is None else chosen.handle)
    if read_ is None:
        return None
    if read_.keep is not None:
        keeps.append(read_.keep)
    if read_.stream and same_stream(read_.stream):
        place.context.share_memory()
    found.append((read_.address, *extents_of(array, read_), read_.element, read_.stream, place))
    return place


def _stream_of(place: Device, found: list[Any]) -> Any:
    """The stream of a call: that chosen on the device, else PyTorch's current one; None for the default one, and for that which
    other libraries' arrays bring."""
    if place.chosen.stream is not None:
        chosen = place.chosen_stream
        if chosen is not None:  # another stream may have its handle when it is closed
            return ref(chosen) if chosen.owned else chosen.handle
        return None
    for each in found[1:]:
        if type(each) is tuple and type(each[-1]) is int:
            stream = sys.modules["torch"]._C._cuda_getCurrentRawStream(each[-1])
            if stream:  # on which results of ours may be used
                place.context.share_memory()
            return stream
    return None


def _each(arrays: Any) -> Iterator[Any]:
    """The arrays whose addresses are noted, in their order."""
    for array in arrays:
        if isinstance(array, (list, tuple)):
            yield from _each(array)
        elif array is not None:
            yield array.array if type(array) is Transposed else array


def _extent(array: Any) -> tuple[int, int]:
    """(the first byte of an array, the one behind its last), from its address on."""
    operand = read("array", array)
    if 0 in operand.shape:
        return 0, 0
    steps = [(extent - 1) * stride for extent, stride in zip(operand.shape, operand.strides)]
    return sum(min(each, 0) for each in steps), sum(max(each, 0) for each in steps) + operand.element.isa.bytes


def _gpu(number: int) -> Device:
    found = _gpus[number] = device(f"cuda:{number}")
    return found


_gpus: dict[int, Device] = {}
