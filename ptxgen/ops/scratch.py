"""Scratch memory of operations that are functions: a stream's own, a graph's, or a pool's for the time of a call."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.memory.pools import default_pool
from driver_ctypes.streams.stream import capture_of, running_captures
from ptxgen.builder import f32, u32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.host import Array
from ptxgen.host.exchange import Borrowed
from ptxgen.host.formats import pack_numbers, unpack_numbers
from ptxgen.host.sanitizing import surface

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.contexts.context import Context
    from driver_ctypes.memory.pools import MemoryPool
    from ptxgen.builder.values import Value
    from ptxgen.host import Device

__all__ = [
    "HostNumber",
    "OfContexts",
    "read_number",
    "read_numbers",
    "send_bytes",
    "send_numbers",
    "stream_scratch",
    "temporary",
]


class OfContexts(dict[Any, Any]):
    """What is kept for each context: `of(context)` makes a dictionary for a new one, and lets go of those that are closed."""

    def of(self, context: Context) -> dict[Any, Any]:
        """What is kept for a context."""
        found: dict[Any, Any] | None = self.get(context)
        if found is None:
            for each in [each for each in list(self) if each.closed]:
                self.pop(each, None)
            found = self[context] = {}
        return found


_scratches = OfContexts()
_MANY = 64
"""Streams whose scratch memory is kept."""


def stream_scratch(place: Device, stream: int | None, sizes: tuple[int, int]) -> tuple[Array, Array]:
    """(parts, arrived) that no other work uses at the same time: a stream's own, since what is on it runs one after the other;
    in a capture new ones, which the graph keeps, since it may run beside the stream that it was captured on."""
    context = place.context
    if running_captures and capture_of(context, stream or 0) is not None:
        return _made(place, sizes)
    kept = _scratches.of(context)
    known: tuple[Array, Array] | None = kept.get(stream)
    before = (0, 0) if known is None else (known[0].size, known[1].size)
    if known is None or before[0] < sizes[0] or before[1] < sizes[1]:
        if len(kept) >= _MANY:
            kept.clear()
        known = kept[stream] = _made(place, (max(sizes[0], before[0]), max(sizes[1], before[1])))
    return known


_pools = OfContexts()
_HELD = 1 << 30
"""Bytes of freed memory that the device's default pool keeps, at least."""


def temporary(place: Device, n: int, element: type[Value]) -> Array:
    """An array for work on the current stream, from the device's default pool where it has one: closing it frees it behind the
    work. While something is captured, from elsewhere."""
    pool = _pool_of(place)
    if pool is None or running_captures:
        return place.empty(n, element)
    buffer = pool.alloc(max(1, n) * element.isa.bytes, place.current_stream)
    return Array(place, buffer, element.isa, (n,))


def _pool_of(place: Device) -> MemoryPool | None:
    kept = _pools.of(place.context)
    if "pool" not in kept:
        pool: MemoryPool | None = None
        if place.handle.attribute(CUdevice_attribute.MEMORY_POOLS_SUPPORTED):
            pool = default_pool(place.context)
            pool.release_threshold = max(_HELD, pool.release_threshold)
        kept["pool"] = pool
    found: MemoryPool | None = kept["pool"]
    return found


def read_number(array: Array) -> int:
    """The unsigned number in an array of one element, after all earlier work of the current stream; waits for it."""
    place = array.device
    found = place.context.read_number(array._here, array.type.bytes, place.current_stream)
    if place.kind == "cpu":
        surface()
    return found


def read_numbers(array: Array) -> tuple[Any, ...]:
    """The same of a few numbers of any type that numpy knows."""
    place, raw = array.device, b""
    for begin in range(0, array.nbytes, 8):
        size = min(8, array.nbytes - begin)
        raw += place.context.read_number(array._here + begin, size, place.current_stream).to_bytes(size, "little")
    if place.kind == "cpu":
        surface()
    return unpack_numbers(raw, array.type)


def send_numbers(array: Array, numbers: Sequence[float]) -> None:
    """Numbers of the host into an array of ours, as `send_bytes`."""
    send_bytes(array, pack_numbers(numbers, array.type))


def send_bytes(array: Array, data: bytes) -> None:
    """All bytes of an array of ours, in the order of the current stream. Nothing is waited for: the driver has a copy of pageable
    memory when the call returns."""
    array.context.copy_to_device(array._here, data, array.nbytes, stream=array.device.current_stream)


class HostNumber:
    """A u32, or a u64, in page-locked memory of the host, which kernels write as `array`: it is read without a copy."""

    def __init__(self, place: Device, element: type[Value] = u32) -> None:
        self._memory = place.context.alloc_pinned(element.isa.bytes, mapped=True)
        word = ctypes.c_uint32 if element is u32 else ctypes.c_uint64
        self._word = word.from_address(self._memory.address)
        self._word.value = 0
        borrowed = Borrowed(place.context, self._memory.device_pointer, self._memory)
        self.array = Array(place, borrowed, element.isa, (1,))

    def read(self) -> int:
        """The number, after all earlier work of the current stream; waits for it."""
        self._memory.check_open()
        place = self.array.device
        place.current_stream.synchronize()
        if place.kind == "cpu":
            surface()
        return int(self._word.value)

    def close(self) -> None:
        """Free it."""
        self.array.close()
        self._memory.close()


def _made(place: Device, sizes: tuple[int, int]) -> tuple[Array, Array]:
    with place.context.beside_captures(), place.stream() as own, place.use(own):
        made = place.empty(sizes[0], f32), place.zeros(sizes[1], u32)
        own.synchronize()
    return made
