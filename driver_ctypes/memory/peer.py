"""Memory of other devices and other processes: which devices reach each other's memory, and copies between them; and memory
and events of processes of the same machine, by handles of 64 bytes. And what an address refers to, as the driver reports it.

A handle may be sent as it is. The process that made it keeps memory and event alive; a process that opens it must
close it before that. Memory of pools and of virtual memory management is shared by file descriptors instead
(`MemoryPool.export`, `PhysicalMemory.export`).
"""

from __future__ import annotations

import ctypes

from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError, NotSupportedError
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.buffer import Buffer, size_of
from driver_ctypes.memory.copies import check_fits
from driver_ctypes.streams.stream import Event
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session


_UNSUPPORTED, _ALREADY_ENABLED, _NOT_ENABLED = 217, 704, 705


class PeerAttributes(NamedTuple):
    """What a device may do with another one's memory."""

    access: bool
    """Whether kernels can reach it at all, once `enable_peer` was called."""
    atomics: bool
    """Whether atomic operations work there natively."""
    arrays: bool
    """Whether CUDA arrays there can be reached."""
    rank: int
    """How fast the way is, relative to others; lower is faster."""


def can_access_peer(device: DeviceBase, peer: DeviceBase) -> bool:
    """Whether kernels of *device* can reach *peer*'s memory."""
    value = ctypes.c_int()
    device.driver.call("cuDeviceCanAccessPeer", ctypes.byref(value), device.handle, peer.handle)
    return bool(value.value)


def peer_attributes(device: DeviceBase, peer: DeviceBase) -> PeerAttributes:
    """The same in detail, for two different devices."""
    values = []
    for attribute in (2, 3, 4, 1):  # CUdevice_P2PAttribute
        value = ctypes.c_int()
        arguments = ctypes.byref(value), attribute, device.handle, peer.handle
        device.driver.call("cuDeviceGetP2PAttribute", *arguments)
        values.append(value.value)
    access, atomics, arrays, rank = values
    return PeerAttributes(bool(access), bool(atomics), bool(arrays), rank)


def enable_peer(context: Session, peer: Session) -> None:
    """Let kernels of *context* reach all memory of *peer*, a context of another device; does nothing if they can already.
    One direction only. Raises NotSupportedError where the devices cannot.
    """
    instance(peer, type(context), "peer", "device.primary_context() is one").check()
    code = context.try_call("cuCtxEnablePeerAccess", peer.handle, 0)
    if code == _ALREADY_ENABLED:
        context.driver.new_log()
    elif code == _UNSUPPORTED:
        context.driver.new_log()
        raise NotSupportedError(
            f"kernels of {context.device!r} cannot reach the memory of {peer.device!r}",
            function="cuCtxEnablePeerAccess", code=code, name="CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
            hint="copy between them with copy_peer, which works for any two devices",
        )  # fmt: skip
    elif code:
        raise context.error("cuCtxEnablePeerAccess", code)
    peer.share_memory()
    context.peers.add(peer)


def disable_peer(context: Session, peer: Session) -> None:
    """Take that back; nothing where it was not enabled."""
    instance(peer, type(context), "peer", "device.primary_context() is one")
    context.peers.discard(peer)
    code = context.try_call("cuCtxDisablePeerAccess", peer.handle)
    if code == _NOT_ENABLED:
        context.driver.new_log()
    elif code:
        raise context.error("cuCtxDisablePeerAccess", code)


