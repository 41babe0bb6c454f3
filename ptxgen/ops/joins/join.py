"""Joins of two tables of device columns by equal keys (ptxgen.kernels.joins.hash_join and its neighbours)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins import hash_build, hash_frequent, hash_partition, hash_probe, hash_runs
from ptxgen.kernels.joins.hash_join import entry_bytes, words_of_key
from ptxgen.kernels.joins.hash_keys import pack_plan
from ptxgen.kernels.joins.hash_runs import Runs
from ptxgen.ops.arguments import check_array, check_columns, check_count, check_device, check_same_types
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.joins.pairs import JoinResult
from ptxgen.ops.operands import Fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.operands import Plans

__all__ = ["HashTable", "Join", "Keys", "SemiJoin"]

_SHARED_OPTIN = 97
"""CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: bytes of shared memory that a CTA may ask for."""

_SHARED_FROM = 1 << 16
"""Rows of a build side from which on looking for frequent keys costs next to nothing."""

MOST_ROWS = 1 << 31
"""Rows of a side: they are numbered in 32 bits, in steps of a whole grid."""


class Keys:
    """A side's keys as the kernels take them: a tag a row, and the packed keys where the tags are hashes.

    Columns are of types of 1, 2, 4 or 8 bytes; two keys are equal when their bits are. One column of 4 or 8 bytes is its own
    tag; others are packed into scratch that is made once, for `most` rows.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        arrays = check_columns("a key", columns, device=device)
        self.most = check_count("rows of a join", arrays[0].size if most is None else most, most=MOST_ROWS)
        self.types = tuple(column.type for column in arrays)
        self.sizes = tuple(kind.bytes for kind in self.types)
        self.direct = self.sizes in ((4,), (8,))
        self.words = 0 if sum(self.sizes) <= 8 else words_of_key(self.sizes)
        self.element = u32 if self.sizes == (4,) else u64
        self._device = device
        self._scratch: tuple[Array, ...] = ()
        self._addresses: Array | None = None  # of the columns taken last
        self._places: tuple[int, ...] = ()
        self._recorded = False  # graphs read these addresses at every launch: others go elsewhere
        if not self.direct:
            self._scratch = (device.empty(words_of_key(self.sizes) * self.most, u32), device.empty(self.most, u64))

    def take(self, columns: Array | Sequence[Array]) -> tuple[int, Array, Array | None]:
        """(rows, tags, packed keys) of these columns; launches what packs them."""
        arrays = check_columns("a key", columns, device=self._device)
        check_same_types("a key", arrays, self.types)
        rows = arrays[0].size
        if rows > self.most:
            raise BuildError(f"a key of {rows} rows, this operation was made for at most {self.most}")
        if self.direct:
            return rows, arrays[0].view(self.element), None
        packed, tags = self._scratch
        pack_plan(rows, self._addresses_of(arrays), packed, tags, sizes=self.sizes).launch()
        return rows, tags, packed if self.words else None

    def _addresses_of(self, columns: list[Array]) -> Array:
        """On the device, the places of the columns."""
        places, recording = tuple(column.pointer for column in columns), self._device.current_stream.capturing
        found = self._addresses
        if found is None or places != self._places:
            if recording:
                raise BuildError(
                    "a graph is being recorded, and the addresses of these key columns are not on the device yet",
                    hint="call the operation with the same arrays once before",
                )
            if found is None or self._recorded:
                found = self._addresses = self._device.empty(len(places), u64)
                self._recorded = False
            self._places = ()  # unless it is copied
            found.copy_from(list(places))
            self._places = places
        self._recorded |= recording
        return found

    def close(self) -> None:
        for array in (*self._scratch, self._addresses):
            if array is not None:
                array.close()


