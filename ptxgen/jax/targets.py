"""Targets: names under which XLA knows handlers, on each platform, and what these handlers do.

A target is registered once and lives as long as the process, as XLA's registry does. Whatever Python raises in a handler becomes
an error of XLA, whose text names the exception.
"""

from __future__ import annotations

import _thread
import ctypes
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import (
    ArgumentError,
    ClosedError,
    ForkedProcessError,
    NotAvailableError,
    NotSupportedError,
    OutOfMemoryError,
)
from driver_ctypes.launch.plan import plan_numbers
from driver_ctypes.launch.sending import LastLaunch
from driver_ctypes.lifetime import in_child, renew_in_child
from driver_ctypes.streams.stream import running_captures
from ptxgen.errors import BuildError, UnsupportedError
from ptxgen.host import device
from ptxgen.jax import abi
from ptxgen.jax.buffers import on_cpu, on_gpu
from ptxgen.jax.handlers import DONE, MOST_CONTEXTS, RETRY, UNFIT, State, new_handler
from ptxgen.jax.replays import new_replay, replayed
from ptxgen.ops.launches import seen_launches
from ptxgen.ops.recorded import ADDRESS_UNIT, NotAFormError, Span, recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Context
    from ptxgen.host import Device
    from ptxgen.jax.handlers import KernelCall
    from ptxgen.jax.programs import Program
    from ptxgen.ops.launches import PreparedLaunch

__all__ = ["register_function", "register_kernel", "register_operation"]

_SLOW = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int)
_kept: list[Any] = []
"""What XLA's registry, which is for ever, uses."""

_CODES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], int], ...] = (
    (OutOfMemoryError, abi.RESOURCE_EXHAUSTED),
    ((UnsupportedError, NotSupportedError, NotAvailableError), abi.UNIMPLEMENTED),
    ((ClosedError, ForkedProcessError), abi.FAILED_PRECONDITION),
    ((ArgumentError, BuildError, TypeError, ValueError), abi.INVALID_ARGUMENT),
)
"""The code of an exception; INTERNAL for any other."""


def _slow(work: Callable[[abi.CallFrame, int], int]) -> Any:
    """A C function around *work* that lets no exception out: ctypes would print it, and XLA would take the call for done."""

    def enter(address: int, code: int) -> int:
        frame = abi.CallFrame.from_address(address)
        try:
            return work(frame, code)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                _thread.interrupt_main()  # once more, where somebody can catch it
            found = next((number for kinds, number in _CODES if isinstance(error, kinds)), abi.INTERNAL)
            return abi.new_error(frame, found, f"{type(error).__name__}: {error}")

    made = _SLOW(enter)
    _kept.append(made)
    return made


def _register(name: str, platform: str, state: State, kernel: KernelCall | None, *, replays: bool = False) -> None:
    import jax

    _kept.append(state)
    handler = jax.ffi.pycapsule(new_handler(state, kernel, replays=replays))
    stages = {"execute": handler} if kernel is None else {"initialize": handler, "execute": handler}
    jax.ffi.register_ffi_target(name, stages, platform=platform, api_version=1)


# --- functions, and kernels on the CPU device -------------------------------------------------------------------------


def register_function(name: str, platform: str, run: Callable[..., None]) -> None:
    """`run(operands, results, attributes)`, of arrays of ours, as what a target does on "cpu" or "CUDA"."""

    def work(frame: abi.CallFrame, _code: int) -> int:
        if frame.stage == abi.EXECUTE:
            call = abi.read_call(frame)

            def on_arrays(operands: Any, results: Any) -> None:
                run(operands, results, call.attributes)

            if platform == "cpu":
                on_cpu(call, on_arrays)
            else:
                stream = abi.stream_of(frame)
                on_gpu(_device_of(stream), stream, call, on_arrays)
        return DONE

    _register(name, platform, State(slow=ctypes.cast(_slow(work), ctypes.c_void_p).value), None)


# --- operations on a GPU ----------------------------------------------------------------------------------------------


class OfNoModule(NamedTuple):
    """What an operation launches: kernels that it holds itself."""

    module: None = None


class LoadedTarget:
    """A target on one context, as that context's launches know it: its end or a fault stops the machine code."""

    def __init__(
        self, target: KernelTarget | OperationTarget, context: Context, function: Any, launched: object
    ) -> None:
        self.target = target
        self.context = context
        self.function = function
        self.stream: None = None
        self.number: Any = target.state.serial
        self.launched = launched
        context.launches.add(self)

    @property
    def under_way(self) -> int:
        return int(self.target.state.under_way)

    def revoke(self) -> None:
        """Send the next call through Python."""
        self.target.state.guard = 1

    end = revoke


