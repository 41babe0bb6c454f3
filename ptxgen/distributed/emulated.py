"""The collectives over CPU devices of one process: what NCCL does for GPUs, for programs that are tried without any.

Work of a CPU device runs when it is posted, so that an operation is done when all its ranks have posted it, which they do in
the body of `together`. Reductions are computed in order of the ranks, in the elements' type (f16, bf16 and fp8 in f32, rounded
once): NCCL's order is its own, so that last bits of floating-point sums may differ. Nothing is captured.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import NotAvailableError
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driver_ctypes.contexts.context import Stream
    from ptxgen.host import Array, Device

__all__ = ["EmulatedCommunicator"]


class _Posted(NamedTuple):
    """A rank's part of an operation: its arrays, where it has any of them, and what the operation is of (op, root or peer)."""

    rank: int
    send: Array | None
    recv: Array | None
    of: Any


class EmulatedCommunicator:
    """All ranks are in this process."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = list(devices)
        self._posted: dict[str, list[_Posted]] | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        self._posted = {}
        try:
            yield
            posted = self._posted
        finally:
            self._posted = None
        for kind, parts in posted.items():
            _DO[kind](parts)

    def _post(self, kind: str, stream: Stream, part: _Posted) -> None:
        if self._posted is None:
            raise BuildError(f"{kind} outside of together()")
        if stream.capturing:
            raise NotAvailableError(
                f"{kind} of CPU devices in a capture", hint="call it outside; on GPUs NCCL's operations are captured"
            )
        self._posted.setdefault(kind, []).append(part)

    def all_reduce(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        self._post("all_reduce", stream, _Posted(rank, send, recv, op))

    def all_gather(self, rank: int, send: Array, recv: Array, stream: Stream) -> None:
        self._post("all_gather", stream, _Posted(rank, send, recv, None))

    def reduce_scatter(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        self._post("reduce_scatter", stream, _Posted(rank, send, recv, op))

    def broadcast(self, rank: int, send: Array, recv: Array, root: int, stream: Stream) -> None:
        self._post("broadcast", stream, _Posted(rank, send, recv, root))

    def send(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._post("exchange", stream, _Posted(rank, array, None, peer))

    def recv(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._post("exchange", stream, _Posted(rank, None, array, peer))

    def close(self) -> None:
        self._devices = []


def _reduced(parts: list[_Posted]) -> Any:
    """The reduction of all ranks' arrays, as numpy has it."""
    import numpy as np

    op = parts[0].of
    values = [part.send.numpy() for part in parts if part.send is not None]
    if op == "avg":
        total = reduce(np.add, values)
        return total // len(values) if total.dtype.kind in "iu" else total / total.dtype.type(len(values))
    return reduce({"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[op], values)


def _all_reduce(parts: list[_Posted]) -> None:
    result = _reduced(parts)
    for part in parts:
        _put(part.recv, result)


def _reduce_scatter(parts: list[_Posted]) -> None:
    result = _reduced(parts)
    step = result.shape[0] // len(parts)
    for part in parts:
        _put(part.recv, result[part.rank * step : (part.rank + 1) * step])


def _all_gather(parts: list[_Posted]) -> None:
    import numpy as np

    whole = np.concatenate([part.send.numpy(bits=True) for part in parts if part.send is not None])
    for part in parts:
        _put_bits(part.recv, whole)


def _broadcast(parts: list[_Posted]) -> None:
    (root,) = (part for part in parts if part.rank == part.of)
    bits = root.send.numpy(bits=True) if root.send is not None else None
    for part in parts:
        _put_bits(part.recv, bits)


def _exchange(parts: list[_Posted]) -> None:
    """Sends to a peer meet its receives from there, in order."""
    sent: dict[tuple[int, int], list[Any]] = {}
    for part in parts:
        if part.send is not None:
            sent.setdefault((part.rank, part.of), []).append(part.send.numpy(bits=True))
    for part in parts:
        if part.recv is not None:
            waiting = sent.get((part.of, part.rank))
            if not waiting:
                raise BuildError(f"rank {part.rank} receives from rank {part.of}, which sends nothing")
            _put_bits(part.recv, waiting.pop(0))


def _put(array: Array | None, values: Any) -> None:
    if array is not None:
        array.copy_from(values.reshape(array.shape).astype(values.dtype))


def _put_bits(array: Array | None, bits: Any) -> None:
    if array is not None:
        array.view("u8").copy_from(bits.reshape(-1).view("u1").reshape(array.view("u8").shape))


_DO: dict[str, Callable[[list[_Posted]], None]] = {
    "all_reduce": _all_reduce,
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "broadcast": _broadcast,
    "exchange": _exchange,
}