def alone(columns: Any) -> Any:
    """The column of a list of one."""
    return columns[0] if isinstance(columns, (list, tuple)) and len(columns) == 1 else columns


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
        self._shared = device.context.device.attribute(_SHARED_OPTIN)
        division = hash_partition.divide(most, entry_bytes(element), self._shared)
        shares = most >= _SHARED_FROM if share_frequent is None else share_frequent
        possible = self.keys.words == 0 and division.parts > 0
        self.division = division._replace(runs=hash_frequent.MOST if shares and possible else 0)
        words = max(2, most + most % 2) * entry_bytes(element) // 4
        self.starts = device.empty(self.division.buckets + 1, u32)
        self.entries = device.zeros(words, u32)
        self.packed: Array = self.entries
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
        if self.keys.direct:
            self.launches.run(self.plans, (self.division,), alone(columns))
        else:  # the keys are packed, from where they are now
            self._build_packed(columns)

    @takes_any_array
    def _build_packed(self, columns: Array | Sequence[Array]) -> None:
        for plan in self.plans(columns):
            plan.launch()

    def plans(self, columns: Array | Sequence[Array], division: hash_partition.Division | None = None) -> Plans:
        """What fills the table, not launched yet; what packs the keys is."""
        division = division or self.division
        rows, tags, packed = self.keys.take(columns)
        self.packed = packed if packed is not None else self.entries
        hashed = self.keys.words > 0
        last = hash_build.build_plan(
            rows, tags, self._pairs, self._firsts, division, self.starts, self.entries, hashed=hashed,
            shared=self._shared,
        )  # fmt: skip
        if not division.parts:
            return (last,)
        find = (hash_frequent.find_plan(rows, tags, self._frequent),) if division.runs else ()
        counts = (self._counts, self._firsts, self._next)
        return (
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
    many as `columns` have.
    """

    @takes_any_array
    def __init__(
        self, table: HashTable, columns: Array | Sequence[Array], most_pairs: int, *,
        most: int | None = None, outer: bool = False,
    ) -> None:  # fmt: skip
        _check_probe(table, columns)
        self.table, self.outer = table, outer
        self.keys = Keys(table.device, columns, most)
        super().__init__(table.device, most_pairs)
        words = hash_probe.scratch_words(self.keys.most)
        self._scratch = table.device.zeros(words, u64)
        self._ticket = self._scratch[words - 1 :]
        self._chunks = table.device.empty(0, u32)
        self._make_room_for_chunks()

    def __call__(self, columns: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self._launch((self.table,), (alone(columns),))

    def _launch(self, options: tuple[Any, ...], arrays: tuple[Any, ...]) -> None:
        if self.keys.direct:
            super()._launch(options, arrays)
        else:  # the keys are packed, from where they are now
            self._asked = options, arrays
            self._launch_packed(*arrays)

    @takes_any_array
    def _launch_packed(self, columns: Array | Sequence[Array]) -> None:
        for plan in self.plans_for(*self.keys.take(columns)):
            plan.launch()

    def _plans(self, column: Array, table: HashTable) -> Plans:
        return self.plans_for(*self.keys.take(column))

    def plans_for(self, rows: int, tags: Array, packed: Array | None) -> Plans:
        """The probe of keys that were taken, not launched yet: what finds the pairs, and what writes those of frequent keys."""
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
        return Fill(self._chunks[: hash_runs.CHUNK_WORDS]), probe, write

    def _make_room_for_chunks(self) -> None:
        """As much as the pairs have, where the table has frequent keys."""
        needed = hash_runs.chunk_words(self.capacity) if self.table.runs else 0
        if self._chunks.size < needed:
            self._chunks.close()
            self._chunks = self.device.empty(needed, u32)

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

    @takes_any_array
    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream, or on the arrays'."""
        rows = self.mark(columns, self._marks)
        self._select(self._marks[:rows], self.out)

    def mark(self, columns: Any, out: Any) -> int:
        """out[row] = 1 where the row has a match, whether `anti` or not, else 0; returns how many rows there are."""
        if self.keys.direct:
            column = alone(columns)
            self.launches.run(self._plans, (self.table,), column, out)
            return int(column.shape[0])
        return self._mark_packed(columns, out)

    def _plans(self, column: Array, out: Array, table: HashTable) -> Plans:
        return (self._plan(*self.keys.take(column), out),)

    @takes_any_array
    def _mark_packed(self, columns: Array | Sequence[Array], out: Array) -> int:
        rows, tags, packed = self.keys.take(columns)
        self._plan(rows, tags, packed, out).launch()
        return rows

    def _plan(self, rows: int, tags: Array, packed: Array | None, out: Array) -> KernelPlan:
        table, words = self.table, self.keys.words
        check_array("out", out, u8, device=self.device, least=rows)
        return hash_probe.marks_plan(
            rows, tags, table.mask, table.starts, table.entries, table.entries if packed is None else packed, table.packed,
            table.runs, out, words=words,
        )  # fmt: skip

    def rows(self) -> Array:
        """What the last call found; waits for it."""
        return self.out[: self._select.count()]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        for each in (self.keys, self._marks, self._select, self.out):
            each.close()

    def __enter__(self) -> SemiJoin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
