"""The first keys in order, without sorting all of them (ptxgen.kernels.arrays.radix_sort)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_sort, radix_tile
from ptxgen.kernels.arrays.radix_keys import Work, check_size, passes_of
from ptxgen.kernels.arrays.radix_sort import Arrays
from ptxgen.ops.arguments import check_all_apart, check_array, check_count, check_device, check_element
from ptxgen.ops.operands import LaunchCache, PreparedLaunch, prepare_chain, read, stream_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Device
    from ptxgen.kernels.plan import KernelPlan

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
        self._launches = LaunchCache()
        size = radix_sort.work_size(most, element, passes_of(element), pairs)
        self._works = [device.zeros(size, u32) for _ in range(2)]
        self._spares = [device.empty(most, element) for _ in range(2)]
        self._spare_payloads = [device.empty(most, u32) for _ in range(2 * pairs)]

    def __call__(self, keys: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream."""
        arrays = (keys, out, payload, out_payload)
        key, known = self._launches.find(None, *arrays)
        if known is None:
            known = self._prepare(*arrays)
            self._launches.keep(key, known)
        known.run(*arrays)

    def _prepare(self, keys: Any, out: Any, payload: Any, out_payload: Any) -> PreparedLaunch:
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
        given = [read(name, array) for name, array in inputs.items()]
        result = [read(name, array) for name, array in results.items()]
        plans = self._plans(n, first, given, result)
        scratch = (*self._works, *self._spares, *self._spare_payloads)
        return prepare_chain(plans, self.device, stream_of(self.device, *given, *result), scratch)

    def _plans(self, n: int, first: int, given: list[Any], result: list[Any]) -> list[KernelPlan]:
        """What may be among the first into one spare array; that sorted, by way of the other one."""
        work, own = (read("scratch", each) for each in self._works)
        spares = [[read("scratch", each) for each in pair] for pair in (self._spares, self._spare_payloads) if pair]
        chosen = [Arrays(source, one, one, one) for source, (one, _) in zip(given, spares)]
        ordered = [Arrays(one, one, two, target) for (one, two), target in zip(spares, result)]
        count = read("scratch", self._works[0][Work.limit_place :])
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
