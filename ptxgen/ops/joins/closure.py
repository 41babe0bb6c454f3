"""Transitive closure of a list of edges, wholly on the device (ptxgen.kernels.joins.closure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins import closure as kernels
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.arguments import check_array, check_count, check_device
from ptxgen.ops.borrowing import Launches
from ptxgen.ops.joins.join import HashTable
from ptxgen.ops.launches import Fill

if TYPE_CHECKING:
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["Closure", "ClosureOverflowError", "Reached"]

_MULTIPROCESSORS, _COOPERATIVE = 16, 95  # CUdevice_attribute
_WORD = 4


class ClosureOverflowError(BuildError):
    """A closure has more pairs than there was room for. `capacity` is how many there was, `found` how many there were when
    the search ended; all of them may be more."""

    def __init__(self, capacity: int, found: int) -> None:
        super().__init__(
            f"the closure has more than {capacity} pairs: {found} when the search ended",
            hint="Closure(..., most_pairs=...) with more room, or closure_chunks, which needs room for a part at a time",
        )
        self.capacity, self.found = capacity, found


class Reached(NamedTuple):
    """A path leads from `left[i]` to `right[i]`; no pair is there twice, their order is not certain. `rounds`: launches of
    the semi-naive rule that it took, the last of which found nothing."""

    left: Array
    right: Array
    rounds: int


class Closure:
    """`closure = Closure(device, most_edges, most_pairs)`, then `closure(sources, targets)` and `closure.pairs()`.

    Vertices are u32. A call launches one kernel that runs until nothing new is found, and what indexes the edges before; it may
    be captured. What does not fit into `most_pairs` ends the search: nothing is written out of bounds, and `pairs()` raises.
    Scratch memory: 16 to 32 bytes a pair beside the 8 of the result.
    """

    def __init__(self, device: Device, most_edges: int, most_pairs: int) -> None:
        most_edges = check_count("most_edges", most_edges)
        most_pairs = check_count("most_pairs", most_pairs, most=kernels.MOST_PAIRS)
        handle = check_device(device).context.device
        if not handle.attribute(_COOPERATIVE):
            raise BuildError(
                f"{device.name} has no cooperative launch", hint="a GPU of compute capability 6.0 or newer"
            )
        self.device, self.most_edges, self.capacity = device, most_edges, most_pairs
        self._table = HashTable(device, device.empty(0, u32), most=most_edges, share_frequent=False)
        self._slots = device.empty(kernels.slots_for(most_pairs), u64)
        self.left, self.right = device.empty(most_pairs, u32), device.empty(most_pairs, u32)
        self.state = device.zeros(kernels.STATE_WORDS, u32)
        resident = kernels.MIN_CTAS * handle.attribute(_MULTIPROCESSORS)
        self.launches = Launches(device)
        self._ctas = max(1, min(resident, ceil_div(most_pairs, kernels.THREADS)))

    def __call__(self, sources: Any, targets: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), sources, targets)

    def plans(self, sources: Array, targets: Array) -> Plans:
        """The launches."""
        n = check_array("sources", sources, u32, device=self.device, most=self.most_edges)
        if check_array("targets", targets, u32, device=self.device) != n:
            raise BuildError(f"targets has {targets.size} elements, sources {n}")
        return (*self._table.plans(sources), *self.search_plans(sources, targets, targets))

    def index(self, sources: Array) -> None:
        """Launch what puts all edges into the table."""
        self._table.build(sources)

    def search(self, sources: Array, nexts: Array, targets: Array) -> None:
        """Launch what finds the pairs of the paths that begin with the edges from `sources` to `nexts`. The table has all edges,
        whose `targets` these are."""
        self.launches.run(self.search_plans, (), sources, nexts, targets)

    def search_plans(self, sources: Array, nexts: Array, targets: Array) -> Plans:
        """The launches of `search`."""
        table = self._table
        search = kernels.plan(
            sources.size, sources, nexts, targets, table.mask, table.starts, table.entries, self._slots, self.capacity,
            self.left, self.right, self.state, ctas=self._ctas,
        )  # fmt: skip
        return Fill(self._slots, 0xFF), Fill(self.state), search

    def pairs(self) -> Reached:
        """What the last call found; waits for it. ClosureOverflowError when there was not enough room."""
        raw = self.state.bytes()
        words = [int.from_bytes(raw[at : at + _WORD], "little") for at in range(0, len(raw), _WORD)]
        total = words[kernels.TOTAL]
        if total > self.capacity:
            raise ClosureOverflowError(self.capacity, total)
        return Reached(self.left[:total], self.right[:total], words[kernels.ROUNDS])

    def close(self) -> None:
        """Free the scratch memory and the result."""
        self.launches.close()
        self._table.close()
        for array in (self._slots, self.left, self.right, self.state):
            array.close()

    def __enter__(self) -> Closure:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
