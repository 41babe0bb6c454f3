"""A launch that did not simply run to its end: what is known of it, its limit of time, better code for it."""

from __future__ import annotations

from time import perf_counter

from driver_ctypes.typing import TYPE_CHECKING, Protocol
from ptxgen.cpu.jit import Tier
from ptxgen.cpu.report import timeout_report
from ptxgen.cpu.stopped import StoppedKernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.frame import Frame
    from ptxgen.cpu.machine_code import Code
    from ptxgen.cpu.request import Request

__all__ = ["LaunchedKernel", "Running"]


class LaunchedKernel(StoppedKernel, Protocol):
    """The kernel of the launch: an `executable.Kernel`."""

    def pays(self, seconds: float) -> bool: ...

    def compiled(self, tier: Tier, products: str = "exact") -> Code: ...

    def another_frame(self, first: Frame, request: Request, code: Code) -> Frame: ...

    def keep(self, frame: Frame) -> None: ...


class Running:
    """One launch. `code` is what runs it now."""

    def __init__(self, kernel: LaunchedKernel, request: Request, frame: Frame, code: Code, began: float) -> None:
        """began: when, by perf_counter."""
        self.kernel = kernel
        self.request = request
        self.options = request.options
        self.frame = frame
        self.code = code
        self.began = began
        self.shares = request.shares
        self.workers = 1
        self.executed = 0  # by other workers

    @property
    def most(self) -> int:
        """CTAs that may be in flight."""
        most = min(self.request.most, self.frame.records)
        return most - most % self.request.together

    def another_frame(self) -> Frame:
        """For one more worker. Raises MemoryError."""
        return self.kernel.another_frame(self.frame, self.request, self.code)

    def check_time(self, frames: Sequence[Frame]) -> None:
        """Raises KernelFault when the launch has run too long."""
        limit = self.options.time_limit
        if limit is not None and perf_counter() - self.began > limit:
            raise timeout_report(self.kernel, frames, limit)

    @property
    def may_improve(self) -> bool:
        """Could there be better code?"""
        return self.options.tier == "auto" and self.code.tier is Tier.BASE

    def improve(self, frames: Sequence[Frame]) -> None:
        """Has workers, which may be at work, go on with optimised code from their next round on, where that pays for the rest
        of the launch, as far as one can tell: unoptimised code has lost as much time as optimising takes, or will, going by the
        CTAs done."""
        if not self.may_improve:
            return
        seconds = perf_counter() - self.began
        done = sum(frame.launch.done_ctas for frame in frames)
        whole = seconds * self.request.ctas / done if done else seconds
        if self.kernel.pays(whole):
            self.code = self.kernel.compiled(Tier.FAST, self.code.products)
            for frame in frames:
                frame.launch.warp_function = self.code.warp
