"""Several devices: which reach each other's memory, and copies between them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentTypeError, NotSupportedError
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.buffer import size_of
from driver_ctypes.memory.copies import check_fits
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
