"""The first keys in order, without sorting all of them (ptxgen.kernels.arrays.radix_sort)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_sort
from ptxgen.kernels.arrays.radix_keys import WRITTEN, check_size, passes_of
from ptxgen.kernels.arrays.radix_sort import Arrays
from ptxgen.ops.arguments import (
    check_all_apart,
    check_array,
    check_count,
    check_device,
    check_element,
    shared_memory_of,
)
from ptxgen.ops.borrowing import Launches

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["PartialSort"]


class PartialSort:
    """`PartialSort(device, u32, most, first)(keys, out)`: out[:first] = the first keys in order; all, where there are fewer.

    With `pairs`, `(keys, out, payload, out_payload)` moves a u32 beside each key. Keys and order are those of `Sort`, and so are
    the results: of equal keys those that come first. The keys are counted by their highest digit that differs, the digits that
    the first ones have are taken out, and these are sorted: for keys spread evenly, two readings of all and a sort of 1/256.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, first: int, *, descending: bool = False, pairs: bool = False
    ) -> None:  # fmt: skip
        check_element("partial sort", element, bits=(8, 16, 32, 64))
        most, self.first = check_count("most", most), check_count("first", first)
        check_size(most)
        self.device, self.element, self.most, self.pairs = check_device(device), element, most, pairs
        self._how: dict[str, Any] = {"element": element, "passes": passes_of(element), "descending": descending}
        self.launches = Launches(device)
        self._how["room"] = room = shared_memory_of(device)
        size = radix_sort.work_size(most, element, passes_of(element), pairs, room=room)
        self._works = [device.zeros(size, u32) for _ in range(2)]
        self._spares = [device.empty(most, element) for _ in range(2)]
        self._spare_payloads = [device.empty(most, u32) for _ in range(2 * pairs)]

    def __call__(self, keys: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), keys, out, payload, out_payload)

    def plans(self, keys: Array, out: Array, payload: Any, out_payload: Any) -> Plans:
        """What may be among the first into one spare array; that sorted, by way of the other one."""
        n = check_array("keys", keys, self.element, device=self.device, most=self.most)
        first = min(self.first, n)
        check_array("out", out, self.element, device=self.device, least=first)
        inputs, results = {"keys": keys}, {"out": out}
        if self.pairs:
            check_array("payload", payload, u32, device=self.device, least=n)
            check_array("out_payload", out_payload, u32, device=self.device, least=first)
            inputs["payload"], results["out_payload"] = payload, out_payload
        elif payload is not None or out_payload is not None:
            raise BuildError("a payload for a sort of keys alone", hint="PartialSort(..., pairs=True)")
        check_all_apart(results, inputs)
        work, own = self._works
        spares = [pair for pair in (self._spares, self._spare_payloads) if pair]
        chosen = [Arrays(source, one, one, one) for source, (one, _) in zip(inputs.values(), spares)]
        ordered = [Arrays(one, one, two, target) for (one, two), target in zip(spares, results.values())]
        count = work[WRITTEN:]
        return [
            *radix_sort.sort_plans(n, chosen[0], work, *chosen[1:], **self._how, first=first, choose=True),
            *radix_sort.sort_plans(n, ordered[0], own, *ordered[1:], **self._how, first=first, counted=count),
        ]

    def close(self) -> None:
        """Free the scratch memory."""
        for array in (*self._works, *self._spares, *self._spare_payloads):
            array.close()

    def __enter__(self) -> PartialSort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
