"""A dispatch plan with its memory: the offset of each binding in one slab, what is copied, and how the kernel is launched.

The slab has what a dispatch brings first, then what it brings and gets back, then what it only gets back: so that one copy
goes to the device, one fill zeroes the outputs, and one copy comes back, however many bindings there are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.dispatch.forms import input_form, output_forms
from ptxgen.runtime.errors import InvalidProgramError, translated
from ptxgen.runtime.memory.forms import shown
from ptxgen.runtime.programs.plans import BINDING_ALIGNMENT
from ptxgen.runtime.telemetry import of_launches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from driver_ctypes.contexts.context import Stream
    from driver_ctypes.memory.buffer import Buffer
    from ptxgen.runtime.code.compiler import Loaded
    from ptxgen.runtime.dispatch.forms import Forms
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.dispatch.state import PipelineState
    from ptxgen.runtime.memory.buffers import ResidentBuffer
    from ptxgen.runtime.memory.forms import Form
    from ptxgen.runtime.programs.plans import BindingPlan, DispatchPlan

__all__ = ["DispatchShape", "SlabLayout", "lay_out"]

SLAB_ALIGNMENT = 256
"""Bytes: what the driver's allocations have, so that each binding is aligned as if it were alone."""

_FORMS_KEPT = 64
"""Combinations of types and shapes of inputs for which the forms of the outputs are kept."""

_AT_ONCE = nullcontext()
_ORDER = ("input", "uniform", "inout", "output")


class SlabLayout(NamedTuple):
    """Byte offsets of the bindings in the slab by number (those without memory in it have 0), and what is done with which
    part of it."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    uploaded: int
    """Bytes from the beginning that go to the device."""
    zeroed: int
    """From here on, up to `staged`, the slab is filled with zeros."""
    returned: int
    """From here on, up to `staged`, it comes back."""
    staged: int
    """Bytes of all bindings: so many has the host's side."""
    nbytes: int
    """Bytes of the slab: the bindings, and behind them the scratch of a split program."""

    @property
    def copied(self) -> int:
        """Bytes that a dispatch copies, both ways together."""
        return self.uploaded + self.staged - self.returned


def lay_out(bindings: BindingPlan, scratch: int = 0) -> SlabLayout:
    """The slab of these bindings, with so many bytes of scratch behind them."""
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
    uploaded = starts["output"]
    return SlabLayout(tuple(offsets), tuple(sizes), uploaded, uploaded, starts["inout"], end, end + scratch)


