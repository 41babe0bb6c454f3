"""Resident buffers and parts of them: what callers hold and pass. Also which parts are one copy, and host data as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from driver_ctypes.interop.elements import FILL_OR_DATA, is_masked
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.memory.adopted import Adopted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes import Buffer
    from ptxgen.host import Array
    from ptxgen.runtime.memory.forms import Form

__all__ = ["ResidentBuffer", "ResidentRange", "Run", "as_bytes", "runs_of"]


class BufferOwner(Protocol):
    """What a buffer needs of its store, a `ResidentStore`."""

    owner: int

    def view(self, handle: ResidentBuffer) -> ResidentBuffer: ...

    def array_of(self, handle: ResidentBuffer, type: Any, shape: tuple[int, ...] | None) -> Array: ...


class ResidentBuffer:
    """A handle: its owner's number, its own, and its length in bytes. `pointer` is the address on the device."""

    __slots__ = ("_store", "byte_len", "form", "id", "in_flight", "memory", "owner", "shared", "used")

    def __init__(self, store: BufferOwner, number: int, memory: Buffer | Adopted, byte_len: int) -> None:
        self._store = store
        self.owner = store.owner
        self.id = number
        self.memory = memory
        self.byte_len = byte_len
        self.form: Form | None = None
        """The type and shape of its contents on the host; None: bytes."""
        self.in_flight = 0  # pending dispatches, bindings and uploads that hold it
        self.used = 0  # the ticket of the last dispatch that was queued with it
        self.shared = isinstance(memory, Adopted)
        """Whether arrays lie in its memory too: what is done with it here then comes in order with the device's current
        stream."""

    def __repr__(self) -> str:
        return f"<resident buffer {self.owner}.{self.id} of {self.byte_len} bytes>"

    @property
    def pointer(self) -> int:
        """Its address. InvalidProgramError once it was freed."""
        return self._store.view(self).memory.pointer

    def array(self, type: Any, shape: tuple[int, ...] | None = None) -> Array:
        """An array of *type* over the same memory, without a copy; by default it has one dimension. It sees everything that was
        dispatched on the buffer so far, and dispatches from now on see what the device's current stream does with it. Freeing
        the buffer closes it.

        InvalidProgramError for a type or a shape that is not as long as the buffer, and while the buffer is in flight for more
        than queued dispatches: make arrays of it before it is bound.
        """
        return self._store.array_of(self, type, shape)

    def part(self, offset: int, nbytes: int) -> ResidentRange:
        """*nbytes* bytes of it from *offset* on."""
        return ResidentRange(self, offset, nbytes)


class ResidentRange(NamedTuple):
    """Part of a resident buffer, in bytes."""

    buffer: ResidentBuffer
    offset: int
    nbytes: int


class Run(NamedTuple):
    """Bytes of one buffer that are one copy: parts that were named one after the other and lie so; `members` are their places
    among all parts."""

    buffer: ResidentBuffer
    offset: int
    nbytes: int
    members: tuple[int, ...]


def runs_of(parts: Sequence[ResidentRange]) -> list[Run]:
    """The parts in order, those that lie side by side joined; empty ones are left out."""
    found: list[Run] = []
    for place, part in enumerate(parts):
        if not part.nbytes:
            continue
        last = found[-1] if found else None
        if last is not None and last.buffer is part.buffer and last.offset + last.nbytes == part.offset:
            found[-1] = Run(last.buffer, last.offset, last.nbytes + part.nbytes, (*last.members, place))
        else:
            found.append(Run(part.buffer, part.offset, part.nbytes, (place,)))
    return found


def as_bytes(data: Any) -> memoryview:
    """Host data as its bytes. InvalidProgramError for what has no contiguous memory, and for masked arrays."""
    if is_masked(type(data)):
        raise InvalidProgramError("a copy of a masked array loses its mask", fix=FILL_OR_DATA)
    try:
        view = memoryview(data)
        if not view.nbytes:  # (0, 4) cannot be cast
            return memoryview(b"" if view.readonly else bytearray())
        return view if view.format == "B" and view.ndim == 1 else view.cast("B")
    except TypeError as error:
        on_device = hasattr(type(data), "_life") or hasattr(data, "__cuda_array_interface__")
        raise InvalidProgramError(
            f"{type(data).__name__} is not contiguous host memory: {error}",
            fix="backend.adopt(array) takes an array in device memory"
            if on_device
            else "pass bytes or a contiguous array",
        ) from None
