"""Launches through ``cuLaunchKernelEx``: checked once, then as few Python steps as ctypes allows.

A *slot* is everything one launch hands to the driver: packed arguments, the pointers to them, the configuration, and
the prepared call. Whoever launches takes a slot from the plan's pool and gives it back, so that no two threads (and no
finalizer in the middle of a launch) ever share an argument buffer. An empty pool is also the one gate of the quick
path: closing, forking and capturing empty it, and the next launch goes through `Plan.checked`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchConfig
from driver_ctypes.errors import ArgumentError, CudaError
from driver_ctypes.limits import Config, check_config
from driver_ctypes.memory import Buffer
from driver_ctypes.signature import Signature, converter

if TYPE_CHECKING:
    from driver_ctypes.module import Function
    from driver_ctypes.stream import Stream

Launcher = Callable[..., None]

_CONFIG = struct.Struct("<7I4xQQI4x")  # CUlaunchConfig: grid, block, shared bytes, stream, attributes, their number
_COOPERATIVE, _CLUSTER_DIMENSION = 2, 4  # CUlaunchAttributeID

# The function's or stream's context is not current on this thread: make it so and try once more. Where handle and
# context are given by the stream, a driver may do without, so the quick path does not ask first.
_NEEDS_CONTEXT = (201, 400)

_OF_CURRENT_CONTEXT = (0, 1, 2)  # NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the current context's

_MISSING = object()


class Slot:
    """One launch's memory: argument bytes, pointers to them, configuration, and the call that sends them."""

    __slots__ = ("attributes", "buffer", "call", "config", "pointers")

    def __init__(self, function: Function, signature: Signature) -> None:
        self.buffer = ctypes.create_string_buffer(signature.size or 1)
        base = ctypes.addressof(self.buffer)
        self.pointers = (ctypes.c_void_p * (len(signature.params) or 1))(*[base + o for o in signature.offsets])
        self.config = CUlaunchConfig()
        self.attributes = (CUlaunchAttribute * 2)()
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
        address = ctypes.addressof(self.attributes) if number else 0
        _CONFIG.pack_into(self.config, 0, *config.grid, *config.block, config.shared, stream, address, number)


class LastLaunch(NamedTuple):
    """What a fault's message says of the launch before it. It keeps neither kernel nor stream alive."""

    kernel: str
    config: Config

    def __str__(self) -> str:
        return f"kernel {self.kernel!r}, {self.config}"


class Plan:
    """A launch configuration of one kernel on one stream, checked, with the slots that threads share out."""

    def __init__(self, function: Function, config: Config, stream: Stream) -> None:
        self.function = function
        self.config = config
        self.stream = stream
        self.signature = require_signature(function)
        self.slots: list[tuple[Any, Callable[[], int], Slot]] = []
        function.context._plans.add(self)

    def checked(self, args: tuple[Any, ...]) -> None:
        """A launch that checks everything, and leaves its slot for quick ones unless the stream captures."""
        self.function.module._check_open()
        self.stream._check_open()
        slot = Slot(self.function, self.signature)
        slot.configure(self.config, self.stream.handle)
        send(self.function, self.signature, slot, self.config, self.stream, args)
        if self.stream._capture is None:
            self.slots.append((slot.buffer, slot.call, slot))

    def failed(self, code: int, args: tuple[Any, ...]) -> None:
        """What to do about a quick launch that returned *code*."""
        if code not in _NEEDS_CONTEXT:
            raise launch_error(self.function, self.config, self.stream, code)
        self.checked(args)


def bind(
    function: Function, grid: Any, block: Any, shared: int, stream: Any, cluster: Any, cooperative: bool
) -> Launcher:
    """A launcher; see `Function.bind`."""
    function.module._check_open()
    target = function.context.stream_from(stream)
    target._check_open()
    plan = Plan(function, check_config(function, grid, block, shared, cluster, cooperative), target)
    return _launcher(plan)


def launch(
    function: Function,
    grid: Any,
    block: Any,
    args: tuple[Any, ...],
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
) -> None:
    """One launch; see `Function.launch`."""
    function.module._check_open()
    target = function.context.stream_from(stream)
    target._check_open()
    config = check_config(function, grid, block, shared, cluster, cooperative)
    signature = require_signature(function)
    try:
        slot = function._slots.pop()
    except IndexError:
        slot = Slot(function, signature)
    slot.configure(config, target.handle)
    send(function, signature, slot, config, target, args)
    function._slots.append(slot)


def send(
    function: Function, signature: Signature, slot: Slot, config: Config, stream: Stream, args: tuple[Any, ...]
) -> None:
    """Pack *args* into *slot* and launch it with the context current; inside a capture, retain what it uses."""
    context = function.context
    _pack(function, signature, slot, args)
    if context._deferred:
        context.collect()
    context._last_launch = LastLaunch(function.name, config)
    previous = context._enter()
    try:
        code = slot.call()
    finally:
        if previous:
            context._leave(previous)
    if code:
        raise launch_error(function, config, stream, code)
    if stream._capture is not None:
        stream._capture.retain(function.module, function, *[arg for arg in args if not isinstance(arg, (int, float))])


