"""Joins of two tables of device columns by equal keys (ptxgen.kernels.joins.hash_join and its neighbours)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins import hash_build, hash_frequent, hash_partition, hash_probe, hash_runs
from ptxgen.kernels.joins.hash_join import entry_bytes
from ptxgen.kernels.joins.hash_runs import Runs
from ptxgen.ops.arguments import check_array, check_columns, check_device, check_same_types, shared_memory_of
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.joins.keys import Keys
from ptxgen.ops.joins.pairs import JoinResult
from ptxgen.ops.launches import Fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.joins.keys import ReadKeys
    from ptxgen.ops.launches import Plans

__all__ = ["HashTable", "Join", "SemiJoin"]


_SHARED_FROM = 1 << 16
"""Rows of a build side from which on looking for frequent keys costs next to nothing."""


class HashTable:
    """The build side of joins: `HashTable(device, columns)` of one array or several; then any number of joins.

    Keys of more than eight bytes are packed into a copy. `build(columns)` fills the table anew, with at most `most` rows: as
    many as `columns` have, unless it is given. `share_frequent`: keys that many rows have are found and kept apart, so that
    building and joining them is shared out (not for keys of more than eight bytes); by default where `most` is 2^16 or more.
    """

    @takes_any_array
    def __init__(
        self, device: Device, columns: Array | Sequence[Array], *, most: int | None = None,
        share_frequent: bool | None = None,
    ) -> None:  # fmt: skip
        self.device = check_device(device)
        self.keys = Keys(device, columns, most)
        most, element = self.keys.most, self.keys.element
        self._shared = shared_memory_of(device)
        division = hash_partition.divide(most, entry_bytes(element), self._shared)
        shares = most >= _SHARED_FROM if share_frequent is None else share_frequent
        possible = self.keys.words == 0 and division.parts > 0
        self.division = division._replace(runs=hash_frequent.MOST if shares and possible else 0)
        words = max(2, most + most % 2) * entry_bytes(element) // 4
        self.starts = device.empty(self.division.buckets + 1, u32)
        self.entries = device.zeros(words, u32)
        self.packed = self.keys.packed or self.entries
        self._frequent = device.empty(hash_frequent.WORDS if self.division.runs else 0, u32)
        partitions = self.division.all_partitions if self.division.parts else 0
        self._counts, self._firsts = (device.empty(partitions + 1, u32) for _ in range(2))
        self._next = device.empty(partitions, u32)
        self._pairs = device.empty(words if partitions else 0, u32)
        self.runs: Runs | None = None
        if self.division.runs:
            self.runs = Runs(self._frequent, self._firsts[self.division.partitions :], self._pairs)
        self.launches = Launches(device)
        self.build(columns)

    @property
    def mask(self) -> int:
        """A hash's bits that choose the bucket."""
        return self.division.mask

    def build(self, columns: Any) -> None:
        """Fill the table, on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (self.division,), columns)

    def plans(self, columns: Array | Sequence[Array], division: hash_partition.Division | None = None) -> Plans:
        """What fills the table, not launched yet."""
        division = division or self.division
        (rows, tags, _), packing = self.keys.read(columns)
        hashed = self.keys.words > 0
        last = hash_build.build_plan(
            rows, tags, self._pairs, self._firsts, division, self.starts, self.entries, hashed=hashed,
            shared=self._shared,
        )  # fmt: skip
        if not division.parts:
            return (*packing, last)
        find = (hash_frequent.find_plan(rows, tags, self._frequent),) if division.runs else ()
        counts = (self._counts, self._firsts, self._next)
        return (
            *packing,
            *find,
            Fill(self._counts),
            hash_partition.count_plan(rows, tags, self._frequent, division, *counts, hashed=hashed),
            hash_partition.partition_plan(
                rows, tags, self._frequent, division, self._next, self._pairs, hashed=hashed, shared=self._shared
            ),
            last,
        )

    def close(self) -> None:
        """Free the table."""
        self.launches.close()
        scratch = (self._frequent, self._counts, self._firsts, self._next, self._pairs)
        for each in (self.starts, self.entries, *scratch, self.keys):
            each.close()

    def __enter__(self) -> HashTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_probe(table: Any, columns: Any) -> None:
    """BuildError unless it is a table, and these are columns of its key's types."""
    if not isinstance(table, HashTable):
        raise BuildError(f"{table!r} is not a HashTable", hint="HashTable(device, columns) of the build side")
    check_same_types("a probe key", check_columns("a key", columns, device=table.device), table.keys.types)


