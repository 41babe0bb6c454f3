"""The collectives over CPU devices of one process: what NCCL does for GPUs, for programs that are tried without any.

An operation is work on the streams of its ranks, in their order: copies from device to device, and for reductions one kernel on
the first rank's device, which reads and writes the arrays of all. So a graph may hold it: `Group.capture`. Reductions are in the
order of the ranks (f16, bf16 and fp8 in f32, rounded once). NCCL's order is its own: last bits of floating-point sums may differ.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from driver_ctypes.errors import CaptureError
from driver_ctypes.memory.peer import copy_peer
from ptxgen.builder import (
    Builder,
    b8,
    b16,
    b32,
    b64,
    bf16,
    e4m3,
    e5m2,
    f16,
    f32,
    f64,
    kernel,
    ptr,
    s8,
    s16,
    s32,
    s64,
    u8,
    u16,
    u32,
    u64,
)
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.collectives import combine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driver_ctypes.contexts.context import Stream
    from ptxgen.host import Array, Device

__all__ = ["EmulatedCommunicator"]

E = TypeVar("E", bound=Value)

THREADS = 256
CTAS = 64

_ELEMENTS: dict[Any, type[Any]] = {
    **{each.isa: each for each in (u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, e4m3, e5m2, f32, f64)},
    **{bits.isa: number for bits, number in ((b8, u8), (b16, u16), (b32, u32), (b64, u64))},
}
"""What an array's elements are reduced as."""

_WIDE: dict[type[Any], type[Any]] = {
    f16: f32, bf16: f32, e4m3: f32, e5m2: f32, u8: u32, u16: u32, s8: s32, s16: s32,
}  # fmt: skip
"""What a type is reduced in, where that is not the type itself."""


@kernel(max_threads=THREADS)
def reduce_ranks(
    k: Builder, n: u64, ranks: u32, part: u64, sends: ptr[u64], recvs: ptr[u64], *, element: type[E], op: str, scatter: bool
) -> None:  # fmt: skip
    """Element i of all ranks' n, reduced, goes to every rank's place i, or (`scatter`) to place i % part of rank i / part. A
    thread reads its elements of all ranks before it writes any: results may lie where the inputs do."""
    wide = _WIDE.get(element, element)

    def of(rank: Any) -> Any:
        return k.pointer(sends[rank], element, "global")[i].to(wide)

    for i in k.range(k.global_id.x.to(u64), n, THREADS * CTAS):
        total = k.var(wide, of(0))
        for rank in k.range(1, ranks):
            total.set(total * of(rank) if op == "prod" else combine(k, "sum" if op == "avg" else op, total, of(rank)))
        if op == "avg":
            total.set(total / ranks.to(wide) if element.isa.is_float else total // ranks.to(wide))
        if scatter:
            k.pointer(recvs[(i // part).to(u32)], element, "global")[i % part] = total.to(element)
        else:
            for rank in k.range(0, ranks):
                k.pointer(recvs[rank], element, "global")[i] = total.to(element)


class _Posted(NamedTuple):
    """A rank's part of an operation: its arrays, where it has any of them, and what the operation is of (op, root or peer)."""

    rank: int
    stream: Stream
    send: Array | None
    recv: Array | None
    of: Any


class EmulatedCommunicator:
    """All ranks are in this process."""

    def __init__(self, devices: Sequence[Device]) -> None:
        for place in devices:
            place.context.enable_peers([peer.context for peer in devices if peer is not place])
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
            streams = list({part.rank: part.stream for part in parts}.values())
            if len({stream.capturing for stream in streams}) > 1:
                raise CaptureError(
                    f"{kind} of {len(streams)} ranks in a capture that some of them take no part in",
                    hint="with ranks.capture() as step: all ranks' streams take part",
                )
            _meet(streams)
            _DO[kind](parts)
            _meet(streams)

    def _post(self, kind: str, part: _Posted) -> None:
        if self._posted is None:
            raise BuildError(f"{kind} outside of together()")
        self._posted.setdefault(kind, []).append(part)

    def all_reduce(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        self._post("all_reduce", _Posted(rank, stream, send, recv, op))

    def all_gather(self, rank: int, send: Array, recv: Array, stream: Stream) -> None:
        self._post("all_gather", _Posted(rank, stream, send, recv, None))

    def reduce_scatter(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        self._post("reduce_scatter", _Posted(rank, stream, send, recv, op))

    def broadcast(self, rank: int, send: Array, recv: Array, root: int, stream: Stream) -> None:
        self._post("broadcast", _Posted(rank, stream, send, recv, root))

    def send(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._post("exchange", _Posted(rank, stream, array, None, peer))

    def recv(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        self._post("exchange", _Posted(rank, stream, None, array, peer))

    def close(self) -> None:
        """Nothing is held."""


def _meet(streams: Sequence[Stream]) -> None:
    """What any of these streams does from here on is behind all that they did before."""
    first, *others = streams
    for other in others:
        first.wait(other.record())
    if others:
        reached = first.record()
        for other in others:
            other.wait(reached)


def _copy(to: Array, source: Array, stream: Stream) -> None:
    if to.nbytes and to.pointer != source.pointer:
        copy_peer(to, source, to.nbytes, stream)


def _reduce(parts: list[_Posted], scatter: bool) -> None:
    sends = [part.send for part in parts if part.send is not None]
    recvs = [part.recv for part in parts if part.recv is not None]
    first, stream = sends[0], parts[0].stream
    if not first.size:
        return
    with first.device.use(stream):
        tables = [first.device.array([each.pointer for each in side], "u64") for side in (sends, recvs)]
    capture = stream.active_capture
    if capture is not None:
        capture.retain(*sends, *recvs)  # whose addresses alone are in the graph
    chosen = reduce_ranks.on(first.device, element=_ELEMENTS[first.type], op=parts[0].of, scatter=scatter)
    grid = min(CTAS, -(-first.size // THREADS))
    chosen.launch(grid, THREADS, (first.size, len(sends), recvs[0].size, *tables), stream=stream)


def _all_gather(parts: list[_Posted]) -> None:
    for part in parts:
        for at, other in enumerate(parts):
            if part.recv is not None and other.send is not None:
                step = other.send.shape[0]
                _copy(part.recv[at * step : (at + 1) * step], other.send, part.stream)


def _broadcast(parts: list[_Posted]) -> None:
    (root,) = (part for part in parts if part.rank == part.of)
    for part in parts:
        if part.recv is not None and root.send is not None:
            _copy(part.recv, root.send, part.stream)


def _exchange(parts: list[_Posted]) -> None:
    """Sends to a peer meet its receives from there, in order."""
    sent: dict[tuple[int, int], list[Array]] = {}
    for part in parts:
        if part.send is not None:
            sent.setdefault((part.rank, part.of), []).append(part.send)
    for part in parts:
        if part.recv is not None:
            waiting = sent.get((part.of, part.rank))
            if not waiting:
                raise BuildError(f"rank {part.rank} receives from rank {part.of}, which sends nothing")
            _copy(part.recv, waiting.pop(0), part.stream)


_DO: dict[str, Callable[[list[_Posted]], None]] = {
    "all_reduce": partial(_reduce, scatter=False),
    "reduce_scatter": partial(_reduce, scatter=True),
    "all_gather": _all_gather,
    "broadcast": _broadcast,
    "exchange": _exchange,
}
