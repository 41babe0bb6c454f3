"""Closures of host edges whose pairs, or which themselves, are larger than the device's memory: some starting vertices at a time.

The pairs that begin at a vertex depend on no others. So the vertices are taken in ranges, of as many as there is room for; where
a range has more pairs, it is halved. Edges that do not fit beside are joined with the pairs of each round chunk by chunk, and the
pairs are kept on the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_module
from ptxgen.kernels.joins.closure import MOST_PAIRS, slots_for
from ptxgen.kernels.joins.hash_join import buckets_for
from ptxgen.ops.joins.chunked import FIXED, Chunk, Progress, join_chunks, memory_for
from ptxgen.ops.joins.closure import Closure, ClosureOverflowError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.host import Device

__all__ = ["closure_chunks"]

TOGETHER = 1 << 12
"""Starting vertices whose pairs are on the host at a time where the edges do not fit."""

FIRST_ROOM = 1 << 16
"""Pairs that there is room for at first, however few edges there are."""


def closure_chunks(
    sources: Any, targets: Any, *, device: Device, memory: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[Chunk]:  # fmt: skip
    """Every pair of vertices with a path between them, as `Closure` finds them: numpy arrays of u32, a chunk at a time, each of
    the paths that begin at some vertices. The edges are numpy arrays of u32, memory-mapped files too.

    `memory`: bytes of the device that this may take, by default nine tenths of what is free. `progress` is called after each
    chunk: a step is a vertex that has edges.
    """
    np = numpy_module()
    edges = [np.asarray(column) for column in (sources, targets)]
    for name, column in zip(("sources", "targets"), edges):
        if column.dtype != np.uint32 or column.ndim != 1:
            raise BuildError(f"{name} is {column.dtype} of shape {column.shape}", hint="one dimension of uint32")
    if len(edges[0]) != len(edges[1]):
        raise BuildError(f"targets has {len(edges[1])} elements, sources {len(edges[0])}")
    return _Ranges(device, edges, memory_for(device, memory), progress).run()


class _Ranges:
    """A closure under way: edges in order of their sources, and the starting vertices' places among them."""

    def __init__(
        self, device: Device, edges: list[Any], memory: int, progress: Callable[[Progress], object] | None
    ) -> None:
        np = numpy_module()
        order = np.argsort(edges[0], kind="stable")
        self.sources, self.targets = (column[order] for column in edges)
        _, firsts = np.unique(self.sources, return_index=True)
        self.firsts = np.append(firsts, len(order))
        self.vertices = len(firsts)
        self.device, self.memory, self.progress = device, memory, progress
        self.pairs = 0

    def run(self) -> Iterator[Chunk]:
        """All chunks."""
        edges = len(self.sources)
        taken = FIXED + edges * (8 + 16 + 1) + 4 * buckets_for(edges)
        capacity = _room_for(self.memory - taken)
        chunks = self._on_device(capacity) if taken * 2 <= self.memory and capacity else self._by_rounds()
        for done, chunk in chunks:
            self.pairs += len(chunk.left)
            yield chunk
            if self.progress is not None:
                self.progress(Progress(done, self.vertices, self.pairs))

    def _on_device(self, most: int) -> Iterator[tuple[int, Chunk]]:
        """(vertices done, chunk) with all edges on the device, and room for `most` pairs: at first for fewer, for all of it is
        cleared for each range."""
        begin, size, capacity = 0, self.vertices, min(most, max(FIRST_ROOM, 4 * len(self.sources)))
        while begin < self.vertices:
            with (
                Closure(self.device, len(self.sources), capacity) as closure,
                self.device.array(self.sources) as sources,
                self.device.array(self.targets) as targets,
            ):
                closure.index(sources)
                while begin < self.vertices:
                    end = min(begin + size, self.vertices)
                    seeds = slice(int(self.firsts[begin]), int(self.firsts[end]))
                    closure.search(sources[seeds], targets[seeds], targets)
                    try:
                        found = closure.pairs()
                    except ClosureOverflowError:
                        if capacity < most:
                            capacity = min(most, 4 * capacity)
                            break
                        size = (end - begin) // 2
                        if not size:
                            yield end, self._on_host(begin, end)
                            begin, size = end, 1
                        continue
                    yield end, Chunk(found.left.numpy().copy(), found.right.numpy().copy())
                    begin = end
                    if found.left.size * 4 < capacity:
                        size *= 2

    def _by_rounds(self) -> Iterator[tuple[int, Chunk]]:
        """(vertices done, chunk) with the edges in chunks too."""
        for begin in range(0, self.vertices, TOGETHER):
            end = min(begin + TOGETHER, self.vertices)
            yield end, self._on_host(begin, end)

    def _on_host(self, begin: int, end: int) -> Chunk:
        """The pairs of some starting vertices, which are kept on the host as sorted numbers, left << 32 | right."""
        np = numpy_module()
        edges = slice(int(self.firsts[begin]), int(self.firsts[end]))
        half = np.uint64(32)
        known = np.unique(self.sources[edges].astype(np.uint64) << half | self.targets[edges])
        fresh = known
        while len(fresh):
            ends = fresh.astype(np.uint32)
            parts = [
                np.unique((fresh[chunk.left] >> half << half) | self.targets[chunk.right])
                for chunk in join_chunks(ends, self.sources, device=self.device, memory=self.memory)
            ]
            longer = np.unique(np.concatenate(parts)) if parts else fresh[:0]
            fresh = longer[~np.isin(longer, known, assume_unique=True)]
            known = np.union1d(known, fresh)
        return Chunk((known >> half).astype(np.uint32), known.astype(np.uint32))


def _room_for(nbytes: int) -> int:
    """Pairs that there is room for, a power of two: each takes 8 bytes and two slots of 8."""
    pairs = MOST_PAIRS
    while pairs and 8 * (pairs + slots_for(pairs)) > nbytes:
        pairs //= 2
    return pairs
