"""Rows of varying number from every rank to every rank, written by kernels into symmetric memory: what the experts of a mixture
exchange, without the host knowing how many go where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.ops.arguments import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.distributed.groups import Group

__all__ = ["RowExchange"]

PIECE = 16
"""Bytes that a thread moves at once: those of a row are a multiple."""
THREADS = 256
CTAS = 32
"""For each peer: NVLink is busy with fewer than all of a GPU's."""


@kernel(max_threads=THREADS)
def announce(k: Builder, size: u32, me: u32, counts: ptr[u32], addresses: ptr[u64]) -> None:
    """This rank's numbers of rows become row `me` of every rank's matrix (size, size)."""
    for i in k.range(k.tid.x, size * size, THREADS):
        peer, to = i // size, i % size
        k.pointer(addresses[peer], u32, "global")[me * size + to] = counts[to]


@kernel(max_threads=THREADS)
def push(
    k: Builder, size: u32, me: u32, pieces: u32, given: u32, capacity: u32, along: u32, across: u32, matrix: ptr[u32],
    rows: ptr[u32], addresses: ptr[u64],
) -> None:  # fmt: skip
    """Segment p of the rows goes to peer p, behind what the ranks before this one send there. matrix[a * along + b * across] is
    how many rows a sends to b; rows are `pieces` pieces long. Whatever the matrix says, no row beyond those given is read, and
    none beyond the peer's capacity is written."""
    peer = k.ctaid.y
    source, target = k.var(u32, 0), k.var(u32, 0)
    for other in k.range(0, size):
        with k.if_(other < peer):
            source += k.min(matrix[me * along + other * across], capacity)
        with k.if_(other < me):
            target += k.min(matrix[other * along + peer * across], capacity)
    room = k.min(given - k.min(source, given), capacity - k.min(target, capacity))
    count = k.min(matrix[me * along + peer * across], room)
    there = k.pointer(addresses[peer], u32, "global").vectors(4)
    here = rows.vectors(4)
    for i in k.range(k.ctaid.x * THREADS + k.tid.x, count * pieces, CTAS * THREADS):
        there[target * pieces + i] = here[source * pieces + i]


@kernel(max_threads=THREADS)
def column(k: Builder, size: u32, me: u32, matrix: ptr[u32], found: ptr[u32]) -> None:
    """How many rows each rank sends to this one."""
    for i in k.range(k.tid.x, size, THREADS):
        found[i] = matrix[i * size + me]


class RowExchange:
    """An exchange of rows of `width` elements over a group; a rank receives at most `capacity` rows.

    `dispatch` sends each rank's rows to where they belong; `combine` sends what was made of them back, each to the place that it
    came from. Both are posted on the devices' current streams, like a collective; the host learns no count, so that a graph may
    hold them. All ranks are in this process, and a row has a multiple of 16 bytes.
    """

    def __init__(self, group: Group, capacity: int, width: int, element: Any) -> None:
        """NotAvailableError where ranks are in other processes; BuildError for another number of bytes."""
        check_count("capacity", capacity, least=1)
        check_count("width", width, least=1)
        self._group, self._capacity = group, capacity
        self._received = group.symmetric((capacity, width), element)
        self._returned = group.symmetric((capacity, width), element)
        self._matrices = group.symmetric((group.size, group.size), u32)
        nbytes = self._received.arrays[0].nbytes // capacity
        if nbytes % PIECE:
            self.close()
            raise BuildError(f"rows of {width} elements, {nbytes} bytes", hint=f"a multiple of {PIECE} bytes")
        self._pieces = nbytes // PIECE

    def dispatch(self, rows: Sequence[Array], counts: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """(each rank's received rows, (capacity, width), of which the first count; how many came from each rank, (size,) u32).

        rows[r], of at most `capacity` rows in all ranks together, lies on rank r's device in order of the ranks that they go to;
        counts[r], (size,) u32 there, says how many go to each. Received rows lie in order of the ranks that they come from, in
        memory that the next `dispatch` writes.
        """
        self._check("rows", rows, self._received.arrays[0].shape[1:], self._received.arrays[0].type)
        self._check("counts", counts, (), self._matrices.arrays[0].type)
        if sum(each.shape[0] for each in rows) > self._capacity:
            raise BuildError(
                f"{sum(each.shape[0] for each in rows)} rows, which one rank may be sent, and a capacity of {self._capacity}"
            )
        size, group = self._group.size, self._group
        if any(each.shape != (size,) for each in counts):
            raise BuildError(f"counts of {counts[0].shape} for {size} ranks", hint="one for each rank")
        group.barrier()  # nobody reads any more what the last exchange wrote
        for rank, place in enumerate(group.devices):
            announce.on(place).launch(1, THREADS, (size, rank, counts[rank], self._matrices.addresses[rank]))
        group.barrier()
        self._push(rows, self._received.addresses, (size, 1))
        group.barrier()
        came = [place.empty(size, u32) for place in group.devices]
        for rank, (place, found) in enumerate(zip(group.devices, came)):
            column.on(place).launch(1, THREADS, (size, rank, self._matrices.arrays[rank], found))
        return list(self._received.arrays), came

    def combine(self, rows: Sequence[Array]) -> list[Array]:
        """Each rank's rows as they were before `dispatch`, (capacity, width): rows[r] has what rank r made of those that it
        received, in their order. The memory is written by the next `combine`."""
        self._check("rows", rows, self._returned.arrays[0].shape[1:], self._returned.arrays[0].type)
        self._group.barrier()
        self._push(rows, self._returned.addresses, (1, self._group.size))
        self._group.barrier()
        return list(self._returned.arrays)

    def _push(self, rows: Sequence[Array], addresses: Sequence[Array], strides: tuple[int, int]) -> None:
        size = self._group.size
        for rank, place in enumerate(self._group.devices):
            extents = (self._pieces, rows[rank].shape[0], self._capacity)
            given = (size, rank, *extents, *strides, self._matrices.arrays[rank])
            words = (rows[rank] if rows[rank].nbytes else self._returned.arrays[rank]).view("u32")
            push.on(place).launch((CTAS, size), THREADS, (*given, words, addresses[rank]))

    def _check(self, name: str, arrays: Sequence[Array], rest: tuple[int, ...], element: Any) -> None:
        for rank, place in enumerate(self._group.devices):
            each = arrays[rank] if len(arrays) == self._group.size else None
            fits = isinstance(each, Array) and each.device is place and each.type is element
            if not fits or each is None or each.shape[1:] != rest:
                raise BuildError(
                    f"{name} of rank {rank} is {each!r:.80}",
                    hint=f"for each rank an array of .{element.name} on its device",
                )

    def close(self) -> None:
        """Free the memory. No kernel may be using it."""
        for each in (self._received, self._returned, self._matrices):
            each.close()

    def __enter__(self) -> RowExchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
