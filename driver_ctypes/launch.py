"""Launches through ``cuLaunchKernelEx``: checked once, then as few Python steps as ctypes allows.

A *slot* is everything one launch hands to the driver: packed arguments, the pointers to them, the configuration, and
the prepared call. Whoever launches takes a slot from the plan's pool and gives it back, so that no two threads (and no
finalizer in the middle of a launch) ever share an argument buffer. Every plan has a guard: closing, forking, capturing
and faults set it, and the next launch goes through `Plan.checked`, which opens the way again.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes import dlpack, interop, trampoline
from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig
from driver_ctypes.errors import ArgumentError, CudaError
from driver_ctypes.event import Event
from driver_ctypes.launchattributes import launch_attributes
from driver_ctypes.limits import Config, check_config
from driver_ctypes.memory import Buffer
from driver_ctypes.signature import ElementType, Parameter, Signature, converter, located, same_bits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.module import Function
    from driver_ctypes.stream import Stream

Launcher = Callable[..., None]

_CONFIG = struct.Struct("<7I4xQQI4x")  # CUlaunchConfig: grid, block, shared bytes, stream, attributes, their number
_COOPERATIVE, _CLUSTER_DIMENSION = 2, 4  # CUlaunchAttributeID
_MOST_ATTRIBUTES = 16  # of one launch: as many as there are, and room

# The function's or stream's context is not current on this thread: make it so and try once more. Where handle and
# context are given by the stream, a driver may do without, so the quick path does not ask first.
_NEEDS_CONTEXT = (201, 400)

_OF_CURRENT_CONTEXT = (0, 1, 2)  # NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the current context's

_MISSING = object()
_plan_numbers = count(1)


class Slot:
    """One launch's memory: argument bytes, pointers to them, configuration, and the call that sends them."""

    __slots__ = ("attributes", "buffer", "call", "config", "pointers")

    def __init__(self, function: Function, signature: Signature) -> None:
        self.buffer = ctypes.create_string_buffer(signature.size or 1)
        base = ctypes.addressof(self.buffer)
        self.pointers = (ctypes.c_void_p * (len(signature.params) or 1))(*[base + o for o in signature.offsets])
        self.config = CUlaunchConfig()
        self.attributes = (CUlaunchAttribute * _MOST_ATTRIBUTES)()
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


class Placed(NamedTuple):
    """Arguments with addresses in the place of other libraries' arrays, and the streams that have to do with them."""

    args: tuple[Any, ...]
    stream: int
    """Where the launch goes."""
    others: tuple[int, ...]
    """Streams whose earlier work the launch waits for, and whose later work waits for the launch."""
    keep: tuple[Any, ...]


class Plan:
    """A launch configuration of one kernel on one stream, checked, with the slots that threads share out.

    A plan that *follows* was given no stream: arrays of a framework bring the framework's own.
    """

    def __init__(
        self, function: Function, config: Config, stream: Stream, follows: bool, owners: tuple[Any, ...] = ()
    ) -> None:
        self.function = function
        self.signature = require_signature(function)
        self.config = config
        self.stream = stream
        self.follows = follows
        self.owners = owners
        self.launched = LastLaunch(function.name, config)
        self.number = next(_plan_numbers)
        self.slots: list[tuple[Any, Callable[[], int], Slot]] = []
        self.guard = [True]  # empty while launches may be quick
        self.revoked = 0  # how often; a launch that was checked before does not count after
        self.state: Any = None  # a native launcher's memory
        self.learned: dict[int, Any] = {}  # what its caches point to
        self.frameworks = False  # whether it was given an array of one last that machine code cannot read
        function.context._plans.add(self)

    def __del__(self) -> None:
        context = self.function.context
        if context._launched.value == self.number:
            context._last_launch = self.launched

    def revoke(self) -> None:
        """Send the next launch through `checked`."""
        self.revoked += 1
        self.guard[:] = [True]
        if self.state is not None:
            self.state.guard = 1

    def checked(self, args: tuple[Any, ...]) -> None:
        """A launch that checks everything, and opens the way for quick ones unless the stream captures."""
        self.function.module._check_open()
        self.stream._check_open()
        revoked = self.revoked
        slot = Slot(self.function, self.signature)
        slot.configure(self.config, self.stream.handle)
        placed = place(self.function, self.signature, self.stream, self.follows, args)
        send(self.function, self.signature, slot, self.config, self.stream, args, placed, self.owners)
        if self.stream._capture is None and self.revoked == revoked and self.function.context._poison is None:
            slot.configure(self.config, self.stream.handle)
            self.slots.append((slot.buffer, slot.call, slot))
            self.guard.clear()
            if self.state is not None:
                self.state.guard = 0

    def careful(self, args: tuple[Any, ...]) -> None:
        """What a quick launch does with arguments that it does not know: other libraries' arrays, or mistakes."""
        if not self.guard:
            placed = place(self.function, self.signature, self.stream, self.follows, args)
            if placed is not None:
                slot = _borrowed_slot(self.function, self.signature)
                slot.configure(self.config, self.stream.handle)
                send(self.function, self.signature, slot, self.config, self.stream, args, placed, self.owners)
                self.function._slots.append(slot)
                return
        self.checked(args)

    def failed(self, code: int, args: tuple[Any, ...]) -> None:
        """What to do about a quick launch that returned *code*."""
        if code not in _NEEDS_CONTEXT:
            raise launch_error(self.function, self.config, self.stream, code)
        self.checked(args)


