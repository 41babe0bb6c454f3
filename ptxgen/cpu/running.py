"""A launch that did not simply run to its end: what generated code comes back to Python for, on one worker.

Signals and limits of time, better code, more CTAs in flight, more workers, and what has gone wrong.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from ptxgen.cpu.jit import Tier
from ptxgen.cpu.record_layout import Status
from ptxgen.cpu.report import circling_report, fault_report, stuck_report, timeout_report
from ptxgen.cpu.request import TICK
from ptxgen.cpu.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.executable import Code, Kernel
    from ptxgen.cpu.frame import Frame
    from ptxgen.cpu.request import Request

__all__ = ["Running", "grow"]

LATER_TICK = 200_000_000
"""TICK for optimised code, for signals and time limits: 20 to 100 ms."""


class Running:
    """One launch. `code` is what runs it now."""

    def __init__(self, kernel: Kernel, request: Request, frame: Frame, code: Code, began: float) -> None:
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

    def finish(self, status: int) -> None:
        """Goes on until the launch is done. `status` is what generated code has answered. Raises KernelFault."""
        kernel, frame, options = self.kernel, self.frame, self.options
        launch = frame.launch
        most = self.most
        watchdog = Watchdog([frame], options.watchdog, self.began, kernel.code.uses_copies)
        while status != Status.DONE:
            if status == Status.TICK:
                if frame.printer is not None:
                    frame.printer.flush()
                self.check_time([frame])
                if self._shares():
                    return
                self.improve([frame])
                told = watchdog.look(launch.resident < most)
                if told == "stuck":
                    raise circling_report(kernel, [frame], self.code.warp, options.watchdog or 0.0)
                if told == "grow":
                    most = grow(frame, self.code, most)
                launch.tick_at = launch.instructions + (TICK if self.code.tier is Tier.BASE else LATER_TICK)
            elif status == Status.GROW and launch.resident < most:
                most = grow(frame, self.code, most)
            elif status == Status.GROW and launch.idle_rounds == 0:
                pass  # as many as may be are resident and some still loop: let them
            elif status == Status.FAULT:
                raise fault_report(kernel, frame)
            else:
                raise stuck_report(kernel, [frame])
            status = self.code.run(frame.address)
        launch.look = 0

    @property
    def most(self) -> int:
        """CTAs that may be in flight."""
        most = min(self.request.most, self.frame.records)
        return most - most % self.request.together

    def _shares(self) -> bool:
        """Runs the rest of the launch on several workers, where that is possible and worth it."""
        if not self.shares:
            return False
        from ptxgen.cpu.team import share_out

        return share_out(self)

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


def grow(frame: Frame, code: Code, most: int) -> int:
    """Twice as many CTAs of a worker may be in flight from now on, but not more than `most`. How many may be at last: fewer when
    there is no memory for them."""
    launch = frame.launch
    more = min(2 * launch.resident, most)
    if more > frame.resident:
        try:
            frame.grow(more, code.geometry)
        except MemoryError:
            return int(launch.resident)
    launch.resident = more
    return most
