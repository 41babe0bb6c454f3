"""Stream-ordered allocation: memory pools, cuMemAllocAsync and cuMemFreeAsync.

Work runs when it is enqueued, so memory is there and gone at once; a pool holds nothing back.
"""

from __future__ import annotations

from driver_ctypes.abi.enums import CUmemPool_attribute
from driver_ctypes.abi.structs import CUmemAccessDesc, CUmemLocation, CUmemPoolProps
from ptxgen.cpu.driver.capture import capture_alloc, capture_free
from ptxgen.cpu.driver.memory import Allocation, owned
from ptxgen.cpu.driver.pointers import get_u32, get_u64, need, put_i32, put_u32, put_u64, struct
from ptxgen.cpu.driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.cpu.driver.rules import refuse_unsafe
from ptxgen.cpu.driver.state import Context, Device, Handles, machine
from ptxgen.cpu.driver.streams import Stream, stream_of
from ptxgen.cpu.driver.table import INIT, entry

A = CUmemPool_attribute
_REUSE = (A.REUSE_FOLLOW_EVENT_DEPENDENCIES, A.REUSE_ALLOW_OPPORTUNISTIC, A.REUSE_ALLOW_INTERNAL_DEPENDENCIES)
_HIGH = (A.RESERVED_MEM_HIGH, A.USED_MEM_HIGH)


class Pool:
    """A memory pool. `limit` is the most it may hold, 0 for no limit."""

    def __init__(self, device: Device, *, limit: int = 0, default: bool = False) -> None:
        self.device = device
        self.limit = limit
        self.default = default
        self.reuse = dict.fromkeys(_REUSE, 1)
        self.threshold = 0
        self.high = 0
        self.handle = (default_pools if default else pools).add(self)

    @property
    def used(self) -> int:
        return sum(a.size for a in list(self.device.allocations.values()) if a.pool == self.handle)

    def allocate(self, context: Context, size: int) -> Allocation:
        if self.limit and self.used + size > self.limit:
            raise Refusal(
                CUresult.ERROR_OUT_OF_MEMORY, f"{size} bytes more than the pool's limit of {self.limit} allows"
            )
        allocation = Allocation(context, size, pool=self.handle)
        self.high = max(self.high, self.used)
        return allocation


pools: Handles[Pool] = Handles("memory pool")
default_pools: Handles[Pool] = Handles("default memory pool", counted=False)


def pool_of(handle: int | None) -> Pool:
    found = pools.find(handle) or default_pools.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is no live memory pool")
    return found


def default_pool(device: Device) -> Pool:
    with device.lock:
        if device.default_pool is None:
            device.default_pool = Pool(device, default=True)
    return device.default_pool


def current_pool(device: Device) -> Pool:
    return device.pool or default_pool(device)


@entry("cuDeviceGetDefaultMemPool", needs=INIT)
def device_get_default_mem_pool(out: int | None, device: int) -> None:
    put_u64(out, default_pool(machine.device(device)).handle)


@entry("cuDeviceGetMemPool", needs=INIT)
def device_get_mem_pool(out: int | None, device: int) -> None:
    put_u64(out, current_pool(machine.device(device)).handle)


@entry("cuDeviceSetMemPool", needs=INIT)
def device_set_mem_pool(device: int, handle: int | None) -> None:
    pool = pool_of(handle)
    if pool.device is not machine.device(device):
        raise invalid_value("the pool is another device's")
    pool.device.pool = pool


@entry("cuMemPoolCreate", needs=INIT)
def mem_pool_create(out: int | None, properties: int | None) -> None:
    need(out)
    wanted = struct(CUmemPoolProps, properties)
    if wanted.allocType != 1 or wanted.location.type != 1 or wanted.handleTypes:
        raise invalid_value("a pool has pinned memory (1) on a device (1) and no handle type")
    if not 0 <= wanted.location.id < len(machine.devices):
        raise invalid_value(f"device {wanted.location.id}: there are {len(machine.devices)}")
    put_u64(out, Pool(machine.devices[wanted.location.id], limit=wanted.maxSize).handle)


@entry("cuMemPoolDestroy", needs=INIT)
def mem_pool_destroy(handle: int | None) -> None:
    pool = pool_of(handle)
    if pool.default:
        raise invalid_value("the default pool cannot be destroyed")
    pools.remove(handle)
    if pool.device.pool is pool:
        pool.device.pool = None


@entry("cuMemPoolTrimTo", needs=INIT, unsafe=True)
def mem_pool_trim_to(handle: int | None, keep: int) -> None:
    pool_of(handle)


@entry("cuMemPoolGetAttribute", needs=INIT)
def mem_pool_get_attribute(handle: int | None, attribute: int, value: int | None) -> None:
    pool = pool_of(handle)
    if attribute in _REUSE:
        put_i32(value, pool.reuse[A(attribute)])
    elif attribute == A.RELEASE_THRESHOLD:
        put_u64(value, pool.threshold)
    elif attribute in (A.USED_MEM_CURRENT, A.RESERVED_MEM_CURRENT):
        put_u64(value, pool.used)
    elif attribute in _HIGH:
        put_u64(value, pool.high)
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
        pool.high = pool.used
    else:
        raise invalid_value(f"memory pool attribute {attribute} cannot be set to {get_u64(value)}")


@entry("cuMemPoolGetAccess", needs=INIT)
def mem_pool_get_access(out: int | None, handle: int | None, location: int | None) -> None:
    pool, where = pool_of(handle), struct(CUmemLocation, location)
    if where.type != 1:
        raise invalid_value("access is asked for a device")
    put_u32(out, 3 if machine.device(where.id) is pool.device else 0)


@entry("cuMemPoolSetAccess", needs=INIT)
def mem_pool_set_access(handle: int | None, descriptions: int | None, number: int) -> None:
    """Only the pool's own device reaches its memory, for reading and writing."""
    pool = pool_of(handle)
    need(descriptions)
    assert descriptions is not None
    for wanted in (CUmemAccessDesc * number).from_address(descriptions):
        own = wanted.location.type == 1 and wanted.location.id == pool.device.ordinal
        if own != (wanted.flags == 3) or wanted.flags not in (0, 3):
            raise invalid_value("a pool's memory is read and written by its own device, and by no other")


# --- allocation in stream order ---------------------------------------------------------------------------------------


def _alloc(context: Context, out: int | None, size: int, pool: Pool, stream: Stream) -> None:
    if stream.capture is not None:
        put_u64(out, capture_alloc(stream, size, pool))
        return
    refuse_unsafe()
    put_u64(out, pool.allocate(context, size).base if size else 0)


@entry("cuMemAllocAsync")
def mem_alloc_async(context: Context, out: int | None, size: int, stream: int | None) -> None:
    need(out)
    where = stream_of(context, stream)
    _alloc(context, out, size, current_pool(where.context.device), where)


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
        capture_free(where, address)
        return
    refuse_unsafe()
    if address:
        allocation = owned(address)
        if allocation.on_host:
            raise invalid_value(f"{address:#x} is host memory: cuMemFreeHost")
        allocation.release()
