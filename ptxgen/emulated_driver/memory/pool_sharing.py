"""Memory pools of other processes: a pool is exported as the descriptor of its file, an allocation as its offset there."""

from __future__ import annotations

import os

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import Mapping
from ptxgen.emulated_driver.memory.allocation import owned
from ptxgen.emulated_driver.memory.pools import DESCRIPTOR, POOL_FILE, Pool, PoolPlace, pool_of
from ptxgen.emulated_driver.memory.virtual import file_name
from ptxgen.emulated_driver.pointers import get_u64, need, put_bytes, put_i32, put_u64

_EXPORT = b"ptxgen pool"


@entry("cuMemPoolExportToShareableHandle", needs=INIT)
def mem_pool_export(out: int | None, handle: int | None, kind: int, flags: int) -> None:
    need(out)
    pool = pool_of(handle)
    if flags or kind != DESCRIPTOR or pool.descriptor < 0 or pool.imported:
        raise invalid_value("a pool is exported as a descriptor (1), and must have been created for it")
    put_i32(out, os.dup(pool.descriptor))


@entry("cuMemPoolImportFromShareableHandle", needs=INIT)
def mem_pool_import(out: int | None, descriptor: int | None, kind: int, flags: int) -> None:
    """The descriptor stays the caller's."""
    need(out)
    if flags or kind != DESCRIPTOR:
        raise invalid_value("a pool is imported from a descriptor (1), with flags 0")
    name, *place = file_name(descriptor or 0).rsplit("-", len(PoolPlace._fields))
    if name != POOL_FILE:
        raise Refusal(enums.CUresult.ERROR_UNKNOWN, f"descriptor {descriptor} is not a pool of this driver")
    pool = Pool(PoolPlace(*map(int, place)), descriptor=os.dup(descriptor or 0))
    pool.imported = True
    put_u64(out, pool.handle)


@entry("cuMemPoolExportPointer", needs=INIT)
def mem_pool_export_pointer(out: int | None, address: int) -> None:
    need(out)
    shared = owned(address).shared
    if shared is None or shared.owned:
        raise invalid_value(f"{address:#x} is not memory of a pool for export")
    words = (shared.offset, owned(address).size)
    put_bytes(out, _EXPORT.ljust(16, b"\0") + b"".join(word.to_bytes(8, "little") for word in words) + bytes(32))


@entry("cuMemPoolImportPointer", needs=INIT)
def mem_pool_import_pointer(out: int | None, handle: int | None, data: int | None) -> None:
    need(out, data)
    assert data is not None
    pool = pool_of(handle)
    if not pool.imported or pool.device.arena.raw(data, 16).tobytes() != _EXPORT.ljust(16, b"\0"):
        raise invalid_value("the pool was not imported, or the data is of no cuMemPoolExportPointer")
    offset, size = get_u64(data + 16), get_u64(data + 24)
    base = pool.device.arena.reserve(size)
    pool.device.arena.map_file(base, size, pool.descriptor, offset)
    mapping = Mapping(pool.device, base, size, "imported memory", memory=pool)
    mapping.give_access(pool.device, enums.CUmemAccess_flags.READWRITE)
    put_u64(out, base)
