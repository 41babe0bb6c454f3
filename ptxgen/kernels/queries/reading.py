"""How the rows of a query's columns are read: several rows of a thread at once, 16 bytes an access, or by row numbers.

A column lies in memory in the order of the rows, or it is read through another column of u32 row numbers, `via`, as joins and
filters leave them.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import u64
from ptxgen.kernels.blocks.tiles import as_vectors, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Value

__all__ = ["ACCESS", "ALIKE", "DIRECT", "THREAD_BYTES", "Source", "Tiling", "each_row", "tiling_of"]

ACCESS = 16
"""Bytes of the widest access."""

THREAD_BYTES = 128
"""Bytes that a thread has in flight at least: with 512 threads a multiprocessor, what Little's law asks of an H200 (4.3 TB/s,
about 700 ns)."""


DIRECT, ALIKE = -1, -2


class Source(NamedTuple):
    """A column among a kernel's arguments: its type, and the place among them of its row numbers; DIRECT where it has none, ALIKE
    where it is one value for all rows."""

    type: type[Value]
    via: int = DIRECT


class Tiling(NamedTuple):
    """Rows of a thread: `lanes` that lie side by side, `unroll` times."""

    lanes: int
    unroll: int

    @property
    def rows(self) -> int:
        return self.lanes * self.unroll


def tiling_of(sources: Sequence[Source], alignment: int) -> Tiling:
    """As many rows as make the narrowest column an access of 4 bytes, and the usual ones of 4 bytes one of 16."""
    straight = [source.type.isa.bytes for source in sources if source.via == DIRECT]
    widest = max(straight, default=4)
    lanes = 4
    while lanes > 1 and alignment < min(ACCESS, lanes * widest):
        lanes //= 2
    moved = lanes * sum(source.type.isa.bytes for source in sources)
    unroll = 1
    while unroll < 4 and unroll * moved < THREAD_BYTES and unroll * lanes < 16:
        unroll *= 2
    return Tiling(lanes, unroll)


def each_row(
    k: Builder, n: Any, columns: Sequence[Any], sources: Sequence[Source], tiling: Tiling, threads: int
) -> Iterator[tuple[list[tuple[Any, list[Any]]], bool]]:
    """A loop over the rows of the grid: (number, values of the columns) of the rows that a thread has at once, and whether all
    threads of the CTA are there: not in the second loop, of what is left after the whole tiles, a row at a time."""
    lanes, unroll = tiling
    tile = threads * tiling.rows
    for number in k.range(k.ctaid.x.to(u64), n // tile, k.nctaid.x.to(u64)):
        first = k.fma(number, threads * unroll, k.tid.x.to(u64))
        groups = [[_vector(columns, source, place, first, j * threads, lanes) for place, source in enumerate(sources)]
                  for j in range(unroll)]  # fmt: skip
        rows = []
        for j, group in enumerate(groups):
            for lane in range(lanes):
                known = [None if values is None else values[lane] for values in group]
                rows.append(((first + j * threads) * lanes + lane, _filled(columns, sources, known)))
        yield rows, True
    for i in k.range(n // tile * tile + k.global_id.x.to(u64), n, k.grid_size.x.to(u64)):
        known = [columns[place][i] if source.via == DIRECT else None for place, source in enumerate(sources)]
        yield [(i, _filled(columns, sources, known))], False


def _vector(columns: Sequence[Any], source: Source, place: int, first: Any, ahead: int, lanes: int) -> list[Any] | None:
    """The elements of so many rows of a column that lies in order; None of another."""
    if source.via != DIRECT:
        return None
    each = max(1, min(lanes, ACCESS // source.type.isa.bytes))
    pointer, accesses = as_vectors(columns[place], each), lanes // each
    base = first if accesses == 1 else first * accesses
    found: list[Any] = []
    for number in range(accesses):
        found += load(pointer, base + (ahead * accesses + number))
    return found


def _filled(columns: Sequence[Any], sources: Sequence[Source], known: list[Any]) -> list[Any]:
    """The values of all columns in one row, where those that lie in order are known."""
    return [
        value if source.via == DIRECT else columns[place][0 if source.via == ALIKE else known[source.via]]
        for place, (source, value) in enumerate(zip(sources, known))
    ]
