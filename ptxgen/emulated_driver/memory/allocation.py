"""Blocks of memory that callers asked for.

Device addresses are host addresses inside the device's arena. Pinned host memory comes from the arena too. Memory of the
caller that is registered lies elsewhere, and the arena's table has it as well, so that kernels reach it.
"""

from __future__ import annotations

import mmap
import os

from driver_ctypes.abi import enums
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import need, put_u64

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.state.context import Context
    from ptxgen.emulated_driver.state.cpu_device import Device

_PAGE = mmap.PAGESIZE
_HOST = "host memory"
"""The kind of what lies on the host."""


class Shared(NamedTuple):
    """The file behind memory that other processes may map: a memfd of this process, and where in it."""

    descriptor: int
    offset: int = 0
    owned: bool = False
    """Is the file closed with the memory?"""


class Allocation:
    """A block that a caller asked for. `kind` is how live_handles() counts it; "" for the driver's own.

    A block of a page or more shares no page with another, so that it can be given a file to lie in.
    """

    __slots__ = (
        "__weakref__", "base", "context", "device", "flags", "kind", "managed", "on_release", "pool", "released", "shared",
        "size", "sync_operations",
    )  # fmt: skip

    def __init__(
        self, context: Context, size: int, kind: str = "memory", *, flags: int = 0, managed: bool = False, pool: int = 0,
        pages: bool = False,
    ) -> None:  # fmt: skip
        self.context = context
        self.device = context.device
        self.size = size
        self.kind = kind
        self.flags = flags
        self.managed = managed
        self.pool = pool
        self.released = False
        self.shared: Shared | None = None
        self.on_release: Callable[[Allocation], None] | None = None
        self.sync_operations = 0
        device = self.device
        refuse_beyond(device, size)
        arena = device.arena
        base = self.base = arena.allocate(size, _PAGE) if pages or size >= _PAGE else arena.allocate(size)
        allocations[base] = context.memory[base] = self
        if managed or kind == _HOST:  # the caller writes there, and nobody is told
            arena.note_written(base, size)

    @property
    def on_host(self) -> bool:
        return self.kind == _HOST

    def lie_in(self, shared: Shared, *, keep: bool = True) -> None:
        """The block shows a file's contents from now on; with `keep`, its own contents go there first."""
        if keep:
            os.pwrite(shared.descriptor, self.device.arena.raw(self.base, self.size), shared.offset)
        self.device.arena.map_file(self.base, self.size, shared.descriptor, shared.offset)
        self.shared = shared

    def release(self) -> None:
        """Gives the block back. Of two threads that try, one fails."""
        base = self.base
        if allocations.pop(base, None) is None:
            raise invalid_value(f"{base:#x} is not a live allocation")
        self.released = True
        self.context.memory.pop(base, None)
        if self.on_release is not None:
            self.on_release(self)
        if self.shared is not None:
            self.device.arena.unmap_file(base, self.size)
            if self.shared.owned:
                os.close(self.shared.descriptor)
        self.device.arena.free(base)


allocations: dict[int, Allocation] = {}
"""What is allocated on any device, by its first address."""


def refuse_beyond(device: Device, size: int) -> None:
    """Refuses more memory than the device has left."""
    free = device.total_memory - device.used_memory
    if size > free:
        raise Refusal(
            enums.CUresult.ERROR_OUT_OF_MEMORY, f"{size} bytes asked for, {free} of {device.total_memory} are free"
        )


def allocate(context: Context, out: int | None, size: int, **traits: object) -> None:
    if not out or size == 0:
        need(out)
        raise invalid_value("0 bytes asked for")
    allocation = Allocation(context, size, **traits)  # type: ignore[arg-type]
    put_u64(out, allocation.base)


def owned(address: int) -> Allocation:
    """The allocation that begins there."""
    found = allocations.get(address)
    if found is not None and found.kind:
        return found
    raise invalid_value(f"no allocation begins at {address:#x}")
