"""Groups of equal rows by hashing, in no certain order: what dedup, group-by and sets with `ordered=False` are built from."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from driver_ctypes.errors import OutOfMemoryError
from ptxgen.builder import u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import group_cache, group_merge, group_offsets, group_sample, group_spread
from ptxgen.kernels.arrays.group_cache import Records
from ptxgen.kernels.arrays.group_table import slot_bytes
from ptxgen.kernels.arrays.radix_keys import LIMIT
from ptxgen.kernels.gates import gated
from ptxgen.kernels.joins.hash_join import COLUMN
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.arguments import check_device, shared_memory_of, value_type
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.joins.keys import Keys
from ptxgen.ops.scratch import read_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.arrays.group_accumulators import Accumulator
    from ptxgen.kernels.arrays.group_merge import Output
    from ptxgen.ops.launches import Plans

__all__ = ["HashGroups", "ManyGroups"]


class _Way(Protocol):
    def close(self) -> None: ...


W = TypeVar("W", bound=_Way)

SORTED_FROM = 2600
"""Groups of a column from which on sorting is faster: see group_sample.py."""
SAMPLED_FROM = 1 << 20
"""Rows from which on the device finds out itself, as long as the host has read of no number of groups. The launches of the way
that is not taken cost up to 0.02 ms, which of fewer rows is more than the right way saves."""


class ManyGroups(Generic[W]):
    """Whether groups are found by hashing or by sorting, which is faster where there are many. `found`: how many the host has
    read of, last. Before it has, the device looks at some rows (group_sample.py), and the launches of both ways are made, of
    which those of one end at once.

    `make` makes what sorts columns like those of a call of at most `most` rows, when that is needed first. Without it, all are
    hashed: while a graph is being recorded, where there are too many rows, or too little memory.
    """

    def __init__(self, device: Device, most: int, make: Callable[[list[Array]], W]) -> None:
        self._device, self._most, self._make = device, most, make
        self._way: W | None = None
        self._gate = device.empty(1, u32)
        self.found: int | None = None

    @property
    def expected(self) -> bool | None:
        """Whether there are many; None where that is not known."""
        return None if self.found is None else self.found >= SORTED_FROM

    def plans(
        self, columns: list[Array], many: bool | None, by_hash: Callable[[], Plans], by_sort: Callable[[W], Plans]
    ) -> Plans:
        """The launches for these columns, where `many` groups are expected. Several columns are hashed."""
        (column, *others), unknown = columns, many is None
        if others or not (column.size >= SAMPLED_FROM if unknown else many):
            return by_hash()
        if self._way is None and self._most < LIMIT and not self._device.current_stream.capturing:
            with suppress(OutOfMemoryError):
                self._way = self._make(columns)
        if self._way is None:
            return by_hash()
        if not unknown:
            return by_sort(self._way)
        ways = ((0, by_hash()), (1, by_sort(self._way)))
        gated_ = [gated(plan, self._gate, way) for way, plans in ways for plan in plans if isinstance(plan, KernelPlan)]
        return [group_sample.sample_plan(column.size, column, self._gate), *gated_]

    def close(self) -> None:
        self._gate.close()
        if self._way is not None:
            self._way.close()


class HashGroups:
    """`groups = HashGroups(device, columns, most)`, then what `groups.plans(columns, values, accumulators, outputs, outs)`
    launches (ptxgen.kernels.arrays.group_cache), and `total`, one u32 on the device, says how many there are.

    Columns are of integers of 8 to 64 bits, f16, f32 or f64; rows are equal when their bits are. `most` rows a call.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        arrays = as_columns(columns, check_device(device))
        self._keys = Keys(device, arrays, most)
        self.device, self.most = device, self._keys.most
        self.element = COLUMN[arrays[0].type.bytes]
        """What an output of the key's bits has, where it is one column."""
        self._shared = shared_memory_of(device)
        bins = group_cache.MOST_BINS
        self.total = device.zeros(1, u32)
        self._firsts, self._totals = device.empty(bins + 1, u32), device.empty(bins, u32)
        self._missed = device.empty(group_cache.missed_size(self.most), u8)
        self._left = device.empty(2 * group_cache.CTAS, u32)
        self._room: dict[str, Array] = {}

    def plans(
        self, columns: Array | Sequence[Array], values: Sequence[Array] = (), accumulators: tuple[Accumulator, ...] = (),
        outputs: tuple[Output, ...] = (), outs: Sequence[Array] = (), *, side: str = "", split: int = 0,
    ) -> Plans:  # fmt: skip
        """The launches. Each of `outs` has room for every row."""
        (n, keys, packed), packing = self._keys.read(columns)
        words, element = self._keys.words, self._keys.element
        rowed, sided = bool(side) or any(output.kind == "row" for output in outputs), bool(side)
        slot = slot_bytes(element, accumulators, hashed=words > 0, rowed=rowed, sided=sided)
        staged = group_spread.staged_bytes(element, accumulators, rowed=rowed or words > 0)
        layout = group_cache.layout_of(self.most, slot, staged, self._shared)
        parts, entries = self._records(layout.room, len(accumulators), rowed or words > 0, sided)
        packed = keys.view(u32) if packed is None else packed
        counts = self._array("counts", layout.ctas * layout.bins, u32)
        how: dict[str, Any] = {"accumulators": accumulators, "rowed": rowed}
        columns_: dict[str, Any] = {"sided": sided, "types": tuple(value_type("values", each) for each in values)}
        cached = group_cache.cache_plan(
            n,
            layout,
            keys,
            packed,
            self._missed,
            self._left,
            parts,
            counts,
            self.total,
            values,
            words=words,
            **how,
            **columns_,
        )
        offsets = group_offsets.offsets_plan(cached.grid, layout.bins, counts, self._totals)
        spread = group_spread.spread_plan(
            n, layout, keys, self._missed, self._left, parts, counts, self._totals, self._firsts, entries, values,
            hashed=words > 0, **how, **columns_,
        )  # fmt: skip
        merge = group_merge.merge_plan(
            layout,
            keys,
            packed,
            entries,
            self._firsts,
            split,
            self.total,
            outs,
            words=words,
            outputs=outputs,
            side=side,
            **how,
        )
        return [*packing, cached, offsets, spread, merge]

    def _records(self, room: int, accumulators: int, rowed: bool, sided: bool) -> tuple[Records, Records]:
        """Arrays for so many parts, and for entries: the first call that needs more than those before makes them."""
        if self.most + room >= group_merge.MOST:
            raise BuildError(f"most is {self.most}", hint=f"fewer than {group_merge.MOST - room} rows")
        parts, entries = (
            Records(
                self._array(f"tags of {name}", size, self._keys.element), self._array(f"rows of {name}", size * rowed, u32),
                self._array(f"last rows of {name}", size * sided, u32),
                self._array(f"accumulators of {name}", size * accumulators, u64), size,
            )
            for name, size in (("parts", room), ("entries", self.most + room))
        )  # fmt: skip
        return parts, entries

    def _array(self, name: str, size: int, kind: type[Value]) -> Array:
        known = self._room.get(name)
        if known is None or known.size < size:
            if known is not None:
                known.close()
            known = self._room[name] = self.device.empty(size, kind)
        return known

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        return read_number(self.total)

    def close(self) -> None:
        """Free the scratch memory."""
        self._keys.close()
        for each in (self.total, self._firsts, self._totals, self._missed, self._left, *self._room.values()):
            each.close()
