"""Many arrays that lie one behind the other, each sorted for itself (ptxgen.kernels.arrays.radix_segments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_segments
from ptxgen.kernels.arrays.radix_keys import check_size, passes_of
from ptxgen.ops.arguments import check_all_apart, check_array, check_count, check_device, check_element
from ptxgen.ops.operands import LaunchCache, PreparedLaunch, prepare_chain, read, stream_of

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Device

__all__ = ["SegmentedSort"]


class SegmentedSort:
    """`SegmentedSort(device, u32, most)(keys, offsets, out)`: each of keys[offsets[s] : offsets[s + 1]] in order, stably.

    With `pairs`, `(keys, offsets, out, payload, out_payload)` moves a u32 beside each key. Keys and order are those of `Sort`, at
    most `most` in all; `offsets` is u32, one more than there are segments. An offset beyond the keys counts as their end, a segment
    that would end before it begins is empty; what is in no segment is not written. One launch, a CTA a segment: segments of up
    to some thousand keys are sorted in shared memory, longer ones by one CTA through global memory.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *, descending: bool = False, pairs: bool = False
    ) -> None:
        check_element("segmented sort", element, bits=(8, 16, 32, 64))
        most = check_count("most", most)
        check_size(most)
        self.device, self.element, self.most, self.pairs = check_device(device), element, most, pairs
        self._how: dict[str, Any] = {"element": element, "passes": passes_of(element), "descending": descending}
        self._launches = LaunchCache()
        self._spare = device.empty(most, element)
        self._spare_payload = device.empty(most, u32) if pairs else None

    def __call__(self, keys: Any, offsets: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream."""
        arrays = (keys, offsets, out, payload, out_payload)
        key, known = self._launches.find(None, *arrays)
        if known is None:
            known = self._prepare(*arrays)
            self._launches.keep(key, known)
        known.run(*arrays)

    def _prepare(self, keys: Any, offsets: Any, out: Any, payload: Any, out_payload: Any) -> PreparedLaunch:
        n = check_array("keys", keys, self.element, device=self.device, most=self.most)
        segments = check_array("offsets", offsets, u32, device=self.device, least=1) - 1
        check_array("out", out, self.element, device=self.device, least=n)
        read_, written = {"keys": keys, "offsets": offsets}, {"out": out}
        if self.pairs:
            check_array("payload", payload, u32, device=self.device, least=n)
            check_array("out_payload", out_payload, u32, device=self.device, least=n)
            read_["payload"], written["out_payload"] = payload, out_payload
        elif payload is not None or out_payload is not None:
            raise BuildError("a payload for a sort of keys alone", hint="SegmentedSort(..., pairs=True)")
        check_all_apart(written, read_)
        operands = {name: read(name, array) for name, array in (read_ | written).items()}
        more: dict[str, Any] = {}
        if self._spare_payload is not None:
            spare_payload = read("scratch", self._spare_payload)
            more = {"payload": operands["payload"], "moved": operands["out_payload"], "spare_payload": spare_payload}
        plan = radix_segments.plan(
            n, segments, operands["keys"], operands["out"], read("scratch", self._spare),
            operands["offsets"], **more, **self._how,
        )  # fmt: skip
        scratch = tuple(each for each in (self._spare, self._spare_payload) if each is not None)
        return prepare_chain([plan], self.device, stream_of(self.device, *operands.values()), scratch)

    def close(self) -> None:
        """Free the scratch memory."""
        for array in (self._spare, self._spare_payload):
            if array is not None:
                array.close()

    def __enter__(self) -> SegmentedSort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
