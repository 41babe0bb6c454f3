"""Stable radix sort of keys, or of keys with 32-bit payloads (ptxgen.kernels.arrays.radix_sort)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import radix_sort
from ptxgen.kernels.arrays.radix_sort import DIGITS
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.arguments import check_all_apart, check_apart, check_array, check_count, check_device, check_element
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Device

__all__ = ["Sort"]


class Sort:
    """`Sort(device, u32, most)(keys, out)`; with `pairs`, `(keys, out, payload, out_payload)` moves a u32 beside each key.

    Keys are integers of 8 to 64 bits, f16, f32 or f64, at most `most` and fewer than 2^30 of them. The order is stable;
    floating-point keys follow IEEE 754's totalOrder. `bits`: only the lowest ones of unsigned keys differ, which saves passes.
    The input is left as it is.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *,
        descending: bool = False, pairs: bool = False, bits: int | None = None,
    ) -> None:  # fmt: skip
        isa = check_element("sort", element, bits=(8, 16, 32, 64)).isa
        if bits is not None and (isa.kind != "u" or not 1 <= bits <= isa.bits):
            raise BuildError(f"bits={bits} of .{isa.name} keys", hint=f"1 to {isa.bits}, of unsigned keys")
        most = check_count("most", most)
        radix_sort.check_size(most)
        self.device, self.element, self.most, self.pairs = check_device(device), element, most, pairs
        self.passes = radix_sort.passes_of(element, bits)
        self._how: dict[str, Any] = {"element": element, "descending": descending}
        tiles = max(1, ceil_div(most, radix_sort.tile_of(element)))
        # One piece, cleared at once: counts[passes, digit]; then for each pass states[tile, digit] and a ticket.
        self._states = tiles * DIGITS
        self._scratch = device.empty(self.passes * (DIGITS + self._states + 1), u32)
        self._spare = device.empty(most, element) if self.passes > 1 else None
        self._spare_payload = device.empty(most, u32) if self.passes > 1 and pairs else None

    @takes_any_array
    def __call__(self, keys: Any, out: Any, payload: Any = None, out_payload: Any = None) -> None:
        """Launch on the current stream."""
        n = check_array("keys", keys, self.element, device=self.device, most=self.most)
        check_array("out", out, self.element, device=self.device, least=n)
        if self.pairs:
            check_array("payload", payload, u32, device=self.device, least=n)
            check_array("out_payload", out_payload, u32, device=self.device, least=n)
            check_all_apart({"out": out, "out_payload": out_payload}, {"keys": keys, "payload": payload})
        elif payload is not None or out_payload is not None:
            raise BuildError("a payload for a sort of keys alone", hint="Sort(..., pairs=True)")
        else:
            check_apart("out", out, "keys", keys)
        counts = self._scratch[: self.passes * DIGITS]
        self._scratch.fill(0)
        radix_sort.counts_plan(n, keys, counts, passes=self.passes, **self._how).launch()
        radix_sort.offsets_plan(counts, self.passes).launch()
        source, moved = keys, payload
        for number in range(self.passes):
            # The last pass writes the result, so the one before it the spare, and so on.
            last = (self.passes - 1 - number) % 2 == 0
            target = out if last else self._spare
            target_payload = out_payload if last else self._spare_payload
            first = self.passes * DIGITS + number * (self._states + 1)
            states, ticket = self._scratch[first:][: self._states], self._scratch[first + self._states :][:1]
            radix_sort.pass_plan(
                n, source, target, moved if self.pairs else self._scratch,
                target_payload if self.pairs else self._scratch, counts[number * DIGITS :], states, ticket,
                number=number, pairs=self.pairs, **self._how,
            ).launch()  # fmt: skip
            source, moved = target, target_payload

    def close(self) -> None:
        """Free the scratch memory."""
        for array in (self._scratch, self._spare, self._spare_payload):
            if array is not None:
                array.close()

    def __enter__(self) -> Sort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
