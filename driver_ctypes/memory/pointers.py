"""What an address refers to, as the driver reports it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_KINDS = {1: "host", 2: "device", 3: "array", 4: "unified"}  # CUmemorytype
_CONTEXT, _MEMORY_TYPE, _HOST_POINTER, _MANAGED, _ORDINAL, _START, _SIZE, _MAPPED, _POOL = 1, 2, 4, 8, 9, 11, 12, 13, 17
_NO_DEVICE = -2


class PointerInfo(NamedTuple):
    """An address's memory; for memory unknown to the driver, all fields but *kind* are empty."""

    kind: str
    """``device``, ``host`` (page-locked or registered), or ``unknown``."""
    device: int | None
    """The device's ordinal."""
    context: int
    """The CUcontext that allocated it; 0 for memory without one."""
    base: int
    """The start of its allocation or reserved range."""
    nbytes: int
    """How many bytes that has."""
    host: int
    """Where the host reaches it; 0 for nowhere."""
    managed: bool
    mapped: bool
    """Whether a device reaches it."""
    pool: int
    """The CUmemoryPool that it is from; 0 for none."""


def pointer_info(context: Session, address: int) -> PointerInfo:
    """What *address* is. Does not raise for an address outside every allocation. Not for addresses of a graph's memory that no
    launch has allocated yet.
    """
    asked = (_CONTEXT, _MEMORY_TYPE, _HOST_POINTER, _MANAGED, _ORDINAL, _START, _SIZE, _MAPPED, _POOL)
    values = (ctypes.c_uint64 * len(asked))()
    places = (ctypes.c_void_p * len(asked))(*[ctypes.addressof(values) + 8 * i for i in range(len(asked))])
    attributes = (ctypes.c_int * len(asked))(*asked)
    context.call("cuPointerGetAttributes", len(asked), attributes, places, address)
    found = dict(zip(asked, values))
    ordinal = ctypes.c_int32(found[_ORDINAL] & 0xFFFFFFFF).value
    kind = _KINDS.get(found[_MEMORY_TYPE] & 0xFFFFFFFF, "unknown")
    if kind == "unknown":  # drivers still say this and that of it
        return PointerInfo(kind, None, 0, 0, 0, 0, False, False, 0)
    return PointerInfo(
        kind, None if ordinal == _NO_DEVICE else ordinal, found[_CONTEXT], found[_START],
        found[_SIZE], found[_HOST_POINTER], bool(found[_MANAGED] & 0xFF), bool(found[_MAPPED] & 0xFF), found[_POOL],
    )  # fmt: skip