def _pack(function: Function, signature: Signature, slot: Slot, args: tuple[Any, ...]) -> None:
    """Arguments into the slot: first the quick way, and where that fails the careful one, which says why."""
    converters = function._converters
    if converters is None:
        context, name = function.context, function.name
        converters = [converter(param, i, context, name) for i, param in enumerate(signature.params)]
        function._converters = converters
    if len(args) == len(converters):
        try:
            values = [arg if convert is None else convert(arg) for arg, convert in zip(args, converters)]
            signature.packing.pack_into(slot.buffer, 0, *values)
        except Exception:
            signature.convert(args, function.context, function.name)
            raise
        return
    raise signature.miscounted(len(args), function.name)


def require_signature(function: Function) -> Signature:
    """The kernel's signature. Raises ArgumentError where neither the caller nor the driver told it."""
    if function.signature is None:
        raise ArgumentError(
            f"the parameters of kernel {function.name!r} are not known: a driver before CUDA 12.4 cannot tell them",
            hint="load the module with signatures={name: Signature([...])}",
        )
    return function.signature


def launch_error(function: Function, config: Config, stream: Stream, code: int) -> CudaError:
    """The exception for a launch that the driver refused."""
    detail = f"launching kernel {function.name!r}, {config}, on {stream!r}"
    return function.context._error("cuLaunchKernelEx", code, detail=detail)


# --- the generated launcher -------------------------------------------------------------------------------------------


def _launcher(plan: Plan) -> Launcher:
    """A function made for the plan's signature: takes a slot, packs, calls, gives the slot back. No loop, no lookup."""
    function, context, signature = plan.function, plan.function.context, plan.signature
    names: dict[str, Any] = {
        "_": _MISSING,
        "take": plan.slots.pop,
        "give": plan.slots.append,
        "pack": signature.packing.pack_into,
        "checked": plan.checked,
        "failed": plan.failed,
        "context": context,
        "Buffer": Buffer,
        "last": LastLaunch(function.name, plan.config),
        "enter": context._enter,
        "leave": context._leave,
    }
    quick = []
    for index, param in enumerate(signature.params):
        convert = converter(param, index, context, function.name)
        names[f"c{index}"] = convert
        quick.append("as it is" if convert is None else "pointer" if param.kind == "pointer" else "convert")
    exec(_source(tuple(quick), plan.stream.handle in _OF_CURRENT_CONTEXT), names)
    launcher: Launcher = names.pop("launcher")  # no cycle: names are its globals
    launcher.__name__ = launcher.__qualname__ = function.name
    launcher.__doc__ = f"Launch {names['last']}: {function.name}{signature}"
    return launcher


_TEMPLATE = """
def launcher({parameters}):
    if {wrong_count}:
        return checked({given})
    try:
        slot = take()
    except IndexError:
        return checked({arguments})
    try:
        pack(slot[0], 0{packed})
    except Exception:
        return checked({arguments})
    context._last_launch = last
    {call}
    give(slot)
    if code:
        failed(code, {arguments})
"""

# An address, an open buffer of this context, or whatever the converter makes of it. (A closed context has revoked the
# plan's slots, so that its buffers do not get here.)
_POINTER = """(
            a{0} if type(a{0}) is int
            else a{0}._address if type(a{0}) is Buffer and a{0}.context is context and not a{0}._closed
            else c{0}(a{0})
        )"""

_CALL = "code = slot[1]()"
_CALL_WITH_CONTEXT = """previous = enter()
    code = slot[1]()
    if previous:
        leave(previous)"""


@cache
def _source(quick: tuple[str, ...], default_stream: bool) -> Any:
    """The launcher's code for parameters that are converted as *quick* says. The default stream means the *current*
    context's, so the context is made current first.
    """
    names = [f"a{i}" for i in range(len(quick))]
    forms = {"as it is": "a{0}", "convert": "c{0}(a{0})", "pointer": _POINTER}
    source = _TEMPLATE.format(
        parameters=", ".join([*[f"{name}=_" for name in names], *(["/"] if names else []), "*more"]),
        wrong_count=f"{names[-1]} is _ or more" if names else "more",
        given=f"tuple([a for a in ({', '.join([*names, ''])}) if a is not _]) + more" if names else "more",
        arguments=f"({', '.join(names)},)" if names else "()",
        packed="".join([", " + forms[how].format(i) for i, how in enumerate(quick)]),
        call=_CALL_WITH_CONTEXT if default_stream else _CALL,
    )
    return compile(source, "<driver_ctypes launcher>", "exec")
