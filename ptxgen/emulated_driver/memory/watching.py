"""What copies, fills, and allocations in stream order touch, told to racecheck."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.order import begin_launch, running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.emulated_driver.state.context import Stream

__all__ = ["Span", "watch", "watch_lifetime"]


class Span(NamedTuple):
    """Bytes of memory that are read, or written."""

    address: int
    nbytes: int
    writes: bool


def watch_lifetime(stream: Stream, what: str, address: int, nbytes: int) -> None:
    """Memory begins or ends in the order of a stream: that is a write of all of it, since who uses it must come after the one and
    before the other."""
    with stream.lock:
        running.stream = stream
        watch(lambda: f"stream-ordered {what} of {nbytes} bytes", lambda: [Span(address, nbytes, writes=True)])


def watch(what: Callable[[], str], spans: Callable[[], Sequence[Span]]) -> None:
    """A stream has done what `what` says, with these bytes. Those of host memory are of no account."""
    sanitizer, stream = machine.options.sanitizer, running.stream
    if sanitizer is None or stream is None or "racecheck" not in sanitizer.tools:
        return
    from ptxgen.cpu.sanitizer.host_work import watch_host_work

    order, touched = begin_launch(stream, what()), spans()
    for arena in (device.arena for device in machine.devices if device.used_memory):
        inside = [span for span in touched if arena.base <= span.address < arena.base + arena.size]
        if inside:
            for finding in watch_host_work(arena, inside, order):
                sanitizer.add(finding)
