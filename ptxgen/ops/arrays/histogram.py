"""How often each value occurs (ptxgen.kernels.arrays.histogram)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.kernels.arrays import histogram as kernels
from ptxgen.ops.arguments import check_apart, check_array, check_count, check_device, check_element
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from ptxgen.builder.values import Integer
    from ptxgen.host import Array, Device

__all__ = ["Histogram"]

_SHARED_OPTIN = 97
"""CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: bytes of shared memory that a CTA may ask for."""


class Histogram:
    """`histogram = Histogram(device, u8, bins)`, then `histogram(x)`: `counts[v]` is how often v occurs in x, a u32.

    Elements are u8, u16 or u32; those of `bins` or more are not counted. The bins have to fit into the shared memory of a CTA.
    `add(x)` counts on from where the last call ended. `counts` lies on the device.
    """

    def __init__(self, device: Device, element: type[Integer], bins: int) -> None:
        check_element("histogram", element, bits=(8, 16, 32), kinds="u")
        room = check_device(device).context.device.attribute(_SHARED_OPTIN) // u32.isa.bytes
        self.bins = check_count("bins", bins, least=1, most=room)
        self.device, self.element = device, element
        self.counts: Array = device.zeros(self.bins, u32)

    @takes_any_array
    def __call__(self, x: Any) -> None:
        """Launch on the current stream."""
        n = self._check(x)
        self.counts.fill(0)
        self._launch(n, x)

    @takes_any_array
    def add(self, x: Any) -> None:
        """The same, beside what was counted before."""
        self._launch(self._check(x), x)

    def _check(self, x: Any) -> int:
        n = check_array("x", x, self.element, device=self.device)
        check_apart("the counts", self.counts, "x", x)
        return n

    def _launch(self, n: int, x: Array) -> None:
        kernels.plan(n, self.bins, x, self.counts, element=self.element).launch()

    def close(self) -> None:
        """Free the counts."""
        self.counts.close()

    def __enter__(self) -> Histogram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