class Join(JoinResult):
    """The probe side: `join = Join(table, columns, most_pairs)`, then `join(columns)` and `join.pairs()`.

    A call only launches: what it found lies in `left`, `right` (rows of the probe and the build side) and `total` (one u64:
    how many pairs there are; only the first `most_pairs` are written). `pairs()` waits and cuts the arrays to size.
    `outer`: a probe row without a match is there once, with NO_ROW (2^32-1) on the right. `most` rows a call, by default as
    many as `columns` have. `host_total`: the total lies in memory of the host, which `pairs()` reads sooner and kernels later.
    """

    @takes_any_array
    def __init__(
        self, table: HashTable, columns: Array | Sequence[Array], most_pairs: int, *,
        most: int | None = None, outer: bool = False, host_total: bool = False,
    ) -> None:  # fmt: skip
        _check_probe(table, columns)
        self.table, self.outer = table, outer
        self.keys = Keys(table.device, columns, most)
        super().__init__(table.device, most_pairs, host_total=host_total)
        words = hash_probe.scratch_words(self.keys.most)
        self._scratch = table.device.zeros(words, u64)
        self._ticket = self._scratch[words - 1 :]
        self._chunks = table.device.zeros(0, u32)
        self._make_room_for_chunks()

    def __call__(self, columns: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self._launch((self.table,), (columns,))

    def plans(self, columns: Array | Sequence[Array], table: HashTable) -> Plans:
        """The launches."""
        keys, packing = self.keys.read(columns)
        return (*packing, *self.plans_for(keys))

    def plans_for(self, keys: ReadKeys) -> Plans:
        """The probe of keys that were read: what finds the pairs, and what writes those of frequent keys."""
        rows, tags, packed = keys
        table, words, runs = self.table, self.keys.words, self.table.runs
        self._make_room_for_chunks()
        probe = hash_probe.pairs_plan(
            rows, tags, table.mask, table.starts, table.entries, table.entries if packed is None else packed, table.packed,
            runs, self._chunks, self._scratch, self._ticket, self.total, self.capacity, self.left, self.right, words=words,
            outer=self.outer,
        )  # fmt: skip
        if runs is None:
            return (probe,)
        write = hash_runs.runs_plan(tags, self._chunks, self.capacity, runs.pairs, self.left, self.right)
        return probe, write

    def _make_room_for_chunks(self) -> None:
        """As much as the pairs have, where the table has frequent keys."""
        needed = hash_runs.chunk_words(self.capacity) if self.table.runs else 0
        if self._chunks.size < needed:
            self._chunks.close()
            self._chunks = self.device.zeros(needed, u32)

    def close(self) -> None:
        """Free the scratch memory and the results."""
        super().close()
        for each in (self._scratch, self._chunks, self.keys):
            each.close()


class SemiJoin:
    """The probe rows that have a match (a semi-join) or, with `anti`, none: in order, in `out`, and how many in `total`."""

    @takes_any_array
    def __init__(
        self, table: HashTable, columns: Array | Sequence[Array], *, most: int | None = None, anti: bool = False
    ) -> None:
        _check_probe(table, columns)
        self.table, self.device = table, table.device
        self.keys = Keys(table.device, columns, most)
        rows = self.keys.most
        self._marks = table.device.empty(rows, u8)
        self._select = Select(table.device, u8, rows, op="eq" if anti else "ne")
        self.out = table.device.empty(rows, u32)
        self.launches = Launches(table.device)
        self.total = self._select.total

    def __call__(self, columns: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (self.table,), columns)

    def mark(self, columns: Any, out: Any) -> None:
        """out[row] = 1 where the row has a match, whether `anti` or not, else 0."""
        self.launches.run(self.mark_plans, (self.table,), columns, out)

    def plans(self, columns: Array | Sequence[Array], table: HashTable) -> Plans:
        """The launches."""
        rows = check_columns("a key", columns, device=self.device)[0].size
        return (
            *self.mark_plans(columns, self._marks, table),
            *self._select.plans(self._marks[:rows], self.out, None, 0),
        )

    def mark_plans(self, columns: Array | Sequence[Array], out: Array, table: HashTable) -> Plans:
        """The launches of `mark`."""
        (rows, tags, packed), packing = self.keys.read(columns)
        words = self.keys.words
        check_array("out", out, u8, device=self.device, least=rows)
        marks = hash_probe.marks_plan(
            rows, tags, table.mask, table.starts, table.entries, table.entries if packed is None else packed, table.packed,
            table.runs, out, words=words,
        )  # fmt: skip
        return (*packing, marks)

    def rows(self) -> Array:
        """What the last call found; waits for it."""
        return self.out[: self._select.count()]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        self.launches.close()
        for each in (self.keys, self._marks, self._select, self.out):
            each.close()

    def __enter__(self) -> SemiJoin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
