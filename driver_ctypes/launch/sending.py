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
from driver_ctypes.streams.capturing import capture_of
from driver_ctypes.streams.ordering import order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.streams.stream import StreamBase


def launch(
    function: LoadedKernel,
    grid: Any,
    block: Any,
    args: tuple[Any, ...],
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> None:
    """One launch; see `Function.launch`."""
    function.module.check_open()
    target = function.context.stream_from(stream)
    target.check_open()
    config, owners = configured(function, grid, block, shared, cluster, cooperative, attributes)
    signature = require_signature(function)
    slot = borrowed_slot(function, signature)
    slot.configure(config, target.handle)
    placed = place(function, signature, target, stream is None, args) if signature.pointers else None
    send(function, signature, slot, config, target, args, placed, owners)
    function.slots.append(slot)


def configured(
    function: LoadedKernel,
    grid: Any,
    block: Any,
    shared: int,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> tuple[Config, tuple[Any, ...]]:
    """(the configuration, checked, what its attributes keep alive)."""
    config = check_config(function, grid, block, shared, cluster, cooperative)
    if not attributes:
        return config, ()
    made, owners = launch_attributes(function.context, attributes, config.grid, config.cluster)
    return config._replace(attributes=made), owners


def borrowed_slot(function: LoadedKernel, signature: Signature) -> Slot:
    try:
        slot: Slot = function.slots.pop()
    except IndexError:
        slot = Slot(function, signature)
    return slot


def send(
    function: LoadedKernel,
    signature: Signature,
    slot: Slot,
    config: Config,
    stream: StreamBase,
    args: tuple[Any, ...],
    placed: Placed | None = None,
    owners: tuple[Any, ...] = (),
) -> None:
    """Pack *args* into *slot* and launch it with the context current; inside a capture, retain what it uses. *owners* are
    those of its attributes: memory, and events that it records.
    """
    context = function.context
    if context.poisoned is not None:
        context.check()
    others: tuple[int, ...] = ()
    handle = stream.handle
    if placed is not None:
        others, handle = placed.others, placed.stream
        slot.configure(config, handle)
    _pack(function, signature, slot, args if placed is None else placed.args)
    if context.deferred:
        context.collect()
    for other in others:
        order(context, first=other, then=handle)
    context.launches.last_launch = LastLaunch(function.name, config)
    code = context.run(slot.call)
    if code:
        raise launch_error(function, config, stream, code)
    for other in others:
        order(context, first=handle, then=other)
    capture = capture_of(context, handle)
    if capture is not None:
        used = [arg for arg in (*args, *owners) if not isinstance(arg, (int, float))]
        capture.retain(function.module, function, *used)


def _pack(function: LoadedKernel, signature: Signature, slot: Slot, args: tuple[Any, ...]) -> None:
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
