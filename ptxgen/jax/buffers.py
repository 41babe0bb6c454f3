"""XLA's buffers as arrays of ours: on a GPU the same memory, on the CPU device copies."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.lifetime import renew_in_child
from ptxgen.host import Array, Device, device
from ptxgen.host.exchange import Borrowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Context
    from ptxgen.isa.types import ScalarType
    from ptxgen.jax.abi import Buffer, Call

__all__ = ["borrowed", "on_cpu", "on_gpu"]


def borrowed(place: Device, context: Context, buffer: Buffer) -> Array:
    """An array over a buffer in the memory of a device."""
    return Array(place, Borrowed(context, buffer.data or 0, None), _type(buffer), buffer.shape)


def on_gpu(place: Device, stream: int, call: Call, run: Callable[..., None]) -> None:
    """Run on arrays over XLA's own memory, on its stream."""
    with _turn:
        chosen, context = place.chosen, place.context
        before, chosen.stream = chosen.stream, _stream(context, stream)
        try:
            operands = [borrowed(place, context, each) for each in call.operands]
            run(operands, [borrowed(place, context, each) for each in call.results])
        finally:
            chosen.stream = before


_turn = threading.RLock()
"""XLA calls for several devices at once; what runs in Python builds and loads kernels, one after the other."""
renew_in_child(globals(), "_turn", threading.RLock)

_streams: dict[tuple[int, int], Any] = {}
"""Of XLA, which keeps a few as long as its client lives; by context and CUstream."""


def _stream(context: Context, handle: int) -> Any:
    known = _streams.get((context.handle, handle))
    if known is None or known.context is not context:
        known = _streams[context.handle, handle] = context.stream_from(handle)
    return known


def on_cpu(call: Call, run: Callable[..., None]) -> None:
    """Run on the CPU device, whose memory is its own: operands are copied in, results out, one memcpy each. A result that shares
    its buffer with an operand is one array with it."""
    place = device("cpu")
    with _turn, place.use(place.context.default_stream):
        operands = [_copied_in(place, each) for each in call.operands]
        shared = {each.data: array for each, array in zip(call.operands, operands) if each.data}
        results = [shared.get(each.data) or place.empty(each.shape, _type(each)) for each in call.results]
        run(operands, results)
        for buffer, array in zip(call.results, results):
            if array.nbytes:
                place.context.copy_to_host(buffer.data, array.pointer, array.nbytes)
        place.synchronize()


def _copied_in(place: Device, buffer: Buffer) -> Array:
    array = place.empty(buffer.shape, _type(buffer))
    if array.nbytes:
        place.context.copy_to_device(array.pointer, buffer.data, array.nbytes)
    return array


def _type(buffer: Buffer) -> ScalarType:
    found = buffer.type
    if found is None:
        raise ArgumentTypeError(
            f"a buffer's elements are of XLA's type {buffer.dtype}, which PTX has not", hint="convert it: x.astype(...)"
        )
    return found
