"""Joins of host tables that are larger than the device's memory: chunk by chunk, with nothing more on the device than is stated.

A chunk of the build side becomes a table, and a range of the probe side is joined with it; where the pairs are more than there
is room for, the range is halved, and a single row that has too many is looked up on the host. So every pair comes once, whatever
the keys are, and a result may have any number of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_module
from ptxgen.kernels.joins.hash_join import buckets_for
from ptxgen.kernels.joins.hash_runs import chunk_words
from ptxgen.ops.arguments import check_count, check_device
from ptxgen.ops.joins.join import HashTable, Join
from ptxgen.ops.joins.keys import MOST_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ptxgen.host import Array, Device

__all__ = ["FIXED", "Chunk", "Progress", "host_columns", "join_chunks", "memory_for"]

FIXED = 1 << 17
"""Bytes of scratch memory that do not depend on the number of rows, and what allocations are rounded up by."""
MOST_PAIRS = 1 << 27
"""Pairs of a chunk, whatever memory there is: 2 GiB of the host's."""

USUAL = 8
"""Pairs a row that there is room for at first; where there are more, ranges are halved."""


class Progress(NamedTuple):
    """`done` of `total` steps, and the `pairs` found so far. A step is a probe row joined with a build row's chunk."""

    done: int
    total: int
    pairs: int


class Chunk(NamedTuple):
    """Pairs of rows of both tables, numpy arrays of int64: `left[i]` of the probe side belongs with `right[i]` of the build side,
    which is -1 where an outer join has no row."""

    left: Any
    right: Any


class Division(NamedTuple):
    """Rows of the build side and of the probe side at a time, and the pairs that there is room for."""

    build: int
    probe: int
    pairs: int


def host_columns(name: str, columns: Any) -> list[Any]:
    """One numpy array or a list of several of equal length, memory-mapped files too; views where they are in order already."""
    np = numpy_module()
    arrays = [np.asarray(each) for each in (columns if isinstance(columns, (list, tuple)) else [columns])]
    if not arrays:
        raise BuildError(f"{name} without columns")
    for number, array in enumerate(arrays):
        if array.ndim != 1 or array.dtype.kind not in "uif" or array.dtype.itemsize not in (1, 2, 4, 8):
            raise BuildError(
                f"column {number} of {name} is {array.dtype} of shape {array.shape}",
                hint="one-dimensional numpy arrays of integers of 8 to 64 bits, f16, f32 or f64",
            )
        if len(array) != len(arrays[0]):
            raise BuildError(f"column {number} of {name} has {len(array)} rows, column 0 has {len(arrays[0])}")
    return arrays


def memory_for(device: Device, memory: int | None) -> int:
    """Bytes that an operation may take: as stated, or nine tenths of what is free."""
    free, _ = check_device(device).context.memory_info()
    return free * 9 // 10 if memory is None else check_count("memory", memory)


