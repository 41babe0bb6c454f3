"""Device memory: allocating it, freeing it, and how much there is."""

from __future__ import annotations

from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.memory.allocation import allocate, owned
from ptxgen.emulated_driver.memory.graph_memory import graph_memory
from ptxgen.emulated_driver.pointers import need, put_u64
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.order import host_waited_for_all

PITCH = 512  # bytes: what rows of cuMemAllocPitch are aligned to


@entry("cuMemAlloc_v2", unsafe=True)
def mem_alloc(context: Context, out: int | None, size: int) -> None:
    allocate(context, out, size)


@entry("cuMemAllocPitch_v2", unsafe=True)
def mem_alloc_pitch(
    context: Context, out: int | None, pitch: int | None, width: int, height: int, element: int
) -> None:
    need(out, pitch)
    if element not in (4, 8, 16) or not width or not height:
        raise invalid_value(f"{width} x {height} bytes in elements of {element}: elements have 4, 8 or 16")
    row = -(-width // PITCH) * PITCH
    allocate(context, out, row * height, pages=True)  # textures begin at a multiple of 512 bytes
    put_u64(pitch, row)


@entry("cuMemFree_v2", needs=INIT, unsafe=True)
def mem_free(address: int) -> None:
    """Any context's memory may be freed; a faulty context refuses."""
    if address == 0 or (graph_memory and _free_graph_memory(address)):
        return
    allocation = owned(address)
    if allocation.on_host:
        raise invalid_value(f"{address:#x} is host memory: cuMemFreeHost")
    context = allocation.context
    if context.fault or not context.alive:
        context.check()
    host_waited_for_all(context)
    allocation.release()


def _free_graph_memory(address: int) -> bool:
    """Memory that a graph's launch has left allocated may be freed like any other."""
    found = graph_memory.get(address)
    if found is not None:
        found.free()
    return found is not None


@entry("cuMemGetInfo_v2")
def mem_get_info(context: Context, free: int | None, total: int | None) -> None:
    device = context.device
    if free:
        put_u64(free, max(device.total_memory - device.used_memory, 0))
    if total:
        put_u64(total, device.total_memory)
