"""Peers: every emulated device may reach every other one's memory, once a context has enabled it.

Enabling is a context's, as in CUDA; kernels of all contexts of its device then reach the peer's memory.
"""

from __future__ import annotations

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.contexts.device_queries import attribute_of
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import i32_array, need, put_i32, put_u32
from ptxgen.emulated_driver.state.context import Context, contexts, see_peers
from ptxgen.emulated_driver.state.machine import machine

A = enums.CUdevice_P2PAttribute
_VALUES = {A.PERFORMANCE_RANK: 0, A.ACCESS_SUPPORTED: 1, A.NATIVE_ATOMIC_SUPPORTED: 1, A.ACCESS_ACCESS_SUPPORTED: 0}


@entry("cuDeviceCanAccessPeer", needs=INIT)
def device_can_access_peer(out: int | None, device: int, peer: int) -> None:
    need(out)
    put_i32(out, int(machine.device(device) is not machine.device(peer)))


@entry("cuDeviceGetP2PAttribute", needs=INIT)
def device_get_p2p_attribute(out: int | None, attribute: int, source: int, target: int) -> None:
    need(out)
    if machine.device(source) is machine.device(target):
        raise Refusal(enums.CUresult.ERROR_INVALID_DEVICE, "two different devices are needed")
    if attribute not in _VALUES:
        raise invalid_value(f"peer attribute {attribute} is unknown")
    put_i32(out, _VALUES[A(attribute)])


_SIGNED, _UNSIGNED, _REDUCTION, _32, _64, _128, _FOUR_32 = (1 << bit for bit in range(7))  # CUatomicOperationCapability
_WORDS = _UNSIGNED | _REDUCTION | _32 | _64
_ATOMICS = (  # by CUatomicOperation: integers, words, what is exchanged, floats
    *[_SIGNED | _WORDS] * 3, *[_UNSIGNED | _REDUCTION | _32] * 2, *[_WORDS] * 3, *[_UNSIGNED | _32 | _64 | _128] * 2,
    _REDUCTION | _32 | _64 | _FOUR_32, 0, 0,
)  # fmt: skip
"""What devices do to each other's memory, as PTX has instructions for it."""


def _put_atomics(out: int | None, operations: int | None, count: int, offered: bool) -> None:
    need(out, operations)
    asked = i32_array(operations, count)
    if not count or not all(0 <= operation < len(_ATOMICS) for operation in asked):
        raise invalid_value(f"atomic operations {asked[:16]}: 0 to {len(_ATOMICS) - 1}, one at least")
    assert out is not None
    for index, operation in enumerate(asked):
        put_u32(out + 4 * index, _ATOMICS[operation] if offered else 0)


@entry("cuDeviceGetP2PAtomicCapabilities", needs=INIT)
def device_get_p2p_atomics(out: int | None, operations: int | None, count: int, source: int, target: int) -> None:
    if machine.device(source) is machine.device(target):
        raise Refusal(enums.CUresult.ERROR_INVALID_DEVICE, "two different devices are needed")
    _put_atomics(out, operations, count, offered=True)


@entry("cuDeviceGetHostAtomicCapabilities", needs=INIT)
def device_get_host_atomics(out: int | None, operations: int | None, count: int, ordinal: int) -> None:
    """None, where the device says that it has no native atomics on host memory."""
    native = attribute_of(machine.device(ordinal), enums.CUdevice_attribute.HOST_NATIVE_ATOMIC_SUPPORTED)
    _put_atomics(out, operations, count, offered=bool(native))


def _peer(handle: int | None) -> Context:
    found = contexts.find(handle)
    if found is None:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, f"{handle or 0:#x} is not a live context")
    return found


@entry("cuCtxEnablePeerAccess")
def ctx_enable_peer_access(context: Context, peer: int | None, flags: int) -> None:
    if flags:
        raise invalid_value(f"flags {flags}: 0")
    other = _peer(peer).check()
    if other.device is context.device:
        raise Refusal(enums.CUresult.ERROR_PEER_ACCESS_UNSUPPORTED, "the peer is a context of the same device")
    with context.lock:
        if other in context.peers:
            raise Refusal(enums.CUresult.ERROR_PEER_ACCESS_ALREADY_ENABLED)
        context.peers.append(other)
    see_peers(context.device)


@entry("cuCtxDisablePeerAccess")
def ctx_disable_peer_access(context: Context, peer: int | None) -> None:
    other = _peer(peer)
    with context.lock:
        if other not in context.peers:
            raise Refusal(enums.CUresult.ERROR_PEER_ACCESS_NOT_ENABLED)
        context.peers.remove(other)
    see_peers(context.device)
