"""Stable radix sort of keys, or of keys with payloads (ptxgen.kernels.arrays.radix_sort)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_sort, radix_tile
from ptxgen.kernels.arrays.radix_keys import check_size, passes_of
from ptxgen.ops.arguments import (
    check_all_apart,
    check_apart,
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

__all__ = ["Sort"]


class Sort:
    """`Sort(device, u32, most)(keys, out)`; with `pairs`, `(keys, out, payload, out_payload)` moves a u32 beside each key, or a
    `payload=u64`.

    Keys are integers of 8 to 64 bits, f16, f32 or f64, at most `most` and fewer than 2^30 of them. The order is stable;
    floating-point keys follow IEEE 754's totalOrder. `bits`: only the lowest ones of unsigned keys differ, which saves passes;
    a pass in which all keys have the same digit is left out in any case, once the device has seen that. The input is left as it
    is. Up to 4,096 keys are one launch of one CTA, but for payloads of u64.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *,
        descending: bool = False, pairs: bool = False, bits: int | None = None, payload: type[Value] = u32,
    ) -> None:  # fmt: skip
        isa = check_element("sort", element, bits=(8, 16, 32, 64)).isa
        if bits is not None and (isa.kind != "u" or not 1 <= bits <= isa.bits):
            raise BuildError(f"bits={bits} of .{isa.name} keys", hint=f"1 to {isa.bits}, of unsigned keys")
        if payload not in (u32, u64):
            raise BuildError(f"payloads of .{payload.isa.name}", hint="u32 or u64, as which others may be viewed")
        most = check_count("most", most)
        check_size(most)
        self.device, self.element, self.most, self.pairs = check_device(device), element, most, pairs
        self.passes = passes_of(element, bits)
        self._how: dict[str, Any] = {"element": element, "passes": self.passes, "descending": descending}
        self.launches = Launches(device)
        self.payload, wide = payload, pairs and payload is u64
        self._room = shared_memory_of(device)
        self._few = 0 if wide else radix_tile.most_for(element, self._room, pairs=pairs)
        large, several = most > self._few, self.passes > 1
        size = radix_sort.work_size(most, element, self.passes, pairs, wide=wide, room=self._room)
        self._work = device.zeros(size, u32) if large else None
        self._spare = device.empty(most, element) if large and several else None
        self._spare_payload = device.empty(most, payload) if large and several and pairs else None

    def __call__(self, keys: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), keys, out, payload, out_payload)

    def joined_plans(self, keys: Array, more: Array, out: Array) -> Plans | None:
        """The launches that sort what is in two arrays into a third, apart from both, in place of a copy of one behind the other;
        None where these are few enough for one CTA, and for pairs."""
        n = keys.size + more.size
        if self.pairs or n <= self._few or self._work is None:
            return None
        arrays = radix_sort.Arrays(keys, out, out if self._spare is None else self._spare, out)
        return radix_sort.sort_plans(n, arrays, self._work, more=more, split=keys.size, room=self._room, **self._how)

    def plans(self, keys: Array, out: Array, payload: Any, out_payload: Any) -> Plans:
        n = check_array("keys", keys, self.element, device=self.device, most=self.most)
        check_array("out", out, self.element, device=self.device, least=n)
        if self.pairs:
            check_array("payload", payload, self.payload, device=self.device, least=n)
            check_array("out_payload", out_payload, self.payload, device=self.device, least=n)
            check_all_apart({"out": out, "out_payload": out_payload}, {"keys": keys, "payload": payload})
        elif payload is not None or out_payload is not None:
            raise BuildError("a payload for a sort of keys alone", hint="Sort(..., pairs=True)")
        else:
            check_apart("out", out, "keys", keys)
        if n <= self._few:
            return (radix_tile.plan(n, keys, out, payload, out_payload, **self._how),)
        spare, others = out if self._spare is None else self._spare, None
        if self.pairs:
            spare_payload = out_payload if self._spare_payload is None else self._spare_payload
            others = radix_sort.Arrays(payload, out_payload, spare_payload, out_payload)
        arrays = radix_sort.Arrays(keys, out, spare, out)
        return radix_sort.sort_plans(n, arrays, self._work, others, room=self._room, **self._how)

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
        for array in (self._work, self._spare, self._spare_payload):
            if array is not None:
                array.close()

    def __enter__(self) -> Sort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
