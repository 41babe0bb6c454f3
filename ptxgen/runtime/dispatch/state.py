"""Memory of a pipeline that outlives its dispatches: the bindings with the role `persistent`.

Dispatches that share state run one after the other on the device, on whatever streams they are (`stream_order`); the host waits
only where it reads or writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.dispatch.forms import own_form
from ptxgen.runtime.errors import InvalidProgramError, translated
from ptxgen.runtime.memory.forms import shown
from ptxgen.runtime.memory.stream_order import StreamOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.memory.buffer import Buffer
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.programs.bindings import Binding

__all__ = ["PipelineState"]

_ALIGNMENT = 256  # bytes, as the driver's allocations


class PipelineState:
    """The state of one pipeline, zero at first; `CompiledPipeline.state`."""

    def __init__(self, backend: Session, name: str, bindings: Sequence[Binding]) -> None:
        self._backend, self._name = backend, name
        self._places: dict[str, tuple[int, int]] = {}  # name -> (offset, bytes)
        self._offsets: dict[int, int] = {}  # number -> offset
        self._formats = {binding.name: HostFormat(binding) for binding in bindings}
        end = 0
        for binding in bindings:
            size = binding.elements * binding.size
            self._places[binding.name] = end, size
            self._offsets[binding.number] = end
            end += -(-size // _ALIGNMENT) * _ALIGNMENT
        self.nbytes = end
        backend.preflight(end)
        with translated(f"allocating the state of {name}", backend.name):
            self.stream_order = StreamOrder(backend.resources)
            self._memory: Buffer = backend.context.alloc(end)
            backend.context.memset(self._memory, 0, end // 4, width=4)
            backend.context.synchronize()
        self.closed = False

    def __repr__(self) -> str:
        return f"<state of {self._name}: {', '.join(f'{name} {size}' for name, (_, size) in self._places.items())}>"

    def pointer(self, number: int) -> int:
        """The address of a binding's memory."""
        return self._memory.pointer + self._offsets[number]

    def _place(self, name: str) -> tuple[int, int]:
        if self.closed:
            raise InvalidProgramError(f"the state of {self._name} was given back", fix="ask the pipeline for it anew")
        if name not in self._places:
            raise InvalidProgramError(f"{self._name} keeps no state {name!r}", fix=f"one of {', '.join(self._places)}")
        return self._places[name]

    def read(self, name: str) -> Any:
        """The array of a binding after everything that was dispatched; bytes where numpy is not installed."""
        offset, size = self._place(name)
        found = bytearray(size)
        with self.stream_order.lock, translated(f"reading the state of {self._name}", self._backend.name):
            self.stream_order.wait()
            self._backend.context.copy_to_host(found, self._memory.pointer + offset, size)
        self._backend.telemetry.add(
            device_to_host_bytes=size, readback_bytes=size, device_readback_operations=1, sync_points=1
        )
        binding = self._formats[name].binding
        return shown(memoryview(found), own_form(binding, binding.elements))

    def write(self, name: str, data: Any) -> None:
        """Set a binding, after everything that was dispatched. InvalidProgramError for data of another length or type."""
        offset, size = self._place(name)
        host = self._formats[name].bytes_of(data)
        if host.nbytes != size:
            raise InvalidProgramError(
                f"{host.nbytes} bytes for state {name!r} of {self._name}", fix=f"pass {size} bytes"
            )
        with self.stream_order.lock, translated(f"writing the state of {self._name}", self._backend.name):
            self.stream_order.wait()
            self._backend.context.copy_to_device(self._memory.pointer + offset, host, size)
        self._backend.telemetry.add(host_to_device_bytes=size, host_upload_operations=1, sync_points=1)

    def reset(self, name: str | None = None) -> None:
        """Zeros again, of one binding or of all, after everything that was dispatched."""
        places = [self._place(name)] if name is not None else [self._place(each) for each in self._places]
        context = self._backend.context
        with self.stream_order.lock, translated(f"resetting the state of {self._name}", self._backend.name):
            self.stream_order.wait()
            for offset, size in places:
                context.memset(self._memory.pointer + offset, 0, size)
            context.synchronize()

    def close(self) -> None:
        """Give the memory back. The caller has waited for all work that uses it."""
        if not self.closed:
            self.closed = True
            self._memory.close()
            self.stream_order.close()
