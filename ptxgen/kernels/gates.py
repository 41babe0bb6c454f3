"""Launches of which the device decides whether they do anything: `gated(plan, gate, wanted)`.

The kernel is that of the plan, with two parameters ahead and a beginning that ends it where the gate, a u32 in device memory, is
not what is wanted. It leaves nothing behind then: tickets and states of its scratch memory stay as they were. All launches of a
way through a problem are gated by one word, which an earlier launch has written, so that the host need not wait for it. Each may
begin before the one ahead of it has ended, for which it waits before it looks: one that does nothing takes an H200 1 to 2 us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, Kernel, ptr, u32
from ptxgen.builder.signatures import KernelParameter
from ptxgen.kernels.plan import KernelPlan

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["gated"]

_AHEAD = (KernelParameter("gate", ptr[u32]), KernelParameter("wanted", u32))
_made: dict[Kernel, Kernel] = {}


def gated(plan: KernelPlan, gate: Any, wanted: int) -> KernelPlan:
    """The plan of a kernel built in Python, as a launch that ends at once where gate[0] is not `wanted`."""
    kernel = plan.kernel
    assert isinstance(kernel, Kernel)
    if kernel not in _made:
        _made[kernel] = kernel.extended(_AHEAD, _behind_gate, f"gated_{kernel.__name__}")
    return plan._replace(kernel=_made[kernel], arguments=(gate, wanted, *plan.arguments), programmatic=True)


def _behind_gate(
    k: Builder, function: Callable[..., None], gate: Any, wanted: Any, *arguments: Any, **options: Any
) -> None:  # fmt: skip
    k.launch_dependents()
    k.wait_for_dependencies()
    with k.if_(gate[0] != wanted):
        k.return_()
    function(k, *arguments, **options)
