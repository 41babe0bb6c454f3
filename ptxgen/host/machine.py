"""Choosing a device, and what a device can do."""

from __future__ import annotations

import os

import driver_ctypes
from driver_ctypes.errors import ArgumentTypeError, DeviceNotFoundError, DriverNotFoundError, NotAvailableError
from driver_ctypes.primitives import Lock, contextmanager, local
from driver_ctypes.typing import TYPE_CHECKING, Any
from ptxgen.collector import rarely_collected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from driver_ctypes.contexts.context import Context, Stream
    from driver_ctypes.graphs.capture import Mode
    from driver_ctypes.streams.stream import Event
    from ptxgen.cpu.options import LaunchOptions
    from ptxgen.host.arrays import Array
    from ptxgen.host.capture import Graph
    from ptxgen.host.loading import KernelHandle, Kinds
    from ptxgen.ir import Module
    from ptxgen.text.validate import Buildable

__all__ = ["Device", "current_device", "device", "device_of", "devices", "first_array"]

_open: dict[tuple[str, int], Device] = {}
_lock = Lock()


class ChosenStream(local):
    """What `use` or `capture` made a thread's current stream; each thread sees its own."""

    stream: Stream | None = None


class Device:
    """A GPU, or the CPU device. One object per device; get it from `px.device(...)`."""

    def __init__(self, handle: driver_ctypes.Device, kind: str, name: str) -> None:
        self.handle = handle
        self.kind = kind
        self.name = name
        """ "cpu:0", "cuda:1", "cpu:sm_80": what `px.device` takes."""
        self._target: str | None = None
        self._context: Context | None = None
        self.chosen: ChosenStream = ChosenStream()

    def __repr__(self) -> str:
        return f"<device {self.name}: {self.handle.name}>"

    @property
    def target(self) -> str:
        """The target that kernels are built for here: the best one that the driver really loads, found by trying on the first
        look; the architecture's own features included. The CPU device loads what it states."""
        if self._target is None:
            from driver_ctypes.modules.targets import target_candidates
            from ptxgen.isa.targets import TARGETS

            candidates = [name for name in target_candidates(self.handle.compute_capability) if name in TARGETS]
            self._target = candidates[0] if self.kind == "cpu" else self.handle.loadable_target(candidates)
        return self._target

    @property
    def context(self) -> Context:
        """The primary context; opened on first use."""
        context = self._context
        if context is None or context.closed:
            context = self._context = self.handle.primary_context()
        return context

    # Limits of kernels

    @property
    def watchdog(self) -> float | None:
        """Seconds without any progress after which the CPU device ends a kernel, 30 at first; None for no limit, as on a GPU.

        It holds for all CPU devices of the process, from the next launch on; `PTXGEN_CPU_WATCHDOG` states it from outside.
        """
        return self._limits().watchdog

    @watchdog.setter
    def watchdog(self, seconds: float | None) -> None:
        self._limit(watchdog=seconds)

    @property
    def time_limit(self) -> float | None:
        """Seconds after which the CPU device ends any kernel; None, as at first, for no limit. See `watchdog`;
        `PTXGEN_CPU_TIME_LIMIT`."""
        return self._limits().time_limit

    @time_limit.setter
    def time_limit(self, seconds: float | None) -> None:
        self._limit(time_limit=seconds)

    def _limits(self) -> LaunchOptions:
        from ptxgen.cpu.options import LaunchOptions
        from ptxgen.emulated_driver.state.machine import machine

        return machine.options if self.kind == "cpu" else LaunchOptions(watchdog=None)

    # Arithmetic

    @property
    def products(self) -> str:
        """How the CPU device makes tensor-core products (`mma`, `wmma`, `wgmma` of f16, bf16, tf32 and fp8).

        "exact", as at first: with the bits that an H200 gives; "fast": by multiply-adds in f32, whose last bits differ. Sparse
        products are exact either way. It holds for all CPU devices of the process, from the next launch on;
        `PTXGEN_CPU_PRODUCTS` states it from outside."""
        return self._limits().products

    @products.setter
    def products(self, how: str) -> None:
        self._limit(products=how)

    # Asynchrony

    @property
    def copies(self) -> str:
        """When the CPU device does what runs beside the threads (asynchronous copies, wgmma, tcgen05).

        "late", as at first: when it is waited for and no sooner; "early": when it is started; "random:7": either, as drawn
        from that seed. It holds for all CPU devices of the process, from the next launch on; `PTXGEN_CPU_COPIES` states it from
        outside."""
        return self._limits().copies

    @copies.setter
    def copies(self, when: str) -> None:
        self._limit(copies=when)

    # Cores

    @property
    def workers(self) -> int:
        """Threads on which the CPU device may run CTAs of one launch beside one another: at first as many as this process may use
        cores. With 1 the same program gives the same bits every time, sums of floats by atomics included.

        The sanitizer, the profile and drawn schedules take one in any case. It holds for all CPU devices of the process, from the
        next launch on; `PTXGEN_CPU_WORKERS` states it from outside. 1 on a GPU, where it means nothing."""
        return self._limits().workers

    @workers.setter
    def workers(self, number: int) -> None:
        self._limit(workers=number)

    def _limit(self, **changes: float | str | None) -> None:
        from ptxgen.emulated_driver.state.machine import machine

        if self.kind != "cpu":
            raise NotAvailableError(
                f"{self!r} has no {' or '.join(changes)} that a program may set",
                hint="an option of the CPU device alone",
            )
        machine.options = machine.options.replaced(**changes)

    # Streams

    @property
    def current_stream(self) -> Stream:
        """This thread's stream for launches and copies; the default stream unless `use` or `capture` is in force."""
        stream = self.chosen.stream
        context = self.context
        return context.default_stream if stream is None or stream.context is not context else stream

    @property
    def chosen_stream(self) -> Stream | None:
        """The stream that `use` or `capture` made this thread's current one; None where nobody chose, so that a framework's
        array may bring its own."""
        stream = self.chosen.stream
        if stream is None or stream.context is not self.context:
            return None
        return stream

    def stream(self, priority: int = 0) -> Stream:
        """A new stream. Lower numbers are higher priorities."""
        return self.context.stream(priority)

    def event(self, timing: bool = True) -> Event:
        """A new event."""
        return self.context.event(timing)

    @contextmanager
    def use(self, stream: Any) -> Iterator[Stream]:
        """Make a stream this thread's current one for the body: one of ours, or a framework's (torch.cuda.Stream, a CuPy or
        Numba stream, anything with ``__cuda_stream__``)."""
        before = self.chosen.stream
        self.chosen.stream = chosen = self.context.stream_from(stream)
        try:
            yield chosen
        finally:
            self.chosen.stream = before

    def synchronize(self) -> None:
        """Wait for all work; errors of earlier asynchronous work surface here."""
        self.context.synchronize()
        if self.kind == "cpu":
            from ptxgen.host.sanitizing import surface

            surface()

    def capture(self, mode: Mode = "thread_local") -> Graph:
        """Record a CUDA graph: `with dev.capture() as graph: ...`, then `graph.launch()`."""
        from ptxgen.host.capture import Graph

        return Graph(self, mode)

    # Arrays

    def array(self, data: Any, type: Any = None) -> Array:
        """A copy of host data (numpy array, buffer, nested lists) on this device, converted to `type` when one is given."""
        from ptxgen.host.arrays import array_from

        return array_from(self, data, type)

    def asarray(self, data: Any) -> Array:
        """*data* as an array of this device, without a copy where it is one already: an array of ours is itself, a framework's
        GPU array (PyTorch, CuPy, Numba, JAX) shares its memory. Host data is copied, as by `array`."""
        from ptxgen.host.arrays import Array, array_from
        from ptxgen.host.exchange import borrow

        if isinstance(data, Array) and data.device is self:
            return data
        shared = borrow(self, data)
        return array_from(self, data) if shared is None else shared

    def empty(self, shape: int | Sequence[int], type: Any) -> Array:
        """An array that is not initialised."""
        from ptxgen.host.arrays import empty

        return empty(self, shape, type)

    def zeros(self, shape: int | Sequence[int], type: Any) -> Array:
        """An array of zeros."""
        return self.empty(shape, type).fill(0)

    def full(self, shape: int | Sequence[int], value: float, type: Any) -> Array:
        """An array of one value."""
        return self.empty(shape, type).fill(value)

    # Programs

    def load(
        self, module: Module | Buildable | str, *, kinds: Mapping[str, Kinds] | None = None
    ) -> dict[str, KernelHandle]:
        """Load a module (or PTX text, or a kernel, built for this device); its kernels by name."""
        from ptxgen.host.loading import load
        from ptxgen.text.validate import as_module

        return load(self, as_module(module, "load", self.target), kinds)[1]

    def reset(self) -> None:
        """Start afresh after a fault: every array, stream and kernel of the device is gone.

        The CPU device recovers from every fault. On a GPU the driver may keep the fault until the process ends; then the
        next call says so.
        """
        self.handle.reset()


