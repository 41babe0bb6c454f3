"""Stream-ordered allocation: memory pools, cuMemAllocAsync and cuMemFreeAsync.

Work runs when it is enqueued, so memory is there and gone at once. What a pool keeps beyond what is in use (up to its
release threshold) is only counted: it is missing from the device's free memory until it is used again or trimmed.

A pool for export lies in a file in memory, whose descriptor is what is shared; so does each allocation, at its offset.
Memory of pools of the host and of managed pools lies where all memory does: in the arena of a device, which is the first one
where the pool's place names none.
"""

from __future__ import annotations

import mmap
import os
from typing import NamedTuple

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUmemAccessDesc, CUmemLocation, CUmemPoolProps
from ptxgen.emulated_driver.calls.capture_rules import refuse_unsafe
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import mappings
from ptxgen.emulated_driver.memory.allocation import Allocation, Shared, allocations, owned, refuse_beyond
from ptxgen.emulated_driver.memory.graph_memory import Alloc, Free, GraphMemory, freed_memory, graph_memory
from ptxgen.emulated_driver.memory.virtual import open_file
from ptxgen.emulated_driver.memory.watching import watch_lifetime
from ptxgen.emulated_driver.pointers import get_u32, get_u64, need, put_i32, put_u32, put_u64, struct
from ptxgen.emulated_driver.state.context import Context, Stream
from ptxgen.emulated_driver.state.cpu_device import Device
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.streams.stream import stream_of

A = enums.CUmemPool_attribute
_REUSE = (A.REUSE_FOLLOW_EVENT_DEPENDENCIES, A.REUSE_ALLOW_OPPORTUNISTIC, A.REUSE_ALLOW_INTERNAL_DEPENDENCIES)
_HIGH = (A.RESERVED_MEM_HIGH, A.USED_MEM_HIGH)
_CHUNK = 32 << 20  # bytes that a pool takes from its device at a time, as on an H200
_PINNED, _MANAGED = enums.CUmemAllocationType.PINNED, enums.CUmemAllocationType.MANAGED
_DEVICE, _NOWHERE = enums.CUmemLocationType.DEVICE, enums.CUmemLocationType.NONE
_HOSTS = (enums.CUmemLocationType.HOST, enums.CUmemLocationType.HOST_NUMA, enums.CUmemLocationType.HOST_NUMA_CURRENT)
DESCRIPTOR = int(enums.CUmemAllocationHandleType.POSIX_FILE_DESCRIPTOR)
Right = enums.CUmemAccess_flags
POOL_FILE = "ptxgen-pool"


class PoolPlace(NamedTuple):
    """What a pool's memory is: CUmemAllocationType, CUmemLocationType, and the number of the device or NUMA node."""

    kind: int
    where: int
    id: int

    @property
    def on_device(self) -> bool:
        return self.kind == _PINNED and self.where == _DEVICE

    @property
    def device(self) -> Device:
        """Whose arena it lies in."""
        return machine.device(self.id if self.where == _DEVICE else 0)

    @classmethod
    def at(cls, location: CUmemLocation, kind: int) -> PoolPlace:
        """Checked."""
        host = location.type in _HOSTS
        if kind == _PINNED and not host and location.type != _DEVICE:
            raise invalid_value(
                f"location type {location.type}: pinned memory is on a device (1) or the host (2, 3, 4)"
            )
        if kind not in (_PINNED, _MANAGED) or not (host or location.type in (_DEVICE, _NOWHERE)):
            raise invalid_value(f"allocation type {kind}: 1 (pinned) or 2 (managed)")
        if location.type == _DEVICE and not 0 <= location.id < len(machine.devices):
            raise invalid_value(f"device {location.id}: there are {len(machine.devices)}")
        return cls(
            kind, location.type, location.id if location.type in (_DEVICE, enums.CUmemLocationType.HOST_NUMA) else 0
        )


def _of_device(device: Device) -> PoolPlace:
    return PoolPlace(_PINNED, _DEVICE, device.ordinal)


