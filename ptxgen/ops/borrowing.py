"""Arrays of other libraries where an operation is written for ours: the same memory, and the stream that they bring.

A method marked `takes_any_array` is given arrays of ours, whatever its caller has: PyTorch's, CuPy's, Numba's, JAX's, or any
with `__cuda_array_interface__` or DLPack. Its launches go to the stream chosen on the device, else to that of the first such
array, and are ordered with all others that have to do with the call, as `kernel[...]` orders them.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from driver_ctypes.errors import ClosedError
from driver_ctypes.interop.arrays import reader_of
from driver_ctypes.streams.stream import captures, order, running_captures
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device
from ptxgen.host.exchange import Borrowed
from ptxgen.host.machine import first_array
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import flat, prepare_chain
from ptxgen.ops.operands import empty_like, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from ptxgen.builder.values import Value
    from ptxgen.ops.launches import Plans

__all__ = ["Borrowing", "Launches", "as_array", "owner_of", "result_like", "takes_any_array"]

F = TypeVar("F", bound="Callable[..., Any]")


def as_array(name: str, array: Any, device: Device, stream: int = 0) -> tuple[Array, int | None]:
    """(an array of ours over the memory of any library's, which it keeps; its library's current stream, or None where work on
    `stream` may begin at once). BuildError for what is no array in this device's memory, or has gaps between its elements."""
    if isinstance(array, Array):
        return array, None
    if reader_of(array) is not None and not device.context.driver.foreign_pointers and not _on_host(array):
        raise BuildError(
            f"{name} is {type(array).__name__}, out of reach of {device.name}", hint="copy it there: dev.array(...)"
        )
    found = read(name, array, stream)
    if found.device is not device:
        raise BuildError(
            f"{name}: an array on {found.device.name}, this operation works on {device.name}", hint="copy it there"
        )
    if not found.contiguous:
        raise BuildError(
            f"{name} of shape {found.shape} has strides of {found.strides} bytes",
            hint="make it contiguous first: tensor.contiguous(), cupy.ascontiguousarray(array)",
        )
    memory = Borrowed(device.context, found.address, (array, found.keep))
    return Array(device, memory, found.type, found.shape), found.stream


def _on_host(array: Any) -> bool:
    """Whether an array that offers DLPack lies in host memory."""
    place = getattr(array, "__dlpack_device__", None)
    return place is not None and int(place()[0]) == 1


def result_like(array: Any, device: Device, element: type[Value], n: int | None = None) -> Any:
    """A new array of `n` elements, of as many as another one has by default, of the library that this is of."""
    count = math.prod(array.shape) if n is None and hasattr(array, "shape") else n or 0
    return empty_like(array, device, (count,), element)


def owner_of(array: Any) -> Any:
    """The other library's array that `as_array` made one of ours from; any other as it is."""
    memory = array.buffer if isinstance(array, Array) else None
    owner = getattr(memory, "owner", None)
    return owner[0] if isinstance(owner, tuple) else array


class Borrowing:
    """Arguments of one call, taken over one by one, and the stream that their work goes to. `ours`: memory of ours has to do with
    it in any case."""

    def __init__(self, device: Device, *, ours: bool) -> None:
        self.device = device
        self._ours = ours
        chosen = device.chosen_stream
        self._home = device.current_stream.handle
        self.stream = None if chosen is None else chosen.handle
        self._others: list[int] = []
        self._waiting: list[tuple[int, int]] = []
        self._use: AbstractContextManager[Any] | None = None

    def take(self, name: str, value: Any) -> Any:
        """An argument with arrays of ours in the place of others, alone, in a list or a dict; what is no array stays as it is."""
        if type(value) is Array:
            self._ours = True
            return value
        if type(value) in (list, tuple):
            return [self.take(f"{name}[{number}]", each) for number, each in enumerate(value)]
        if type(value) is dict:
            return {key: self.take(f"{name}[{key!r}]", each) for key, each in value.items()}
        if reader_of(value) is None:
            return value
        array, stream = as_array(name, value, self.device, self.stream or 0)
        if stream is not None:
            if self.stream is None:
                self.stream = stream
            self._others.append(stream)
        return array

    @property
    def leads(self) -> bool:
        """Whether the stream is another library's, and not one that was chosen."""
        return self._use is not None

    @property
    def waits(self) -> bool:
        """Whether streams wait for each other in the body."""
        return bool(self._waiting)

    @property
    def others(self) -> list[int]:
        """The streams that the one of the call waits for, and that wait for it. Memory of ours is used on the device's current
        stream. None where a graph is being recorded."""
        target = self._home if self.stream is None else self.stream
        others = [
            each for each in dict.fromkeys((*self._others, *([self._home] if self._ours else ()))) if each != target
        ]
        return [] if others and captures(self.device.context, target) else others

    def __enter__(self) -> Borrowing:
        """What is launched in the body goes to the stream, behind what the others have to do."""
        target = self._home if self.stream is None else self.stream
        self._waiting = [(target, other) for other in self.others]
        for _, other in self._waiting:
            order(self.device.context, first=other, then=target)
        if target != self._home:
            self._use = self.device.use(target)
            self._use.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        if self._use is not None:
            self._use.__exit__(*raised)
        for target, other in self._waiting:
            order(self.device.context, first=target, then=other)


