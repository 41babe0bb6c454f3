"""Groups of equal rows by hashing, in no certain order: what dedup, group-by and sets with `ordered=False` are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.abi.enums import CUdevice_attribute
from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import group_cache, group_merge, group_spread
from ptxgen.kernels.arrays.group_table import slot_bytes
from ptxgen.kernels.joins.hash_join import COLUMN, entry_bytes
from ptxgen.ops.arguments import check_device, value_type
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.joins.keys import Keys
from ptxgen.ops.launches import Fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.kernels.arrays.group_merge import Output
    from ptxgen.kernels.arrays.group_table import Accumulator
    from ptxgen.ops.launches import Plans

__all__ = ["HashGroups"]


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
        self._entry = entry_bytes(self._keys.element)
        self._shared = device.context.device.attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        bins = group_cache.MOST_BINS
        self._state = device.zeros(group_cache.STATES + bins, u32)
        self.total = self._state[group_cache.TOTAL :][:1]
        self._firsts, self._next = device.empty(bins + 1, u32), device.empty(bins, u32)
        self._missed, self._lost = device.empty((self.most + 31) // 32, u32), device.empty(group_cache.CTAS, u32)
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
        layout = group_cache.layout_of(self.most, slot, self._entry, self._shared)
        room = self._room_for(layout.room, len(accumulators))
        packed = keys.view(u32) if packed is None else packed
        state, counts = self._state[: group_cache.STATES], self._state[group_cache.STATES :]
        how: dict[str, Any] = {"words": words, "accumulators": accumulators, "rowed": rowed}
        how["types"] = tuple(value_type("values", each) for each in values)
        tags, rows, lasts, parts = (room[name] for name in ("tags", "rows", "lasts", "parts"))
        cache = group_cache.cache_plan(
            n, layout, keys, packed, self._missed, self._lost, tags, rows, lasts, parts, state, counts, self._firsts, self._next,
            values, sided=sided, **how,
        )  # fmt: skip
        spread = group_spread.spread_plan(
            n, layout, keys, self._missed, self._lost, tags, rows, state, self._next, room["pairs"], hashed=words > 0
        )
        merge = group_merge.merge_plan(
            n, layout, keys, packed, room["pairs"], rows, lasts, parts, self._firsts, split, self.total, values, outs,
            outputs=outputs, side=side, **how,
        )  # fmt: skip
        return [*packing, Fill(self._state), cache, spread, merge]

    def _room_for(self, room: int, accumulators: int) -> dict[str, Array]:
        """Arrays for so many parts: the first call that needs more than those before makes them."""
        if self.most + room >= group_merge.MOST:
            raise BuildError(f"most is {self.most}", hint=f"fewer than {group_merge.MOST - room} rows")
        element = self._keys.element
        sizes = {
            "tags": (room, element), "rows": (room, u32), "lasts": (room, u32), "parts": (room * accumulators, u64),
            "pairs": ((self.most + room) * self._entry // 4, u32),
        }  # fmt: skip
        for name, (size, kind) in sizes.items():
            known = self._room.get(name)
            if known is None or known.size < size:
                if known is not None:
                    known.close()
                self._room[name] = self.device.empty(size, kind)
        return self._room

    def count(self) -> int:
        """How many groups the last call found; waits for it."""
        return int.from_bytes(self.total.bytes(), "little")

    def close(self) -> None:
        """Free the scratch memory."""
        self._keys.close()
        for each in (self._state, self._firsts, self._next, self._missed, self._lost, *self._room.values()):
            each.close()
