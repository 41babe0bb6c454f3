"""Groups of equal rows by hashing, in no certain order: what dedup, group-by and sets with `ordered=False` are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import group_cache, group_merge, group_spread
from ptxgen.kernels.arrays.group_table import slot_bytes
from ptxgen.kernels.joins.hash_join import COLUMN, entry_bytes
from ptxgen.ops.arguments import check_device, value_type
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.joins.join import Keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.kernels.arrays.group_merge import Output
    from ptxgen.kernels.arrays.group_table import Accumulator

__all__ = ["HashGroups"]


class HashGroups:
    """`groups = HashGroups(device, columns, most)`, then `groups(columns, values, accumulators, outputs, outs)` (ptxgen.kernels.arrays.
    group_cache), and `total`, one u32 on the device, says how many there are.

    Columns are of integers of 8 to 64 bits, f16, f32 or f64; rows are equal when their bits are. `most` rows a call.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        arrays = as_columns(columns, check_device(device))
        self._keys = Keys(device, arrays, most)
        self.device, self.most = device, self._keys.most
        self.element = COLUMN[arrays[0].type.bytes]
        """What an output of the key's bits has, where it is one column."""
        self._state = device.zeros(3 + group_cache.layout_of(self.most, 1).bins, u32)
        bins = self._state.size - 3
        self.total = self._state[group_cache.TOTAL :][:1]
        self._firsts, self._next = device.empty(bins + 1, u32), device.empty(bins, u32)
        self._missed = device.empty((self.most + 31) // 32, u32)
        self._parts: tuple[Array, ...] = ()
        self._pairs = device.empty(0, u32)

    def __call__(
        self, columns: Array | Sequence[Array], values: Sequence[Array] = (), accumulators: tuple[Accumulator, ...] = (),
        outputs: tuple[Output, ...] = (), outs: Sequence[Array] = (), *, side: str = "", split: int = 0,
    ) -> None:  # fmt: skip
        """Launch on the current stream. Each of `outs` has room for every row."""
        n, tags, packed = self._keys.take(columns)
        words, element = self._keys.words, self._keys.element
        layout = group_cache.layout_of(self.most, slot_bytes(element, accumulators, hashed=words > 0, sided=bool(side)))
        rows, lasts, parts = self._room_for(layout.room, len(accumulators), sided=bool(side))
        packed = tags.view(u32) if packed is None else packed
        self._state.fill(0)
        state, counts = self._state[:3], self._state[3:]
        how: dict[str, Any] = {"words": words, "accumulators": accumulators}
        how["types"] = tuple(value_type("values", each) for each in values)
        group_cache.cache_plan(
            n, layout, tags, packed, self._missed, rows, lasts, parts, state, counts, self._firsts, self._next, values,
            sided=bool(side), **how,
        ).launch()  # fmt: skip
        group_spread.spread_plan(
            n, layout, tags, self._missed, rows, state, self._next, self._pairs, hashed=words > 0
        ).launch()
        group_merge.merge_plan(
            n, layout, tags, packed, self._pairs, rows, lasts, parts, self._firsts, split, self.total, values, outs,
            outputs=outputs, side=side, **how,
        ).launch()  # fmt: skip

    def _room_for(self, room: int, accumulators: int, *, sided: bool) -> tuple[Array, ...]:
        """(rows, lasts, parts) of so many parts: the first call with more than before makes them."""
        if self.most + room >= group_merge.MOST:
            raise BuildError(f"most is {self.most}", hint=f"fewer than {group_merge.MOST - room} rows")
        sizes = (room, room if sided else 0, room * accumulators)
        if not self._parts or any(each.size < size for each, size in zip(self._parts, sizes)):
            old = self._parts or (self._firsts[:0],) * 3
            sizes = tuple(max(each.size, size) for each, size in zip(old, sizes))
            for each in (*self._parts, self._pairs):
                each.close()
            self._parts = tuple(self.device.empty(size, kind) for size, kind in zip(sizes, (u32, u32, u64)))
            self._pairs = self.device.empty((self.most + sizes[0]) * entry_bytes(self._keys.element) // 4, u32)
        return self._parts

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        return int.from_bytes(self.total.bytes(), "little")

    def close(self) -> None:
        """Free the scratch memory."""
        for each in (self._keys, self._state, self._firsts, self._next, self._missed, self._pairs, *self._parts):
            each.close()
