"""Scan of arrays of any length in one pass (ptxgen.kernels.arrays.prefix)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import prefix
from ptxgen.ops.arguments import check_apart, check_array, check_count, check_device, check_element, check_room
from ptxgen.ops.borrowing import Launches, result_like

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["Scan"]


class Scan:
    """`Scan(device, f32, most)(x, y)`: y[i] = x[0] + ... + x[i]; `exclusive`: all before x[i]. y may be x.

    Elements are integers of 8 to 64 bits, f16, f32 or f64. `op` is "sum", "min" or "max"; `most` the largest number of elements
    of a call. Sums of floats are combined in an order that depends on timing, so their last bits may differ from run to run,
    those of f16 in f32; integers wrap and are exact. "min" and "max" pass NaNs over: where there was nothing else yet, they give
    an infinity.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *, op: str = "sum", exclusive: bool = False
    ) -> None:
        check_element("scan", element, bits=(8, 16, 32, 64))
        if op not in ("sum", "min", "max"):
            raise BuildError(f"no scan by {op!r}", hint='op="sum", "min" or "max"')
        most = check_count("most", most)
        self.device, self.element, self.most = check_device(device), element, most
        words = prefix.scratch_words(most, element)
        check_room(
            most,
            f"an array of .{element.isa.name} and the scratch memory",
            most * element.isa.bytes + 8 * words,
            device,
        )
        self._how: dict[str, Any] = {"element": element, "op": op, "exclusive": exclusive}
        self._scratch = device.zeros(words, u64)
        self._ticket = self._scratch[words - 1 :]
        self.launches = Launches(device)

    def __call__(self, x: Any, y: Any = None) -> Any:
        """Launch on the current stream, or on the arrays'; returns y, which is a new array of x's library where it is None."""
        if y is None:
            y = result_like(x, self.device, self.element)
        self.launches.run(self.plans, (), x, y)
        return y

    def plans(self, x: Array, y: Array) -> tuple[KernelPlan]:
        return (self.plan(x, y),)

    def plan(self, x: Array, y: Array) -> KernelPlan:
        """The launch."""
        n = check_array("x", x, self.element, device=self.device, most=self.most)
        check_array("y", y, self.element, device=self.device, least=n)
        if x._here != y._here:
            check_apart("y", y, "x", x)
        return prefix.plan(n, x, y, self._scratch, self._ticket, **self._how)

    def close(self) -> None:
        """Free the scratch memory."""
        self._scratch.close()

    def __enter__(self) -> Scan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
