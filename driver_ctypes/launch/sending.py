"""One launch: its configuration is checked, its arguments are packed, and the driver is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.signature import Signature
from driver_ctypes.arguments.values import converter
from driver_ctypes.errors import ArgumentError, CudaError
from driver_ctypes.launch.attributes import launch_attributes
from driver_ctypes.launch.foreign import Placed, place
from driver_ctypes.launch.limits import Config, check_config
from driver_ctypes.launch.slot import LastLaunch, Slot
from driver_ctypes.streams.capturing import capture_of, running_captures
from driver_ctypes.streams.ordering import order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.streams.stream import StreamBase


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
