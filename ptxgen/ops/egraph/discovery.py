"""Find all pairs of equal rows in different e-classes, planned and made unique on the device.

Rows are grouped by hash-consing (egraph.match_rows), the groups brought together by a radix sort of as many bits as a row's
number has, and the pairs of each group written by tiles of equal work: a fixed number of launches, whatever the buckets are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32, u64
from ptxgen.host.formats import numpy_module
from ptxgen.kernels.egraph import egraph, egraph_pairs, egraph_runs
from ptxgen.ops.arguments import check_device
from ptxgen.ops.arrays.scan import Scan
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.egraph.cleanup import AllOrNone, Held
from ptxgen.ops.egraph.errors import RunError, expect, expect_count
from ptxgen.ops.egraph.image import COLUMNS, DeviceImage, ResidentImage, upload
from ptxgen.ops.egraph.structural import Equivalences

if TYPE_CHECKING:
    from ptxgen.host import Array, Device

__all__ = ["Discovery", "discover"]

LEAST_ROOM = 1024
"""Pairs that there is room for at first, however few rows there are."""


class Discovery:
    """`Discovery(device, most_rows)(resident)`, then `equivalences()`. Holds all scratch memory; a call only launches.

    There is room for `capacity` pairs (default: one a row). More are counted and not written; `equivalences(grow=True)` then
    makes room for all and writes them again. The pairs of `equivalences()` are sorted and unique.
    """

    def __init__(self, device: Device, most_rows: int, capacity: int | None = None) -> None:
        np = numpy_module()
        check_device(device)
        most_rows = expect_count("most_rows", most_rows)
        room = max(LEAST_ROOM, most_rows) if capacity is None else capacity
        room = expect_count("capacity", room, most=egraph_pairs.NO_PLACE)
        self.device, self.most_rows, self.capacity = device, most_rows, room
        blocks = max(1, egraph_pairs.blocks_of(most_rows))
        with AllOrNone() as held:
            self._held = held
            rows = max(1, most_rows)
            self._sort = held.add(Sort(device, u32, rows, pairs=True, bits=max(1, (rows - 1).bit_length())))
            self._scan = held.add(Scan(device, u64, blocks))
            self._numbers = held.add(device.array(np.arange(rows, dtype=np.uint32)))
            arrays = [held.add(device.empty(n, u32)) for n in (egraph.slots_for(rows), rows, rows, rows, rows)]
            self._table, self._reps, self._groups, self._order, self._classes = arrays
            self._tiles, self._ends = (held.add(device.empty(blocks, u64)) for _ in range(2))
            self._count = held.add(device.zeros(1, u64))
            self._pairs = device.empty(room, u64)
        self._rows = 0
        self._unique: UniquePairs | None = None

    def __call__(self, resident: ResidentImage) -> None:
        """Launch on the current stream."""
        n = expect("resident", resident, ResidentImage).layout.row_count
        if resident.device is not self.device:
            raise RunError("WrongDevice", found=resident.device.name, expected=self.device.name)
        if n > self.most_rows:
            raise RunError("TooLarge", rows=n, children="any", most_rows=self.most_rows, most_children="any")
        self._rows = n
        self._count.fill(0)
        if not n:
            return
        eclasses, ops, offsets, lens, signatures, children = (resident.column(name) for name in COLUMNS[:6])
        self._table.fill(0)
        egraph.match_plan(n, signatures, ops, offsets, lens, children, self._table, self._reps).launch()
        self._sort(self._reps[:n], self._groups, self._numbers, self._order)
        blocks = egraph_pairs.blocks_of(n)
        egraph_pairs.count_plan(n, self._groups, self._order, eclasses, self._classes, self._tiles).launch()
        self._scan(self._tiles[:blocks], self._ends)
        self._emit()

    def _emit(self) -> None:
        egraph_pairs.emit_plan(
            self._rows, self._groups, self._classes, self._ends, self._pairs, self._count, self.capacity
        ).launch()

    def count(self) -> int:
        """How many pairs the last call found, repetitions included; waits for it."""
        return int.from_bytes(self._count.bytes(), "little")

    def equivalences(self, *, grow: bool = True) -> Equivalences:
        """What the last call found; waits for it. Without `grow`, pairs beyond the capacity are reported and not there. RunError
        where there are 2^32 or more to make room for."""
        reported = self.count()
        if grow and reported > self.capacity:
            self._make_room(reported)
            self._count.fill(0)
            self._emit()
        emitted = min(reported, self.capacity)
        unique = self._thin(self._pairs[:emitted])
        return Equivalences(emitted, unique, reported, reported > self.capacity)

    def _thin(self, keys: Array) -> Any:
        if not keys.size:
            np = numpy_module()
            return np.empty((0, 2), np.uint32)
        if self._unique is None or self._unique.most < keys.size:
            if self._unique is not None:
                self._unique.close()
                self._unique = None
            self._unique = UniquePairs(self.device, max(keys.size, min(self.capacity, self.most_rows)))
        return self._unique(keys)

    def _make_room(self, pairs: int) -> None:
        if pairs > egraph_pairs.NO_PLACE:
            raise RunError("TooManyPairs", reported=pairs, most=egraph_pairs.NO_PLACE)
        self._pairs.close()
        self._pairs, self.capacity = self.device.empty(pairs, u64), pairs

    def close(self) -> None:
        """Free the scratch memory and the pairs."""
        for each in (self._unique, self._pairs, self._held):
            if each is not None:
                each.close()

    def __enter__(self) -> Discovery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class UniquePairs:
    """Keys (left << 32 | right) to pairs, sorted and unique: sorted, thinned and gathered on the device. Holds its scratch."""

    def __init__(self, device: Device, most: int) -> None:
        self.most = most
        with AllOrNone() as held:
            self._held = held
            self._ordered = held.add(device.empty(most, u64))
            self._flags = held.add(device.empty(most, u8))
            self._places = held.add(device.empty(most, u32))
            self._pairs = held.add(device.empty(2 * most, u32))
            self._sort = held.add(Sort(device, u64, most))
            self._select = held.add(Select(device, u8, most))

    def __call__(self, keys: Array) -> Any:
        """As a numpy array of (left, right); waits for it."""
        n = keys.size
        self._sort(keys, self._ordered)
        egraph_runs.distinct_plan(n, self._ordered, self._flags, element=u64).launch()
        self._select(self._flags[:n], self._places)
        egraph_runs.pick_plan(n, self._select.total, self._places, self._ordered, self._pairs).launch()
        return self._pairs[: 2 * self._select.count()].numpy().reshape(-1, 2)

    def close(self) -> None:
        """Free the scratch memory."""
        self._held.close()


def discover(device: Device, image: DeviceImage, *, capacity: int | None = None) -> Equivalences:
    """Upload an image, find all pairs of equal rows in different e-classes, and free what that took.

    With a `capacity`, no more pairs are written and an overflow is reported; without, there is room for all.
    """
    with Held() as held:
        resident = held.add(upload(device, image))
        discovery = held.add(Discovery(device, image.layout.row_count, capacity))
        discovery(resident)
        return discovery.equivalences(grow=capacity is None)