def copy_peer(dst: Any, src: Any, nbytes: int, stream: Any = None) -> None:
    """Copy between buffers (or device arrays) of two contexts, of any devices. With *stream*, of either context (a
    framework's or a handle: of the source's), in the order of its work; else after all earlier work of both contexts.
    """
    contexts = []
    for name, side in (("dst", dst), ("src", src)):
        context = getattr(side, "context", None)
        if context is None or not isinstance(getattr(side, "pointer", None), int):
            raise ArgumentTypeError(
                f"{name}: {type(side).__name__} does not say which device's memory it is", hint="pass a Buffer"
            )
        check_fits(side, nbytes)
        contexts.append(context)
    there, here = contexts
    arguments = (dst.pointer, there.handle, src.pointer, here.handle, size_of(nbytes))
    if stream is None:
        here.call("cuMemcpyPeer", *arguments)
        for account in tuple(ACCOUNTS):
            account.note_copy(here, "DtoD", arguments[-1])
        return
    queue = stream if getattr(stream, "context", None) is there else here.stream_from(stream)
    queue.check_open()
    queue.context.call("cuMemcpyPeerAsync", *arguments, queue.handle)
    capture = queue.active_capture
    if capture is not None:
        capture.retain(dst, src)
        return
    for account in tuple(ACCOUNTS):
        account.note_copy(here, "DtoD", arguments[-1])


HANDLE_BYTES = 64
_LAZY_PEER_ACCESS = 1  # the one flag there is, and it must be given
_INVALID_CONTEXT = 201


class OpenedBuffer(Buffer):
    """Another process's memory, made by `open_memory`. ``close()`` leaves the memory there."""

    kind = "opened buffer"
    _destroy = "cuIpcCloseMemHandle"


def memory_handle(buffer: Buffer) -> bytes:
    """What `open_memory` of another process needs. The handle is the whole allocation's. Raises CudaError for memory that
    was not made by `Context.alloc`.
    """
    from driver_ctypes.abi.structs import CUipcMemHandle

    instance(buffer, Buffer, "memory_handle", "what context.alloc gave")
    handle = CUipcMemHandle()
    buffer.context.call("cuIpcGetMemHandle", ctypes.byref(handle), buffer.pointer)
    return bytes(handle)


def open_memory(context: Session, handle: bytes, nbytes: int) -> OpenedBuffer:
    """Another process's buffer of *nbytes* bytes. Raises ArgumentError for a handle of this very process, ArgumentRangeError
    for more bytes than the allocation has."""
    from driver_ctypes.abi.structs import CUipcMemHandle

    size, whole, address = size_of(nbytes), ctypes.c_size_t(), ctypes.c_uint64()
    made = CUipcMemHandle.from_buffer_copy(_checked(handle))
    code = context.try_call("cuIpcOpenMemHandle_v2", ctypes.byref(address), made, _LAZY_PEER_ACCESS)
    _raise(context, "cuIpcOpenMemHandle_v2", code)
    opened = OpenedBuffer(context, address.value, size)
    code = context.try_call("cuMemGetAddressRange_v2", None, ctypes.byref(whole), address.value)
    if not code and size > whole.value:
        opened.close()
        raise ArgumentRangeError(
            f"{size} bytes of an allocation of {whole.value}", hint="pass its size beside the handle"
        )
    return opened


def open_event(context: Session, handle: bytes) -> Event:
    """Another process's event. Raises ArgumentError for a handle of this very process."""
    from driver_ctypes.abi.structs import CUipcEventHandle

    event = ctypes.c_void_p()
    made = CUipcEventHandle.from_buffer_copy(_checked(handle))
    _raise(context, "cuIpcOpenEventHandle", context.try_call("cuIpcOpenEventHandle", ctypes.byref(event), made))
    return Event(context, event.value or 0, timing=False)


def _checked(handle: Any) -> bytes:
    if not isinstance(handle, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"a handle is bytes, not {type(handle).__name__} {handle!r:.60}")
    data = bytes(handle)
    if len(data) != HANDLE_BYTES:
        raise ArgumentError(
            f"a handle has {HANDLE_BYTES} bytes, not {len(data)}", hint="pass what the other process sent"
        )
    return data


def _raise(context: Session, symbol: str, code: int) -> None:
    if code == _INVALID_CONTEXT:
        context.driver.new_log()
        raise ArgumentError(
            "the handle is this process's own, which the driver does not open",
            hint="use the object that it was made of",
        )
    if code:
        raise context.error(symbol, code)


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
