"""The end of a launch that did not simply run to it: what generated code comes back to Python for, on the thread that launches.

Signals and limits of time, better code, more CTAs in flight, more workers, and what has gone wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.jit import Tier
from ptxgen.cpu.record_layout import Status
from ptxgen.cpu.report import circling_report, fault_report, stuck_report
from ptxgen.cpu.request import TICK
from ptxgen.cpu.team import share_out
from ptxgen.cpu.watchdog import Watchdog

if TYPE_CHECKING:
    from ptxgen.cpu.running import Running

__all__ = ["finish"]

LATER_TICK = 200_000_000
"""TICK for optimised code, for signals and time limits: 20 to 100 ms."""


def finish(running: Running, status: int) -> None:
    """Goes on until the launch is done. `status` is what generated code has answered. Raises KernelFault."""
    kernel, frame, options = running.kernel, running.frame, running.options
    launch = frame.launch
    most = running.most
    watchdog = Watchdog([frame], options.watchdog, running.began, kernel.code.uses_copies)
    while status != Status.DONE:
        if status == Status.TICK:
            if frame.printer is not None:
                frame.printer.flush()
            running.check_time([frame])
            if running.shares and share_out(running):
                return
            running.improve([frame])
            told = watchdog.look(launch.resident < most)
            if told == "stuck":
                raise circling_report(kernel, [frame], running.code.warp, options.watchdog or 0.0)
            if told == "grow":
                most = frame.start_more(most, running.code)
            launch.tick_at = launch.instructions + (TICK if running.code.tier is Tier.BASE else LATER_TICK)
        elif status == Status.GROW and launch.resident < most:
            most = frame.start_more(most, running.code)
        elif status == Status.GROW and launch.idle_rounds == 0:
            pass  # as many as may be are resident and some still loop: let them
        elif status == Status.FAULT:
            raise fault_report(kernel, frame)
        else:
            raise stuck_report(kernel, [frame])
        status = running.code.run(frame.address)
    launch.look = 0
