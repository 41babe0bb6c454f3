"""Targets: names under which XLA knows handlers, on each platform, and what these handlers do.

A target is registered once and lives as long as the process, as XLA's registry does. Whatever Python raises in a handler becomes
an error of XLA, whose text names the exception.
"""

from __future__ import annotations

import _thread
import ctypes
import threading
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import (
    ArgumentError,
    ClosedError,
    ForkedProcessError,
    NotAvailableError,
    NotSupportedError,
    OutOfMemoryError,
)
from driver_ctypes.launch.plan import plan_numbers
from driver_ctypes.launch.slot import LastLaunch
from driver_ctypes.lifetime import in_child, renew_in_child
from ptxgen.errors import BuildError, UnsupportedError
from ptxgen.host import device
from ptxgen.jax import abi
from ptxgen.jax.buffers import on_cpu, on_gpu
from ptxgen.jax.handlers import DONE, MOST_CONTEXTS, RETRY, UNFIT, State, new_handler

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.host import Device
    from ptxgen.jax.handlers import KernelCall
    from ptxgen.jax.programs import Program

__all__ = ["register_function", "register_kernel"]

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


def _register(name: str, platform: str, state: State, kernel: KernelCall | None) -> None:
    import jax

    _kept.append(state)
    handler = jax.ffi.pycapsule(new_handler(state, kernel))
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


class LoadedTarget:
    """A kernel target on one context, as that context's launches know it: its end or a fault stops the machine code."""

    def __init__(self, target: KernelTarget, function: Any, config: Any) -> None:
        self.target = target
        self.function = function
        self.stream = None
        self.number = target.state.serial
        self.launched = LastLaunch(function.name, config)

    @property
    def under_way(self) -> int:
        return int(self.target.state.under_way)

    def revoke(self) -> None:
        """Send the next call through Python."""
        self.target.state.guard = 1

    end = revoke


class KernelTarget:
    """A kernel on the GPUs of this process (in tests, its CPU devices), loaded on each when XLA first calls it there."""

    def __init__(self, program: Program, kernel: KernelCall, kind: str = "cuda") -> None:
        self.kind = kind
        self.program = program
        self.kernel = kernel
        self.state = State(serial=next(plan_numbers), guard=1)
        self.state.slow = ctypes.cast(_slow(self.slow), ctypes.c_void_p).value
        self.loaded: list[LoadedTarget] = []
        self.lock = threading.Lock()
        renew_in_child(vars(self), "lock")
        in_child(lambda: setattr(self.state, "guard", 1))

    def slow(self, frame: abi.CallFrame, code: int) -> int:
        """Load the kernel where the call is; say what was wrong with a launch."""
        for each in list(self.loaded):
            if each.function.context.poisoned is not None:
                each.function.context.check()
        stream = abi.stream_of(frame)
        place = _device_of(stream, self.kind)
        with self.lock:
            self._forget_closed()
            known = next((each for each in self.loaded if each.function.context is place.context), None)
            if known is None:
                known = self._load(place, frame, stream)
            elif code == UNFIT:
                raise self._unfit(frame)
            elif code in _NEEDS_CONTEXT:
                place.context.enter()
            elif code:
                raise known.function.context.error("cuLaunchKernelEx", code, detail=f"launching {known.launched}")
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
        made = LoadedTarget(self, function, configured.config)
        place.context.launches.add(made)
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
        if any(each.function.context.closed for each in self.loaded):
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
