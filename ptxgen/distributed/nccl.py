"""Collectives of GPUs by NCCL's own Python package, nccl4py (the extra `nccl`): NCCL's C functions on addresses.

NVLink multicast stays off, unless NCCL_NVLS_ENABLE says otherwise.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import NotAvailableError
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driver_ctypes.contexts.context import Stream
    from ptxgen.host import Array, Device

__all__ = ["NcclCommunicator", "new_id"]

_TYPES = {
    "s8": 0, "b8": 1, "u8": 1, "s32": 2, "u32": 3, "b32": 3, "s64": 4, "u64": 5, "b64": 5, "f16": 6, "f32": 7, "f64": 8,
    "bf16": 9, "e4m3": 10, "e5m2": 11,
}  # fmt: skip
"""ncclDataType_t of nccl.h."""
_OPS = {"sum": 0, "prod": 1, "max": 2, "min": 3, "avg": 4}
"""ncclRedOp_t."""


def _bindings() -> Any:
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    try:
        return import_module("nccl.bindings.nccl")
    except ImportError as missing:
        raise NotAvailableError(
            f"a group of GPUs communicates through NCCL, whose package cannot be imported: {missing}",
            hint="pip install 'ptxgen[nccl]'",
        ) from missing


def new_id() -> bytes:
    """NCCL's unique id, as bytes."""
    return bytes(import_module("nccl.core").get_unique_id().as_bytes) if _bindings() else b""


def _type(array: Array) -> int:
    found = _TYPES.get(array.type.name)
    if found is None:
        raise BuildError(
            f"NCCL has no .{array.type.name}", hint=f"{', '.join(_TYPES)}; or array.view(u8) to move bytes"
        )
    return found


class NcclCommunicator:
    """The ranks of this process: rank -> NCCL's communicator."""

    def __init__(self, nccl: Any, communicators: dict[int, Any]) -> None:
        self._nccl, self._communicators = nccl, communicators
        handle = getattr(nccl, "Comm", int)  # before nccl4py 0.6 a number
        self._of = {rank: handle(each.ptr) for rank, each in communicators.items()}

    @classmethod
    def of_devices(cls, devices: Sequence[Device]) -> NcclCommunicator:
        """One for each device, in this process."""
        nccl = _bindings()
        for place in devices:
            _ = place.context  # the primary context, which NCCL takes
        made = import_module("nccl.core").Communicator.init_all([place.handle.ordinal for place in devices])
        return cls(nccl, dict(enumerate(made)))

    @classmethod
    def of_process(cls, rank: int, size: int, identity: bytes, place: Device) -> NcclCommunicator:
        """This process's one."""
        nccl, core = _bindings(), import_module("nccl.core")
        with place.context.current():
            made = core.Communicator.init(size, rank, core.UniqueId.from_bytes(identity))
        return cls(nccl, {rank: made})

    def all_reduce(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        where = self._of[rank], stream.handle
        self._nccl.all_reduce(send.pointer, recv.pointer, send.size, _type(send), _OPS[op], *where)

    def all_gather(self, rank: int, send: Array, recv: Array, stream: Stream) -> None:
        self._nccl.all_gather(send.pointer, recv.pointer, send.size, _type(send), self._of[rank], stream.handle)

    def reduce_scatter(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        where = self._of[rank], stream.handle
        self._nccl.reduce_scatter(send.pointer, recv.pointer, recv.size, _type(send), _OPS[op], *where)

    def broadcast(self, rank: int, send: Array, recv: Array, root: int, stream: Stream) -> None:
        where = self._of[rank], stream.handle
        self._nccl.broadcast(send.pointer, recv.pointer, send.size, _type(send), root, *where)

    def send(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._nccl.send(array.pointer, array.size, _type(array), peer, self._of[rank], stream.handle)

    def recv(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._nccl.recv(array.pointer, array.size, _type(array), peer, self._of[rank], stream.handle)

    @contextmanager
    def together(self) -> Iterator[None]:
        """NCCL's group of calls."""
        self._nccl.group_start()
        try:
            yield
        finally:
            self._nccl.group_end()

    def close(self) -> None:
        for each in self._communicators.values():
            each.destroy()
        self._communicators, self._of = {}, {}
