"""Many arrays that lie one behind the other, each sorted for itself (ptxgen.kernels.arrays.radix_segments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_long_segments, radix_segments, radix_tile
from ptxgen.kernels.arrays.radix_keys import check_size, passes_of
from ptxgen.kernels.arrays.radix_sort import Arrays
from ptxgen.kernels.arrays.segment_lists import LONGEST, Work, lists_plan, step_for
from ptxgen.kernels.arrays.segment_networks import WARPS, listed_plan, network_for, network_plan
from ptxgen.ops.arguments import (
    check_all_apart,
    check_array,
    check_count,
    check_device,
    check_element,
    shared_memory_of,
)
from ptxgen.ops.borrowing import Launches
from ptxgen.ops.launches import Fill

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["SegmentedSort"]


class SegmentedSort:
    """`SegmentedSort(device, u32, most)(keys, offsets, out)`: each of keys[offsets[s] : offsets[s + 1]] in order, stably.

    With `pairs`, `(keys, offsets, out, payload, out_payload)` moves a u32 beside each key. Keys and order are those of `Sort`, at
    most `most` in all; `offsets` is u32, one more than there are segments. An offset beyond the keys counts as their end, a
    segment that would end before it begins is empty; what is in no segment is not written. Segments that have keys in common are
    not sorted. Short segments are sorted by some lanes of a warp each, or many at a time by a CTA, those of some thousand keys by
    one each, longer ones by all CTAs together. Up to 4,096 keys are one launch.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *, descending: bool = False, pairs: bool = False
    ) -> None:
        check_element("segmented sort", element, bits=(8, 16, 32, 64))
        most = check_count("most", most)
        check_size(most)
        self.device, self.element, self.most, self.pairs = check_device(device), element, most, pairs
        self._how: dict[str, Any] = {"element": element, "descending": descending}
        self.launches = Launches(device)
        self._shared, needed = shared_memory_of(device), radix_segments.least_room(element)
        if needed > self._shared:
            raise BuildError(
                f"a segmented sort of .{element.isa.name} on {device.target}, with {self._shared} bytes of shared memory a CTA",
                hint=f"{needed} bytes, which devices from sm_80 on have, or keys of up to 4 bytes",
            )
        self._spare = device.empty(most, element)
        self._spare_payload = device.empty(most, u32) if pairs else None
        self._work = device.empty(0, u32)

    def __call__(self, keys: Any, offsets: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), keys, offsets, out, payload, out_payload)

    def plans(self, keys: Array, offsets: Array, out: Array, payload: Any, out_payload: Any) -> Plans:
        n = check_array("keys", keys, self.element, device=self.device, most=self.most)
        segments = check_array("offsets", offsets, u32, device=self.device, least=1) - 1
        check_array("out", out, self.element, device=self.device, least=n)
        read, written = {"keys": keys, "offsets": offsets}, {"out": out}
        if self.pairs:
            check_array("payload", payload, u32, device=self.device, least=n)
            check_array("out_payload", out_payload, u32, device=self.device, least=n)
            read["payload"], written["out_payload"] = payload, out_payload
        elif payload is not None or out_payload is not None:
            raise BuildError("a payload for a sort of keys alone", hint="SegmentedSort(..., pairs=True)")
        check_all_apart(written, read)
        others = (payload, out_payload) if self.pairs else ()
        if n <= radix_tile.MOST:
            return (radix_segments.alone_plan(n, segments, keys, out, offsets, *others, **self._how),)
        passes, network = passes_of(self.element), network_for(n, segments)
        tiling = radix_long_segments.tiling_of(self.element, n, segments, pairs=self.pairs, room=self._shared)
        longest = radix_segments.longest_for(self.element, self._shared, pairs=self.pairs)
        step = step_for(n, segments) if network is None else LONGEST - network.most
        layout = Work(n, segments, step, tiling.size, passes, longest, chunked=network is None)
        work = self._work_for(layout)
        if network is None:
            short = [radix_segments.short_plan(layout, keys, out, work, *others, **self._how)]
        else:
            short = [network_plan(n, segments, network, keys, out, offsets, *others, **self._how)]
            if network is not WARPS:
                short.append(listed_plan(layout, keys, out, offsets, work, *others, **self._how))
        moved = Arrays(payload, out_payload, self._spare_payload, out_payload) if self.pairs else None
        arrays = Arrays(keys, out, self._spare, out)
        return (
            Fill(work[: layout.cleared]),
            lists_plan(layout, offsets, work),
            *short,
            radix_segments.middle_plan(layout, keys, out, offsets, work, *others, **self._how),
            *radix_long_segments.plans(layout, arrays, work, moved, tiling=tiling, **self._how),
        )

    def _work_for(self, layout: Work) -> Array:
        """Work memory: the first call that needs more than those before makes it."""
        if self._work.size < layout.whole:
            self._work.close()
            self._work = self.device.empty(layout.whole, u32)
        return self._work

    def close(self) -> None:
        """Free the scratch memory."""
        for array in (self._spare, self._spare_payload, self._work):
            if array is not None:
                array.close()

    def __enter__(self) -> SegmentedSort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
