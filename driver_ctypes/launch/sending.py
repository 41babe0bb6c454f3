"""One launch: its configuration is checked, arrays of other libraries among its arguments get addresses, and streams that have to
do with them wait; the arguments are packed into a slot, which is what the driver is handed, and the driver is called.
"""

from __future__ import annotations

import ctypes
import struct

from driver_ctypes.abi.launch_structs import CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig
from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.arguments.signature import Signature, converter, located
from driver_ctypes.errors import ArgumentError
from driver_ctypes.interop.arrays import on_device_of, read_dlpack, reader_of, same_stream
from driver_ctypes.interop.elements import ElementType
from driver_ctypes.launch.attributes import launch_attributes
from driver_ctypes.launch.limits import Config, check_config
from driver_ctypes.primitives import cache, partial
from driver_ctypes.streams.stream import capture_of, captures, order, running_captures
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.arguments.parameter import ArrayStructure
    from driver_ctypes.errors import CudaError
    from driver_ctypes.interop.arrays import Reader
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
        if ours:  # the graph may run whenever it likes
            context.share_memory()
    return Placed(tuple(values), target if target != home else stream.handle, others, tuple(keep))


@cache
def _fits(given: ElementType | None, element: ElementType) -> bool:
    return given is not None and same_bits(given, element)


class _Typed(NamedTuple):
    """An array of which only the elements are known."""

    type: ElementType


_CONFIG = struct.Struct("<7I4xQQI4x")  # CUlaunchConfig: grid, block, shared bytes, stream, attributes, their number
_COOPERATIVE, _CLUSTER_DIMENSION = 2, 4  # CUlaunchAttributeID
_MOST_ATTRIBUTES = 16  # of one launch: as many as there are, and room


class Slot:
    """One launch's memory: argument bytes, pointers to them, configuration, and the call that sends them."""

    __slots__ = ("attributes", "buffer", "call", "config", "pointers")

    def __init__(self, function: LoadedKernel, signature: Signature) -> None:
        self.buffer: ctypes.Array[ctypes.c_char] = ctypes.create_string_buffer(signature.size or 1)
        base = ctypes.addressof(self.buffer)
        count = len(signature.params) or 1
        self.pointers: ctypes.Array[ctypes.c_void_p] = (ctypes.c_void_p * count)(*[base + o for o in signature.offsets])
        self.config: CUlaunchConfig = CUlaunchConfig()
        self.attributes: ctypes.Array[CUlaunchAttribute] = (CUlaunchAttribute * _MOST_ATTRIBUTES)()
        self.call: Callable[[], int] = partial(
            function.context.driver.untyped("cuLaunchKernelEx"),
            ctypes.byref(self.config),
            ctypes.c_void_p(function.handle),
            ctypes.byref(self.pointers),
            ctypes.c_void_p(),
        )

    def configure(self, config: Config, stream: int) -> None:
        """Set grid, block, shared memory, stream and attributes."""
        number = 0
        if config.cluster is not None:
            dims = self.attributes[number].value.clusterDim
            self.attributes[number].id = _CLUSTER_DIMENSION
            dims.x, dims.y, dims.z = config.cluster
            number += 1
        if config.cooperative:
            self.attributes[number].id = _COOPERATIVE
            self.attributes[number].value.cooperative = 1
            number += 1
        for attribute in config.attributes:
            self.attributes[number].id = attribute.number
            self.attributes[number].value = CUlaunchAttributeValue.from_buffer_copy(attribute.value)
            number += 1
        address = ctypes.addressof(self.attributes) if number else 0
        _CONFIG.pack_into(self.config, 0, *config.grid, *config.block, config.shared, stream, address, number)


class LastLaunch(NamedTuple):
    """What a fault's message says of the launch before it. It keeps neither kernel nor stream alive."""

    kernel: str
    config: Config

    def __str__(self) -> str:
        return f"kernel {self.kernel!r}, {self.config}"