def join_chunks(
    probe: Any, build: Any, *, device: Device, outer: bool = False, memory: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[Chunk]:  # fmt: skip
    """The pairs of two host tables by equal keys: `probe` and `build` are a numpy array each, or a list of several of the same
    types, of any number of rows. Gives chunks as they are found.

    Together the chunks are what `Join` finds, each pair once. They come in the order of ranges of probe rows, within a range by
    chunks of the build side, within a chunk in order of the probe rows; where the whole build side fits, all pairs are in order
    of the probe rows. With `outer`, the rows of a range that have no match come last. `memory`: bytes of the device that this may
    take, by default nine tenths of what is free; BuildError when they are too few. `progress` is called after each step.
    """
    sides = host_columns("the probe side", probe), host_columns("the build side", build)
    types = [[column.dtype for column in side] for side in sides]
    if types[0] != types[1]:
        raise BuildError(f"the probe side has columns of {types[0]}, the build side of {types[1]}")
    division = _divide(device, sides, memory_for(device, memory))
    return _Chunks(device, *sides, division, outer, progress).run()


def _divide(device: Device, sides: Sequence[list[Any]], memory: int) -> Division:
    """How much of each side is on the device at a time: of the build side as much as half of the memory holds, a quarter for the
    pairs, and of the probe side what is left."""
    key = sum(column.dtype.itemsize for column in sides[0])
    entry = 8 if key == 4 else 16
    packed = 0 if len(sides[0]) == 1 and key in (4, 8) else -(-key // 4) * 4 + 8
    probe_rows, build_rows = (len(side[0]) for side in sides)
    build_row = key + packed + 2 * entry + 4 * buckets_for(1 << 20) // (1 << 20) + 3
    probe_row, pair = key + packed + 1, 8 + 4 * chunk_words(1 << 20) / (1 << 20) + 1
    room = memory - FIXED
    build = min(build_rows, MOST_ROWS, max(0, room) // 2 // build_row)
    pairs = min(MOST_PAIRS, max(0, int(room / 4 / pair)), USUAL * max(build_rows, probe_rows, 1 << 12))
    probe = min(probe_rows, MOST_ROWS, int(room - build * build_row - pairs * pair) // probe_row)
    if min(build, probe) < 1 <= min(build_rows, probe_rows):
        raise BuildError(
            f"memory is {memory} bytes, of which {FIXED} are scratch memory: no row of each side fits into the rest",
            hint="a few MiB at least; the more, the fewer chunks",
        )
    return Division(build, probe, pairs)


class _Chunks:
    """A join under way."""

    def __init__(
        self, device: Device, probe: list[Any], build: list[Any], division: Division, outer: bool,
        progress: Callable[[Progress], object] | None,
    ) -> None:  # fmt: skip
        self.device, self.probe, self.build, self.division = device, probe, build, division
        self.outer, self.progress = outer, progress
        self.rows = len(probe[0]), len(build[0])
        self.done = self.pairs = 0

    def run(self) -> Iterator[Chunk]:
        """All chunks."""
        np = numpy_module()
        build_rows, division = self.rows[1], self.division
        if not build_rows or not self.rows[0]:
            if self.outer and self.rows[0]:
                yield self._unmatched(0, np.zeros(self.rows[0], bool))
            return
        on_probe, on_build = (self._room(rows) for rows in (division.probe, division.build))
        table = HashTable(self.device, [column[:0] for column in on_build], most=division.build)
        join = Join(table, [column[:0] for column in on_probe], division.pairs, most=division.probe)
        filled = -1
        try:
            for first in range(0, self.rows[0], division.probe):
                probe, count = self._upload(self.probe, first, division.probe, on_probe)
                matched = np.zeros(count, bool)
                for start in range(0, build_rows, division.build):
                    if start != filled:
                        columns, _ = self._upload(self.build, start, division.build, on_build)
                        table.build(columns)
                        filled = start
                    for left, right in self._joined(join, probe, first, start):
                        matched[left - first] = True
                        yield self._found(left, right)
                    self.done += count * min(division.build, build_rows - start)
                    self._tell()
                if self.outer and not matched.all():
                    yield self._unmatched(first, matched)
        finally:
            join.close()
            table.close()
            for column in (*on_probe, *on_build):
                column.close()

    def _room(self, rows: int) -> list[Array]:
        return [self.device.empty(rows, self.device.array(column[:0]).type) for column in self.probe]

    def _upload(self, side: list[Any], first: int, most: int, into: list[Array]) -> tuple[list[Array], int]:
        np = numpy_module()
        count = min(most, len(side[0]) - first)
        return [
            array[:count].copy_from(np.ascontiguousarray(column[first : first + count]))
            for column, array in zip(side, into)
        ], count

    def _joined(self, join: Join, probe: list[Array], first: int, start: int) -> Iterator[tuple[Any, Any]]:
        """The pairs of the range from `first` on and the table, which begins at `start`: in order, in as many parts as needed."""
        np = numpy_module()
        waiting = [(0, probe[0].size)]
        while waiting:
            begin, end = waiting.pop()
            join([column[begin:end] for column in probe])
            total = int(join.total.numpy()[0])
            if total > join.capacity and end - begin > 1:
                middle = (begin + end) // 2
                waiting += [(middle, end), (begin, middle)]
            elif total > join.capacity:
                yield from self._of_one_row(first + begin, start)
            elif total:
                left, right = (each[:total].numpy().astype(np.int64) for each in (join.left, join.right))
                yield left + (first + begin), right + start

    def _of_one_row(self, row: int, start: int) -> Iterator[tuple[Any, Any]]:
        """The pairs of one probe row with the chunk of the build side that begins at `start`, found on the host."""
        np = numpy_module()
        stop = min(start + self.division.build, self.rows[1])
        for first in range(start, stop, MOST_PAIRS):
            last = min(first + MOST_PAIRS, stop)
            same = np.ones(last - first, bool)
            for mine, theirs in zip(self.probe, self.build):
                bits = f"u{mine.dtype.itemsize}"
                same &= np.ascontiguousarray(theirs[first:last]).view(bits) == mine[row : row + 1].view(bits)
            rows = np.flatnonzero(same) + first
            if len(rows):
                yield np.full(len(rows), row, np.int64), rows

    def _found(self, left: Any, right: Any) -> Chunk:
        self.pairs += len(left)
        return Chunk(left, right)

    def _unmatched(self, first: int, matched: Any) -> Chunk:
        """The rows of an outer join that have no match."""
        np = numpy_module()
        rows = np.flatnonzero(~matched).astype(np.int64) + first
        return self._found(rows, np.full(len(rows), -1, np.int64))

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(Progress(self.done, self.rows[0] * self.rows[1], self.pairs))
