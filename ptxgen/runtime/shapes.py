"""A dispatch plan with its memory: where each binding lies in one slab, what is copied, and how the kernel is launched.

The slab has what a dispatch brings first, then what it brings and gets back, then what it only gets back: so that one copy
goes to the device, one fill zeroes the outputs, and one copy comes back, however many bindings there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.errors import InvalidProgramError, ValidationError, translated
from ptxgen.runtime.plans import BINDING_ALIGNMENT
from ptxgen.runtime.resident import as_bytes
from ptxgen.runtime.telemetry import of_launches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driver_ctypes import Stream
    from ptxgen.runtime.backend import Backend, Loaded
    from ptxgen.runtime.plans import BindingPlan, DispatchPlan

__all__ = ["Layout", "Shape", "lay_out"]

SLAB_ALIGNMENT = 256
"""Bytes: what the driver's allocations have, so that each binding is aligned as if it were alone."""

_ORDER = ("input", "uniform", "inout", "output")


class Layout(NamedTuple):
    """Byte offsets of the bindings in the slab by number (shared ones have 0), and what is done with which part of it."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    uploaded: int
    """Bytes from the beginning that go to the device."""
    zeroed: int
    """From here on the slab is filled with zeros."""
    returned: int
    """From here on it comes back."""
    nbytes: int


def lay_out(bindings: BindingPlan) -> Layout:
    """The slab of these bindings."""
    offsets, sizes = [0] * len(bindings.bindings), [0] * len(bindings.bindings)
    starts = dict.fromkeys(_ORDER, 0)
    end = 0
    for role in _ORDER:
        starts[role] = end
        for binding in bindings.bindings:
            if binding.role == role:
                offsets[binding.number] = end
                sizes[binding.number] = bindings.nbytes(binding.number)
                end += -(-sizes[binding.number] // SLAB_ALIGNMENT) * SLAB_ALIGNMENT
    return Layout(tuple(offsets), tuple(sizes), starts["output"], starts["output"], starts["inout"], end)


class Shape:
    """A dispatch plan on a backend: the parameter words on the device, and launchers of the kernel by stream."""

    def __init__(self, backend: Backend, name: str, plan: DispatchPlan, loaded: Loaded) -> None:
        if loaded.barrier is not None and not plan.cooperative:
            raise ValidationError(
                f"program {name} waits for the whole grid", fix="compile it with DispatchConfig(cooperative=True)"
            )
        self.backend, self.name, self.plan, self.loaded = backend, name, plan, loaded
        self.layout = lay_out(plan.bindings)
        self.inputs = tuple(b for b in plan.bindings.bindings if b.takes_input)
        self.outputs = tuple(b for b in plan.bindings.bindings if b.gives_output)
        self.pointers = tuple(b.number for b in plan.bindings.bindings if b.role != "shared")
        backend.check_residency(name, loaded.function, plan)
        words = plan.launch.param_bytes
        with translated(f"preparing {name}", backend.name):
            self.params = backend.context.alloc(len(words))
            backend.context.copy_to_device(self.params, words)
        backend.telemetry.add(param_upload_bytes=len(words), host_to_device_bytes=len(words), host_upload_operations=1)
        self.tally = backend.telemetry.tally(self.launches("kernel_launches"))
        copies = self.launches("kernel_launches") | self.copies(uploaded=True)
        self.host_tally = backend.telemetry.tally(copies)
        self._launchers: dict[Stream, Callable[..., None]] = {}
        self.gone = False
        """Whether nobody holds it any more: its parameter words are freed."""
        self._holders = 1  # the pipeline

    def hold(self) -> Shape:
        """One dispatch, graph or binding more uses it. The caller holds the pipeline's lock, under which it is dropped."""
        with self.backend.telemetry.lock:
            self._holders += 1
        return self

    def let_go(self) -> None:
        """One less; the last one frees the parameter words."""
        with self.backend.telemetry.lock:
            self._holders -= 1
            last = self._holders == 0
        if last:
            self.gone = True
            self.tally.over = self.host_tally.over = True
            self._launchers.clear()
            self.params.close()

    def launcher(self, stream: Stream) -> Callable[..., None]:
        """What launches the kernel on a stream: call it with all pointers, that of the parameter words last."""
        known = self._launchers.get(stream)
        if known is None:
            launch = self.plan.launch
            known = self._launchers[stream] = self.loaded.function.bind(
                launch.grid, launch.workgroup, stream=stream, cooperative=self.plan.cooperative
            )
        return known

    def enqueue(self, stream: Stream, arguments: tuple[int, ...]) -> None:
        """Launch as often as the plan says, each time with the grid barrier at zero."""
        launch, barrier = self.launcher(stream), self.loaded.barrier
        for _ in range(self.plan.fixpoint_iterations):
            if barrier is not None:
                self.backend.context.memset(barrier[0], 0, barrier[1] // 4, width=4, stream=stream)
            launch(*arguments)

    def arguments(self, slab: int) -> tuple[int, ...]:
        """The kernel's arguments where its bindings lie in a slab at this address."""
        return (*[slab + self.layout.offsets[number] for number in self.pointers], self.params.pointer)

    # --- what one dispatch adds to the counters -----------------------------------------------------------------------

    def launches(self, name: str) -> dict[str, int]:
        """Its kernels, under the counter of their kind."""
        plan = self.plan
        return of_launches(name, plan.fixpoint_iterations, plan.launch.element_count, plan.launch.threads)

    def copies(self, *, uploaded: bool) -> dict[str, int]:
        """Its copies, and the wait for its result."""
        to_device = self.layout.uploaded if uploaded else 0
        to_host = self.layout.nbytes - self.layout.returned
        return {
            "host_to_device_bytes": to_device,
            "host_upload_operations": int(to_device > 0),
            "device_to_host_bytes": to_host,
            "device_readback_operations": int(to_host > 0),
            "readback_bytes": sum(self.layout.sizes[b.number] for b in self.outputs),
            "sync_points": 1,
        }

    # --- the host's side of the slab ----------------------------------------------------------------------------------

    def fill(self, staging: memoryview, inputs: Sequence[Any]) -> None:
        """Write a dispatch's inputs where the copy to the device takes them; each is padded with zeros to 16 bytes."""
        for binding, data in zip(self.inputs, inputs):
            start, size = self.layout.offsets[binding.number], self.layout.sizes[binding.number]
            host = as_bytes(data)
            if host.nbytes != size:
                raise InvalidProgramError(
                    f"program {self.name}: {binding.name!r} received {host.nbytes} bytes, this shape was recorded for {size}",
                    fix="record a graph for the new shape, or dispatch without one",
                )
            end = start + size
            staging[start:end] = host
            pad = -end % BINDING_ALIGNMENT
            if pad:
                staging[end : end + pad] = bytes(pad)

    def read(self, staging: memoryview) -> list[bytes]:
        """The outputs, in the order of the bindings."""
        layout = self.layout
        return [bytes(staging[layout.offsets[b.number] :][: layout.sizes[b.number]]) for b in self.outputs]

    def read_into(self, staging: memoryview, outputs: Sequence[Any]) -> None:
        """The same into writable buffers of the same lengths. InvalidProgramError where one is not."""
        if len(outputs) != len(self.outputs):
            raise InvalidProgramError(
                f"program {self.name} gives {len(self.outputs)} outputs, {len(outputs)} buffers were passed",
                fix=f"pass {', '.join(b.name for b in self.outputs)}",
            )
        for binding, data in zip(self.outputs, outputs):
            start, size = self.layout.offsets[binding.number], self.layout.sizes[binding.number]
            host = as_bytes(data)
            if host.nbytes != size or host.readonly:
                raise InvalidProgramError(
                    f"program {self.name}: output {binding.name!r} has {size} bytes; the buffer has {host.nbytes}"
                    f"{', read-only' if host.readonly else ''}",
                    fix=f"pass a writable buffer of {size} bytes",
                )
            host[:] = staging[start : start + size]

    def __del__(self) -> None:
        if "host_tally" in self.__dict__:
            self.tally.over = self.host_tally.over = True
