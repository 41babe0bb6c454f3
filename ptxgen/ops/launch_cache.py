"""Launches that a program asks for again and again.

A call has a *form*: its options, its stream, and of each array the shape, the strides, the type of its elements and the device. Of
a form three things are kept: how new results are made, the launches for arrays at the same addresses, and how these are moved to
other addresses, where nothing but the addresses in them depends on where the arrays are.

    key, known, (out,) = _launches.find(options, (x,), (out,))
    if known is None:
        ...                                        # checks, makes the results that are None, plans
        known = prepare(plan, place, stream)
        _launches.keep(key, known, (x,), (out,))
    known.run(x, out)
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from driver_ctypes.interop.arrays import extents_of, foreign_ordinal, reader_of
from driver_ctypes.streams.stream import running_captures
from ptxgen.host import Array, device
from ptxgen.ops.operands import Transposed, address_of, maker_of, read
from ptxgen.ops.recorded import ADDRESS_UNIT, NotAFormError, Span, moved, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driver_ctypes.contexts.context import Context
    from ptxgen.host import Device
    from ptxgen.ops.launches import PreparedLaunch
    from ptxgen.ops.recorded import RecordedLaunch

__all__ = ["LaunchCache"]


class _Kept:
    """What is kept of a form."""

    __slots__ = ("launches", "makers", "movable")

    def __init__(self) -> None:
        self.launches: dict[tuple[int, ...], PreparedLaunch] = {}
        """By the arrays' addresses."""
        self.makers: tuple[Callable[[], Any] | None, ...] | None = None
        """Of the results that a call gives as None."""
        self.movable: dict[Any, _Movable] = {}
        """By where on `ADDRESS_UNIT` the arrays begin, and which are the same."""


class _Movable:
    """A launch, and the addresses that it was made for. `recorded` are its parts, once somebody asks for them: () where it cannot
    be moved."""

    __slots__ = ("addresses", "launch", "recorded")

    def __init__(self, launch: PreparedLaunch, addresses: tuple[int, ...]) -> None:
        self.launch, self.addresses = launch, addresses
        self.recorded: Sequence[RecordedLaunch] | None = None


class _Key(NamedTuple):
    """What a call is kept by; `given` are its results as `find` left them."""

    form: tuple[Any, ...]
    addresses: tuple[int, ...]
    given: Sequence[Any]


class LaunchCache:
    """Launches by the form and the addresses of their arrays."""

    __slots__ = ("_context", "_count", "_kept")
    most = 4096

    def __init__(self) -> None:
        self._kept: dict[Any, _Kept] = {}
        self._count = 0  # launches, of all forms
        self._context: Context | None = None  # that of the launch kept last

    def find(
        self, options: Any, arrays: Sequence[Any], results: Sequence[Any] = (), *, skip: bool = False
    ) -> tuple[_Key | None, PreparedLaunch | None, Sequence[Any]]:
        """(a key for `keep`, the launch for such arrays, the results). An array may be None, which stays out of it, or a list of
        several; results that are None are made where such a call has been kept, else they stay None. The key is None where
        nothing may be kept: for what are no arrays in device memory, for options that cannot be hashed, and where the caller says to
        `skip` all this."""
        if skip:
            return None, None, results
        form: list[Any] = [options]
        addresses: list[int] = []
        where: list[Any] = []
        if not _note((*arrays, *results), form, addresses, where):
            return None, None, results
        first = where[0]
        place = _gpu(first) if type(first) is int else first
        stream: int | None = None
        if place.chosen.stream is not None:
            chosen = place.chosen_stream
            if chosen is not None:
                stream = chosen.handle
                if chosen.owned:  # another stream may have its handle when it is closed
                    form.append(ref(chosen))
        else:
            for each in where:
                if type(each) is int:
                    stream = sys.modules["torch"]._C._cuda_getCurrentRawStream(each)
                    break
        form.append(stream)
        key = tuple(form)
        try:
            kept = self._kept.get(key)
        except TypeError:  # an option that is a list, which planning refuses
            return None, None, results
        if kept is None:
            return _Key(key, tuple(addresses), results), None, results
        if None in results and kept.makers is not None and not running_captures:
            results = [make() if make is not None else given for make, given in zip(kept.makers, results)]
            addresses += [address_of(each) for make, each in zip(kept.makers, results) if make is not None]
        at = tuple(addresses)
        known = kept.launches.get(at)
        if known is None or known.context.closed or None in [life.context for life in known.lives]:
            known = self._moved(kept, at, (*arrays, *results)) if kept.movable else None
            if known is None:
                return _Key(key, at, results), None, results
        return None, known, results

    def keep(self, key: _Key | None, launch: PreparedLaunch, results: Sequence[Any] = ()) -> None:
        """For the next `find` of the same; nothing where the key is None. The results are those of the call; of such as were
        None for `find`, which are there now, it is kept how they are made."""
        if key is None:
            return
        if self._count >= self.most:
            self.clear()
        if launch.context is not self._context:  # those of a context that was closed go
            for kept in self._kept.values():
                kept.launches = {at: each for at, each in kept.launches.items() if not each.context.closed}
                kept.movable = {at: each for at, each in kept.movable.items() if not each.launch.context.closed}
            self._context = launch.context
        kept = self._kept.setdefault(key.form, _Kept())
        made = [None if given is not None else maker_of(each) for given, each in zip(key.given, results)]
        at = key.addresses
        if any(made):
            kept.makers = tuple(made)
            at += tuple([address_of(each) for make, each in zip(made, results) if make is not None])
        kept.movable[_alignment(at)] = _Movable(launch, at)
        self._put(kept, at, launch)

    def clear(self) -> None:
        """Forget all of them."""
        self._kept.clear()
        self._count = 0

    def _put(self, kept: _Kept, at: tuple[int, ...], launch: PreparedLaunch) -> None:
        self._count += at not in kept.launches
        kept.launches[at] = launch

    def _moved(self, kept: _Kept, at: tuple[int, ...], arrays: Any) -> PreparedLaunch | None:
        """A kept launch with other addresses in it; None where there is none that they suit."""
        movable = kept.movable.get(_alignment(at))
        if movable is None or not movable.launch.usable:
            return None
        reach = [_extent(array) for array in _each(arrays)]
        if movable.recorded is None:
            movable.recorded = _recorded(movable, reach)
        spans = _spans(at, reach)
        if not movable.recorded or spans is None:
            return None
        launch = moved(movable.recorded, [span.begin for span in spans])
        if self._count >= self.most:
            kept.launches.clear()
        self._put(kept, at, launch)
        return launch


