"""Sum, minimum or maximum of an array of any length in one launch (ptxgen.kernels.arrays.reduction)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import reduction
from ptxgen.ops.arguments import check_apart, check_array, check_device, check_element
from ptxgen.ops.borrowing import Launches, result_like

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["Reduce"]


class Reduce:
    """`Reduce(device, f32)(x, out)`: out[0] = the sum of x; `op` "min" or "max": its smallest or largest element.

    Elements are u32, s32, u64, s64, whose sums wrap, f32 or f64, or f16 or bf16, which are reduced in f32: `result` is the type
    of `out`. Of nothing, the sum is 0, and "min" and "max" are the type's largest and smallest value. They ignore NaNs. Results
    have the same bits in every run, those of floating-point sums too. One call at a time: calls on several streams need an
    object each.
    """

    def __init__(self, device: Device, element: type[Value], *, op: str = "sum") -> None:
        check_element("reduction", element, also=(f16, bf16))
        if op not in reduction.OPERATIONS:
            raise BuildError(f"no reduction by {op!r}", hint='op="sum", "min" or "max"')
        self.device, self.element, self.op = check_device(device), element, op
        self.result = reduction.accumulator_of(element)
        self._partials = device.empty(reduction.MAX_CTAS, self.result)
        self._ticket = device.zeros(1, u32)
        self.launches = Launches(device)

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Launch on the current stream, or on the arrays'; returns out, which is a new array of x's library where it is None."""
        if out is None:
            out = result_like(x, self.device, self.result, 1)
        self.launches.run(self.plans, (), x, out)
        return out

    def plans(self, x: Array, out: Array) -> tuple[KernelPlan]:
        n = check_array("x", x, self.element, device=self.device)
        check_array("out", out, self.result, device=self.device, least=1)
        check_apart("out", out, "x", x)
        return (reduction.plan(n, x, out, self._partials, self._ticket, element=self.element, op=self.op),)

    def close(self) -> None:
        """Free the scratch memory."""
        self._partials.close()
        self._ticket.close()

    def __enter__(self) -> Reduce:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