class DispatchShape:
    """A dispatch plan on a backend: the parameter words on the device, and launchers of its kernels by stream."""

    def __init__(
        self,
        backend: Session,
        name: str,
        plan: DispatchPlan,
        loaded: Loaded,
        *,
        state: PipelineState | None = None,
        scratch: int | None = None,
    ) -> None:
        """*scratch*: bytes in which the kernels of a split program hand registers on, None for a whole one; they get its
        address behind that of the parameter words."""
        self.backend, self.name, self.plan, self.loaded, self.state = backend, name, plan, loaded, state
        self.scratch = scratch
        self.empty = plan.launch.element_count == 0
        """Whether there is nothing to launch: outputs are zeros."""
        self.layout = lay_out(plan.bindings, scratch or 0)
        self.inputs = tuple(b for b in plan.bindings.bindings if b.takes_input)
        self.outputs = tuple(b for b in plan.bindings.bindings if b.gives_output)
        self._takes = tuple(map(HostFormat, self.inputs))
        self.gives = tuple(HostFormat(b, output=True) for b in self.outputs)
        self._pointers = tuple(b for b in plan.bindings.bindings if b.role != "shared")
        words = plan.launch.param_bytes
        with translated(f"preparing {name}", backend.name):
            self.params = backend.context.alloc(len(words))
            backend.context.copy_to_device(self.params, words)
        backend.telemetry.add(param_upload_bytes=len(words), host_to_device_bytes=len(words), host_upload_operations=1)
        self._occupancy = self._measured_occupancy()
        self.tally = backend.telemetry.tally(self.launches("kernel_launches"))
        copies = self.launches("kernel_launches") | self.copies(uploaded=True)
        self.host_tally = backend.telemetry.tally(copies)
        self._launchers: dict[Stream, tuple[Callable[..., None], ...]] = {}
        self._resident_scratch: Buffer | None = None
        self.gone = False
        """Whether it has no holders: then its parameter words are freed."""
        self._holders = 1  # the pipeline
        self._forms: dict[tuple[Form | None, ...], Forms] = {}

    def _measured_occupancy(self) -> int | None:
        """Resident threads of a multiprocessor in hundredths of a percent of what it can hold; None where the driver does not
        say."""
        threads = prod(self.plan.launch.workgroup)
        blocks = self.backend.compiler.resident_blocks(self.loaded.functions[0], threads)
        return None if blocks is None else 10_000 * blocks * threads // self.backend.capabilities.max_threads_per_sm

    def hold(self) -> DispatchShape:
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
            self.backend.device_pool.release(self._resident_scratch)

    @property
    def simple(self) -> bool:
        """Whether a dispatch on resident buffers is one launch and nothing else."""
        one = not self.empty and len(self.loaded.functions) == 1 and self.plan.fixpoint_iterations == 1
        return one and self.loaded.barrier is None and self.state is None

    @property
    def stateless(self) -> bool:
        """Whether dispatches of it share nothing with one another."""
        return self.state is None and self.loaded.stream_order is None and self.scratch is None

    def launchers(self, stream: Stream) -> tuple[Callable[..., None], ...]:
        """What launches the kernels on a stream, in order: call each with `arguments`."""
        known = self._launchers.get(stream)
        if known is None:
            launch, cooperative = self.plan.launch, self.plan.cooperative
            known = self._launchers[stream] = tuple(
                [
                    function.bind(launch.grid, launch.workgroup, stream=stream, cooperative=cooperative)
                    for function in self.loaded.functions
                ]
            )
        return known

    def enqueue(self, stream: Stream, arguments: tuple[int, ...]) -> None:
        """Launch as often as the plan says, after earlier dispatches where they share state or a grid barrier."""
        if self.empty:
            return
        with self.ordered(stream):
            launchers = self.launchers(stream)
            for _ in range(self.plan.fixpoint_iterations):
                for launch in launchers:
                    launch(*arguments)

    @contextmanager
    def _in_stream_order(self, stream: Stream) -> Iterator[None]:
        with ExitStack() as stack:
            for order in (self.loaded.stream_order, self.state.stream_order if self.state is not None else None):
                if order is not None:
                    stack.enter_context(order.after_earlier(stream))
            yield

    def ordered(self, stream: Stream) -> AbstractContextManager[None]:
        """What the body queues on *stream* comes after all dispatches before it that share state, or a grid barrier's counter,
        with it."""
        return _AT_ONCE if self.state is None and self.loaded.stream_order is None else self._in_stream_order(stream)

    def arguments(self, slab: int) -> tuple[int, ...]:
        """The kernels' arguments where its bindings lie in a slab at this address."""
        offsets = self.layout.offsets
        behind = (slab + self.layout.staged,) if self.scratch is not None else ()
        found = [self._state(b.number) if b.role == "persistent" else slab + offsets[b.number] for b in self._pointers]
        return (*found, self.params.pointer, *behind)

    def resident_arguments(self, buffers: Sequence[ResidentBuffer]) -> tuple[int, ...]:
        """The kernels' arguments where its bindings lie in resident buffers, all but those of its state."""
        remaining = iter(buffers)
        found = [
            self._state(b.number) if b.role == "persistent" else next(remaining).memory.pointer for b in self._pointers
        ]
        return (*found, self.params.pointer, *self._scratch_argument())

    def arguments_of(self, memory: Mapping[int, Any]) -> tuple[Any, ...]:
        """The kernels' arguments where its bindings are arrays, by number; for launches that hold on to what they use."""
        found = [self._state(b.number) if b.role == "persistent" else memory[b.number] for b in self._pointers]
        return (*found, self.params, *self._scratch_argument())

    def _scratch_argument(self) -> tuple[int, ...]:
        """Scratch of dispatches that run one after the other, where the program is in parts."""
        if self.scratch is None:
            return ()
        if self._resident_scratch is None:
            self._resident_scratch = self.backend.take(self.scratch)
        held = self._resident_scratch
        return (held.pointer if held is not None else 0,)

    def _state(self, number: int) -> int:
        assert self.state is not None  # the pipeline gives it to every shape of a program that has any
        return self.state.pointer(number)

    # --- what one dispatch adds to the counters -----------------------------------------------------------------------

    def launches(self, name: str) -> dict[str, int]:
        """Its kernels, under the counter of their kind."""
        plan, kernels = self.plan, self.plan.fixpoint_iterations * len(self.loaded.functions) * (not self.empty)
        counts = of_launches(name, kernels, plan.launch.element_count, plan.launch.threads)
        if self._occupancy is None:
            return counts | {"occupancy_unmeasured_launches": kernels}
        return counts | {
            "occupancy_measured_launches": kernels, "launch_occupancy_bps_sum": kernels * self._occupancy
        }  # fmt: skip

    def copies(self, *, uploaded: bool) -> dict[str, int]:
        """Its copies, and the wait for its result."""
        to_device = self.layout.uploaded if uploaded else 0
        to_host = self.layout.staged - self.layout.returned
        return {
            "host_to_device_bytes": to_device,
            "host_upload_operations": int(to_device > 0),
            "device_to_host_bytes": to_host,
            "device_readback_operations": int(to_host > 0),
            "readback_bytes": sum(self.layout.sizes[b.number] for b in self.outputs),
            "sync_points": 1,
        }

    # --- the host's side of the slab ----------------------------------------------------------------------------------

    def input_views(self, inputs: Sequence[Any]) -> list[memoryview]:
        """A dispatch's inputs as their bytes. InvalidProgramError where a type or a length is not that of the binding."""
        found = []
        for binding, format_, data in zip(self.inputs, self._takes, inputs):
            host, size = format_.bytes_of(data), self.layout.sizes[binding.number]
            if host.nbytes != size:
                raise InvalidProgramError(
                    f"program {self.name}: {binding.name!r} received {host.nbytes} bytes, this shape was recorded for {size}",
                    fix="record a graph for the new shape, or dispatch without one",
                )
            found.append(host)
        return found

    def fill(self, staging: memoryview, views: Sequence[memoryview]) -> None:
        """Write what `input_views` returned where the copy to the device takes it; each is padded with zeros to 16 bytes."""
        for binding, host in zip(self.inputs, views):
            start = self.layout.offsets[binding.number]
            end = start + host.nbytes
            staging[start:end] = host
            pad = -end % BINDING_ALIGNMENT
            if pad:
                staging[end : end + pad] = bytes(pad)

    def forms_for(self, inputs: Sequence[Any], like: Sequence[Any] | None = None) -> Forms:
        """The forms of the outputs of these inputs, host data. InvalidProgramError where *like* does not fit."""
        return self.forms([input_form(binding, data) for binding, data in zip(self.inputs, inputs)], like)

    def forms(self, given: Sequence[Form | None], like: Sequence[Any] | None = None) -> Forms:
        """The same of inputs of these forms."""
        key = tuple(given)
        found = self._forms.get(key) if like is None else None
        if found is None:
            counts = self.plan.bindings.counts
            found = output_forms(list(zip(self.inputs, given)), [(b, counts[b.number]) for b in self.outputs], like)
            if like is None:
                if len(self._forms) >= _FORMS_KEPT:
                    self._forms.clear()
                self._forms[key] = found
        return found

    def read(self, staging: memoryview, forms: Forms) -> list[Any]:
        """The outputs in their forms, in the order of the bindings."""
        places, sizes = self.layout.offsets, self.layout.sizes
        return [shown(staging[places[b.number] :][: sizes[b.number]], form) for b, form in zip(self.outputs, forms)]

    def output_views(self, outputs: Sequence[Any]) -> list[memoryview]:
        """Buffers for the outputs as their bytes. InvalidProgramError where their number, or a type or a length, is another, and
        for a buffer that cannot be written."""
        if len(outputs) != len(self.outputs):
            raise InvalidProgramError(
                f"program {self.name} gives {len(self.outputs)} outputs, {len(outputs)} buffers were passed",
                fix=f"pass {', '.join(b.name for b in self.outputs)}",
            )
        sizes = self.layout.sizes
        return [format_.writable(data, sizes[format_.binding.number]) for format_, data in zip(self.gives, outputs)]

    def read_into(self, staging: memoryview, views: Sequence[memoryview]) -> None:
        """Write the outputs into what `output_views` returned."""
        for binding, host in zip(self.outputs, views):
            start = self.layout.offsets[binding.number]
            host[:] = staging[start : start + host.nbytes]

    def __del__(self) -> None:
        if "host_tally" in self.__dict__:
            self.tally.over = self.host_tally.over = True
