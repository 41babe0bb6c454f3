"""Counting what kernels do on the CPU device: `px.profile`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.host.printed_lines import written_at
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.profiler.collector import Profiler
    from ptxgen.errors import Location
    from ptxgen.ir import Instruction

__all__ = ["profile"]


@contextmanager
def profile() -> Iterator[Profiler]:
    """Count what every launch on the CPU device in the body does, of any thread, instruction by instruction.

    Gives the collector: its `launches` are LaunchCounts, one for each kernel and shape of launch. A kernel is compiled once more
    for it. Kernels of a GPU are not counted. A launch that ends in a fault counts nothing.
    """
    from ptxgen.cpu.profiler.collector import Profiler
    from ptxgen.host.machine import device

    device("cpu")  # reads the environment, where it is the first
    from ptxgen.emulated_driver.state.machine import machine

    chosen, before = Profiler(_places), machine.options.profiler
    machine.options = machine.options.replaced(profiler=chosen)
    try:
        yield chosen
    finally:
        machine.options = machine.options.replaced(profiler=before)


def _places(kernel: str, instruction: Instruction) -> tuple[Location, ...]:
    return written_at(kernel, resolve(instruction.source), instruction.op)