def _open_device(kind: str, ordinal: int) -> Device:
    with _lock:
        found = _open.get((kind, ordinal))
        if found is None:
            found = _open[kind, ordinal] = Device(_driver(kind).device(ordinal), kind, _name(kind, ordinal))
            if kind == "cuda":
                from ptxgen.host import verdicts

                verdicts.keep()
        return found


def _name(kind: str, ordinal: int) -> str:
    """CPU devices that a process has added itself bear a name that means the same in the next one."""
    if kind == "cpu":
        from ptxgen.emulated_driver.state.machine import machine

        if ordinal >= machine.stated:
            return f"cpu:{machine.device(ordinal).product.target.name}"
    return f"{kind}:{ordinal}"


def _cpu_device(target: str) -> Device:
    """The CPU device of a target, which is added where there is none yet."""
    from ptxgen.emulated_driver.state.machine import machine
    from ptxgen.isa.products import find_product

    try:
        product = find_product(target)
    except ValueError as error:
        raise DeviceNotFoundError(f"no device 'cpu:{target}'", hint=str(error)) from None
    _driver("cpu")  # whose cuInit reads the environment
    return _open_device("cpu", machine.named(product).ordinal)


def _driver(kind: str) -> driver_ctypes.Driver:
    if kind == "cpu":
        with rarely_collected():
            from ptxgen.emulated_driver import open_driver

            driver_ctypes.register_driver("cpu", open_driver)
            return driver_ctypes.driver(kind)
    return driver_ctypes.driver(kind)