def configured(
    function: Function,
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


def bind(
    function: Function,
    grid: Any,
    block: Any,
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> Launcher:
    """A launcher; see `Function.bind`."""
    function.module._check_open()
    target = function.context.stream_from(stream)
    target._check_open()
    require_signature(function)
    config, owners = configured(function, grid, block, shared, cluster, cooperative, attributes)
    plan = Plan(function, config, target, follows=stream is None, owners=owners)
    quick = _quick_launcher(plan)
    return native_launcher(plan, quick) if trampoline.is_native() else quick


def launch(
    function: Function,
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
    function.module._check_open()
    target = function.context.stream_from(stream)
    target._check_open()
    config, owners = configured(function, grid, block, shared, cluster, cooperative, attributes)
    signature = require_signature(function)
    slot = _borrowed_slot(function, signature)
    slot.configure(config, target.handle)
    placed = place(function, signature, target, stream is None, args) if signature.pointers else None
    send(function, signature, slot, config, target, args, placed, owners)
    function._slots.append(slot)


def _borrowed_slot(function: Function, signature: Signature) -> Slot:
    try:
        return function._slots.pop()
    except IndexError:
        return Slot(function, signature)


def send(
    function: Function,
    signature: Signature,
    slot: Slot,
    config: Config,
    stream: Stream,
    args: tuple[Any, ...],
    placed: Placed | None = None,
    owners: tuple[Any, ...] = (),
) -> None:
    """Pack *args* into *slot* and launch it with the context current; inside a capture, retain what it uses. *owners* are
    those of its attributes: memory, and events that it records.
    """
    context = function.context
    if context._poison is not None:
        context.check()
    others: tuple[int, ...] = ()
    handle = stream.handle
    if placed is not None:
        others, handle = placed.others, placed.stream
        slot.configure(config, handle)
    _pack(function, signature, slot, args if placed is None else placed.args)
    if context._deferred:
        context.collect()
    for other in others:
        interop.order(context, first=other, then=handle)
    context._last_launch = LastLaunch(function.name, config)
    previous = context._enter()
    try:
        code = slot.call()
    finally:
        if previous:
            context._leave(previous)
    if code:
        raise launch_error(function, config, stream, code)
    for other in others:
        interop.order(context, first=handle, then=other)
    capture = stream._capture
    for owner in owners:
        if isinstance(owner, Event):
            owner._capture = None
            if capture is not None:
                capture._recorded(owner)
    if capture is not None:
        used = [arg for arg in (*args, *owners) if not isinstance(arg, (int, float))]
        capture.retain(function.module, function, *used)


def place(
    function: Function, signature: Signature, stream: Stream, follows: bool, args: tuple[Any, ...]
) -> Placed | None:
    """Read the arrays of other libraries among *args*; None where there are none.

    The launch goes to *stream*; where it *follows*, to the stream of the first such array. Every other stream with a
    stake (their frameworks' current ones, and *stream* itself where memory of this package is used elsewhere) becomes
    one of ``others``, unless a graph is being recorded. Raises the errors of `Signature.convert`.
    """
    context = function.context
    if len(args) != len(signature.params) or not context.driver.foreign_pointers:
        return None
    theirs: list[tuple[int, interop.Reader]] = []
    ours = False
    for index in signature.pointers:
        value = args[index]
        if type(value) is not int:
            reader = interop.reader_of(value)
            if reader is not None:
                theirs.append((index, reader))
            elif hasattr(value, "_life"):
                ours = True
    if not theirs:
        return None
    return _placed(function, signature, stream, follows, args, theirs, ours)


def _placed(
    function: Function,
    signature: Signature,
    stream: Stream,
    follows: bool,
    args: tuple[Any, ...],
    theirs: list[tuple[int, interop.Reader]],
    ours: bool,
) -> Placed | None:
    context = function.context
    ordinal = context.device.ordinal
    home = target = interop.same_stream(stream.handle)
    values, keep = list(args), []
    streams: list[int] = []
    if len(theirs) > 1 and theirs[0][1] is interop.read_dlpack:
        # Those that tell their stream come first: the others are made ready for the stream that is chosen so.
        theirs = sorted(theirs, key=lambda entry: entry[1] is interop.read_dlpack)
    for index, reader in theirs:
        param = signature.params[index]
        try:
            found = reader(args[index], target)
            if found is None:
                return None  # host memory: the careful conversion says so
            if found.ordinal != ordinal:
                interop.on_device_of(context, found, args[index])
            if param.aligned > 1 or not (param.element is None or _fits(found.element, param.element)):
                param.check_pointee(args[index] if found.element is None else _Typed(found.element), found.address)
        except ArgumentError as error:
            raise located(error, param, index, function.name) from None
        values[index] = found.address
        if found.keep is not None:
            keep.append(found.keep)
        if found.stream is not None:
            if follows and not streams:
                target = found.stream
            streams.append(found.stream)
    if ours:
        streams.append(home)
    others = tuple(dict.fromkeys([s for s in streams if s != target]))
    if others and (stream._capture is not None or interop.captures(context, target)):
        others = ()
    return Placed(tuple(values), target if target != home else stream.handle, others, tuple(keep))


@cache
def _fits(given: ElementType | None, element: ElementType) -> bool:
    return given is not None and same_bits(given, element)


class _Typed(NamedTuple):
    """An array of which only the elements are known."""

    type: ElementType


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


def _quick_launcher(plan: Plan) -> Launcher:
    """A function made for the plan's signature: takes a slot, packs, calls, gives the slot back. No loop, no lookup."""
    function, context, signature = plan.function, plan.function.context, plan.signature
    names: dict[str, Any] = {
        "_": _MISSING,
        "take": plan.slots.pop,
        "give": plan.slots.append,
        "pack": signature.packing.pack_into,
        "checked": plan.checked,
        "careful": plan.careful,
        "guard": plan.guard,
        "failed": plan.failed,
        "context": context,
        "launched": context._launched,
        "Buffer": Buffer,
        "last": plan.launched,
        "enter": context._enter,
        "leave": context._leave,
    }
    quick = []
    for index, param in enumerate(signature.params):
        convert = converter(param, index, context, function.name)
        names[f"c{index}"] = convert
        names[f"e{index}"], names[f"m{index}"] = param.element, param.aligned - 1
        quick.append("as it is" if convert is None else _form(param))
    exec(_source(tuple(quick), plan.stream.handle in _OF_CURRENT_CONTEXT, trampoline.is_native()), names)
    launcher: Launcher = names.pop("launcher")  # no cycle: names are its globals
    launcher.__name__ = launcher.__qualname__ = function.name
    launcher.__doc__ = _describe(plan)
    return launcher


_TEMPLATE = """
def launcher({parameters}):
    if {wrong_count} or guard:
        return checked({given})
    try:
        slot = take()
    except IndexError:
        return checked({arguments})
    try:
        pack(slot[0], 0{packed})
    except Exception:
        give(slot)
        return careful({arguments})
    context._last = last{forget}
    {call}
    give(slot)
    if code:
        failed(code, {arguments})
"""

# An address, an open buffer of this context, an array of it with just these elements, or whatever the converter makes of
# it. (A context that was closed has set the guard, so that its memory does not get here.)
_POINTER = """(
            a{0} if type(a{0}) is int%(number)s
            else a{0}._address if type(a{0}) is Buffer and a{0}._life.context is context%(memory)s%(array)s
            else c{0}(a{0})
        )"""
_ARRAY = """
            else a{0}._address if getattr(a{0}, "type", None) is e{0} and a{0}._life.context is context%(memory)s"""
_ALIGNED = {"number": " and not a{0} & m{0}", "memory": " and not a{0}._address & m{0}"}
_ANYWHERE = {"number": "", "memory": ""}
_POINTERS = {
    "pointer": _POINTER % {**_ANYWHERE, "array": ""},
    "aligned pointer": _POINTER % {**_ALIGNED, "array": ""},
    "pointer to elements": _POINTER % {**_ANYWHERE, "array": _ARRAY % _ANYWHERE},
    "aligned pointer to elements": _POINTER % {**_ALIGNED, "array": _ARRAY % _ALIGNED},
}


def _form(param: Parameter) -> str:
    if param.kind != "pointer":
        return "convert"
    return ("aligned " if param.aligned > 1 else "") + "pointer" + (" to elements" if param.element is not None else "")


_CALL = "code = slot[1]()"
_CALL_WITH_CONTEXT = """previous = enter()
    code = slot[1]()
    if previous:
        leave(previous)"""


def _describe(plan: Plan) -> str:
    return f"Launch {plan.launched}: {plan.function.name}{plan.signature}"


@cache
def _source(quick: tuple[str, ...], default_stream: bool, native: bool) -> Any:
    """The launcher's code for parameters that are converted as *quick* says. The default stream means the *current*
    context's, so the context is made current first. Where there are *native* launchers, the context is told that the
    last launch was none of theirs.
    """
    names = [f"a{i}" for i in range(len(quick))]
    forms = {"as it is": "a{0}", "convert": "c{0}(a{0})", **_POINTERS}
    source = _TEMPLATE.format(
        parameters=", ".join([*[f"{name}=_" for name in names], *(["/"] if names else []), "*more"]),
        wrong_count=f"{names[-1]} is _ or more" if names else "more",
        given=f"tuple([a for a in ({', '.join([*names, ''])}) if a is not _]) + more" if names else "more",
        arguments=f"({', '.join(names)},)" if names else "()",
        packed="".join([", " + forms[how].format(i) for i, how in enumerate(quick)]),
        forget="\n    launched.value = 0" if native else "",
        call=_CALL_WITH_CONTEXT if default_stream else _CALL,
    )
    return compile(source, "<driver_ctypes launcher>", "exec")


# --- the native launcher ----------------------------------------------------------------------------------------------


def native_launcher(plan: Plan, quick: Launcher) -> Launcher:
    """A callable of machine code over the plan; what it does not take goes to *quick*, whose exceptions it raises."""
    from driver_ctypes.trampoline.callable import native_callable, new_state
    from driver_ctypes.trampoline.learning import learn

    function, context, signature = plan.function, plan.function.context, plan.signature
    shapes = [(param.kind, param.size) for param in signature.params]
    state = plan.state = new_state(shapes)
    slot = Slot(function, signature)  # its attributes and their array
    slot.configure(plan.config, plan.stream.handle)
    state.config = slot.config
    plan.learned[-1] = slot
    raw = context.driver.raw
    state.launch = ctypes.cast(raw("cuLaunchKernelEx"), ctypes.c_void_p).value
    state.ask_context = ctypes.cast(raw("cuCtxGetCurrent"), ctypes.c_void_p).value
    state.function, state.context_handle, state.context = function.handle, context.handle, id(context)
    state.last, state.serial = ctypes.addressof(context._launched), plan.number
    state.stream, state.follows = interop.same_stream(plan.stream.handle), plan.follows
    state.dl_device = dlpack.CUDA | context.device.ordinal << 32
    for index in signature.pointers:
        state.caches[index].misaligned = signature.params[index].aligned - 1

    def slow(code: int, *args: Any) -> None:
        if code:
            plan.failed(code, args)
            return
        if plan.frameworks and not plan.guard:
            placed = place(function, signature, plan.stream, plan.follows, args)
            if placed is not None and placed.stream == plan.stream.handle and not placed.others:
                quick(*placed.args)
                plan.frameworks = not learn(plan, args)
                return
        quick(*args)
        plan.frameworks = not learn(plan, args)

    return native_callable(state, shapes, function.name, _describe(plan), slow)