def _recorded(movable: _Movable, reach: Sequence[tuple[int, int]]) -> Sequence[RecordedLaunch]:
    """The parts of a launch, and where addresses of the arrays are in them; () where it cannot be moved."""
    spans = _spans(movable.addresses, reach)
    try:
        found = [] if spans is None else recorded([movable.launch], spans)
    except NotAFormError:
        return ()
    return () if any(not each.launch.arguments and each.places for each in found) else found


def _spans(at: Sequence[int], reach: Sequence[tuple[int, int]]) -> list[Span] | None:
    """The bytes of the arrays, each once; None where some share a part of their memory."""
    found = dict.fromkeys([Span(address + low, address + high) for address, (low, high) in zip(at, reach)])
    apart = sorted(found)
    return None if any(one.end > other.begin for one, other in pairwise(apart)) else list(found)


def _alignment(at: tuple[int, ...]) -> tuple[Any, ...]:
    """What of its addresses a launch may depend on: where they are on `ADDRESS_UNIT`, and which are the same."""
    return (*[each % ADDRESS_UNIT for each in at], *[at.index(each) for each in at])


def _note(arrays: Any, form: list[Any], addresses: list[int], where: list[Any]) -> bool:
    """Note what tells arrays from others, and where each is: a device of ours, or the number of PyTorch's. False where one is
    no array in device memory, or the first one is none."""
    for array in arrays:
        kind = type(array)
        if kind is Array:
            life = array._life
            addresses.append(array._address if life.context is not None else array.pointer)  # which says it is closed
            form += (array.shape, array.type.name, array.device)
            where.append(array.device)
        elif array is None:
            form.append(None)
        elif kind is list or kind is tuple:
            form.append(len(array))
            if not _note(array, form, addresses, where):
                return False
        elif kind is Transposed:
            form.append("transposed")
            if not _note((array.array,), form, addresses, where):
                return False
        elif hasattr(kind, "data_ptr"):
            number = array.get_device()
            if number < 0:
                return False
            addresses.append(array.data_ptr())
            form += (array.shape, array.stride(), array.dtype, number)
            where.append(number)
        elif not _note_other(array, form, addresses, where):
            return False
    return bool(where)


def _note_other(array: Any, form: list[Any], addresses: list[int], where: list[Any]) -> bool:
    """The same of an array of a library that is read through one of the protocols, with the stream that it brings."""
    reader = reader_of(array)
    number = None if reader is None else foreign_ordinal(array)
    if reader is None or number is None:
        return False
    place = _gpu(number)
    chosen = place.chosen_stream
    found = reader(array, 0 if chosen is None else chosen.handle)
    if found is None:
        return False
    addresses.append(found.address)
    form += (*extents_of(array, found), found.element, place, found.stream)
    where.append(place)
    return True


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
    found = _gpus.get(number)
    if found is None:
        found = _gpus[number] = device(f"cuda:{number}")
    return found


_gpus: dict[int, Device] = {}
