"""Which devices work together, and the collectives over their arrays."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from driver_ctypes.errors import DeviceNotFoundError, NotAvailableError
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device, device, devices
from ptxgen.ops.arguments import check_apart, check_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driver_ctypes.contexts.context import Stream
    from ptxgen.distributed.symmetric import Symmetric
    from ptxgen.host.capture import Graph

    Arrays = TypeVar("Arrays", bound="Array | Sequence[Array]")

__all__ = ["REDUCTIONS", "Communicator", "Group", "group", "join", "unique_id"]

REDUCTIONS = ("sum", "prod", "min", "max", "avg")


class Communicator(Protocol):
    """What a group asks for, of one of its ranks in this process: the operations of NCCL (NCCL User Guide, "Collective
    Communication Functions"), each posted on a stream. Arrays are contiguous, and checked."""

    def all_reduce(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        """recv = the reduction of all ranks' send, of the same size."""

    def all_gather(self, rank: int, send: Array, recv: Array, stream: Stream) -> None:
        """recv = all ranks' send, in order of the ranks."""

    def reduce_scatter(self, rank: int, send: Array, recv: Array, op: str, stream: Stream) -> None:
        """recv = the rank's part of the reduction of all ranks' send."""

    def broadcast(self, rank: int, send: Array, recv: Array, root: int, stream: Stream) -> None:
        """recv = the root's send."""

    def send(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        """The array goes to a peer, which receives as many bytes."""

    def recv(self, rank: int, array: Array, peer: int, stream: Stream) -> None:
        """The array comes from a peer."""

    def together(self) -> AbstractContextManager[None]:
        """What is posted in its body is one operation for all ranks of this process."""

    def close(self) -> None:
        """Give back what it holds."""


class Group:
    """`size` ranks, of which this process has `ranks`, on `devices`. Made by `group` or `join`.

    Collectives take an array for each rank of this process, in order, or the array alone where there is one, and give the
    same form back. They are posted on the devices' current streams and return at once; what follows on those streams sees the
    results. Arrays of all ranks have one type and size. `out` may be the input where the shapes are the same.
    """

    def __init__(self, devices: Sequence[Device], ranks: Sequence[int], size: int, communicator: Communicator) -> None:
        self.devices, self.ranks, self.size = tuple(devices), tuple(ranks), size
        self._communicator = communicator
        self._beside: list[Stream] | None = None

    def __repr__(self) -> str:
        return f"<group of {self.size} ranks; here {', '.join(f'{r} on {d.name}' for r, d in zip(self.ranks, self.devices))}>"

    # Collectives

    def all_reduce(self, arrays: Arrays, op: str = "sum", *, out: Arrays | None = None) -> Arrays:
        """Each rank's result is the reduction of all ranks' arrays: "sum", "prod", "min", "max" or "avg"."""
        _check_op(op)
        send, recv = self._both(arrays, out, lambda shape: shape)
        self._post(lambda rank, i, stream: self._communicator.all_reduce(rank, send[i], recv[i], op, stream))
        return _like(arrays, recv)

    def all_gather(self, arrays: Arrays, *, out: Arrays | None = None) -> Arrays:
        """Each rank's result has all ranks' arrays behind each other along the first dimension."""
        send, recv = self._both(arrays, out, lambda shape: (shape[0] * self.size, *shape[1:]))
        self._post(lambda rank, i, stream: self._communicator.all_gather(rank, send[i], recv[i], stream))
        return _like(arrays, recv)

    def reduce_scatter(self, arrays: Arrays, op: str = "sum", *, out: Arrays | None = None) -> Arrays:
        """Rank r's result is part r, along the first dimension, of the reduction of all ranks' arrays."""
        _check_op(op)
        send, recv = self._both(arrays, out, self._part)
        self._post(lambda rank, i, stream: self._communicator.reduce_scatter(rank, send[i], recv[i], op, stream))
        return _like(arrays, recv)

    def broadcast(self, arrays: Arrays, root: int = 0, *, out: Arrays | None = None) -> Arrays:
        """Each rank's result is the root's array."""
        check_count("root", root, most=self.size - 1)
        send, recv = self._both(arrays, out, lambda shape: shape)
        self._post(lambda rank, i, stream: self._communicator.broadcast(rank, send[i], recv[i], root, stream))
        return _like(arrays, recv)

    def all_to_all(self, arrays: Arrays, *, out: Arrays | None = None) -> Arrays:
        """Part s, along the first dimension, of rank r's array becomes part r of rank s's result: what experts of a mixture
        exchange."""
        send, recv = self._both(arrays, out, lambda shape: shape)
        step = self._part(send[0].shape)[0]
        if any(a.pointer == b.pointer for a, b in zip(send, recv)):
            raise BuildError("all_to_all into its own input", hint="another array for the result")

        def exchange(rank: int, i: int, stream: Stream) -> None:
            for peer in range(self.size):
                part = slice(peer * step, (peer + 1) * step)
                self._communicator.send(rank, send[i][part], peer, stream)
                self._communicator.recv(rank, recv[i][part], peer, stream)

        self._post(exchange)
        return _like(arrays, recv)

    def barrier(self) -> None:
        """No rank's later work on its current stream begins before all ranks have come here. Posted, like a collective."""
        self.all_reduce([place.zeros(1, "u32") for place in self.devices], "max")

    # Memory

    def symmetric(self, shape: int | Sequence[int], element: Any) -> Symmetric:
        """An array of this shape on every rank's device, zeroed, which kernels of all ranks reach. NotAvailableError where ranks
        are in other processes."""
        from ptxgen.distributed.symmetric import Symmetric

        if len(self.devices) != self.size:
            raise NotAvailableError(
                "symmetric memory of ranks in several processes",
                hint="one process with all devices: px.distributed.group()",
            )
        return Symmetric(self.devices, shape, element)

    def spread(self, data: Any, axis: int = 0) -> list[Array]:
        """The parts of a host array for the ranks of this process: rank r has part r of `size` along an axis."""
        import numpy as np

        whole = np.asarray(data)
        if not -whole.ndim <= axis < whole.ndim or whole.shape[axis] % self.size:
            raise BuildError(
                f"an array of {whole.shape} over {self.size} ranks along axis {axis}",
                hint=f"an extent of a multiple of {self.size}",
            )
        parts = np.split(whole, self.size, axis)
        return [place.array(np.ascontiguousarray(parts[rank])) for rank, place in zip(self.ranks, self.devices)]

    # Streams

    @contextmanager
    def capture(self) -> Iterator[Graph]:
        """``with ranks.capture() as step:`` records one graph of what the body posts on any rank of this process: launches,
        copies, collectives. `step.launch()` replays it, on the first device's current stream, and all its ranks have done their
        part when that stream goes on. Ranks in other processes capture and launch the same, each its own graph."""
        first, *others = self.devices
        with ExitStack() as at_last, first.capture("relaxed") as graph:  # results may be allocated
            streams = [at_last.enter_context(closing(place.stream())) for place in others]
            with graph.fork(*streams), ExitStack() as chosen:
                for place, stream in zip(others, streams):
                    chosen.enter_context(place.use(stream))
                yield graph

    def streams_beside(self) -> list[Stream]:
        """A stream of each device for communication beside its current one; the same ones for each call."""
        if self._beside is None:
            self._beside = [place.stream(place.context.stream_priorities()[1]) for place in self.devices]
        return self._beside

    def close(self) -> None:
        """Leave the group; every rank does."""
        for place in self.devices:
            place.synchronize()
        self._communicator.close()
        for stream in self._beside or ():
            stream.close()
        self._beside = None

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Checks

    def _post(self, call: Callable[[int, int, Stream], None]) -> None:
        with self._communicator.together():
            for i, (rank, place) in enumerate(zip(self.ranks, self.devices)):
                call(rank, i, place.current_stream)

    def _part(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if not shape or shape[0] % self.size:
            raise BuildError(
                f"arrays of {shape} in {self.size} parts", hint=f"a first extent of a multiple of {self.size}"
            )
        return (shape[0] // self.size, *shape[1:])

    def _both(
        self, arrays: Any, out: Any, result: Callable[[tuple[int, ...]], tuple[int, ...]]
    ) -> tuple[list[Array], list[Array]]:
        """(inputs, results), of each rank here; results are made where none are given."""
        send = list(self._checked("arrays", arrays))
        if not send[0].shape:
            send = [each.reshape(1) for each in send]
        shape = result(send[0].shape)
        if out is None:
            return send, [place.empty(shape, send[0].type) for place in self.devices]
        recv = list(self._checked("out", out, like=send[0]))
        if any(each.shape != shape for each in recv):
            raise BuildError(f"out has the shape {recv[0].shape}, expected {shape}")
        for source, target in zip(send, recv):
            if source.pointer != target.pointer or shape != source.shape:
                check_apart("out", target, "the input", source)
        return send, recv

    def _checked(self, name: str, arrays: Any, like: Array | None = None) -> Iterator[Array]:
        given = [arrays] if isinstance(arrays, Array) else list(arrays)
        if len(given) != len(self.devices):
            raise BuildError(f"{name}: {len(given)} arrays for {len(self.devices)} ranks of this process")
        first = like or given[0]
        for rank, place, array in zip(self.ranks, self.devices, given):
            if not isinstance(array, Array) or array.device is not place:
                raise BuildError(f"{name} of rank {rank} is {array!r:.80}", hint=f"an array on {place.name}")
            if array.type is not first.type or (like is None and array.shape != first.shape):
                raise BuildError(
                    f"{name} of rank {rank} is {array!r}, that of the first {first!r}", hint="one type and shape"
                )
            yield array


def _like(arrays: Arrays, found: list[Array]) -> Arrays:
    """Results in the form of what was given."""
    return cast("Arrays", found[0] if isinstance(arrays, Array) else found)


def _check_op(op: str) -> None:
    if op not in REDUCTIONS:
        raise BuildError(f"no reduction {op!r}", hint=", ".join(REDUCTIONS))


def group(places: Sequence[str | Device] | None = None) -> Group:
    """All of these devices in this process: by default every GPU, else every CPU device (`PTXGEN_CPU_DEVICES=2` makes two).

    GPUs communicate through NCCL (the extra `nccl`); CPU devices through memory. Raises DeviceNotFoundError without any, and
    NotAvailableError without NCCL.
    """
    chosen = [device(each) for each in places] if places is not None else list(devices())
    if places is None and any(each.kind == "cuda" for each in chosen):
        chosen = [each for each in chosen if each.kind == "cuda"]
    kinds = {each.kind for each in chosen}
    if not chosen:
        raise DeviceNotFoundError("a group without devices", hint='px.distributed.group(["cuda:0", "cuda:1"])')
    if len(kinds) > 1 or len(set(map(id, chosen))) < len(chosen):
        raise BuildError(f"a group of {', '.join(each.name for each in chosen)}", hint="different devices, of one kind")
    communicator: Communicator
    if kinds == {"cpu"}:
        from ptxgen.distributed.emulated import EmulatedCommunicator

        communicator = EmulatedCommunicator(chosen)
    else:
        from ptxgen.distributed.nccl import NcclCommunicator

        communicator = NcclCommunicator.of_devices(chosen)
    return Group(chosen, range(len(chosen)), len(chosen), communicator)


def unique_id() -> bytes:
    """What one process makes and hands to all others of a group, by whatever way it has, for `join`."""
    from ptxgen.distributed.nccl import new_id

    return new_id()


def join(rank: int, size: int, identity: bytes, place: str | Device = "cuda") -> Group:
    """The group of `size` processes that all call this with the same `unique_id()`; this one is `rank`, on one device.

    Waits until all have come. Raises NotAvailableError without NCCL, and on a CPU device.
    """
    check_count("size", size, least=1)
    check_count("rank", rank, most=size - 1)
    chosen = device(place)
    if chosen.kind != "cuda":
        raise NotAvailableError(
            f"{chosen.name} in a group of several processes", hint="CPU devices of one process: px.distributed.group()"
        )
    from ptxgen.distributed.nccl import NcclCommunicator

    return Group([chosen], [rank], size, NcclCommunicator.of_process(rank, size, identity, chosen))