class OperationTarget:
    """A function that launches operations of `px.ops`, for buffers of one form: Python runs it first on each stream, and what it
    launched is replayed by machine code from then on."""

    def __init__(self, name: str, run: Callable[..., None], kind: str = "cuda") -> None:
        self.name, self.run, self.kind = name, run, kind
        self.state: State = State(serial=next(plan_numbers))
        self.state.slow = ctypes.cast(_slow(self.slow), ctypes.c_void_p).value
        self.loaded: list[LoadedTarget] = []
        self.kept: list[Any] = []
        """What the replays use: launches with their scratch memory."""
        self.lock = threading.Lock()
        renew_in_child(vars(self), "lock")
        in_child(lambda: setattr(self.state, "guard", 1))

    def slow(self, frame: abi.CallFrame, code: int) -> int:
        """Run the function, which says what is wrong, and keep what it launches where that is new."""
        stream = abi.stream_of(frame)
        place, call = _device_of(stream, self.kind), abi.read_call(frame)
        place.context.check()
        if code in _NEEDS_CONTEXT:
            place.context.enter()
        with seen_launches() as launches:
            on_gpu(place, stream, call, lambda operands, results: self.run(operands, results, call.attributes))
        with self.lock:
            if any(each.context.closed for each in self.loaded):
                self.state.loaded = 0
                self.loaded.clear()
                self.kept.clear()
            known = [self.state.entries[index].context for index in range(self.state.loaded)]
            if stream not in known and len(known) < MOST_CONTEXTS and not running_captures:
                self._keep(place, stream, call, launches)
            self.state.guard = 1 if running_captures else 0
        return DONE

    def _keep(self, place: Device, stream: int, call: abi.Call, launches: list[PreparedLaunch]) -> None:
        """Make a replay of the launches, where they follow from the buffers' form alone."""
        spans = [Span(each.data or 0, (each.data or 0) + each.nbytes) for each in (*call.operands, *call.results)]
        try:
            found = recorded(launches, spans)
            made = [replayed(each) for each in found]
        except NotAFormError:
            return
        context = place.context
        entry = self.state.entries[self.state.loaded]
        residues = [span.begin % ADDRESS_UNIT for span in spans]
        entry.function = new_replay(made, len(call.operands), residues, context)
        entry.context, entry.last = stream, ctypes.addressof(context.launches.serial)
        self.kept.append(found)
        if all(each.context is not context for each in self.loaded):
            self.loaded.append(LoadedTarget(self, context, OfNoModule(), f"operation {self.name}"))
        self.state.loaded += 1


def register_operation(name: str, run: Callable[..., None]) -> None:
    """`run(operands, results, attributes)` as of `register_function`, which launches operations of `px.ops` and does nothing else
    on the device, the same for all buffers of the same shapes: on GPUs it is replayed."""
    register_function(name, "cpu", run)
    target = OperationTarget(name, run)
    _kept.append(target)
    _register(name, "CUDA", target.state, None, replays=True)


_devices: dict[int, Device] = {}
"""By CUcontext: their primary contexts."""


def _device_of(stream: int, kind: str = "cuda") -> Device:
    """The device of a stream. NotAvailableError where the stream is of another context than the primary one, which JAX uses."""
    from driver_ctypes import driver

    gpu = driver(kind)
    context = ctypes.c_void_p()
    if gpu.untyped("cuStreamGetCtx")(ctypes.c_void_p(stream), ctypes.byref(context)):
        gpu.call("cuStreamGetCtx", stream, ctypes.byref(context))  # raises what it is
    handle = context.value or 0
    known = _devices.get(handle)
    if known is not None:
        primary = known.context
        if not primary.closed and primary.handle == handle:
            return known
    before, number = ctypes.c_void_p(), ctypes.c_int()
    gpu.call("cuCtxGetCurrent", ctypes.byref(before))
    gpu.call("cuCtxSetCurrent", handle)
    try:
        gpu.call("cuCtxGetDevice", ctypes.byref(number))
    finally:
        gpu.call("cuCtxSetCurrent", before)
    found = device(f"{kind}:{number.value}")
    if found.context.handle != handle:
        raise NotAvailableError(f"XLA's stream is not of the primary context of {found!r}")
    _devices[handle] = found
    return found


# --- kernels on a GPU -------------------------------------------------------------------------------------------------