def device(spec: str | Device | None = None) -> Device:
    """The device of a name: "cpu", "cuda", "cuda:1", or "cpu:sm_80", the CPU device with the limits of a target's product.
    Without one, that of PTXGEN_DEVICE; else a GPU where there is one, else the CPU device.

    Raises DeviceNotFoundError for a device that is not there, DriverNotFoundError when there is no CUDA driver.
    """
    if isinstance(spec, Device):
        return spec
    if spec is not None and not isinstance(spec, str):
        raise ArgumentTypeError(f"a device's name is a str, not {type(spec).__name__} {spec!r:.60}", hint='"cuda:1"')
    wanted = spec or os.environ.get("PTXGEN_DEVICE")
    if not wanted:
        return _first()
    kind, colon, which = wanted.partition(":")
    if kind == "cpu" and which.startswith(("sm_", "compute_")):
        return _cpu_device(which)
    if kind not in ("cpu", "cuda") or (colon and not which.isdigit()):
        raise DeviceNotFoundError(f"no device {wanted!r}", hint='"cpu", "cuda", "cuda:1" or "cpu:sm_80"')
    return _open_device(kind, int(which) if colon else 0)


def _first() -> Device:
    try:
        if driver_ctypes.driver("cuda").device_count() > 0:
            return _open_device("cuda", 0)
    except driver_ctypes.Error:
        pass  # no usable GPU, and the caller left the choice open
    return _open_device("cpu", 0)


def devices() -> tuple[Device, ...]:
    """Every device of this machine, GPUs first."""
    found = []
    for kind in ("cuda", "cpu"):
        try:
            count = _driver(kind).device_count()
        except (DriverNotFoundError, driver_ctypes.CudaError):
            count = 0
        found += [_open_device(kind, ordinal) for ordinal in range(count)]
    return tuple(found)


def current_device() -> Device:
    """The device that work goes to when nothing else says: that of `px.device()`."""
    return device()


def device_of(arguments: tuple[Any, ...]) -> Device:
    """The device of the first array among a launch's arguments, else the current one."""
    return first_array(arguments)[1] or current_device()


def first_array(arguments: tuple[Any, ...]) -> tuple[int | None, Device | None]:
    """(which argument of a launch is the first array in a device's memory; that device, on which the launch then is)."""
    from driver_ctypes.interop.arrays import foreign_ordinal, is_foreign
    from ptxgen.host.arrays import Array

    for index, argument in enumerate(arguments):
        if isinstance(argument, Array):
            return index, argument.device
        if type(argument) not in _NUMBERS and is_foreign(argument):
            ordinal = foreign_ordinal(argument)
            if ordinal is not None:
                return index, _open_device("cuda", ordinal)
    return None, None


_NUMBERS = frozenset({int, float, bool, bytes})