class ConfiguredLaunch:
    """A kernel with a checked configuration and a stream: what each of its launches has in common.

    `launch_checked` is the way of every launch that is checked; a `Plan` is one that has a quick way as well. Where it
    *follows*, it was given no stream: arrays of a framework bring the framework's own.
    """

    def __init__(
        self, function: LoadedKernel, config: Config, stream: StreamBase, follows: bool, owners: tuple[Any, ...] = ()
    ) -> None:
        self.function = function
        self.signature: Signature = require_signature(function)
        self.config = config
        self.stream = stream
        self.follows = follows
        self.owners = owners
        """What its attributes keep alive: memory, and events that it records."""
        self.launched: LastLaunch = LastLaunch(function.name, config)

    def launch_checked(self, args: tuple[Any, ...]) -> None:
        """Check what may have changed since it was made, and the arguments; then launch."""
        function, stream = self.function, self.stream
        function.module.check_open()
        stream.check_open()
        try:
            slot: Slot = function.slots.pop()
        except IndexError:
            slot = Slot(function, self.signature)
        slot.configure(self.config, stream.handle)
        self.send(slot, args)
        function.slots.append(slot)

    def send(self, slot: Slot, args: tuple[Any, ...], placed: Placed | None = None) -> None:
        """Pack *args* into *slot*, which is configured, and launch it with the context current. Inside a capture, retain what
        it uses. *placed* is what `place` found of *args*, where that was asked already.
        """
        function, context = self.function, self.function.context
        if context.poisoned is not None:
            context.check()
        if placed is None and context.driver.foreign_pointers and self.signature.arrays:
            placed = place(function, self.signature, self.stream, self.follows, args)
        others: tuple[int, ...] = ()
        handle, values = self.stream.handle, args
        if placed is not None:
            others, handle, values = placed.others, placed.stream, placed.args
            slot.configure(self.config, handle)
        pack_arguments(function, self.signature, slot, values)
        if context.deferred:
            context.collect()
        for other in others:
            order(context, first=other, then=handle)
        context.launches.last_launch = self.launched
        code = context.run(slot.call)
        if code:
            raise launch_error(function, self.config, self.stream, code)
        for other in others:
            order(context, first=handle, then=other)
        if running_captures:
            self._retain(handle, args)

    def _retain(self, handle: int, args: tuple[Any, ...]) -> None:
        """Where the launch became a node of a graph, the graph keeps what it uses."""
        capture = capture_of(self.function.context, handle)
        if capture is not None:
            used = [arg for arg in (*args, *self.owners) if not isinstance(arg, (int, float))]
            capture.retain(self.function.module, self.function, *used)


def configure_launch(
    function: LoadedKernel,
    grid: Any,
    block: Any,
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> ConfiguredLaunch:
    """A launch with its configuration checked; see `Function.launch`."""
    return ConfiguredLaunch(
        function, *checked_parts(function, grid, block, shared, stream, cluster, cooperative, attributes)
    )


def checked_parts(
    function: LoadedKernel,
    grid: Any,
    block: Any,
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> tuple[Config, StreamBase, bool, tuple[Any, ...]]:
    """What a `ConfiguredLaunch` has beside its kernel: configuration, stream, whether it follows, owners."""
    function.module.check_open()
    target: StreamBase = function.context.stream_from(stream)
    target.check_open()
    config = check_config(function, grid, block, shared, cluster, cooperative)
    owners: tuple[Any, ...] = ()
    if attributes:
        made, owners = launch_attributes(function.context, attributes, config.grid, config.cluster)
        config = config._replace(attributes=made)
    return config, target, stream is None, owners


def pack_arguments(function: LoadedKernel, signature: Signature, slot: Slot, args: tuple[Any, ...]) -> None:
    """Arguments into the slot: first the quick way, and where that fails the careful one, which says why."""
    converters = function.converters
    if converters is None:
        context, name = function.context, function.name
        converters = [converter(param, i, context, name) for i, param in enumerate(signature.params)]
        function.converters = converters
    if len(args) == len(converters):
        try:
            values = [arg if convert is None else convert(arg) for arg, convert in zip(args, converters)]
            signature.packing.pack_into(slot.buffer, 0, *values)
        except Exception:
            signature.convert(args, function.context, function.name)
            raise
        return
    raise signature.miscounted(len(args), function.name)


def require_signature(function: LoadedKernel) -> Signature:
    """The kernel's signature. Raises ArgumentError where neither the caller nor the driver told it."""
    if function.signature is None:
        raise ArgumentError(
            f"the parameters of kernel {function.name!r} are not known: a driver before CUDA 12.4 cannot tell them",
            hint="load the module with signatures={name: Signature([...])}",
        )
    return function.signature


def launch_error(function: LoadedKernel, config: Config, stream: StreamBase, code: int) -> CudaError:
    """The exception for a launch that the driver refused."""
    detail = f"launching kernel {function.name!r}, {config}, on {stream!r}"
    return function.context.error("cuLaunchKernelEx", code, detail=detail)