class KernelTarget:
    """A kernel on the GPUs of this process (in tests, its CPU devices), loaded on each when XLA first calls it there."""

    def __init__(self, program: Program, kernel: KernelCall, kind: str = "cuda") -> None:
        self.kind = kind
        self.program = program
        self.kernel = kernel
        self.state: State = State(serial=next(plan_numbers), guard=1)
        self.state.slow = ctypes.cast(_slow(self.slow), ctypes.c_void_p).value
        self.loaded: list[LoadedTarget] = []
        self.lock = threading.Lock()
        renew_in_child(vars(self), "lock")
        in_child(lambda: setattr(self.state, "guard", 1))

    def slow(self, frame: abi.CallFrame, code: int) -> int:
        """Load the kernel where the call is; say what was wrong with a launch."""
        for each in list(self.loaded):
            if each.context.poisoned is not None:
                each.context.check()
        stream = abi.stream_of(frame)
        place = _device_of(stream, self.kind)
        with self.lock:
            self._forget_closed()
            known = next((each for each in self.loaded if each.context is place.context), None)
            if known is None:
                known = self._load(place, frame, stream)
            elif code == UNFIT:
                raise self._unfit(frame)
            elif code in _NEEDS_CONTEXT:
                place.context.enter()
            elif code:
                raise known.context.error("cuLaunchKernelEx", code, detail=f"launching {known.launched}")
            place.context.check()
            self.state.guard = 0
        return RETRY

    def _load(self, place: Device, frame: abi.CallFrame, stream: int) -> LoadedTarget:
        if len(self.loaded) == MOST_CONTEXTS:
            raise NotAvailableError(f"a kernel called from JAX on more than {MOST_CONTEXTS} devices")
        kernel, driver = self.kernel, place.context.driver
        function = self.program.on(place).function
        configured = function.configure(
            abi.read_call(frame).attributes["grid"], kernel.block, shared=kernel.shared, stream=stream, cluster=kernel.cluster,
            cooperative=kernel.cooperative,
        )  # fmt: skip
        made = LoadedTarget(self, place.context, function, LastLaunch(function.name, configured.config))
        self.state.launch, self.state.context_of = (
            ctypes.cast(driver.raw(symbol), ctypes.c_void_p).value for symbol in ("cuLaunchKernelEx", "cuStreamGetCtx")
        )
        entry = self.state.entries[len(self.loaded)]
        entry.context, entry.function = place.context.handle, function.handle
        entry.last = ctypes.addressof(place.context.launches.serial)
        self.loaded.append(made)
        self.state.loaded = len(self.loaded)
        return made

    def _forget_closed(self) -> None:
        """Drop contexts that were closed: their CUfunctions are gone."""
        if any(each.context.closed for each in self.loaded):
            self.state.loaded = 0
            self.loaded.clear()

    def _unfit(self, frame: abi.CallFrame) -> ArgumentError:
        """What machine code does not take: programs that JAX traced have it right, others (of `jax.export`, by hand) may not."""
        call, name = abi.read_call(frame), self.program.name
        for parameter, passed in zip(self.program.parameters, self.kernel.parameters):
            if passed.source == "attribute":
                if passed.name not in call.attributes:
                    return ArgumentError(f"{name}: the call has no attribute {passed.name!r}", name=parameter.name)
                continue
            buffers = call.operands if passed.source == "operand" else call.results
            if passed.place >= len(buffers):
                return ArgumentError(f"{name}: the call has no buffer for {parameter.name!r}", name=parameter.name)
            buffer = buffers[passed.place]
            if passed.types and buffer.dtype not in passed.types:
                told = f"is of XLA's type {buffer.dtype}, expected {' or '.join(map(str, passed.types))}"
                return ArgumentError(f"{name}: the buffer for {parameter.name!r} {told}", name=parameter.name)
            if (buffer.data or 0) % passed.aligned:
                told = f"{buffer.data or 0:#x}, no multiple of {passed.aligned}"
                return ArgumentError(f"{name}: the buffer for {parameter.name!r} is at {told}", name=parameter.name)
        return ArgumentError(f"{name}: the call has no attribute 'grid'")


_NEEDS_CONTEXT = (201, 400)  # as of driver_ctypes.launch.plan


def register_kernel(name: str, program: Program, kernel: KernelCall, run: Callable[..., None]) -> None:
    """A kernel as what a target does: on GPUs by machine code; `run` launches it on the CPU device."""
    register_function(name, "cpu", run)
    target = KernelTarget(program, kernel)
    _kept.append(target)
    _register(name, "CUDA", target.state, kernel)