class Launches:
    """The launches that operations make again and again, prepared: `run(plan, options, *arrays)` launches what
    `plan(*arrays, *options)` gives for arrays of ours, which it checks. An argument may be a list of arrays, or None.

    Of an object with scratch memory, on its device; functions have one without a device, that of their first array.
    """

    __slots__ = ("_cache", "_closed", "device")

    def __init__(self, device: Device | None = None) -> None:
        self.device = device
        self._cache = LaunchCache()
        self._closed = False

    def run(self, plan: Callable[..., Plans], options: tuple[Any, ...], *arrays: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        key, known, _ = self._cache.find((plan.__name__, *options) if options else plan.__name__, arrays)
        if known is not None:
            known.run(*arrays)
            return
        if self._closed:
            raise ClosedError("this operation is closed", hint="make it anew, and close it after its last call")
        names = plan.__code__.co_varnames[hasattr(plan, "__self__") :]
        device = self.device or first_array(tuple(flat(arrays)))[1]
        if device is None:
            plan(*arrays, *options)  # which says what is wrong
            raise BuildError(f"{names[0]} is no array in device memory", hint="dev.array(...)")
        borrowing = Borrowing(device, ours=self.device is not None)
        given = [borrowing.take(name, array) for name, array in zip(names, arrays)]
        with device.context.beside_captures() if running_captures else nullcontext():  # scratch memory of a first call
            plans = plan(*given, *options)
        if not plans:
            return
        prepared = prepare_chain(plans, device, borrowing.stream, _worked_with(plans, given))
        if borrowing.others:
            with borrowing:
                prepared.run(*given)
        else:
            prepared.run(*given)
            self._cache.keep(key, prepared)

    def close(self) -> None:
        """Launch nothing any more: ClosedError from now on."""
        self._closed = True
        self._cache.clear()


def _worked_with(plans: Plans, given: list[Any]) -> tuple[Array, ...]:
    """The arrays of plans that nobody gave: an object's own."""
    theirs = {id(array.buffer) for array in flat(given) if isinstance(array, Array)}
    used = [each for plan in plans for each in (plan.arguments if isinstance(plan, KernelPlan) else plan.arrays)]
    return tuple([each for each in used if isinstance(each, Array) and id(each.buffer) not in theirs])


def takes_any_array(function: F) -> F:
    """A function, or a method of an operation, that is given arrays of ours whatever it is called with. A method works on the
    device of its object (`self.device`), a constructor on that of its first argument, a function on that of its arrays."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    @wraps(function)
    def taking(*args: Any, **options: Any) -> Any:
        if _all_ours(args[1:] if names[0] == "self" else args) and (not options or _all_ours(options.values())):
            return function(*args, **options)
        device = _device_of(function.__name__, names, args)
        if device is None:
            return function(*args, **options)  # which says what is wrong
        borrowing = Borrowing(device, ours=names[0] == "self")
        taken = [borrowing.take(name, arg) for name, arg in zip(names, args)] + list(args[len(names) :])
        more = {name: borrowing.take(name, each) for name, each in options.items()}
        with borrowing:
            return function(*taken, **more)

    return cast("F", taking)


_PLAIN = frozenset({Array, Device, int, float, bool, str, type(None)})


def _all_ours(values: Iterable[Any]) -> bool:
    """Whether nothing among them can be another library's array."""
    for value in values:
        kind = type(value)
        if kind in _PLAIN:
            continue
        if not (kind in (list, tuple) and _all_ours(value)) and not (kind is dict and _all_ours(value.values())):
            return False
    return True


def _device_of(name: str, names: tuple[str, ...], args: tuple[Any, ...]) -> Device | None:
    if names[0] != "self":
        return first_array(args)[1]
    first = args[1] if name == "__init__" and len(args) > 1 else args[0]
    found = first if isinstance(first, Device) else getattr(first, "device", None)
    return found if isinstance(found, Device) else None
