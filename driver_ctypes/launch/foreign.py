"""Arrays of other libraries among the arguments of a launch: their addresses, and the streams that have to do with them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.arguments.values import located
from driver_ctypes.errors import ArgumentError
from driver_ctypes.interop.arrays import Reader, on_device_of, read_dlpack, reader_of
from driver_ctypes.interop.elements import ElementType
from driver_ctypes.interop.streams import same_stream
from driver_ctypes.streams.ordering import captures

if TYPE_CHECKING:
    from driver_ctypes.arguments.parameter import ArrayStructure
    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.streams.stream import StreamBase


class Placed(NamedTuple):
    """Arguments with addresses in the place of other libraries' arrays, and the streams that have to do with them."""

    args: tuple[Any, ...]
    stream: int
    """Where the launch goes."""
    others: tuple[int, ...]
    """Streams whose earlier work the launch waits for, and whose later work waits for the launch."""
    keep: tuple[Any, ...]


def place(
    function: LoadedKernel, signature: Signature, stream: StreamBase, follows: bool, args: tuple[Any, ...]
) -> Placed | None:
    """Read the arrays of other libraries among *args*; None where there are none.

    The launch goes to *stream*; where it *follows*, to the stream of the first such array. Every other stream with a
    stake (their frameworks' current ones, and *stream* itself where memory of this package is used elsewhere) becomes
    one of ``others``, unless a graph is being recorded. Raises the errors of `Signature.convert`.
    """
    context = function.context
    if len(args) != len(signature.params) or not context.driver.foreign_pointers:
        return None
    theirs: list[tuple[int, Reader]] = []
    ours = False
    for index in signature.arrays:
        value = args[index]
        if type(value) is not int:
            reader = reader_of(value)
            if reader is not None:
                theirs.append((index, reader))
            elif hasattr(value, "_life"):
                ours = True
    if not theirs:
        return None
    return _placed(function, signature, stream, follows, args, theirs, ours)


def _placed(
    function: LoadedKernel,
    signature: Signature,
    stream: StreamBase,
    follows: bool,
    args: tuple[Any, ...],
    theirs: list[tuple[int, Reader]],
    ours: bool,
) -> Placed | None:
    context = function.context
    ordinal = context.device.ordinal
    home = target = same_stream(stream.handle)
    values, keep = list(args), []
    streams: list[int] = []
    if len(theirs) > 1 and theirs[0][1] is read_dlpack:
        # Those that tell their stream come first: the others are made ready for the stream that is chosen so.
        theirs = sorted(theirs, key=lambda entry: entry[1] is read_dlpack)
    for index, reader in theirs:
        param = signature.params[index]
        try:
            found = reader(args[index], target)
            if found is None:
                return None  # host memory: the careful conversion says so
            if found.ordinal != ordinal:
                on_device_of(context, found, args[index])
            if param.structure is not None:
                made = cast("ArrayStructure", param.structure).over(found.address, args[index], context, found)
            elif param.aligned > 1 or not (param.element is None or _fits(found.element, param.element)):
                param.check_pointee(args[index] if found.element is None else _Typed(found.element), found.address)
        except ArgumentError as error:
            raise located(error, param, index, function.name) from None
        values[index] = found.address if param.structure is None else made
        if found.keep is not None:
            keep.append(found.keep)
        if found.stream is not None:
            if follows and not streams:
                target = found.stream
            streams.append(found.stream)
    if ours:
        streams.append(home)
    others = tuple(dict.fromkeys([s for s in streams if s != target]))
    if others and (stream.active_capture is not None or captures(context, target)):
        others = ()
    return Placed(tuple(values), target if target != home else stream.handle, others, tuple(keep))


@cache
def _fits(given: ElementType | None, element: ElementType) -> bool:
    return given is not None and same_bits(given, element)


class _Typed(NamedTuple):
    """An array of which only the elements are known."""

    type: ElementType
