"""Scratch memory of operations that are functions: a stream's own, a graph's, or a pool's for the time of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.abi.enums import CUdevice_attribute
from driver_ctypes.memory.pools import default_pool
from driver_ctypes.streams.capturing import capture_of, running_captures
from ptxgen.builder import f32, u32
from ptxgen.host import Array

if TYPE_CHECKING:
    from driver_ctypes.memory.pools import MemoryPool
    from ptxgen.builder.values import Value
    from ptxgen.host import Device

__all__ = ["stream_scratch", "temporary"]

_scratches: dict[Any, tuple[Any, Array, Array]] = {}
_MANY = 64
"""Streams whose scratch memory is kept."""


def stream_scratch(place: Device, stream: int | None, sizes: tuple[int, int]) -> tuple[Array, Array]:
    """(parts, arrived) that no other work uses at the same time: a stream's own, since what is on it runs one after the other;
    in a capture new ones, which the graph keeps, since it may run beside the stream that it was captured on."""
    context = place.context
    if running_captures and capture_of(context, stream or 0) is not None:
        return _made(place, sizes)
    key = (id(context), stream)
    known = _scratches.get(key)
    if known is None or known[0] is not context or known[1].size < sizes[0] or known[2].size < sizes[1]:
        if len(_scratches) >= _MANY:
            _scratches.clear()
        most = (
            sizes
            if known is None or known[0] is not context
            else tuple(map(max, sizes, (known[1].size, known[2].size)))
        )
        known = _scratches[key] = (context, *_made(place, (most[0], most[1])))
    return known[1:]


_pools: dict[int, tuple[Any, MemoryPool | None]] = {}
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
    context = place.context
    known = _pools.get(id(context))
    if known is None or known[0] is not context:
        pool = None
        if place.handle.attribute(CUdevice_attribute.MEMORY_POOLS_SUPPORTED):
            pool = default_pool(context)
            pool.release_threshold = max(_HELD, pool.release_threshold)
        known = _pools[id(context)] = (context, pool)
    return known[1]


def _made(place: Device, sizes: tuple[int, int]) -> tuple[Array, Array]:
    with place.context.beside_captures(), place.stream() as own, place.use(own):
        made = place.empty(sizes[0], f32), place.zeros(sizes[1], u32)
        own.synchronize()
    return made