class Pool:
    """A memory pool. `limit` is the most it may hold, 0 for no limit; `used` what is allocated from it."""

    def __init__(self, place: PoolPlace, *, limit: int = 0, default: bool = False, descriptor: int = -1) -> None:
        self.place = place
        self.device = place.device
        self.limit = limit
        self.default = default
        self.descriptor = descriptor  # of its file, if it is for export
        self.imported = False
        self.reuse = dict.fromkeys(_REUSE, 1)
        self.threshold = 0
        self.used = self.reserved = 0
        self.high = [0, 0]  # of reserved, of used
        self.peers: dict[int, int] = {}  # other devices' rights
        self._end = 0  # of what was given from the file
        self._users = 1
        self.handle = (default_pools if default else pools).add(self)

    def allocate(self, context: Context, size: int) -> Allocation:
        if self.imported:
            raise invalid_value("an imported pool gives no memory of its own: cuMemPoolImportPointer")
        if self.limit and self.used + size > self.limit:
            raise Refusal(
                enums.CUresult.ERROR_OUT_OF_MEMORY, f"{size} bytes more than the pool's limit of {self.limit} allows"
            )
        self.device.held -= self.reserved - self.used  # what is kept may be used
        try:
            refuse_beyond(self.device, size)
            allocation = Allocation(
                context, size, "memory" if self.place.kind == _MANAGED or self.place.where == _DEVICE else "host memory",
                managed=self.place.kind == _MANAGED, pool=self.handle, pages=self.descriptor >= 0,
            )  # fmt: skip
        except BaseException:
            self.device.held += self.reserved - self.used
            raise
        self._use(size)
        self._users += 1
        allocation.on_release = self._released
        if self.descriptor >= 0:
            room = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
            allocation.lie_in(Shared(self.descriptor, self._end), keep=False)
            self._end += room
        for ordinal, flags in self._others():
            machine.devices[ordinal].arena.grant(allocation.base, size, read_only=flags == Right.READ)
        return allocation

    def _others(self) -> list[tuple[int, int]]:
        """The devices beside that of the arena, and their rights."""
        every = (
            {d.ordinal: int(Right.READWRITE) for d in machine.devices} if self.place.kind == _MANAGED else self.peers
        )
        return [(ordinal, flags) for ordinal, flags in every.items() if ordinal != self.device.ordinal and flags]

    def _use(self, size: int) -> None:
        self.used += size
        self.reserved = max(self.reserved, -(-self.used // _CHUNK) * _CHUNK)
        free = self.device.total_memory - self.device.used_memory
        self.reserved = min(self.reserved, self.used + max(free, 0))
        self.device.held += self.reserved - self.used
        self.high = [max(self.high[0], self.reserved), max(self.high[1], self.used)]

    def _released(self, allocation: Allocation) -> None:
        for ordinal, _ in self._others():
            machine.devices[ordinal].arena.revoke(allocation.base)
        self.device.held += allocation.size
        self.used -= allocation.size
        self.keep(max(self.threshold, self.used))
        self._drop()

    def keep(self, most: int) -> None:
        """Gives back what is not used, down to `most` bytes."""
        kept = max(self.used, min(self.reserved, most))
        self.device.held -= self.reserved - kept
        self.reserved = kept

    def close(self) -> None:
        self.keep(0)
        self.threshold = 0
        self._drop()

    def _drop(self) -> None:
        self._users -= 1
        if not self._users and self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


pools: Handles[Pool] = Handles("memory pool")
default_pools: Handles[Pool] = Handles("default memory pool", counted=False)


_default_pools: dict[PoolPlace, Pool] = {}
_current_pools: dict[PoolPlace, Pool] = {}
"""Of places whose pool was set."""


def pool_of(handle: int | None) -> Pool:
    found = pools.find(handle) or default_pools.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is not a live memory pool")
    return found


def default_pool(place: PoolPlace) -> Pool:
    with place.device.lock:
        if place not in _default_pools:
            _default_pools[place] = Pool(place, default=True)
    return _default_pools[place]


def current_pool(place: PoolPlace) -> Pool:
    return _current_pools.get(place) or default_pool(place)


@entry("cuDeviceGetDefaultMemPool", needs=INIT)
def device_get_default_mem_pool(out: int | None, device: int) -> None:
    put_u64(out, default_pool(_of_device(machine.device(device))).handle)


@entry("cuDeviceGetMemPool", needs=INIT)
def device_get_mem_pool(out: int | None, device: int) -> None:
    put_u64(out, current_pool(_of_device(machine.device(device))).handle)


@entry("cuDeviceSetMemPool", needs=INIT)
def device_set_mem_pool(device: int, handle: int | None) -> None:
    _set_pool(_of_device(machine.device(device)), handle)


def _set_pool(place: PoolPlace, handle: int | None) -> None:
    pool = pool_of(handle)
    if pool.place != place:
        raise invalid_value("the pool is another device's, or of another kind of memory")
    _current_pools[place] = pool


def _place_at(location: int | None, kind: int) -> PoolPlace:
    return PoolPlace.at(struct(CUmemLocation, location), kind)


@entry("cuMemGetDefaultMemPool", needs=INIT)
def mem_get_default_mem_pool(out: int | None, location: int | None, kind: int) -> None:
    need(out)
    put_u64(out, default_pool(_place_at(location, kind)).handle)


@entry("cuMemGetMemPool", needs=INIT)
def mem_get_mem_pool(out: int | None, location: int | None, kind: int) -> None:
    need(out)
    put_u64(out, current_pool(_place_at(location, kind)).handle)


@entry("cuMemSetMemPool", needs=INIT)
def mem_set_mem_pool(location: int | None, kind: int, handle: int | None) -> None:
    _set_pool(_place_at(location, kind), handle)


@entry("cuMemPoolCreate", needs=INIT)
def mem_pool_create(out: int | None, properties: int | None) -> None:
    need(out)
    wanted = struct(CUmemPoolProps, properties)
    if wanted.handleTypes not in (0, DESCRIPTOR):
        raise invalid_value("a pool has no handle type (0) or descriptors (1)")
    place = PoolPlace.at(wanted.location, wanted.allocType)
    if wanted.handleTypes and place.kind == _MANAGED:
        raise invalid_value("a pool of managed memory cannot be exported")
    size = wanted.maxSize or 1 << 46  # a file without contents takes no room
    named = "-".join(map(str, (POOL_FILE, *place)))
    descriptor = open_file(named, size) if wanted.handleTypes else -1
    put_u64(out, Pool(place, limit=wanted.maxSize, descriptor=descriptor).handle)


@entry("cuMemPoolDestroy", needs=INIT)
def mem_pool_destroy(handle: int | None) -> None:
    """What is allocated from it stays until it is freed."""
    pool = pool_of(handle)
    if pool.default:
        raise invalid_value("the default pool cannot be destroyed")
    pools.remove(handle)
    if _current_pools.get(pool.place) is pool:
        del _current_pools[pool.place]
    pool.close()


@entry("cuMemPoolTrimTo", needs=INIT, unsafe=True)
def mem_pool_trim_to(handle: int | None, keep: int) -> None:
    pool_of(handle).keep(keep)


@entry("cuMemPoolGetAttribute", needs=INIT)
def mem_pool_get_attribute(handle: int | None, attribute: int, value: int | None) -> None:
    pool = pool_of(handle)
    values = {
        A.RELEASE_THRESHOLD: pool.threshold, A.USED_MEM_CURRENT: pool.used, A.RESERVED_MEM_CURRENT: pool.reserved,
        A.RESERVED_MEM_HIGH: pool.high[0], A.USED_MEM_HIGH: pool.high[1],
    }  # fmt: skip
    if attribute in _REUSE:
        put_i32(value, pool.reuse[A(attribute)])
    elif attribute in values:
        put_u64(value, values[A(attribute)])
    else:
        raise invalid_value(f"memory pool attribute {attribute} is unknown")


@entry("cuMemPoolSetAttribute", needs=INIT)
def mem_pool_set_attribute(handle: int | None, attribute: int, value: int | None) -> None:
    pool = pool_of(handle)
    need(value)
    assert value is not None
    if attribute in _REUSE:
        pool.reuse[A(attribute)] = int(get_u32(value) != 0)
    elif attribute == A.RELEASE_THRESHOLD:
        pool.threshold = get_u64(value)
    elif attribute in _HIGH and get_u64(value) == 0:
        which = _HIGH.index(A(attribute))
        pool.high[which] = (pool.reserved, pool.used)[which]
    else:
        raise invalid_value(f"memory pool attribute {attribute} cannot be set to {get_u64(value)}")


@entry("cuMemPoolGetAccess", needs=INIT)
def mem_pool_get_access(out: int | None, handle: int | None, location: int | None) -> None:
    pool, where = pool_of(handle), struct(CUmemLocation, location)
    if where.type in _HOSTS and not pool.place.on_device:
        put_u32(out, Right.READWRITE)
        return
    if where.type != _DEVICE or not 0 <= where.id < len(machine.devices):
        raise invalid_value("access is asked for a device")
    own = machine.devices[where.id] is pool.device and pool.place.on_device
    put_u32(out, Right.READWRITE if own or pool.place.kind == _MANAGED else pool.peers.get(where.id, 0))


@entry("cuMemPoolSetAccess", needs=INIT)
def mem_pool_set_access(handle: int | None, descriptions: int | None, number: int) -> None:
    """Of what is allocated from it now and later. Its own device always has full access."""
    pool = pool_of(handle)
    need(descriptions)
    assert descriptions is not None
    wanted = list((CUmemAccessDesc * number).from_address(descriptions))
    for one in wanted:
        if one.location.type != _DEVICE or one.flags not in (Right.NONE, Right.READ, Right.READWRITE):
            raise invalid_value("rights are none (0), read (1) or read and write (3), of devices")
        if machine.device(one.location.id) is pool.device and pool.place.on_device and one.flags != Right.READWRITE:
            raise Refusal(enums.CUresult.ERROR_INVALID_DEVICE, "a pool's own device keeps its access")
    for one in wanted:
        device = machine.device(one.location.id)
        if device is not pool.device or not pool.place.on_device:
            pool.peers[device.ordinal] = one.flags
        if device is not pool.device:
            for allocation in [a for a in list(allocations.values()) if a.pool == pool.handle]:
                device.arena.revoke(allocation.base)
                if one.flags:
                    device.arena.grant(allocation.base, allocation.size, read_only=one.flags == Right.READ)


# --- allocation in stream order ---------------------------------------------------------------------------------------


def free_imported(address: int) -> bool:
    """Gives another process's allocation up, if one is open there; its memory stays."""
    mapping = mappings.get(address)
    if mapping is None or not isinstance(mapping.memory, Pool):
        return False
    mapping.close()
    mapping.device.arena.release(address)
    return True


def _capture_alloc(stream: Stream, size: int, pool: Pool) -> int:
    """cuMemAllocAsync in a capture: a node; its address is fixed now."""
    assert stream.capture is not None
    stream.capture.check()
    memory = GraphMemory(stream.context, size, pool.handle)
    stream.capture.add(stream, Alloc(memory))
    return memory.address


def _capture_free(stream: Stream, address: int) -> None:
    """cuMemFreeAsync in a capture: a node, for memory of a graph only."""
    assert stream.capture is not None
    stream.capture.check()
    stream.capture.add(stream, Free(freed_memory(address)))


def _alloc(context: Context, out: int | None, size: int, pool: Pool, stream: Stream) -> None:
    if stream.capture is not None:
        put_u64(out, _capture_alloc(stream, size, pool))
        return
    refuse_unsafe()
    address = pool.allocate(context, size).base if size else 0
    if address:
        watch_lifetime(stream, "allocation", address, size)
    put_u64(out, address)


@entry("cuMemAllocAsync")
def mem_alloc_async(context: Context, out: int | None, size: int, stream: int | None) -> None:
    need(out)
    where = stream_of(context, stream)
    _alloc(context, out, size, current_pool(_of_device(where.context.device)), where)


@entry("cuMemAllocFromPoolAsync")
def mem_alloc_from_pool_async(
    context: Context, out: int | None, size: int, pool: int | None, stream: int | None
) -> None:
    need(out)
    _alloc(context, out, size, pool_of(pool), stream_of(context, stream))


@entry("cuMemFreeAsync")
def mem_free_async(context: Context, address: int, stream: int | None) -> None:
    where = stream_of(context, stream)
    if where.capture is not None:
        _capture_free(where, address)
        return
    refuse_unsafe()
    if address in graph_memory:
        graph_memory[address].free()
    elif address and not free_imported(address):
        allocation = owned(address)
        if allocation.on_host and not allocation.pool:
            raise invalid_value(f"{address:#x} is host memory: cuMemFreeHost")
        watch_lifetime(where, "free", address, allocation.size)
        allocation.release()
